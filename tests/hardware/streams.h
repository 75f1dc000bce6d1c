/* Measured streams of loads and stores, and barrier loops, as loops for the engine. */
#ifndef STREAMS_H
#define STREAMS_H

#include "loops.h"

enum stream_kind {
    STREAM_MIXED,   /* loads, then stores, by 1 to 16 warps, in code that ran for the first time */
    STREAM_CHOSEN,  /* loads by chosen warps, likewise */
    STREAM_BARRIER, /* a store, a barrier, a load, a barrier */
    STREAM_WARM,    /* streams by chosen warps, in code that had run before */
    STREAM_LONG,    /* the mixed ones, 16 times as long */
    STREAM_LENGTHS, /* loads, of which each warp's first of 8 is longer than the others */
    STREAM_LATE,    /* loads of two warps of one scheduler, begun together or apart */
    STREAM_KINDS,
};

struct stream {
    enum stream_kind kind;
    char text[128]; /* the row */
    uint32_t mask;  /* of warps */
    double cycles;  /* of an iteration, of all its warps together */
    double lowest; /* of mixed and late ones: what else the same loop took: when it was repeated, */
    double highest; /* or when one of the warps began later than the other */
    struct loop loop;
};

/* Reads them all; the caller frees the list. */
struct stream *streams_read(unsigned *count);

/* Warps that the hardware lets fall out of step, which the engine does not: one on each of three
 * schedulers, or two on one. docs/hardware.md says more. */
bool stream_falls_out_of_step(const struct stream *stream);

#endif
