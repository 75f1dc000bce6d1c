/*
 * Fuzz target: any bytes, read as a trace: no crash, no hang, an error with a place or a good
 * trace. Each record that comes out is written and read again, and must be the same.
 */
#define _POSIX_C_SOURCE 200809L /* fmemopen */
#include "require.h"
#include "trace.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { WRITTEN = 8192 }; /* the longest kernel line that is tried, and any record */

static void require_same(const struct bs_access *a, const struct bs_access *b)
{
    require(a->op.index == b->op.index);
    require(a->mask == b->mask && a->cta == b->cta && a->warp == b->warp);
    require(a->pc == b->pc && a->dep == b->dep && !a->src == !b->src);
    require(a->op.kind == BS_BAR || same_lanes(a, b));
}

static void require_same_text(const char *a, const char *b)
{
    require(!a == !b && (!a || strcmp(a, b) == 0));
}

static void require_same_kernel(const struct bs_kernel *a, const struct bs_kernel *b)
{
    require_same_text(a->name, b->name);
    require_same_text(a->model, b->model);
    require_same_text(a->demangled, b->demangled);
    require_same_text(a->device, b->device);
    require(a->cc[0] == b->cc[0] && a->cc[1] == b->cc[1] && a->place_count == b->place_count);
    for (size_t i = 0; i < a->place_count; i++) {
        require(a->places[i].pc == b->places[i].pc);
        require_same_text(a->places[i].text, b->places[i].text);
        require(bs_kernel_place(b, a->places[i].pc) == &b->places[i]);
    }
    require(a->smem == b->smem);
    require(memcmp(a->grid, b->grid, sizeof a->grid) == 0);
    require(memcmp(a->block, b->block, sizeof a->block) == 0);
}

/* Writes the record's launch and the record, in place of what stood in the file. */
static size_t write_one(FILE *file, const struct bs_record *record)
{
    rewind(file);
    struct bs_trace_writer *writer = bs_writer_open(file, "text", NULL);
    require(writer != NULL);
    require(bs_writer_kernel(writer, record->kernel, NULL));
    require(bs_writer_record(writer, &record->access, NULL));
    require(bs_writer_finish(writer, NULL));
    bs_writer_close(writer);
    return (size_t)ftell(file);
}

static void require_survival(FILE *file, const char *written, const struct bs_record *record)
{
    struct bs_record again;
    const size_t size = write_one(file, record);
    struct bs_trace *trace = bs_trace_memory(written, size, "written", NULL);
    require(trace != NULL);
    require(bs_trace_next_record(trace, &again, NULL) == BS_TRACE_RECORD);
    require_same(&record->access, &again.access);
    require_same_kernel(record->kernel, again.kernel);
    require(bs_trace_next_record(trace, &again, NULL) == BS_TRACE_END);
    bs_trace_close(trace);
}

/* Whether a record and its kernel fit in WRITTEN bytes, whatever they look like. */
static bool is_short(const struct bs_kernel *kernel)
{
    const char *const names[] = {kernel->name, kernel->model, kernel->demangled, kernel->device};
    size_t size = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        size += names[i] ? strlen(names[i]) : 0;
    for (size_t i = 0; i < kernel->place_count && size < WRITTEN; i++)
        size += strlen(kernel->places[i].text) + 16;
    return size < WRITTEN / 8;
}

static void require_place(const struct bs_error *error)
{
    require(is_fault(error) && !strchr(error->text, '\n'));
    require(error->line == 0 || error->column > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct bs_error error = {0};
    struct bs_record record;
    char written[WRITTEN];
    struct bs_trace *trace = bs_trace_memory(bytes, size, "input", &error);
    if (!trace) {
        require_place(&error);
        return 0;
    }
    FILE *file = fmemopen(written, sizeof written, "w");
    require(file != NULL);
    enum bs_trace_event event;
    while ((event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD)
        if (is_short(record.kernel))
            require_survival(file, written, &record);
    if (event == BS_TRACE_ERROR)
        require_place(&error);
    fclose(file);
    bs_trace_close(trace);
    return 0;
}
