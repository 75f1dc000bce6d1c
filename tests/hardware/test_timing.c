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

enum { APART = 50 /* cycles, enough for warps not to come together again */ };

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

/* Three rows of four warps are further off: 64 iterations more are too few to see how long one
 * takes of warps that change their rhythm. The next two tests ask for all 240. */
static void short_mixed_streams_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_MIXED, ALL, 0.03);
    assert_int_equal(misses.count, 240);
    assert_true(mean(&misses) <= 0.008);
    assert_true(misses.far <= 3);
    assert_true(misses.worst <= 0.055);
}

/* How far the prediction for a stream is outside of all that was measured of it: 0 if it is not. */
static double outside(double predicted, const struct stream *stream)
{
    assert_true(stream->lowest > 0 && stream->highest >= stream->lowest);
    if (predicted < stream->lowest)
        return 1 - predicted / stream->lowest;
    return predicted > stream->highest ? predicted / stream->highest - 1 : 0;
}

/* The same 240, each run 36 times. */
static void short_mixed_streams_take_as_long_as_when_they_are_repeated(void **state)
{
    (void)state;
    struct bs_model *model = hopper();
    unsigned count, mixed = 0;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != STREAM_MIXED)
            continue;
        const double predicted = loop_cycles(&model->timing, &list[i].loop);
        if (outside(predicted, &list[i]) > 0.02)
            fail_msg("%.2f to %.2f measured, %.2f predicted: %s", list[i].lowest, list[i].highest,
                     predicted, list[i].text);
        mixed++;
    }
    assert_int_equal(mixed, 240);
    free(list);
    bs_model_free(model);
}

static void long_mixed_streams_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(STREAM_LONG, ALL, 0.03);
    assert_int_equal(misses.count, 240);
    assert_true(mean(&misses) <= 0.005);
    assert_int_equal(misses.far, 0);
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

/* One long load among short ones: with a lone warp exact, with three known to be some cycles off.
 */
static void loads_of_mixed_lengths_take_as_long_as_measured(void **state)
{
    (void)state;
    struct bs_model *model = hopper();
    unsigned count;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++)
        if (list[i].kind == STREAM_LENGTHS && list[i].mask == 1)
            assert_true(fabs(loop_cycles(&model->timing, &list[i].loop) - list[i].cycles) < 0.02);
    free(list);
    bs_model_free(model);
    const struct misses misses = check_streams(STREAM_LENGTHS, ALL, 0.03);
    assert_int_equal(misses.count, 72);
    assert_true(mean(&misses) <= 0.008);
    assert_true(misses.far <= 6);
    assert_true(misses.worst <= 0.12);
}

/* The time of a stream if the last of its warps begins later than the others. */
static double cycles_begun_apart(const struct bs_timing *timing, const struct stream *stream)
{
    struct loop loop = stream->loop;
    loop.late[loop.warps - 1] = APART;
    return loop_cycles(timing, &loop);
}

/* Two warps of one scheduler: together they stay side by side, where the machine keeps them so, and
 * begun apart they hinder each other as they do in the machine. */
static void warps_that_begin_apart_take_as_long_as_measured(void **state)
{
    (void)state;
    struct bs_model *model = hopper();
    unsigned count, late = 0, in_step = 0;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != STREAM_LATE)
            continue;
        const double together = loop_cycles(&model->timing, &list[i].loop);
        const double apart = cycles_begun_apart(&model->timing, &list[i]);
        print_message("%s: %.2f together, %.2f apart\n", list[i].text, together, apart);
        assert_true(apart > 1.1 * together);
        assert_true(outside(apart, &list[i]) <= 0);
        in_step += fabs(together / list[i].cycles - 1) < 0.001;
        late++;
    }
    assert_int_equal(late, 6);
    assert_int_equal(in_step, 3);
    free(list);
    bs_model_free(model);
}

/* What the engine lacks is what puts warps out of step: it has the rhythm they are in then. */
static void warps_that_fall_out_of_step_take_as_long_as_if_begun_apart(void **state)
{
    (void)state;
    struct bs_model *model = hopper();
    struct misses misses = {0};
    unsigned count;
    struct stream *list = streams_read(&count);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].kind != STREAM_WARM || list[i].mask != 0x11)
            continue;
        const double measured = list[i].cycles;
        const double together = loop_cycles(&model->timing, &list[i].loop);
        const double apart = cycles_begun_apart(&model->timing, &list[i]);
        add_miss(&misses, fabs(together - measured) < fabs(apart - measured) ? together : apart,
                 measured, 0.03);
    }
    print_message("%u loops, mean error %.2f %%, worst %.2f %%, %u beyond 3 %%\n", misses.count,
                  100 * mean(&misses), 100 * misses.worst, misses.far);
    assert_int_equal(misses.count, 124);
    assert_true(mean(&misses) <= 0.02);
    assert_true(misses.far <= 30);
    assert_true(misses.worst <= 0.12);
    free(list);
    bs_model_free(model);
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
        cmocka_unit_test(short_mixed_streams_take_as_long_as_measured),
        cmocka_unit_test(short_mixed_streams_take_as_long_as_when_they_are_repeated),
        cmocka_unit_test(long_mixed_streams_take_as_long_as_measured),
        cmocka_unit_test(barrier_loops_take_as_long_as_measured),
        cmocka_unit_test(warm_streams_take_as_long_as_measured),
        cmocka_unit_test(loads_of_mixed_lengths_take_as_long_as_measured),
        cmocka_unit_test(warps_that_begin_apart_take_as_long_as_measured),
        cmocka_unit_test(warps_that_fall_out_of_step_take_as_long_as_if_begun_apart),
        cmocka_unit_test(warps_that_fall_out_of_step_are_known_to_be_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
