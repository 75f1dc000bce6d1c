/* What the program, the engine's twin of a loop and the kernels on the GPU agree on about loops. */
#ifndef BS_BODIES_H
#define BS_BODIES_H

enum bs_loop_kind {
    BS_LOOP_FREE,    /* accesses that wait for nothing */
    BS_LOOP_CHAIN,   /* the address of each waits for the result of the one before */
    BS_LOOP_BARRIER, /* a store, a barrier, a load, a barrier: by the first warp, or by all */
    BS_LOOP_BURST,   /* no loop: so many loads, and how long the last is on its way */
};

/* The accesses of an iteration. Stores send registers but for BS_BODY_ST_ZERO, whose zero register
 * has nothing to send. A mixed body has its loads first. */
enum bs_loop_body {
    BS_BODY_LD_32,
    BS_BODY_LD_64,
    BS_BODY_LD_128,
    BS_BODY_ATOM_ADD,
    BS_BODY_ST_ZERO,
    BS_BODY_ST_32,
    BS_BODY_ST_64,
    BS_BODY_ST_128,
    BS_BODY_LD_6_ST_2,
    BS_BODY_LD_4_ST_4,
    BS_BODY_LD_2_ST_6,
    BS_BODIES,
    BS_CHAINED_BODIES = BS_BODY_ST_ZERO, /* those before it can be chains */
};

enum {
    BS_LOOP_WARPS = 16,
    BS_LOOP_STEPS = 8,     /* accesses of an iteration */
    BS_LOOP_SHORT = 16,    /* iterations of a short run */
    BS_LOOP_LONG = 48,     /* and of a long one */
    BS_LOOP_UNROLLED = 16, /* iterations that follow one another without a branch, */
    BS_LOOP_TIGHT = 4,     /* and in a tight loop, as those of loads are: longer ones have the
                              compiler spread the wait for the loads before over the body */
    BS_BURST_STEPS = 160,  /* more than can be on their way, and no multiple of a queue */
};

#endif
