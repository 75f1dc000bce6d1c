/*
 * Does the engine take as long as an H200? docs/hardware.md says how the loops were measured and
 * how the numbers were derived from two thirds of them; the rest was kept aside.
 */
#include "loops.h"
#include "rows.h"
#include "streams.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* How far predictions are off. */
struct misses {
    unsigned count;
    unsigned far; /* beyond what is allowed for one */
    double sum;
    double worst;
};

static void add_miss(struct misses *misses, double predicted, double measured, double allowed)
{
    const double miss = fabs(predicted / measured - 1);
    misses->count++;
    misses->far += miss > allowed;
    misses->sum += miss;
    misses->worst = fmax(misses->worst, miss);
}

static double mean(const struct misses *misses)
{
    return misses->sum / misses->count;
}

/* ---- loops of one op ------------------------------------------------------------------------- */

enum { OPS = 6 };
static const char *const ops[OPS] = {"ld.b32", "ld.b64",  "ld.b128",
                                     "st.b32", "st.b128", "atom.add.b32"};

/* What is asked of the loops of each op: the mean error, and the share of them within 3 %. */
struct goal {
    double mean;
    double within;
};

static unsigned op_number(struct bs_op op)
{
    char name[BS_OP_NAME];
    unsigned number = 0;
    bs_op_name(op, name);
    while (number < OPS && strcmp(name, ops[number]) != 0)
        number++;
    assert_true(number < OPS);
    return number;
}

static void check_goal(const char *op, const char *which, const struct misses *misses,
                       struct goal goal)
{
    const double within = 1 - (double)misses->far / misses->count;
    print_message("%-13s %-10s: %3u loops, mean error %.2f %%, %.1f %% within 3 %%\n", op, which,
                  misses->count, 100 * mean(misses), 100 * within);
    assert_true(misses->count > 50);
    assert_true(mean(misses) <= goal.mean);
    assert_true(within >= goal.within);
}

static void loops_of_one_op_take_as_long_as_measured(void **state)
{
    /* Those kept aside do not do worse. */
    static const struct goal goals[OPS] = {{0.005, 0.97}, {0.006, 0.96}, {0.005, 0.98},
                                           {0.004, 0.99}, {0.001, 1.00}, {0.005, 0.96}};
    (void)state;
    struct bs_model *model = hopper();
    unsigned count;
    struct sequence *list = sequences_read(model, "h200-sequences.tsv.xz", &count);
    struct misses misses[OPS][2] = {{{0}}};
    for (unsigned i = 0; i < count; i++)
        add_miss(&misses[op_number(list[i].op)][sequence_is_kept_aside(&list[i])],
                 loop_cycles(&model->timing, &list[i].loop), list[i].cycles, 0.03);
    for (unsigned op = 0; op < OPS; op++) {
        check_goal(ops[op], "fitted", &misses[op][0], goals[op]);
        check_goal(ops[op], "kept aside", &misses[op][1], goals[op]);
    }
    free(list);
    bs_model_free(model);
}

/* Random loops of another seed: neither the numbers nor the mechanism were chosen by them. */
static void loops_measured_later_take_as_long_as_predicted(void **state)
{
    static const struct goal goals[OPS] = {{0.008, 0.94}, {0.006, 0.97}, {0.006, 0.98},
                                           {0.004, 0.98}, {0.001, 1.00}, {0.007, 0.95}};
    (void)state;
    struct bs_model *model = hopper();
    unsigned count;
    struct sequence *list = sequences_read(model, "h200-sequences-later.tsv.xz", &count);
    struct misses misses[OPS] = {{0}};
    for (unsigned i = 0; i < count; i++)
        add_miss(&misses[op_number(list[i].op)], loop_cycles(&model->timing, &list[i].loop),
                 list[i].cycles, 0.03);
    for (unsigned op = 0; op < OPS; op++)
        check_goal(ops[op], "later", &misses[op], goals[op]);
    free(list);
    bs_model_free(model);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* What of a kind of stream to look at. */
enum part { ALL, IN_STEP, OUT_OF_STEP };

static bool is_in(enum part part, const struct stream *stream)
{
    return part == ALL || (part == OUT_OF_STEP) == stream_falls_out_of_step(stream);
}

/* Prints each row that is further off than is allowed for one. */
static struct misses check_streams(enum stream_kind kind, enum part part, double allowed)
{
    struct bs_model *model = hopper();
    struct misses misses = {0};
    unsigned count;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != kind || !is_in(part, &list[i]))
            continue;
        const unsigned far = misses.far;
        const double predicted = loop_cycles(&model->timing, &list[i].loop);
        add_miss(&misses, predicted, list[i].cycles, allowed);
        if (misses.far > far)
            print_message("%.2f measured, %.2f predicted: %s\n", list[i].cycles, predicted,
                          list[i].text);
    }
    free(list);
    bs_model_free(model);
    print_message("%u loops, mean error %.2f %%, worst %.2f %%, %u beyond %.0f %%\n", misses.count,
                  100 * mean(&misses), 100 * misses.worst, misses.far, 100 * allowed);
    return misses;
}

/* Three rows of four warps are further off: code that runs for the first time, which the engine
 * does not know, puts them out of step. */
static void mixed_streams_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_MIXED, ALL, 0.03);
    assert_int_equal(misses.count, 240);
    assert_true(mean(&misses) <= 0.008);
    assert_true(misses.far <= 3);
    assert_true(misses.worst <= 0.055);
}

static void barrier_loops_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_BARRIER, ALL, 0.05);
    assert_int_equal(misses.count, 40);
    assert_int_equal(misses.far, 0);
}

static void warm_streams_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_WARM, IN_STEP, 0.03);
    assert_true(misses.count > 600);
    assert_true(mean(&misses) <= 0.005);
    assert_int_equal(misses.far, 0);
}

/* Known to be missing: the test says how much, so that it shows when that changes. */
static void warps_that_fall_out_of_step_are_known_to_be_off(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_WARM, OUT_OF_STEP, 0.30);
    assert_true(misses.count > 200);
    assert_true(mean(&misses) <= 0.06);
    assert_int_equal(misses.far, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_one_op_take_as_long_as_measured),
        cmocka_unit_test(loops_measured_later_take_as_long_as_predicted),
        cmocka_unit_test(mixed_streams_take_as_long_as_measured),
        cmocka_unit_test(barrier_loops_take_as_long_as_measured),
        cmocka_unit_test(warm_streams_take_as_long_as_measured),
        cmocka_unit_test(warps_that_fall_out_of_step_are_known_to_be_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
