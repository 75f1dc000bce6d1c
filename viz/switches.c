/* Switching lanes: the story's accesses have other masks from then on, and are priced anew. */
#include "switches.h"

uint64_t bs_story_given(const struct bs_story *story, size_t record)
{
    return story->request.trace ? story->told[record].mask : story->variants[0].subject.access.mask;
}

uint64_t bs_story_active(const struct bs_story *story, size_t record)
{
    const bool switched = story->switched.some && story->switched.record == record;
    return bs_story_given(story, record) & (switched ? story->switched.lanes : UINT64_MAX);
}

static void set(struct bs_story *story, const struct bs_switched *switched)
{
    story->switched = *switched;
    for (uint32_t i = 0; i < BS_MAX_PANELS; i++)
        if (story->others[i])
            story->others[i]->switched = *switched;
}

static bool can_be_priced(const struct bs_story *story, size_t record, struct bs_error *error)
{
    for (uint32_t i = 0; i < story->variant_count; i++) {
        struct bs_access access;
        uint32_t addr[BS_MAX_LANES];
        uint64_t src[BS_MAX_LANES];
        bs_story_access(story, record, i, &access, addr, src);
        if (!bs_access_check(story->variants[i].model, &access,
                             story->request.options.allow_misaligned, error))
            return false;
    }
    return true;
}

static void price(struct bs_story *story, size_t record)
{
    struct bs_access access;
    struct bs_cost cost;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    bs_story_access(story, record, 0, &access, addr, src);
    bs_count(story->variants[0].model, &access, &cost);
    story->told[record].passes = cost.passes < UINT16_MAX ? (uint16_t)cost.passes : UINT16_MAX;
}

bool bs_story_switch(struct bs_story *story, size_t record, uint64_t lanes, struct bs_error *error)
{
    const struct bs_switched before = story->switched;
    const uint64_t given = bs_story_given(story, record);
    const struct bs_switched now = {
        .some = (lanes & given) != given, .record = record, .lanes = lanes & given};
    set(story, &now);
    if (!can_be_priced(story, record, error)) {
        set(story, &before);
        return false;
    }
    if (before.some)
        price(story, before.record);
    price(story, record);
    return true;
}

void bs_story_restore(struct bs_story *story)
{
    const struct bs_switched before = story->switched;
    set(story, &(struct bs_switched){0});
    if (before.some)
        price(story, before.record);
}
