/* How far the rows of an array are apart, as far as the lanes of its accesses tell. */
#ifndef BS_TRACE_ROWS_H
#define BS_TRACE_ROWS_H

#include "trace_arrays.h"

/* What the lanes say together. */
struct bs_row_votes {
    uint64_t bytes;   /* the distance that most speak for; 0: none does */
    uint64_t lanes;   /* that speak for it */
    uint64_t all;     /* and for any, or for none that can be told */
    uint64_t against; /* a distance that is no multiple of it; 0: there is none */
};

struct bs_row_votes bs_trace_rows_vote(const struct bs_trace_arrays *arrays, size_t array);

#endif
