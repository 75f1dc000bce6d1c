/*
 * Which records of a trace are wanted: the one place that decides it, for single records, for whole
 * stretches of a trace, and for launches.
 */
#ifndef BS_FILTER_H
#define BS_FILTER_H

#include "bankshot-traces.h"

/* Records of one launch that follow one another, as far as they are known without reading them. */
struct bs_filter_span {
    const struct bs_kernel *kernel;
    uint64_t first; /* number of the first one in its trace */
    uint64_t records;
    struct bs_range cta; /* the CTAs lie in it */
};

/* Whether the filter can tell that a span has no record that is wanted. */
bool bs_filter_can_skip(const struct bs_filter *filter);

/* Whether a record's place among all records matters. */
bool bs_filter_counts(const struct bs_filter *filter);

/* False if no record of the span is wanted. */
bool bs_filter_may_take(const struct bs_filter *filter, const struct bs_filter_span *span);

/* Whether an instruction can have records that are wanted, whatever CTAs and warps they are of; a
 * filter that is NULL takes everything. */
bool bs_filter_takes_instruction(const struct bs_filter *filter, uint64_t pc, struct bs_op op);

/* Whether a record of a kernel that is wanted is wanted itself. */
bool bs_filter_takes_access(const struct bs_filter *filter, const struct bs_record *record);

#endif
