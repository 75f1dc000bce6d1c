/* What the tests of traces share: reading all of a trace, and writing all of it again. */
#ifndef TRACE_HELP_H
#define TRACE_HELP_H

#include "trace.h"

/* Reads to the end; returns the number of records, and how the trace ended in *last. */
uint64_t drain(struct bs_trace *trace, enum bs_trace_event *last, struct bs_error *error);

/* All that was written to the file, with a NUL behind it; the caller frees it. */
char *read_stream(FILE *file, size_t *size);

/* Reads the rest of a good trace and writes it again in a format, launches where they began. */
char *rewrite_as(struct bs_trace *trace, const char *format, size_t *size);
char *rewrite(struct bs_trace *trace, size_t *size); /* as text */

struct case_access {
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

/* An access of any op and mask, with runs of all lengths among its addresses. */
void random_access(uint64_t *random, struct case_access *made);

void assert_same_access(const struct bs_access *a, const struct bs_access *b);

#endif
