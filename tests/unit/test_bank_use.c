/* Are the uses of banks those of the schedules, also where a pattern was seen before? */
#include "command/bank_use.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 4000 };

static uint32_t random_below(uint64_t *random, uint32_t below)
{
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 33) % below;
}

static struct bs_model *load(const char *name, const char *set)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load(name, folders, sets, &errors);
    if (!model)
        fail_msg("%s", errors.list[0].text);
    return model;
}

/* One of few patterns, somewhere; so most have been seen before, moved by rows or by less. */
static void draw_access(uint64_t *random, struct bs_access *access, uint32_t *addr)
{
    static const char *const ops[] = {"ld.b32", "st.b32", "ld.b128", "atom.add.b32",
                                      "cp.async.b128"};
    const char *op = ops[random_below(random, 5)];
    const uint32_t stride = 16 * random_below(random, 6);
    const uint32_t base = 64 * random_below(random, 100);
    assert_true(bs_op_parse(op, strlen(op), &access->op));
    access->mask = random_below(random, 3) ? UINT32_MAX : UINT32_C(1) << random_below(random, 32);
    for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++)
        addr[lane] = base + lane * stride;
}

/* The same, slowly. */
static void add_slowly(uint64_t uses[BS_MAX_BANKS], const struct bs_schedule *schedule)
{
    for (size_t p = 0; p < schedule->pass_count && p < schedule->cost.slots; p++) {
        bool used[BS_MAX_BANKS] = {false};
        const struct bs_pass *pass = &schedule->passes[p];
        for (uint32_t s = 0; s < pass->count; s++)
            used[schedule->services[pass->first + s].bank] = true;
        for (unsigned bank = 0; bank < BS_MAX_BANKS; bank++)
            uses[bank] += used[bank];
    }
}

static void check(const char *name, const char *set)
{
    uint32_t addr[BS_MAX_LANES];
    uint64_t expected[BS_MAX_BANKS] = {0};
    struct bs_schedule schedule = {0};
    struct bs_bank_use use = {.shapes = NULL};
    struct bs_access access = {.addr = addr};
    struct bs_model *model = load(name, set);
    uint64_t random = 88172645463325252;
    for (unsigned i = 0; i < RECORDS; i++) {
        draw_access(&random, &access, addr);
        assert_true(bs_schedule_build(&schedule, model, &access));
        add_slowly(expected, &schedule);
        assert_true(bs_bank_use_add(&use, model, &access));
    }
    for (unsigned bank = 0; bank < BS_MAX_BANKS; bank++)
        if (use.uses[bank] != expected[bank])
            fail_msg("%s, %s, bank %u: expected %" PRIu64 " uses, got %" PRIu64, name, set, bank,
                     expected[bank], use.uses[bank]);
    bs_bank_use_free(&use);
    bs_schedule_free(&schedule);
    bs_model_free(model);
}

static void uses_are_those_of_the_schedules(void **state)
{
    (void)state;
    check("hopper", "banks=32");
    check("hopper", "banks=20");
    check("hopper", "row_bytes=512");
    check("hopper", "mapping.xor=row");
    check("hopper", "ports=2");
    check("hopper", "rules.cp.async.*.slots=1");
}

static void the_range_names_the_first_of_its_banks(void **state)
{
    struct bs_bank_use use = {.shapes = NULL};
    struct bs_model *model = load("hopper", "banks=4");
    (void)state;
    memcpy(use.uses, (const uint64_t[]){5, 9, 2, 9}, 4 * sizeof *use.uses);
    const struct bs_bank_range range = bs_bank_use_range(&use, model);
    assert_int_equal(range.all, 25);
    assert_int_equal(range.most, 9);
    assert_int_equal(range.most_bank, 1);
    assert_int_equal(range.least, 2);
    assert_int_equal(range.least_bank, 2);
    bs_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_are_those_of_the_schedules),
        cmocka_unit_test(the_range_names_the_first_of_its_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
