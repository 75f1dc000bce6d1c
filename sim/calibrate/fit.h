/* Fitting the numbers of a model's timing section to timed loops, one after the other. */
#ifndef BS_FIT_H
#define BS_FIT_H

#include "core/model_keys.h"
#include "gauge.h"

/* A loop and what the device said of it. */
struct bs_timed_loop {
    struct bs_loop loop;
    double cycles;
};

/* The values of a number that explain its loops equally well. */
struct bs_values {
    uint32_t low, high;
};

enum { BS_TIMING_NUMBERS = BS_KEY_CAPACITY_BASIS - BS_KEY_SCHEDULERS };

struct bs_fit {
    const struct bs_model *model; /* geometry and rules */
    struct bs_timing timing;      /* what is known so far */
    uint32_t branch;              /* cycles of the branch at the end of a body of machine code */
    struct bs_values range[BS_TIMING_NUMBERS]; /* of each key from BS_KEY_SCHEDULERS on */
};

static inline struct bs_values *bs_fit_range(struct bs_fit *fit, enum bs_key key)
{
    return &fit->range[key - BS_KEY_SCHEDULERS];
}

/* The number of a key of the timing section. */
uint32_t *bs_timing_number(struct bs_timing *timing, enum bs_key key);

/* What the engine says of loops, all in all. */
double bs_fit_cycles(const struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count);

/* How far that is from what was measured: the mean of the loops' errors, 0.01 being 1 %. */
double bs_fit_error(const struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count);

/* Fits a number with which the cycles of the loops grow, or at least do not shrink. Of a range of
 * equals the default is taken, or what is next to it. */
void bs_fit_growing(struct bs_fit *fit, enum bs_key key, const struct bs_timed_loop *loops,
                    size_t count);

/* The same where an earlier fit left a range: looks no further than that. */
void bs_fit_within(struct bs_fit *fit, enum bs_key key, const struct bs_timed_loop *loops,
                   size_t count);

/* The branch likewise. */
void bs_fit_branch(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count);

/* Whether the branch could take up what the interval of a warp takes less: widens its range to
 * that. */
void bs_fit_trade_branch(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count);

/* Divides what chains showed, latencies with the add of the next address, by loops that wait for
 * results without an add. The add is taken to be a whole number of cycles. */
void bs_fit_add(struct bs_fit *fit, const struct bs_timed_loop *chains,
                const struct bs_timed_loop *joins, size_t count);

/* Fits two numbers at once: from what they are, downhill. */
void bs_fit_pair(struct bs_fit *fit, enum bs_key a, enum bs_key b,
                 const struct bs_timed_loop *loops, size_t count);

/* In which range each of the two, or both together, can move without a difference to the engine:
 * they go to where they are plainest. */
void bs_fit_pair_range(struct bs_fit *fit, enum bs_key a, enum bs_key b,
                       const struct bs_timed_loop *loops, size_t count);

/* Tries each lookahead. False when memory is out. */
bool bs_fit_lookahead(struct bs_fit *fit, const struct bs_timed_loop *loops, size_t count);

#endif
