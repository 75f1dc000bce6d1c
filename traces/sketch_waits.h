/* Which instructions of a sketch wait for the values of which: numbering what 'dep' names, and
 * counting back to it as the warps go along. */
#ifndef BS_SKETCH_WAITS_H
#define BS_SKETCH_WAITS_H

#include "sketch.h"

struct bs_sketch_draft;

/* Finds out what each access waits for, once all steps are read. */
void bs_draft_waits(struct bs_sketch_draft *draft);

/* The instructions that the warps of a CTA have made so far. */
struct bs_waits {
    const struct bs_sketch *sketch;
    uint32_t cta, warps;
    uint32_t *count; /* by warp */
    uint32_t *last;  /* by warp and value: the number of its latest instruction, from 1; 0: none */
};

/* False when memory is out; end it in any case. */
bool bs_waits_start(struct bs_waits *waits, const struct bs_sketch *sketch);

/* Takes the next instruction, number from 0 of the visit's, and returns how many instructions of
 * its warp before it the one is that it waits for; 0: it waits for none. */
uint32_t bs_waits_take(struct bs_waits *waits, const struct bs_visit *visit, unsigned number);

void bs_waits_end(struct bs_waits *waits);

#endif
