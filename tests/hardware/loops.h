/* Measured loops of shared-memory accesses, and the engine's time for the same. */
#ifndef LOOPS_H
#define LOOPS_H

#include "bankshot.h"

enum { LOOP_WARPS = 16, LOOP_STEPS = 8, LOOP_SHORT = 16, LOOP_LONG = 48 };

/* Each warp repeats its steps. */
struct loop {
    uint32_t warps;
    uint32_t count; /* steps of one iteration, at most LOOP_STEPS */
    struct bs_instruction steps[LOOP_WARPS][LOOP_STEPS];
};

/* A measured row of h200-sequences.tsv. */
struct sequence {
    struct bs_op op;
    bool dep;
    double cycles;
    unsigned line;
    struct loop loop;
};

/* Reads them all; the caller frees the list. Prices the accesses with the model. */
struct sequence *sequences_read(const struct bs_model *model, unsigned *count);

/* Every third row is kept aside when numbers are fitted. */
static inline bool sequence_is_kept_aside(const struct sequence *sequence)
{
    return sequence->line % 3 == 0;
}

/* Cycles of one iteration: those of a long loop less those of a short one, by the iterations that
 * it has more. The test fails when the engine does. */
double loop_cycles(const struct bs_timing *timing, const struct loop *loop);

/* A step of a loop; dep as in struct bs_instruction. */
struct bs_instruction loop_step(const char *op, uint32_t slots, uint32_t dep);

#endif
