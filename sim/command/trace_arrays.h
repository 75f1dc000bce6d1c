/*
 * The arrays that the addresses of a trace lie in, as far as addresses tell: bytes that are
 * accessed by the same instructions are an array, and its rows are as far apart as most lanes of a
 * line that do not go to neighbouring elements, or the starts of lines; see trace_rows.c. Where
 * lanes contradict each other nothing is recovered. What the program declared may be something
 * else.
 */
#ifndef BS_TRACE_ARRAYS_H
#define BS_TRACE_ARRAYS_H

#include "layout_work.h"

enum {
    BS_TRACE_ACCESSES = 1024, /* instructions, at most */
    BS_TRACE_ARRAYS = 64,
    BS_TRACE_LABEL = 96,
};

/* How far the rows of an array were said or found to be apart. */
struct bs_found_rows {
    uint64_t lanes, of;      /* so many of so many that could be rows apart are this far */
    bool given;              /* the caller said it */
    bool in_doubt;           /* nothing is recovered: see below; the array counts as one row */
    uint64_t bytes, against; /* what most lanes suggest; a distance that is no multiple of it */
};

/* Start with {0}, add records, finish, free. */
struct bs_trace_arrays {
    struct bs_work work; /* of the arrays and accesses below; closed by finish */
    struct bs_sketch_array arrays[BS_TRACE_ARRAYS];
    struct bs_found_rows rows[BS_TRACE_ARRAYS]; /* lanes 0: the array is one row */
    struct bs_sketch_access *accesses;
    char (*labels)[BS_TRACE_LABEL];
    uint64_t *pcs;
    uint32_t block_x; /* lanes that a line of the CTA has; 0: not known; set by the caller */
    size_t last;      /* access that was added to last */
};

/* Adds one record; label is what reports call its instruction, in printable form, NULL: its pc.
 * False after filling error. */
bool bs_trace_arrays_add(struct bs_trace_arrays *arrays, const struct bs_access *access,
                         const char *label, struct bs_error *error);

/* All records were added: finds the arrays. pitch, in bytes, is that of all arrays; 0: it is to be
 * found. */
bool bs_trace_arrays_finish(struct bs_trace_arrays *arrays, uint32_t pitch, struct bs_error *error);
void bs_trace_arrays_free(struct bs_trace_arrays *arrays);

/* What was recovered of an array, in a sentence. */
void bs_trace_arrays_text(const struct bs_trace_arrays *arrays, size_t number, char *out,
                          size_t size);

#endif
