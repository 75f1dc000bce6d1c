/*
 * Does a damaged trace ever give a record that was not in it? Text and arrays; the binary, which
 * has checksums, and the formats of other tools are held to the same beside their other tests.
 */
#include "trace_help.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 6 };

/* A trace of random records in a format. */
static char *random_trace(const char *format, uint64_t seed, size_t *size)
{
    struct bs_error error = {0};
    struct case_access made;
    const struct bs_kernel kernels[] = {{.name = "a,\"b\"\n", .smem = -1},
                                        {.name = "c", .smem = 9}};
    FILE *file = tmpfile();
    struct bs_trace_writer *writer = bs_writer_open(file, format, &error);
    assert_non_null(writer);
    print_message("%s, seed 0x%" PRIx64 "\n", format, seed);
    for (unsigned i = 0; i < RECORDS; i++) {
        if (i % (RECORDS / 2) == 0)
            assert_true(bs_writer_kernel(writer, &kernels[i > 0], &error));
        random_access(&seed, &made);
        assert_true(bs_writer_record(writer, &made.access, &error));
    }
    assert_true(bs_writer_finish(writer, &error));
    bs_writer_close(writer);
    char *bytes = read_stream(file, size);
    fclose(file);
    return bytes;
}

/* Whether two records are the same, byte for byte of what a trace says of them. */
static bool same_record(const struct bs_record *a, const struct bs_record *b)
{
    const struct bs_access *x = &a->access, *y = &b->access;
    if (a->line != b->line || x->op.index != y->op.index || x->mask != y->mask ||
        x->cta != y->cta || x->warp != y->warp || x->pc != y->pc || x->dep != y->dep ||
        !x->src != !y->src)
        return false;
    for (unsigned t = 0; t < BS_MAX_LANES && x->op.kind != BS_BAR; t++)
        if (x->mask >> t & 1 && (x->addr[t] != y->addr[t] || (x->src && x->src[t] != y->src[t])))
            return false;
    return true;
}

/* Reads what there is of a trace beside the whole one: how many of its first records it has. */
static unsigned common_start(const char *whole, size_t whole_size, const char *part, size_t size,
                             bool *differs, bool *warned)
{
    struct bs_error error = {0};
    struct bs_record want, came;
    unsigned count = 0;
    enum bs_trace_event event;
    struct bs_trace *a = bs_trace_memory(whole, whole_size, "whole", &error);
    struct bs_trace *b = bs_trace_memory(part, size, "part", &error);
    *differs = false;
    assert_true(b || error.status == BS_BAD_TRACE);
    while (b && (event = bs_trace_next_record(b, &came, &error)) == BS_TRACE_RECORD) {
        *differs |=
            bs_trace_next_record(a, &want, NULL) != BS_TRACE_RECORD || !same_record(&want, &came);
        if (*differs)
            break;
        count++;
    }
    *warned = b && bs_trace_warning(b);
    assert_true(!b || *differs || event == BS_TRACE_END || error.text[0]);
    bs_trace_close(a);
    bs_trace_close(b);
    return count;
}

/* A copy of exactly that size, so that a sanitizer sees reads past it. */
static char *copy_of(const char *bytes, size_t size)
{
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

/* The last line of a text may do without its end, so that one which is cut off can look whole: its
 * record may differ then, but not without a warning. */
static void test_a_text_that_is_cut_has_the_records_of_its_whole_lines(void **state)
{
    (void)state;
    size_t size;
    char *text = random_trace("text", 0x5eed0100, &size);
    for (size_t cut = 0; cut <= size; cut++) {
        bool differs, warned;
        size_t whole_lines = cut;
        while (whole_lines > 0 && text[whole_lines - 1] != '\n')
            whole_lines--;
        char *part = copy_of(text, whole_lines);
        const unsigned count = common_start(text, size, part, whole_lines, &differs, &warned);
        assert_false(differs || warned);
        free(part);
        part = copy_of(text, cut);
        assert_true(common_start(text, size, part, cut, &differs, &warned) >= count);
        assert_true(warned || !differs);
        free(part);
    }
    free(text);
}

static void test_an_array_that_is_cut_has_its_first_records_and_says_so(void **state)
{
    (void)state;
    size_t size;
    char *array = random_trace("npy", 0x5eed0110, &size);
    unsigned most = 0;
    for (size_t cut = 0; cut <= size; cut++) {
        bool differs, warned;
        char *part = copy_of(array, cut);
        const unsigned count = common_start(array, size, part, cut, &differs, &warned);
        assert_false(differs);
        assert_true(count >= most);
        assert_true(cut == size || count < RECORDS);
        most = count;
        free(part);
    }
    assert_int_equal(most, RECORDS);
    free(array);
}

/* Whatever bit is flipped: an error in words, or a trace. */
static void test_flipped_bits_crash_no_reader(void **state)
{
    (void)state;
    static const char *const formats[] = {"text", "npy"};
    for (unsigned format = 0; format < 2; format++) {
        size_t size;
        char *bytes = random_trace(formats[format], 0x5eed0120, &size);
        for (size_t bit = 0; bit < 8 * size; bit++) {
            struct bs_error error = {0};
            struct bs_record record;
            enum bs_trace_event event = BS_TRACE_ERROR;
            char *damaged = copy_of(bytes, size);
            damaged[bit / 8] ^= (char)(1 << bit % 8);
            struct bs_trace *trace = bs_trace_memory(damaged, size, "t", &error);
            while (trace &&
                   (event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD)
                continue;
            assert_true(event == BS_TRACE_END ||
                        (error.status == BS_BAD_TRACE && error.text[0] != '\0'));
            bs_trace_close(trace);
            free(damaged);
        }
        free(bytes);
    }
}

/* ---- headers of arrays ----------------------------------------------------------------------- */

/* An array whose header is that text, followed by so many zeros. */
static char *array_of(const char *header, size_t zeros, size_t *size)
{
    const size_t length = strlen(header);
    char *bytes = calloc(10 + length + zeros, 1);
    assert_non_null(bytes);
    memcpy(bytes, "\x93NUMPY\x01\x00", 8);
    bytes[8] = (char)(length & 255);
    bytes[9] = (char)(length >> 8);
    memcpy(bytes + 10, header, length);
    *size = 10 + length + zeros;
    return bytes;
}

static void test_an_absurd_header_of_an_array_is_an_error(void **state)
{
    (void)state;
    static const char *const headers[] = {
        "",
        "{",
        "{}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (9999999999999999999999, 32)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (18446744073709551615, 32)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (2, 18446744073709551615)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (-1, 32)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 65)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': (1, 32), 'shape': (2, 32)}",
        "{'descr': '<u4', 'fortran_order': True, 'shape': (2, 32)}",
        "{'descr': '>u4', 'fortran_order': False, 'shape': (2, 32)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 32)}",
        "{'descr': '<u4', 'fortran_order': False, 'shape': ((2, 32), 2)}",
        "{'descr': [('addr', '<u4', (32,)), ('addr', '<u4', (32,))], 'fortran_order': False, "
        "'shape': (2,)}",
        "{'descr': [('mask', '<u8')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('addr', '<u4', (4294967295,))], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': [('addr', '<u4', (32,)), ('op', 'S99999999999')], 'fortran_order': False, "
        "'shape': (2,)}",
    };
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        struct bs_error error = {0};
        struct bs_filter filter = bs_filter_everything();
        struct bs_record record;
        size_t size;
        char *bytes = array_of(headers[i], 256, &size);
        enum bs_trace_event event = BS_TRACE_ERROR;
        struct bs_trace *trace = bs_trace_memory(bytes, size, "t", &error);
        filter.op = "ld.b32";
        if (trace)
            bs_trace_filter(trace, &filter);
        while (trace && (event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD)
            continue;
        if (event != BS_TRACE_ERROR)
            print_message("%s\n", headers[i]);
        assert_int_equal(event, BS_TRACE_ERROR);
        assert_int_equal(error.status, BS_BAD_TRACE);
        bs_trace_close(trace);
        free(bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_text_that_is_cut_has_the_records_of_its_whole_lines),
        cmocka_unit_test(test_an_array_that_is_cut_has_its_first_records_and_says_so),
        cmocka_unit_test(test_flipped_bits_crash_no_reader),
        cmocka_unit_test(test_an_absurd_header_of_an_array_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
