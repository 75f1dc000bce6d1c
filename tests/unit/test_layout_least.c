/* Are the bounds of an access such that no layout is below them, and as high as they should be? */
#include "command/layout_least.h"
#include "command/layout_space.h"
#include "sketch_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers --------------------------------------------------------------------------------- */

/* With an override, or NULL. */
static struct bs_model *load_model(const char *name, const char *set)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    const char *const sets[] = {set, NULL};
    struct bs_model *model = bs_model_load(name, folders, sets, &errors);
    bs_errors_free(&errors);
    assert_non_null(model);
    return model;
}

/* Here words one by one are cheaper. */
static const char dear[] = "rules.ld.b128.multiplier=8";

/* ---- never too high -------------------------------------------------------------------------- */

/* Every width, op and way of sharing, of lanes that are regular and of some that are not. */
static const char mixed[] = "sketch: mixed\nblock: 64\narrays:\n"
                            "  a: {element: float, size: [16, 24]}\n"
                            "  b: {element: half, size: [32, 40]}\n"
                            "  c: {element: double, size: [16, 16]}\n"
                            "  d: {element: char, size: [16, 64]}\n"
                            "steps:\n"
                            "  - {ld: 'a[tx % 16][tx / 16]'}\n"
                            "  - {ld: 'a[tx / 8][tx % 2 * 4]', vector: 4}\n"
                            "  - {ld: 'a[tx / 8][tx % 4 * 2]', vector: 2, when: tx % 3 > 0}\n"
                            "  - {st: 'a[tx % 16][tx / 16 * 4]', vector: 4, when: tx < 20}\n"
                            "  - {st: 'b[tx % 32][tx / 32 * 8]', vector: 8}\n"
                            "  - {ldmatrix.x2: 'b[lane][warp * 8]'}\n"
                            "  - {ld: 'b[tx % 7][tx * tx % 40]'}\n"
                            "  - {st: 'c[tx % 16][tx / 16]'}\n"
                            "  - {ld: 'c[tx / 4][tx % 2 * 2]', vector: 2}\n"
                            "  - {ld: 'd[tx % 16][tx / 16 * 16]', vector: 16}\n"
                            "  - {st: 'd[tx % 16][tx]'}\n";
static const char atomics[] =
    "sketch: atomics\nblock: 64\narrays:\n"
    "  a: {element: int, size: [16, 24]}\n"
    "steps:\n"
    "  - {atom.add: 'a[tx / 20][tx % 3]'}\n"
    "  - {atom.inc: 'a[tx * tx % 16][tx % 5]'}\n"
    "  - {atom.cas: 'a[tx % 16][tx / 16]', when: tx != 5}\n"
    "  - {cp.async: 'a[tx / 4][tx % 4]', src: 4 * tx}\n"
    "  - {cp.async.cg: 'a[tx / 4][tx % 4 * 4]', vector: 4, src: 64 * tx}\n";

static void check_candidate(const struct bs_work *work, const struct bs_model *model, size_t array,
                            const struct bs_layout *layout, const uint64_t *least)
{
    struct bs_work_cost cost;
    for (size_t i = 0; i < work->access_count; i++)
        if (work->accesses[i].array == array && bs_work_price(work, model, i, layout, &cost) &&
            cost.slots < least[i])
            fail_msg("%s, %s at a pitch of %u: expected at least %llu slots, found %llu",
                     model->name, work->accesses[i].label, layout->pitch,
                     (unsigned long long)least[i], (unsigned long long)cost.slots);
}

static void check_layouts(const char *text, const char *name, const char *set)
{
    static uint32_t spot[2048];
    const struct bs_space space = {.schemes = (1u << BS_SCHEMES) - 1, .period = 128};
    struct bs_sketch *sketch = good_sketch(text, NULL, 0);
    struct bs_model *model = load_model(name, set);
    struct bs_work work = {0};
    struct bs_error error;
    uint64_t least[16];
    assert_true(bs_work_of_sketch(&work, sketch, &error));
    assert_true(work.access_count <= sizeof least / sizeof *least);
    for (size_t i = 0; i < work.access_count; i++)
        least[i] = bs_work_least(&work, model, i);
    for (size_t array = 0; array < work.array_count; array++) {
        const struct bs_layout *given = &work.arrays[array].layout;
        struct bs_candidates candidates = {0};
        assert_true(given->rows * given->columns <= sizeof spot / sizeof *spot);
        assert_true(bs_space_list(&space, given, &candidates));
        for (size_t i = 0; i < candidates.count; i++) {
            const struct bs_layout layout = bs_candidate_lay(&candidates.list[i], given, spot);
            check_candidate(&work, model, array, &layout, least);
        }
        free(candidates.list);
    }
    bs_work_free(&work);
    bs_model_free(model);
    bs_sketch_free(sketch);
}

static void is_no_layout_below_the_bound(void **state)
{
    static const char *const models[] = {"hopper", "kepler-4byte", "kepler-8byte", "tesla",
                                         "fermi",  "gcn",          "cdna4",        "intel-slm",
                                         "vortex", "volta"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        check_layouts(mixed, models[i], NULL);
    check_layouts(mixed, "hopper", dear);
    check_layouts(atomics, "hopper", NULL);
    check_layouts(atomics, "maxwell", NULL);
    check_layouts(atomics, "gcn", NULL);
}

/* ---- nor too low ----------------------------------------------------------------------------- */

static void check_least_of(const char *set, const char *access, uint64_t expected)
{
    static const char form[] = "sketch: one\nblock: 32\narrays:\n"
                               "  a: {element: int, size: [32, 64]}\n"
                               "  h: {element: half, size: [32, 64]}\n"
                               "steps:\n  - {%s}\n";
    char text[512];
    struct bs_work work = {0};
    struct bs_error error;
    snprintf(text, sizeof text, form, access);
    struct bs_sketch *sketch = good_sketch(text, NULL, 0);
    struct bs_model *model = load_model("hopper", set);
    assert_true(bs_work_of_sketch(&work, sketch, &error));
    const uint64_t found = bs_work_least(&work, model, 0);
    if (found != expected)
        fail_msg("%s: expected at least %llu slots, found %llu", access,
                 (unsigned long long)expected, (unsigned long long)found);
    bs_work_free(&work);
    bs_model_free(model);
    bs_sketch_free(sketch);
}

static void check_least(const char *access, uint64_t expected)
{
    check_least_of(NULL, access, expected);
}

static void does_the_bound_know_bytes_phases_and_queues(void **state)
{
    (void)state;
    check_least("ld: 'a[tx][0]'", 1);            /* a column: the bytes of one pass */
    check_least("ld: 'a[tx][0]', vector: 4", 4); /* 512 bytes */
    check_least("ld: 'a[0][0]', vector: 4", 2);  /* all the same, but of 4 phases that join */
    check_least("st: 'a[tx][0]', vector: 4, when: tx < 8", 4); /* idle phases */
    check_least("ld: 'a[tx / 2][0]', vector: 2", 1);           /* neighbours share: phases join */
    check_least("ld: 'a[tx][0]', vector: 2", 2);
    check_least("ldmatrix.x4: 'h[lane][0]'", 4);
    check_least("ld: 'h[tx][0]'", 1);
    check_least("atom.add: 'a[0][0]'", 32);     /* lanes queue for a word */
    check_least("atom.add: 'a[0][tx % 8]'", 4); /* 4 for each */
    check_least("atom.inc: 'a[0][0]'", 1);      /* but not these */
    check_least("atom.cas: 'a[tx][0]'", 2);     /* two passes each */
    check_least("cp.async.cg: 'a[tx][0]', vector: 4, src: 16 * tx", 1);
    check_least("cp.async: 'a[tx][0]', vector: 4, src: 16 * tx", 4);
    check_least_of(dear, "ld: 'a[tx][0]', vector: 4", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_no_layout_below_the_bound),
        cmocka_unit_test(does_the_bound_know_bytes_phases_and_queues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
