/* See import_checks.h. */
#include "import_checks.h"
#include "require.h"

#include <string.h>

static void require_same(const struct bs_access *a, const struct bs_access *b)
{
    require(a->op.index == b->op.index && a->mask == b->mask && !a->src == !b->src);
    require(a->cta == b->cta && a->warp == b->warp && a->pc == b->pc);
    require(a->op.kind == BS_BAR || same_lanes(a, b));
}

/* The name "-" keeps a list of files from opening any. */
static struct bs_trace *open_bytes(const uint8_t *bytes, size_t size, bool skip_bad,
                                   bool zero_is_offset)
{
    const struct bs_trace_options options = {.skip_bad = skip_bad,
                                             .zero_is_offset = zero_is_offset};
    struct bs_source source;
    struct bs_error error = {0};
    require(bs_source_memory(&source, bytes, size, &error));
    struct bs_trace *trace =
        bs_trace_from_with(bs_input_from(source, "-", &error), &options, &error);
    require(trace || is_fault(&error));
    return trace;
}

static void require_place(const struct bs_error *error)
{
    require(is_fault(error) && !strchr(error->text, '\n'));
    require(error->line == 0 || error->column > 0);
}

static void require_account(const struct bs_trace *trace, uint64_t records)
{
    const struct bs_import *import = bs_trace_import(trace);
    require(!import->format || import->shared + import->barriers == records);
    require(import->unpriced_count <= BS_MAX_UNPRICED);
}

void check_import(const uint8_t *bytes, size_t size, bool zero_is_offset)
{
    struct bs_error error = {0};
    struct bs_record record, other;
    uint64_t records = 0;
    enum bs_trace_event event;
    struct bs_trace *strict = open_bytes(bytes, size, false, zero_is_offset);
    struct bs_trace *lax = open_bytes(bytes, size, true, zero_is_offset);
    require(!strict == !lax);
    if (!strict)
        return;
    while ((event = bs_trace_next_record(strict, &record, &error)) == BS_TRACE_RECORD) {
        require(bs_trace_next_record(lax, &other, NULL) == BS_TRACE_RECORD);
        require_same(&record.access, &other.access);
        records++;
    }
    require_account(strict, records);
    if (event == BS_TRACE_ERROR)
        require_place(&error);
    const uint64_t before = records;
    while ((event = bs_trace_next_record(lax, &other, &error)) == BS_TRACE_RECORD)
        records++;
    require_account(lax, records);
    if (!bs_trace_import(lax)->format)
        records = before; /* bankshot's own formats skip nothing */
    require(bs_trace_import(lax)->skipped > 0 || records == before);
    bs_trace_close(strict);
    bs_trace_close(lax);
}
