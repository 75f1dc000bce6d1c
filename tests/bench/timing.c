/* See timing.h. */
#include "timing.h"

#include "command/bank_use.h"
#include "command/timing.h"
#include "measuring.h"

#include <stdio.h>
#include <stdlib.h>

enum { WARPS = 16, STEPS = 20000 };

/* Instructions a second of warps that load without a conflict; 0 when the engine fails. */
static double instructions_per_second(const struct bs_model *model,
                                      const struct bs_instruction *steps,
                                      struct bs_instruction_time *times)
{
    struct bs_program programs[WARPS];
    struct bs_engine engine;
    struct bs_error error;
    for (unsigned w = 0; w < WARPS; w++)
        programs[w] = (struct bs_program){0, STEPS, steps, times + w * STEPS};
    const double start = seconds();
    if (!bs_engine_init(&engine, &model->timing, programs, WARPS, 0, &error) ||
        !bs_engine_run(&engine, &error)) {
        fprintf(stderr, "bankshot-bench: %s\n", error.text);
        return 0;
    }
    return (double)engine.totals.issued / (seconds() - start);
}

/* The same as a run with timing has it: priced, gathered, its banks counted, run and watched. */
static double timed_per_second(const struct bs_model *model)
{
    uint32_t addr[32];
    struct bs_error error;
    struct bs_cost cost;
    struct bs_launch launch = {0};
    struct bs_bank_use banks = {.shapes = NULL};
    struct bs_group_time group = {.queued = 0};
    const struct bs_launch_run how = {.smem = -1, .groups = &group};
    struct bs_access access = {.mask = UINT32_MAX, .addr = addr};
    bool fine = bs_op_parse("ld.b32", 6, &access.op);
    const double start = seconds();
    for (uint32_t i = 0; fine && i < WARPS * STEPS; i++) {
        access.warp = i % WARPS;
        for (uint32_t lane = 0; lane < 32; lane++)
            addr[lane] = 128 * (i % 64) + 4 * lane;
        fine = bs_count(model, &access, &cost) && bs_bank_use_add(&banks, model, &access) &&
               bs_launch_add(&launch, &access, &cost, 0, &error);
    }
    fine = fine && bs_launch_run(&launch, model, &how, &error);
    const double rate = (double)launch.engine.totals.issued / (seconds() - start);
    bs_launch_free(&launch);
    bs_bank_use_free(&banks);
    return fine ? rate : 0;
}

static double engine_per_second(const struct bs_model *model)
{
    struct bs_instruction *steps = calloc(STEPS, sizeof *steps);
    struct bs_instruction_time *times = calloc((size_t)WARPS * STEPS, sizeof *times);
    struct bs_instruction load = {.slots = 1};
    double rate = 0;
    if (steps && times && bs_op_parse("ld.b32", 6, &load.op)) {
        for (unsigned i = 0; i < STEPS; i++)
            steps[i] = load;
        rate = instructions_per_second(model, steps, times);
    }
    free(times);
    free(steps);
    return rate;
}

bool measure_timing(const struct bs_model *model, bool quick)
{
    static const struct {
        const char *name;
        double (*rate)(const struct bs_model *model);
    } ways[] = {{"engine", engine_per_second}, {"run --timing", timed_per_second}};
    const unsigned rounds = quick ? 1 : ROUNDS;
    bool fine = true;
    printf("\n%-16s %-20s %12s\n", "time", "ld.b32, no conflict", "million/s");
    for (unsigned way = 0; way < sizeof ways / sizeof *ways; way++) {
        double rates[ROUNDS] = {0};
        for (unsigned round = 0; round < rounds; round++) {
            rates[round] = ways[way].rate(model);
            fine = fine && rates[round] > 0;
        }
        printf("%-16s %-20s %12.2f\n", ways[way].name, "16 warps", median(rates, rounds) / 1e6);
    }
    return fine;
}
