/* See engine_help.h. */
#include "engine_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

const struct bs_timing timing = {.schedulers = 4,
                                 .scheduler_interval = 3,
                                 .warp_interval = 500,
                                 .pass_interval = 2,
                                 .queue = 4,
                                 .in_flight = 16,
                                 .lookahead = 64,
                                 .latency_32 = 2000,
                                 .latency_64 = 2300,
                                 .latency_128 = 2900,
                                 .latency_atom = 3100,
                                 .barrier_latency = 11,
                                 .barrier_interval = 7};

struct bs_instruction step(const char *name, uint32_t slots, uint32_t dep)
{
    struct bs_instruction made = {.slots = slots, .dep = dep};
    assert_true(bs_op_parse(name, strlen(name), &made.op));
    return made;
}

void warp(struct machine *machine, uint32_t cta, struct bs_instruction one, uint32_t times)
{
    struct bs_program *program = &machine->programs[machine->count];
    for (uint32_t i = 0; i < times; i++) {
        machine->steps[machine->count][i] = one;
        if (one.dep > i)
            machine->steps[machine->count][i].dep = 0;
    }
    *program = (struct bs_program){cta, times, machine->steps[machine->count],
                                   machine->times[machine->count]};
    machine->count++;
}

void then(struct machine *machine, struct bs_instruction one)
{
    struct bs_program *program = &machine->programs[machine->count - 1];
    machine->steps[machine->count - 1][program->count++] = one;
}

void start(struct machine *machine, const struct bs_timing *with, uint32_t resident)
{
    struct bs_error error;
    if (!bs_engine_init(&machine->engine, with, machine->programs, machine->count, resident,
                        &error))
        fail_msg("%s", error.text);
}

uint64_t run(struct machine *machine, const struct bs_timing *with, uint32_t resident)
{
    struct bs_error error;
    start(machine, with, resident);
    if (!bs_engine_run(&machine->engine, &error))
        fail_msg("%s", error.text);
    return machine->engine.end;
}
