/* Does a launch run as its header says: in the right order, each instruction with its own time? */
#include "command/timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct bs_model *model;

static int load_model(void **state)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    (void)state;
    model = bs_model_load("hopper", folders, NULL, &errors);
    return model ? 0 : -1;
}

static int free_model(void **state)
{
    (void)state;
    bs_model_free(model);
    return 0;
}

/* Adds an instruction of so many slots, all but one of which are conflicts. */
static bool add(struct bs_launch *launch, uint32_t cta, uint32_t warp, const char *op,
                uint32_t slots, uint32_t dep, uint32_t group, struct bs_error *error)
{
    struct bs_access access = {.cta = cta, .warp = warp, .mask = UINT32_MAX, .dep = dep};
    const struct bs_cost cost = {.passes = slots, .slots = slots, .ideal = 1};
    assert_true(bs_op_parse(op, strlen(op), &access.op));
    return bs_launch_add(launch, &access, &cost, group, error);
}

static void must_add(struct bs_launch *launch, uint32_t cta, uint32_t warp, const char *op,
                     uint32_t slots)
{
    struct bs_error error;
    if (!add(launch, cta, warp, op, slots, 0, 0, &error))
        fail_msg("%s", error.text);
}

static void must_run(struct bs_launch *launch, const struct bs_launch_run *how)
{
    struct bs_error error;
    if (!bs_launch_run(launch, model, how, &error))
        fail_msg("%s", error.text);
}

static void ctas_start_in_the_order_of_their_numbers(void **state)
{
    static const uint32_t seen[] = {3, 0, 2, 1}; /* in the trace */
    const struct bs_launch_run how = {.smem = -1, .resident = 1};
    struct bs_launch launch = {.keeps_order = true};
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        must_add(&launch, seen[i], 0, "st.b32", 10);
    must_run(&launch, &how);
    for (unsigned i = 0; i < 4; i++)
        for (unsigned j = 0; j < 4; j++)
            if (seen[i] < seen[j])
                assert_true(bs_launch_time(&launch, i)->finished <=
                            bs_launch_time(&launch, j)->issued);
    assert_int_equal(launch.resident.ctas, 1);
    assert_int_equal(launch.resident.demand.ctas, 4);
    bs_launch_free(&launch);
}

/* How the records of warps are mixed in a trace changes nothing. */
static void only_the_order_within_a_warp_matters(void **state)
{
    const struct bs_launch_run how = {.smem = -1};
    struct bs_launch apart = {.keeps_order = true};
    struct bs_launch mixed = {.keeps_order = true};
    (void)state;
    for (uint32_t warp = 0; warp < 3; warp++)
        for (uint32_t i = 0; i < 5; i++)
            must_add(&apart, 0, warp, "ld.b32", 1 + warp + i);
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t warp = 3; warp-- > 0;)
            must_add(&mixed, 0, warp, "ld.b32", 1 + warp + i);
    must_run(&apart, &how);
    must_run(&mixed, &how);
    for (uint32_t warp = 0; warp < 3; warp++)
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(bs_launch_time(&apart, warp * 5 + i)->issued,
                             bs_launch_time(&mixed, i * 3 + (2 - warp))->issued);
    bs_launch_free(&apart);
    bs_launch_free(&mixed);
}

static uint64_t cycles_of_warps(uint32_t first, uint32_t step)
{
    const struct bs_launch_run how = {.smem = -1};
    struct bs_launch launch = {0};
    for (uint32_t warp = 0; warp < 4; warp++)
        for (unsigned i = 0; i < 40; i++)
            must_add(&launch, 0, first + warp * step, "st.b32", 1);
    must_run(&launch, &how);
    const uint64_t cycles = launch.engine.cycle;
    bs_launch_free(&launch);
    return cycles;
}

/* Warps 0, 4, 8 and 12 belong to one scheduler, though the trace has no others. */
static void warps_that_are_not_there_keep_their_places(void **state)
{
    (void)state;
    assert_true(cycles_of_warps(0, 4) > cycles_of_warps(0, 1) * 3 / 2);
    assert_int_equal(cycles_of_warps(1000000, 4), cycles_of_warps(0, 1)); /* no numbers in a CTA */
}

static void the_block_says_how_many_warps_there_are(void **state)
{
    const struct bs_launch_run how = {.smem = -1, .block = {32, 12, 1}};
    struct bs_launch launch = {0};
    (void)state;
    must_add(&launch, 0, 2, "st.b32", 1);
    must_add(&launch, 5, 0, "st.b32", 1);
    must_run(&launch, &how);
    assert_int_equal(launch.resident.demand.warps, 12);
    assert_int_equal(launch.program_count, 24);
    assert_int_equal(launch.program_warp[2], 0);
    assert_int_equal(launch.program_warp[12], 1);
    assert_int_equal(launch.program_warp[13], BS_NO_WARP);
    bs_launch_free(&launch);
}

/* The block has two warps, of which the trace shows one. */
static void a_warp_that_is_not_in_the_trace_holds_up_no_barrier(void **state)
{
    const struct bs_launch_run how = {.smem = -1, .block = {64, 1, 1}};
    struct bs_launch launch = {.keeps_order = true};
    (void)state;
    must_add(&launch, 0, 0, "bar", 0);
    must_add(&launch, 0, 0, "st.b32", 1);
    must_run(&launch, &how);
    assert_int_equal(launch.program_count, 2);
    assert_int_equal(bs_launch_time(&launch, 0)->finished, bs_launch_time(&launch, 1)->issued);
    bs_launch_free(&launch);
}

static void a_dependency_on_nothing_is_refused(void **state)
{
    struct bs_launch launch = {0};
    struct bs_error error;
    (void)state;
    assert_true(add(&launch, 7, 0, "ld.b32", 1, 0, 0, &error));
    assert_true(add(&launch, 7, 0, "ld.b32", 1, 1, 0, &error));
    assert_false(add(&launch, 7, 1, "ld.b32", 1, 1, 0, &error));
    assert_string_equal(error.text, "dep=1: warp 1 of CTA 7 has 0 instructions before this one");
    assert_int_equal(launch.records, 2);
    assert_int_equal(launch.dependent, 1);
    bs_launch_free(&launch);
}

/* In CTA 3 a warp ends before the barrier, in CTA 9 one comes to a second. */
static void add_uneven(struct bs_launch *launch)
{
    for (uint32_t warp = 0; warp < 4; warp++) {
        must_add(launch, 3, warp, "st.b32", 1);
        if (warp != 2)
            must_add(launch, 3, warp, "bar", 0);
        must_add(launch, 4, warp, "bar", 0);
        must_add(launch, 9, warp, "bar", 0);
    }
    must_add(launch, 3, 3, "st.b32", 1);
    must_add(launch, 9, 1, "bar", 0);
}

static void warps_that_stand_still_are_all_told(void **state)
{
    const struct bs_launch_run how = {.smem = -1, .resident = 2};
    struct bs_launch launch = {0};
    struct bs_error error;
    (void)state;
    add_uneven(&launch);
    assert_false(bs_launch_run(&launch, model, &how, &error));
    assert_int_equal(error.status, BS_BAD_TRACE);
    assert_string_equal(
        error.text,
        "a barrier is never met: in CTA 3 warps 0-1 wait at barrier 1 (instruction 2 of 2), warp 2 "
        "has ended after 0 barriers (1 instruction), warp 3 waits at barrier 1 (instruction 2 of "
        "3); in CTA 9 warps 0,2-3 have ended after 1 barrier (1 instruction), warp 1 waits at "
        "barrier 2 (instruction 2 of 2). If the warps that have ended returned early, --early-exit "
        "lets the others go on");
    bs_launch_free(&launch);
}

static void ctas_that_stand_alike_are_told_once(void **state)
{
    static const uint32_t ctas[] = {4, 5, 6, 8};
    const struct bs_launch_run how = {.smem = -1};
    struct bs_launch launch = {0};
    struct bs_error error;
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        must_add(&launch, ctas[i], 0, "bar", 0);
        must_add(&launch, ctas[i], 1, "st.b32", 1);
    }
    assert_false(bs_launch_run(&launch, model, &how, &error));
    assert_string_equal(
        error.text,
        "a barrier is never met: in CTAs 4-6 warp 0 waits at barrier 1 (instruction 1 of 1), warp "
        "1 has ended after 0 barriers (1 instruction); in CTA 8 warp 0 waits at barrier 1 "
        "(instruction 1 of 1), warp 1 has ended after 0 barriers (1 instruction). If the warps "
        "that have ended returned early, --early-exit lets the others go on");
    bs_launch_free(&launch);
}

/* Where they come to the barrier after different numbers of instructions, only it is told. */
static void a_standstill_of_many_warps_is_told_in_full(void **state)
{
    const struct bs_launch_run how = {.smem = -1};
    struct bs_launch launch = {0};
    struct bs_error error;
    (void)state;
    for (uint32_t warp = 0; warp < 16; warp++) {
        for (uint32_t i = 0; i <= warp; i++)
            must_add(&launch, 0, warp, "st.b32", 1);
        if (warp % 4)
            must_add(&launch, 0, warp, "bar", 0);
    }
    assert_false(bs_launch_run(&launch, model, &how, &error));
    assert_string_equal(
        error.text,
        "a barrier is never met: in CTA 0 warps 0,4,8,12 have ended after 0 barriers, warps "
        "1-3,5-7,9-11,13-15 wait at barrier 1. If the warps that have ended returned early, "
        "--early-exit lets the others go on");
    bs_launch_free(&launch);
}

static void with_early_exit_barriers_do_not_wait_for_warps_that_have_ended(void **state)
{
    const struct bs_launch_run how = {.smem = -1, .resident = 2, .early_exit = true};
    struct bs_launch launch = {.keeps_order = true};
    (void)state;
    add_uneven(&launch);
    must_run(&launch, &how);
    assert_int_equal(launch.uneven_ctas, 2); /* 3 and 9 */
    bs_launch_free(&launch);
}

/* The waits of groups are those of the engine, but for warps that have nothing left. */
static void waits_are_counted_by_group(void **state)
{
    struct bs_group_time groups[3] = {{.queued = 0}};
    const struct bs_launch_run how = {.smem = -1, .groups = groups};
    struct bs_launch launch = {.keeps_order = true};
    struct bs_error error;
    uint64_t finishing = 0;
    (void)state;
    for (uint32_t warp = 0; warp < 6; warp++)
        for (uint32_t i = 0; i < 12; i++)
            assert_true(add(&launch, warp / 3, warp % 3, i % 4 == 3 ? "bar" : "ld.b64",
                            i % 4 == 3 ? 0 : 1 + i, i % 3 == 1, i % 3, &error));
    must_run(&launch, &how);
    for (unsigned wait = BS_WAIT_BARRIER; wait < BS_WAITS; wait++)
        assert_true(groups[0].waits[wait] + groups[1].waits[wait] + groups[2].waits[wait] <=
                    launch.engine.totals.waits[wait]);
    for (unsigned wait = BS_WAIT_RESULTS; wait < BS_WAITS; wait++)
        assert_int_equal(groups[0].waits[wait] + groups[1].waits[wait] + groups[2].waits[wait],
                         launch.engine.totals.waits[wait]);
    for (uint64_t n = 0; n < launch.records; n++)
        finishing += bs_launch_time(&launch, n)->finished - bs_launch_time(&launch, n)->issued;
    assert_int_equal(groups[0].finishing + groups[1].finishing + groups[2].finishing, finishing);
    assert_true(groups[1].waits[BS_WAIT_DEP] > 0 && groups[0].waits[BS_WAIT_DEP] == 0);
    bs_launch_free(&launch);
}

/* CTAs of different lengths, which end in another order than they start in. */
static void run_many_ctas(bool keeps_order, struct bs_group_time groups[2])
{
    const struct bs_launch_run how = {.smem = -1, .resident = 3, .groups = groups};
    struct bs_launch launch = {.keeps_order = keeps_order};
    struct bs_error error;
    for (uint32_t cta = 0; cta < 50; cta++)
        for (uint32_t i = 0; i <= cta * 7 % 11; i++)
            assert_true(add(&launch, cta, i % 3, i % 2 ? "st.b32" : "ld.b32", 1 + cta % 5, 0, i % 2,
                            &error));
    must_run(&launch, &how);
    bs_launch_free(&launch);
}

static void what_is_kept_changes_nothing(void **state)
{
    struct bs_group_time kept[2] = {{.queued = 0}};
    struct bs_group_time passing[2] = {{.queued = 0}};
    (void)state;
    run_many_ctas(true, kept);
    run_many_ctas(false, passing);
    assert_memory_equal(kept, passing, sizeof kept);
    assert_true(kept[0].finishing > kept[1].finishing && kept[1].finishing > 0);
}

/* After it is freed, a launch can be filled again. */
static void a_launch_can_be_used_again(void **state)
{
    const struct bs_launch_run how = {.smem = -1};
    struct bs_launch launch = {.keeps_order = true};
    uint64_t cycles[2];
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        must_add(&launch, 0, 0, "ld.b32", 7);
        must_run(&launch, &how);
        cycles[i] = launch.engine.cycle;
        assert_int_equal(bs_launch_time(&launch, 0)->finished, cycles[i]);
        bs_launch_free(&launch);
    }
    assert_int_equal(cycles[0], cycles[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctas_start_in_the_order_of_their_numbers),
        cmocka_unit_test(only_the_order_within_a_warp_matters),
        cmocka_unit_test(warps_that_are_not_there_keep_their_places),
        cmocka_unit_test(the_block_says_how_many_warps_there_are),
        cmocka_unit_test(a_warp_that_is_not_in_the_trace_holds_up_no_barrier),
        cmocka_unit_test(a_dependency_on_nothing_is_refused),
        cmocka_unit_test(warps_that_stand_still_are_all_told),
        cmocka_unit_test(ctas_that_stand_alike_are_told_once),
        cmocka_unit_test(a_standstill_of_many_warps_is_told_in_full),
        cmocka_unit_test(with_early_exit_barriers_do_not_wait_for_warps_that_have_ended),
        cmocka_unit_test(waits_are_counted_by_group),
        cmocka_unit_test(what_is_kept_changes_nothing),
        cmocka_unit_test(a_launch_can_be_used_again),
    };
    return cmocka_run_group_tests(tests, load_model, free_model);
}
