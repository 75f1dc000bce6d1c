/* Measured loops of shared-memory accesses, and the engine's time for the same. */
#ifndef LOOPS_H
#define LOOPS_H

#include "bankshot.h"

enum { LOOP_WARPS = 16, LOOP_STEPS = 8, LOOP_RUNS = 3, LOOP_BRANCH = 7, LOOP_PAUSE = 250 };

/* How often a loop was run between two barriers, and whether a warp waited for its results before
 * the second. */
struct run {
    uint32_t iterations;
    uint8_t join; /* enum bs_join */
};

/* When the first warp reads the clock after a run: a barrier takes hold some cycles after it, and
 * so an instruction close behind does not wait for it, but for the results of its warp. */
enum clock { CLOCK_AT_BARRIER, CLOCK_BEFORE_BARRIER };

/* Each warp repeats its steps, as machine code does: the compiler put some iterations one after the
 * other, waits for all loads at the head of each such body, and branches at its end. The clock was
 * read at each barrier. */
struct loop {
    uint32_t warps;
    uint32_t count; /* steps of one iteration, at most LOOP_STEPS */
    struct bs_instruction steps[LOOP_WARPS][LOOP_STEPS];
    bool idle[LOOP_WARPS];     /* only comes to the barriers */
    uint16_t late[LOOP_WARPS]; /* cycles by which it begins its runs later */
    uint32_t unrolled;         /* iterations of a body */
    uint8_t join;              /* of its first step: enum bs_join */
    uint16_t gap;              /* of its first step, if it is not the first of all */
    uint8_t before;            /* whether the barrier before a run waits: enum bs_join */
    uint16_t pause;            /* cycles between runs */
    struct run runs[LOOP_RUNS];
    enum clock clock; /* the second of each run */
};

/* A measured row of h200-sequences.tsv or h200-sequences-later.tsv. */
struct sequence {
    struct bs_op op;
    bool dep;
    double cycles;
    unsigned line;
    struct loop loop;
};

/* Reads all of a file; the caller frees the list. Prices the accesses with the model. */
struct sequence *sequences_read(const struct bs_model *model, const char *file, unsigned *count);

/* Every third row is kept aside when numbers are fitted. */
static inline bool sequence_is_kept_aside(const struct sequence *sequence)
{
    return sequence->line % 3 == 0;
}

/* Cycles of one iteration: those of the last run less those of the one before, by the iterations
 * that it has more. The test fails when the engine does. */
double loop_cycles(const struct bs_timing *timing, const struct loop *loop);

/* A step of a loop. */
struct bs_instruction loop_step(const char *op, uint32_t slots);

#endif
