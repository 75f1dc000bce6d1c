/* Is the native binary the same trace as the text, however it is cut, damaged or filtered? */
#include "binary.h"
#include "trace_help.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bytes {
    char *data;
    size_t size;
};

/* A trace of several launches and blocks of each kind. */
static struct bytes random_text(uint64_t seed, unsigned launches, unsigned records)
{
    struct bs_error error = {0};
    struct case_access made;
    struct bytes text;
    FILE *file = tmpfile();
    struct bs_trace_writer *writer = bs_writer_open(file, "text", &error);
    static const struct bs_source_place places[] = {
        {0, "a.cu:1"}, {0x7000000000000000, " b "}, {UINT64_MAX, "\xff"}};
    print_message("seed 0x%" PRIx64 "\n", seed);
    for (unsigned launch = 0; launch < launches; launch++) {
        char name[32];
        snprintf(name, sizeof name, "kernel %u\n\\", launch / 2);
        struct bs_kernel kernel = {.name = name, .smem = launch % 3 ? (int64_t)launch : -1};
        kernel.model = launch % 4 == 1 ? "hopper" : NULL;
        kernel.grid[0] = kernel.grid[1] = kernel.grid[2] = launch % 2 ? 7 + launch : 0;
        if (launch % 7 == 3)
            kernel.demangled = "void kernel<int>()";
        if (launch % 7 == 4)
            kernel.cc[0] = 1 + launch;
        if (launch % 7 > 4) {
            kernel.device = "device";
            kernel.places = places;
            kernel.place_count = launch % 7 == 5 ? 1 : 3;
        }
        assert_true(bs_writer_kernel(writer, &kernel, &error));
        for (unsigned i = 0; launch % 5 != 4 && i < records; i++) {
            random_access(&seed, &made);
            assert_true(bs_writer_record(writer, &made.access, &error));
        }
    }
    assert_true(bs_writer_finish(writer, &error));
    bs_writer_close(writer);
    text.data = read_stream(file, &text.size);
    fclose(file);
    return text;
}

static struct bytes rewritten(struct bytes from, const char *format)
{
    struct bs_error error = {0};
    struct bytes to;
    struct bs_trace *trace = bs_trace_memory(from.data, from.size, "t", &error);
    assert_non_null(trace);
    to.data = rewrite_as(trace, format, &to.size);
    assert_null(bs_trace_warning(trace));
    bs_trace_close(trace);
    return to;
}

static void test_random_traces_survive_binary(void **state)
{
    (void)state;
    static const unsigned sizes[][2] = {{0, 0}, {1, 0}, {1, 1}, {30, 40}, {2, 16384}, {1, 40000}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct bytes text = random_text(0x5eed0010 + i, sizes[i][0], sizes[i][1]);
        const struct bytes binary = rewritten(text, "binary");
        const struct bytes again = rewritten(binary, "text");
        assert_int_equal(again.size, text.size);
        assert_memory_equal(again.data, text.data, text.size);
        free(text.data);
        free(binary.data);
        free(again.data);
    }
}

static void test_captures_survive_binary_and_shrink(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        unsigned smaller;
    } captures[] = {
        {BANKSHOT_TRACES_FOLDER "/cuda-classics.trace.xz", 8},
        {BANKSHOT_TRACES_FOLDER "/library-kernels.trace.xz", 6},
    };
    for (unsigned i = 0; i < 2; i++) {
        struct bytes text;
        struct bs_trace *trace = bs_trace_open(captures[i].path, NULL);
        assert_non_null(trace);
        text.data = rewrite(trace, &text.size);
        bs_trace_close(trace);
        const struct bytes binary = rewritten(text, "binary");
        const struct bytes again = rewritten(binary, "text");
        assert_int_equal(again.size, text.size);
        assert_memory_equal(again.data, text.data, text.size);
        assert_true(binary.size * captures[i].smaller < text.size);
        free(text.data);
        free(binary.data);
        free(again.data);
    }
}

/* ---- damage --------------------------------------------------------------------------------- */

enum { LAUNCHES = 7, RECORDS = 2 };

/* The records of a damaged trace are the first ones of the whole one. Returns how many; how it
 * ended is in *last, or in *warned. */
static uint64_t check_start(struct bytes whole, const char *damaged, size_t size,
                            enum bs_trace_event *last, bool *warned)
{
    struct bs_error error = {0};
    struct bs_record a, b;
    uint64_t count = 0;
    *warned = false;
    *last = BS_TRACE_ERROR;
    struct bs_trace *trace = bs_trace_memory(damaged, size, "damaged", &error);
    if (!trace)
        return 0;
    struct bs_trace *good = bs_trace_memory(whole.data, whole.size, "whole", &error);
    while ((*last = bs_trace_next_record(trace, &a, &error)) == BS_TRACE_RECORD) {
        assert_int_equal(bs_trace_next_record(good, &b, NULL), BS_TRACE_RECORD);
        assert_same_access(&a.access, &b.access);
        assert_string_equal(a.kernel->name, b.kernel->name);
        count++;
    }
    *warned = bs_trace_warning(trace) != NULL;
    assert_true(*last != BS_TRACE_ERROR || error.text[0]);
    bs_trace_close(good);
    bs_trace_close(trace);
    return count;
}

static void test_a_trace_cut_anywhere_keeps_its_whole_blocks_and_says_so(void **state)
{
    (void)state;
    const struct bytes text = random_text(0x5eed0020, LAUNCHES, RECORDS);
    const struct bytes binary = rewritten(text, "binary");
    uint64_t most = 0;
    for (size_t size = 0; size < binary.size; size++) {
        enum bs_trace_event last;
        bool warned;
        char *cut = malloc(size + 1); /* so that a sanitizer sees reads past it */
        memcpy(cut, binary.data, size);
        const uint64_t count = check_start(binary, cut, size, &last, &warned);
        assert_int_equal(last, size < 16 ? BS_TRACE_ERROR : BS_TRACE_END);
        assert_int_equal(warned, size >= 16);
        assert_true(count >= most && count % RECORDS == 0);
        most = count;
        free(cut);
    }
    assert_int_equal(most, (LAUNCHES - 1) * RECORDS); /* one launch has none */
    free(text.data);
    free(binary.data);
}

static void test_a_flipped_bit_is_an_error(void **state)
{
    (void)state;
    const struct bytes text = random_text(0x5eed0030, LAUNCHES, RECORDS);
    const struct bytes binary = rewritten(text, "binary");
    for (size_t bit = 0; bit < 8 * binary.size; bit++) {
        enum bs_trace_event last;
        bool warned;
        binary.data[bit / 8] ^= (char)(1 << bit % 8);
        const struct bytes damaged = {malloc(binary.size), binary.size};
        memcpy(damaged.data, binary.data, binary.size);
        binary.data[bit / 8] ^= (char)(1 << bit % 8);
        check_start(binary, damaged.data, damaged.size, &last, &warned);
        assert_int_equal(last, BS_TRACE_ERROR);
        free(damaged.data);
    }
    free(text.data);
    free(binary.data);
}

static void test_bytes_behind_the_index_are_an_error(void **state)
{
    (void)state;
    const struct bytes text = random_text(0x5eed0040, 1, 1);
    struct bytes binary = rewritten(text, "binary");
    enum bs_trace_event last;
    bool warned;
    char *longer = realloc(binary.data, binary.size + 1);
    longer[binary.size] = 0;
    binary.data = longer;
    assert_int_equal(check_start(binary, longer, binary.size + 1, &last, &warned), 1);
    assert_int_equal(last, BS_TRACE_ERROR);
    free(text.data);
    free(longer);
}

/* The header's CTAs decide what a filter leaves out: they are held to the records. */
static void test_ctas_of_a_header_that_are_not_the_records_are_an_error(void **state)
{
    (void)state;
    static const int32_t shifts[][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}, {9, -9}};
    static char lines[] = "#bankshot-trace 1\nkernel k\n5 0 0x0 bar f -\n9 0 0x0 bar f -\n";
    const struct bytes text = {lines, sizeof lines - 1};
    struct bytes binary = rewritten(text, "binary");
    size_t at = BS_BINARY_START;
    struct bs_block block;
    while (bs_get_block((const unsigned char *)binary.data + at, &block) &&
           block.kind != BS_BLOCK_RECORDS)
        at += BS_BINARY_HEADER + block.size;
    for (unsigned i = 0; i < sizeof shifts / sizeof *shifts; i++) {
        struct bs_block other = block;
        struct bs_buffer header = {0};
        enum bs_trace_event last;
        bool warned;
        other.cta_low = block.cta_low + (uint32_t)shifts[i][0];
        other.cta_high = block.cta_high + (uint32_t)shifts[i][1];
        bs_put_block(&header, &other);
        memcpy(binary.data + at, header.data, header.size);
        bs_buffer_free(&header);
        print_message("CTAs %u to %u\n", other.cta_low, other.cta_high);
        assert_int_equal(check_start(text, binary.data, binary.size, &last, &warned),
                         i == 0 ? 2 : 0);
        assert_int_equal(last, i == 0 ? BS_TRACE_END : BS_TRACE_ERROR);
    }
    free(binary.data);
}

/* ---- filters -------------------------------------------------------------------------------- */

/* The numbers of the records that a filter leaves, in order, as one checksum. */
static uint64_t numbers_of(struct bytes trace, const struct bs_filter *filter, uint64_t *count)
{
    struct bs_error error = {0};
    struct bs_record record;
    uint64_t sum = 0;
    enum bs_trace_event event;
    struct bs_trace *open = bs_trace_memory(trace.data, trace.size, "t", &error);
    bs_trace_filter(open, filter);
    for (*count = 0; (event = bs_trace_next_record(open, &record, &error)) == BS_TRACE_RECORD;
         ++*count)
        sum = sum * 31 + record.access.record * 7 + record.access.mask + record.kernel->launch;
    assert_int_equal(event, BS_TRACE_END);
    bs_trace_close(open);
    return sum;
}

/* With the index, without it, and read as text, a filter leaves the same. */
static void check_filter(struct bytes text, struct bytes binary, const struct bs_filter *filter,
                         uint64_t *count)
{
    uint64_t with, without;
    const struct bytes cut = {binary.data, binary.size - 1};
    const uint64_t sum = numbers_of(text, filter, count);
    assert_true(numbers_of(binary, filter, &with) == sum);
    assert_true(numbers_of(cut, filter, &without) == sum);
    assert_int_equal(with, *count);
    assert_int_equal(without, *count);
}

static void test_filters_leave_the_same_of_text_and_binary(void **state)
{
    (void)state;
    const struct bytes text = random_text(0x5eed0050, 12, 300);
    const struct bytes binary = rewritten(text, "binary");
    const struct bs_filter all = bs_filter_everything();
    uint64_t whole, count, sum = 0;
    check_filter(text, binary, &all, &whole);
    struct bs_filter filters[] = {all, all, all, all, all, all, all};
    filters[0].kernel = "kernel 3*";
    filters[1].cta = (struct bs_range){0, UINT32_MAX / 3};
    filters[2].warp = (struct bs_range){3, 3};
    filters[3].pc = (struct bs_range){1000, UINT64_MAX / 2};
    filters[4].op = "atom.*";
    filters[5].first = 123;
    filters[6].record = (struct bs_range){700, 700};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        check_filter(text, binary, &filters[i], &count);
        assert_in_range(count, 1, whole - 1);
    }
    assert_int_equal(count, 1);
    for (uint32_t shard = 1; shard <= 5; shard++) {
        struct bs_filter filter = all;
        filter.shard = shard;
        filter.shards = 5;
        check_filter(text, binary, &filter, &count);
        sum += count;
    }
    assert_int_equal(sum, whole);
    free(text.data);
    free(binary.data);
}

/* ---- what is read at all --------------------------------------------------------------------- */

/* A source that counts the bytes that are read from it. */
struct counted {
    struct bytes bytes;
    size_t at;
    uint64_t read;
};

static bool counted_read(void *user, void *bytes, size_t room, size_t *got, const char **why)
{
    struct counted *counted = user;
    const size_t left = counted->bytes.size - counted->at;
    (void)why;
    *got = left < room ? left : room;
    memcpy(bytes, counted->bytes.data + counted->at, *got);
    counted->at += *got;
    counted->read += *got;
    return true;
}

static bool counted_seek(void *user, uint64_t offset)
{
    struct counted *counted = user;
    if (offset > counted->bytes.size)
        return false;
    counted->at = (size_t)offset;
    return true;
}

/* Blocks of full size, two CTAs in each, whose addresses have no pattern. */
enum { CTAS = 16, RECORDS_OF_CTA = 8192, BLOCKS = CTAS * RECORDS_OF_CTA / 16384 };

static struct bytes patternless_binary(void)
{
    struct bs_error error = {0};
    struct bytes binary;
    uint64_t random = 7;
    uint32_t addr[BS_MAX_LANES];
    FILE *file = tmpfile();
    struct bs_trace_writer *writer = bs_writer_open(file, "binary", &error);
    struct bs_access access = {.mask = UINT32_MAX, .addr = addr};
    const struct bs_kernel kernel = {.name = "k", .grid = {CTAS, 1, 1}, .smem = -1};
    assert_true(bs_op_parse("ld.b32", 6, &access.op));
    assert_true(bs_writer_kernel(writer, &kernel, &error));
    for (access.cta = 0; access.cta < CTAS; access.cta++) {
        for (unsigned i = 0; i < RECORDS_OF_CTA; i++) {
            for (unsigned lane = 0; lane < 32; lane++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
                addr[lane] = (uint32_t)(random >> 40) & 0xfffc;
            }
            assert_true(bs_writer_record(writer, &access, &error));
        }
    }
    assert_true(bs_writer_finish(writer, &error));
    bs_writer_close(writer);
    binary.data = read_stream(file, &binary.size);
    fclose(file);
    return binary;
}

/* The records that a filter takes; *read becomes the bytes that were read for them. */
static uint64_t count_filtered(struct bytes binary, const struct bs_filter *filter, uint64_t *read)
{
    struct counted counted = {.bytes = binary};
    const struct bs_source source = {&counted, counted_read, counted_seek, NULL, binary.size};
    struct bs_error error = {0};
    struct bs_record record;
    uint64_t records = 0;
    struct bs_trace *trace = bs_trace_from(bs_input_from(source, "counted", &error), &error);
    assert_non_null(trace);
    bs_trace_filter(trace, filter);
    while (bs_trace_next_record(trace, &record, &error) == BS_TRACE_RECORD)
        records++;
    assert_int_equal(error.status, BS_OK);
    assert_int_equal(bs_trace_records(trace), CTAS * RECORDS_OF_CTA);
    bs_trace_close(trace);
    *read = counted.read;
    return records;
}

static void test_blocks_that_are_not_wanted_are_not_read(void **state)
{
    (void)state;
    const struct bytes binary = patternless_binary();
    struct bs_filter filter = bs_filter_everything();
    const uint64_t block = binary.size / BLOCKS;
    const uint64_t rest = block / 2; /* the index, and what is read ahead of it and of blocks */
    uint64_t read;
    assert_int_equal(count_filtered(binary, &filter, &read), CTAS * RECORDS_OF_CTA);
    assert_true(read == binary.size);

    filter.record = (struct bs_range){100000, 100000};
    assert_int_equal(count_filtered(binary, &filter, &read), 1);
    print_message("one record: %" PRIu64 " of %zu bytes read\n", read, binary.size);
    assert_true(read >= block / 2 && read <= block + rest);

    filter = bs_filter_everything();
    filter.shards = BLOCKS;
    for (filter.shard = 1; filter.shard <= BLOCKS; filter.shard++) {
        assert_int_equal(count_filtered(binary, &filter, &read), 2 * RECORDS_OF_CTA);
        assert_true(read >= block / 2 && read <= block + rest);
    }
    free(binary.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_traces_survive_binary),
        cmocka_unit_test(test_captures_survive_binary_and_shrink),
        cmocka_unit_test(test_a_trace_cut_anywhere_keeps_its_whole_blocks_and_says_so),
        cmocka_unit_test(test_a_flipped_bit_is_an_error),
        cmocka_unit_test(test_bytes_behind_the_index_are_an_error),
        cmocka_unit_test(test_ctas_of_a_header_that_are_not_the_records_are_an_error),
        cmocka_unit_test(test_filters_leave_the_same_of_text_and_binary),
        cmocka_unit_test(test_blocks_that_are_not_wanted_are_not_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
