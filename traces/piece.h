/*
 * Pieces of a trace, for reading it with several threads: one thread reads on and cuts, others take
 * the pieces apart.
 */
#ifndef BS_PIECE_H
#define BS_PIECE_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that hold records of one launch, all of them whole. */
struct bs_piece {
    size_t start, size; /* where the bytes lie in the buffer that they were read to */
    uint64_t at;        /* lines of the trace before them; of a binary the bytes */
    uint64_t left_out;  /* records that a filter left out unread before them */
};

enum { BS_PIECE_SLACK = 8 }; /* bytes behind a piece that are nobody else's */

#endif
