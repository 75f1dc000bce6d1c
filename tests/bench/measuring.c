/* See measuring.h. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "measuring.h"

#include "trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_value);
    return values[count / 2];
}

uint64_t read_trace(const char *text, size_t size, const struct bs_model *model, uint64_t *passes)
{
    struct bs_error error;
    struct bs_record record;
    uint64_t records = 0;
    enum bs_trace_event event = BS_TRACE_ERROR;
    struct bs_trace *trace = bs_trace_memory(text, size, "benchmark", &error);
    *passes = 0;
    while (trace && (event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD) {
        struct bs_cost cost = {0};
        if (model && bs_access_check(model, &record.access, false, NULL))
            bs_count(model, &record.access, &cost);
        *passes += cost.passes;
        records++;
    }
    bs_trace_close(trace);
    if (event == BS_TRACE_END)
        return records;
    fprintf(stderr, "bankshot-bench: %" PRIu64 ": %s\n", error.line, error.text);
    return 0;
}
