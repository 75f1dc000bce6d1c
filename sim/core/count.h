/* The fast path's own interface: the SIMD counter, which count.c calls where it can. */
#ifndef BS_COUNT_H
#define BS_COUNT_H

#include "bankshot.h"

/* What the SIMD counter found. */
struct bs_counted {
    uint32_t passes;    /* that serve lanes */
    uint32_t merged_by; /* the merge partner */
    bool may_overlap;   /* two lanes have the same address, perhaps */
};

/* Whether this machine and build have the SIMD counter. */
bool bs_simd_available(void);

/* Counts the passes of the access, for a rule whose shortcut.simd is set. False, with nothing
 * counted, for the accesses that it leaves to the portable path: addresses that are not aligned or
 * lie too high. */
bool bs_simd_count(const struct bs_model *model, const struct bs_rule *rule,
                   const struct bs_access *access, uint64_t lanes, struct bs_counted *counted);

/* Sets the shortcuts of a model and of its rules. The loader calls it last. */
void bs_model_prepare(struct bs_model *model, struct bs_rule *rules);

#endif
