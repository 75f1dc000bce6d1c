/* A trace's costs beside a profile's counts: which launch belongs to which, and their sums. */
#ifndef BS_COMPARISON_H
#define BS_COMPARISON_H

#include "bankshot-traces.h"
#include "profile.h"
#include "tally.h"

/* By kernel and counter, over the launches that are in both. */
struct bs_compared_kernel {
    uint64_t records[BS_COUNTERS];
    bool tries;            /* it has tries of compare-and-swap */
    bool has[BS_COUNTERS]; /* the profile has the counter */
    uint64_t predicted[BS_COUNTERS];
    uint64_t measured[BS_COUNTERS];
    bool has_by_instruction[BS_COUNTERS];
    uint64_t by_instruction[BS_COUNTERS];
    uint64_t uncounted[BS_COUNTERS]; /* records of launches for which the profile counts nothing
                                        that they are part of; in none of the above */
};

/* By instruction, likewise. */
struct bs_compared_line {
    uint32_t kernel; /* its number */
    uint64_t pc;
    struct bs_op op;
    bool in_trace, in_profile;
    const char *source; /* as SASS, of the profile; NULL if it has none */
    uint64_t predicted, measured;
    uint64_t trace_lanes, profile_lanes;
};

/* Begin it with a profile, which stays; free it at the end. */
struct bs_comparison {
    const struct bs_profile *profile;
    bool *launch_taken;    /* of the profile's launches, which belong to one of the trace */
    bool *block_taken;     /* likewise; blocks that only repeat another are taken from the start */
    struct bs_names names; /* of the kernels */
    struct bs_compared_kernel *kernels; /* by the numbers of their names */
    size_t kernel_count, kernel_room;
    struct bs_compared_line *lines;
    size_t line_count, line_room;
    struct bs_index index; /* of the lines */
    uint64_t unmatched;    /* launches of the trace that the profile does not have */
    bool uneven;           /* it has others of their kernels */

    /* The launch that is being read. */
    uint32_t number;                        /* of its kernel */
    const struct bs_profile_launch *launch; /* of the raw page; NULL: none */
    bool matched;                           /* it has a partner */
    bool in_blocks;                         /* its instructions have one */
};

/* False when memory is out. */
bool bs_comparison_begin(struct bs_comparison *comparison, const struct bs_profile *profile);

/* Sees a launch, and then its records with their costs. False when memory is out. */
bool bs_comparison_launch(struct bs_comparison *comparison, const struct bs_kernel *kernel);
bool bs_comparison_record(struct bs_comparison *comparison, const struct bs_access *access,
                          const struct bs_cost *cost);

/* Launches of the profile that no launch of the trace belongs to. */
uint64_t bs_comparison_left(const struct bs_comparison *comparison);

/* Whether one side has more launches of some kernel of both, so that others than those that were
 * paired may belong together. */
bool bs_comparison_is_uneven(const struct bs_comparison *comparison);

/* Whether some instruction of the kernel was executed for other numbers of lanes: another run. */
bool bs_comparison_ran_differently(const struct bs_comparison *comparison, uint32_t kernel);
void bs_comparison_free(struct bs_comparison *comparison);

#endif
