/*
 * See timing.h. Each number has loops in which it decides:
 *
 *     warp_interval        a lone warp's stores without conflicts
 *     pass_interval        a lone warp's stores, all lanes on one bank
 *     schedulers           four warps so far apart that they share one: they slow down
 *     scheduler_interval   how much
 *     latency_*            a lone warp's chain of loads, each waiting for the one before
 *     barrier_latency      a lone warp at barriers
 *     barrier_interval     sixteen warps at barriers
 *
 * A chain's latency has the add of the next address in it, so latency_add is 0. The queues and what
 * a store's data take need other loops: they are taken over from what was there.
 */
#include "timing.h"

#include "loops.h"
#include "patterns.h"

#include <math.h>
#include <string.h>

enum { LANES = BS_GAUGE_LANES, RANDOM_LOOPS = 48, DEEP = 16 };

enum place {
    LONE_FREE,
    LONE_DEEP,
    FOUR_NEXT, /* warps 0, 1, 2, 3 */
    FOUR_BY_2,
    FOUR_BY_4,
    CHAIN_32,
    CHAIN_64,
    CHAIN_128,
    CHAIN_ATOM,
    BARRIER_LONE,
    BARRIER_ALL,
    PLACES
};

/* ---- loops ------------------------------------------------------------------------------------
 */

static struct bs_op op_named(const char *name)
{
    struct bs_op op = {0};
    bs_op_parse(name, strlen(name), &op);
    return op;
}

static struct bs_loop loop_of(enum bs_loop_kind kind, const char *op, uint32_t warps)
{
    struct bs_loop loop = {.kind = kind, .warps = warps, .op = op_named(op)};
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++)
        for (uint32_t t = 0; t < LANES; t++)
            loop.addr[i][t] = t * bs_op_alignment(loop.op);
    return loop;
}

/* Puts so many lanes of a step into different rows of one bank. */
static void make_deep(struct bs_loop *loop, const struct bs_model *model, uint32_t step,
                      uint32_t lanes)
{
    const struct bs_place zero = bs_model_place(model, 0);
    uint32_t address = 0, lane = 0;
    for (; lane < lanes && address < BS_GAUGE_MEMORY; address += 16) {
        const struct bs_place place = bs_model_place(model, address);
        if (place.bank == zero.bank)
            loop->addr[step][lane++] = address;
    }
    for (; lane < LANES && lanes > 0; lane++) /* the others share a word */
        loop->addr[step][lane] = loop->addr[step][0];
}

static void make_loops(struct bs_loop loops[PLACES], const struct bs_model *model)
{
    loops[LONE_FREE] = loop_of(BS_LOOP_FREE, "st.b32", 1);
    loops[LONE_DEEP] = loop_of(BS_LOOP_FREE, "st.b32", 1);
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++)
        make_deep(&loops[LONE_DEEP], model, i, DEEP);
    loops[FOUR_NEXT] = loop_of(BS_LOOP_FREE, "st.b32", 0xf);
    loops[FOUR_BY_2] = loop_of(BS_LOOP_FREE, "st.b32", 0x55);
    loops[FOUR_BY_4] = loop_of(BS_LOOP_FREE, "st.b32", 0x1111);
    loops[CHAIN_32] = loop_of(BS_LOOP_CHAIN, "ld.b32", 1);
    loops[CHAIN_64] = loop_of(BS_LOOP_CHAIN, "ld.b64", 1);
    loops[CHAIN_128] = loop_of(BS_LOOP_CHAIN, "ld.b128", 1);
    loops[CHAIN_ATOM] = loop_of(BS_LOOP_CHAIN, "atom.add.b32", 1);
    loops[BARRIER_LONE] = loop_of(BS_LOOP_BARRIER, "st.b32", 1);
    loops[BARRIER_ALL] = loop_of(BS_LOOP_BARRIER, "st.b32", 0xffff);
}

/* ---- fitting ----------------------------------------------------------------------------------
 */

static uint32_t at_least(double value, uint32_t least)
{
    return value < least ? least : (uint32_t)lround(value);
}

static void fit_schedulers(const double *cycles, struct bs_timing *timing)
{
    const double next = cycles[FOUR_NEXT] / (4 * BS_LOOP_STEPS);
    const double by_2 = cycles[FOUR_BY_2] / (4 * BS_LOOP_STEPS);
    const double by_4 = cycles[FOUR_BY_4] / (4 * BS_LOOP_STEPS);
    const bool four = by_4 > 1.25 * next && by_4 > 1.25 * by_2;
    const bool two = !four && by_2 > 1.25 * next;
    timing->schedulers = four ? 4 : two ? 2 : 1;
    timing->scheduler_interval = at_least(four ? by_4 : two ? by_2 : next, 1);
}

/* How far the engine is from the measured cycles of some loops, all in all. */
static double error_on(const struct bs_model *model, const struct bs_timing *timing,
                       const struct bs_loop *loops, const double *cycles, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(bs_loop_cycles(model, timing, &loops[i]) / cycles[i] - 1);
    return sum;
}

/* Solves for a number that the cycles of a loop grow with, by scale an iteration where it alone
 * decides: a few steps lead there from where it does not. */
static void solve(const struct bs_model *model, struct bs_timing *timing, uint32_t *number,
                  uint32_t least, const struct bs_loop *loop, double cycles, double scale)
{
    enum { STEPS = 6 };
    double value = least;
    for (unsigned i = 0; i < STEPS; i++) {
        *number = at_least(value, least);
        value = *number + (cycles - bs_loop_cycles(model, timing, loop)) / scale;
    }
    *number = at_least(value, least);
}

static void fit(const struct bs_model *model, const struct bs_loop *loops, const double *cycles,
                struct bs_timing *timing)
{
    struct bs_timing *t = timing;
    t->warp_interval = at_least(100 * cycles[LONE_FREE] / BS_LOOP_STEPS, 100);
    t->pass_interval = at_least(cycles[LONE_DEEP] / (DEEP * BS_LOOP_STEPS), 1);
    fit_schedulers(cycles, t);
    t->latency_add = 0;
    const double chain = BS_LOOP_STEPS / 100.0; /* latencies are in hundredths */
    solve(model, t, &t->latency_32, 0, &loops[CHAIN_32], cycles[CHAIN_32], chain);
    solve(model, t, &t->latency_64, 0, &loops[CHAIN_64], cycles[CHAIN_64], chain);
    solve(model, t, &t->latency_128, 0, &loops[CHAIN_128], cycles[CHAIN_128], chain);
    solve(model, t, &t->latency_atom, 0, &loops[CHAIN_ATOM], cycles[CHAIN_ATOM], chain);
    solve(model, t, &t->barrier_latency, 1, &loops[BARRIER_LONE], cycles[BARRIER_LONE], 2);
    solve(model, t, &t->barrier_interval, 1, &loops[BARRIER_ALL], cycles[BARRIER_ALL],
          2 * (BS_LOOP_WARPS - 1));
}

/* ---- checking ---------------------------------------------------------------------------------
 */

static void draw_loop(struct bs_loop *loop, uint64_t *random)
{
    static const char *const ops[] = {"ld.b32", "ld.b64", "ld.b128", "st.b32", "atom.add.b32"};
    const uint32_t warps = 1u << bs_draw_below(random, 5);
    const struct bs_op op = op_named(ops[bs_draw_below(random, sizeof ops / sizeof *ops)]);
    loop->op = op;
    loop->kind = op.kind != BS_ST && bs_draw_below(random, 2) ? BS_LOOP_CHAIN : BS_LOOP_FREE;
    loop->warps = warps == 1 ? 1 : (UINT32_C(1) << warps) - 1;
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++) {
        struct bs_pattern pattern;
        bs_pattern_draw(&pattern, op, random);
        memcpy(loop->addr[i], pattern.addr, sizeof loop->addr[i]);
    }
}

static bool check(struct bs_gauge *gauge, const struct bs_model *model, uint64_t seed,
                  const struct bs_timing *timing, struct bs_timing_finding *finding,
                  struct bs_error *error)
{
    struct bs_loop loops[RANDOM_LOOPS];
    double cycles[RANDOM_LOOPS];
    for (size_t i = 0; i < RANDOM_LOOPS; i++)
        draw_loop(&loops[i], &seed);
    if (!gauge->time(gauge, loops, RANDOM_LOOPS, cycles, error))
        return false;
    *finding = (struct bs_timing_finding){.tried = RANDOM_LOOPS};
    for (size_t i = 0; i < RANDOM_LOOPS; i++) {
        const double off = 100 * error_on(model, timing, &loops[i], &cycles[i], 1);
        finding->mean_error += off / RANDOM_LOOPS;
        finding->worst_error = off > finding->worst_error ? off : finding->worst_error;
    }
    return true;
}

bool bs_find_timing(struct bs_gauge *gauge, const struct bs_model *model, uint64_t seed,
                    struct bs_timing *timing, struct bs_timing_finding *finding,
                    struct bs_error *error)
{
    struct bs_loop loops[PLACES];
    double cycles[PLACES];
    make_loops(loops, model);
    if (!gauge->time(gauge, loops, PLACES, cycles, error))
        return false;
    fit(model, loops, cycles, timing);
    return check(gauge, model, seed, timing, finding, error);
}
