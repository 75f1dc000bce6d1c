/* CTAs at a time: the least of what the room, the launch and the user allow. */
#include "resident.h"

#include <stdio.h>

/* How many CTAs fit by each limit. */
static uint64_t room_by(enum bs_limit limit, const struct bs_model *model,
                        const struct bs_demand *demand)
{
    const struct bs_capacity *capacity = &model->capacity;
    const uint64_t warps = capacity->warps ? capacity->warps : BS_MAX_RESIDENT;
    const uint64_t bytes = (uint64_t)demand->smem + capacity->reserved_memory;
    switch (limit) {
    case BS_LIMIT_LAUNCH:
        return demand->ctas;
    case BS_LIMIT_WISH:
        return demand->wish ? demand->wish : UINT64_MAX;
    case BS_LIMIT_MEMORY:
        return demand->smem < 0 || !capacity->shared_memory || !bytes
                   ? UINT64_MAX
                   : capacity->shared_memory / bytes;
    case BS_LIMIT_WARPS:
        return warps / (demand->warps ? demand->warps : 1);
    case BS_LIMIT_CTAS:
        return capacity->ctas ? capacity->ctas : UINT64_MAX;
    }
    return UINT64_MAX;
}

/* The user's wish may go beyond what the model has room for, but not beyond what the engine has. */
static uint64_t engine_room(const struct bs_demand *demand)
{
    return BS_MAX_RESIDENT / (demand->warps ? demand->warps : 1);
}

struct bs_resident bs_resident_of(const struct bs_model *model, const struct bs_demand *demand)
{
    static const enum bs_limit room[] = {BS_LIMIT_MEMORY, BS_LIMIT_WARPS, BS_LIMIT_CTAS};
    struct bs_resident made = {.demand = *demand, .limit = BS_LIMIT_LAUNCH};
    uint64_t fits = UINT64_MAX;
    enum bs_limit tightest = BS_LIMIT_MEMORY;
    for (unsigned i = 0; i < sizeof room / sizeof *room; i++)
        if (room_by(room[i], model, demand) < fits) {
            fits = room_by(room[i], model, demand);
            tightest = room[i];
        }
    uint64_t ctas = room_by(BS_LIMIT_LAUNCH, model, demand);
    if (demand->wish && demand->wish < ctas) {
        ctas = demand->wish;
        made.limit = BS_LIMIT_WISH;
    }
    if (demand->wish && ctas > engine_room(demand)) {
        ctas = engine_room(demand);
        made.limit = BS_LIMIT_WARPS;
    }
    if (!demand->wish && fits < ctas) {
        ctas = fits;
        made.limit = tightest;
    }
    made.too_large = ctas == 0 || ctas > fits;
    made.ctas = ctas ? (uint32_t)ctas : 1;
    return made;
}

/* Why it is not more, as the end of a sentence. */
static void say_limit(const struct bs_resident *resident, const struct bs_model *model, char *text,
                      size_t size)
{
    const struct bs_demand *demand = &resident->demand;
    const struct bs_capacity *capacity = &model->capacity;
    const uint32_t warps = capacity->warps && !demand->wish ? capacity->warps : BS_MAX_RESIDENT;
    switch (resident->limit) {
    case BS_LIMIT_LAUNCH:
        snprintf(text, size, "for the launch has no more");
        break;
    case BS_LIMIT_WISH:
        snprintf(text, size, "as was asked for");
        break;
    case BS_LIMIT_MEMORY:
        snprintf(text, size, "for each takes %lld of the %u bytes of shared memory",
                 (long long)demand->smem + capacity->reserved_memory, capacity->shared_memory);
        break;
    case BS_LIMIT_WARPS:
        snprintf(text, size, "for each takes %u of the %u warps that there is room for",
                 demand->warps, warps);
        break;
    case BS_LIMIT_CTAS:
        snprintf(text, size, "for a multiprocessor holds no more");
        break;
    }
}

const char *bs_resident_text(const struct bs_resident *resident, const struct bs_model *model,
                             char text[BS_SENTENCE])
{
    const unsigned long long ctas = resident->demand.ctas;
    char why[128];
    say_limit(resident, model, why, sizeof why);
    if (resident->limit == BS_LIMIT_LAUNCH && ctas == 1)
        snprintf(text, BS_SENTENCE, "One CTA, for the launch has no other.");
    else if (resident->limit == BS_LIMIT_LAUNCH)
        snprintf(text, BS_SENTENCE, "All %llu CTAs at once.", ctas);
    else
        snprintf(text, BS_SENTENCE, "%u of %llu CTAs at a time, %s.%s", resident->ctas, ctas, why,
                 resident->too_large ? " That is more than the model has room for." : "");
    return text;
}
