/* Do address expressions mean what C means by them, and is everything else an error with its place?
 */
#include "bankshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const names[] = {"t", "pitch"};
static const int64_t values[] = {5, -48};

static void check_error(const struct bs_error *error, const char *text, uint64_t column,
                        const char *message)
{
    if (error->status != BS_USAGE || error->column != column || strcmp(error->text, message) != 0)
        fail_msg("%.80s\nexpected %llu: %s\nfound    %llu: %s (status %d)", text,
                 (unsigned long long)column, message, (unsigned long long)error->column,
                 error->text, (int)error->status);
}

static void gives(const char *text, int64_t value)
{
    struct bs_error error;
    int64_t result = 0;
    struct bs_expr *expr = bs_expr_parse(text, names, 2, &error);
    if (!expr || !bs_expr_eval(expr, values, &result, &error))
        fail_msg("%.80s\nexpected %lld\nfound column %llu: %s", text, (long long)value,
                 (unsigned long long)error.column, error.text);
    bs_expr_free(expr);
    if (result != value)
        fail_msg("%.80s\nexpected %lld\nfound    %lld", text, (long long)value, (long long)result);
}

/* The error comes from the parser, or if it takes the text, from the evaluation. */
static void fails(const char *text, uint64_t column, const char *message)
{
    struct bs_error error = {0};
    int64_t result;
    struct bs_expr *expr = bs_expr_parse(text, names, 2, &error);
    if (expr && bs_expr_eval(expr, values, &result, &error))
        fail_msg("%.80s\nexpected %llu: %s\nfound %lld", text, (unsigned long long)column, message,
                 (long long)result);
    bs_expr_free(expr);
    check_error(&error, text, column, message);
}

/* Each text twice: for the compiler of this test, and for the parser. t is 5, pitch -48. */
#define SAME_AS_C(text)                                                                            \
    {                                                                                              \
#text, text                                                                                \
    }

static void do_operators_mean_what_they_mean_in_c(void **state)
{
    enum { t = 5, pitch = -48 };
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        SAME_AS_C(t * 4),
        SAME_AS_C(t + pitch),
        SAME_AS_C(t - pitch - 1),
        SAME_AS_C(100 / t / 2),
        SAME_AS_C(pitch / t),
        SAME_AS_C(pitch % t),
        SAME_AS_C(100 % 7 * 3),
        SAME_AS_C(1 << t),
        SAME_AS_C(0x80 >> t),
        SAME_AS_C(t & 4),
        SAME_AS_C(t | 8),
        SAME_AS_C(t ^ 7),
        SAME_AS_C(~t),
        SAME_AS_C(-pitch),
        SAME_AS_C(+t),
        SAME_AS_C(!t),
        SAME_AS_C(!!t),
        SAME_AS_C(- -t),
        SAME_AS_C(~-!t),
        SAME_AS_C(t < 5),
        SAME_AS_C(t <= 5),
        SAME_AS_C(t > 4),
        SAME_AS_C(t >= 6),
        SAME_AS_C(t == 5),
        SAME_AS_C(t != 5),
        SAME_AS_C(t ? 7 : 8),
        SAME_AS_C(!t  ? 7
                  : t ? 8
                      : 9),
        SAME_AS_C(t ? !t ? 1 : 2 : 3),
        SAME_AS_C(0xfF),
        SAME_AS_C(9223372036854775807),
        SAME_AS_C(-9223372036854775807 - 1),
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        gives(cases[i].text, cases[i].value);
    gives("t && 0", 0);
    gives("t && 2", 1);
    gives("0 || t", 1);
    gives("0 || 0", 0);
}

/* Every operator next to every other, where C and the parser must group alike: the texts have no
 * parentheses, the values were computed with all of them. */
static void do_operators_bind_as_in_c(void **state)
{
    (void)state;
    gives("2 + 3 * 4", 2 + (3 * 4));
    gives("20 - 6 / 2", 20 - (6 / 2));
    gives("1 + 9 % 5", 1 + (9 % 5));
    gives("1 << 2 + 1", 1 << (2 + 1));
    gives("64 >> 1 + 1", 64 >> (1 + 1));
    gives("1 < 1 << 1", 1 < (1 << 1));
    gives("3 >= 8 >> 1", 3 >= (8 >> 1));
    gives("1 == 3 > 2", 1 == (3 > 2));
    gives("0 != 3 <= 2", 0 != (3 <= 2));
    gives("6 & 4 == 4", 6 & (4 == 4));
    gives("1 ^ 3 & 2", 1 ^ (3 & 2));
    gives("4 | 1 ^ 5", 4 | (1 ^ 5));
    gives("1 && 0 | 2", 1);
    gives("1 || 1 && 0", 1 || (1 && 0));
    gives("1 || 0 ? 2 : 3", (1 || 0) ? 2 : 3);
    gives("0 ? 1 : 0 ? 2 : 3", 0 ? 1 : (0 ? 2 : 3));
    gives("10 - 4 - 3", (10 - 4) - 3);
    gives("100 / 5 / 2", (100 / 5) / 2);
    gives("256 >> 2 >> 1", (256 >> 2) >> 1);
    gives("3 > 2 > 1", (3 > 2) > 1);
    gives("-2 * -3", (-2) * (-3));
    gives("~1 & 7", (~1) & 7);
    gives("!0 + 1", (!0) + 1);
    gives("(2 + 3) * 4", 20);
    gives("2*(3+(4-(5)))", 4);
}

static void do_min_and_max_work(void **state)
{
    (void)state;
    gives("min(3, t)", 3);
    gives("max(3,t) * 2", 10);
    gives("min(max(1, 2), pitch ? 9 : 0)", 2);
    gives(" min ( 1 , 2 ) ", 1);
}

static void are_skipped_operands_not_evaluated(void **state)
{
    (void)state;
    gives("0 && 1 / 0", 0);
    gives("1 || 1 / 0", 1);
    gives("1 ? 2 : 1 / 0", 2);
    gives("0 ? 1 / 0 : 3", 3);
    gives("0 && 1 / 0 || 7", 1);
    gives("1 || 1 / 0 && 1 / 0", 1);
    gives("t > 9 ? 1 / 0 : t < 9 ? t : 1 / 0", 5);
    fails("1 && 1 / 0", 8, "division by zero");
    fails("0 || 1 % 0", 8, "remainder of a division by zero");
    fails("0 ? 1 : 1 / 0", 11, "division by zero");
}

static void is_every_overflow_an_error(void **state)
{
    (void)state;
    gives("9223372036854775806 + 1", INT64_MAX);
    fails("9223372036854775807 + 1", 21, "the sum does not fit in 64 bits");
    fails("-9223372036854775807 + -2", 22, "the sum does not fit in 64 bits");
    gives("-9223372036854775807 - 1", INT64_MIN);
    fails("-9223372036854775807 - 2", 22, "the difference does not fit in 64 bits");
    fails("0 - (-9223372036854775807 - 1)", 3, "the difference does not fit in 64 bits");
    fails("-(-9223372036854775807 - 1)", 1, "the difference does not fit in 64 bits");
    gives("3037000499 * 3037000499", INT64_C(9223372030926249001));
    fails("3037000500 * 3037000500", 12, "the product does not fit in 64 bits");
    fails("3037000500 * -3037000500", 12, "the product does not fit in 64 bits");
    fails("-3037000500 * 3037000500", 13, "the product does not fit in 64 bits");
    fails("-3037000500 * -3037000500", 13, "the product does not fit in 64 bits");
    gives("4611686018427387904 * -2", INT64_MIN);
    gives("-2 * 4611686018427387904", INT64_MIN);
    fails("(-9223372036854775807 - 1) * -1", 28, "the product does not fit in 64 bits");
    fails("-1 * (-9223372036854775807 - 1)", 4, "the product does not fit in 64 bits");
    gives("(-9223372036854775807 - 1) * 1", INT64_MIN);
    gives("(-9223372036854775807 - 1) * 0", 0);
    fails("(-9223372036854775807 - 1) / -1", 28, "the quotient does not fit in 64 bits");
    fails("(-9223372036854775807 - 1) % -1", 28, "the remainder does not fit in 64 bits");
    gives("1 << 62", INT64_C(1) << 62);
    fails("1 << 63", 3, "the shifted number does not fit in 64 bits");
    fails("3 << 62", 3, "the shifted number does not fit in 64 bits");
    gives("1 >> 63", 0);
    fails("1 << 64", 3, "shift by more than 63");
    fails("1 >> 64", 3, "shift by more than 63");
    fails("1 << -1", 3, "shift by a negative number");
    fails("1 >> -1", 3, "shift by a negative number");
    fails("pitch << 1", 7, "shift of a negative number");
    fails("pitch >> 1", 7, "shift of a negative number");
    fails("t / (t - 5)", 3, "division by zero");
    fails("t % (t - 5)", 3, "remainder of a division by zero");
}

static void is_wrong_text_an_error_at_its_column(void **state)
{
    static const struct {
        const char *text;
        uint64_t column;
        const char *message;
    } cases[] = {
        {"", 1, "expected an expression, found nothing"},
        {"  ", 1, "expected an expression, found nothing"},
        {"t *", 4, "expected a number, a name or '(', found the end"},
        {"* t", 1, "expected a number, a name or '(', found '*'"},
        {"t ** 2", 4, "expected a number, a name or '(', found '*'"},
        {"t \xc2\xb7 4", 3, "expected an operator or the end, found '\xc2\xb7'"},
        {"t \xff", 3, "expected an operator or the end, found '\\xff'"},
        {"t 2", 3, "expected an operator or the end, found '2'"},
        {"t)", 2, "expected an operator or the end, found ')'"},
        {"(t", 3, "expected ')' for the '(' in column 1, found the end"},
        {"(t 4", 4, "expected ')' for the '(' in column 1, found '4'"},
        {"()", 2, "expected a number, a name or '(', found ')'"},
        {"t = 4", 3, "expected an operator (equal is written ==) or the end, found '='"},
        {"t ? 1", 6, "expected ':' for the '?' in column 3, found the end"},
        {"t ? 1, 2", 6, "expected ':' for the '?' in column 3, found ','"},
        {"t : 1", 3, "expected an operator or the end, found ':'"},
        {"t ? : 1", 5, "expected a number, a name or '(', found ':'"},
        {"lane * 4", 1, "unknown name 'lane'; known: t, pitch"},
        {"4 * T", 5, "unknown name 'T'; known: t, pitch; did you mean 't'?"},
        {"ptich", 1, "unknown name 'ptich'; known: t, pitch; did you mean 'pitch'?"},
        {"t.x", 1, "unknown name 't.x'; known: t, pitch"},
        {"ithcp", 1, "unknown name 'ithcp'; known: t, pitch"},
        {"abs(t)", 1, "unknown function 'abs'; known: min, max"},
        {"min(t)", 6, "expected ',' and a second argument, found ')'"},
        {"min(t, 1, 2)", 9, "expected ')' after two arguments, found ','"},
        {"min(t, 1", 9, "expected ')' after two arguments, found the end"},
        {"min", 1, "unknown name 'min'; known: t, pitch"},
        {"32abc", 1,
         "expected a decimal or 0x number of at most 9223372036854775807, found '32abc'"},
        {"1.5", 1, "expected a decimal or 0x number of at most 9223372036854775807, found '1.5'"},
        {"1_024", 1,
         "expected a decimal or 0x number of at most 9223372036854775807, found '1_024'"},
        {"t + 0x", 5, "expected a decimal or 0x number of at most 9223372036854775807, found '0x'"},
        {"9223372036854775808", 1,
         "expected a decimal or 0x number of at most 9223372036854775807, found "
         "'9223372036854775808'"},
        {"010", 1, "'010' has a leading zero, which C reads as octal"},
        {"t $ 2", 3, "expected an operator or the end, found '$'"},
        {"t && && t", 6, "expected a number, a name or '(', found '&&'"},
        {"t \x01", 3, "expected an operator or the end, found '\\x01'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        fails(cases[i].text, cases[i].column, cases[i].message);
}

static void is_a_name_unknown_where_there_are_none(void **state)
{
    struct bs_error error;
    (void)state;
    assert_null(bs_expr_parse("t", NULL, 0, &error));
    check_error(&error, "t", 1, "unknown name 't'; no names are known here");
    assert_null(bs_expr_parse("t", NULL, 0, NULL));
    static const char *const free_numbers[] = {"", "row", ""};
    assert_null(bs_expr_parse("t", free_numbers, 1, &error));
    check_error(&error, "t", 1, "unknown name 't'; no names are known here");
    assert_null(bs_expr_parse("t", free_numbers, 3, &error));
    check_error(&error, "t", 1, "unknown name 't'; known: row");
}

/* before repeated, then middle, then after repeated. */
static char *repeated(const char *before, const char *middle, const char *after, size_t times)
{
    const size_t size = times * (strlen(before) + strlen(after)) + strlen(middle);
    char *text = malloc(size + 1);
    assert_non_null(text);
    char *at = text;
    for (size_t i = 0; i < times; i++, at += strlen(before))
        memcpy(at, before, strlen(before));
    memcpy(at, middle, strlen(middle));
    at += strlen(middle);
    for (size_t i = 0; i < times; i++, at += strlen(after))
        memcpy(at, after, strlen(after));
    *at = '\0';
    return text;
}

static void is_deep_nesting_an_error_and_long_text_fine(void **state)
{
    static const struct {
        const char *before, *middle, *after;
        size_t times;
        uint64_t column; /* 0: it has the value */
        int64_t value;
    } cases[] = {
        {"(", "t", ")", 99, 0, 5},          {"(", "t", ")", 100, 101, 0},
        {"(", "t", ")", 100000, 101, 0},    {"-", "t", "", 100000, 101, 0},
        {"~", "t", "", 98, 0, 5},           {"min(1,", "t", ")", 100000, 599, 0},
        {"0?1:", "t", "", 100000, 399, 0},  {"1?", "t", ":0", 100000, 201, 0},
        {"t+", "t", "", 100000, 0, 500005}, {"1&&", "t", "", 100000, 0, 1},
        {"0||", "t", "", 100000, 0, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = repeated(cases[i].before, cases[i].middle, cases[i].after, cases[i].times);
        if (cases[i].column)
            fails(text, cases[i].column, "the expression is nested more than 100 deep");
        else
            gives(text, cases[i].value);
        free(text);
    }
}

/* Eight values wait in each pair of parentheses, so the first of the 33rd is the 257th. */
static void is_the_stack_of_values_limited(void **state)
{
    (void)state;
    char *text = repeated("1|2^3&4==5<6<<7+8*(", "t", ")", 90);
    fails(text, 32 * 19 + 1, "the expression is too large");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(do_operators_mean_what_they_mean_in_c),
        cmocka_unit_test(do_operators_bind_as_in_c),
        cmocka_unit_test(do_min_and_max_work),
        cmocka_unit_test(are_skipped_operands_not_evaluated),
        cmocka_unit_test(is_every_overflow_an_error),
        cmocka_unit_test(is_wrong_text_an_error_at_its_column),
        cmocka_unit_test(is_a_name_unknown_where_there_are_none),
        cmocka_unit_test(is_deep_nesting_an_error_and_long_text_fine),
        cmocka_unit_test(is_the_stack_of_values_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
