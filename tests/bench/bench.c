/*
 * bankshot-bench: how fast is it?
 *
 * One run measures everything, turn by turn, and prints medians and their ratios to two baselines,
 * so that the ratios hold on a noisy machine. --quick measures briefly; every run checks that all
 * counters give the same sums, and exits 1 if they do not.
 */
#define _POSIX_C_SOURCE 200809L /* getrusage */
#include "baselines.h"
#include "measuring.h"
#include "sweeping.h"
#include "threading.h"
#include "timing.h"
#include "workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ACCESSES = 20000 };

/* One way to work through a workload; returns the sum of the passes. */
typedef uint64_t work(const struct bs_model *model, const struct workload *workload);

struct measure {
    const char *name;
    const char *unit;
    work *run;
    const char *op;
    bool affine;
    unsigned accesses; /* of a round, in thousands */
    bool odd_banks;    /* 24 of them */
};

/* ---- the ways ----------------------------------------------------------------------------------
 */

static uint64_t count_all(const struct bs_model *model, const struct workload *workload)
{
    uint64_t passes = 0;
    for (unsigned i = 0; i < workload->count; i++) {
        struct bs_cost cost;
        const struct bs_access access = {
            .op = workload->op, .mask = UINT32_MAX, .addr = workload->addr[i]};
        bs_count(model, &access, &cost);
        passes += cost.passes;
    }
    return passes;
}

static uint64_t count_all_portably(const struct bs_model *model, const struct workload *workload)
{
    uint64_t passes = 0;
    for (unsigned i = 0; i < workload->count; i++) {
        struct bs_cost cost;
        const struct bs_access access = {
            .op = workload->op, .mask = UINT32_MAX, .addr = workload->addr[i]};
        bs_count_portable(model, &access, &cost);
        passes += cost.passes;
    }
    return passes;
}

static uint64_t schedule_all(const struct bs_model *model, const struct workload *workload)
{
    uint64_t passes = 0;
    struct bs_schedule schedule = {0};
    for (unsigned i = 0; i < workload->count; i++) {
        const struct bs_access access = {
            .op = workload->op, .mask = UINT32_MAX, .addr = workload->addr[i]};
        bs_schedule_build(&schedule, model, &access);
        passes += schedule.cost.passes;
    }
    bs_schedule_free(&schedule);
    return passes;
}

static uint64_t map_all(const struct bs_model *model, const struct workload *workload)
{
    uint64_t passes = 0;
    (void)model;
    for (unsigned i = 0; i < workload->count; i++)
        passes += passes_by_map_of_maps(UINT32_MAX, workload->addr[i]);
    return passes;
}

static uint64_t array_all(const struct bs_model *model, const struct workload *workload)
{
    uint64_t passes = 0;
    (void)model;
    for (unsigned i = 0; i < workload->count; i++)
        passes += passes_by_lane_array(UINT32_MAX, workload->addr[i]);
    return passes;
}

/* The first two are what the ratios stand against. Measures of one op and kind of address follow
 * one another and must agree. */
static const struct measure measures[] = {
    {"map of maps", "ld.b32 random", map_all, "ld.b32", false, 20, false},
    {"lane array", "ld.b32 random", array_all, "ld.b32", false, 200, false},
    {"count", "ld.b32 random", count_all, "ld.b32", false, 2000, false},
    {"count, portable", "ld.b32 random", count_all_portably, "ld.b32", false, 200, false},
    {"schedule", "ld.b32 random", schedule_all, "ld.b32", false, 100, false},
    {"count", "ld.b32 affine", count_all, "ld.b32", true, 2000, false},
    {"count, portable", "ld.b32 affine", count_all_portably, "ld.b32", true, 200, false},
    {"count", "ld.b64 random", count_all, "ld.b64", false, 2000, false},
    {"count, portable", "ld.b64 random", count_all_portably, "ld.b64", false, 200, false},
    {"count", "ld.b128 random", count_all, "ld.b128", false, 2000, false},
    {"count, portable", "ld.b128 random", count_all_portably, "ld.b128", false, 200, false},
    {"count", "st.b32 random", count_all, "st.b32", false, 2000, false},
    {"count, portable", "st.b32 random", count_all_portably, "st.b32", false, 200, false},
    {"count", "atom.add.b32 random", count_all, "atom.add.b32", false, 2000, false},
    {"count", "ld.b32, 24 banks", count_all, "ld.b32", false, 2000, true},
    {"count, portable", "ld.b32, 24 banks", count_all_portably, "ld.b32", false, 200, true},
    {"schedule", "ld.b32, 24 banks", schedule_all, "ld.b32", false, 100, true},
};
enum { MEASURES = sizeof measures / sizeof *measures };

/* ---- measuring ---------------------------------------------------------------------------------
 */

static double accesses_per_second(const struct measure *measure, const struct bs_model *model,
                                  const struct workload *workload, bool quick, uint64_t *passes)
{
    const unsigned thousands = quick ? 20 : measure->accesses;
    const unsigned repeats = (thousands * 1000 + ACCESSES - 1) / ACCESSES;
    const double start = seconds();
    for (unsigned i = 0; i < repeats; i++)
        *passes = measure->run(model, workload);
    return (double)repeats * ACCESSES / (seconds() - start);
}

/* odd is the model with 24 banks. */
static bool measure_counting(const struct bs_model *model, const struct bs_model *odd, bool quick)
{
    static double rates[MEASURES][ROUNDS];
    uint64_t passes[MEASURES] = {0};
    struct workload workloads[MEASURES];
    const unsigned rounds = quick ? 1 : ROUNDS;
    for (unsigned m = 0; m < MEASURES; m++)
        workloads[m] = measures[m].affine ? workload_affine(measures[m].op, ACCESSES)
                                          : workload_random(measures[m].op, ACCESSES);
    for (unsigned round = 0; round < rounds; round++)
        for (unsigned m = 0; m < MEASURES; m++)
            rates[m][round] = accesses_per_second(&measures[m], measures[m].odd_banks ? odd : model,
                                                  &workloads[m], quick, &passes[m]);
    const double map = median(rates[0], rounds);
    const double array = median(rates[1], rounds);
    bool agree = true;
    printf("%-16s %-20s %12s %13s %13s\n", "counting", "", "million/s", "x map of maps",
           "x lane array");
    for (unsigned m = 0; m < MEASURES; m++) {
        const double rate = median(rates[m], rounds);
        printf("%-16s %-20s %12.2f %13.1f %13.1f\n", measures[m].name, measures[m].unit, rate / 1e6,
               rate / map, rate / array);
        if (m > 0 && strcmp(measures[m].unit, measures[m - 1].unit) == 0 &&
            passes[m] != passes[m - 1]) {
            fprintf(stderr, "bankshot-bench: %s and %s differ on %s: %" PRIu64 ", %" PRIu64 "\n",
                    measures[m - 1].name, measures[m].name, measures[m].unit, passes[m - 1],
                    passes[m]);
            agree = false;
        }
        workload_free(&workloads[m]);
    }
    return agree;
}

/* ---- reading -----------------------------------------------------------------------------------
 */

static long peak_kilobytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static bool measure_reading(const struct bs_model *model, bool quick)
{
    static const struct {
        const char *name;
        bool counts;
        char *(*convert)(char *text, size_t *size); /* NULL: stays text */
        bool affine;
        size_t megabytes; /* of text that it is made of */
    } ways[] = {
        {"text", false, NULL, false, 100},
        {"text and count", true, NULL, false, 100},
        {"binary", false, workload_binary, false, 100},
        {"binary, affine", false, workload_binary, true, 0},
        {"Accel-Sim", false, workload_accelsim, false, 100},
        {"NVBit", false, workload_nvbit, false, 10},
    };
    const unsigned rounds = quick ? 1 : ROUNDS;
    printf("\n%-16s %-20s %12s %13s %13s\n", "reading", "cuda-classics", "MB/s", "million rec/s",
           "more KB");
    uint64_t records = 1;
    for (unsigned way = 0; way < sizeof ways / sizeof *ways && records; way++) {
        size_t size;
        char *text = ways[way].affine
                         ? workload_affine_text(quick ? 1000 : 4000000, &size)
                         : workload_text(BANKSHOT_TRACES_FOLDER "/cuda-classics.trace.xz",
                                         quick ? 0 : ways[way].megabytes << 20, &size);
        if (text && ways[way].convert)
            text = ways[way].convert(text, &size);
        if (!text)
            return false;
        const long before = peak_kilobytes();
        double rates[ROUNDS];
        for (unsigned round = 0; round < rounds && records; round++) {
            uint64_t passes;
            const double start = seconds();
            records = read_trace(text, size, ways[way].counts ? model : NULL, &passes);
            rates[round] = (double)size / (seconds() - start);
        }
        const double rate = median(rates, rounds);
        printf("%-16s %-20s %12.1f %13.2f %13ld\n", ways[way].name, "", rate / 1e6,
               rate / 1e6 * (double)records / (double)size, peak_kilobytes() - before);
        free(text);
    }
    return records > 0;
}

static const char usage[] = "Usage: bankshot-bench [--quick]\n";
static const char about[] =
    "\n"
    "Measures how fast bankshot counts, reads, sweeps and times, and checks that all ways of\n"
    "counting give the same sums. Each number is the median of several turns, in which the ways\n"
    "take turns, so that ratios hold on a busy machine; speeds are this machine's alone.\n"
    "\n"
    "counting  accesses a second, in millions, and over two baselines: a map of maps, from banks "
    "to\n"
    "          the words in each, and a plain array of the lanes. random, affine: the addresses.\n"
    "          portable: without SIMD.\n"
    "reading   a trace in memory, in each format: megabytes and records a second, and by how\n"
    "          much the memory in use grew.\n"
    "sweeping  records times models a second, by threads.\n"
    "run -j    a trace in a file, replayed: megabytes a second by threads, and over one thread.\n"
    "timing    records a second that are timed, and over a run without timing.\n"
    "\n"
    "  --quick     one short turn of each: for the checks, not for the numbers\n"
    "  -h, --help  print this help\n"
    "\n"
    "Exit status: 0 done; 1 the sums differ; 2 usage; 3 no model.\n";

int main(int argc, char **argv)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    static const char *const odd_banks[] = {"banks=24", NULL};
    const bool quick = argc == 2 && strcmp(argv[1], "--quick") == 0;
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        printf("%s%s", usage, about);
        return 0;
    }
    if (argc > 2 || (argc == 2 && !quick)) {
        fputs(usage, stderr);
        return BS_USAGE;
    }
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load("hopper", folders, NULL, &errors);
    struct bs_model *odd = bs_model_load("hopper", folders, odd_banks, &errors);
    if (!model || !odd) {
        fprintf(stderr, "bankshot-bench: %s\n", errors.count ? errors.list[0].text : "no memory");
        bs_errors_free(&errors);
        bs_model_free(odd);
        bs_model_free(model);
        return BS_BAD_MODEL;
    }
    const bool counts = measure_counting(model, odd, quick);
    const bool reads = measure_reading(model, quick);
    const bool sweeps = measure_sweeping(model, folders, quick);
    const bool threads = measure_threading(quick);
    const bool times = measure_timing(model, quick);
    bs_model_free(odd);
    bs_model_free(model);
    return counts && reads && sweeps && threads && times ? 0 : 1;
}
