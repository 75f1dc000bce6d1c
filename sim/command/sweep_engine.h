/*
 * Pricing one stream of accesses under many models: records are gathered in blocks, and while one
 * block is being filled the threads price the other one, a model at a time. Nothing grows with the
 * stream.
 */
#ifndef BS_SWEEP_ENGINE_H
#define BS_SWEEP_ENGINE_H

#include "bankshot.h"
#include "tally.h"

/* A set of ops, by bs_op.index. */
struct bs_op_set {
    uint64_t bits[(BS_OPS + 63) / 64];
};

static inline void bs_op_set_add(struct bs_op_set *set, unsigned op)
{
    set->bits[op / 64] |= UINT64_C(1) << op % 64;
}

static inline bool bs_op_set_has(const struct bs_op_set *set, unsigned op)
{
    return set->bits[op / 64] >> op % 64 & 1;
}

static inline void bs_op_set_join(struct bs_op_set *set, const struct bs_op_set *more)
{
    for (size_t i = 0; i < sizeof set->bits / sizeof *set->bits; i++)
        set->bits[i] |= more->bits[i];
}

/* What came of the records of a group on one model. Where one of them cannot be priced the sums are
 * those of the others, which say nothing about the group. */
struct bs_swept_group {
    struct bs_sums sums;
    uint32_t notes;           /* BS_NOTE_ bits of all records */
    struct bs_op_set assumed; /* ops whose assumed rule was used */
    struct bs_op_set lacking; /* ops that the model has no rule for */
    bool lacks_rules;
    bool lacks_lanes; /* a record has lanes beyond the model's warp */
};

/* One model of a sweep, and what came of it. */
struct bs_swept {
    const struct bs_model *model;  /* the caller's; NULL: it could not be had, as error says */
    struct bs_swept_group *groups; /* those that no record reached may be missing */
    size_t count;
    size_t room;
    bool failed; /* nothing can be priced: error says why */
    struct bs_error error;
};

struct bs_sweep;

/* Starts a sweep that uses so many threads, the caller's among them. The cells stay the caller's,
 * who must not touch them until the end. NULL when memory or threads are out. */
struct bs_sweep *bs_sweep_start(struct bs_swept *cells, size_t count, unsigned threads,
                                bool allow_misaligned);

/* Adds a record, whose cost goes to a group. False, after filling error, if its addresses are wrong
 * on any model. */
bool bs_sweep_add(struct bs_sweep *sweep, const struct bs_access *access, uint32_t group,
                  struct bs_error *error);

/* Prices what is left and ends the sweep; sweep may be NULL. */
void bs_sweep_end(struct bs_sweep *sweep);

/* Prices one access, which its model can price, for one cell at once, without a sweep. */
void bs_swept_add(struct bs_swept *cell, const struct bs_access *access, uint32_t group);

/* What came of a group: nothing but zeros if no record reached it. */
const struct bs_swept_group *bs_swept_group(const struct bs_swept *cell, uint32_t group);

/* Whether all records of a group could be priced. */
bool bs_swept_is_priced(const struct bs_swept *cell, uint32_t group);

/* Frees the sums; the model stays the caller's. */
void bs_swept_free(struct bs_swept *cell);

#endif
