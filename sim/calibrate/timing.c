/*
 * See timing.h. Each number has loops in which it decides:
 *
 *     schedulers           two warps that store data: those of one scheduler take twice as long
 *     warp_interval        a lone warp's stores without conflicts
 *     pass_interval        a lone warp's stores, all lanes on one bank
 *     scheduler_interval   stores of the zero register by all warps of one scheduler
 *     data_interval        stores of 1, 2 and 4 registers by them
 *     latency_*            a lone warp's chain of loads, each waiting for the one before; less
 *     latency_add          what a chain takes longer than loads that are waited for
 *     queue, in_flight     bursts of 1 to 4 warps, a scheduler each: how many loads are on their
 * way lookahead            loops of 2 to 4 warps with unlike conflicts barrier_latency      a lone
 * warp at barriers barrier_interval     sixteen warps at barriers
 *
 * None stands quite alone, so all are fitted in turn, with the engine, until none moves. A number
 * that another hides, so that the engine takes as long with a whole range of it, is not seen.
 */
#include "timing.h"

#include "core/lanes.h"
#include "loops.h"
#include "patterns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = BS_GAUGE_LANES,
    RANDOM_LOOPS = 48,
    DEEP = 8, /* passes of an access that hide what stands between two */
    UNLIKE_LOOPS = 48,
    PAIRS = BS_LOOP_WARPS - 1,
    MOST_ROUNDS = 5,
    JOINS = 3,
    ONES = 4,
    BURSTS = 4,
};

enum place {
    LONE_FREE,
    LONE_TIGHT,
    LONE_DEEP,
    CHAIN_32,
    CHAIN_64,
    CHAIN_128,
    CHAIN_ATOM,
    JOIN_32,
    JOIN_64,
    JOIN_128,
    BARRIER_LONE,
    BARRIER_ALL,
    BURST_LONE,
    BURST_PAIR,                       /* of warps 0 and 1, then 0 and 2, ... */
    DATA_PAIR = BURST_PAIR + PAIRS,   /* likewise */
    FIRST_PLACES = DATA_PAIR + PAIRS, /* those from here on need to know the schedulers */
    ONE_ZERO = FIRST_PLACES,
    ONE_32,
    ONE_64,
    ONE_128,
    BURST_1,
    BURST_2,
    BURST_3,
    BURST_4,
    UNLIKE,
    PLACES = UNLIKE + UNLIKE_LOOPS,
    ALL_LOOPS = PLACES + RANDOM_LOOPS,
};

/* ---- loops ------------------------------------------------------------------------------------
 */

static struct bs_loop loop_of(enum bs_loop_kind kind, enum bs_loop_body body, uint32_t warps)
{
    struct bs_loop loop = {.kind = kind,
                           .body = body,
                           .warps = warps,
                           .tight = kind == BS_LOOP_FREE && bs_body_has_loads(body)};
    const uint32_t apart = bs_op_alignment(bs_loop_op(&loop, 0));
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++)
        for (uint32_t t = 0; t < LANES; t++)
            loop.addr[i][t] = t * apart;
    return loop;
}

/* Puts so many lanes of a step into different rows of one bank; the others share a word. */
static void make_deep(struct bs_loop *loop, const struct bs_model *model, uint32_t step,
                      uint32_t lanes)
{
    const struct bs_place zero = bs_model_place(model, 0);
    uint32_t lane = 0;
    for (uint32_t address = 0; lane < lanes && address < BS_GAUGE_MEMORY; address += 16) {
        const struct bs_place place = bs_model_place(model, address);
        if (place.bank == zero.bank)
            loop->addr[step][lane++] = address;
    }
    for (; lane < LANES; lane++)
        loop->addr[step][lane] = loop->addr[step][0];
}

static struct bs_loop deep_loop(const struct bs_model *model, enum bs_loop_kind kind,
                                enum bs_loop_body body, uint32_t warps, uint32_t lanes)
{
    struct bs_loop loop = loop_of(kind, body, warps);
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++)
        make_deep(&loop, model, i, lanes);
    return loop;
}

static struct bs_loop burst(const struct bs_model *model, uint32_t warps)
{
    return deep_loop(model, BS_LOOP_BURST, BS_BODY_LD_32, warps, LANES);
}

static void make_first_loops(struct bs_timed_loop *loops, const struct bs_model *model)
{
    loops[LONE_FREE].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_ZERO, 1);
    loops[LONE_TIGHT].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_ZERO, 1);
    loops[LONE_TIGHT].loop.tight = true;
    loops[LONE_DEEP].loop = deep_loop(model, BS_LOOP_FREE, BS_BODY_ST_ZERO, 1, LANES);
    loops[CHAIN_32].loop = loop_of(BS_LOOP_CHAIN, BS_BODY_LD_32, 1);
    loops[CHAIN_64].loop = loop_of(BS_LOOP_CHAIN, BS_BODY_LD_64, 1);
    loops[CHAIN_128].loop = loop_of(BS_LOOP_CHAIN, BS_BODY_LD_128, 1);
    loops[CHAIN_ATOM].loop = loop_of(BS_LOOP_CHAIN, BS_BODY_ATOM_ADD, 1);
    loops[JOIN_32].loop = deep_loop(model, BS_LOOP_FREE, BS_BODY_LD_32, 1, DEEP);
    loops[JOIN_64].loop = deep_loop(model, BS_LOOP_FREE, BS_BODY_LD_64, 1, DEEP);
    loops[JOIN_128].loop = deep_loop(model, BS_LOOP_FREE, BS_BODY_LD_128, 1, DEEP);
    loops[BARRIER_LONE].loop = loop_of(BS_LOOP_BARRIER, BS_BODY_ST_ZERO, 1);
    loops[BARRIER_ALL].loop = loop_of(BS_LOOP_BARRIER, BS_BODY_ST_ZERO, 0xffff);
    loops[BURST_LONE].loop = burst(model, 1);
    for (uint32_t i = 0; i < PAIRS; i++)
        loops[BURST_PAIR + i].loop = burst(model, 1 | 2u << i);
    for (uint32_t i = 0; i < PAIRS; i++)
        loops[DATA_PAIR + i].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_128, 1 | 2u << i);
}

/* A few warps, each at another of eight accesses whose conflicts are as unlike as can be. */
static struct bs_loop unlike_loop(const struct bs_model *model, uint64_t *random)
{
    static const enum bs_loop_body bodies[] = {BS_BODY_LD_32, BS_BODY_ST_ZERO};
    static const uint32_t depths[] = {1, 1, 1, 2, 4, 8, 16, 32};
    const uint32_t warps = 2 + bs_draw_below(random, 3);
    struct bs_loop loop =
        loop_of(BS_LOOP_FREE, bodies[bs_draw_below(random, 2)], (1u << warps) - 1);
    loop.rotate = 1 + bs_draw_below(random, BS_LOOP_STEPS - 1);
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++)
        make_deep(&loop, model, i, depths[bs_draw_below(random, sizeof depths / sizeof *depths)]);
    return loop;
}

/* The first warp of each of so many schedulers. */
static uint32_t first_warps(uint32_t count)
{
    return (1u << count) - 1;
}

static void make_later_loops(struct bs_timed_loop *loops, const struct bs_model *model,
                             uint32_t schedulers, uint64_t *random)
{
    uint32_t one = 0; /* all warps of the first scheduler */
    for (uint32_t w = 0; w < BS_LOOP_WARPS; w += schedulers)
        one |= 1u << w;
    loops[ONE_ZERO].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_ZERO, one);
    loops[ONE_32].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_32, one);
    loops[ONE_64].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_64, one);
    loops[ONE_128].loop = loop_of(BS_LOOP_FREE, BS_BODY_ST_128, one);
    for (uint32_t i = 0; i < 4; i++)
        loops[BURST_1 + i].loop = burst(model, first_warps(i + 1));
    for (uint32_t i = 0; i < UNLIKE_LOOPS; i++)
        loops[UNLIKE + i].loop = unlike_loop(model, random);
}

static void draw_loop(struct bs_loop *loop, uint64_t *random)
{
    const uint32_t warps = 1u << bs_draw_below(random, 5);
    loop->body = (enum bs_loop_body)bs_draw_below(random, BS_BODIES);
    loop->kind =
        loop->body < BS_CHAINED_BODIES && bs_draw_below(random, 2) ? BS_LOOP_CHAIN : BS_LOOP_FREE;
    loop->tight = loop->kind == BS_LOOP_FREE && bs_body_has_loads(loop->body);
    loop->warps = (UINT32_C(1) << warps) - 1;
    loop->rotate = bs_draw_below(random, BS_LOOP_STEPS);
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++) {
        struct bs_pattern pattern;
        bs_pattern_draw(&pattern, bs_loop_op(loop, 0), random);
        memcpy(loop->addr[i], pattern.addr, sizeof loop->addr[i]);
    }
}

static bool time_all(struct bs_gauge *gauge, struct bs_timed_loop *loops, size_t count,
                     struct bs_error *error)
{
    struct bs_loop *list = calloc(count, sizeof *list);
    double *cycles = calloc(count, sizeof *cycles);
    bool good = list && cycles;
    if (!good)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    for (size_t i = 0; good && i < count; i++)
        list[i] = loops[i].loop;
    good = good && gauge->time(gauge, list, count, cycles, error);
    for (size_t i = 0; good && i < count; i++)
        loops[i].cycles = cycles[i];
    free(list);
    free(cycles);
    return good;
}

/* ---- schedulers -------------------------------------------------------------------------------
 */

/* Loads on their way at the end of a burst, a full turn of the warps being the unit. */
static double on_their_way(const struct bs_timed_loop *burst, uint32_t warps, uint32_t interval)
{
    const uint32_t turn = LANES * (interval > warps ? interval : warps);
    return burst->cycles * warps / turn;
}

/* The number of schedulers that the fewest pairs speak against, where shares says which pairs of
 * warps, 0 and d, have one of their own. */
static uint32_t schedulers_of(const bool shares[BS_LOOP_WARPS])
{
    uint32_t best = 1, least = UINT32_MAX;
    for (uint32_t s = 1; s <= BS_LOOP_WARPS; s++) {
        uint32_t wrong = 0;
        for (uint32_t d = 1; d <= PAIRS; d++)
            wrong += shares[d] != (d % s == 0);
        if (wrong < least) {
            least = wrong;
            best = s;
        }
    }
    return best;
}

/* Two warps that send data slow each other down if they are of one scheduler. Where no pair does
 * more than another, their bursts tell: those of one scheduler have as many loads on their way as
 * a lone warp, and others have a queue more. */
static uint32_t find_schedulers(const struct bs_timed_loop *loops, uint32_t interval)
{
    const struct bs_timed_loop *stores = &loops[DATA_PAIR], *bursts = &loops[BURST_PAIR];
    const double lone = on_their_way(&loops[BURST_LONE], 1, interval);
    double fastest = INFINITY, slowest = 0, most = lone;
    bool shares[BS_LOOP_WARPS] = {false};
    for (uint32_t i = 0; i < PAIRS; i++) {
        fastest = fmin(fastest, stores[i].cycles);
        slowest = fmax(slowest, stores[i].cycles);
        most = fmax(most, on_their_way(&bursts[i], 2, interval));
    }
    for (uint32_t i = 0; i < PAIRS; i++)
        shares[i + 1] = slowest > 1.5 * fastest ? stores[i].cycles > 1.25 * fastest
                                                : on_their_way(&bursts[i], 2, interval) <
                                                      lone + fmax(0.5, (most - lone) / 2);
    return schedulers_of(shares);
}

/* ---- fitting ----------------------------------------------------------------------------------
 */

/* What a number is fitted to, in this order. A later quest for the same number looks where an
 * earlier one could not see it. */
static const struct {
    enum bs_key key;
    enum place first;
    size_t count;
} quests[] = {
    {BS_KEY_WARP_INTERVAL, LONE_FREE, 1},      {BS_KEY_PASS_INTERVAL, LONE_DEEP, 1},
    {BS_KEY_LATENCY_32, CHAIN_32, 1},          {BS_KEY_LATENCY_64, CHAIN_64, 1},
    {BS_KEY_LATENCY_128, CHAIN_128, 1},        {BS_KEY_LATENCY_ATOM, CHAIN_ATOM, 1},
    {BS_KEY_LATENCY_32, JOIN_32, 1},           {BS_KEY_LATENCY_64, JOIN_64, 1},
    {BS_KEY_LATENCY_128, JOIN_128, 1},         {BS_KEY_BARRIER_LATENCY, BARRIER_LONE, 1},
    {BS_KEY_BARRIER_INTERVAL, BARRIER_ALL, 1},
};

static bool is_later(size_t quest)
{
    for (size_t i = 0; i < quest; i++)
        if (quests[i].key == quests[quest].key)
            return true;
    return false;
}

/* Of all pairs of two numbers with a sum, the second being worth so many of the first, the one that
 * comes closest: where the search for both begins. */
static void guess_pair(struct bs_fit *fit, enum bs_key first, enum bs_key second, uint32_t worth,
                       double sum, const struct bs_timed_loop *loops, size_t count)
{
    const struct bs_key_form *a = bs_key_form(first), *b = bs_key_form(second);
    uint32_t *const one = bs_timing_number(&fit->timing, first);
    uint32_t *const other = bs_timing_number(&fit->timing, second);
    double least = INFINITY;
    struct bs_timing best = fit->timing;
    for (*other = b->min; *other <= b->max && a->min + worth * *other <= sum + 0.5; ++*other) {
        *one = (uint32_t)fmin(round(sum) - worth * *other, a->max);
        const double error = bs_fit_error(fit, loops, count);
        if (error < least) {
            least = error;
            best = fit->timing;
        }
    }
    fit->timing = best;
}

/* A lone warp's burst shows the sum of both queues, and stores of four registers what a scheduler
 * takes for them. */
static void guess(struct bs_fit *fit, const struct bs_timed_loop *loops)
{
    const double steps = (double)BS_LOOP_STEPS * bs_lanes_count(loops[ONE_128].loop.warps);
    guess_pair(fit, BS_KEY_SCHEDULER_INTERVAL, BS_KEY_DATA_INTERVAL, 4,
               loops[ONE_128].cycles / steps, &loops[ONE_ZERO], ONES);
    guess_pair(fit, BS_KEY_QUEUE, BS_KEY_IN_FLIGHT, 1,
               on_their_way(&loops[BURST_1], 1, fit->timing.pass_interval), &loops[BURST_1],
               BURSTS);
}

static void fit_round(struct bs_fit *fit, const struct bs_timed_loop *loops)
{
    for (size_t i = 0; i < sizeof quests / sizeof *quests; i++) {
        const struct bs_timed_loop *first = &loops[quests[i].first];
        if (is_later(i))
            bs_fit_within(fit, quests[i].key, first, quests[i].count);
        else
            bs_fit_growing(fit, quests[i].key, first, quests[i].count);
    }
    bs_fit_branch(fit, &loops[LONE_TIGHT], 1);
    bs_fit_trade_branch(fit, &loops[LONE_FREE], 2);
    bs_fit_pair(fit, BS_KEY_SCHEDULER_INTERVAL, BS_KEY_DATA_INTERVAL, &loops[ONE_ZERO], ONES);
    bs_fit_add(fit, &loops[CHAIN_32], &loops[JOIN_32], JOINS);
    bs_fit_pair(fit, BS_KEY_QUEUE, BS_KEY_IN_FLIGHT, &loops[BURST_1], BURSTS);
}

/* Rounds until nothing moves. */
static void settle(struct bs_fit *fit, const struct bs_timed_loop *loops)
{
    struct bs_timing before;
    unsigned round = 0;
    do {
        before = fit->timing;
        fit_round(fit, loops);
    } while (++round < MOST_ROUNDS && memcmp(&before, &fit->timing, sizeof before) != 0);
}

static bool fit_all(struct bs_fit *fit, const struct bs_timed_loop *loops, struct bs_error *error)
{
    const double tight = loops[LONE_TIGHT].cycles - loops[LONE_FREE].cycles;
    fit->branch = (uint32_t)fmax(0, round(tight / (1.0 / BS_LOOP_TIGHT - 1.0 / BS_LOOP_UNROLLED)));
    bs_fit_growing(fit, BS_KEY_WARP_INTERVAL, &loops[LONE_FREE], 1);
    guess(fit, loops);
    settle(fit, loops);
    bs_fit_pair_range(fit, BS_KEY_SCHEDULER_INTERVAL, BS_KEY_DATA_INTERVAL, &loops[ONE_ZERO], ONES);
    bs_fit_pair_range(fit, BS_KEY_QUEUE, BS_KEY_IN_FLIGHT, &loops[BURST_1], BURSTS);
    if (!bs_fit_lookahead(fit, &loops[UNLIKE], UNLIKE_LOOPS))
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    settle(fit, loops);
    return true;
}

/* ---- checking ---------------------------------------------------------------------------------
 */

static void check(const struct bs_fit *fit, struct bs_timing_finding *finding)
{
    finding->tried = RANDOM_LOOPS;
    for (size_t i = 0; i < finding->loop_count; i++) {
        const struct bs_timed_loop *timed = &finding->loops[i];
        finding->predicted[i] = bs_loop_cycles(fit->model, &fit->timing, fit->branch, &timed->loop);
        if (i < PLACES)
            continue;
        const double off = 100 * fabs(finding->predicted[i] / timed->cycles - 1);
        finding->mean_error += off / RANDOM_LOOPS;
        finding->worst_error = fmax(finding->worst_error, off);
    }
}

/* ---- telling ----------------------------------------------------------------------------------
 */

/* Why a number is not seen. */
static const char *const reasons[BS_TIMING_NUMBERS] = {
    [BS_KEY_SCHEDULERS - BS_KEY_SCHEDULERS] = "",
    [BS_KEY_SCHEDULER_INTERVAL - BS_KEY_SCHEDULERS] = "the warps of one scheduler issue no faster",
    [BS_KEY_DATA_INTERVAL - BS_KEY_SCHEDULERS] = "stores of one scheduler come no faster",
    [BS_KEY_WARP_INTERVAL - BS_KEY_SCHEDULERS] =
        "the scheduler or the passes of a warp take longer",
    [BS_KEY_PASS_INTERVAL - BS_KEY_SCHEDULERS] = "the accesses of a warp come no faster",
    [BS_KEY_QUEUE - BS_KEY_SCHEDULERS] = "only the sum of queue and in_flight shows",
    [BS_KEY_IN_FLIGHT - BS_KEY_SCHEDULERS] = "only the sum of queue and in_flight shows",
    [BS_KEY_LOOKAHEAD - BS_KEY_SCHEDULERS] = "no warp is held up by so many of another",
    [BS_KEY_LATENCY_32 - BS_KEY_SCHEDULERS] = "the next access of the warp comes later",
    [BS_KEY_LATENCY_64 - BS_KEY_SCHEDULERS] = "the next access of the warp comes later",
    [BS_KEY_LATENCY_128 - BS_KEY_SCHEDULERS] = "the next access of the warp comes later",
    [BS_KEY_LATENCY_ATOM - BS_KEY_SCHEDULERS] = "the next access of the warp comes later",
    [BS_KEY_LATENCY_ADD - BS_KEY_SCHEDULERS] = "the next access of the warp comes later",
    [BS_KEY_BARRIER_LATENCY - BS_KEY_SCHEDULERS] = "accesses between barriers take longer",
    [BS_KEY_BARRIER_INTERVAL - BS_KEY_SCHEDULERS] = "accesses between barriers take longer",
};

bool bs_timing_is_seen(const struct bs_timing_finding *finding, enum bs_key key)
{
    const struct bs_values *values = &finding->range[key - BS_KEY_SCHEDULERS];
    return values->low == values->high;
}

void bs_timing_describe(const struct bs_timing_finding *finding, enum bs_key key,
                        struct bs_buffer *out)
{
    const struct bs_values *values = &finding->range[key - BS_KEY_SCHEDULERS];
    bs_buffer_printf(out, "%u to %u do as well: %s", values->low, values->high,
                     reasons[key - BS_KEY_SCHEDULERS]);
}

void bs_timing_finding_free(struct bs_timing_finding *finding)
{
    free(finding->loops);
    free(finding->predicted);
    *finding = (struct bs_timing_finding){0};
}

static bool find(struct bs_gauge *gauge, struct bs_fit *fit, uint64_t seed,
                 struct bs_timing_finding *finding, struct bs_error *error)
{
    struct bs_timed_loop *loops = finding->loops;
    make_first_loops(loops, fit->model);
    if (!time_all(gauge, loops, FIRST_PLACES, error))
        return false;
    bs_fit_growing(fit, BS_KEY_PASS_INTERVAL, &loops[LONE_DEEP], 1);
    fit->timing.schedulers = find_schedulers(loops, fit->timing.pass_interval);
    *bs_fit_range(fit, BS_KEY_SCHEDULERS) =
        (struct bs_values){fit->timing.schedulers, fit->timing.schedulers};
    make_later_loops(loops, fit->model, fit->timing.schedulers, &seed);
    for (size_t i = PLACES; i < ALL_LOOPS; i++)
        draw_loop(&loops[i].loop, &seed);
    if (!time_all(gauge, &loops[FIRST_PLACES], ALL_LOOPS - FIRST_PLACES, error))
        return false;
    if (!fit_all(fit, loops, error))
        return false;
    check(fit, finding);
    memcpy(finding->range, fit->range, sizeof finding->range);
    finding->branch = fit->branch;
    return true;
}

bool bs_find_timing(struct bs_gauge *gauge, const struct bs_model *model, uint64_t seed,
                    struct bs_timing *timing, struct bs_timing_finding *finding,
                    struct bs_error *error)
{
    struct bs_fit fit = {.model = model, .timing = *timing};
    *finding = (struct bs_timing_finding){.loops = calloc(ALL_LOOPS, sizeof *finding->loops),
                                          .predicted = calloc(ALL_LOOPS, sizeof(double)),
                                          .loop_count = ALL_LOOPS};
    const bool good = finding->loops && finding->predicted
                          ? find(gauge, &fit, seed, finding, error)
                          : bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    if (good)
        *timing = fit.timing;
    else
        bs_timing_finding_free(finding);
    return good;
}
