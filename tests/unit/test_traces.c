/*
 * Does the native text say exactly what it says, and does everything else come back as one error
 * with its place?
 */
#include "trace_help.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD "#bankshot-trace 1\nkernel k\n"

/* ---- helpers -------------------------------------------------------------------------------- */

/* The error of reading these bytes as one line of text; "" if there is none. */
static const char *error_of(const void *bytes, size_t size, char *line, size_t room)
{
    struct bs_error error = {0};
    enum bs_trace_event last = BS_TRACE_ERROR;
    struct bs_trace *trace = bs_trace_memory(bytes, size, "t", &error);
    if (trace)
        drain(trace, &last, &error);
    bs_trace_close(trace);
    line[0] = '\0';
    if (last == BS_TRACE_ERROR) {
        bs_error_line(&error, line, room);
        assert_int_equal(error.status, BS_BAD_TRACE);
    }
    return line;
}

static void check_rewrite(const char *text, const char *expected)
{
    struct bs_error error = {0};
    size_t size;
    struct bs_trace *trace = bs_trace_memory(text, strlen(text), "t", &error);
    assert_non_null(trace);
    char *written = rewrite(trace, &size);
    assert_string_equal(written, expected);
    free(written);
    bs_trace_close(trace);
}

/* ---- a bad trace ---------------------------------------------------------------------------- */

struct bad {
    const char *text;
    size_t size; /* 0: up to its NUL */
    const char *error;
};

#define ACCEPTED                                                                                   \
    "\"#bankshot-trace 1\" (native text) or \"\\x89BST\" (native binary) or \"\\x93NUMPY\" "       \
    "(array of NumPy) or \"sketch:\" (layout sketch) or \"-kernel name =\" (Accel-Sim) or "        \
    "\"MEMTRACE:\" (NVBit mem_trace) or \"kernel-1.traceg\" (Accel-Sim kernelslist.g)"
#define BYTES(text) text, sizeof(text) - 1

static const struct bad bad_heads[] = {
    {"", 0, "t: the trace is empty, expected it to start with " ACCEPTED},
    {"0 0 0x0 bar 1 -\n", 0,
     "t:1:1: unknown trace format, expected a start with " ACCEPTED
     ", found \"0 0 0x0 bar 1 -\\x0a\""},
    {BYTES("\x7f"
           "ELF\0"),
     "t:1:1: unknown trace format, expected a start with " ACCEPTED ", found \"\\x7fELF\\x00\""},
    {"#bankshot-trac", 0,
     "t:1:1: unknown trace format, expected a start with " ACCEPTED ", found \"#bankshot-trac\""},
    {"#bankshot-trace", 0,
     "t:1:16: bad version of the format, expected 1, found the end of the file"},
    {"#bankshot-trace\n", 0,
     "t:1:16: bad version of the format, expected 1, found the end of the line"},
    {"#bankshot-trace 2\n", 0, "t:1:17: bad version of the format, expected 1, found \"2\""},
    {"#bankshot-trace 0\n", 0, "t:1:17: bad version of the format, expected 1, found \"0\""},
    {"#bankshot-traces 1\n", 0,
     "t:1:1: bad first line, expected #bankshot-trace 1, found \"#bankshot-traces\""},
    {"#bankshot-trace 1 x\n", 0,
     "t:1:19: bad first line, expected nothing behind the version, found \"x\""},
    {"#bankshot-trace 1\r\n", 0,
     "t:1:18: the file has DOS line ends, expected LF alone, found CR LF"},
    {"#bankshot-trace 1\n\n0 0 0 bar 1 -\n", 0,
     "t:3:1: a record without a kernel, expected a line \"kernel NAME\" before it, found \"0\""},
    {"#bankshot-trace 1\nkernel", 0,
     "t:2:7: a kernel without a name, expected kernel NAME, found the end of the file"},
    {"#bankshot-trace 1\nkernel \t\n", 0,
     "t:2:9: a kernel without a name, expected kernel NAME, found the end of the line"},
};

/* Each after HEAD, so in line 3. */
static const struct bad bad_lines[] = {
    /* lines */
    {"0 0 0 ld.b32 1 4\r\n", 0,
     "t:3:17: the file has DOS line ends, expected LF alone, found CR LF"},
    {"\r\n", 0, "t:3:1: the file has DOS line ends, expected LF alone, found CR LF"},
    {"# fine\r\n", 0, "t:3:7: the file has DOS line ends, expected LF alone, found CR LF"},
    {BYTES("# no\0no\n"), "t:3:5: a NUL byte, expected text, found \\x00"},
    {BYTES("0 0 \0 ld.b32 1 4\n"), "t:3:5: a NUL byte, expected text, found \\x00"},
    {BYTES("0 0 0 ld.b32 1 4\0\n"), "t:3:17: a NUL byte, expected text, found \\x00"},
    {BYTES("0 0 0 ld.b32 1 4,\0\n"), "t:3:18: a NUL byte, expected text, found \\x00"},
    {"0 0 0 ld\x1b[0m.b32 1 4\n", 0, "t:3:9: a control byte, expected text, found \\x1b"},
    /* fields */
    {"x\n", 0, "t:3:1: bad CTA, expected a number up to 4294967295, found \"x\""},
    {"  4294967296 0\n", 0,
     "t:3:3: bad CTA, expected a number up to 4294967295, found \"4294967296\""},
    {"-1 0 0\n", 0, "t:3:1: bad CTA, expected a number up to 4294967295, found \"-1\""},
    {"1e3 0 0\n", 0, "t:3:1: bad CTA, expected a number up to 4294967295, found \"1e3\""},
    {"0x 0 0\n", 0, "t:3:1: bad CTA, expected a number up to 4294967295, found \"0x\""},
    {"18446744073709551617 0 0\n", 0,
     "t:3:1: bad CTA, expected a number up to 4294967295, found \"18446744073709551617\""},
    {"0 w 0\n", 0, "t:3:3: bad warp, expected a number up to 4294967295, found \"w\""},
    {"0 0\n", 0,
     "t:3:4: bad pc, expected a hexadecimal number of up to 64 bits, found the end of the line"},
    {"0 0 0x12345678901234567 ld.b32 1 4\n", 0,
     "t:3:5: bad pc, expected a hexadecimal number of up to 64 bits, found "
     "\"0x12345678901234567\""},
    {"0 0 0xg ld.b32 1 4\n", 0,
     "t:3:5: bad pc, expected a hexadecimal number of up to 64 bits, found \"0xg\""},
    {"0 0 0\n", 0,
     "t:3:6: bad op, expected an op such as ld.b32, st.b64, atom.add.b32, bar, found the end of "
     "the line"},
    {"0 0 0 ld.b33 1 4\n", 0,
     "t:3:7: bad op, expected an op such as ld.b32, st.b64, atom.add.b32, bar, found \"ld.b33\"; "
     "did you mean 'ld.b32'?"},
    {"0 0 0 ld.b32 ffff1ffffffffffff 4\n", 0,
     "t:3:14: bad mask, expected a hexadecimal number of up to 64 bits, found "
     "\"ffff1ffffffffffff\""},
    {"0 0 0 ld.b32 1", 0, "t:3:15: no addresses, expected ADDRS, found the end of the file"},
    {"0 0 0 bar 1\n", 0, "t:3:12: no addresses, expected -, found the end of the line"},
    {"0 0 0 bar 1 4\n", 0, "t:3:13: a barrier with addresses, expected -, found \"4\""},
    {"0 0 0 bar 0 -x\n", 0, "t:3:13: a barrier with addresses, expected -, found \"-x\""},
    {"0 0 0 ld.b32 0 4\n", 0, "t:3:16: addresses without an active lane, expected -, found \"4\""},
    {"0 0 0 ld.b32 1 -\n", 0,
     "t:3:16: bad address, expected a number up to 0xffffffff, found \"-\""},
    /* addresses */
    {"0 0 0 ld.b32 3 4\n", 0,
     "t:3:16: too few addresses for the active lanes, expected 2, found 1"},
    {"0 0 0 ld.b32 ffffffff 0x700+4*3", 0,
     "t:3:23: too few addresses for the active lanes, expected 32, found 3"},
    {"0 0 0 ld.b32 3 4,8+4*2\n", 0,
     "t:3:18: too many addresses for the active lanes, expected 2, found 3"},
    {"0 0 0 ld.b32 3 4,8,c\n", 0,
     "t:3:20: bad address, expected a number up to 0xffffffff, found \"c\""},
    {"0 0 0 ld.b32 1 4,8,c\n", 0, "t:3:18: too many addresses for the active lanes, expected 1"},
    {"0 0 0 ld.b32 1 4,\n", 0,
     "t:3:18: bad address, expected a number up to 0xffffffff, found the end of the line"},
    {"0 0 0 ld.b32 1 ,4\n", 0,
     "t:3:16: bad address, expected a number up to 0xffffffff, found a comma"},
    {"0 0 0 ld.b32 1 0x100000000\n", 0,
     "t:3:16: bad address, expected a number up to 0xffffffff, found \"0x100000000\""},
    {"0 0 0 ld.b32 1 4;\n", 0,
     "t:3:16: bad address, expected a number up to 0xffffffff, found \"4;\""},
    {"0 0 0 ld.b32 3 4+4\n", 0, "t:3:18: bad stride, expected S*N after A+ or A-, found \"4\""},
    {"0 0 0 ld.b32 3 4+*2\n", 0, "t:3:18: bad stride, expected S*N after A+ or A-, found \"*2\""},
    {"0 0 0 ld.b32 3 4+4*\n", 0,
     "t:3:20: bad run count, expected 1 to 64, found the end of the line"},
    {"0 0 0 ld.b32 3 4+4*2x\n", 0, "t:3:20: bad run count, expected 1 to 64, found \"2x\""},
    {"0 0 0 ld.b32 3 4+4*0\n", 0, "t:3:20: bad run count, expected 1 to 64, found \"0\""},
    {"0 0 0 ld.b32 3 4+4*65\n", 0, "t:3:20: bad run count, expected 1 to 64, found \"65\""},
    {"0 0 0 ld.b32 3 4+4*18446744073709551615\n", 0,
     "t:3:20: bad run count, expected 1 to 64, found \"18446744073709551615\""},
    {"0 0 0 ld.b32 7 1,0xfffffffe+2*2\n", 0,
     "t:3:18: a run passes the last address, expected a number up to 0xffffffff, found "
     "\"0xfffffffe+2*2\""},
    {"0 0 0 ld.b32 3 1+18446744073709551615*2\n", 0,
     "t:3:16: a run passes the last address, expected a number up to 0xffffffff, found "
     "\"1+18446744073709551615*2\""},
    {"0 0 0 ld.b32 7 7-4*3\n", 0,
     "t:3:16: a run falls below address 0, expected addresses of at least 0, found \"7-4*3\""},
    /* keys */
    {"0 0 0 ld.b32 1 4 x\n", 0, "t:3:18: unknown key, expected dep= or src=, found \"x\""},
    {"0 0 0 ld.b32 1 4 dep\n", 0, "t:3:18: unknown key, expected dep= or src=, found \"dep\""},
    {"0 0 0 ld.b32 1 4 depth=1\n", 0,
     "t:3:18: unknown key, expected dep= or src=, found \"depth=1\""},
    {"0 0 0 ld.b32 1 4 dep=1 dep=1\n", 0,
     "t:3:24: key given twice, expected each key once, found \"dep=1\""},
    {"0 0 0 ld.b32 1 4 dep=\n", 0,
     "t:3:22: bad dep, expected a number up to 4294967295, found the end of the line"},
    {"0 0 0 ld.b32 1 4 dep=1,\n", 0,
     "t:3:22: bad dep, expected a number up to 4294967295, found \"1,\""},
    {"0 0 0 ld.b32 1 4 src=4\n", 0,
     "t:3:18: sources of an op that has none, expected src= at cp.async only, found \"src=4\""},
    {"0 0 0 cp.async.b32 3 4+4*2 src=8+4*3 dep=1\n", 0,
     "t:3:32: too many addresses for the active lanes, expected 2, found 3"},
    {"0 0 0 cp.async.b32 3 4+4*2 src=8\n", 0,
     "t:3:32: too few addresses for the active lanes, expected 2, found 1"},
    {"0 0 0 cp.async.b32 3 4+4*2 src= dep=1\n", 0,
     "t:3:32: bad address, expected a number up to 0xffffffffffffffff, found a blank"},
    {"0 0 0 cp.async.b32 3 4+4*2 src=0xffffffffffffffff+1*2\n", 0,
     "t:3:32: a run passes the last address, expected a number up to 0xffffffffffffffff, found "
     "\"0xffffffffffffffff+1*2\""},
    /* kernels */
    {"kernel a grid=1,2\n", 0,
     "t:3:17: bad size, expected X,Y,Z, each from 1 to 4294967295, found \"2\""},
    {"kernel a grid=1,2,3,4\n", 0,
     "t:3:19: bad size, expected X,Y,Z, each from 1 to 4294967295, found \"3,4\""},
    {"kernel a block=0,2,3\n", 0,
     "t:3:16: bad size, expected X,Y,Z, each from 1 to 4294967295, found \"0,2,3\""},
    {"kernel a block=1,4294967296,3\n", 0,
     "t:3:18: bad size, expected X,Y,Z, each from 1 to 4294967295, found \"4294967296,3\""},
    {"kernel a smem=0x8000000000000000\n", 0,
     "t:3:15: bad smem, expected a number up to 1099511627776, found \"0x8000000000000000\""},
    {"kernel a model=\n", 0,
     "t:3:16: bad model, expected the name of a device model, found the end of the line"},
    {"kernel a name=b\n", 0,
     "t:3:10: unknown key, expected grid=, block=, smem=, model=, cc=, device= or demangled=, "
     "found "
     "\"name=b\""},
    {"kernel a cc=9\n", 0,
     "t:3:13: bad compute capability, expected MAJOR.MINOR, such as 9.0, found \"9\""},
    {"kernel a cc=9.0a\n", 0,
     "t:3:13: bad compute capability, expected MAJOR.MINOR, such as 9.0, found \"9.0a\""},
    {"kernel a cc=0.1\n", 0,
     "t:3:13: bad compute capability, expected MAJOR.MINOR, such as 9.0, found \"0.1\""},
    {"kernel a device=\n", 0, "t:3:17: bad device, expected a name, found the end of the line"},
    {"kernel a demangled= smem=1\n", 0, "t:3:20: bad demangled name, expected a name, found \"\""},
    /* source places */
    {"0 0 0 bar 1 -\nsource 0x10 a.cu:1\n", 0,
     "t:4:8: a source place out of place, expected it behind the kernel's line, before its "
     "records, found \"0x10\""},
    {"source 0x20 a.cu:1\n# fine\n\nsource 0x20 a.cu:2\n", 0,
     "t:6:8: a source place out of order, expected ascending program counters, each once, found "
     "\"0x20\""},
    {"source\n", 0,
     "t:3:7: bad pc, expected a hexadecimal number of up to 64 bits, found the end of the line"},
    {"source x a.cu:1\n", 0,
     "t:3:8: bad pc, expected a hexadecimal number of up to 64 bits, found \"x\""},
    {"source 10 \n", 0,
     "t:3:11: no source place, expected text such as FILE:LINE, found the end of the line"},
    {"source 10 a\\b\n", 0,
     "t:3:12: bad escape in a name, expected \\xHH with HH from 01 to ff, found \"\\b\""},
    {BYTES("source 10 a\0b\n"), "t:3:12: a NUL byte, expected text, found \\x00"},
    {"sources 10 a\n", 0, "t:3:1: bad CTA, expected a number up to 4294967295, found \"sources\""},
    {"kernel a smem=1 grid=1,1,1 smem=1\n", 0,
     "t:3:28: key given twice, expected each key once, found \"smem=1\""},
    {"kernel a\\b\n", 0,
     "t:3:9: bad escape in a name, expected \\xHH with HH from 01 to ff, found \"\\b\""},
    {"kernel a\\x4\n", 0,
     "t:3:9: bad escape in a name, expected \\xHH with HH from 01 to ff, found \"\\x4\""},
    {"kernel a\\x00\n", 0,
     "t:3:9: bad escape in a name, expected \\xHH with HH from 01 to ff, found \"\\x00\""},
    {"kernel a model=\\xg0 smem=1\n", 0,
     "t:3:16: bad escape in a name, expected \\xHH with HH from 01 to ff, found \"\\xg0\""},
    {BYTES("kernel a\0b\n"), "t:3:9: a NUL byte, expected text, found \\x00"},
    {"kernel a\x01\n", 0, "t:3:9: a control byte, expected text, found \\x01"},
};

static unsigned check_bad(const struct bad *bad, const char *head)
{
    char text[512], line[1024];
    const size_t size = bad->size ? bad->size : strlen(bad->text);
    memcpy(text, head, strlen(head));
    memcpy(text + strlen(head), bad->text, size);
    error_of(text, strlen(head) + size, line, sizeof line);
    if (strcmp(line, bad->error) == 0)
        return 0;
    print_error("of     %s\nfound    %s\nexpected %s\n", bad->text, line, bad->error);
    return 1;
}

static void test_a_bad_start_is_an_error_with_its_place(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof bad_heads / sizeof *bad_heads; i++)
        wrong += check_bad(&bad_heads[i], "");
    assert_int_equal(wrong, 0);
}

static void test_a_bad_line_is_an_error_with_its_place(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof bad_lines / sizeof *bad_lines; i++)
        wrong += check_bad(&bad_lines[i], HEAD);
    assert_int_equal(wrong, 0);
}

static void test_records_before_an_error_are_given_and_the_error_stays(void **state)
{
    (void)state;
    static const char text[] = HEAD "0 0 0 ld.b32 1 4\nx\n0 0 0 ld.b32 1 4\n";
    struct bs_error error = {0}, again = {0};
    enum bs_trace_event last;
    struct bs_record record;
    struct bs_trace *trace = bs_trace_memory(text, strlen(text), "t", &error);
    assert_int_equal(drain(trace, &last, &error), 1);
    assert_int_equal(last, BS_TRACE_ERROR);
    assert_int_equal(bs_trace_next_record(trace, &record, &again), BS_TRACE_ERROR);
    assert_int_equal(again.line, 4);
    assert_string_equal(again.text, error.text);
    bs_trace_close(trace);
}

/* ---- a good trace --------------------------------------------------------------------------- */

static void test_all_parts_of_a_record_are_read(void **state)
{
    (void)state;
    static const char text[] =
        "#bankshot-trace 1 \n\n \t\n# comment\nkernel a\\x20b\\x5c grid=1,0x2,3 model=gcn smem=0 "
        "block=4,5,6 \n"
        "  7 \t8 90 LDGSTS.E.128 0xc000000000000001 0x10,32-16*2 src=0xffffffffffffffff-1*3 dep=9 ";
    struct bs_error error;
    struct bs_record record;
    struct bs_trace *trace = bs_trace_memory(text, strlen(text), "t", &error);
    assert_int_equal(bs_trace_next_record(trace, &record, &error), BS_TRACE_RECORD);
    assert_string_equal(record.kernel->name, "a b\\");
    assert_string_equal(record.kernel->model, "gcn");
    assert_int_equal(record.kernel->launch, 0);
    assert_int_equal(record.kernel->smem, 0);
    assert_memory_equal(record.kernel->grid, ((const uint32_t[]){1, 2, 3}), 12);
    assert_memory_equal(record.kernel->block, ((const uint32_t[]){4, 5, 6}), 12);
    assert_int_equal(record.line, 6);
    assert_int_equal(record.access.cta, 7);
    assert_int_equal(record.access.warp, 8);
    assert_int_equal(record.access.pc, 0x90);
    assert_int_equal(record.access.op.kind, BS_CP_ASYNC);
    assert_int_equal(record.access.op.bytes, 16);
    assert_true(record.access.mask == UINT64_C(0xc000000000000001));
    assert_int_equal(record.access.addr[0], 16);
    assert_int_equal(record.access.addr[62], 32);
    assert_int_equal(record.access.addr[63], 16);
    assert_true(record.access.src[0] == UINT64_MAX);
    assert_true(record.access.src[63] == UINT64_MAX - 2);
    assert_int_equal(record.access.dep, 9);
    assert_int_equal(bs_trace_next_record(trace, &record, &error), BS_TRACE_END);
    assert_int_equal(bs_trace_next_record(trace, &record, &error), BS_TRACE_END);
    assert_int_equal(bs_trace_launches(trace), 1);
    bs_trace_close(trace);
}

static void test_writing_gives_the_longest_runs(void **state)
{
    (void)state;
    check_rewrite(HEAD "0 0 0 ld.b32 f 0,4,8,12\n", HEAD "0 0 0x0 ld.b32 0000000f 0x0+4*4\n");
    check_rewrite(HEAD "0 0 0 ld.b32 f 12,8,4,0\n", HEAD "0 0 0x0 ld.b32 0000000f 0xc-4*4\n");
    check_rewrite(HEAD "0 0 0 ld.b32 f 4,4,4,8\n", HEAD "0 0 0x0 ld.b32 0000000f 0x4+0*3,0x8\n");
    check_rewrite(HEAD "0 0 0 ld.b32 3 4,8\n", HEAD "0 0 0x0 ld.b32 00000003 0x4+4*2\n");
    check_rewrite(HEAD "0 0 0 ld.b32 7 4,8,4\n", HEAD "0 0 0x0 ld.b32 00000007 0x4,0x8,0x4\n");
    check_rewrite(HEAD "0 0 0 ld.b32 1 4+9*1\n", HEAD "0 0 0x0 ld.b32 00000001 0x4\n");
    check_rewrite(HEAD "0 0 0 ld.b32 0 -\n", HEAD "0 0 0x0 ld.b32 00000000 -\n");
    check_rewrite(HEAD "0 0 0 bar ffffffffff -\n", HEAD "0 0 0x0 bar ffffffffff -\n");
    check_rewrite(HEAD "0 0 0 cp.async.b32 7 0+4*3 src=0xffffffffffffffff,0,1\n",
                  HEAD "0 0 0x0 cp.async.b32 00000007 0x0+4*3 src=0xffffffffffffffff,0x0,0x1\n");
}

static void test_launches_are_written_as_read(void **state)
{
    (void)state;
    static const char text[] = "#bankshot-trace 1\n"
                               "kernel a\\x20b\\x5c\\xc3\\xa9\\x0a grid=1,2,3 block=4,5,6 smem=7 "
                               "model=x\\x09y\n"
                               "kernel a\n"
                               "kernel a smem=1099511627776\n";
    check_rewrite(text, text);
    struct bs_error error;
    struct bs_record record;
    struct bs_trace *trace = bs_trace_memory(text, strlen(text), "t", &error);
    for (size_t launch = 0; launch < 3; launch++) {
        assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_LAUNCH);
        assert_int_equal(record.kernel->launch, launch);
        assert_int_equal(bs_trace_launches(trace), launch + 1);
    }
    assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_END);
    bs_trace_close(trace);
    check_rewrite("#bankshot-trace 1\nkernel \xc3\xa9\n", "#bankshot-trace 1\nkernel \\xc3\\xa9\n");
}

static void test_all_that_a_kernel_says_is_read_and_found(void **state)
{
    (void)state;
    static const char text[] = "#bankshot-trace 1\n"
                               "kernel _Z1fv demangled=void\\x20f() cc=12.1 device=a\\x20GPU\n"
                               " # which lines\n"
                               "source 10 my file.cu:17 \n\n"
                               "\tsource\t0x20  \\x20b\\x5c\n"
                               "source ffffffffffffffff c\n"
                               "kernel g\n"
                               "source 20 d";
    struct bs_error error = {0};
    struct bs_record record;
    struct bs_trace *trace = bs_trace_memory(text, strlen(text), "t", &error);
    assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_LAUNCH);
    assert_string_equal(record.kernel->name, "_Z1fv");
    assert_string_equal(record.kernel->demangled, "void f()");
    assert_string_equal(record.kernel->device, "a GPU");
    assert_int_equal(record.kernel->cc[0], 12);
    assert_int_equal(record.kernel->cc[1], 1);
    assert_int_equal(record.kernel->place_count, 3);
    assert_string_equal(bs_kernel_place(record.kernel, 0x10)->text, "my file.cu:17");
    assert_string_equal(bs_kernel_place(record.kernel, 0x20)->text, " b\\");
    assert_string_equal(bs_kernel_place(record.kernel, UINT64_MAX)->text, "c");
    assert_null(bs_kernel_place(record.kernel, 0x18));
    assert_null(bs_kernel_place(record.kernel, 0));
    assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_LAUNCH);
    assert_null(bs_kernel_place(record.kernel, 0x10));
    assert_string_equal(bs_kernel_place(record.kernel, 0x20)->text, "d");
    assert_int_equal(record.kernel->cc[0], 0);
    assert_null(record.kernel->device);
    assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_END);
    bs_trace_close(trace);
    check_rewrite(text, "#bankshot-trace 1\n"
                        "kernel _Z1fv cc=12.1 device=a\\x20GPU demangled=void\\x20f()\n"
                        "source 0x10 my file.cu:17\n"
                        "source 0x20 \\x20b\\x5c\n"
                        "source 0xffffffffffffffff c\n"
                        "kernel g\n"
                        "source 0x20 d\n");
}

static void test_places_that_cannot_be_read_again_are_not_written(void **state)
{
    (void)state;
    static const struct bs_source_place wrong[][2] = {
        {{4, "a"}, {4, "b"}},
        {{4, "a"}, {3, "b"}},
        {{4, "a"}, {5, ""}},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct bs_error error = {0};
        FILE *file = tmpfile();
        struct bs_kernel kernel = bs_kernel_named("k");
        kernel.places = wrong[i];
        kernel.place_count = 2;
        struct bs_trace_writer *writer = bs_writer_open(file, "text", &error);
        assert_false(bs_writer_kernel(writer, &kernel, &error));
        assert_int_equal(error.status, BS_USAGE);
        bs_writer_close(writer);
        fclose(file);
    }
}

/* ---- random traces -------------------------------------------------------------------------- */

static void test_random_accesses_survive_text(void **state)
{
    (void)state;
    enum { ACCESSES = 20000 };
    const uint64_t seed = 0x5eed0001;
    const struct bs_kernel kernel = {.name = "random", .smem = -1};
    struct bs_error error = {0};
    struct case_access made;
    struct bs_record record;
    size_t size, size_again;
    print_message("seed 0x%" PRIx64 "\n", seed);
    FILE *file = tmpfile();
    struct bs_trace_writer *writer = bs_writer_open(file, "text", &error);
    assert_true(bs_writer_kernel(writer, &kernel, &error));
    uint64_t random = seed;
    for (unsigned i = 0; i < ACCESSES; i++) {
        random_access(&random, &made);
        assert_true(bs_writer_record(writer, &made.access, &error));
    }
    assert_true(bs_writer_finish(writer, &error));
    bs_writer_close(writer);
    char *text = read_stream(file, &size);
    fclose(file);

    struct bs_trace *trace = bs_trace_memory(text, size, "t", &error);
    random = seed;
    for (unsigned i = 0; i < ACCESSES; i++) {
        random_access(&random, &made);
        assert_int_equal(bs_trace_next_record(trace, &record, &error), BS_TRACE_RECORD);
        assert_same_access(&record.access, &made.access);
    }
    assert_int_equal(bs_trace_next_record(trace, &record, &error), BS_TRACE_END);
    bs_trace_close(trace);

    trace = bs_trace_memory(text, size, "t", &error);
    char *again = rewrite(trace, &size_again);
    assert_string_equal(again, text);
    bs_trace_close(trace);
    free(again);
    free(text);
}

/* ---- runs on their own ---------------------------------------------------------------------- */

static void test_runs_are_parsed_and_counted(void **state)
{
    (void)state;
    uint32_t addr[BS_MAX_LANES] = {0};
    struct bs_error error;
    uint64_t count;
    assert_true(bs_runs_parse("8,0x10-8*2", 10, 0x8000000000000101, addr, &error));
    assert_int_equal(addr[0], 8);
    assert_int_equal(addr[8], 16);
    assert_int_equal(addr[63], 8);
    assert_false(bs_runs_parse("8 16", 4, 1, addr, &error));
    assert_int_equal(error.column, 2);
    assert_false(bs_runs_parse("8,16,x", 6, 7, addr, &error));
    assert_int_equal(error.column, 6);
    assert_false(bs_runs_parse("8", 1, 3, addr, NULL));
    assert_true(bs_runs_parse("-", 1, 0, addr, &error));
    assert_false(bs_runs_parse("", 0, 0, addr, &error));
    assert_false(bs_runs_parse("", 0, 1, addr, &error));
    assert_true(bs_runs_count("8,0x10-8*2,0+1*100", 18, &count));
    assert_int_equal(count, 103);
    assert_true(bs_runs_count("0+1*18446744073709551615,1", 26, &count));
    assert_true(count == UINT64_MAX);
    assert_false(bs_runs_count("t*4", 3, &count));
    assert_false(bs_runs_count("8,", 2, &count));
    assert_false(bs_runs_count("8 ,9", 4, &count));
    assert_false(bs_runs_count("", 0, &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bad_start_is_an_error_with_its_place),
        cmocka_unit_test(test_a_bad_line_is_an_error_with_its_place),
        cmocka_unit_test(test_records_before_an_error_are_given_and_the_error_stays),
        cmocka_unit_test(test_all_parts_of_a_record_are_read),
        cmocka_unit_test(test_writing_gives_the_longest_runs),
        cmocka_unit_test(test_launches_are_written_as_read),
        cmocka_unit_test(test_all_that_a_kernel_says_is_read_and_found),
        cmocka_unit_test(test_places_that_cannot_be_read_again_are_not_written),
        cmocka_unit_test(test_random_accesses_survive_text),
        cmocka_unit_test(test_runs_are_parsed_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
