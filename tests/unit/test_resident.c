/* How many CTAs are resident, and does every number of a model's capacity matter to that? */
#include "command/resident.h"
#include "model_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const limit_names[] = {
    [BS_LIMIT_LAUNCH] = "the launch", [BS_LIMIT_WISH] = "the wish", [BS_LIMIT_MEMORY] = "memory",
    [BS_LIMIT_WARPS] = "warps",       [BS_LIMIT_CTAS] = "CTAs",
};

/* An H200 has 233472 bytes, 1024 of which go with each CTA, and room for 64 warps and 32 CTAs. */
static void the_tightest_limit_decides(void **state)
{
    static const struct {
        struct bs_demand demand;
        uint32_t ctas;
        enum bs_limit limit;
        bool too_large;
    } cases[] = {
        {{1024, 8, 5, 0}, 5, BS_LIMIT_LAUNCH, false},
        {{1024, 8, 9, 0}, 8, BS_LIMIT_WARPS, false},
        {{1024, 1, 100, 0}, 32, BS_LIMIT_CTAS, false},
        {{49152, 8, 100, 0}, 4, BS_LIMIT_MEMORY, false},
        {{77824 - 1024, 4, 100, 0}, 3, BS_LIMIT_MEMORY, false}, /* to the last byte */
        {{77825 - 1024, 4, 100, 0}, 2, BS_LIMIT_MEMORY, false},
        {{-1, 4, 100, 0}, 16, BS_LIMIT_WARPS, false}, /* not known: no limit */
        {{300000, 4, 2, 0}, 1, BS_LIMIT_MEMORY, true},
        {{1024, 70, 2, 0}, 1, BS_LIMIT_WARPS, true},
        {{1024, 8, 9, 2}, 2, BS_LIMIT_WISH, false},
        {{1024, 8, 9, 20}, 8, BS_LIMIT_WARPS, false},
        {{1024, 8, 5, 20}, 5, BS_LIMIT_LAUNCH, false},
        {{100000, 8, 9, 5}, 5, BS_LIMIT_WISH, true},
        {{0, 0, 0, 0}, 1, BS_LIMIT_LAUNCH, true},
    };
    struct bs_model *model = hopper_with(NULL);
    (void)state;
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bs_resident made = bs_resident_of(model, &cases[i].demand);
        if (made.ctas != cases[i].ctas || made.limit != cases[i].limit ||
            made.too_large != cases[i].too_large)
            fail_msg("case %u: expected %u CTAs for %s%s, got %u for %s%s", i, cases[i].ctas,
                     limit_names[cases[i].limit], cases[i].too_large ? ", too large" : "",
                     made.ctas, limit_names[made.limit], made.too_large ? ", too large" : "");
    }
    bs_model_free(model);
}

static void every_key_of_capacity_matters(void **state)
{
    static const struct {
        const char *key;
        const char *set;
        struct bs_demand demand;
    } changes[] = {
        {"capacity.shared_memory", "capacity.shared_memory=100000", {49152, 8, 100, 0}},
        {"capacity.reserved_memory", "capacity.reserved_memory=40000", {49152, 8, 100, 0}},
        {"capacity.ctas", "capacity.ctas=3", {1024, 1, 100, 0}},
        {"capacity.warps", "capacity.warps=40", {1024, 8, 100, 0}},
    };
    const size_t prefix = strlen("capacity.");
    size_t count;
    size_t keys = 0;
    const struct bs_model_key *reference = bs_model_keys(&count);
    struct bs_model *hopper = hopper_with(NULL);
    (void)state;
    for (unsigned i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct bs_model *model = hopper_with((const char *const[]){changes[i].set, NULL});
        const struct bs_resident before = bs_resident_of(hopper, &changes[i].demand);
        const struct bs_resident after = bs_resident_of(model, &changes[i].demand);
        if (after.ctas >= before.ctas)
            fail_msg("%s: expected fewer than %u CTAs, got %u", changes[i].set, before.ctas,
                     after.ctas);
        bs_model_free(model);
    }
    for (size_t k = 0; k < count; k++)
        keys += strncmp(reference[k].path, "capacity.", prefix) == 0;
    assert_int_equal(keys, sizeof changes / sizeof *changes + 2); /* and basis and source */
    bs_model_free(hopper);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_tightest_limit_decides),
        cmocka_unit_test(every_key_of_capacity_matters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
