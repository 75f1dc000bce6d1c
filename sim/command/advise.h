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

/* All that a report needs. */
struct bs_advice {
    const char *subject; /* the sketch or trace, as it was named */
    const char *name;    /* of the kernel */
    const struct bs_model *model;
    uint32_t block_warps; /* warps of a CTA; 0: not known */
    uint32_t block_threads;
    bool is_sketch;
    const struct bs_trace_arrays *traced; /* of a trace */
    uint64_t other_bytes;                 /* of shared memory that no access goes to */
    struct bs_search *search;
    size_t wanted; /* combinations in a list; 0: the best of each kind */

    struct bs_work_cost *before; /* by access, under the layouts as they stand */
    struct bs_work_cost *after;  /* and under the best */
    struct bs_access_stride *before_stride, *after_stride;
    bool issued;        /* all accesses can be issued as they stand */
    struct bs_rank now; /* of the layouts as they stand; bytes always, the rest if issued */
    uint64_t now_excess;
    uint64_t bare_bytes; /* of the arrays without any padding */
    uint64_t max_percent;
    bool limited;                /* by max_percent */
    struct bs_combination *best; /* best first */
    size_t count;
};

/* The layout that a combination has for an array, and its candidate. The spots are malloced. False
 * when memory is out. */
const struct bs_candidate *bs_advice_candidate(const struct bs_advice *advice,
                                               const struct bs_combination *combination,
                                               size_t number);

/* A combination in a few words: "tile: pitch 33, pad 1". */
void bs_advice_layout_text(const struct bs_advice *advice, const struct bs_combination *combination,
                           struct bs_buffer *out);

/* The strides of an access under a layout. */
struct bs_access_stride bs_access_stride_of(const struct bs_work *work,
                                            const struct bs_model *model, size_t access,
                                            const struct bs_layout *layout);

/* The table of what the formula says of accesses; false if none is strided. */
bool bs_advice_strides(const struct bs_advice *advice, bool with_after, struct bs_spool *out);

/* The reports. False when memory is out. */
bool bs_advice_text(const struct bs_advice *advice, struct bs_spool *out);
bool bs_advice_rows(const struct bs_advice *advice, enum bs_format format, struct bs_spool *out);

#endif
