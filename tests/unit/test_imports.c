/* Are traces of other tools read as they were meant, and is everything accounted for? */
#include "trace_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SAMPLES "tests/formats/small/"

/* ---- the same trace in every format ---------------------------------------------------------- */

/* What a format cannot hold of the sample. */
struct sample {
    const char *path;
    bool no_place; /* neither pc nor barriers */
    bool copies;   /* async copies too, which the others lost */
};

static const struct sample samples[] = {
    {SAMPLES "kernel-v2.traceg", false, false}, {SAMPLES "kernel-v3.traceg", false, false},
    {SAMPLES "kernel-v5.traceg", false, false}, {SAMPLES "kernel-v6.traceg", false, false},
    {SAMPLES "raw-v3.trace", false, true},      {SAMPLES "raw-v5.trace", false, true},
    {SAMPLES "raw-v6.trace", false, true},      {SAMPLES "mem_trace.txt", true, false},
};

/* The next record that both formats can hold. */
static enum bs_trace_event next_shared(struct bs_trace *trace, const struct sample *sample,
                                       struct bs_record *record)
{
    struct bs_error error = {0};
    enum bs_trace_event event;
    do
        event = bs_trace_next_record(trace, record, &error);
    while (event == BS_TRACE_RECORD && ((sample->no_place && record->access.op.kind == BS_BAR) ||
                                        record->access.op.kind == BS_CP_ASYNC_CG));
    assert_string_equal(error.text, "");
    return event;
}

static void require_same_trace(const struct sample *sample)
{
    struct bs_error error = {0};
    struct bs_record want, came;
    unsigned records = 0;
    struct bs_trace *native = bs_trace_open(SAMPLES "native.trace", &error);
    struct bs_trace *trace = bs_trace_open(sample->path, &error);
    assert_non_null(native);
    assert_non_null(trace);
    while (next_shared(native, sample, &want) == BS_TRACE_RECORD) {
        assert_int_equal(next_shared(trace, sample, &came), BS_TRACE_RECORD);
        if (sample->no_place)
            want.access.pc = 0;
        want.access.record = came.access.record; /* copies have numbers too */
        assert_same_access(&want.access, &came.access);
        assert_string_equal(want.kernel->name, came.kernel->name);
        assert_memory_equal(want.kernel->grid, came.kernel->grid, sizeof want.kernel->grid);
        assert_memory_equal(want.kernel->block, came.kernel->block, sizeof want.kernel->block);
        assert_int_equal(want.kernel->smem, came.kernel->smem);
        records++;
    }
    assert_int_equal(next_shared(trace, sample, &came), BS_TRACE_END);
    assert_int_equal(records, sample->no_place ? 24 : 27);
    bs_trace_close(native);
    bs_trace_close(trace);
}

static void test_every_format_gives_the_same_trace(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        print_message("%s\n", samples[i].path);
        require_same_trace(&samples[i]);
    }
}

static void test_all_that_was_left_out_is_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct bs_error error = {0};
        enum bs_trace_event last;
        struct bs_trace *trace = bs_trace_open(samples[i].path, &error);
        const bool nvbit = samples[i].no_place;
        print_message("%s\n", samples[i].path);
        const uint64_t records = drain(trace, &last, &error);
        const struct bs_import *import = bs_trace_import(trace);
        assert_int_equal(import->shared + import->barriers, records);
        assert_int_equal(import->barriers, nvbit ? 0 : 3);
        assert_int_equal(import->shared, samples[i].copies ? 27 : 24);
        assert_int_equal(import->global, 9);
        assert_int_equal(import->inactive, nvbit ? 0 : 3); /* NVBit does not print them */
        assert_int_equal(import->unreplayable, samples[i].copies ? 0 : 3);
        assert_int_equal(import->skipped, 0);
        assert_int_equal(import->unpriced_count, 1);
        assert_string_equal(import->unpriced[0].name, "ATOMS.ARRIVE.64");
        assert_int_equal(import->unpriced[0].count, 3);
        bs_trace_close(trace);
    }
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* A processed trace of one instruction, in a grid of 3 x 5 x 7. */
static char *trace_of(const char *version, const char *line)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "-kernel name = k\n-grid dim = (3,5,7)\n-shmem = 4096\n"
             "-shmem base_addr = 0x00007f0000000000\n-local mem base_addr = 0x00007f0001000000\n"
             "%s\n#traces format = x\n#BEGIN_TB\n\nthread block = 2,4,6\n\nwarp = 9\ninsts = 1\n%s"
             "\n#END_TB\n",
             version, line);
    return text;
}

#define V3 "-accelsim tracer version = 3"
#define V5 "-accelsim tracer version = 5"
#define V6 "-accelsim tracer version = 6"
#define LINEINFO "-enable lineinfo = 1"

struct line {
    const char *version;
    const char *line;
    const char *result; /* the record as the native text has it from its pc on, or the error */
};

static const struct line lines[] = {
    /* as they stand in real files */
    {"", "0 0 0 0 0430 ffff0000 0 STS 2 R25 R8 4 1 0x0000000000000200 4 ",
     "0x430 st.b32 ffff0000 0x200+4*16"},
    {V5, "0e20 ffffffff 1 R16 LDS.128 1 R13 16 1 0x0 16 0 ", "0xe20 ld.b128 ffffffff 0x0+16*32"},
    {V5, "2530 0000000f 1 R92 LDSM.16.M88.4 1 R3 2 2 0x4000 144 144 144 0 ",
     "0x2530 ldmatrix.x4 0000000f 0x4000+144*4"},
    /* one address for each active lane; a delta for each but the first */
    {V3, "10 00000013 1 R1 LDS 1 R2 4 0 0x10 0x20 0x8 ", "0x10 ld.b32 00000013 0x10,0x20,0x8"},
    {V3, "10 00000013 1 R1 LDS 1 R2 4 2 0x10 16 -24 ", "0x10 ld.b32 00000013 0x10,0x20,0x8"},
    {V5, "10 00000013 1 R1 LDS 1 R2 4 2 0x10 16 -24 -4 ", "0x10 ld.b32 00000013 0x10,0x20,0x8"},
    {V6, "10 00000013 1 R1 LDS 1 R2 4 2 0x10 16 -24 -4 7 1 2 3 ",
     "0x10 ld.b32 00000013 0x10,0x20,0x8"},
    {V3, "10 80000000 1 R1 LDS 1 R2 4 2 0x10 ", "0x10 ld.b32 80000000 0x10"},
    {V5, "10 80000000 1 R1 LDS 1 R2 4 2 0x10 0 ", "0x10 ld.b32 80000000 0x10"},
    {V3, "10 00000007 1 R1 LDS 1 R2 4 1 0x10 -8 ", "0x10 ld.b32 00000007 0x10-8*3"},
    /* the width is the instruction's, whatever the field says */
    {V3, "10 00000003 1 R1 LDS.S8 1 R2 4 1 0x10 1 ", "0x10 ld.b8 00000003 0x10+1*2"},
    {V3, "10 00000003 1 R1 LDS.S16 1 R2 4 1 0x10 2 ", "0x10 ld.b16 00000003 0x10+2*2"},
    /* a line number of the source in front */
    {V5 "\n" LINEINFO, "77 10 00000001 1 R1 LDS 1 R2 4 1 0x10 0 0 ", "0x10 ld.b32 00000001 0x10"},
    /* generic accesses, as offsets in the window of shared memory; other lanes are left out */
    {V3, "10 00000003 1 R1 LD.E.64 1 R2 8 1 0x7f0000000100 8 ", "0x10 ld.b64 00000003 0x100+8*2"},
    {V3, "10 00000003 1 R1 LD.E.STRONG.CTA 1 R2 4 0 0x7e0000000100 0x7f0000000008 ",
     "0x10 ld.b32 00000002 0x8"},
    {V3, "10 00000003 1 R1 LD.E 1 R2 4 1 0x7f0000fffffc 4 ", "0x10 ld.b32 00000001 0xfffffc"},
    {V3, "10 00000003 1 R1 ATOM.E.ADD.STRONG.GPU 2 R2 R3 4 1 0x7f0000000100 4 ",
     "0x10 atom.add.b32 00000003 0x100+4*2"},
    /* a barrier */
    {V5, "10 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 ", "0x10 bar ffffffff -"},
};

/* Reads a trace of one record and writes it as native text. */
static char *native_of(const char *text, const struct bs_trace_options *options)
{
    struct bs_error error = {0};
    struct bs_source source;
    size_t size;
    assert_true(bs_source_memory(&source, text, strlen(text), &error));
    struct bs_trace *trace =
        bs_trace_from_with(bs_input_from(source, "t", &error), options, &error);
    assert_non_null(trace);
    char *native = rewrite(trace, &size);
    bs_trace_close(trace);
    return native;
}

static void test_an_instruction_is_read_as_it_was_meant(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char want[512];
        snprintf(want, sizeof want, "#bankshot-trace 1\nkernel k grid=3,5,7 smem=4096\n104 9 %s\n",
                 lines[i].result);
        char *native = native_of(trace_of(lines[i].version, lines[i].line), NULL);
        if (strcmp(native, want) != 0)
            print_message("%s\n", lines[i].line);
        assert_string_equal(native, want);
        free(native);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const struct line faults[] = {
    {V3, "10 00000013 1 R1 LDS 1 R2 4 2 0x10 16 ",
     "14:39: bad delta, expected a number, with a sign or without, found the end of the line"},
    {V3, "10 00000003 1 R1 LDS 1 R2 4 2 0x10 16 16 ",
     "14:39: too much on the line, expected its end, found \"16\""},
    {V5, "10 00000003 1 R1 LDS 1 R2 4 2 0x10 16 ",
     "14:39: bad immediate, expected a number, with a sign or without, found the end of the line"},
    {V3, "10 00000003 1 R1 LDS 1 R2 4 1 10 4 ",
     "14:31: bad address, expected 0x and an address for each active lane, found \"10\""},
    {V3, "10 00000003 1 R1 LDS 1 R2 4 3 0x10 4 ",
     "14:29: bad address mode, expected a number up to 2, found \"3\""},
    {V3, "10 100000003 1 R1 LDS 1 R2 4 1 0x10 4 ",
     "14:4: bad mask, expected a hexadecimal number up to ffffffff, found \"100000003\""},
    {V3, "10 00000003 4000000000 R1 LDS 1 R2 4 1 0x10 4 ",
     "14:13: bad number of destinations, expected a number up to 64, found \"4000000000\""},
    {V3, "10 00000003 1 R1 LDS 1 R2 4 0 0x100000000 0x0 ",
     "14:18: an address past 4 GiB, expected offsets in shared memory, found \"LDS\""},
    {V3, "10 00000003 1 R1 LDS 1 R2 0 ",
     "14:29: no addresses, expected those of the access, found the end of the line"},
    {V3, "10 00000003 0 NOP 0 0\n20 00000003 0 NOP 0 0 ",
     "15:1: an instruction too many, expected as many as insts says, after warp and insts, found "
     "\"20\""},
    {V3, "", "15:1: instructions are missing, expected as many as insts says, found \"#END_TB\""},
    {"-kernel name = ", "",
     "6:16: no kernel name, expected the name on the same line, found the end of the line"},
    {"-accelsim tracer version = 4", "",
     "6:28: unknown tracer version, expected one up to 3, 5 or 6, found \"4\""},
    {V3, "10 00000003 0 NOP 0 0\n#END_TB\n#BEGIN_TB\nthread block = 3,0,0",
     "17:16: a thread block outside the grid, expected one within the header's grid dim, found "
     "\"3,0,0\""},
};

static struct bs_trace *open_text(const char *text, size_t size, bool skip_bad)
{
    struct bs_error error = {0};
    struct bs_source source;
    const struct bs_trace_options options = {.skip_bad = skip_bad};
    assert_true(bs_source_memory(&source, text, size, &error));
    return bs_trace_from_with(bs_input_from(source, "t", &error), &options, &error);
}

static void test_a_malformed_line_is_an_error_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char came[1024];
        struct bs_error error = {0};
        enum bs_trace_event last;
        const char *text = trace_of(faults[i].version, faults[i].line);
        struct bs_trace *trace = open_text(text, strlen(text), false);
        assert_int_equal(drain(trace, &last, &error), 0);
        assert_int_equal(last, BS_TRACE_ERROR);
        bs_error_line(&error, came, sizeof came);
        assert_string_equal(came + strlen("t:"), faults[i].result);
        bs_trace_close(trace);
    }
}

static void test_a_malformed_line_can_be_skipped_and_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct bs_error error = {0};
        enum bs_trace_event last;
        const char *text = trace_of(faults[i].version, faults[i].line);
        struct bs_trace *trace = open_text(text, strlen(text), true);
        drain(trace, &last, &error);
        assert_int_equal(last, BS_TRACE_END);
        assert_null(bs_trace_warning(trace));
        assert_true(bs_trace_import(trace)->skipped > 0);
        bs_trace_close(trace);
    }
}

/* ---- what is in real files too --------------------------------------------------------------- */

static void test_garbage_in_the_header_is_noted_and_taken_as_unknown(void **state)
{
    (void)state;
    static const char text[] = "-kernel name = void f<int>(int *) \n-grid dim = (0,21955,1)\n"
                               "-shmem = 1\n-nregs = 21955\n\n#BEGIN_TB\nthread block = 4,0,0\n"
                               "warp = 0\ninsts = 0\n#END_TB\n";
    struct bs_error error = {0};
    enum bs_trace_event last;
    struct bs_record record;
    struct bs_trace *trace = open_text(text, strlen(text), false);
    assert_int_equal(bs_trace_next(trace, &record, &error), BS_TRACE_LAUNCH);
    const struct bs_kernel *kernel = record.kernel;
    assert_string_equal(kernel->name, "void f<int>(int *)");
    assert_int_equal(kernel->grid[0] + kernel->grid[1] + kernel->grid[2], 0);
    assert_int_equal(kernel->smem, -1);
    assert_int_equal(drain(trace, &last, &error), 0);
    assert_int_equal(last, BS_TRACE_END);
    assert_int_equal(bs_trace_import(trace)->odd_headers, 1);
    assert_int_equal(bs_trace_launches(trace), 1);
    bs_trace_close(trace);
}

static void test_what_has_no_op_is_counted_by_name(void **state)
{
    (void)state;
    static const char *const unpriced[] = {
        "10 00000001 0 UBLKCP 2 R1 R2 64 3 0x100 0x200 64 0 0 ",
        "10 ffffffff 0 HGMMA.64x128x16.F32 2 R1 R2 1 0 0 0 1 2 3 ",
        "10 00000001 1 R1 LDS.NEW 1 R2 4 2 0x10 0 0 ",
        "10 ffffffff 0 BAR.ARV 0 0 0 0 ",
    };
    static const char *const names[] = {"UBLKCP", "HGMMA.64x128x16.F32", "LDS.NEW", "BAR.ARV"};
    for (size_t i = 0; i < sizeof unpriced / sizeof *unpriced; i++) {
        struct bs_error error = {0};
        enum bs_trace_event last;
        const char *text = trace_of(V6, unpriced[i]);
        struct bs_trace *trace = open_text(text, strlen(text), false);
        assert_int_equal(drain(trace, &last, &error), 0);
        assert_string_equal(error.text, "");
        assert_int_equal(bs_trace_import(trace)->unpriced_count, 1);
        assert_string_equal(bs_trace_import(trace)->unpriced[0].name, names[i]);
        bs_trace_close(trace);
    }
}

/* The sides of two warps' copies come in any order between the warps; one has no second side. */
static void test_the_two_sides_of_a_copy_find_each_other(void **state)
{
    (void)state;
    static const char text[] =
        "-kernel name = k\n-grid dim = (2,1,1)\n-accelsim tracer version = 3\n"
        "0 0 0 0 10 00000003 0 LDGSTS.E 2 R1 R2 4 1 0x100 4 \n"
        "0 0 0 1 10 00000003 0 LDGSTS.E 2 R1 R2 4 1 0x200 4 \n"
        "0 0 0 0 10 00000003 0 LDGSTS.E 2 R1 R2 4 1 0x7f0000000000 8 \n"
        "1 0 0 1 10 00000003 0 LDGSTS.E 2 R1 R2 4 1 0x300 4 \n"
        "0 0 0 1 10 00000003 0 LDGSTS.E 2 R1 R2 4 1 0x7f0000001000 8 \n";
    char *native = native_of(text, NULL);
    assert_string_equal(native,
                        "#bankshot-trace 1\nkernel k grid=2,1,1\n"
                        "0 0 0x10 cp.async.b32 00000003 0x100+4*2 src=0x7f0000000000+8*2\n"
                        "0 1 0x10 cp.async.b32 00000003 0x200+4*2 src=0x7f0000001000+8*2\n");
    free(native);
    struct bs_error error = {0};
    enum bs_trace_event last;
    struct bs_trace *trace = open_text(text, strlen(text), false);
    assert_int_equal(drain(trace, &last, &error), 2);
    assert_int_equal(bs_trace_import(trace)->unreplayable, 1);
    bs_trace_close(trace);
}

/* ---- cuts ------------------------------------------------------------------------------------ */

/* The first records of a trace, kept. */
struct kept {
    struct case_access *list;
    size_t count;
};

/* A copy of an access, whose addresses the reader overwrites. */
static void keep(struct case_access *made, const struct bs_access *access)
{
    made->access = *access;
    memcpy(made->addr, access->addr, sizeof made->addr);
    made->access.addr = made->addr;
    if (!access->src)
        return;
    memcpy(made->src, access->src, sizeof made->src);
    made->access.src = made->src;
}

static struct kept keep_all(const char *text, size_t size)
{
    enum { ROOM = 64 };
    struct bs_record record;
    struct kept kept = {calloc(ROOM, sizeof *kept.list), 0};
    struct bs_trace *trace = open_text(text, size, false);
    assert_non_null(kept.list);
    while (bs_trace_next_record(trace, &record, NULL) == BS_TRACE_RECORD) {
        assert_true(kept.count < ROOM);
        keep(&kept.list[kept.count++], &record.access);
    }
    bs_trace_close(trace);
    return kept;
}

/* Records of the cut trace must be the first of the whole one. Returns how many it has. */
static size_t require_prefix(const struct kept *whole, const char *text, size_t cut, bool skip_bad)
{
    struct bs_record record;
    size_t count = 0;
    char *copy = malloc(cut + 1);
    assert_non_null(copy);
    memcpy(copy, text, cut);
    struct bs_trace *trace = open_text(copy, cut, skip_bad);
    while (trace && bs_trace_next_record(trace, &record, NULL) == BS_TRACE_RECORD) {
        assert_true(count < whole->count);
        assert_same_access(&whole->list[count++].access, &record.access);
    }
    bs_trace_close(trace);
    free(copy);
    return count;
}

static void test_a_cut_never_makes_a_record_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        size_t size, records = 0;
        FILE *file = fopen(samples[i].path, "rb");
        assert_non_null(file);
        char *text = read_stream(file, &size);
        fclose(file);
        const struct kept whole = keep_all(text, size);
        const size_t most = size < 3000 ? size : 3000; /* the rest is more of the same */
        for (size_t cut = 0; cut < most; cut++) {
            records = require_prefix(&whole, text, cut, false);
            require_prefix(&whole, text, cut, true);
        }
        assert_true(records > 0);
        free(whole.list);
        free(text);
    }
}

/* ---- what NVBit leaves open ------------------------------------------------------------------ */

static void test_a_zero_of_nvbit_is_what_the_user_says(void **state)
{
    (void)state;
    char text[4096] = "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x2 - Kernel name f - g(int) - grid "
                      "launch id 5 - grid size 1,1,1 - block size 32,1,1 - nregs 8 - shmem 0 - "
                      "cuda stream id 0\nMEMTRACE: CTX 0x1 - grid_launch_id 5 - CTA 0,0,0 - warp 1 "
                      "- LDS.64 - ";
    for (unsigned lane = 0; lane < 32; lane++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "0x%016x ",
                 lane < 4 ? lane * 8 : 0);
    snprintf(text + strlen(text), sizeof text - strlen(text), "\n");
    static const struct {
        bool zero_is_offset;
        const char *record;
    } ways[] = {{false, "0000000e 0x8+8*3"}, {true, "ffffffff 0x0+8*4,0x0+0*28"}};
    for (unsigned way = 0; way < 2; way++) {
        char want[256];
        const struct bs_trace_options options = {.zero_is_offset = ways[way].zero_is_offset};
        char *native = native_of(text, &options);
        snprintf(want, sizeof want,
                 "#bankshot-trace 1\nkernel f\\x20-\\x20g(int) grid=1,1,1 block=32,1,1 smem=0\n"
                 "0 1 0x0 ld.b64 %s\n",
                 ways[way].record);
        assert_string_equal(native, want);
        free(native);
    }
}

static void test_a_launch_of_nvbit_without_a_name_is_an_error(void **state)
{
    (void)state;
    static const char text[] = "MEMTRACE: CTX 0x1 - LAUNCH - Kernel pc 0x2 - Kernel name  - grid "
                               "launch id 5 - grid size 1,1,1 - block size 32,1,1 - nregs 8 - "
                               "shmem 0 - cuda stream id 0\n";
    struct bs_error error = {0};
    enum bs_trace_event last;
    struct bs_trace *trace = open_text(text, strlen(text), false);
    assert_int_equal(drain(trace, &last, &error), 0);
    assert_int_equal(last, BS_TRACE_ERROR);
    assert_string_equal(error.text, "no kernel name, expected the name behind \"Kernel name\", "
                                    "found \"-\"");
    bs_trace_close(trace);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void test_a_list_is_read_with_the_files_beside_it(void **state)
{
    (void)state;
    static const char *const paths[] = {"tests/formats/folder/kernelslist.g",
                                        "tests/formats/folder"};
    for (unsigned i = 0; i < 2; i++) {
        struct bs_error error = {0};
        enum bs_trace_event last;
        struct bs_trace *trace = bs_trace_open(paths[i], &error);
        assert_non_null(trace);
        assert_int_equal(drain(trace, &last, &error), 54);
        assert_int_equal(last, BS_TRACE_END);
        assert_int_equal(bs_trace_launches(trace), 2);
        assert_int_equal(bs_trace_import(trace)->transfers, 2);
        bs_trace_close(trace);
    }
}

static void test_a_list_names_files_beside_it_only(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        const char *error;
    } lists[] = {
        {"kernel-9.traceg\n", "t:1:1: the list names a file that is not there, expected it beside "
                              "the list, plain or as .xz, .gz or .zst, found \"kernel-9.traceg\""},
        {"MemcpyHtoD,0x0,4\n../k.traceg\n",
         "t:2:1: a file elsewhere, expected a name without '/', found \"../k.traceg\""},
    };
    for (unsigned i = 0; i < sizeof lists / sizeof *lists; i++) {
        char came[1024];
        struct bs_error error = {0};
        enum bs_trace_event last;
        struct bs_trace *trace = open_text(lists[i].list, strlen(lists[i].list), false);
        assert_non_null(trace);
        drain(trace, &last, &error);
        assert_int_equal(last, BS_TRACE_ERROR);
        bs_error_line(&error, came, sizeof came);
        assert_string_equal(came, lists[i].error);
        bs_trace_close(trace);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_format_gives_the_same_trace),
        cmocka_unit_test(test_all_that_was_left_out_is_counted),
        cmocka_unit_test(test_an_instruction_is_read_as_it_was_meant),
        cmocka_unit_test(test_a_malformed_line_is_an_error_with_its_place),
        cmocka_unit_test(test_a_malformed_line_can_be_skipped_and_counted),
        cmocka_unit_test(test_garbage_in_the_header_is_noted_and_taken_as_unknown),
        cmocka_unit_test(test_what_has_no_op_is_counted_by_name),
        cmocka_unit_test(test_the_two_sides_of_a_copy_find_each_other),
        cmocka_unit_test(test_a_cut_never_makes_a_record_up),
        cmocka_unit_test(test_a_zero_of_nvbit_is_what_the_user_says),
        cmocka_unit_test(test_a_launch_of_nvbit_without_a_name_is_an_error),
        cmocka_unit_test(test_a_list_is_read_with_the_files_beside_it),
        cmocka_unit_test(test_a_list_names_files_beside_it_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
