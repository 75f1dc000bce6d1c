/*
 * What Nsight Compute measured, from its CSV: the raw page (a row for each launch) and the source
 * page (a block for each launch, a row for each instruction). Both may be compressed, and may have
 * the output of the program and of ncu around them.
 */
#ifndef BS_PROFILE_H
#define BS_PROFILE_H

#include "bankshot.h"

/* What the profiler counts, by the columns of the raw page. */
enum bs_counter {
    BS_COUNTER_LD,   /* wavefronts of loads, matrix loads too */
    BS_COUNTER_ST,   /* of stores, matrix stores too */
    BS_COUNTER_ATOM, /* of atomics */
    BS_COUNTER_LDMATRIX,
    BS_COUNTER_STMATRIX,
    BS_COUNTER_COPY,    /* of async copies through the first-level cache */
    BS_COUNTER_COPY_CG, /* and past it */
    BS_COUNTERS,        /* the kinds; behind them their total: */
    BS_COUNTER_ALL = BS_COUNTERS,
    BS_PROFILE_COUNTERS
};

/* One launch of the raw page. */
struct bs_profile_launch {
    char *kernel;
    bool has[BS_PROFILE_COUNTERS];
    uint64_t value[BS_PROFILE_COUNTERS];
    bool has_by_instruction[BS_PROFILE_COUNTERS]; /* the same, as the profiler works it out by
                                                     instruction */
    uint64_t by_instruction[BS_PROFILE_COUNTERS];
};

/* One instruction of the source page that reaches shared memory. */
struct bs_profile_line {
    uint64_t pc;         /* from the kernel's start */
    uint64_t wavefronts; /* worked out from addresses, not counted by the hardware */
    uint64_t lanes;      /* for which it was executed, over all warps */
    char *source;        /* as SASS, without the blanks around it */
};

struct bs_profile_block {
    char *kernel;
    size_t first; /* of its lines */
    size_t count;
    uint64_t digest; /* of all that the block says: equal for blocks that are the same */
};

/* Start with {0}. */
struct bs_profile {
    struct bs_profile_launch *launches;
    size_t launch_count, launch_room;
    struct bs_profile_block *blocks;
    size_t block_count, block_room;
    struct bs_profile_line *lines;
    size_t line_count, line_room;
};

/* Adds what a file has. */
bool bs_profile_read(struct bs_profile *profile, const char *path, struct bs_error *error);
void bs_profile_free(struct bs_profile *profile);

#endif
