/* Which accesses to ask about: of all shapes in which rules can differ. */
#ifndef BS_PATTERNS_H
#define BS_PATTERNS_H

#include "gauge.h"

/* Random numbers: the state is all there is. */
uint64_t bs_draw(uint64_t *state);
static inline uint32_t bs_draw_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((bs_draw(state) >> 32) * bound >> 32);
}

/* A random access of the op: strides, crowds, shared words, equal neighbours, few rows, all with
 * full or broken masks, and copies from sources of several kinds. */
void bs_pattern_draw(struct bs_pattern *pattern, struct bs_op op, uint64_t *state);

/* The access to price it with; src has room for the sources, which the access points to. */
struct bs_access bs_pattern_access(const struct bs_pattern *pattern, uint64_t src[BS_GAUGE_LANES]);

#endif
