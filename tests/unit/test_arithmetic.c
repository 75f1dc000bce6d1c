/* Is the formula for strides right wherever it is not withheld, on the hardware that it is about?
 */
#include "command/arithmetic.h"
#include "model_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* A full warp, lanes stride bytes apart. */
static struct bs_access access_of(const char *op, uint32_t stride, uint32_t addr[BS_MAX_LANES])
{
    struct bs_access access = {.mask = UINT32_MAX, .addr = addr};
    assert_true(bs_op_parse(op, strlen(op), &access.op));
    for (uint32_t lane = 0; lane < 32; lane++)
        addr[lane] = lane * stride;
    return access;
}

static uint32_t greatest_divisor(uint32_t a, uint32_t b)
{
    uint32_t found = 1;
    for (uint32_t i = 1; i <= b; i++)
        if (a % i == 0 && b % i == 0)
            found = i;
    return found;
}

/* One stride: what the formula says is what is counted, and what the page of the premises says. */
static void check(const struct bs_model *model, const char *op, uint32_t width, uint32_t stride)
{
    uint32_t addr[BS_MAX_LANES];
    const struct bs_access access = access_of(op, stride, addr);
    const struct bs_arithmetic made = bs_arithmetic_of(model, &access);
    struct bs_cost cost;
    assert_true(made.strided);
    assert_int_equal(made.stride, stride);
    assert_int_equal(made.width, width);
    assert_int_equal(made.whole, stride % 4 == 0);
    assert_int_equal(made.apart, stride >= 4 * width);
    assert_int_equal(made.holds, made.whole && made.apart);
    assert_true(!bs_arithmetic_objection(&made) == made.holds);
    if (!made.holds)
        return;
    const uint32_t gcd = greatest_divisor(stride / 4, 32);
    assert_int_equal(made.passes, gcd > width ? gcd : width);
    if (stride % (4 * width) != 0)
        return; /* no such access; a compiler would issue narrower ones */
    assert_true(bs_count(model, &access, &cost));
    if (made.gcd != gcd || made.passes != cost.passes)
        fail_msg("%s, %u bytes apart: expected gcd %u and %u passes, found %u and %u", op, stride,
                 gcd, cost.passes, made.gcd, made.passes);
}

static void does_the_formula_agree_with_the_count(void **state)
{
    static const struct {
        const char *op;
        uint32_t width, unit;
    } ops[] = {{"ld.b16", 1, 2}, {"ld.b32", 1, 4}, {"ld.b64", 2, 4}, {"ld.b128", 4, 4},
               {"st.b16", 1, 2}, {"st.b32", 1, 4}, {"st.b64", 2, 4}, {"st.b128", 4, 4}};
    struct bs_model *model = hopper_with(NULL);
    (void)state;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        for (uint32_t stride = ops[i].unit; stride <= 1200; stride += ops[i].unit)
            check(model, ops[i].op, ops[i].width, stride);
    bs_model_free(model);
}

static void is_the_formula_withheld_where_it_says_nothing(void **state)
{
    static const char *const hashed[] = {"mapping.xor=row", NULL};
    static const char *const many[] = {"banks=64", NULL};
    struct bs_model *models[] = {hopper_with(NULL), hopper_with(hashed), hopper_with(many)};
    uint32_t addr[BS_MAX_LANES];
    struct bs_access access = access_of("ld.b32", 132, addr);
    (void)state;
    assert_true(bs_arithmetic_of(models[0], &access).holds);
    assert_false(bs_arithmetic_of(models[1], &access).holds);
    assert_false(bs_arithmetic_of(models[2], &access).holds);
    access.mask = 0xff;
    assert_false(bs_arithmetic_of(models[0], &access).holds);
    access.mask = 1;
    assert_false(bs_arithmetic_of(models[0], &access).strided);
    access = access_of("atom.add.b32", 4, addr);
    assert_false(bs_arithmetic_of(models[0], &access).strided);
    access = access_of("ld.b96", 12, addr);
    assert_false(bs_arithmetic_of(models[0], &access).holds);
    access = access_of("ld.b32", 4, addr);
    addr[31] = 0;
    assert_false(bs_arithmetic_of(models[0], &access).strided);
    for (size_t i = 0; i < 3; i++)
        bs_model_free(models[i]);
}

static void are_lanes_in_falling_order_the_same_distance_apart(void **state)
{
    struct bs_model *model = hopper_with(NULL);
    uint32_t addr[BS_MAX_LANES];
    const struct bs_access access = access_of("ld.b32", 32, addr);
    (void)state;
    for (uint32_t lane = 0; lane < 32; lane++)
        addr[lane] = (31 - lane) * 32;
    assert_true(bs_arithmetic_of(model, &access).strided);
    assert_int_equal(bs_arithmetic_of(model, &access).passes, 8);
    assert_int_equal(bs_arithmetic_of(model, &access).stride, 32);
    bs_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_the_formula_agree_with_the_count),
        cmocka_unit_test(is_the_formula_withheld_where_it_says_nothing),
        cmocka_unit_test(are_lanes_in_falling_order_the_same_distance_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
