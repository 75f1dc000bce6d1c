/* Does calibration find each number of the timing section, or say that it cannot be seen? The
 * device is a model, so what it should find is known. */
#include "timing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};

enum { MOST_SETS = 15 };

/* A simulated hopper with other numbers, and the keys of which those are that cannot be seen. */
struct device {
    const char *sets[MOST_SETS + 1]; /* ending with NULL */
    const char *unseen;              /* their names, each between blanks */
};

static struct bs_model *load(const char *const *sets)
{
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load("hopper", folders, sets, &errors);
    if (!model)
        fail_msg("%s", errors.list[0].text);
    return model;
}

/* Times a simulated device. The caller frees the finding. */
static struct bs_timing find(const struct bs_model *model, uint32_t noise,
                             struct bs_timing_finding *finding)
{
    struct bs_gauge gauge;
    struct bs_error error;
    struct bs_timing timing = {0};
    for (enum bs_key key = BS_KEY_SCHEDULERS; key < BS_KEY_CAPACITY_BASIS; key++)
        *bs_timing_number(&timing, key) = bs_key_form(key)->standard;
    assert_true(bs_gauge_of_model(&gauge, model, noise));
    if (!bs_find_timing(&gauge, model, 1, &timing, finding, &error))
        fail_msg("%s", error.text);
    gauge.close(&gauge);
    return timing;
}

static bool is_named(const char *names, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, " %s ", name);
    return names && strstr(names, word);
}

/* A number that is seen is the model's; of one that is not, the model's is among those that do as
 * well, and the report says so. */
static void check_number(const struct device *device, const struct bs_model *model,
                         struct bs_timing *found, const struct bs_timing_finding *finding,
                         enum bs_key key)
{
    struct bs_timing timing = model->timing;
    const char *name = bs_key_leaf(key);
    const uint32_t is = *bs_timing_number(found, key), was = *bs_timing_number(&timing, key);
    const struct bs_values values = finding->range[key - BS_KEY_SCHEDULERS];
    const char *first = device->sets[0] ? device->sets[0] : "hopper";
    if (bs_timing_is_seen(finding, key) == is_named(device->unseen, name))
        fail_msg("%s...: %s is %sseen: %u to %u do as well", first, name,
                 bs_timing_is_seen(finding, key) ? "" : "not ", values.low, values.high);
    if (bs_timing_is_seen(finding, key) && is != was)
        fail_msg("%s...: %s is %u, found %u", first, name, was, is);
    if (was < values.low || was > values.high)
        fail_msg("%s...: %s is %u, found %u to %u", first, name, was, values.low, values.high);
    if (is < values.low || is > values.high)
        fail_msg("%s...: %s is said to be %u, of %u to %u", first, name, is, values.low,
                 values.high);
}

static void check_device(const struct device *device, double most)
{
    struct bs_model *model = load(device->sets);
    struct bs_timing_finding finding;
    struct bs_timing found = find(model, 0, &finding);
    for (enum bs_key key = BS_KEY_SCHEDULERS; key < BS_KEY_CAPACITY_BASIS; key++)
        check_number(device, model, &found, &finding, key);
    if (finding.worst_error > most)
        fail_msg("%s...: the engine misses the cycles of a random loop by %.3f %%",
                 device->sets[0] ? device->sets[0] : "hopper", finding.worst_error);
    bs_timing_finding_free(&finding);
    bs_model_free(model);
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Each number of hopper, and two other values of each at least. */
static void every_number_is_found(void **state)
{
    static const struct device devices[] = {
        {{NULL}, NULL},
        {{"timing.queue=3", "timing.lookahead=3", "timing.data_interval=1",
          "timing.latency_add=300", "timing.latency_32=3000", "timing.barrier_latency=5", NULL},
         NULL},
        {{"timing.in_flight=33", "timing.lookahead=9", "timing.data_interval=0",
          "timing.latency_add=0", "timing.latency_64=1234", "timing.barrier_interval=7", NULL},
         NULL},
        {{"timing.queue=1", "timing.in_flight=7", "timing.schedulers=3",
          "timing.scheduler_interval=3", "timing.latency_128=5000", "timing.barrier_latency=40",
          NULL},
         NULL},
        {{"timing.queue=40", "timing.in_flight=50", "timing.schedulers=2", "timing.lookahead=2",
          "timing.pass_interval=3", "timing.latency_atom=777", "timing.barrier_interval=1", NULL},
         NULL},
        {{"timing.warp_interval=250", "timing.data_interval=5", "timing.lookahead=1",
          "timing.scheduler_interval=1", "timing.latency_add=1200", NULL},
         NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        check_device(&devices[i], 1e-6);
}

static void what_cannot_be_seen_is_said(void **state)
{
    static const struct device devices[] = {
        /* The array never holds 19 of a warp with another behind them. */
        {{"timing.lookahead=64", NULL}, " lookahead "},
        /* A lone warp's passes fill the array, so nothing can go between them. */
        {{"timing.pass_interval=1", NULL}, " lookahead "},
        {{"timing.schedulers=1", NULL}, " queue in_flight barrier_interval "},
        {{"timing.scheduler_interval=8", NULL}, " warp_interval "},
        {{"timing.warp_interval=100", NULL}, " warp_interval "},
        {{"timing.in_flight=1", NULL}, " lookahead "},
    };
    (void)state;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
        check_device(&devices[i], 1e-6);
}

/* The add is taken to be whole cycles: another one is found to half a cycle, and the latencies make
 * up for it. */
static void an_add_of_half_a_cycle_is_rounded(void **state)
{
    static const char *const sets[] = {"timing.latency_add=550", NULL};
    struct bs_model *model = load(sets);
    struct bs_timing_finding finding;
    const struct bs_timing found = find(model, 0, &finding);
    (void)state;
    assert_true(found.latency_add == 500 || found.latency_add == 600);
    assert_int_equal(found.latency_32 + found.latency_add,
                     model->timing.latency_32 + model->timing.latency_add);
    assert_true(finding.worst_error < 0.1);
    bs_timing_finding_free(&finding);
    bs_model_free(model);
}

/* A clock that strays by a hundredth moves the latencies, not the numbers of the queues. */
static void a_noisy_clock_is_enough_for_the_queues(void **state)
{
    struct bs_model *model = load((const char *const[]){NULL});
    struct bs_timing_finding finding;
    const struct bs_timing found = find(model, 5, &finding);
    (void)state;
    assert_int_equal(found.schedulers, 4);
    assert_int_equal(found.queue, 10);
    assert_int_equal(found.in_flight, 20);
    assert_int_equal(found.lookahead, 4);
    assert_int_equal(found.pass_interval, 2);
    assert_int_equal(found.scheduler_interval, 2);
    assert_int_equal(found.data_interval, 2);
    assert_in_range(found.latency_32, 2113, 2313);
    bs_timing_finding_free(&finding);
    bs_model_free(model);
}

/* What is written of an unseen number names the values and the reason. */
static void the_reason_is_told(void **state)
{
    struct bs_timing_finding finding = {0};
    struct bs_buffer text = {0};
    (void)state;
    finding.range[BS_KEY_LOOKAHEAD - BS_KEY_SCHEDULERS] = (struct bs_values){19, 64};
    assert_true(bs_timing_is_seen(&finding, BS_KEY_QUEUE));
    assert_false(bs_timing_is_seen(&finding, BS_KEY_LOOKAHEAD));
    bs_timing_describe(&finding, BS_KEY_LOOKAHEAD, &text);
    char *told = bs_buffer_take(&text);
    assert_string_equal(told, "19 to 64 do as well: no warp is held up by so many of another");
    free(told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_is_found),
        cmocka_unit_test(what_cannot_be_seen_is_said),
        cmocka_unit_test(an_add_of_half_a_cycle_is_rounded),
        cmocka_unit_test(a_noisy_clock_is_enough_for_the_queues),
        cmocka_unit_test(the_reason_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
