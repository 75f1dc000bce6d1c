/* bankshot advise: what it was asked, what it found, and the reports of it. */
#ifndef BS_ADVISE_H
#define BS_ADVISE_H

#include "arithmetic.h"
#include "layout_search.h"
#include "table.h"
#include "trace_arrays.h"

/* The lanes of an access, where each of its instructions has them the same stride apart. */
struct bs_access_stride {
    struct bs_arithmetic arithmetic; /* not strided: they have not */
    uint32_t passes;                 /* of the worst instruction */
};

/* What all accesses cost, one array behind the other: the numbers that bankshot run has. */
struct bs_advice_total {
    uint64_t passes, slots, instructions, excess;
    uint64_t bytes; /* of the arrays */
    uint64_t smem;  /* of a CTA: with the gaps between arrays, and what no access goes to */
};

/* All that a report needs. */
struct bs_advice {
    const char *subject; /* the sketch or trace, as it was named */
    const char *name;    /* of the kernel */
    const char *typed;   /* the same as people type it; of a trace */
    const struct bs_model *model;
    uint32_t block_warps; /* warps of a CTA; 0: not known */
    uint32_t block_threads;
    bool is_sketch;
    const struct bs_sketch *sketch;       /* of a sketch */
    const struct bs_trace_arrays *traced; /* of a trace */
    uint64_t other_bytes;                 /* of shared memory that no access goes to */
    struct bs_search *search;
    size_t wanted; /* combinations in a list; 0: the best of each kind */

    struct bs_work_cost *before; /* by access, under the layouts as they stand */
    struct bs_work_cost *after;  /* and under the best */
    struct bs_access_stride *before_stride, *after_stride;
    uint32_t *steps; /* by access: see bs_work_steps */
    bool issued;     /* all accesses can be issued as they stand */
    struct bs_advice_total now,
        then;            /* as they stand: bytes always, the rest if issued; the best */
    uint64_t bare_bytes; /* of the arrays without any padding */
    uint64_t max_percent;
    bool limited;                  /* by max_percent */
    struct bs_combination *best;   /* best first */
    struct bs_combination smaller; /* the best of those that take less memory than the best */
    size_t count, smaller_count;
};

/* The layout that a combination has for an array, and its candidate. The spots are malloced. False
 * when memory is out. */
const struct bs_candidate *bs_advice_candidate(const struct bs_advice *advice,
                                               const struct bs_combination *combination,
                                               size_t number);

/* A combination in a few words: "tile: pitch 33, pad 1". */
void bs_advice_layout_text(const struct bs_advice *advice, const struct bs_combination *combination,
                           struct bs_buffer *out);

/* Whether it changes nothing. */
bool bs_advice_keeps(const struct bs_advice *advice, const struct bs_combination *combination);

/* Its declarations, as CUDA has them, with a note at those that stay as they are. */
void bs_advice_declare(const struct bs_advice *advice, const struct bs_combination *combination,
                       const char *indent, const char *note, struct bs_buffer *out);

/* How many CTAs of so many bytes are on a multiprocessor at a time; 0: there is no room for one.
 * False if the model or the trace does not say. */
bool bs_advice_resident(const struct bs_advice *advice, uint64_t smem, uint32_t *ctas);

/* Bytes of a multiprocessor that the arrays of a CTA can have, at least 1; 0: the model does not
 * say. */
uint64_t bs_advice_room(const struct bs_advice *advice);

/* Slots of all accesses that no layout can save. */
uint64_t bs_advice_least(const struct bs_advice *advice);

/* Whether the access goes where data decide, as far as its lanes show: the advice then holds for
 * the indices that were given, and proves nothing for others. */
bool bs_advice_follows_data(const struct bs_advice *advice, size_t access);

/* More bytes than the elements themselves take, in percent of that. */
double bs_advice_percent_more(const struct bs_advice *advice, uint64_t bytes);

/* The strides of an access under a layout. */
struct bs_access_stride bs_access_stride_of(const struct bs_work *work,
                                            const struct bs_model *model, size_t access,
                                            const struct bs_layout *layout);

/* The table of what the formula says of accesses; false if none is strided. */
bool bs_advice_strides(const struct bs_advice *advice, bool with_after, struct bs_spool *out);

/* What the best layouts take, and why no others take less. False when memory is out. */
bool bs_advice_price(const struct bs_advice *advice, const struct bs_screen *screen,
                     struct bs_spool *out);

/* The reports. False when memory is out. */
bool bs_advice_text(const struct bs_advice *advice, struct bs_spool *out);
bool bs_advice_rows(const struct bs_advice *advice, enum bs_format format, struct bs_spool *out);

#endif
