/*
 * The layouts of an array that a search tries: paddings, swizzles and skews, listed one by one, so
 * that a search can say exactly what it looked at. No two of a list put all elements at the same
 * places, but for the first, which is the layout that the array has.
 */
#ifndef BS_LAYOUT_SPACE_H
#define BS_LAYOUT_SPACE_H

#include "core/buffer.h"
#include "sketch.h"

/* Kinds of layouts, the simplest first. */
enum bs_scheme {
    BS_SCHEME_GIVEN,   /* as it stands */
    BS_SCHEME_PITCH,   /* rows pitch apart */
    BS_SCHEME_FOLD,    /* of one row: col + col / every * step */
    BS_SCHEME_XOR,     /* col ^ (row / every % count) * step */
    BS_SCHEME_SKEW,    /* (col + row / every * step) % pitch */
    BS_SCHEME_SWIZZLE, /* Swizzle<B,M,S> of the element's number row * pitch + col */
    BS_SCHEME_PAD_XOR, /* as XOR, of rows with padding: listed pitch by pitch */
    BS_SCHEME_PAD_SKEW,
    BS_SCHEMES,
};

struct bs_candidate {
    enum bs_scheme scheme;
    uint32_t pitch; /* elements */
    uint32_t every, count, step;
    uint32_t bits, base, shift; /* of a swizzle: B, M and S */
};

/* What is asked of layouts, and which there are. */
struct bs_space {
    unsigned schemes;        /* those to try: a bit each; that which is given always counts */
    uint32_t period;         /* bytes: pitches that differ by so many meet the same banks */
    uint32_t pad_unit;       /* bytes: paddings are multiples of it; 0: of an element */
    uint32_t max_pad;        /* bytes behind a row; 0: up to, but not including, a period */
    uint32_t keep_align;     /* bytes: aligned pieces of so many stay aligned and whole; 0: no */
    bool power_of_two_pitch; /* elements */
};

/* The list of an array's layouts. */
struct bs_candidates {
    struct bs_candidate *list;
    size_t count, room;
};

/* Lists all layouts of the space, whether or not they keep what is asked. False when memory is out.
 * Freed by free(list). */
bool bs_space_list(const struct bs_space *space, const struct bs_layout *given,
                   struct bs_candidates *out);

/* The pitch of padding number, from 0, that is tried together with swizzles, the least first; 0
 * past the last, or if rows cannot have any. */
uint32_t bs_space_padded_pitch(const struct bs_space *space, const struct bs_layout *given,
                               size_t number);

/* Adds the swizzles of rows of such a pitch to a list. False when memory is out. */
bool bs_space_list_padded(const struct bs_space *space, const struct bs_layout *given,
                          uint32_t pitch, struct bs_candidates *out);

/* A candidate as a layout of the array. Its spots are written to spot, which has room for rows *
 * columns of them and stays the caller's. */
struct bs_layout bs_candidate_lay(const struct bs_candidate *candidate,
                                  const struct bs_layout *given, uint32_t *spot);

/* Whether the layout keeps what is asked of it. */
bool bs_space_allows(const struct bs_space *space, const struct bs_layout *layout);

/* How the array is declared: "__shared__ float tile[32][33];". */
void bs_candidate_declaration(const struct bs_candidate *candidate,
                              const struct bs_sketch_array *array, struct bs_buffer *out);

/* How the array is declared, and where an element lies, as CUDA's source would say it, each on a
 * line of its own with the indent. The note goes behind the declaration. */
void bs_candidate_declare(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                          const char *indent, const char *note, struct bs_buffer *out);

/* The same as keys of the array in a sketch: "pitch: 33". */
void bs_candidate_keys(const struct bs_candidate *candidate, const struct bs_sketch_array *array,
                       struct bs_buffer *out);

/* In a few words: "pitch 33 (1 more)". */
enum { BS_CANDIDATE_TEXT = 160 };
const char *bs_candidate_text(const struct bs_candidate *candidate,
                              const struct bs_sketch_array *array, char out[BS_CANDIDATE_TEXT]);

const char *bs_scheme_name(enum bs_scheme scheme);
const char *bs_scheme_title(enum bs_scheme scheme); /* "row-XOR swizzles" */

#endif
