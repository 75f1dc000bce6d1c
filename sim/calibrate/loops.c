/* See loops.h. */
#include "loops.h"

#include <stdlib.h>
#include <string.h>

enum { SHORT = 16, LONG = 48, STEPS = 4 > BS_LOOP_STEPS ? 4 : BS_LOOP_STEPS };

/* One iteration as the engine takes it. */
struct iteration {
    struct bs_instruction steps[STEPS];
    uint32_t count;
};

static struct bs_instruction step_of(const struct bs_model *model, struct bs_op op,
                                     const uint32_t addr[BS_GAUGE_LANES])
{
    const struct bs_access access = {.op = op, .mask = UINT32_MAX, .addr = addr};
    struct bs_cost cost = {0};
    bs_count(model, &access, &cost);
    /* The loops store the zero register, which has nothing to send. */
    return (struct bs_instruction){.op = op, .slots = cost.slots, .no_data = true};
}

static struct bs_op op_named(const char *name)
{
    struct bs_op op = {0};
    bs_op_parse(name, strlen(name), &op);
    return op;
}

static void set_iteration(struct iteration *iteration, const struct bs_model *model,
                          const struct bs_loop *loop)
{
    if (loop->kind == BS_LOOP_BARRIER) {
        const struct bs_op bar = op_named("bar");
        iteration->count = 4;
        iteration->steps[0] = step_of(model, op_named("st.b32"), loop->addr[0]);
        iteration->steps[1] = (struct bs_instruction){.op = bar};
        iteration->steps[2] = step_of(model, op_named("ld.b32"), loop->addr[1]);
        iteration->steps[3] = (struct bs_instruction){.op = bar};
        return;
    }
    iteration->count = BS_LOOP_STEPS;
    for (uint32_t i = 0; i < BS_LOOP_STEPS; i++) {
        iteration->steps[i] = step_of(model, loop->op, loop->addr[i]);
        iteration->steps[i].dep = loop->kind == BS_LOOP_CHAIN;
    }
}

/* Room for one warp's unrolled loop. */
struct unrolled {
    struct bs_instruction steps[LONG * STEPS];
    struct bs_instruction_time times[LONG * STEPS];
};

static double run(const struct bs_timing *timing, const struct iteration *iteration, uint32_t warps,
                  uint32_t iterations, struct unrolled *rooms)
{
    struct bs_program programs[BS_LOOP_WARPS] = {{0}};
    struct bs_engine engine;
    uint32_t count = 0;
    for (uint32_t w = 0; w < BS_LOOP_WARPS && warps >> w; w++, count++) {
        const uint32_t steps = warps >> w & 1 ? iterations * iteration->count : 0;
        for (uint32_t i = 0; i < steps; i++)
            rooms[w].steps[i] = iteration->steps[i % iteration->count];
        if (steps > 0)
            rooms[w].steps[0].dep = 0;
        programs[w] = (struct bs_program){0, steps, rooms[w].steps, rooms[w].times};
    }
    if (!bs_engine_init(&engine, timing, programs, count, 0, NULL))
        return -1;
    bs_engine_run(&engine);
    return (double)engine.end;
}

double bs_loop_cycles(const struct bs_model *model, const struct bs_timing *timing,
                      const struct bs_loop *loop)
{
    struct iteration iteration;
    struct unrolled *rooms = calloc(BS_LOOP_WARPS, sizeof *rooms);
    if (!rooms)
        return -1;
    set_iteration(&iteration, model, loop);
    const double all = run(timing, &iteration, loop->warps, LONG, rooms);
    const double few = run(timing, &iteration, loop->warps, SHORT, rooms);
    free(rooms);
    return all < 0 || few < 0 ? -1 : (all - few) / (LONG - SHORT);
}
