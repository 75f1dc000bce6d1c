/* Time for one launch: gathering its instructions by warp, laying out its CTAs, running them. */
#include "timing.h"

#include "core/buffer.h"
#include "standstill.h"

#include <stdlib.h>
#include <string.h>

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* ---- gathering ------------------------------------------------------------------------------- */

struct warp_key {
    uint32_t cta, warp;
};

static uint64_t key_hash(uint32_t cta, uint32_t warp)
{
    return bs_index_mix((uint64_t)cta << 32 | warp);
}

static uint64_t warp_hash(const void *owner, size_t item)
{
    const struct bs_launch_warp *warp = &((const struct bs_launch *)owner)->warps[item];
    return key_hash(warp->cta, warp->warp);
}

static bool warp_same(const void *owner, size_t item, const void *key)
{
    const struct bs_launch_warp *warp = &((const struct bs_launch *)owner)->warps[item];
    const struct warp_key *wanted = key;
    return warp->cta == wanted->cta && warp->warp == wanted->warp;
}

/* Makes launch->last the warp of the access. */
static bool find_warp(struct bs_launch *launch, const struct bs_access *access)
{
    const struct bs_index_items items = {launch, warp_hash, warp_same};
    const struct warp_key key = {access->cta, access->warp};
    if (launch->warp_count > 0 && warp_same(launch, launch->last, &key))
        return true;
    if (!bs_index_reserve(&launch->index, &items))
        return false;
    uint32_t *slot = bs_index_find(&launch->index, &items, key_hash(key.cta, key.warp), &key);
    if (!*slot) {
        struct bs_launch_warp *warps = bs_grow(launch->warps, &launch->warp_room,
                                               launch->warp_count + 1, sizeof *launch->warps);
        if (!warps)
            return false;
        launch->warps = warps;
        warps[launch->warp_count] = (struct bs_launch_warp){.cta = key.cta, .warp = key.warp};
        launch->index.count++;
        *slot = (uint32_t)++launch->warp_count;
    }
    launch->last = *slot - 1;
    return true;
}

static bool make_room(struct bs_launch *launch, struct bs_launch_warp *warp)
{
    struct bs_instruction *steps =
        bs_grow(warp->steps, &warp->step_room, warp->count + 1, sizeof *steps);
    if (steps)
        warp->steps = steps;
    uint32_t *groups = bs_grow(warp->groups, &warp->group_room, warp->count + 1, sizeof *groups);
    if (groups)
        warp->groups = groups;
    if (!steps || !groups || !launch->keeps_order)
        return steps && groups;
    struct bs_launch_place *order =
        bs_grow(launch->order, &launch->order_room, launch->records + 1, sizeof *launch->order);
    if (order)
        launch->order = order;
    return order != NULL;
}

bool bs_launch_add(struct bs_launch *launch, const struct bs_access *access,
                   const struct bs_cost *cost, uint32_t group, struct bs_error *error)
{
    if (!find_warp(launch, access))
        return out_of_memory(error);
    struct bs_launch_warp *warp = &launch->warps[launch->last];
    if (access->dep > warp->count)
        return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                       "dep=%u: warp %u of CTA %u has %zu instructions before this one",
                       access->dep, access->warp, access->cta, warp->count);
    if (warp->count == UINT32_MAX || !make_room(launch, warp))
        return out_of_memory(error);
    if (launch->keeps_order)
        launch->order[launch->records] =
            (struct bs_launch_place){(uint32_t)launch->last, (uint32_t)warp->count};
    warp->groups[warp->count] = group;
    warp->steps[warp->count++] = bs_instruction_of(access, cost);
    launch->records++;
    launch->dependent += access->dep > 0;
    launch->barriers += access->op.kind == BS_BAR;
    warp->barriers += access->op.kind == BS_BAR;
    return true;
}

/* ---- the layout ------------------------------------------------------------------------------ */

struct place {
    uint32_t cta, warp;
    uint32_t number; /* among the launch's warps */
};

static int by_place(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;
    if (a->cta != b->cta)
        return a->cta < b->cta ? -1 : 1;
    return (a->warp > b->warp) - (a->warp < b->warp);
}

/* The warps by CTA and warp; the caller frees them. NULL when memory is out. */
static struct place *sort_warps(const struct bs_launch *launch)
{
    struct place *places = malloc((launch->warp_count + 1) * sizeof *places);
    for (size_t i = 0; places && i < launch->warp_count; i++)
        places[i] = (struct place){launch->warps[i].cta, launch->warps[i].warp, (uint32_t)i};
    if (places)
        qsort(places, launch->warp_count, sizeof *places, by_place);
    return places;
}

/* One past the places of the CTA that begins at first. */
static size_t cta_end(const struct place *places, size_t count, size_t first)
{
    size_t end = first;
    while (end < count && places[end].cta == places[first].cta)
        end++;
    return end;
}

/* 0 if it is not known, or has more than the engine could have. */
static uint64_t warps_of_block(const uint32_t block[3], uint32_t lanes_of_warp)
{
    uint64_t lanes = 1;
    for (unsigned i = 0; i < 3; i++) {
        lanes *= block[i] || i == 0 ? block[i] : 1;
        if (lanes > (uint64_t)BS_MAX_RESIDENT * lanes_of_warp)
            return 0;
    }
    return (lanes + lanes_of_warp - 1) / lanes_of_warp;
}

/* The warps of the largest block that the trace or its header show. Numbers of warps count, since
 * schedulers share the warps by them; unless they are no numbers within a CTA. */
static uint32_t warps_of_cta(const struct bs_launch *launch, const struct bs_model *model,
                             const uint32_t block[3], bool *numbered)
{
    const uint64_t said = warps_of_block(block, model->lanes);
    uint64_t seen = 0;
    for (size_t i = 0; i < launch->warp_count; i++)
        if (launch->warps[i].warp >= seen)
            seen = (uint64_t)launch->warps[i].warp + 1;
    *numbered = seen <= BS_MAX_RESIDENT;
    if (!*numbered)
        return 0;
    return said > seen && said <= BS_MAX_RESIDENT ? (uint32_t)said : (uint32_t)seen;
}

/* Adds the warp as the next program; number may be BS_NO_WARP. */
static void add_program(struct bs_launch *launch, uint32_t cta, uint32_t number)
{
    struct bs_program *program = &launch->programs[launch->program_count];
    *program = (struct bs_program){.cta = cta};
    if (number != BS_NO_WARP) {
        const struct bs_launch_warp *warp = &launch->warps[number];
        program->count = (uint32_t)warp->count;
        program->steps = warp->steps;
    }
    launch->program_warp[launch->program_count++] = number;
}

/* Whether the warps of a CTA come to different numbers of barriers. */
static bool is_uneven(const struct bs_launch *launch, const struct place *places, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (launch->warps[places[i].number].barriers != launch->warps[places[0].number].barriers)
            return true;
    return false;
}

/* Adds a CTA's programs: if warps have numbers, one for each number up to warps. */
static void add_cta(struct bs_launch *launch, const struct place *places, size_t count,
                    uint32_t warps)
{
    for (size_t i = 0, number = 0; i < count || number < warps; number++) {
        const bool here = i < count && (warps == 0 || places[i].warp == number);
        add_program(launch, places[0].cta, here ? places[i].number : BS_NO_WARP);
        i += here;
    }
    launch->uneven_ctas += is_uneven(launch, places, count);
}

/* The times of all instructions are kept only where they are asked for in the end. */
static bool allocate(struct bs_launch *launch, size_t programs)
{
    const size_t times = launch->keeps_order ? (size_t)launch->records : 0;
    launch->times = malloc((times + 1) * sizeof *launch->times);
    launch->programs = malloc((programs + 1) * sizeof *launch->programs);
    launch->program_warp = malloc((programs + 1) * sizeof *launch->program_warp);
    return launch->times && launch->programs && launch->program_warp && programs <= UINT32_MAX;
}

/* Lays out the programs and says how many CTAs are resident. */
static bool lay_out(struct bs_launch *launch, const struct bs_model *model,
                    const struct bs_launch_run *how)
{
    bool numbered;
    struct place *places = sort_warps(launch);
    const uint32_t warps = warps_of_cta(launch, model, how->block, &numbered);
    struct bs_demand demand = {.smem = how->smem, .warps = warps, .wish = how->resident};
    const size_t count = launch->warp_count;
    if (!places)
        return false;
    for (size_t first = 0; first < count; first = cta_end(places, count, first)) {
        const size_t own = cta_end(places, count, first) - first;
        if (own > demand.warps)
            demand.warps = (uint32_t)own;
        demand.ctas++;
    }
    const bool fine = allocate(launch, numbered ? (size_t)demand.ctas * warps : count);
    for (size_t first = 0; fine && first < count; first = cta_end(places, count, first))
        add_cta(launch, places + first, cta_end(places, count, first) - first, warps);
    launch->resident = bs_resident_of(model, &demand);
    free(places);
    return fine;
}

/* ---- looking on ------------------------------------------------------------------------------ */

struct watch {
    const struct bs_launch *launch;
    const struct bs_launch_run *how;
};

/* Counts a cycle of each warp that waits to the group of the instruction that it waits to issue. */
static void count_waits(const struct watch *watch, const struct bs_engine *engine)
{
    const uint64_t acted = engine->last.issued | engine->last.arrived;
    for (uint32_t i = 0; i < engine->slots; i++) {
        const struct bs_slot *slot = &engine->slot[i];
        const uint32_t number = watch->launch->program_warp[slot->program];
        if (!slot->live || number == BS_NO_WARP || acted >> i & 1)
            continue;
        const struct bs_launch_warp *warp = &watch->launch->warps[number];
        if (slot->next < warp->count)
            watch->how->groups[warp->groups[slot->next]].waits[slot->waited]++;
    }
}

static void see_cycle(void *user, const struct bs_engine *engine)
{
    const struct watch *watch = user;
    if (watch->how->groups)
        count_waits(watch, engine);
    if (watch->how->observer.cycle)
        watch->how->observer.cycle(watch->how->observer.user, engine);
}

/* ---- times: only of the CTAs that are or will soon be there ------------------------------------
 */

/* One past the last program of the CTA that begins at first. */
static uint32_t programs_end(const struct bs_launch *launch, uint32_t first)
{
    uint32_t end = first;
    while (end < launch->program_count && launch->programs[end].cta == launch->programs[first].cta)
        end++;
    return end;
}

/* Gives the CTA that is next without them room for its times. */
static bool give_times(struct bs_launch *launch)
{
    const uint32_t first = launch->timed;
    const uint32_t end = programs_end(launch, first);
    size_t count = 0;
    for (uint32_t i = first; i < end; i++)
        count += launch->programs[i].count;
    struct bs_instruction_time *times =
        launch->keeps_order ? launch->times + launch->given : malloc((count + 1) * sizeof *times);
    if (!times)
        return false;
    launch->given += count;
    launch->timed = end;
    for (uint32_t i = first; i < end; i++) {
        launch->programs[i].times = times;
        if (launch->program_warp[i] != BS_NO_WARP)
            launch->warps[launch->program_warp[i]].times = times;
        times += launch->programs[i].count;
    }
    return true;
}

/* In one cycle no more CTAs can start than may be resident: so many have room for their times. */
static bool prepare(struct bs_launch *launch)
{
    uint32_t ahead = 0;
    for (uint32_t i = launch->engine.next_program; i < launch->timed; ahead++)
        i = programs_end(launch, i);
    for (; ahead < launch->resident.ctas && launch->timed < launch->program_count; ahead++)
        if (!give_times(launch))
            return false;
    return true;
}

static bool is_there(const struct bs_launch *launch, uint32_t first, uint32_t end)
{
    const struct bs_engine *engine = &launch->engine;
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live && engine->slot[i].program >= first &&
            engine->slot[i].program < end)
            return true;
    return false;
}

static void add_times(const struct bs_launch_warp *warp, struct bs_group_time *groups)
{
    for (size_t i = 0; i < warp->count; i++) {
        struct bs_group_time *group = &groups[warp->groups[i]];
        group->queued += warp->times[i].started - warp->times[i].issued;
        group->finishing += warp->times[i].finished - warp->times[i].issued;
        if (warp->times[i].waited == BS_WAIT_DEP && !group->from)
            group->from = warp->groups[i - warp->steps[i].dep] + 1;
    }
}

/* Adds up the times of a CTA that is through, and gives their room back. */
static void collect(struct bs_launch *launch, struct bs_group_time *groups, uint32_t first,
                    uint32_t end)
{
    struct bs_instruction_time *times = launch->programs[first].times;
    for (uint32_t i = first; groups && i < end; i++)
        if (launch->program_warp[i] != BS_NO_WARP)
            add_times(&launch->warps[launch->program_warp[i]], groups);
    if (!launch->keeps_order) {
        free(times);
        launch->programs[first].times = NULL;
    }
}

/* CTAs have ended or started. */
static bool follow(struct bs_launch *launch, struct bs_group_time *groups)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < launch->present_count; i++) {
        const uint32_t first = launch->present[i];
        const uint32_t end = programs_end(launch, first);
        if (is_there(launch, first, end))
            launch->present[kept++] = first;
        else
            collect(launch, groups, first, end);
    }
    for (; launch->started < launch->engine.next_program;
         launch->started = programs_end(launch, launch->started))
        launch->present[kept++] = launch->started;
    launch->present_count = kept;
    return prepare(launch);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool run_to_end(struct bs_launch *launch, struct bs_group_time *groups,
                       struct bs_error *error)
{
    struct bs_engine *engine = &launch->engine;
    bool more = !engine->done;
    while (more) {
        const uint32_t ctas = engine->ctas;
        const uint32_t next = engine->next_program;
        more = bs_engine_tick(engine);
        if (more && bs_engine_is_stuck(engine))
            return bs_standstill(launch, error);
        if ((ctas != engine->ctas || next != engine->next_program) && !follow(launch, groups))
            return out_of_memory(error);
    }
    return true;
}

bool bs_launch_run(struct bs_launch *launch, const struct bs_model *model,
                   const struct bs_launch_run *how, struct bs_error *error)
{
    struct bs_engine *engine = &launch->engine;
    struct watch watch = {launch, how};
    *engine = (struct bs_engine){.next_program = 0};
    if (!lay_out(launch, model, how) || !prepare(launch))
        return out_of_memory(error);
    if (!bs_engine_init(engine, &model->timing, launch->programs, launch->program_count,
                        launch->resident.ctas, error))
        return false;
    engine->early_exit = how->early_exit;
    if (how->groups || how->observer.cycle)
        engine->observer = (struct bs_engine_observer){see_cycle, &watch};
    if (!follow(launch, how->groups))
        return out_of_memory(error);
    const bool fine = run_to_end(launch, how->groups, error);
    engine->observer = (struct bs_engine_observer){0};
    return fine;
}

const struct bs_instruction_time *bs_launch_time(const struct bs_launch *launch, uint64_t n)
{
    const struct bs_launch_place place = launch->order[n];
    return &launch->warps[place.warp].times[place.step];
}

void bs_launch_free(struct bs_launch *launch)
{
    for (uint32_t i = 0; !launch->keeps_order && i < launch->timed; i = programs_end(launch, i))
        free(launch->programs[i].times);
    for (size_t i = 0; i < launch->warp_count; i++) {
        free(launch->warps[i].steps);
        free(launch->warps[i].groups);
    }
    free(launch->warps);
    free(launch->index.slots);
    free(launch->order);
    free(launch->programs);
    free(launch->program_warp);
    free(launch->times);
    *launch = (struct bs_launch){.keeps_order = launch->keeps_order};
}
