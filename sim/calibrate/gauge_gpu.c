/* A GPU as the device: streams for the clock, loops, and single accesses for the profiler. */
#include "core/lanes.h"
#include "counter.h"
#include "driver.h"
#include "gauge.h"
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STREAM_SHORT = 4, STREAM_LONG = 12, CLEARED = BS_GAUGE_MEMORY + 1024 };

/* ---- ops --------------------------------------------------------------------------------------
 */

/* What each instruction of the kernels is called, and which compute capability has it. */
static const struct {
    const char *name;
    uint32_t since; /* major x 10 + minor */
} gpu_ops[GPU_OPS] = {
    [GPU_LD_8] = {"ld.b8", 0},
    [GPU_LD_16] = {"ld.b16", 0},
    [GPU_LD_32] = {"ld.b32", 0},
    [GPU_LD_64] = {"ld.b64", 0},
    [GPU_LD_128] = {"ld.b128", 0},
    [GPU_ST_8] = {"st.b8", 0},
    [GPU_ST_16] = {"st.b16", 0},
    [GPU_ST_32] = {"st.b32", 0},
    [GPU_ST_64] = {"st.b64", 0},
    [GPU_ST_128] = {"st.b128", 0},
    [GPU_ATOM_ADD] = {"atom.add.b32", 0},
    [GPU_ATOM_INC] = {"atom.inc.b32", 0},
    [GPU_ATOM_MAX] = {"atom.max.b32", 0},
    [GPU_ATOM_MIN] = {"atom.min.b32", 0},
    [GPU_ATOM_AND] = {"atom.and.b32", 0},
    [GPU_ATOM_OR] = {"atom.or.b32", 0},
    [GPU_ATOM_XOR] = {"atom.xor.b32", 0},
    [GPU_ATOM_EXCH] = {"atom.exch.b32", 0},
    [GPU_ATOM_CAS] = {"atom.cas.b32", 0},
    [GPU_ATOM_EXCH_64] = {"atom.exch.b64", 0},
    [GPU_ATOM_CAS_64] = {"atom.cas.b64", 0},
    [GPU_RED_ADD] = {"red.add.b32", 0},
    [GPU_RED_INC] = {"red.inc.b32", 0},
    [GPU_RED_MAX] = {"red.max.b32", 0},
    [GPU_RED_MIN] = {"red.min.b32", 0},
    [GPU_RED_AND] = {"red.and.b32", 0},
    [GPU_RED_OR] = {"red.or.b32", 0},
    [GPU_RED_XOR] = {"red.xor.b32", 0},
    [GPU_LDMATRIX_1] = {"ldmatrix.x1", 75},
    [GPU_LDMATRIX_2] = {"ldmatrix.x2", 75},
    [GPU_LDMATRIX_4] = {"ldmatrix.x4", 75},
    [GPU_LDMATRIX_1_TRANS] = {"ldmatrix.x1.trans", 75},
    [GPU_LDMATRIX_2_TRANS] = {"ldmatrix.x2.trans", 75},
    [GPU_LDMATRIX_4_TRANS] = {"ldmatrix.x4.trans", 75},
    [GPU_STMATRIX_1] = {"stmatrix.x1", 90},
    [GPU_STMATRIX_2] = {"stmatrix.x2", 90},
    [GPU_STMATRIX_4] = {"stmatrix.x4", 90},
    [GPU_STMATRIX_1_TRANS] = {"stmatrix.x1.trans", 90},
    [GPU_STMATRIX_2_TRANS] = {"stmatrix.x2.trans", 90},
    [GPU_STMATRIX_4_TRANS] = {"stmatrix.x4.trans", 90},
    [GPU_COPY_4] = {"cp.async.b32", 80},
    [GPU_COPY_8] = {"cp.async.b64", 80},
    [GPU_COPY_16] = {"cp.async.b128", 80},
    [GPU_COPY_CG_16] = {"cp.async.cg.b128", 80},
};

/* The kernels' number of an op; GPU_OPS if they do not make it. */
static uint32_t gpu_op_of(struct bs_op op)
{
    char name[BS_OP_NAME];
    uint32_t number = 0;
    bs_op_name(op, name);
    while (number < GPU_OPS && strcmp(gpu_ops[number].name, name) != 0)
        number++;
    return number;
}

static bool offers(const struct bs_gauge *gauge, struct bs_op op)
{
    const uint32_t number = gpu_op_of(op);
    return number < GPU_OPS && 10 * gauge->major + gauge->minor >= gpu_ops[number].since &&
           (gauge->has[BS_BY_COUNTER] || !bs_op_is_copy(op)); /* the clock sees global memory */
}

/* ---- the clock --------------------------------------------------------------------------------
 */

static struct gpu_pattern *to_gpu(const struct bs_pattern *patterns, size_t count,
                                  struct bs_error *error)
{
    struct gpu_pattern *list = calloc(count ? count : 1, sizeof *list);
    if (!list)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    for (size_t i = 0; list && i < count; i++) {
        list[i].op = gpu_op_of(patterns[i].op);
        list[i].mask = patterns[i].mask;
        memcpy(list[i].addr, patterns[i].addr, sizeof list[i].addr);
        memcpy(list[i].src, patterns[i].src, sizeof list[i].src);
    }
    return list;
}

/* Runs a kernel over a list that goes to the GPU, and brings back cycles, one pair an entry. */
static bool run_list(struct bs_gpu *gpu, struct bs_gpu_launch *launch, uint64_t list,
                     uint64_t cycles, uint32_t count, struct gpu_cycles *out,
                     struct bs_error *error)
{
    (void)list;
    return bs_gpu_run(gpu, launch, error) &&
           bs_gpu_read(gpu, cycles, out, count * sizeof *out, error);
}

static bool clock_patterns(struct bs_gpu *gpu, const struct gpu_pattern *list, uint32_t count,
                           struct gpu_cycles *out, struct bs_error *error)
{
    uint64_t patterns = bs_gpu_memory(gpu, list, count * sizeof *list, error);
    uint64_t cycles = patterns ? bs_gpu_memory(gpu, NULL, count * sizeof *out, error) : 0;
    uint64_t source = cycles ? bs_gpu_memory(gpu, NULL, BS_GAUGE_SOURCE + 1024, error) : 0;
    uint32_t bytes = CLEARED, few = STREAM_SHORT, all = STREAM_LONG, zero = 0;
    void *arguments[] = {&patterns, &cycles, &count, &source, &bytes, &few, &all, &zero};
    struct bs_gpu_launch launch = {"clock_patterns", bs_gpu_attribute(gpu, BS_GPU_PROCESSORS),
                                   GPU_LANES * GPU_WARPS, CLEARED, arguments};
    const bool good = source && run_list(gpu, &launch, patterns, cycles, count, out, error);
    bs_gpu_forget(gpu, patterns);
    bs_gpu_forget(gpu, cycles);
    bs_gpu_forget(gpu, source);
    return good;
}

static bool measure_by_clock(struct bs_gpu *gpu, const struct bs_pattern *patterns, size_t count,
                             double *costs, struct bs_error *error)
{
    const double accesses = (double)(STREAM_LONG - STREAM_SHORT) * GPU_STEPS * GPU_WARPS;
    struct gpu_pattern *list = to_gpu(patterns, count, error);
    struct gpu_cycles *cycles = calloc(count ? count : 1, sizeof *cycles);
    const bool good = list && cycles && clock_patterns(gpu, list, (uint32_t)count, cycles, error);
    for (size_t i = 0; good && i < count; i++)
        costs[i] = (double)(cycles[i].all - cycles[i].few) / accesses;
    free(list);
    free(cycles);
    return good;
}

static bool measure(struct bs_gauge *gauge, enum bs_instrument instrument,
                    const struct bs_pattern *patterns, size_t count, double *costs,
                    struct bs_error *error)
{
    if (instrument == BS_BY_CLOCK)
        return measure_by_clock(gauge->own, patterns, count, costs, error);
    struct gpu_pattern *list = to_gpu(patterns, count, error);
    const bool good = list && bs_count_plays(list, count, costs, error);
    free(list);
    return good;
}

/* ---- loops ------------------------------------------------------------------------------------
 */

static bool run_loops(struct bs_gpu *gpu, const struct gpu_loop *list, uint32_t count,
                      struct gpu_cycles *out, struct bs_error *error)
{
    uint64_t loops = bs_gpu_memory(gpu, list, count * sizeof *list, error);
    uint64_t cycles = loops ? bs_gpu_memory(gpu, NULL, count * sizeof *out, error) : 0;
    uint32_t bytes = CLEARED;
    void *arguments[] = {&loops, &cycles, &count, &bytes};
    struct bs_gpu_launch launch = {"time_loops", bs_gpu_attribute(gpu, BS_GPU_PROCESSORS),
                                   GPU_LANES * GPU_WARPS, CLEARED, arguments};
    const bool good = cycles && run_list(gpu, &launch, loops, cycles, count, out, error);
    bs_gpu_forget(gpu, loops);
    bs_gpu_forget(gpu, cycles);
    return good;
}

static struct gpu_loop *loops_to_gpu(const struct bs_loop *loops, size_t count)
{
    struct gpu_loop *list = calloc(count ? count : 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        list[i] = (struct gpu_loop){.kind = loops[i].kind,
                                    .body = loops[i].body,
                                    .warps = loops[i].warps,
                                    .rotate = loops[i].rotate,
                                    .tight = loops[i].tight};
        memcpy(list[i].addr, loops[i].addr, sizeof list[i].addr);
    }
    return list;
}

/* What the cycles of a loop are of: so many iterations, or warps. */
static double divisor_of(const struct bs_loop *loop)
{
    return loop->kind == BS_LOOP_BURST ? bs_lanes_count(loop->warps) : BS_LOOP_LONG - BS_LOOP_SHORT;
}

static bool time_loops(struct bs_gauge *gauge, const struct bs_loop *loops, size_t count,
                       double *out, struct bs_error *error)
{
    struct gpu_loop *list = loops_to_gpu(loops, count);
    struct gpu_cycles *cycles = calloc(count ? count : 1, sizeof *cycles);
    bool good = list && cycles;
    if (!good)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    good = good && run_loops(gauge->own, list, (uint32_t)count, cycles, error);
    for (size_t i = 0; good && i < count; i++)
        out[i] = (double)(cycles[i].all - cycles[i].few) / divisor_of(&loops[i]);
    free(list);
    free(cycles);
    return good;
}

/* ---- opening ----------------------------------------------------------------------------------
 */

static void close_gauge(struct bs_gauge *gauge)
{
    bs_gpu_close(gauge->own);
    gauge->own = NULL;
}

static struct bs_capacity capacity_of(const struct bs_gpu *gpu)
{
    struct bs_capacity capacity = {
        .basis = BS_DOCUMENTED,
        .shared_memory = bs_gpu_attribute(gpu, BS_GPU_SHARED_MEMORY),
        .reserved_memory = bs_gpu_attribute(gpu, BS_GPU_RESERVED_MEMORY),
        .ctas = bs_gpu_attribute(gpu, BS_GPU_CTAS),
        .warps = bs_gpu_attribute(gpu, BS_GPU_LANES_PER_PROCESSOR) / GPU_LANES,
    };
    snprintf(capacity.source, sizeof capacity.source, "the CUDA driver, of %.100s",
             bs_gpu_name(gpu));
    return capacity;
}

/* Whether the profiler counts what is known: a conflict-free load takes a pass, and lanes on one
 * bank more. */
static void try_counter(struct bs_gauge *gauge)
{
    struct gpu_pattern patterns[2] = {{.op = GPU_LD_32, .mask = UINT32_MAX},
                                      {.op = GPU_LD_32, .mask = UINT32_MAX}};
    double costs[2];
    struct bs_error error;
    for (uint32_t t = 0; t < GPU_LANES; t++) {
        patterns[0].addr[t] = 4 * t;
        patterns[1].addr[t] = 1024 * t;
    }
    gauge->has[BS_BY_COUNTER] = bs_count_plays(patterns, 2, costs, &error);
    if (!gauge->has[BS_BY_COUNTER]) {
        snprintf(gauge->missing, sizeof gauge->missing,
                 "measured by the clock alone, without copies: %.180s", error.text);
    } else if (costs[0] >= costs[1]) {
        gauge->has[BS_BY_COUNTER] = false;
        snprintf(gauge->missing, sizeof gauge->missing,
                 "measured by the clock alone, without copies: the profiler counts %.2f passes for "
                 "a load without conflicts and %.2f for one of a single bank",
                 costs[0], costs[1]);
    }
}

bool bs_gauge_of_gpu(struct bs_gauge *gauge, uint32_t device, bool by_counter,
                     struct bs_error *error)
{
    struct bs_gpu *gpu = bs_gpu_open(device, error);
    if (!gpu)
        return false;
    *gauge = (struct bs_gauge){.major = bs_gpu_attribute(gpu, BS_GPU_MAJOR),
                               .minor = bs_gpu_attribute(gpu, BS_GPU_MINOR),
                               .capacity = capacity_of(gpu),
                               .has = {false, true},
                               .basis = BS_MEASURED,
                               .offers = offers,
                               .measure = measure,
                               .time = time_loops,
                               .close = close_gauge,
                               .own = gpu};
    snprintf(gauge->name, sizeof gauge->name, "%s", bs_gpu_name(gpu));
    snprintf(gauge->missing, sizeof gauge->missing,
             "measured by the clock alone, as was asked for");
    if (by_counter)
        try_counter(gauge);
    return true;
}

/* ---- plays ------------------------------------------------------------------------------------
 */

/* Memory on the GPU that plays use. */
struct plays {
    uint64_t patterns, source, sink;
};

static bool play(struct bs_gpu *gpu, struct plays *plays, size_t number, uint32_t times,
                 struct bs_error *error)
{
    uint64_t pattern = plays->patterns + number * sizeof(struct gpu_pattern);
    uint32_t zero = 0;
    void *arguments[] = {&pattern, &plays->source, &times, &zero, &plays->sink};
    const struct bs_gpu_launch launch = {"play_pattern", 1, GPU_LANES, CLEARED, arguments};
    return bs_gpu_run(gpu, &launch, error);
}

/* A launch that does nothing comes first: what is counted for it is counted for each. */
static bool play_all(struct bs_gpu *gpu, const struct gpu_pattern *list, size_t count,
                     struct bs_error *error)
{
    struct plays plays = {.patterns = bs_gpu_memory(gpu, list, count * sizeof *list, error)};
    if (plays.patterns)
        plays.source = bs_gpu_memory(gpu, NULL, BS_GAUGE_SOURCE + 1024, error);
    if (plays.source)
        plays.sink = bs_gpu_memory(gpu, NULL, sizeof(uint32_t), error);
    bool good = plays.sink && play(gpu, &plays, 0, 0, error);
    for (size_t i = 0; good && i < count; i++)
        for (unsigned launch = 1; good && launch <= bs_play_launches(&list[i]); launch++)
            good = play(gpu, &plays, i, launch * GPU_PLAYS, error);
    bs_gpu_forget(gpu, plays.patterns);
    bs_gpu_forget(gpu, plays.source);
    bs_gpu_forget(gpu, plays.sink);
    return good;
}

bool bs_gauge_play(const char *path, struct bs_error *error)
{
    size_t count;
    struct gpu_pattern *list = bs_plays_read(path, &count, error);
    struct bs_gpu *gpu = list ? bs_gpu_open(0, error) : NULL;
    const bool good = gpu && play_all(gpu, list, count, error);
    bs_gpu_close(gpu);
    free(list);
    return good;
}
