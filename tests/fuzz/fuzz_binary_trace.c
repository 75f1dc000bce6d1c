/*
 * Fuzz target: any bytes, their checksums put right, read as a native binary trace: no crash, no
 * hang, an error in words or a trace. What comes out is written again, as binary, and must then be
 * read as the same; so must what is left of it when the index is used to find a part.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "binary.h"
#include "require.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void put_crc(unsigned char *at, const void *bytes, size_t size)
{
    const uint32_t crc = bs_crc(bytes, size);
    for (unsigned i = 0; i < 4; i++)
        at[i] = (unsigned char)(crc >> 8 * i);
}

/* Gives the start and each block the checksums that they should have. */
static void repair(unsigned char *bytes, size_t size)
{
    size_t at = BS_BINARY_START;
    if (size >= at)
        put_crc(bytes + 12, bytes, 12);
    while (size >= at && size - at >= BS_BINARY_HEADER) {
        unsigned char *header = bytes + at;
        const size_t payload = bs_get32(header + 4);
        at += BS_BINARY_HEADER;
        const bool whole = payload <= size - at;
        if (whole)
            put_crc(header + 24, bytes + at, payload);
        put_crc(header + 28, header, 28);
        if (!whole)
            return;
        at += payload;
    }
}

/* A number for all that a record says. */
static uint64_t sum_of(uint64_t sum, const struct bs_record *record)
{
    const struct bs_access *access = &record->access;
    const uint64_t parts[] = {access->op.index, access->mask, access->cta,       access->warp,
                              access->pc,       access->dep,  !access->src + 1u, access->record};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        sum = (sum ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++)
        if (access->op.kind != BS_BAR && (access->mask >> lane & 1))
            sum = (sum ^ access->addr[lane] ^ (access->src ? access->src[lane] << 8 : 0)) *
                  UINT64_C(0x9e3779b97f4a7c15);
    return sum ^ sum >> 31;
}

/* Reads a trace to its end or an error; writes what comes to writer, if there is one. */
static uint64_t read_all(struct bs_trace *trace, struct bs_trace_writer *writer, bool *fine)
{
    struct bs_error error = {0};
    struct bs_record record;
    uint64_t sum = 0;
    enum bs_trace_event event = bs_trace_next(trace, &record, &error);
    for (; event == BS_TRACE_RECORD || event == BS_TRACE_LAUNCH;
         event = bs_trace_next(trace, &record, &error)) {
        if (event == BS_TRACE_LAUNCH) {
            require(!writer || bs_writer_kernel(writer, record.kernel, NULL));
            continue;
        }
        sum = sum_of(sum, &record);
        require(!writer || bs_writer_record(writer, &record.access, NULL));
    }
    *fine = event == BS_TRACE_END;
    require(*fine || is_fault(&error));
    return sum;
}

static void require_same_again(const char *written, size_t size, uint64_t sum)
{
    bool fine;
    struct bs_trace *trace = bs_trace_memory(written, size, "written", NULL);
    require(trace && read_all(trace, NULL, &fine) == sum && fine && !bs_trace_warning(trace));
    bs_trace_close(trace);
}

/* The same part with the index and, the last byte cut off, without it. */
static void require_same_part(const char *written, size_t size, uint64_t first)
{
    struct bs_filter filter = bs_filter_everything();
    uint64_t sums[2];
    bool fine;
    filter.record.low = first;
    for (unsigned cut = 0; cut < 2; cut++) {
        struct bs_trace *trace = bs_trace_memory(written, size - cut, "part", NULL);
        require(trace != NULL);
        bs_trace_filter(trace, &filter);
        sums[cut] = read_all(trace, NULL, &fine);
        require(fine);
        bs_trace_close(trace);
    }
    require(sums[0] == sums[1]);
}

static void read_and_write(const unsigned char *bytes, size_t size, bool part)
{
    struct bs_filter filter = bs_filter_everything();
    char *written = NULL;
    size_t written_size = 0;
    bool fine;
    struct bs_trace *trace = bs_trace_memory(bytes, size, "input", NULL);
    if (!trace)
        return;
    filter.record.low = part;
    if (part)
        bs_trace_filter(trace, &filter);
    FILE *file = open_memstream(&written, &written_size);
    require(file != NULL);
    struct bs_trace_writer *writer = part ? NULL : bs_writer_open(file, "binary", NULL);
    const uint64_t sum = read_all(trace, writer, &fine);
    require(part || bs_writer_finish(writer, NULL));
    bs_writer_close(writer);
    fclose(file);
    if (!part) {
        require_same_again(written, written_size, sum);
        require_same_part(written, written_size, bs_trace_records(trace) / 2);
    }
    free(written);
    bs_trace_close(trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    unsigned char *copy = malloc(size + 1);
    require(copy != NULL);
    if (size > 0)
        memcpy(copy, bytes, size);
    if (size >= BS_BINARY_START)
        repair(copy, size);
    read_and_write(copy, size, false);
    read_and_write(copy, size, true);
    free(copy);
    return 0;
}
