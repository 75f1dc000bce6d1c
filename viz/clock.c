/* Running the launch of a record. */
#include "clock.h"

#include "core/buffer.h"

#include <stdlib.h>

enum { MOST_QUEUED = 64 /* steps of a warp that are on their way */ };

/* ---- running --------------------------------------------------------------------------------- */

static void find_launch(struct bs_clock *clock, const struct bs_story *story, size_t record)
{
    clock->kernel = story->told[record].kernel;
    clock->first = record;
    while (clock->first > 0 && story->told[clock->first - 1].kernel == clock->kernel)
        clock->first--;
    size_t end = record + 1;
    while (end < story->count && story->told[end].kernel == clock->kernel)
        end++;
    clock->count = end - clock->first;
}

static bool add_records(struct bs_clock *clock, const struct bs_story *story, uint32_t variant)
{
    for (size_t i = 0; i < clock->count; i++) {
        struct bs_access access;
        struct bs_cost cost;
        uint32_t addr[BS_MAX_LANES];
        uint64_t src[BS_MAX_LANES];
        bs_story_access(story, clock->first + i, variant, &access, addr, src);
        bs_count(clock->model, &access, &cost);
        if (!bs_launch_add(&clock->launch, &access, &cost, 0, &clock->error))
            return false;
    }
    return true;
}

struct named {
    uint32_t cta, warp, number;
};

static int by_name(const void *left, const void *right)
{
    const struct named *a = left;
    const struct named *b = right;
    if (a->cta != b->cta)
        return a->cta < b->cta ? -1 : 1;
    return a->warp < b->warp ? -1 : a->warp > b->warp;
}

static bool sort_warps(struct bs_clock *clock)
{
    const size_t count = clock->launch.warp_count;
    struct named *named = malloc((count + 1) * sizeof *named);
    clock->warps = malloc((count + 1) * sizeof *clock->warps);
    if (named && clock->warps) {
        for (size_t i = 0; i < count; i++)
            named[i] = (struct named){clock->launch.warps[i].cta, clock->launch.warps[i].warp,
                                      (uint32_t)i};
        qsort(named, count, sizeof *named, by_name);
        for (size_t i = 0; i < count; i++)
            clock->warps[i] = named[i].number;
    }
    const bool sorted = named && clock->warps;
    free(named);
    return sorted;
}

/* Writes down whose pass the cycle was. */
static void see_cycle(void *user, const struct bs_engine *engine)
{
    struct bs_clock *clock = user;
    const size_t cycle = (size_t)engine->cycle;
    uint32_t *passes = bs_grow(clock->passes, &clock->pass_room, cycle + 1, sizeof *passes);
    if (!passes)
        return; /* the cycle counts as one without a pass; memory will be out elsewhere too */
    clock->passes = passes;
    while (clock->cycles <= cycle)
        passes[clock->cycles++] = BS_NO_PASS;
    if (engine->last.passed == BS_NO_SLOT)
        return;
    const struct bs_program *program = &engine->programs[engine->slot[engine->last.passed].program];
    passes[cycle] = (uint32_t)(program->times + engine->last.step - clock->launch.times);
}

static bool run(struct bs_clock *clock, const struct bs_story *story, uint32_t variant)
{
    /* Warps whose further records are not read yet are no reason to show nothing. */
    struct bs_launch_run how = {.smem = -1, .early_exit = true};
    const struct bs_story *own = bs_story_of(story, variant);
    if (clock->kernel < own->kernel_count) {
        const struct bs_told_kernel *kernel = &own->kernels[clock->kernel];
        how.smem = kernel->smem;
        for (unsigned i = 0; i < 3; i++)
            how.block[i] = kernel->block[i];
    }
    clock->launch.keeps_order = true;
    how.observer = (struct bs_engine_observer){see_cycle, clock};
    clock->runs = add_records(clock, story, variant) &&
                  bs_launch_run(&clock->launch, clock->model, &how, &clock->error);
    if (!clock->passes)
        return clock->runs = false; /* memory is out */
    if (!clock->runs)
        return clock->error.status != BS_INTERNAL;
    return sort_warps(clock);
}

bool bs_clock_run(struct bs_clock *clock, const struct bs_story *story, uint32_t variant,
                  size_t record)
{
    struct bs_clock wanted = {.model = story->variants[variant].model};
    find_launch(&wanted, story, record);
    if (clock->model == wanted.model && clock->kernel == wanted.kernel &&
        clock->first == wanted.first && clock->count == wanted.count)
        return true;
    bs_clock_free(clock);
    *clock = wanted;
    return run(clock, story, variant);
}

void bs_clock_free(struct bs_clock *clock)
{
    bs_launch_free(&clock->launch);
    free(clock->warps);
    free(clock->passes);
    *clock = (struct bs_clock){0};
}

/* ---- asking ---------------------------------------------------------------------------------- */

const struct bs_launch_warp *bs_clock_warp(const struct bs_clock *clock, size_t record,
                                           uint32_t *step)
{
    const struct bs_launch_place place = clock->launch.order[record - clock->first];
    *step = place.step;
    return &clock->launch.warps[place.warp];
}

int64_t bs_clock_step(const struct bs_launch_warp *warp, uint64_t cycle)
{
    size_t low = 0;
    size_t high = warp->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (warp->times[middle].issued <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return (int64_t)low - 1;
}

/* Why the next step of a warp is not issued, in words. */
static const char *waiting_for(uint32_t wait)
{
    static const char *const words[BS_WAITS] = {
        [BS_WAIT_NONE] = "issues next",         [BS_WAIT_DONE] = "done",
        [BS_WAIT_BARRIER] = "at a barrier",     [BS_WAIT_RESULTS] = "waits for results",
        [BS_WAIT_DEP] = "waits for a result",   [BS_WAIT_INTERVAL] = "issues soon",
        [BS_WAIT_QUEUE] = "its queue is full",  [BS_WAIT_IN_FLIGHT] = "the queue is full",
        [BS_WAIT_SCHEDULER] = "waits its turn",
    };
    return words[wait];
}

uint32_t bs_clock_owner(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                        size_t step)
{
    return (uint32_t)(warp->times + step - clock->launch.times);
}

uint64_t bs_clock_served(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                         size_t step)
{
    const uint32_t owner = bs_clock_owner(clock, warp, step);
    uint32_t left = warp->steps[step].slots;
    uint64_t cycle = warp->times[step].started;
    for (; left > 0 && cycle < clock->cycles; cycle++)
        left -= clock->passes[cycle] == owner;
    return cycle;
}

/* What becomes of the steps that are issued and not finished, the oldest first; NULL if there are
 * none. */
static const char *on_their_way(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                                int64_t last, uint64_t cycle)
{
    int64_t oldest = last + 1;
    while (oldest > 0 && last - oldest < MOST_QUEUED && warp->times[oldest - 1].finished > cycle)
        oldest--;
    for (int64_t i = oldest; i <= last; i++) {
        if (warp->steps[i].op.kind == BS_BAR)
            return "at a barrier";
        if (warp->times[i].started > cycle)
            return "queued";
        if (bs_clock_served(clock, warp, (size_t)i) > cycle)
            return "in its passes";
    }
    return oldest <= last ? "result on its way" : NULL;
}

const char *bs_clock_doing(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                           uint64_t cycle)
{
    const int64_t last = bs_clock_step(warp, cycle);
    if (last >= 0 && warp->times[last].issued == cycle)
        return "issues";
    const char *busy = on_their_way(clock, warp, last, cycle);
    if (busy)
        return busy;
    return (size_t)(last + 1) < warp->count ? waiting_for(warp->times[last + 1].waited) : "done";
}

struct bs_cycles bs_clock_around(const struct bs_clock *clock, size_t record)
{
    uint32_t step;
    const struct bs_launch_warp *warp = bs_clock_warp(clock, record, &step);
    const struct bs_instruction_time *time = &warp->times[step];
    const uint64_t length = time->finished - time->issued;
    const uint64_t width = length * 3 / 2 > 48 ? length * 3 / 2 : 48;
    const uint64_t from = time->issued > width / 6 ? time->issued - width / 6 : 0;
    return (struct bs_cycles){from, from + width};
}
