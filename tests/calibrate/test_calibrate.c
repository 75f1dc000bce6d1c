/* Does calibration find the model that it is asked about? */
#include "calibrate.h"
#include "loops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};

static struct bs_model *load(const char *name, const char *set)
{
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load(name, folders, set ? sets : NULL, &errors);
    if (!model)
        fail_msg("%s: %s", name, errors.list[0].text);
    return model;
}

/* A calibration, and the simulated device that it goes on naming. */
struct calibrated {
    struct bs_calibration calibration; /* first: freeing it frees all */
    struct bs_gauge gauge;
};

/* Calibrates a simulated device; the caller releases the result. */
static struct bs_calibration *calibrate(const struct bs_model *model, const char *ops, bool counter,
                                        uint32_t noise)
{
    struct calibrated *made = calloc(1, sizeof *made);
    struct bs_error error;
    assert_non_null(made);
    struct bs_calibration *c = &made->calibration;
    assert_true(bs_gauge_of_model(&made->gauge, model, noise));
    made->gauge.has[BS_BY_COUNTER] = counter;
    *c = (struct bs_calibration){
        .gauge = &made->gauge, .name = "found", .ops = ops, .patterns = 40, .seed = 1};
    if (!bs_calibrate(c, &error))
        fail_msg("%s: %s", model->name, error.text);
    made->gauge.close(&made->gauge);
    return c;
}

static void release(struct bs_calibration *c)
{
    bs_timing_finding_free(&c->timing);
    free(c);
}

/* Whether the banks and all rules are those of the model. */
static void assert_found(const struct bs_calibration *c, const struct bs_model *model,
                         const char *what)
{
    struct bs_comparison comparison;
    char name[BS_OP_NAME];
    bs_calibration_compare(c, model, &comparison);
    if (comparison.geometry_differs)
        fail_msg("%s: found %u banks of %u bytes, rows of %u, hash %u; expected %u, %u, %u, %u",
                 what, c->model.banks, c->model.bank_width, c->model.row_bytes,
                 c->model.mapping.hash, model->banks, model->bank_width, model->row_bytes,
                 model->mapping.hash);
    if (comparison.differing_count > 0)
        fail_msg("%s: the rule of %s is another", what, bs_op_name(comparison.differing[0], name));
    assert_int_equal(comparison.compared, c->finding_count);
    for (size_t i = 0; i < c->finding_count; i++)
        if (c->findings[i].predicted != c->findings[i].tried || c->findings[i].tried == 0)
            fail_msg("%s: %s: %zu of %zu fresh patterns predicted", what,
                     bs_op_name(c->findings[i].op, name), c->findings[i].predicted,
                     c->findings[i].tried);
}

static void try(const char *name, const char *set, const char *ops, bool counter, uint32_t noise)
{
    struct bs_model *model = load(name, set);
    struct bs_calibration *c = calibrate(model, ops, counter, noise);
    assert_found(c, model, set ? set : name);
    release(c);
    bs_model_free(model);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* All rules, and all numbers of time. */
static void hopper_is_found(void **state)
{
    struct bs_model *model = load("hopper", NULL);
    struct bs_calibration *c = calibrate(model, NULL, true, 0);
    (void)state;
    assert_found(c, model, "hopper");
    assert_true(c->timed);
    for (enum bs_key key = BS_KEY_SCHEDULERS; key < BS_KEY_CAPACITY_BASIS; key++)
        assert_int_equal(*bs_timing_number(&c->model.timing, key),
                         *bs_timing_number(&model->timing, key));
    release(c);
    bs_model_free(model);
}

static void a_noisy_clock_is_enough(void **state)
{
    (void)state;
    try("hopper", NULL, "??.b64", false, 20);
    try("hopper", NULL, "atom.*.b32", false, 20);
}

static void other_devices_are_found(void **state)
{
    static const char *const names[] = {"volta", "ampere", "kepler-4byte", "kepler-8byte", "rdna3"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        try(names[i], NULL, "ld.b*", true, 0);
}

static void devices_that_do_not_exist_are_found(void **state)
{
    static const char *const sets[] = {
        "banks=24",
        "bank_width=8",
        "row_bytes=512",
        "mapping.xor=row",
        "mapping.xor=fold",
        "rules.ld.b128.merge=[4]",
        "rules.ld.b128.same_word=serialize",
        "rules.ld.b64.ports=2",
        "rules.ld.b64.combine=largest",
        "rules.ld.b128.multiplier=3",
        "rules.ld.b32.extra_passes=1",
        "rules.ld.b128.phases=[\"0-3 12-15\", \"4-11\", \"16-19 28-31\", \"20-27\"]",
    };
    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        try("hopper", sets[i], "ld.b*", true, 0);
}

/* What no hypothesis says is said to be unexplained, with accesses that show it. */
static void what_no_rule_explains_is_told(void **state)
{
    struct bs_model *model = load("hopper", "rules.ld.b64.multiplier=7");
    struct bs_calibration *c = calibrate(model, "ld.b64", true, 0);
    (void)state;
    assert_int_equal(c->finding_count, 1);
    assert_false(c->findings[0].found);
    assert_true(c->findings[0].missed_count > 0);
    assert_true(c->findings[0].missed[0].read > c->findings[0].missed[0].expected);
    assert_null(bs_model_rule(&c->model, c->findings[0].op));
    release(c);
    bs_model_free(model);
}

/* The file that is written is the model. */
static void the_file_loads_back(void **state)
{
    struct bs_model *model = load("hopper", NULL);
    struct bs_calibration *c = calibrate(model, "st.b*", true, 0);
    struct bs_errors errors = {0};
    char *yaml = bs_calibration_yaml(c);
    (void)state;
    assert_non_null(yaml);
    struct bs_model *again = bs_model_parse(yaml, strlen(yaml), "found", folders, NULL, &errors);
    if (!again)
        fail_msg("%llu: %s", (unsigned long long)errors.list[0].line, errors.list[0].text);
    char *twice = bs_model_yaml(again);
    assert_non_null(strstr(yaml, twice));
    free(twice);
    free(yaml);
    release(c);
    bs_model_free(again);
    bs_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hopper_is_found),
        cmocka_unit_test(a_noisy_clock_is_enough),
        cmocka_unit_test(other_devices_are_found),
        cmocka_unit_test(devices_that_do_not_exist_are_found),
        cmocka_unit_test(what_no_rule_explains_is_told),
        cmocka_unit_test(the_file_loads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
