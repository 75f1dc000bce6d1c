/* See loops.h. */
#include "loops.h"

#include "core/lanes.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *loads, *stores;
    uint32_t load_count; /* those come first */
    bool no_data;
} bodies[BS_BODIES] = {
    [BS_BODY_LD_32] = {"ld.b32", "ld.b32", NULL, BS_LOOP_STEPS, false},
    [BS_BODY_LD_64] = {"ld.b64", "ld.b64", NULL, BS_LOOP_STEPS, false},
    [BS_BODY_LD_128] = {"ld.b128", "ld.b128", NULL, BS_LOOP_STEPS, false},
    [BS_BODY_ATOM_ADD] = {"atom.add.b32", NULL, "atom.add.b32", 0, false},
    [BS_BODY_ST_ZERO] = {"st.b32 zero", NULL, "st.b32", 0, true},
    [BS_BODY_ST_32] = {"st.b32", NULL, "st.b32", 0, false},
    [BS_BODY_ST_64] = {"st.b64", NULL, "st.b64", 0, false},
    [BS_BODY_ST_128] = {"st.b128", NULL, "st.b128", 0, false},
    [BS_BODY_LD_6_ST_2] = {"6 ld.b32, 2 st.b32", "ld.b32", "st.b32", 6, false},
    [BS_BODY_LD_4_ST_4] = {"4 ld.b32, 4 st.b32", "ld.b32", "st.b32", 4, false},
    [BS_BODY_LD_2_ST_6] = {"2 ld.b32, 6 st.b32", "ld.b32", "st.b32", 2, false},
};

static const char *const kinds[] = {
    [BS_LOOP_FREE] = "free",
    [BS_LOOP_CHAIN] = "chain",
    [BS_LOOP_BARRIER] = "barrier",
    [BS_LOOP_BURST] = "burst",
};

static struct bs_op op_named(const char *name)
{
    struct bs_op op = {0};
    bs_op_parse(name, strlen(name), &op);
    return op;
}

bool bs_body_has_loads(enum bs_loop_body body)
{
    return bodies[body].load_count > 0;
}

struct bs_op bs_loop_op(const struct bs_loop *loop, uint32_t step)
{
    if (loop->kind == BS_LOOP_BARRIER)
        return op_named("st.b32");
    return op_named(step < bodies[loop->body].load_count ? bodies[loop->body].loads
                                                         : bodies[loop->body].stores);
}

/* ---- one iteration ----------------------------------------------------------------------------
 */

/* One iteration of a warp as the engine takes it. */
struct iteration {
    struct bs_instruction steps[BS_LOOP_STEPS];
    uint32_t count;
};

static struct bs_instruction step_of(const struct bs_model *model, struct bs_op op,
                                     const uint32_t addr[BS_GAUGE_LANES])
{
    const struct bs_access access = {.op = op, .mask = UINT32_MAX, .addr = addr};
    struct bs_cost cost = {0};
    bs_count(model, &access, &cost);
    return (struct bs_instruction){.op = op, .slots = cost.slots};
}

/* The value is not used, so that the barrier behind the load does not wait for it. */
static void set_barriers(struct iteration *iteration, const struct bs_model *model,
                         const struct bs_loop *loop, uint32_t warp)
{
    const struct bs_op bar = op_named("bar");
    const uint32_t first = warp * loop->rotate;
    iteration->count = 4;
    iteration->steps[0] = step_of(model, op_named("st.b32"), loop->addr[first % BS_LOOP_STEPS]);
    iteration->steps[1] = (struct bs_instruction){.op = bar, .join = BS_JOIN_NONE};
    iteration->steps[2] =
        step_of(model, op_named("ld.b32"), loop->addr[(first + 1) % BS_LOOP_STEPS]);
    iteration->steps[3] = (struct bs_instruction){.op = bar, .join = BS_JOIN_NONE};
}

static void set_iteration(struct iteration *iteration, const struct bs_model *model,
                          const struct bs_loop *loop, uint32_t warp)
{
    if (loop->kind == BS_LOOP_BARRIER) {
        set_barriers(iteration, model, loop, warp);
        return;
    }
    iteration->count = BS_LOOP_STEPS;
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++) {
        const uint32_t *addr = loop->addr[(i + warp * loop->rotate) % BS_LOOP_STEPS];
        iteration->steps[i] = step_of(model, bs_loop_op(loop, i), addr);
        iteration->steps[i].dep = loop->kind == BS_LOOP_CHAIN;
        iteration->steps[i].no_data = bodies[loop->body].no_data;
    }
}

void bs_loop_describe(const struct bs_model *model, const struct bs_loop *loop,
                      struct bs_buffer *out)
{
    struct iteration iteration;
    const bool one = loop->kind == BS_LOOP_BURST;
    bs_buffer_printf(out, "%s\t%s\t%x\t%u\t%d\t", kinds[loop->kind],
                     loop->kind == BS_LOOP_BARRIER ? "st.b32, bar, ld.b32, bar"
                                                   : bodies[loop->body].name,
                     loop->warps, loop->rotate,
                     one           ? 1
                     : loop->tight ? BS_LOOP_TIGHT
                                   : BS_LOOP_UNROLLED);
    set_iteration(&iteration, model, loop, 0);
    for (uint32_t i = 0; i < iteration.count; i++)
        bs_buffer_printf(out, "%s%u", i ? "," : "", iteration.steps[i].slots);
}

/* ---- running ----------------------------------------------------------------------------------
 */

enum { ROOM = BS_LOOP_LONG * BS_LOOP_STEPS };
_Static_assert((int)ROOM >= (int)BS_BURST_STEPS, "a burst fits where a loop does");

/* Room for one warp's unrolled loop. */
struct unrolled {
    uint32_t count;
    struct bs_instruction steps[ROOM];
    struct bs_instruction_time times[ROOM];
};

/* The machine code waits at the head of each body of loads until those of the one before have come
 * back, and branches at its end. */
static void unroll(struct unrolled *room, const struct bs_loop *loop,
                   const struct iteration *iteration, uint32_t iterations, uint32_t branch)
{
    const uint32_t body = iteration->count * (loop->tight ? BS_LOOP_TIGHT : BS_LOOP_UNROLLED);
    const bool joins = loop->kind == BS_LOOP_BARRIER ||
                       (loop->kind == BS_LOOP_FREE && bs_body_has_loads(loop->body));
    room->count = loop->kind == BS_LOOP_BURST ? BS_BURST_STEPS : iterations * iteration->count;
    for (uint32_t i = 0; i < room->count; i++) {
        room->steps[i] = iteration->steps[i % iteration->count];
        if (loop->kind == BS_LOOP_BURST || i % body != 0 || i == 0)
            continue;
        room->steps[i].gap = (uint16_t)branch;
        if (joins)
            room->steps[i].join = BS_JOIN_RESULTS;
    }
    room->steps[0].dep = 0;
}

/* Lets the warps run; the cycles that it took, or less than 0. */
static double run(const struct bs_timing *timing, const struct bs_loop *loop,
                  struct unrolled *rooms)
{
    struct bs_program programs[BS_LOOP_WARPS] = {{0}};
    struct bs_engine engine;
    uint32_t count = 0;
    for (uint32_t w = 0; w < BS_LOOP_WARPS && loop->warps >> w; w++, count++)
        programs[w] = (struct bs_program){0, rooms[w].count, rooms[w].steps, rooms[w].times};
    if (!bs_engine_init(&engine, timing, programs, count, 0, NULL) || !bs_engine_run(&engine, NULL))
        return -1;
    return (double)engine.end;
}

static double run_turns(const struct bs_model *model, const struct bs_timing *timing,
                        uint32_t branch, const struct bs_loop *loop, uint32_t iterations,
                        struct unrolled *rooms)
{
    for (uint32_t w = 0; w < BS_LOOP_WARPS; w++) {
        struct iteration iteration;
        if (!(loop->warps >> w & 1))
            continue; /* its room stays empty */
        set_iteration(&iteration, model, loop, w);
        unroll(&rooms[w], loop, &iteration, iterations, branch);
    }
    return run(timing, loop, rooms);
}

/* How long the last loads of a burst were on their way, the mean of its warps. */
static double on_their_way(const struct bs_loop *loop, const struct unrolled *rooms)
{
    double sum = 0;
    for (uint32_t w = 0; w < BS_LOOP_WARPS; w++)
        if (loop->warps >> w & 1) {
            const struct bs_instruction_time *last = &rooms[w].times[BS_BURST_STEPS - 1];
            sum += (double)(last->finished - last->issued);
        }
    return sum / bs_lanes_count(loop->warps);
}

double bs_loop_cycles(const struct bs_model *model, const struct bs_timing *timing, uint32_t branch,
                      const struct bs_loop *loop)
{
    struct unrolled *rooms = calloc(BS_LOOP_WARPS, sizeof *rooms);
    if (!rooms)
        return -1;
    const double all = run_turns(model, timing, branch, loop, BS_LOOP_LONG, rooms);
    if (loop->kind == BS_LOOP_BURST) {
        const double cycles = all < 0 ? all : on_their_way(loop, rooms);
        free(rooms);
        return cycles;
    }
    const double few = run_turns(model, timing, branch, loop, BS_LOOP_SHORT, rooms);
    free(rooms);
    return all < 0 || few < 0 ? -1 : (all - few) / (BS_LOOP_LONG - BS_LOOP_SHORT);
}
