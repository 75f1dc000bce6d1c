/*
 * Fuzz target: any bytes behind the magic number of an array, read as one of ld.b32: no crash, no
 * hang, an error in words or records that have what records must have, and that a filter which
 * takes everything takes all of.
 */
#include "require.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t read_all(const char *bytes, size_t size, const struct bs_filter *filter)
{
    struct bs_error error = {0};
    struct bs_record record;
    uint64_t records = 0;
    enum bs_trace_event event;
    struct bs_trace *trace = bs_trace_memory(bytes, size, "fuzz", &error);
    if (!trace) {
        require(error.status == BS_BAD_TRACE && error.text[0]);
        return 0;
    }
    bs_trace_filter(trace, filter);
    while ((event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD) {
        require(record.access.op.index < BS_OPS && record.kernel && record.kernel->name);
        require(record.access.addr && (!record.access.src || bs_op_is_copy(record.access.op)));
        require(record.access.record == records++);
    }
    require(event == BS_TRACE_END || (error.status == BS_BAD_TRACE && error.text[0]));
    require(bs_trace_records(trace) == records);
    bs_trace_close(trace);
    return records;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char magic[] = "\x93NUMPY";
    const size_t before = strlen(magic);
    struct bs_filter filter = bs_filter_everything();
    char *bytes = malloc(before + size);
    require(bytes);
    memcpy(bytes, magic, before);
    if (size > 0)
        memcpy(bytes + before, data, size);
    const uint64_t own = read_all(bytes, before + size, &filter);
    filter.op = "ld.b32"; /* of arrays that do not say theirs */
    const uint64_t given = read_all(bytes, before + size, &filter);
    require(own == 0 || given <= own);
    free(bytes);
    return 0;
}
