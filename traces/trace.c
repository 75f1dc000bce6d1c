/* A trace: an input, the format that its first bytes tell, and the launch that began last. */
#include "trace.h"

#include "core/buffer.h"
#include "filter.h"
#include "format.h"
#include "sketch.h"

#include <stdlib.h>
#include <string.h>

struct bs_trace {
    struct bs_input *input;
    bool of_pieces; /* the input is another trace's, and so is the kernel */
    const struct bs_format *format;
    void *reader; /* the format's */
    struct bs_launches launches;
    struct bs_trace_options options;
    struct bs_import import;
    bool filtered;
    struct bs_filter filter;  /* if filtered */
    uint64_t judged;          /* the launch that its kernel was last looked at for, plus 1 */
    bool judged_fit;          /* and what came of it */
    uint64_t records;         /* gone by */
    uint64_t taken;           /* given out */
    enum bs_trace_event last; /* an end or an error is final */
    struct bs_error error;
};

/* ---- opening and reading -------------------------------------------------------------------- */

/* The byte order mark of UTF-8, which editors add unseen. */
static bool starts_with_mark(const char *head, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf";
    return size >= sizeof mark - 1 && memcmp(head, mark, sizeof mark - 1) == 0;
}

static bool choose_format(struct bs_trace *trace, struct bs_error *error)
{
    const char *name = bs_input_name(trace->input);
    const char *head;
    size_t size;
    char accepted[320], first[96];
    if (!bs_input_head(trace->input, &head, &size, error))
        return false;
    trace->format = bs_format_of(head, size);
    if (trace->format)
        return true;
    if (starts_with_mark(head, size) && bs_sketch_resembles(head, size))
        return bs_fail(error, BS_BAD_TRACE, name, 1, 1,
                       "the sketch begins with a byte order mark: save the file as UTF-8 without "
                       "one");
    if (bs_sketch_resembles(head, size))
        return bs_fail(error, BS_BAD_TRACE, name, 1, 1,
                       "a layout sketch begins with the key 'sketch', with the kernel's name; only "
                       "comments and blank lines may stand before it");
    bs_formats_phrase(accepted, sizeof accepted);
    if (size == 0)
        return bs_fail(error, BS_BAD_TRACE, name, 0, 0,
                       "the trace is empty, expected it to start with %s", accepted);
    if (starts_with_mark(head, size))
        return bs_fail(error, BS_BAD_TRACE, name, 1, 1,
                       "unknown trace format, expected a start with %s, found a byte order mark "
                       "(bytes ef bb bf)",
                       accepted);
    return bs_fail(error, BS_BAD_TRACE, name, 1, 1,
                   "unknown trace format, expected a start with %s, found \"%s\"", accepted,
                   bs_printable(head, size < 20 ? size : 20, first, sizeof first));
}

static void *open_reader(struct bs_trace *trace, struct bs_error *error)
{
    if (trace->format->open_with)
        return trace->format->open_with(trace->input, &trace->launches, &trace->options, error);
    if (trace->options.let_count > 0) {
        bs_fail(error, BS_USAGE, bs_input_name(trace->input), 0, 0,
                "a value for '%s' is given, but only sketches have parameters",
                trace->options.lets[0].name);
        return NULL;
    }
    if (trace->format->open)
        return trace->format->open(trace->input, &trace->launches, error);
    trace->import.format = trace->format->name;
    return trace->format->import(trace->input, &trace->launches, &trace->options, &trace->import,
                                 error);
}

const char *bs_trace_kind(const char *path)
{
    struct bs_error error;
    struct bs_input *input = bs_input_open(path, &error);
    const struct bs_format *format = NULL;
    const char *head;
    size_t size;
    if (input && bs_input_head(input, &head, &size, &error))
        format = bs_format_of(head, size);
    if (input)
        bs_input_close(input);
    return format ? format->name : NULL;
}

struct bs_trace *bs_trace_from(struct bs_input *input, struct bs_error *error)
{
    return bs_trace_from_with(input, NULL, error);
}

struct bs_trace *bs_trace_from_with(struct bs_input *input, const struct bs_trace_options *options,
                                    struct bs_error *error)
{
    struct bs_error local;
    if (!error)
        error = &local;
    if (!input)
        return NULL;
    struct bs_trace *trace = calloc(1, sizeof *trace);
    if (!trace) {
        bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
        bs_input_close(input);
        return NULL;
    }
    trace->input = input;
    trace->last = BS_TRACE_RECORD;
    if (options)
        trace->options = *options;
    if (choose_format(trace, error))
        trace->reader = open_reader(trace, error);
    if (trace->reader)
        return trace;
    bs_trace_close(trace);
    return NULL;
}

struct bs_trace *bs_trace_open(const char *path, struct bs_error *error)
{
    return bs_trace_open_with(path, NULL, error);
}

struct bs_trace *bs_trace_open_with(const char *path, const struct bs_trace_options *options,
                                    struct bs_error *error)
{
    struct bs_buffer list = {0};
    if (!path[0]) {
        bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "expected the name of a trace, found ''");
        return NULL;
    }
    bs_buffer_printf(&list, "%s/kernelslist.g", path);
    char *name = bs_buffer_take(&list);
    const bool folder = name && bs_source_kind(name) == BS_SOURCE_FILE;
    struct bs_trace *trace =
        bs_trace_from_with(bs_input_open(folder ? name : path, error), options, error);
    free(name);
    return trace;
}

struct bs_trace *bs_trace_memory(const void *bytes, size_t size, const char *name,
                                 struct bs_error *error)
{
    struct bs_source source;
    if (!bs_source_memory(&source, bytes, size, error))
        return NULL;
    return bs_trace_from(bs_input_from(source, name, error), error);
}

void bs_trace_close(struct bs_trace *trace)
{
    if (!trace)
        return;
    if (trace->reader)
        trace->format->close(trace->reader);
    if (!trace->of_pieces)
        bs_input_close(trace->input);
    bs_kernel_copy_free(&trace->launches.last);
    free(trace);
}

/* What the reader has next, a record with its number. */
static void take_next(struct bs_trace *trace, struct bs_record *record)
{
    if (trace->last == BS_TRACE_END || trace->last == BS_TRACE_ERROR)
        return;
    record->access.record = 0;
    trace->last = trace->format->next(trace->reader, record, &trace->error);
    if (trace->last != BS_TRACE_ERROR)
        trace->records += record->access.record;
    if (trace->last == BS_TRACE_RECORD)
        record->access.record = trace->records++;
    if (trace->last == BS_TRACE_LAUNCH)
        *record = (struct bs_record){.kernel = &trace->launches.last.kernel};
}

/* Looks at the names of a kernel once a launch. */
static bool is_wanted(struct bs_trace *trace, const struct bs_record *record)
{
    if (trace->judged != record->kernel->launch + 1) {
        trace->judged = record->kernel->launch + 1;
        trace->judged_fit = bs_filter_takes_kernel(&trace->filter, record->kernel);
    }
    return trace->judged_fit && bs_filter_takes_access(&trace->filter, record);
}

enum bs_trace_event bs_trace_next(struct bs_trace *trace, struct bs_record *record,
                                  struct bs_error *error)
{
    do {
        if (trace->filtered && trace->taken == trace->filter.first)
            return BS_TRACE_END;
        take_next(trace, record);
    } while (trace->last == BS_TRACE_RECORD && trace->filtered && !is_wanted(trace, record));
    trace->taken += trace->last == BS_TRACE_RECORD;
    if (trace->last == BS_TRACE_ERROR && error)
        *error = trace->error;
    return trace->last;
}

enum bs_trace_event bs_trace_next_record(struct bs_trace *trace, struct bs_record *record,
                                         struct bs_error *error)
{
    enum bs_trace_event event;
    do
        event = bs_trace_next(trace, record, error);
    while (event == BS_TRACE_LAUNCH);
    return event;
}

void bs_trace_filter(struct bs_trace *trace, const struct bs_filter *filter)
{
    trace->filtered = true;
    trace->filter = *filter;
    if (trace->format->filter)
        trace->format->filter(trace->reader, &trace->filter);
}

/* ---- pieces --------------------------------------------------------------------------------- */

bool bs_trace_has_pieces(const struct bs_trace *trace)
{
    return trace->format->next_piece && !(trace->filtered && bs_filter_counts(&trace->filter));
}

enum bs_trace_event bs_trace_next_piece(struct bs_trace *trace, struct bs_buffer *bytes,
                                        struct bs_piece *piece, struct bs_record *record,
                                        struct bs_error *error)
{
    if (trace->last == BS_TRACE_END || trace->last == BS_TRACE_ERROR)
        return trace->last;
    record->access.record = 0;
    trace->last = trace->format->next_piece(trace->reader, bytes, piece, record, &trace->error);
    if (trace->last == BS_TRACE_END)
        trace->records += record->access.record;
    if (trace->last == BS_TRACE_LAUNCH)
        *record = (struct bs_record){.kernel = &trace->launches.last.kernel};
    if (trace->last == BS_TRACE_ERROR)
        *error = trace->error;
    return trace->last;
}

struct bs_trace *bs_trace_of_pieces(const struct bs_trace *whole, struct bs_error *error)
{
    struct bs_trace *part = calloc(1, sizeof *part);
    if (!part) {
        bs_fail(error, BS_INTERNAL, bs_input_name(whole->input), 0, 0, "out of memory");
        return NULL;
    }
    part->of_pieces = true;
    part->input = whole->input;
    part->format = whole->format;
    part->filtered = whole->filtered;
    part->filter = whole->filter;
    part->reader = part->format->open_pieces(part->input, &part->launches, error);
    if (part->reader)
        return part;
    bs_trace_close(part);
    return NULL;
}

bool bs_trace_start_piece(struct bs_trace *part, char *bytes, const struct bs_piece *piece,
                          const struct bs_kernel *kernel, uint64_t first, struct bs_error *error)
{
    part->launches.last.kernel = *kernel;
    part->launches.count = kernel->launch + 1;
    part->records = first + piece->left_out;
    part->last = BS_TRACE_RECORD;
    return part->format->start_piece(part->reader, bytes, piece, error);
}

/* ---- questions ------------------------------------------------------------------------------ */

const struct bs_error *bs_trace_warning(const struct bs_trace *trace)
{
    return trace->last != BS_TRACE_ERROR && trace->error.text[0] ? &trace->error : NULL;
}

uint64_t bs_trace_records(const struct bs_trace *trace)
{
    return trace->records;
}

uint64_t bs_trace_launches(const struct bs_trace *trace)
{
    return trace->launches.count;
}

const struct bs_import *bs_trace_import(const struct bs_trace *trace)
{
    return &trace->import;
}

const char *bs_trace_expectation(const struct bs_trace *trace, uint64_t pc, uint64_t *line,
                                 uint64_t *column)
{
    return trace->format->expectation ? trace->format->expectation(trace->reader, pc, line, column)
                                      : NULL;
}

const char *bs_trace_remark(const struct bs_trace *trace, enum bs_remark kind, size_t number)
{
    return trace->format->remark ? trace->format->remark(trace->reader, kind, number) : NULL;
}

const struct bs_sketch *bs_trace_sketch(const struct bs_trace *trace)
{
    return trace->format->sketch ? trace->format->sketch(trace->reader) : NULL;
}

const char *bs_trace_name(const struct bs_trace *trace)
{
    const char *part = trace->format->part ? trace->format->part(trace->reader) : NULL;
    return part ? part : bs_input_name(trace->input);
}

void bs_trace_progress(const struct bs_trace *trace, uint64_t *done, uint64_t *size)
{
    bs_input_progress(trace->input, done, size);
}
