/* See threading.h. */
#include "threading.h"

#include "command/pricing.h"
#include "command/tally.h"
#include "core/lanes.h"
#include "measuring.h"
#include "trace.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a run does with a record that is priced. */
static bool add(void *user, const struct bs_priced *priced, struct bs_error *error)
{
    const struct bs_entry entry = {
        .access = &priced->record.access,
        .cost = &priced->cost,
        .active = bs_lanes_count(priced->record.access.mask),
    };
    (void)error;
    return priced->fits && bs_tally_add(user, &entry);
}

/* Where the records of a trace go: to the threads, or to be priced at once. */
struct run {
    const struct bs_model *model;
    struct bs_pricing *pricing; /* NULL: one thread */
    struct bs_tally *tally;
};

static bool take(const struct run *run, struct bs_priced *priced, struct bs_error *error)
{
    if (run->pricing)
        return bs_pricing_add(run->pricing, run->model, &priced->record, error);
    bs_price(priced, run->model, false);
    return add(run->tally, priced, error);
}

/* All records read so far are taken: the reader may forget their kernel. */
static bool catch_up(const struct run *run, struct bs_error *error)
{
    return !run->pricing || bs_pricing_drain(run->pricing, error);
}

static bool replay_open(const struct run *run, struct bs_trace *trace)
{
    struct bs_error error;
    struct bs_priced priced;
    for (;;) {
        bool fine = true;
        switch (bs_trace_next(trace, &priced.record, &error)) {
        case BS_TRACE_LAUNCH:
            fine = catch_up(run, &error);
            break;
        case BS_TRACE_RECORD:
            fine = take(run, &priced, &error);
            break;
        case BS_TRACE_END:
            return catch_up(run, &error);
        case BS_TRACE_ERROR:
            return false;
        }
        if (!fine)
            return false;
    }
}

/* Reads a trace with so many threads; false if it cannot be read or priced. */
static bool replay(const char *text, size_t size, const struct bs_model *model, unsigned threads,
                   struct bs_tally *tally)
{
    const struct bs_price_taker taker = {add, tally};
    struct bs_trace *trace = bs_trace_memory(text, size, "benchmark", NULL);
    const struct run run = {model, threads > 1 ? bs_pricing_open(threads, false, taker) : NULL,
                            tally};
    const bool fine = trace && (threads == 1 || run.pricing) && replay_open(&run, trace);
    bs_pricing_close(run.pricing);
    bs_trace_close(trace);
    return fine;
}

static bool same(const struct bs_tally *a, const struct bs_tally *b)
{
    bool equal = a->count == b->count && a->count > 0;
    for (size_t i = 0; equal && i < a->count; i++)
        equal = a->groups[i].key.pc == b->groups[i].key.pc &&
                a->groups[i].first == b->groups[i].first &&
                memcmp(&a->groups[i].sums, &b->groups[i].sums, sizeof a->groups[i].sums) == 0;
    return equal;
}

/* Measures all numbers of threads turn by turn; rates come by number and round. */
static bool measure(const char *text, size_t size, const struct bs_model *model,
                    const unsigned *threads, size_t count, double (*rates)[ROUNDS], unsigned rounds)
{
    bool fine = true;
    struct bs_tally first = {.by = BS_BY_PC};
    for (unsigned round = 0; fine && round < rounds; round++) {
        for (size_t i = 0; fine && i < count; i++) {
            struct bs_tally tally = {.by = BS_BY_PC};
            const double start = seconds();
            fine = replay(text, size, model, threads[i], &tally);
            rates[i][round] = (double)size / (seconds() - start);
            if (round == 0 && i == 0) {
                first = tally;
                continue;
            }
            fine = fine && same(&first, &tally);
            bs_tally_free(&tally);
        }
    }
    bs_tally_free(&first);
    return fine;
}

bool measure_threading(const struct bs_model *model, bool quick)
{
    static const unsigned threads[] = {1, 2, 3, 4};
    enum { COUNT = sizeof threads / sizeof *threads };
    static const struct {
        const char *name;
        char *(*convert)(char *text, size_t *size);
    } ways[] = {{"text", NULL}, {"binary", workload_binary}};
    double rates[COUNT][ROUNDS];
    const unsigned rounds = quick ? 1 : ROUNDS;
    bool fine = true;
    printf("\n%-16s %-20s %12s %13s\n", "run -j", "cuda-classics", "MB/s", "x one thread");
    for (size_t way = 0; fine && way < sizeof ways / sizeof *ways; way++) {
        size_t size = 0;
        char *text = workload_text(BANKSHOT_TRACES_FOLDER "/cuda-classics.trace.xz",
                                   quick ? 0 : (size_t)50 << 20, &size);
        if (text && ways[way].convert)
            text = ways[way].convert(text, &size);
        fine = text && measure(text, size, model, threads, COUNT, rates, rounds);
        free(text);
        const double one = fine ? median(rates[0], rounds) : 0;
        for (size_t i = 0; fine && i < COUNT; i++) {
            const double rate = median(rates[i], rounds);
            printf("%-16s %-20u %12.1f %13.2f\n", ways[way].name, threads[i], rate / 1e6,
                   rate / one);
        }
    }
    if (!fine)
        fprintf(stderr, "bankshot-bench: a run with several threads differs or failed\n");
    return fine;
}
