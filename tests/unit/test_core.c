/* Do the small parts of the core say what their headers promise: numbers, errors, names of ops? */
#include "bankshot.h"

#include "buffer.h"
#include "divide.h"
#include "lanes.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- numbers ----------------------------------------------------------------------------------
 */

static void numbers_are_whole_tokens_within_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t max;
        bool good;
        uint64_t value;
    } cases[] = {
        {"0", 9, true, 0},
        {"9", 9, true, 9},
        {"10", 9, false, 0},
        {"0x1F", UINT64_MAX, true, 31},
        {"0XfF", UINT64_MAX, true, 255},
        {"18446744073709551615", UINT64_MAX, true, UINT64_MAX},
        {"18446744073709551616", UINT64_MAX, false, 0},
        {"0xffffffffffffffff", UINT64_MAX, true, UINT64_MAX},
        {"0x10000000000000000", UINT64_MAX, false, 0},
        {"", 9, false, 0},
        {"0x", 9, false, 0},
        {"-1", 9, false, 0},
        {"+1", 9, false, 0},
        {" 1", 9, false, 0},
        {"1 ", 9, false, 0},
        {"1a", 9, false, 0},
        {"0xg", UINT64_MAX, false, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t value = 0;
        const bool good =
            bs_number_parse(cases[i].text, strlen(cases[i].text), cases[i].max, &value);
        if (good != cases[i].good || value != cases[i].value)
            fail_msg("'%s' up to %llu: %s, %llu", cases[i].text, (unsigned long long)cases[i].max,
                     good ? "taken" : "refused", (unsigned long long)value);
    }
}

static void hexadecimal_needs_no_prefix(void **state)
{
    (void)state;
    uint64_t value = 0;
    assert_true(bs_hex_parse("ffffffff", 8, UINT32_MAX, &value));
    assert_int_equal(value, UINT32_MAX);
    assert_true(bs_hex_parse("0x10", 4, UINT32_MAX, &value));
    assert_int_equal(value, 16);
    assert_false(bs_hex_parse("100000000", 9, UINT32_MAX, &value));
    assert_false(bs_hex_parse("fg", 2, UINT32_MAX, &value));
    assert_false(bs_number_parse("ff", 2, UINT32_MAX, &value));
}

/* ---- errors -----------------------------------------------------------------------------------
 */

static void an_error_is_one_line_without_the_parts_that_do_not_apply(void **state)
{
    (void)state;
    static const struct {
        const char *file;
        uint64_t line, column;
        const char *expected;
    } cases[] = {
        {"a.trace", 3, 7, "a.trace:3:7: no 5"}, {"a.trace", 3, 0, "a.trace:3: no 5"},
        {"a.trace", 0, 0, "a.trace: no 5"},     {NULL, 3, 7, "no 5"},
        {"a\nb", 1, 1, "a\\x0ab:1:1: no 5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_error error;
        char line[1024];
        assert_false(bs_fail(&error, BS_BAD_TRACE, cases[i].file, cases[i].line, cases[i].column,
                             "no %d", 5));
        bs_error_line(&error, line, sizeof line);
        assert_string_equal(line, cases[i].expected);
        assert_int_equal(error.status, BS_BAD_TRACE);
    }
    assert_false(bs_fail(NULL, BS_USAGE, NULL, 0, 0, "nobody listens"));
    struct bs_error error;
    bs_fail(&error, BS_USAGE, NULL, 0, 0, "no '%s'", "\x1b[31m\n");
    assert_string_equal(error.text, "no '\\x1b[31m\\x0a'");
}

static void foreign_text_comes_out_printable(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t room;
        const char *expected;
    } cases[] = {
        {"plain", 64, "plain"},
        {"tab\tbell\a", 64, "tab\\x09bell\\x07"},
        {"\x1b[31m", 64, "\\x1b[31m"},
        {"caf\xc3\xa9", 64, "caf\xc3\xa9"},
        {"\xc2\x9b"
         "31m",
         64, "\\xc2\\x9b31m"}, /* a control character in two bytes */
        {"a\xe2\x80\xae"
         "b\xe2\x81\xa6",
         64, "a\\xe2\\x80\\xaeb\\xe2\\x81\\xa6"}, /* turn the direction of text */
        {"\xe2\x80\xa8", 64, "\\xe2\\x80\\xa8"},  /* ends a line */
        {"\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa", 64,
         "\xe2\x80\xa7\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa"}, /* their neighbours do not */
        {"\xff\xfe", 64, "\\xff\\xfe"},                       /* no UTF-8 */
        {"\xc0\xaf", 64, "\\xc0\\xaf"},                       /* too long for what it says */
        {"\xed\xa0\x80", 64, "\\xed\\xa0\\x80"},              /* half a surrogate pair */
        {"\xe2\x82", 64, "\\xe2\\x82"},                       /* cut off */
        {"0123456789", 11, "0123456789"},
        {"0123456789", 10, "012345..."},
        {"01234567\n", 10, "012345..."},
        {"0123", 3, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        memset(out, '#', sizeof out);
        bs_printable(cases[i].text, strlen(cases[i].text), out, cases[i].room);
        assert_string_equal(out, cases[i].expected);
    }
}

static void errors_of_a_file_are_listed_in_order_of_position(void **state)
{
    (void)state;
    static const uint64_t places[][2] = {{9, 1}, {2, 5}, {2, 3}, {9, 1}, {4, 4}};
    struct bs_errors errors = {0};
    for (unsigned i = 0; i < 5; i++) {
        struct bs_error error;
        bs_fail(&error, BS_BAD_MODEL, "m.yaml", places[i][0], places[i][1], "%u", i);
        bs_errors_add(&errors, &error);
    }
    char order[8] = "";
    for (size_t i = 0; i < errors.count; i++)
        order[i] = errors.list[i].text[0];
    assert_string_equal(order, "21403");
    bs_errors_free(&errors);
    assert_int_equal(errors.count, 0);
}

/* ---- ops --------------------------------------------------------------------------------------
 */

static void every_op_has_a_name_that_names_it(void **state)
{
    (void)state;
    char names[BS_OPS][BS_OP_NAME];
    for (unsigned index = 0; index < BS_OPS; index++) {
        struct bs_op op;
        bs_op_name(bs_op_at(index), names[index]);
        assert_true(bs_op_parse(names[index], strlen(names[index]), &op));
        assert_int_equal(op.index, index);
        for (unsigned other = 0; other < index; other++)
            assert_string_not_equal(names[other], names[index]);
    }
}

static void assemblers_names_are_taken_as_aliases(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"LDS", "ld.b32"},
        {"LDS.U8", "ld.b8"},
        {"LDS.S16", "ld.b16"},
        {"LDS.64", "ld.b64"},
        {"LDS.U.128", "ld.b128"},
        {"STS", "st.b32"},
        {"STS.U16", "st.b16"},
        {"STS.128", "st.b128"},
        {"ATOMS.ADD", "atom.add.b32"},
        {"ATOMS.POPC.INC.32", "atom.inc.b32"},
        {"ATOMS.CAS.64", "atom.cas.b64"},
        {"ATOMS.CAST.SPIN", "atom.cast.b32"},
        {"ATOMS.CAST.SPIN.64", "atom.cast.b64"},
        {"ATOMS.EXCH.64", "atom.exch.b64"},
        {"ATOMS.MAX.S32", "atom.max.b32"},
        {"ATOMS.OR", "atom.or.b32"},
        {"ATOMS.INC", "atom.add.b32"},
        {"ATOMS.DEC", "atom.add.b32"},
        {"LDSM.16.M88", "ldmatrix.x1"},
        {"LDSM.16.M88.4", "ldmatrix.x4"},
        {"LDSM.16.MT88.2", "ldmatrix.x2.trans"},
        {"STSM.16.M88.4", "stmatrix.x4"},
        {"LDGSTS.E", "cp.async.b32"},
        {"LDGSTS.E.64", "cp.async.b64"},
        {"LDGSTS.E.128", "cp.async.b128"},
        {"LDGSTS.E.LTC128B.128", "cp.async.b128"},
        {"LDGSTS.E.BYPASS.128", "cp.async.cg.b128"},
        {"LDGSTS.E.BYPASS.LTC128B.128", "cp.async.cg.b128"},
        {"BAR.SYNC", "bar"},
        {"BAR.SYNC.DEFER_BLOCKING", "bar"},
        {"ds_read_b32", "ld.b32"},
        {"ds_read_b128", "ld.b128"},
        {"ds_read_u8_d16_hi", "ld.b8"},
        {"ds_load_b64", "ld.b64"},
        {"ds_load_b96", "ld.b96"},
        {"ds_write_b64", "st.b64"},
        {"ds_store_b16", "st.b16"},
        {"ds_add_u32", "red.add.b32"},
        {"ds_add_rtn_u64", "atom.add.b64"},
        {"ds_wrxchg_rtn_b32", "atom.exch.b32"},
        {"ds_cmpst_rtn_b64", "atom.cas.b64"},
        {"s_barrier", "bar"},
        {"ld.shared.b32", "ld.b32"},
        {"ld.shared.f16", "ld.b16"},
        {"ld.shared.v4.f32", "ld.b128"},
        {"ld.shared::cta.v2.u32", "ld.b64"},
        {"ld.volatile.shared.v4.u8", "ld.b32"},
        {"ld.shared.b128", "ld.b128"},
        {"st.shared.u64", "st.b64"},
        {"st.volatile.shared.v2.f64", "st.b128"},
        {"atom.shared.add.u32", "atom.add.b32"},
        {"atom.shared.inc.u32", "atom.add.b32"},
        {"atom.shared::cta.dec.u32", "atom.add.b32"},
        {"atom.shared.cas.b64", "atom.cas.b64"},
        {"atom.shared.min.s32", "atom.min.b32"},
        {"red.shared.add.u32", "red.add.b32"},
        {"red.shared.or.b32", "red.or.b32"},
        {"ldmatrix.sync.aligned.m8n8.x4.shared.b16", "ldmatrix.x4"},
        {"ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16", "ldmatrix.x2.trans"},
        {"stmatrix.sync.aligned.m8n8.x1.shared.b16", "stmatrix.x1"},
        {"cp.async.cg.shared.global", "cp.async.cg.b128"},
        {"cp.async.cg.shared.global.L2::128B", "cp.async.cg.b128"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_op op;
        char name[BS_OP_NAME];
        if (!bs_op_parse(cases[i][0], strlen(cases[i][0]), &op))
            fail_msg("%s is not known", cases[i][0]);
        assert_string_equal(bs_op_name(op, name), cases[i][1]);
        assert_int_equal(bs_op_at(op.index).kind, op.kind);
        assert_int_equal(bs_op_at(op.index).bytes, op.bytes);
    }
}

static void what_is_no_op_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = {
        "",
        "ld",
        "ld.b",
        "ld.b33",
        "LD.B32",
        "ld.b32 ",
        "atom.add",
        "atom.b32",
        "atom.sub.b32",
        "ldmatrix.x3",
        "ldmatrix",
        "cp.async.b8",
        "LDS.",
        "LDS.FOO",
        "LDS..64",

        "LDSM.8.M88",
        "LDSM.16.M88.3",
        "LDGSTS.E.BYPASS",
        "LDG.E.64",
        "STG",
        "ds_read2_b32",
        "ds_nop",
        "BAR.ARV",
        "cp.async.cg.b64",
        "ld.shared",
        "ld.shared.",
        "ld.shared.v2",
        "ld.shared.v3.f32",
        "ld.shared.v4.f64",
        "ld.shared.v2.b128",
        "ld.shared.f32x",
        "ld.shared::cluster.f32",
        "ld.global.f32",
        "ld.f32",
        "atom.inc.u32",
        "atom.dec.b32",
        "atom.shared.add.f32",
        "atom.shared.add.u16",
        "atom.shared.u32",
        "atom.global.add.u32",
        "ldmatrix.sync.aligned.m8n8.x3.shared.b16",
        "ldmatrix.sync.aligned.m8n8.x4.b16",
        "cp.async.ca.shared.global",
        "cp.async.cg.shared.global.L2::96B",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bs_op op;
        if (bs_op_parse(names[i], strlen(names[i]), &op))
            fail_msg("'%s' is taken for an op", names[i]);
    }
}

static void hints_do_not_mislead(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"ld.b33", "; did you mean 'ld.b32'?"},
        {"atom.dec.b32", "; a wrapping dec costs what atom.add.bN does"},
        {"atom.inc.u32", "; a wrapping inc costs what atom.add.bN does"},
        {"red.global.dec.u32", "; a wrapping dec costs what red.add.bN does"},
        {"atom.shared.add.f32", "; a floating-point add is a loop of ld and atom.cast"},
        {"cp.async.ca.shared.global", "; it is cp.async.b32, .b64 or .b128, by its size"},
        {"nothing.of.the.kind", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char hint[BS_OP_HINT];
        assert_string_equal(bs_op_hint(cases[i][0], strlen(cases[i][0]), hint), cases[i][1]);
    }
}

static void matrix_ops_use_eight_lanes_a_matrix(void **state)
{
    (void)state;
    assert_int_equal(bs_op_lanes((struct bs_op){.matrices = 1}, 32), 0xff);
    assert_int_equal(bs_op_lanes((struct bs_op){.matrices = 2}, 32), 0xffff);
    assert_int_equal(bs_op_lanes((struct bs_op){.matrices = 4}, 32), 0xffffffff);
    assert_int_equal(bs_op_lanes((struct bs_op){.matrices = 4}, 16), 0xffff);
    assert_int_equal(bs_op_lanes((struct bs_op){0}, 32), 0xffffffff);
    assert_true(bs_op_lanes((struct bs_op){0}, 64) == UINT64_MAX);
}

/* ---- lanes and buffers ------------------------------------------------------------------------
 */

static void lane_sets_are_counted_and_walked(void **state)
{
    (void)state;
    for (unsigned t = 0; t < 64; t++) {
        assert_int_equal(bs_lanes_lowest(UINT64_MAX << t), t);
        assert_int_equal(bs_lanes_count(UINT64_MAX << t), 64 - t);
        assert_int_equal(bs_lanes_lowest(UINT64_C(1) << t), t);
    }
    assert_int_equal(bs_lanes_count(0), 0);
}

static void a_buffer_keeps_what_is_added(void **state)
{
    (void)state;
    struct bs_buffer buffer = {0};
    for (int i = 0; i < 100; i++)
        bs_buffer_printf(&buffer, "%d,", i);
    bs_buffer_text(&buffer, "end");
    char *text = bs_buffer_take(&buffer);
    assert_int_equal(strlen(text), 10 * 2 + 90 * 3 + 3);
    assert_memory_equal(text, "0,1,2,", 6);
    assert_string_equal(text + strlen(text) - 6, "99,end");
    assert_null(buffer.data);
    free(text);
}

static void a_buffer_that_cannot_grow_stays_failed(void **state)
{
    (void)state;
    struct bs_buffer buffer = {0};
    bs_buffer_text(&buffer, "kept");
    assert_false(bs_buffer_reserve(&buffer, SIZE_MAX));
    bs_buffer_text(&buffer, "more");
    assert_int_equal(buffer.size, 4);
    assert_null(bs_buffer_take(&buffer));
}

/* ---- divisors ---------------------------------------------------------------------------------
 */

static void check_division(const struct bs_divisor *divisor, uint32_t by, uint32_t value)
{
    if (bs_quotient(value, divisor) != value / by || bs_remainder(value, divisor) != value % by)
        fail_msg("%" PRIu32 " / %" PRIu32 " is %" PRIu32 ", not %" PRIu32, value, by, value / by,
                 bs_quotient(value, divisor));
}

/* Where a factor that is not precise enough shows: beside multiples, small ones and the last. */
static void check_divisor(uint32_t by)
{
    const struct bs_divisor divisor = bs_divisor_of(by);
    const uint32_t most = UINT32_MAX / by;
    uint64_t state = by;
    for (uint32_t i = 0; i < 64; i++) {
        state = state * UINT64_C(6364136223846793005) + 1;
        const uint32_t multiples[] = {i < most ? i : most, most - (i < most ? i : most),
                                      (uint32_t)(state >> 32) / by};
        for (unsigned m = 0; m < 3; m++)
            for (uint32_t beside = 0; beside < 3; beside++)
                check_division(&divisor, by, multiples[m] * by + beside - 1);
        check_division(&divisor, by, UINT32_MAX - i);
        check_division(&divisor, by, (uint32_t)(state >> 32));
    }
}

static void a_prepared_divisor_divides_as_division_does(void **state)
{
    (void)state;
    for (uint32_t by = 1; by <= 8192; by++)
        check_divisor(by);
    for (unsigned bit = 13; bit < 32; bit++)
        for (uint32_t beside = 0; beside < 3; beside++)
            check_divisor((UINT32_C(1) << bit) + beside - 1);
    for (uint32_t below = 0; below < 64; below++)
        check_divisor(UINT32_MAX - below);
    for (uint32_t by = 1; by <= BS_MAX_BANKS; by++) {
        const struct bs_divisor divisor = bs_divisor_of(by);
        for (uint32_t value = 0; value < 1u << 16; value++)
            check_division(&divisor, by, value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_whole_tokens_within_range),
        cmocka_unit_test(hexadecimal_needs_no_prefix),
        cmocka_unit_test(an_error_is_one_line_without_the_parts_that_do_not_apply),
        cmocka_unit_test(foreign_text_comes_out_printable),
        cmocka_unit_test(errors_of_a_file_are_listed_in_order_of_position),
        cmocka_unit_test(every_op_has_a_name_that_names_it),
        cmocka_unit_test(assemblers_names_are_taken_as_aliases),
        cmocka_unit_test(what_is_no_op_is_refused),
        cmocka_unit_test(hints_do_not_mislead),
        cmocka_unit_test(matrix_ops_use_eight_lanes_a_matrix),
        cmocka_unit_test(lane_sets_are_counted_and_walked),
        cmocka_unit_test(a_buffer_keeps_what_is_added),
        cmocka_unit_test(a_buffer_that_cannot_grow_stays_failed),
        cmocka_unit_test(a_prepared_divisor_divides_as_division_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
