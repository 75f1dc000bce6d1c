/*
 * Does a reader's memory stay the same however many launches a trace has? The linker sends all
 * calls for memory through here, where they are counted: once a reader has seen some launches, it
 * must ask for no more.
 */
#include "trace_help.h"

#include "core/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WARM_UP = 5000, LAUNCHES = 3 * WARM_UP };

/* ---- counting ------------------------------------------------------------------------------- */

static unsigned long long calls;

/* The names are the linker's. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    calls++;
    return __real_realloc(memory, size);
}

/* ---- traces --------------------------------------------------------------------------------- */

struct bytes {
    char *data;
    size_t size;
};

static const char header[] = "#bankshot-trace 1\n";
static const char launch_line[] =
    "kernel some_kernel grid=8,1,1 block=64,1,1 smem=64 model=ampere\n";
static const char record_line[] = "0 0 0x10 ld.b32 ffffffff 0x0+4*32\n";

static struct bytes text_of(const char *start, const char *launch, const char *record)
{
    struct bs_buffer text = {0};
    bs_buffer_text(&text, start);
    for (unsigned i = 0; i < LAUNCHES; i++) {
        bs_buffer_text(&text, launch);
        bs_buffer_text(&text, record);
    }
    const size_t size = text.size;
    return (struct bytes){bs_buffer_take(&text), size};
}

static struct bytes as(struct bytes text, const char *format)
{
    struct bs_error error = {0};
    struct bytes written;
    struct bs_trace *trace = bs_trace_memory(text.data, text.size, "t", &error);
    written.data = rewrite_as(trace, format, &written.size);
    bs_trace_close(trace);
    free(text.data);
    return written;
}

/* Reads all launches, whose kernels have that name, and frees the bytes. */
static void require_flat(struct bytes bytes, const char *name, uint64_t records)
{
    struct bs_error error = {0};
    struct bs_record record;
    uint64_t launches = 0, seen = 0;
    unsigned long long warm = 0;
    enum bs_trace_event event;
    const unsigned long long before = calls;
    struct bs_trace *trace = bs_trace_memory(bytes.data, bytes.size, "t", &error);
    assert_non_null(trace);
    assert_true(calls > before); /* they are counted */
    while ((event = bs_trace_next(trace, &record, &error)) != BS_TRACE_END) {
        assert_int_not_equal(event, BS_TRACE_ERROR);
        assert_string_equal(record.kernel->name, name);
        seen += event == BS_TRACE_RECORD;
        if (event != BS_TRACE_LAUNCH)
            continue;
        assert_int_equal(record.kernel->launch, launches++);
        assert_int_equal(bs_trace_launches(trace), launches);
        if (launches == WARM_UP)
            warm = calls;
    }
    if (calls != warm)
        fail_msg("a reader asked %llu times for memory after %d of %d launches, expected 0",
                 calls - warm, WARM_UP, LAUNCHES);
    assert_int_equal(launches, LAUNCHES);
    assert_int_equal(seen, records);
    bs_trace_close(trace);
    free(bytes.data);
}

/* ---- questions ------------------------------------------------------------------------------ */

static void test_launches_cost_no_memory_in_text(void **state)
{
    (void)state;
    require_flat(text_of(header, launch_line, record_line), "some_kernel", LAUNCHES);
    require_flat(text_of(header, launch_line, ""), "some_kernel", 0);
}

static void test_launches_cost_no_memory_in_the_binary(void **state)
{
    (void)state;
    require_flat(as(text_of(header, launch_line, record_line), "binary"), "some_kernel", LAUNCHES);
    require_flat(as(text_of(header, launch_line, ""), "binary"), "some_kernel", 0);
}

static void test_launches_cost_no_memory_in_an_array(void **state)
{
    (void)state;
    require_flat(as(text_of(header, launch_line, record_line), "npy"), "some_kernel", LAUNCHES);
}

static void test_launches_cost_no_memory_in_mem_trace(void **state)
{
    (void)state;
    require_flat(text_of("",
                         "MEMTRACE: CTX 0x01 - LAUNCH - Kernel pc 0x01 - Kernel name f - grid "
                         "launch id 7 - grid size 1,1,1 - block size 32,1,1 - nregs 8 - shmem 64 - "
                         "cuda stream id 0\n",
                         ""),
                 "f", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_launches_cost_no_memory_in_text),
        cmocka_unit_test(test_launches_cost_no_memory_in_the_binary),
        cmocka_unit_test(test_launches_cost_no_memory_in_an_array),
        cmocka_unit_test(test_launches_cost_no_memory_in_mem_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
