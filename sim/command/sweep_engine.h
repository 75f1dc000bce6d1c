/*
 * Pricing one stream of accesses under many models: records are gathered in blocks, and while one
 * block is being filled the threads price the other one, a model at a time. Nothing grows with the
 * stream.
 */
#ifndef BS_SWEEP_ENGINE_H
#define BS_SWEEP_ENGINE_H

#include "bankshot.h"
#include "tally.h"

enum { BS_MAX_SWEEP_THREADS = 256 };

/* One model of a sweep, and what came of it. */
struct bs_swept {
    const struct bs_model *model; /* the caller's; NULL: it could not be had, as error says */
    struct bs_sums *sums;         /* by group; those that no record reached may be missing */
    size_t groups;
    size_t room;
    uint32_t notes;       /* BS_NOTE_ bits of all records */
    bool assumed[BS_OPS]; /* ops whose assumed rule was used */
    bool failed;          /* it cannot price the records: error says why */
    struct bs_error error;
    uint64_t line; /* of the record where it failed */
};

struct bs_sweep;

/* Starts a sweep that uses so many threads, the caller's among them. The cells stay the caller's,
 * who must not touch them until the end. NULL when memory or threads are out. */
struct bs_sweep *bs_sweep_start(struct bs_swept *cells, size_t count, unsigned threads,
                                bool allow_misaligned);

/* Adds a record, whose cost goes to a group. False when no model is left that can price it. */
bool bs_sweep_add(struct bs_sweep *sweep, const struct bs_access *access, uint64_t line,
                  uint32_t group);

/* Prices what is left and ends the sweep; sweep may be NULL. */
void bs_sweep_end(struct bs_sweep *sweep);

/* Prices one access for one cell at once, without a sweep. */
void bs_swept_add(struct bs_swept *cell, const struct bs_access *access, uint64_t line,
                  uint32_t group, bool allow_misaligned);

/* The sums of a group, all zero if no record reached it. */
const struct bs_sums *bs_swept_sums(const struct bs_swept *cell, uint32_t group);

/* Frees the sums; the model stays the caller's. */
void bs_swept_free(struct bs_swept *cell);

#endif
