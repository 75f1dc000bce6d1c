/*
 * Do barriers and warps that have ended go together in the engine as they do on an H200?
 * probes/ended_warps.cu says what the rows of h200-ended-warps.tsv are.
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

enum { WARPS = 32, STEPS = 256, ACCESSES = 8 };

struct cta {
    struct bs_engine engine;
    struct bs_program programs[WARPS];
    struct bs_instruction steps[WARPS][STEPS];
    struct bs_instruction_time times[WARPS][STEPS];
};

/* Gives a warp a step so many times more. */
static void add(struct cta *cta, unsigned warp, struct bs_instruction step, unsigned times)
{
    struct bs_program *program = &cta->programs[warp];
    program->steps = cta->steps[warp];
    program->times = cta->times[warp];
    assert_true(program->count + times <= STEPS);
    for (unsigned i = 0; i < times; i++)
        cta->steps[warp][program->count++] = step;
}

static void run(struct cta *cta, unsigned warps)
{
    struct bs_model *model = hopper();
    struct bs_error error;
    if (!bs_engine_init(&cta->engine, &model->timing, cta->programs, warps, 0, &error))
        fail_msg("%s", error.text);
    cta->engine.early_exit = true;
    if (!bs_engine_run(&cta->engine, &error))
        fail_msg("%s", error.text);
    bs_model_free(model);
}

/* A CTA of so many warps, of which the first end after one store, and the others come to so many
 * barriers; the caller frees it. */
static struct cta *run_ended(unsigned warps, unsigned ended, unsigned barriers)
{
    struct cta *cta = calloc(1, sizeof *cta);
    assert_non_null(cta);
    for (unsigned w = 0; w < warps; w++)
        if (w < ended)
            add(cta, w, loop_step("st.b32", 1), 1);
        else
            add(cta, w, loop_step("bar", 0), barriers);
    run(cta, warps);
    return cta;
}

static void the_others_go_on(void **state)
{
    struct rows rows;
    unsigned seen = 0;
    (void)state;
    for (rows_open(&rows, "h200-ended-warps.tsv"); rows_next(&rows);) {
        const bool lanes = strcmp(rows.field[0], "lanes") == 0;
        if (!lanes && strcmp(rows.field[0], "exits") != 0)
            continue;
        const unsigned warps = (unsigned)row_number(&rows, 1);
        const unsigned ended = lanes ? warps / 2 : (unsigned)row_number(&rows, 2);
        assert_string_equal(rows.field[3], "yes");
        assert_int_equal(row_number(&rows, 4), warps - ended);
        struct cta *cta = run_ended(warps, ended, 2);
        assert_true(cta->engine.done);
        assert_int_equal(cta->engine.totals.issued, ended + 2 * (warps - ended));
        free(cta);
        seen++;
    }
    rows_close(&rows);
    assert_int_equal(seen, 7);
}

/* Cycles from one barrier to the next. */
static double barrier_cycles(unsigned warps, unsigned ended)
{
    struct cta *cta = run_ended(warps, ended, STEPS);
    const struct bs_instruction_time *times = cta->times[warps - 1];
    const double cycles =
        (double)(times[STEPS - 1].finished - times[STEPS / 2 - 1].finished) / (STEPS / 2.0);
    free(cta);
    return cycles;
}

static void a_barrier_takes_as_long_as_with_only_those_that_are_left(void **state)
{
    struct rows rows;
    unsigned seen = 0;
    (void)state;
    for (rows_open(&rows, "h200-ended-warps.tsv"); rows_next(&rows);) {
        if (strcmp(rows.field[0], "loop") != 0)
            continue;
        const unsigned warps = (unsigned)row_number(&rows, 1);
        const unsigned ended = (unsigned)row_number(&rows, 2);
        const double measured = row_number(&rows, 3);
        const double cycles = barrier_cycles(warps, ended);
        if (fabs(cycles - measured) > 1.5)
            fail_msg("%u warps, %u of them ended: expected %.1f cycles, got %.1f", warps, ended,
                     measured, cycles);
        assert_true(cycles == barrier_cycles(warps - ended, 0));
        seen++;
    }
    rows_close(&rows);
    assert_int_equal(seen, 32);
}

/* When a barrier opens at which three warps wait for one that makes its accesses and then ends, or
 * comes there itself. */
static double opened(struct bs_op op, unsigned passes, bool ends)
{
    struct cta *cta = calloc(1, sizeof *cta);
    struct bs_instruction bar = loop_step("bar", 0);
    struct bs_instruction access = {.op = op, .slots = passes};
    assert_non_null(cta);
    bar.join = BS_JOIN_NONE; /* nothing of the probe uses what it loads */
    for (unsigned w = 0; w < 3; w++)
        add(cta, w, bar, 1);
    add(cta, 3, access, ACCESSES);
    if (!ends)
        add(cta, 3, bar, 1);
    run(cta, 4);
    const double at = (double)cta->times[0][0].finished;
    free(cta);
    return at;
}

static void a_warp_stays_until_its_accesses_are_through(void **state)
{
    struct rows rows;
    double came = 0, measured_bar = 0;
    unsigned seen = 0;
    (void)state;
    for (rows_open(&rows, "h200-ended-warps.tsv"); rows_next(&rows);) {
        if (strcmp(rows.field[0], "drain") != 0 || strcmp(rows.field[1], "bar") != 0)
            continue;
        measured_bar = row_number(&rows, 4);
    }
    rows_close(&rows);
    for (rows_open(&rows, "h200-ended-warps.tsv"); rows_next(&rows);) {
        if (strcmp(rows.field[0], "drain") != 0 || strcmp(rows.field[1], "exit") != 0)
            continue;
        char name[16];
        struct bs_op op;
        const int size = snprintf(name, sizeof name, "%s.b32", rows.field[2]);
        const unsigned passes = (unsigned)row_number(&rows, 3);
        const double measured = row_number(&rows, 4) - measured_bar;
        assert_true(bs_op_parse(name, (size_t)size, &op));
        came = opened(op, passes, true) - opened(op, passes, false);
        if (fabs(came - measured) > 6)
            fail_msg("%s of %u passes: expected %.0f cycles later than by an arrival, got %.0f",
                     name, passes, measured, came);
        seen++;
    }
    rows_close(&rows);
    assert_int_equal(seen, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_others_go_on),
        cmocka_unit_test(a_barrier_takes_as_long_as_with_only_those_that_are_left),
        cmocka_unit_test(a_warp_stays_until_its_accesses_are_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
