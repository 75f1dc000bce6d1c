/* The options that choose records of a trace; every verb that reads whole traces has them. */
#ifndef BS_FILTERS_H
#define BS_FILTERS_H

#include "bankshot-traces.h"
#include "core/model_near.h"
#include "options.h"

/* The options as they were written. Start with {0}. */
struct bs_filter_words {
    const char *kernel, *cta, *warp, *pc, *op, *first, *shard;
};

/* Adds the options to a verb's table; returns how many. */
size_t bs_filter_option_table(struct bs_filter_words *words, struct bs_option *table);

/* Adds the options as they were written, each after the gap. */
void bs_filter_words_text(const struct bs_filter_words *words, const char *gap,
                          struct bs_buffer *out);

/* What the words say. False after complaining. */
bool bs_filter_of_words(const struct bs_verb *verb, const struct bs_filter_words *words,
                        struct bs_filter *filter);

/* What a filter met in traces, to say so where no record fits. Start with {0}. */
enum { BS_KERNELS_MET = 3 };
struct bs_filter_met {
    bool kernels, kernel_fits;      /* there was a kernel, and one that fits */
    struct bs_near near;            /* the nearest name to a pattern that none fits */
    char some[BS_KERNELS_MET][128]; /* the first names, as people type them */
    bool more;                      /* there are others */
};
void bs_filter_meet(struct bs_filter_met *met, const struct bs_filter *filter,
                    const struct bs_kernel *kernel);

/* Warns if no record was taken, as the filter is to blame: what it asks for, and what there is. A
 * shard may well be empty; that no kernel fits is said by each. */
void bs_filter_warn(const struct bs_filter_met *met, const struct bs_filter *filter,
                    const struct bs_filter_words *words, uint64_t taken);

#endif
