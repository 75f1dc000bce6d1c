/*
 * Do the models give what others published about single accesses? cases.tsv holds what counters
 * showed (measured), what vendors wrote (documented), and what people concluded from totals or on
 * paper (reasoned): passes, which profilers call wavefronts or transactions. Each row is held to
 * the model of its device. Where a publication only shows by its words that the device is one of
 * compute capability 7.0 or later, the row is held to volta, with which all later models agree.
 */
#include "rows.h"
#include "runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { ID, DEVICE, MODEL, OP, MASK, PASSES, BASIS, ADDRESSES };

/* Reports that the models contradict, and why the models are kept. A row that starts to agree has
 * no business here. */
static const struct disagreement {
    const char *id;
    uint32_t passes; /* of the model */
    const char *why;
} disagreements[] = {
    {"U05", 4,
     "the report gives the ways of one request; a 64-bit access of cc 1.x makes two, each 2-way"},
    {"AG1", 32,
     "the report is a comment without a counter; the lanes ask the same four banks for 32 rows, "
     "and "
     "where a counter was read for that (row E01) it showed a pass for each"},
};
enum { DISAGREEMENTS = sizeof disagreements / sizeof *disagreements };

static const struct disagreement *find_disagreement(const char *id)
{
    for (size_t i = 0; i < DISAGREEMENTS; i++)
        if (strcmp(disagreements[i].id, id) == 0)
            return &disagreements[i];
    return NULL;
}

static uint32_t passes_of(const struct rows *rows)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    const char *text = rows->field[ADDRESSES];
    uint64_t list[BS_MAX_LANES];
    uint32_t addresses[BS_MAX_LANES] = {0};
    struct bs_access access = {
        .op = row_op(rows, OP), .mask = row_mask(rows, MASK), .addr = addresses};
    struct bs_errors errors = {0};
    struct bs_error error = {0};
    struct bs_cost cost;
    unsigned lanes = 0;
    for (uint64_t rest = access.mask; rest; rest &= rest - 1)
        lanes++;
    if (!bs_runs_read(text, text + strlen(text), UINT32_MAX, lanes, list, &error))
        fail_msg("%s: %s", rows->field[ID], error.text);
    bs_lanes_spread32(access.mask, list, addresses);
    struct bs_model *model = bs_model_load(rows->field[MODEL], folders, NULL, &errors);
    assert_non_null(model);
    if (!bs_access_check(model, &access, false, &error))
        fail_msg("%s: %s", rows->field[ID], error.text);
    assert_true(bs_count(model, &access, &cost));
    bs_model_free(model);
    return cost.passes;
}

static void do_the_models_give_what_others_published(void **state)
{
    struct rows rows;
    unsigned wrong = 0, count = 0, known = 0;
    (void)state;
    rows_open(&rows, "../cases/cases.tsv");
    while (rows_next(&rows)) {
        assert_int_equal(rows.fields, ADDRESSES + 1);
        const struct disagreement *disagreement = find_disagreement(rows.field[ID]);
        const uint32_t reported = (uint32_t)row_number(&rows, PASSES);
        const uint32_t expected = disagreement ? disagreement->passes : reported;
        const uint32_t passes = passes_of(&rows);
        if (passes != expected || (disagreement && expected == reported)) {
            print_error("%s, %s (%s): expected %u passes, found %u%s%s\n"
                        "  bankshot eval -m %s %s %s --mask %s\n",
                        rows.field[ID], rows.field[DEVICE], rows.field[BASIS], expected, passes,
                        disagreement ? "; noted as wrong since " : "",
                        disagreement ? disagreement->why : "", rows.field[MODEL], rows.field[OP],
                        rows.field[ADDRESSES], rows.field[MASK]);
            wrong++;
        }
        known += disagreement != NULL;
        count++;
    }
    rows_close(&rows);
    assert_int_equal(wrong, 0);
    assert_int_equal(known, DISAGREEMENTS); /* every note is about a row */
    assert_int_equal(count, 71);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(do_the_models_give_what_others_published),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
