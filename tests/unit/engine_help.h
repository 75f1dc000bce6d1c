/* Small machines for the tests of the engine. */
#ifndef ENGINE_HELP_H
#define ENGINE_HELP_H

#include "bankshot.h"

enum { ROOM = 256, WARPS = 8 };

struct machine {
    struct bs_engine engine;
    struct bs_instruction steps[WARPS][ROOM];
    struct bs_instruction_time times[WARPS][ROOM];
    struct bs_program programs[WARPS];
    uint32_t count;
};

/* Whole numbers, each different, so that a mix-up shows. */
extern const struct bs_timing timing;

struct bs_instruction step(const char *name, uint32_t slots, uint32_t dep);

/* Gives the next warp, of a CTA, a step so many times. */
void warp(struct machine *machine, uint32_t cta, struct bs_instruction one, uint32_t times);

/* Gives the last warp one step more. */
void then(struct machine *machine, struct bs_instruction one);

void start(struct machine *machine, const struct bs_timing *with, uint32_t resident);

/* Starts, runs to the end, and returns when that is. */
uint64_t run(struct machine *machine, const struct bs_timing *with, uint32_t resident);

#endif
