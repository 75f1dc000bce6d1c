/*
 * Does a trace read the same however its bytes are stored and however they come in, and is memory
 * bounded? Are the sample traces whole?
 */
#define _POSIX_C_SOURCE 200809L /* getrusage */
#include "lines.h"
#include "trace_help.h"

#include "core/buffer.h"

#include <inttypes.h>
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#define HEAD "#bankshot-trace 1\nkernel k\n"

/* ---- sources and compression ---------------------------------------------------------------- */

/* Gives bytes in pieces of at most step; after them the letter x, so many times. */
struct feed {
    const char *bytes;
    size_t size;
    size_t step;
    uint64_t letters;
    uint64_t given;
    bool fails; /* at the end */
};

static bool feed_read(void *user, void *bytes, size_t room, size_t *got, const char **why)
{
    struct feed *feed = user;
    *got = room < feed->step ? room : feed->step;
    if (feed->size > 0) {
        *got = *got < feed->size ? *got : feed->size;
        memcpy(bytes, feed->bytes, *got);
        feed->bytes += *got;
        feed->size -= *got;
    } else {
        *got = *got < feed->letters ? *got : (size_t)feed->letters;
        memset(bytes, 'x', *got);
        feed->letters -= *got;
    }
    feed->given += *got;
    *why = "the feed is torn";
    return *got > 0 || !feed->fails;
}

static struct bs_trace *open_feed(struct feed *feed, struct bs_error *error)
{
    const struct bs_source source = {.user = feed, .read = feed_read};
    return bs_trace_from(bs_input_from(source, "t", error), error);
}

/* How reading the feed ends: "N records", or the error. */
static const char *outcome(struct feed feed, char *line, size_t room)
{
    struct bs_error error = {0};
    enum bs_trace_event last = BS_TRACE_ERROR;
    struct bs_trace *trace = open_feed(&feed, &error);
    const uint64_t records = trace ? drain(trace, &last, &error) : 0;
    if (last == BS_TRACE_END)
        snprintf(line, room, "%" PRIu64 " records", records);
    else
        bs_error_line(&error, line, room);
    bs_trace_close(trace);
    return line;
}

static void test_a_line_without_end_is_refused_early(void **state)
{
    (void)state;
    struct bs_error error = {0};
    enum bs_trace_event last;
    struct feed feed = {HEAD, strlen(HEAD), SIZE_MAX, UINT64_C(100) << 20, 0, false};
    struct bs_trace *trace = open_feed(&feed, &error);
    assert_int_equal(drain(trace, &last, &error), 0);
    assert_int_equal(last, BS_TRACE_ERROR);
    assert_int_equal(error.line, 3);
    assert_int_equal(error.column, BS_LINE_LIMIT + 1);
    assert_string_equal(error.text,
                        "the line is too long, expected at most 1048576 bytes, found more");
    assert_true(feed.given < (UINT64_C(2) << 20));
    bs_trace_close(trace);
}

static void test_a_line_of_the_longest_length_is_read(void **state)
{
    (void)state;
    char line[256];
    static const char text[] = HEAD "#";
    struct feed feed = {text, strlen(text), 4096, BS_LINE_LIMIT - 1, 0, false};
    assert_string_equal(outcome(feed, line, sizeof line), "0 records");
    feed.letters++;
    assert_string_equal(outcome(feed, line, sizeof line),
                        "t:3:1048577: the line is too long, expected at most 1048576 bytes, "
                        "found more");
}

static void test_a_failing_read_is_an_error(void **state)
{
    (void)state;
    char line[256];
    struct feed feed = {HEAD, strlen(HEAD), 1, 0, 0, true};
    assert_string_equal(outcome(feed, line, sizeof line), "t: cannot be read: the feed is torn");
}

static void test_looking_at_the_head_takes_nothing_from_the_reads(void **state)
{
    (void)state;
    struct bs_error error;
    const char *head;
    char byte, expected[2 * BS_INPUT_HEAD];
    size_t size, got;
    for (size_t i = 0; i < sizeof expected; i++)
        expected[i] = (char)(i * 7);
    struct feed feed = {expected, sizeof expected, 100, 0, 0, false};
    const struct bs_source source = {.user = &feed, .read = feed_read};
    struct bs_input *input = bs_input_from(source, "t", &error);
    assert_true(bs_input_head(input, &head, &size, &error));
    assert_int_equal(size, BS_INPUT_HEAD);
    assert_memory_equal(head, expected, size);
    for (size_t i = 0; i < sizeof expected; i++) {
        assert_true(bs_input_read(input, &byte, 1, &got, &error));
        assert_int_equal(got, 1);
        assert_int_equal(byte, expected[i]);
    }
    assert_true(bs_input_read(input, &byte, 1, &got, &error));
    assert_int_equal(got, 0);
    bs_input_close(input);
}

enum { PACKED = 4096 };

static size_t pack_gzip(const char *text, size_t size, unsigned char *out)
{
    z_stream stream = {0};
    stream.next_in = (Bytef *)(uintptr_t)text;
    stream.avail_in = (uInt)size;
    stream.next_out = out;
    stream.avail_out = PACKED;
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
                     Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    deflateEnd(&stream);
    return stream.total_out;
}

static size_t pack_xz(const char *text, size_t size, unsigned char *out)
{
    size_t used = 0;
    assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size,
                                             out, &used, PACKED),
                     LZMA_OK);
    return used;
}

static size_t pack_zstd(const char *text, size_t size, unsigned char *out)
{
    const size_t used = ZSTD_compress(out, PACKED, text, size, 3);
    assert_false(ZSTD_isError(used));
    return used;
}

/* A zstd file as parallel compressors write them. */
static size_t pack_skippable(const char *text, size_t size, unsigned char *out)
{
    static const unsigned char frame[] = {0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'h', 'i'};
    memcpy(out, frame, sizeof frame);
    return sizeof frame + pack_zstd(text, size, out + sizeof frame);
}

static const struct packer {
    const char *name;
    size_t (*pack)(const char *text, size_t size, unsigned char *out);
} packers[] = {{"gzip", pack_gzip}, {"xz", pack_xz}, {"zstd", pack_zstd}, {"zstd", pack_skippable}};

/* The same trace packed as a whole and as two streams, cut in the middle of a line. */
static void check_packer(const struct packer *packer)
{
    static const char text[] = HEAD "0 0 0 ld.b32 1 4\n0 0 0 ld.b32 ffffffff 0x700+4*32\n";
    enum { SIZE = sizeof text - 1, HALF = SIZE / 2 };
    unsigned char packed[2 * PACKED + 1];
    char line[512], expected[64];
    size_t size = packer->pack(text, HALF, packed);
    size += packer->pack(text + HALF, SIZE - HALF, packed + size);
    for (size_t step = 1; step < 200; step += 99) {
        const struct feed feed = {(const char *)packed, size, step, 0, 0, false};
        assert_string_equal(outcome(feed, line, sizeof line), "2 records");
    }
    size = packer->pack(text, SIZE, packed);
    snprintf(expected, sizeof expected, "t: %s data is cut off, expected more after byte",
             packer->name);
    for (size_t cut = 16; cut < size; cut++) {
        const struct feed feed = {(const char *)packed, cut, 7, 0, 0, false};
        outcome(feed, line, sizeof line);
        assert_memory_equal(line, expected, strlen(expected));
    }
    snprintf(expected, sizeof expected, "t: %s data cannot be decompressed: ", packer->name);
    memcpy(packed + size, "garbage garbage", 16);
    const struct feed trailing = {(const char *)packed, size + 16, SIZE_MAX, 0, 0, false};
    outcome(trailing, line, sizeof line);
    assert_memory_equal(line, expected, strlen(expected));
}

static void test_compressed_is_plain_and_cut_off_is_an_error(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++)
        check_packer(&packers[i]);
}

static void test_corrupt_compressed_data_never_reads_as_whole(void **state)
{
    (void)state;
    static const char text[] = HEAD "0 0 0 ld.b32 1 4\n0 0 0 ld.b32 ffffffff 0x700+4*32\n";
    unsigned char packed[PACKED];
    char line[512];
    const size_t size = pack_xz(text, strlen(text), packed);
    for (size_t i = 0; i < size; i++) {
        packed[i] ^= 0x10;
        const struct feed feed = {(const char *)packed, size, SIZE_MAX, 0, 0, false};
        assert_string_not_equal(outcome(feed, line, sizeof line), "2 records");
        packed[i] ^= 0x10;
    }
}

/* A little that becomes a lot: a head, and a million blank lines many times over. */
static char *make_bomb(const struct packer *packer, size_t *size)
{
    enum { LINES = 1 << 20, TIMES = 64 };
    unsigned char head[PACKED], packed[PACKED];
    struct bs_buffer bomb = {0};
    char *lines = malloc(LINES);
    assert_non_null(lines);
    memset(lines, '\n', LINES);
    bs_buffer_add(&bomb, head, packer->pack(HEAD, strlen(HEAD), head));
    *size = packer->pack(lines, LINES, packed);
    for (unsigned i = 0; i < TIMES; i++)
        bs_buffer_add(&bomb, packed, *size);
    free(lines);
    *size = bomb.size;
    return bs_buffer_take(&bomb);
}

static long peak_kilobytes(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

static void test_what_unpacks_to_much_needs_no_memory_for_it(void **state)
{
    (void)state;
    enum { MOST = 16 * 1024 }; /* KB; it unpacks to four times as much */
    for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
        size_t size;
        char line[512];
        char *bomb = make_bomb(&packers[i], &size);
        const long before = peak_kilobytes();
        const struct feed feed = {bomb, size, SIZE_MAX, 0, 0, false};
        assert_string_equal(outcome(feed, line, sizeof line), "0 records");
        print_message("%s: %zu bytes; %ld KB of memory\n", packers[i].name, size,
                      peak_kilobytes() - before);
        assert_true(peak_kilobytes() - before < MOST);
        free(bomb);
    }
}

static void test_what_is_no_file_is_an_error(void **state)
{
    (void)state;
    struct bs_error error;
    char line[512];
    assert_null(bs_trace_open("traces", &error));
    bs_error_line(&error, line, sizeof line);
    assert_string_equal(line, "traces: expected a trace file, found a directory");
    assert_int_equal(error.status, BS_BAD_TRACE);
    assert_null(bs_trace_open("traces/no-such.trace", &error));
    bs_error_line(&error, line, sizeof line);
    assert_string_equal(line, "traces/no-such.trace: cannot be opened: No such file or directory");
    assert_null(bs_trace_open("traces", NULL));
}

static void test_a_full_disk_is_an_error(void **state)
{
    (void)state;
    struct bs_error error = {0};
    const struct bs_kernel kernel = {.name = "k", .smem = -1};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    struct bs_trace_writer *writer = bs_writer_open(full, "text", &error);
    assert_non_null(writer);
    assert_true(bs_writer_kernel(writer, &kernel, &error));
    assert_false(bs_writer_finish(writer, &error));
    assert_int_equal(error.status, BS_INTERNAL);
    assert_non_null(strstr(error.text, "the trace cannot be written: "));
    bs_writer_close(writer);
    fclose(full);
}

/* ---- the sample traces ---------------------------------------------------------------------- */

static void check_sample(const char *path, uint64_t records, size_t kernels)
{
    struct bs_error error;
    enum bs_trace_event last;
    size_t size, size_again;
    uint64_t done, all;
    struct bs_trace *trace = bs_trace_open(path, &error);
    if (!trace)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(drain(trace, &last, &error), records);
    assert_int_equal(last, BS_TRACE_END);
    assert_int_equal(bs_trace_launches(trace), kernels);
    bs_trace_progress(trace, &done, &all);
    assert_true(all > 0 && done == all);
    bs_trace_close(trace);

    trace = bs_trace_open(path, &error);
    char *text = rewrite(trace, &size);
    bs_trace_close(trace);
    trace = bs_trace_memory(text, size, "t", &error);
    char *again = rewrite(trace, &size_again);
    assert_string_equal(again, text);
    bs_trace_close(trace);
    free(again);
    free(text);
}

static void test_the_sample_traces_are_whole(void **state)
{
    (void)state;
    check_sample("traces/cuda-classics.trace.xz", 15349, 8);
    check_sample("traces/library-kernels.trace.xz", 17776, 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_without_end_is_refused_early),
        cmocka_unit_test(test_a_line_of_the_longest_length_is_read),
        cmocka_unit_test(test_a_failing_read_is_an_error),
        cmocka_unit_test(test_looking_at_the_head_takes_nothing_from_the_reads),
        cmocka_unit_test(test_compressed_is_plain_and_cut_off_is_an_error),
        cmocka_unit_test(test_corrupt_compressed_data_never_reads_as_whole),
        cmocka_unit_test(test_what_unpacks_to_much_needs_no_memory_for_it),
        cmocka_unit_test(test_what_is_no_file_is_an_error),
        cmocka_unit_test(test_a_full_disk_is_an_error),
        cmocka_unit_test(test_the_sample_traces_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
