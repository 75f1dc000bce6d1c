/* What the tests of traces share: reading all of a trace, and writing all of it again. */
#include "trace_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

uint64_t drain(struct bs_trace *trace, enum bs_trace_event *last, struct bs_error *error)
{
    struct bs_record record;
    uint64_t count = 0;
    while ((*last = bs_trace_next_record(trace, &record, error)) == BS_TRACE_RECORD)
        assert_int_equal(record.access.record, count++);
    return count;
}

char *read_stream(FILE *file, size_t *size)
{
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    return text;
}

char *rewrite_as(struct bs_trace *trace, const char *format, size_t *size)
{
    struct bs_error error = {0};
    struct bs_record record;
    FILE *file = tmpfile();
    assert_non_null(file);
    struct bs_trace_writer *writer = bs_writer_open(file, format, &error);
    assert_non_null(writer);
    enum bs_trace_event event;
    do {
        event = bs_trace_next(trace, &record, &error);
        assert_int_not_equal(event, BS_TRACE_ERROR);
        if (event == BS_TRACE_LAUNCH)
            assert_true(bs_writer_kernel(writer, record.kernel, &error));
        if (event == BS_TRACE_RECORD)
            assert_true(bs_writer_record(writer, &record.access, &error));
    } while (event != BS_TRACE_END);
    assert_true(bs_writer_finish(writer, &error));
    bs_writer_close(writer);
    char *text = read_stream(file, size);
    fclose(file);
    return text;
}

char *rewrite(struct bs_trace *trace, size_t *size)
{
    return rewrite_as(trace, "text", size);
}

static uint64_t next_random(uint64_t *random)
{
    *random ^= *random << 13; /* xorshift64 */
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

/* Addresses in steps that often stay the same, so that there are runs of all lengths. */
void random_access(uint64_t *random, struct case_access *made)
{
    uint64_t at = next_random(random), step = 4;
    *made = (struct case_access){0};
    struct bs_access *access = &made->access;
    access->op = bs_op_at((unsigned)(next_random(random) % BS_OPS));
    access->mask = next_random(random) >> next_random(random) % 64;
    access->mask |= next_random(random) % 2 ? UINT32_MAX : 0;
    access->cta = (uint32_t)next_random(random);
    access->warp = (uint32_t)(next_random(random) % 32);
    access->pc = next_random(random) >> next_random(random) % 64;
    access->dep = next_random(random) % 4 ? 0 : (uint32_t)next_random(random);
    access->addr = made->addr;
    access->src = access->op.kind == BS_CP_ASYNC && next_random(random) % 2 ? made->src : NULL;
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++) {
        if (next_random(random) % 5 == 0)
            step = next_random(random) >> next_random(random) % 64;
        at += next_random(random) % 2 ? step : 0 - step;
        at = next_random(random) % 3 ? at : at + step;
        made->addr[lane] = (uint32_t)at;
        made->src[lane] = at;
    }
}

void assert_same_access(const struct bs_access *a, const struct bs_access *b)
{
    assert_int_equal(a->op.index, b->op.index);
    assert_true(a->mask == b->mask);
    assert_int_equal(a->cta, b->cta);
    assert_int_equal(a->warp, b->warp);
    assert_true(a->pc == b->pc);
    assert_int_equal(a->dep, b->dep);
    assert_int_equal(a->src != NULL, b->src != NULL);
    for (unsigned lane = 0; lane < BS_MAX_LANES && a->op.kind != BS_BAR; lane++) {
        if (!(a->mask >> lane & 1))
            continue;
        assert_int_equal(a->addr[lane], b->addr[lane]);
        assert_true(!a->src || a->src[lane] == b->src[lane]);
    }
}
