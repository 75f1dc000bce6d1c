/* See threading.h. */
#define _POSIX_C_SOURCE 200809L /* mkstemp */
#include "threading.h"

#include "command/replay.h"
#include "core/temporary.h"
#include "measuring.h"
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Replays a trace with so many threads, as bankshot run does it; false if it cannot be. */
static bool replay(const char *trace, unsigned threads, struct bs_tally *tally)
{
    struct bs_replay replay = {
        .model_name = BANKSHOT_MODELS_FOLDER "/hopper.yaml",
        .threads = threads,
        .traces = &trace,
        .trace_count = 1,
        .tallies = {{.by = BS_BY_PC}},
        .tally_count = 1,
    };
    const bool fine = bs_replay_run(&replay) == BS_OK;
    *tally = replay.tallies[0];
    replay.tally_count = 0; /* it is the caller's now */
    bs_replay_free(&replay);
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
static bool measure(const char *trace, size_t size, const unsigned *threads, size_t count,
                    double (*rates)[ROUNDS], unsigned rounds)
{
    bool fine = true;
    struct bs_tally first = {.by = BS_BY_PC};
    for (unsigned round = 0; fine && round < rounds; round++) {
        for (size_t i = 0; fine && i < count; i++) {
            struct bs_tally tally;
            const double start = seconds();
            fine = replay(trace, threads[i], &tally);
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

/* Writes the bytes to a new file, whose name the template becomes; false if that failed. */
static bool write_file(char *name, const char *bytes, size_t size)
{
    const int descriptor = name ? mkstemp(name) : -1;
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file)
        return false;
    const bool written = fwrite(bytes, 1, size, file) == size;
    return fclose(file) == 0 && written;
}

bool measure_threading(bool quick)
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
        char *name = bs_temporary_name();
        size_t size = 0;
        char *text = workload_text(BANKSHOT_TRACES_FOLDER "/cuda-classics.trace.xz",
                                   quick ? 0 : (size_t)100 << 20, &size);
        if (text && ways[way].convert)
            text = ways[way].convert(text, &size);
        fine = text && write_file(name, text, size) &&
               measure(name, size, threads, COUNT, rates, rounds);
        if (name)
            unlink(name);
        free(name);
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
