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
    while ((*last = bs_trace_next(trace, &record, error)) == BS_TRACE_RECORD)
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

char *rewrite(struct bs_trace *trace, size_t *size)
{
    struct bs_error error = {0};
    struct bs_record record;
    size_t launches = 0;
    FILE *file = tmpfile();
    assert_non_null(file);
    struct bs_text_writer *writer = bs_text_open(file, &error);
    assert_non_null(writer);
    enum bs_trace_event event;
    do {
        event = bs_trace_next(trace, &record, &error);
        assert_int_not_equal(event, BS_TRACE_ERROR);
        for (; launches < bs_trace_kernels(trace); launches++)
            assert_true(bs_text_kernel(writer, bs_trace_kernel(trace, launches), &error));
        if (event == BS_TRACE_RECORD)
            assert_true(bs_text_record(writer, &record.access, &error));
    } while (event == BS_TRACE_RECORD);
    assert_true(bs_text_flush(writer, &error));
    bs_text_close(writer);
    char *text = read_stream(file, size);
    fclose(file);
    return text;
}
