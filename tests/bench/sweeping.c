/* See sweeping.h. */
#include "sweeping.h"

#include "measuring.h"
#include "sweep_engine.h"
#include "trace.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODELS = 64, RECORD_BYTES = 96 };

/* The models of the sweep: every combination of these overrides. */
static const char *const banks[] = {"banks=8", "banks=16", "banks=32", "banks=64"};
static const char *const widths[] = {"bank_width=2", "bank_width=4", "bank_width=8",
                                     "bank_width=16"};
static const char *const ports[] = {"ports=1", "ports=2"};
static const char *const xors[] = {"mapping.xor=none", "mapping.xor=row"};
enum { SAME_AS_RUN = 2 * 16 + 1 * 4 }; /* 32 banks of 4 bytes, nothing else */

static bool load_models(struct bs_model *models[MODELS], const char *const *folders)
{
    for (unsigned i = 0; i < MODELS; i++) {
        const char *const sets[] = {banks[i / 16], widths[i / 4 % 4], ports[i / 2 % 2], xors[i % 2],
                                    NULL};
        struct bs_errors errors = {0};
        models[i] = bs_model_load("hopper", folders, sets, &errors);
        bs_errors_free(&errors);
        if (!models[i])
            return false;
    }
    return true;
}

/* A text of a trace, and what came of working through it. */
struct work {
    const char *text;
    size_t size;
    struct bs_model *models[MODELS];
    uint64_t passes[MODELS];
};

/* Sweeps the trace. False on an error. */
static bool sweep(struct work *work, unsigned threads)
{
    struct bs_error error;
    struct bs_record record;
    struct bs_swept cells[MODELS] = {0};
    enum bs_trace_event event = BS_TRACE_ERROR;
    for (unsigned i = 0; i < MODELS; i++)
        cells[i].model = work->models[i];
    struct bs_trace *trace = bs_trace_memory(work->text, work->size, "benchmark", &error);
    struct bs_sweep *sweep = bs_sweep_start(cells, MODELS, threads, false);
    while (trace && sweep &&
           (event = bs_trace_next_record(trace, &record, &error)) == BS_TRACE_RECORD)
        bs_sweep_add(sweep, &record.access, 0, &error);
    bs_sweep_end(sweep);
    bs_trace_close(trace);
    for (unsigned i = 0; i < MODELS; i++) {
        work->passes[i] = bs_swept_group(&cells[i], 0)->sums.passes;
        bs_swept_free(&cells[i]);
    }
    return event == BS_TRACE_END;
}

/* The seconds of a plain run, the median of some. */
static double time_run(const struct work *work, const struct bs_model *model, unsigned rounds,
                       uint64_t *records, uint64_t *passes)
{
    double times[ROUNDS];
    for (unsigned round = 0; round < rounds; round++) {
        const double start = seconds();
        *records = read_trace(work->text, work->size, model, passes);
        times[round] = seconds() - start;
    }
    return median(times, rounds);
}

static bool compare(struct work *work, const struct bs_model *model, unsigned rounds)
{
    uint64_t records;
    uint64_t passes;
    const double run = time_run(work, model, rounds, &records, &passes);
    printf("\n%-16s %-20s %12s %13s %13s\n", "sweeping", "64 models", "records", "s per model",
           "x plain run");
    printf("%-16s %-20s %12" PRIu64 " %13.4f %13.2f\n", "plain run", "", records, run, 1.0);
    for (unsigned threads = 1; threads <= 2; threads++) {
        char unit[32];
        const double start = seconds();
        if (!sweep(work, threads))
            return false;
        const double each = (seconds() - start) / MODELS;
        snprintf(unit, sizeof unit, "%u thread%s", threads, threads > 1 ? "s" : "");
        printf("%-16s %-20s %12" PRIu64 " %13.4f %13.2f\n", "sweep", unit, records, each,
               each / run);
        if (work->passes[SAME_AS_RUN] != passes) {
            fprintf(stderr, "bankshot-bench: run and sweep differ: %" PRIu64 ", %" PRIu64 "\n",
                    passes, work->passes[SAME_AS_RUN]);
            return false;
        }
    }
    return records > 0;
}

bool measure_sweeping(const struct bs_model *model, const char *const *folders, bool quick)
{
    struct work work = {0};
    char *text = workload_text(BANKSHOT_TRACES_FOLDER "/cuda-classics.trace.xz",
                               quick ? 0 : (size_t)1000000 * RECORD_BYTES, &work.size);
    work.text = text;
    const bool good =
        text && load_models(work.models, folders) && compare(&work, model, quick ? 1 : ROUNDS);
    for (unsigned i = 0; i < MODELS; i++)
        bs_model_free(work.models[i]);
    free(text);
    return good;
}
