/*
 * Time for one launch: its instructions are gathered as a trace gives them, then the engine runs
 * them, CTA by CTA in the order of their numbers.
 *
 *     struct bs_launch launch = {.keeps_order = true};
 *     while (there are records of the launch)
 *         bs_launch_add(&launch, &record.access, &cost, group, &error);
 *     if (bs_launch_run(&launch, model, &how, &error))
 *         bs_launch_time(&launch, n)->issued ... launch.engine.cycle ...
 *     bs_launch_free(&launch);
 *
 * Gathered, an instruction takes a struct bs_instruction and 4 bytes, 8 more with its order. Times
 * are kept of the CTAs that run, or of all where the order is kept.
 */
#ifndef BS_TIMING_H
#define BS_TIMING_H

#include "index.h"
#include "resident.h"

/* The instructions of one warp, in order. */
struct bs_launch_warp {
    uint32_t cta, warp;
    struct bs_instruction *steps;
    uint32_t *groups; /* to which the caller counts each of them */
    size_t count;
    size_t barriers; /* of them */
    size_t step_room, group_room;
    struct bs_instruction_time *times; /* of the steps, while the CTA runs */
};

/* What the instructions of a group waited for and where they spent their time, in cycles. */
struct bs_group_time {
    uint64_t waits[BS_WAITS]; /* before their issue, by enum bs_wait */
    uint64_t queued;          /* from issue to the first pass */
    uint64_t finishing;       /* from issue until they are finished */
    uint32_t from; /* a group whose values they wait for, the first seen, plus 1; 0: for none */
};

/* Start with zero and what is marked; free once. Afterwards it can be filled anew. */
struct bs_launch {
    bool keeps_order; /* set by the caller: bs_launch_time is wanted afterwards */

    struct bs_launch_warp *warps; /* in the order of first sight */
    size_t warp_count, warp_room;
    struct bs_index index;
    size_t last; /* the warp of the last instruction */
    struct bs_launch_place {
        uint32_t warp, step;
    } * order; /* of each instruction, in the order in which they were added */
    size_t order_room;
    uint64_t records;
    uint64_t dependent; /* instructions that wait for another (dep=) */
    uint64_t barriers;
    uint64_t uneven_ctas; /* whose warps come to different numbers of barriers */

    /* While and after it runs. */
    struct bs_resident resident;
    struct bs_program *programs; /* by CTA and warp, with a warp without steps for each number that
                                    the trace leaves out */
    uint32_t program_count;
    uint32_t *program_warp;            /* which of warps each is, or BS_NO_WARP */
    struct bs_instruction_time *times; /* of all, where they are kept */
    size_t given;                      /* times that are in use */
    uint32_t timed;                    /* programs that have, or had, room for their times */
    uint32_t started;                  /* programs whose CTAs have started */
    uint32_t present[BS_MAX_RESIDENT]; /* the CTAs that are there: their first programs */
    uint32_t present_count;
    struct bs_engine engine; /* at the end: engine.cycle is the number of cycles */
};
enum { BS_NO_WARP = INT32_MAX };

/* Adds an instruction and what it costs. False, after filling error, when memory is out or the
 * access depends on one before the warp's first. */
bool bs_launch_add(struct bs_launch *launch, const struct bs_access *access,
                   const struct bs_cost *cost, uint32_t group, struct bs_error *error);

/* How to run it. What is not known or wanted may stay zero. */
struct bs_launch_run {
    int64_t smem;                       /* bytes of shared memory a CTA; -1: not known */
    uint32_t block[3];                  /* lanes of a CTA; 0: not known */
    uint32_t resident;                  /* CTAs at a time; 0: as many as there is room for */
    struct bs_group_time *groups;       /* added to, by the group of each instruction; or NULL */
    bool early_exit;                    /* barriers go on without warps that have ended */
    struct bs_engine_observer observer; /* looks on; program_warp says which warp a program is */
};

/* Runs the launch once. False, after filling error, when memory is out, when a CTA has too many
 * warps, or when warps wait at a barrier for ever: the error then tells the state of every warp. */
bool bs_launch_run(struct bs_launch *launch, const struct bs_model *model,
                   const struct bs_launch_run *how, struct bs_error *error);

/* When the n-th instruction that was added was where, in cycles from the start of the launch. */
const struct bs_instruction_time *bs_launch_time(const struct bs_launch *launch, uint64_t n);

void bs_launch_free(struct bs_launch *launch);

#endif
