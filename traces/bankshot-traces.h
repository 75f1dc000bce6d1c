/*
 * bankshot's traces: reading and writing streams of shared-memory accesses.
 *
 *     struct bs_trace *trace = bs_trace_open("kernel.trace.xz", &error);
 *     struct bs_record record;
 *     while (bs_trace_next(trace, &record, &error) == BS_TRACE_RECORD)
 *         use(&record.access, record.kernel);
 *     bs_trace_close(trace);
 *
 * A reader streams: its memory does not grow with the trace. The format is chosen by content, never
 * by file name; gzip, xz and zstd are recognised by their magic numbers.
 */
#ifndef BANKSHOT_TRACES_H
#define BANKSHOT_TRACES_H

#include "bankshot.h"
#include <stdio.h>

/* One launch. The reader owns it; it stays where it is until the trace is closed. */
struct bs_kernel {
    const char *name;
    uint64_t launch;   /* number of the launch in its trace, from 0 */
    uint32_t grid[3];  /* 0: not known */
    uint32_t block[3]; /* 0: not known */
    int64_t smem;      /* bytes of shared memory a CTA; -1: not known */
    const char *model; /* the device model that the trace asks for, or NULL */
};

/* access.addr and .src point into the reader and hold until the next call. */
struct bs_record {
    struct bs_access access;
    const struct bs_kernel *kernel;
    uint64_t line; /* where the record stands; 0 in formats without lines */
};

enum bs_trace_event {
    BS_TRACE_RECORD,
    BS_TRACE_END,
    BS_TRACE_ERROR, /* the error says where and why; the trace can only be closed */
};

struct bs_trace;

/* Opens a trace; "-" is standard input. NULL after filling error. */
struct bs_trace *bs_trace_open(const char *path, struct bs_error *error);
void bs_trace_close(struct bs_trace *trace);
enum bs_trace_event bs_trace_next(struct bs_trace *trace, struct bs_record *record,
                                  struct bs_error *error);

/* The launches seen so far. A launch without records counts too. */
size_t bs_trace_kernels(const struct bs_trace *trace);
const struct bs_kernel *bs_trace_kernel(const struct bs_trace *trace, size_t launch);

/* What the trace is called in messages: its path, or "-". */
const char *bs_trace_name(const struct bs_trace *trace);

/* Bytes of the file read so far and its size, for a progress bar; the size is 0 when not known. */
void bs_trace_progress(const struct bs_trace *trace, uint64_t *done, uint64_t *size);

/* Addresses as the native text writes them: runs joined by commas, A or A+S*N or A-S*N, one address
 * for each active lane of mask in ascending order. Fills addr by lane. column counts in the error
 * from the start of text. */
bool bs_runs_parse(const char *text, size_t size, uint64_t mask, uint32_t addr[BS_MAX_LANES],
                   struct bs_error *error);

/* The number of addresses that the runs give, if text is well-formed runs at all. */
bool bs_runs_count(const char *text, size_t size, uint64_t *count);

/* Writing. The text goes to an open stream that stays the caller's; errors of the stream come back
 * from the call that meets them, at the latest from bs_text_flush. */
struct bs_text_writer;
struct bs_text_writer *bs_text_open(FILE *file, struct bs_error *error);
bool bs_text_kernel(struct bs_text_writer *writer, const struct bs_kernel *kernel,
                    struct bs_error *error);
bool bs_text_record(struct bs_text_writer *writer, const struct bs_access *access,
                    struct bs_error *error);
bool bs_text_flush(struct bs_text_writer *writer, struct bs_error *error);
void bs_text_close(struct bs_text_writer *writer);

#endif
