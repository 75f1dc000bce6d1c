/*
 * Does the engine take as long as an H200? docs/hardware.md says how the loops were measured and
 * how the numbers were derived from two thirds of them; the rest was kept aside.
 */
#include "loops.h"
#include "rows.h"

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

static void loops_of_one_op_take_as_long_as_measured(void **state)
{
    /* Mean and share of rows within 3 %: those kept aside do not do worse. */
    static const struct {
        const char *op;
        double mean;
        double within;
    } ops[] = {{"ld.b32", 0.010, 0.90}, {"ld.b64", 0.010, 0.90},  {"ld.b128", 0.010, 0.90},
               {"st.b32", 0.005, 0.95}, {"st.b128", 0.005, 0.99}, {"atom.add.b32", 0.006, 0.95}};
    enum { OPS = sizeof ops / sizeof *ops };
    (void)state;
    struct bs_model *model = hopper();
    unsigned count;
    struct sequence *list = sequences_read(model, &count);
    struct misses misses[OPS][2] = {{{0}}};
    for (unsigned i = 0; i < count; i++) {
        char name[BS_OP_NAME];
        unsigned op = 0;
        bs_op_name(list[i].op, name);
        while (op < OPS && strcmp(name, ops[op].op) != 0)
            op++;
        assert_true(op < OPS);
        add_miss(&misses[op][sequence_is_kept_aside(&list[i])],
                 loop_cycles(&model->timing, &list[i].loop), list[i].cycles, 0.03);
    }
    for (unsigned op = 0; op < OPS; op++)
        for (unsigned aside = 0; aside < 2; aside++) {
            const struct misses *m = &misses[op][aside];
            const double within = 1 - (double)m->far / m->count;
            print_message("%-13s %s: %3u loops, mean error %.2f %%, %.1f %% within 3 %%\n",
                          ops[op].op, aside ? "kept aside" : "fitted    ", m->count, 100 * mean(m),
                          100 * within);
            assert_true(m->count > 50);
            assert_true(mean(m) <= ops[op].mean);
            assert_true(within >= ops[op].within);
        }
    free(list);
    bs_model_free(model);
}

/* ---- streams --------------------------------------------------------------------------------- */

/* A line of h200-streams.txt: loads and stores of an iteration, and their passes. */
struct stream {
    unsigned loads, stores, warps, load_passes, store_passes;
    double cycles;
};

/* The number behind a word of the line. */
static double number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    char *end;
    if (!at)
        fail_msg("no '%s' in: %s", word, line);
    const double value = strtod(at + strlen(word), &end);
    assert_true(end > at + strlen(word));
    return value;
}

/* "mix 6ld2st warps 1 ls 1 ss 8 cycles_per_iter_warp 44.66" */
static bool read_mix(const char *line, struct stream *s)
{
    if (strncmp(line, "mix ", 4) != 0)
        return false;
    *s = (struct stream){.loads = (unsigned)number_after(line, "mix "),
                         .stores = (unsigned)number_after(line, "ld"),
                         .warps = (unsigned)number_after(line, " warps "),
                         .load_passes = (unsigned)number_after(line, " ls "),
                         .store_passes = (unsigned)number_after(line, " ss "),
                         .cycles = number_after(line, " cycles_per_iter_warp ")};
    return true;
}

/* "bar threads 64 ls 8 ss 1 cycles_per_iter 73.64" */
static bool read_bar(const char *line, struct stream *s)
{
    if (strncmp(line, "bar ", 4) != 0)
        return false;
    *s = (struct stream){.warps = (unsigned)number_after(line, " threads ") / 32,
                         .load_passes = (unsigned)number_after(line, " ls "),
                         .store_passes = (unsigned)number_after(line, " ss "),
                         .cycles = number_after(line, " cycles_per_iter ")};
    return true;
}

/* Loads and stores mixed evenly. */
static double mix_cycles(const struct bs_timing *timing, const struct stream *s)
{
    struct loop loop = {.warps = s->warps, .count = LOOP_STEPS};
    assert_int_equal(s->loads + s->stores, LOOP_STEPS);
    for (unsigned w = 0; w < s->warps; w++)
        for (unsigned i = 0; i < LOOP_STEPS; i++)
            loop.steps[w][i] = (i + 1) * s->loads / LOOP_STEPS > i * s->loads / LOOP_STEPS
                                   ? loop_step("ld.b32", s->load_passes, 0)
                                   : loop_step("st.b32", s->store_passes, 0);
    return loop_cycles(timing, &loop) / s->warps;
}

/* A store, a barrier, a load, a barrier. */
static double bar_cycles(const struct bs_timing *timing, const struct stream *s)
{
    struct loop loop = {.warps = s->warps, .count = 4};
    for (unsigned w = 0; w < loop.warps; w++) {
        loop.steps[w][0] = loop_step("st.b32", s->store_passes, 0);
        loop.steps[w][1] = loop_step("bar", 0, 0);
        loop.steps[w][2] = loop_step("ld.b32", s->load_passes, 0);
        loop.steps[w][3] = loop_step("bar", 0, 0);
    }
    return loop_cycles(timing, &loop);
}

typedef bool read_stream(const char *line, struct stream *stream);
typedef double stream_cycles(const struct bs_timing *timing, const struct stream *stream);

static struct misses check_streams(read_stream *read, stream_cycles *cycles, double allowed)
{
    struct bs_model *model = hopper();
    struct misses misses = {0};
    struct stream stream;
    char line[256];
    FILE *file = fopen(BANKSHOT_HARDWARE_FOLDER "/h200-streams.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (!read(line, &stream))
            continue;
        const unsigned far = misses.far;
        const double predicted = cycles(&model->timing, &stream);
        add_miss(&misses, predicted, stream.cycles, allowed);
        if (misses.far > far)
            print_message("%.2f predicted: %s", predicted, line);
    }
    fclose(file);
    bs_model_free(model);
    print_message("%u loops, mean error %.2f %%, worst %.2f %%, %u beyond %.0f %%\n", misses.count,
                  100 * mean(&misses), 100 * misses.worst, misses.far, 100 * allowed);
    return misses;
}

static void mixed_streams_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(read_mix, mix_cycles, 0.03);
    assert_int_equal(misses.count, 240);
    assert_true(mean(&misses) <= 0.0125);
    assert_true(misses.far <= 30);
    assert_true(misses.worst <= 0.06);
}

static void barrier_loops_take_as_long_as_measured(void **state)
{
    (void)state;
    const struct misses misses = check_streams(read_bar, bar_cycles, 0.05);
    assert_int_equal(misses.count, 40);
    assert_int_equal(misses.far, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_one_op_take_as_long_as_measured),
        cmocka_unit_test(mixed_streams_take_as_long_as_measured),
        cmocka_unit_test(barrier_loops_take_as_long_as_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
