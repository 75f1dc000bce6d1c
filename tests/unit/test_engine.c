/* Does the engine do what its header says, to the cycle? */
#include "engine_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void go_to(struct machine *machine, uint64_t cycle)
{
    while (machine->engine.cycle < cycle)
        assert_true(bs_engine_tick(&machine->engine));
}

/* A slot is blocked for a reason at t - 1, and ready at t: probe and issue agree at both. */
static void expect_ready(struct machine *machine, uint32_t slot, uint64_t t, enum bs_wait why)
{
    go_to(machine, t - 1);
    assert_string_equal(bs_wait_name(bs_engine_probe(&machine->engine, slot)), bs_wait_name(why));
    assert_false(bs_engine_issue(&machine->engine, slot));
    go_to(machine, t);
    assert_string_equal(bs_wait_name(bs_engine_probe(&machine->engine, slot)), "none");
    assert_true(bs_engine_issue(&machine->engine, slot));
}

static void a_warp_waits_for_its_interval(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("st.b32", 1, 0), 3);
    start(&m, &timing, 0);
    expect_ready(&m, 0, 5, BS_WAIT_INTERVAL);
}

static void a_result_comes_its_latency_after_the_last_pass(void **state)
{
    static const struct {
        const char *op;
        uint64_t latency;
    } cases[] = {{"ld.b8", 20},   {"ld.b32", 20},       {"ld.b64", 23},
                 {"ld.b128", 29}, {"atom.add.b32", 31}, {"ldmatrix.x4", 20}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct machine m = {0};
        warp(&m, 0, step(cases[i].op, 3, 0), 1);
        then(&m, step("ld.b32", 1, 1));
        start(&m, &timing, 0);
        /* Issued at 0, passes at 1, 3 and 5. */
        expect_ready(&m, 0, 5 + cases[i].latency, BS_WAIT_DEP);
        assert_int_equal(m.times[0][0].started, 1);
        assert_int_equal(m.times[0][0].finished, 5 + cases[i].latency);
    }
}

static void a_store_has_no_result_to_wait_for(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("st.b32", 9, 1), 2);
    start(&m, &timing, 0);
    expect_ready(&m, 0, 5, BS_WAIT_INTERVAL);
}

static void fractions_of_an_interval_add_up(void **state)
{
    struct bs_timing quarter = timing;
    struct machine m = {0};
    (void)state;
    quarter.warp_interval = 425;
    warp(&m, 0, step("st.b32", 1, 0), 101);
    run(&m, &quarter, 0);
    assert_int_equal(m.times[0][100].issued, 425);
}

static void a_full_queue_blocks_the_warps_of_its_scheduler(void **state)
{
    struct bs_timing one = timing;
    struct machine m = {0};
    (void)state;
    one.queue = 1;
    one.scheduler_interval = 1;
    for (unsigned i = 0; i < 8; i++)
        warp(&m, 0, step("ld.b32", 1, 0), i < 4 || i == 7);
    start(&m, &one, 0);
    /* All schedulers issue at 0. One instruction a cycle goes on, that of the last at 3. */
    expect_ready(&m, 7, 4, BS_WAIT_QUEUE);
    assert_int_equal(m.times[3][0].issued, 0);
}

static void a_full_array_fills_the_queue_behind_a_scheduler(void **state)
{
    struct bs_timing few = timing;
    struct machine m = {0};
    (void)state;
    few.in_flight = 2;
    few.queue = 1;
    warp(&m, 0, step("st.b32", 20, 0), 5);
    start(&m, &few, 0);
    /* Two are at the array and one is behind the scheduler; the first makes its last pass at 39. */
    expect_ready(&m, 0, 40, BS_WAIT_IN_FLIGHT);
}

/* When the only access of a second warp starts, which comes behind two long ones of the first. */
static uint64_t start_behind_two(uint32_t lookahead)
{
    struct bs_timing sight = timing;
    struct machine m = {0};
    struct bs_instruction late = step("ld.b32", 1, 0);
    sight.lookahead = lookahead;
    late.gap = 10;
    warp(&m, 0, step("st.b32", 20, 0), 2);
    warp(&m, 0, late, 1);
    run(&m, &sight, 0);
    assert_int_equal(m.times[1][0].issued, 10);
    return m.times[1][0].started;
}

static void what_is_out_of_sight_holds_back_those_behind_it(void **state)
{
    (void)state;
    assert_int_equal(start_behind_two(2), 12); /* between two passes of the first, of 11 and 13 */
    assert_int_equal(start_behind_two(1), 40); /* once its first instruction is through, at 39 */
}

static void stores_hold_their_scheduler_for_their_data(void **state)
{
    static const struct {
        const char *op;
        bool no_data;
        uint64_t ready;
    } cases[] = {{"ld.b64", false, 3},     {"st.b8", false, 5},    {"st.b32", false, 5},
                 {"st.b64", false, 7},     {"st.b128", false, 11}, {"st.b128", true, 3},
                 {"red.add.b32", false, 3}};
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_timing two = timing;
        struct machine m = {0};
        struct bs_instruction first = step(cases[i].op, 1, 0);
        two.data_interval = 2;
        first.no_data = cases[i].no_data;
        warp(&m, 0, first, 1);
        for (unsigned w = 1; w < 5; w++)
            warp(&m, 0, step("ld.b32", 1, 0), w == 4);
        start(&m, &two, 0);
        expect_ready(&m, 4, cases[i].ready, BS_WAIT_SCHEDULER);
    }
}

static void what_is_made_of_a_result_takes_its_time(void **state)
{
    struct bs_timing adds = timing;
    struct machine m = {0};
    (void)state;
    adds.latency_add = 400;
    warp(&m, 0, step("ld.b32", 1, 1), 2);
    start(&m, &adds, 0);
    /* A pass at 1, the value at 21, the address four cycles later. */
    expect_ready(&m, 0, 25, BS_WAIT_DEP);
    assert_int_equal(m.times[0][0].finished, 21);
}

static void a_step_can_wait_for_all_results(void **state)
{
    struct machine m = {0};
    struct bs_instruction head = step("ld.b32", 1, 0);
    (void)state;
    head.join = BS_JOIN_RESULTS;
    warp(&m, 0, step("ld.b32", 1, 0), 2);
    then(&m, head);
    start(&m, &timing, 0);
    /* The second is issued at 5, passes at 6. */
    expect_ready(&m, 0, 26, BS_WAIT_RESULTS);
}

static void a_barrier_need_not_wait_for_results(void **state)
{
    struct machine m = {0};
    struct bs_instruction bar = step("bar", 0, 0);
    (void)state;
    bar.join = BS_JOIN_NONE;
    bar.gap = 6;
    warp(&m, 0, step("ld.b32", 1, 0), 1);
    then(&m, bar);
    start(&m, &timing, 0);
    /* It comes 5 cycles after the load, as any step, and 6 for what is between. */
    expect_ready(&m, 0, 11, BS_WAIT_INTERVAL);
}

static void a_scheduler_waits_between_two_of_its_warps(void **state)
{
    (void)state;
    struct machine m = {0};
    for (unsigned i = 0; i < 5; i++)
        warp(&m, 0, step("st.b32", 1, 0), i == 0 || i == 4);
    start(&m, &timing, 0);
    expect_ready(&m, 4, 3, BS_WAIT_SCHEDULER);
}

static void two_warps_fill_the_array(void **state)
{
    (void)state;
    struct machine one = {0};
    struct machine two = {0};
    warp(&one, 0, step("st.b32", 30, 0), 4);
    warp(&two, 0, step("st.b32", 30, 0), 4);
    warp(&two, 0, step("st.b32", 30, 0), 4);
    const uint64_t alone = run(&one, &timing, 0);
    assert_int_equal(alone, 240);
    assert_int_equal(run(&two, &timing, 0), alone + 1);
    assert_int_equal(two.engine.totals.passes, 240);
}

/* Of three warps the third makes passes only when one of the older two is through. */
static void the_oldest_go_first(void **state)
{
    (void)state;
    struct machine m = {0};
    for (unsigned i = 0; i < 3; i++)
        warp(&m, 0, step("st.b32", 10, 0), 1);
    run(&m, &timing, 0);
    assert_int_equal(m.times[0][0].finished, 20);
    assert_int_equal(m.times[1][0].finished, 21);
    assert_int_equal(m.times[2][0].started, 21);
}

static void a_barrier_opens_after_the_last_arrival(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 0, step("bar", 0, 0), 1);
    then(&m, step("st.b32", 1, 0));
    warp(&m, 0, step("bar", 0, 0), 1);
    start(&m, &timing, 0);
    /* The second can arrive at 7; 11 cycles later all go on. */
    expect_ready(&m, 0, 18, BS_WAIT_BARRIER);
    assert_int_equal(m.times[1][0].issued, 7);
}

static void a_barrier_waits_for_loads_but_not_for_stores(void **state)
{
    (void)state;
    struct machine load = {0};
    struct machine store = {0};
    warp(&load, 0, step("ld.b32", 4, 0), 1);
    then(&load, step("bar", 0, 0));
    start(&load, &timing, 0);
    expect_ready(&load, 0, 27, BS_WAIT_RESULTS);
    for (uint32_t slots = 1; slots < 5; slots++) {
        store = (struct machine){0};
        warp(&store, 0, step("st.b32", slots, 0), 1);
        then(&store, step("bar", 0, 0));
        run(&store, &timing, 0);
        assert_int_equal(store.times[0][1].issued, 1);
        assert_int_equal(store.times[0][1].waited, BS_WAIT_NONE);
    }
}

static void a_barrier_that_is_never_met_is_told(void **state)
{
    (void)state;
    struct machine m = {0};
    struct bs_error error;
    warp(&m, 7, step("bar", 0, 0), 2);
    warp(&m, 7, step("bar", 0, 0), 1);
    start(&m, &timing, 0);
    assert_false(bs_engine_run(&m.engine, &error));
    assert_int_equal(error.status, BS_BAD_TRACE);
    assert_string_equal(error.text, "a barrier is never met: warp 0 of CTA 7 waits after 2 of 2, "
                                    "warp 1 of CTA 7 is done after 1 of 1");
}

static void with_early_exit_a_barrier_does_not_wait_for_a_warp_that_has_ended(void **state)
{
    (void)state;
    struct machine m = {0};
    warp(&m, 7, step("bar", 0, 0), 3);
    warp(&m, 7, step("bar", 0, 0), 1);
    warp(&m, 8, step("bar", 0, 0), 1);
    start(&m, &timing, 0);
    m.engine.early_exit = true;
    assert_true(bs_engine_run(&m.engine, NULL));
    /* Arrivals at 0, 7 and 14, and 11 cycles later the warps go on: the first alone, to the next.
     */
    assert_int_equal(m.times[0][0].finished, 18);
    assert_int_equal(m.times[1][0].finished, 18);
    assert_int_equal(m.times[2][0].finished, 25);
    assert_int_equal(m.times[0][1].issued, 21);
    assert_int_equal(m.times[0][1].finished, 32);
    assert_int_equal(m.times[0][2].finished, 43);
}

static void a_warp_has_ended_when_its_last_access_could_have_come_back(void **state)
{
    (void)state;
    static const char *const ops[] = {"ld.b32", "st.b32"};
    for (unsigned i = 0; i < 2; i++) {
        struct machine m = {0};
        warp(&m, 0, step("bar", 0, 0), 1);
        then(&m, step("st.b32", 1, 0));
        warp(&m, 0, step(ops[i], 4, 0), 1);
        start(&m, &timing, 0);
        m.engine.early_exit = true;
        /* Passes at 1, 3, 5 and 7; 20 cycles later the value is there; 11 later the barrier opens.
         */
        expect_ready(&m, 0, 38, BS_WAIT_BARRIER);
    }
}

/* Six warps of two CTAs, each of which comes to as many barriers as it likes. */
static void random_barriers(struct machine *machine, uint64_t *random)
{
    static const char *const ops[] = {"ld.b32", "st.b32", "bar", "bar"};
    for (uint32_t w = 0; w < 6; w++) {
        warp(machine, w / 3, step("st.b32", 1, 0), 0);
        for (unsigned steps = (unsigned)(*random >> 61); steps > 0; steps--) {
            *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
            then(machine, step(ops[*random >> 62], 3, 0));
        }
        *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407;
    }
}

static unsigned barriers_of(const struct bs_program *program)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < program->count; i++)
        count += program->steps[i].op.kind == BS_BAR;
    return count;
}

/* Whether some warp of a CTA comes to fewer barriers than another, but not one without steps. */
static bool is_uneven(const struct machine *machine)
{
    for (uint32_t a = 0; a < machine->count; a++)
        for (uint32_t b = 0; b < machine->count; b++) {
            const struct bs_program *left = &machine->programs[a];
            const struct bs_program *right = &machine->programs[b];
            if (left->cta == right->cta && left->count && right->count &&
                barriers_of(left) != barriers_of(right))
                return true;
        }
    return false;
}

/* With early exits there is always an end, without them just where barriers are even; and where
 * there is none, all that could go on has done so before. */
static void nothing_waits_for_ever_untold(void **state)
{
    (void)state;
    uint64_t random = 42;
    unsigned stuck = 0;
    for (unsigned i = 0; i < 1000; i++) {
        struct machine m = {0};
        uint64_t passes = 0;
        random_barriers(&m, &random);
        start(&m, &timing, 2);
        m.engine.early_exit = i % 2 == 1;
        while (bs_engine_tick(&m.engine) && !bs_engine_is_stuck(&m.engine))
            if (m.engine.cycle > 100000)
                fail_msg("machine %u neither ends nor says that it is stuck", i);
        if (m.engine.done == (!m.engine.early_exit && is_uneven(&m)))
            fail_msg("machine %u %s", i, m.engine.done ? "has ended" : "is stuck");
        for (uint32_t slot = 0; slot < m.engine.slots; slot++)
            for (uint32_t next = 0; next < m.engine.slot[slot].next; next++) {
                const uint32_t program = m.engine.slot[slot].program;
                passes += m.steps[program][next].op.kind == BS_BAR ? 0 : 3;
            }
        assert_int_equal(m.engine.totals.passes, passes);
        stuck += !m.engine.done;
    }
    assert_in_range(stuck, 100, 499);
}

static void ctas_follow_as_others_finish(void **state)
{
    (void)state;
    struct machine m = {0};
    for (uint32_t cta = 0; cta < 3; cta++)
        warp(&m, cta, step("st.b32", 10, 0), 1);
    run(&m, &timing, 2);
    assert_int_equal(m.times[0][0].issued, 0);
    assert_int_equal(m.times[1][0].issued, 0); /* by a scheduler of its own */
    assert_int_equal(m.times[2][0].issued, m.times[0][0].finished);
}

static void a_copy_goes_the_same_way(void **state)
{
    (void)state;
    struct machine m = {0};
    for (unsigned i = 0; i < 3; i++)
        warp(&m, 0, step("ld.b32", 5 + i, 1), 40);
    start(&m, &timing, 0);
    go_to(&m, 300);
    const struct bs_engine snapshot = m.engine;
    assert_true(bs_engine_run(&m.engine, NULL));
    const uint64_t end = m.engine.end;
    m.engine = snapshot;
    assert_true(bs_engine_run(&m.engine, NULL));
    assert_int_equal(m.engine.end, end);
}

static uint64_t end_of(uint32_t slots, uint32_t dep, uint32_t times, bool idle_warp)
{
    struct machine m = {0};
    for (unsigned i = 0; i < 4; i++)
        warp(&m, 0, step("ld.b32", slots, dep), times);
    if (idle_warp)
        warp(&m, 0, step("ld.b32", 1, 0), 0);
    return run(&m, &timing, 0);
}

static void more_conflicts_never_finish_earlier(void **state)
{
    (void)state;
    for (uint32_t dep = 0; dep < 2; dep++)
        for (uint32_t slots = 1; slots < 40; slots++)
            assert_true(end_of(slots, dep, 20, false) <= end_of(slots + 1, dep, 20, false));
}

static void an_idle_warp_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t slots = 1; slots < 20; slots++)
        assert_int_equal(end_of(slots, 1, 20, false), end_of(slots, 1, 20, true));
}

static void twice_the_work_takes_twice_the_steady_time(void **state)
{
    (void)state;
    for (uint32_t slots = 1; slots < 20; slots++) {
        const uint64_t once = end_of(slots, 1, 100, false) - end_of(slots, 1, 50, false);
        const uint64_t twice = end_of(slots, 1, 150, false) - end_of(slots, 1, 50, false);
        assert_in_range(twice + 2, 2 * once, 2 * once + 4);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct machine m = {0};
    struct bs_error error;
    warp(&m, 0, step("ld.b32", 1, 0), 1);
    m.steps[0][0].dep = 1;
    assert_false(bs_engine_init(&m.engine, &timing, m.programs, 1, 0, &error));
    assert_string_equal(error.text, "step 0 of warp 0 depends on one before its first");
    struct bs_program many[BS_MAX_RESIDENT + 1] = {{0}};
    assert_false(bs_engine_init(&m.engine, &timing, many, BS_MAX_RESIDENT + 1, 0, &error));
    assert_string_equal(error.text, "CTA 0 has 65 warps, of which a multiprocessor holds 64");
}

/* ---- the keys of a model's timing section ------------------------------------------------------
 */

/* Six warps of two CTAs that meet every kind of limit: waits for results of every latency,
 * barriers, and full queues: the sooner one warp has got rid of its stores, the sooner the others
 * go on. */
static uint64_t end_of_everything(const struct bs_timing *with)
{
    static const char *const ops[] = {"ld.b32", "ld.b64", "ld.b128", "atom.add.b32"};
    struct machine m = {0};
    for (uint32_t w = 0; w < 6; w++) {
        warp(&m, w / 3, step("st.b32", 1, 0), 24);
        for (unsigned i = 0; i < 24; i++)
            then(&m, step(ops[i % 4], 1 + i % 3, i % 5 ? 1 : 0));
        then(&m, step("bar", 0, 0));
        for (unsigned i = 0; i < (w % 3 ? 0 : 40); i++)
            then(&m, step("st.b32", 6, 0));
        then(&m, step("bar", 0, 0));
        for (unsigned i = 0; i < 40; i++)
            then(&m, step("ld.b32", 1, w % 3 ? 1 : 0));
    }
    return run(&m, with, 0);
}

static void every_timing_key_changes_the_end(void **state)
{
    static const struct {
        const char *key;
        const char *set;
    } changes[] = {
        {"timing.schedulers", "timing.schedulers=1"},
        {"timing.scheduler_interval", "timing.scheduler_interval=9"},
        {"timing.data_interval", "timing.data_interval=9"},
        {"timing.warp_interval", "timing.warp_interval=2000"},
        {"timing.pass_interval", "timing.pass_interval=9"},
        {"timing.queue", "timing.queue=1"},
        {"timing.in_flight", "timing.in_flight=1"},
        {"timing.lookahead", "timing.lookahead=1"},
        {"timing.latency_32", "timing.latency_32=9000"},
        {"timing.latency_64", "timing.latency_64=9000"},
        {"timing.latency_128", "timing.latency_128=9000"},
        {"timing.latency_atom", "timing.latency_atom=9000"},
        {"timing.latency_add", "timing.latency_add=9000"},
        {"timing.barrier_latency", "timing.barrier_latency=900"},
        {"timing.barrier_interval", "timing.barrier_interval=90"},
    };
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    const size_t prefix = strlen("timing.");
    struct bs_errors errors = {0};
    size_t keys = 0;
    size_t count;
    const struct bs_model_key *reference = bs_model_keys(&count);
    struct bs_model *hopper = bs_model_load("hopper", folders, NULL, &errors);
    (void)state;
    assert_non_null(hopper);
    const uint64_t end = end_of_everything(&hopper->timing);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        const char *const sets[] = {changes[i].set, NULL};
        struct bs_model *model = bs_model_load("hopper", folders, sets, &errors);
        assert_non_null(model);
        if (end_of_everything(&model->timing) == end)
            fail_msg("%s changes nothing", changes[i].set);
        bs_model_free(model);
    }
    for (size_t k = 0; k < count; k++)
        keys += strncmp(reference[k].path, "timing.", prefix) == 0;
    assert_int_equal(keys, sizeof changes / sizeof *changes + 2); /* and basis and source */
    bs_model_free(hopper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_warp_waits_for_its_interval),
        cmocka_unit_test(a_result_comes_its_latency_after_the_last_pass),
        cmocka_unit_test(a_store_has_no_result_to_wait_for),
        cmocka_unit_test(fractions_of_an_interval_add_up),
        cmocka_unit_test(a_full_queue_blocks_the_warps_of_its_scheduler),
        cmocka_unit_test(a_full_array_fills_the_queue_behind_a_scheduler),
        cmocka_unit_test(what_is_out_of_sight_holds_back_those_behind_it),
        cmocka_unit_test(stores_hold_their_scheduler_for_their_data),
        cmocka_unit_test(what_is_made_of_a_result_takes_its_time),
        cmocka_unit_test(a_step_can_wait_for_all_results),
        cmocka_unit_test(a_barrier_need_not_wait_for_results),
        cmocka_unit_test(a_scheduler_waits_between_two_of_its_warps),
        cmocka_unit_test(two_warps_fill_the_array),
        cmocka_unit_test(the_oldest_go_first),
        cmocka_unit_test(a_barrier_opens_after_the_last_arrival),
        cmocka_unit_test(a_barrier_waits_for_loads_but_not_for_stores),
        cmocka_unit_test(a_barrier_that_is_never_met_is_told),
        cmocka_unit_test(with_early_exit_a_barrier_does_not_wait_for_a_warp_that_has_ended),
        cmocka_unit_test(a_warp_has_ended_when_its_last_access_could_have_come_back),
        cmocka_unit_test(nothing_waits_for_ever_untold),
        cmocka_unit_test(ctas_follow_as_others_finish),
        cmocka_unit_test(a_copy_goes_the_same_way),
        cmocka_unit_test(more_conflicts_never_finish_earlier),
        cmocka_unit_test(an_idle_warp_changes_nothing),
        cmocka_unit_test(twice_the_work_takes_twice_the_steady_time),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(every_timing_key_changes_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
