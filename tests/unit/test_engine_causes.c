/* Does every cycle have one cause, and the right one? */
#include "engine_help.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Runs, and holds the cycles by cause to what is expected. */
static void expect_causes(struct machine *machine, const uint64_t expected[BS_CAUSES])
{
    run(machine, &timing, 0);
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        if (machine->engine.totals.causes[cause] != expected[cause])
            fail_msg("%s: expected %" PRIu64 " cycles, got %" PRIu64,
                     bs_cause_name((enum bs_cause)cause), expected[cause],
                     machine->engine.totals.causes[cause]);
}

static struct bs_instruction with_conflicts(struct bs_instruction made, uint16_t conflicts)
{
    made.conflicts = conflicts;
    return made;
}

static void conflicts_of_a_lone_warp_leave_gaps(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, with_conflicts(step("st.b32", 5, 0), 3), 1);
    /* Issued at 0, passes at 1, 3, 5, 7 and 9. */
    expect_causes(&m, (const uint64_t[BS_CAUSES]){[BS_CAUSE_NEEDED] = 2,
                                                  [BS_CAUSE_CONFLICT] = 3,
                                                  [BS_CAUSE_SPACING] = 4,
                                                  [BS_CAUSE_ISSUE] = 1});
}

static void a_second_warp_fills_the_gaps(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, with_conflicts(step("st.b32", 5, 0), 3), 1);
    warp(&m, 0, with_conflicts(step("st.b32", 5, 0), 3), 1);
    expect_causes(&m, (const uint64_t[BS_CAUSES]){
                          [BS_CAUSE_NEEDED] = 4, [BS_CAUSE_CONFLICT] = 6, [BS_CAUSE_ISSUE] = 1});
}

static void a_stream_without_conflicts_waits_for_its_issue(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("st.b32", 1, 0), 3);
    /* Issued at 0, 5 and 10, one pass after each. */
    expect_causes(&m,
                  (const uint64_t[BS_CAUSES]){[BS_CAUSE_NEEDED] = 3, [BS_CAUSE_ISSUE] = 12 - 3});
}

static void a_chain_waits_for_its_values(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("ld.b32", 1, 1), 2);
    /* Issued at 0 and 21, passes at 1 and 22, the last value there at 42. */
    expect_causes(&m, (const uint64_t[BS_CAUSES]){[BS_CAUSE_NEEDED] = 2,
                                                  [BS_CAUSE_ISSUE] = 2,
                                                  [BS_CAUSE_DEPENDENCY] = 19,
                                                  [BS_CAUSE_IDLE] = 19});
}

static void a_barrier_waits_for_results_and_then_opens(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("ld.b32", 1, 0), 1);
    then(&m, step("bar", 0, 0));
    then(&m, step("st.b32", 1, 0));
    /* The value is there at 21, the barrier opens at 32, the store is issued then. */
    expect_causes(&m, (const uint64_t[BS_CAUSES]){[BS_CAUSE_NEEDED] = 2,
                                                  [BS_CAUSE_ISSUE] = 2,
                                                  [BS_CAUSE_LATENCY] = 19,
                                                  [BS_CAUSE_BARRIER] = 11});
}

/* One warp waits at the barrier all the time; what counts is what the other one waits for. */
static void the_warp_that_goes_next_gives_the_cause(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("bar", 0, 0), 1);
    warp(&m, 0, step("ld.b32", 1, 1), 2);
    then(&m, step("bar", 0, 0));
    expect_causes(&m, (const uint64_t[BS_CAUSES]){[BS_CAUSE_NEEDED] = 2,
                                                  [BS_CAUSE_ISSUE] = 2,
                                                  [BS_CAUSE_DEPENDENCY] = 19,
                                                  [BS_CAUSE_LATENCY] = 19,
                                                  [BS_CAUSE_BARRIER] = 11});
}

/* ---- adding up --------------------------------------------------------------------------------
 */

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 33) % below;
}

/* Up to 8 warps of CTAs of two, of up to 40 steps of all kinds; each CTA has as many barriers in
 * all its warps, so that it comes to an end. */
static void random_machine(struct machine *machine, uint64_t *random)
{
    static const char *const ops[] = {"ld.b32", "ld.b128", "st.b64", "atom.add.b32", "red.add.b32"};
    const uint32_t warps = 1 + random_below(random, WARPS);
    uint32_t bars = 0;
    for (uint32_t w = 0; w < warps; w++) {
        if (w % 2 == 0)
            bars = random_below(random, 4);
        warp(machine, w / 2, step("st.b32", 1, 0), 0);
        for (uint32_t part = 0; part <= bars; part++) {
            for (uint32_t i = random_below(random, 10); i > 0; i--) {
                const uint32_t slots = 1 + random_below(random, 9);
                const uint32_t before = machine->programs[w].count;
                then(machine, with_conflicts(step(ops[random_below(random, 5)], slots,
                                                  random_below(random, before < 3 ? 1 : 3)),
                                             (uint16_t)random_below(random, slots)));
            }
            if (part < bars)
                then(machine, step("bar", 0, 0));
        }
    }
}

struct sums {
    uint64_t cycles;
    uint64_t passes;
    uint64_t issued;
    uint64_t conflicts; /* of all steps */
    uint64_t slots;
};

/* At the end of each cycle the causes add up to the cycles so far. */
static void add_up(void *user, const struct bs_engine *engine)
{
    struct sums *sums = user;
    uint64_t all = 0;
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        all += engine->totals.causes[cause];
    assert_int_equal(engine->cycle, sums->cycles);
    assert_int_equal(all, ++sums->cycles);
    sums->passes += engine->last.passed != BS_NO_SLOT;
    for (uint32_t i = 0; i < BS_MAX_RESIDENT; i++)
        sums->issued += (engine->last.issued | engine->last.arrived) >> i & 1;
    assert_true((engine->last.passed != BS_NO_SLOT) == (engine->last.cause <= BS_CAUSE_CONFLICT));
    if (engine->last.passed != BS_NO_SLOT)
        assert_true(engine->slot[engine->last.passed].live);
}

static void add_steps(struct sums *sums, const struct machine *machine)
{
    for (uint32_t w = 0; w < machine->count; w++)
        for (uint32_t i = 0; i < machine->programs[w].count; i++) {
            sums->slots += machine->steps[w][i].slots;
            sums->conflicts += machine->steps[w][i].conflicts;
        }
}

static void causes_add_up_to_all_cycles(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct machine m = {0};
        struct sums sums = {0};
        struct bs_error error;
        uint64_t random = seed * UINT64_C(0x9e3779b97f4a7c15);
        random_machine(&m, &random);
        start(&m, &timing, random_below(&random, 4));
        m.engine.observer = (struct bs_engine_observer){add_up, &sums};
        if (!bs_engine_run(&m.engine, &error))
            fail_msg("seed %" PRIu64 ": %s", seed, error.text);
        add_steps(&sums, &m);
        const struct bs_engine_totals *totals = &m.engine.totals;
        if (sums.cycles != m.engine.cycle || sums.passes != sums.slots ||
            sums.issued != totals->issued || totals->causes[BS_CAUSE_CONFLICT] != sums.conflicts ||
            totals->causes[BS_CAUSE_NEEDED] != sums.slots - sums.conflicts)
            fail_msg("seed %" PRIu64 ": the sums differ", seed);
    }
}

static void a_warp_that_issues_does_not_wait(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("st.b32", 1, 0), 3);
    run(&m, &timing, 0);
    assert_int_equal(m.engine.totals.waits[BS_WAIT_INTERVAL], 8);
    assert_int_equal(m.engine.totals.waits[BS_WAIT_DONE], 1);
}

/* ---- what an access makes of it ----------------------------------------------------------------
 */

static void conflicts_are_slots_above_the_ideal(void **state)
{
    static const struct {
        uint32_t passes, slots, ideal, conflicts;
    } cases[] = {
        {1, 1, 1, 0},                /* a full warp of 32 bit */
        {32, 32, 1, 31},             /* 32 ways */
        {1, 1, 2, 0},                /* lanes that share words */
        {1, 4, 1, 0},                /* a wide load of few lanes: its empty phases had to be */
        {10, 1, 4, 0},               /* a copy that goes round the data stage */
        {10, 6, 4, 2},               /* one that only partly does */
        {0, 1, 0, 0},                /* no active lane */
        {100000, 100000, 1, 0xffff}, /* as many as there is room to say */
    };
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_access access = {.dep = 3};
        const struct bs_cost cost = {
            .passes = cases[i].passes, .slots = cases[i].slots, .ideal = cases[i].ideal};
        assert_true(bs_op_parse("ld.b64", 6, &access.op));
        const struct bs_instruction made = bs_instruction_of(&access, &cost);
        if (made.conflicts != cases[i].conflicts)
            fail_msg("%u passes, %u slots, ideal %u: expected %u conflicts, got %u",
                     cases[i].passes, cases[i].slots, cases[i].ideal, cases[i].conflicts,
                     made.conflicts);
        assert_int_equal(made.slots, cases[i].slots);
        assert_int_equal(made.dep, 3);
        assert_int_equal(made.op.index, access.op.index);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conflicts_of_a_lone_warp_leave_gaps),
        cmocka_unit_test(a_second_warp_fills_the_gaps),
        cmocka_unit_test(a_stream_without_conflicts_waits_for_its_issue),
        cmocka_unit_test(a_chain_waits_for_its_values),
        cmocka_unit_test(a_barrier_waits_for_results_and_then_opens),
        cmocka_unit_test(the_warp_that_goes_next_gives_the_cause),
        cmocka_unit_test(causes_add_up_to_all_cycles),
        cmocka_unit_test(a_warp_that_issues_does_not_wait),
        cmocka_unit_test(conflicts_are_slots_above_the_ideal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
