/* The options that choose records of a trace; every verb that reads whole traces has them. */
#ifndef BS_FILTERS_H
#define BS_FILTERS_H

#include "bankshot-traces.h"
#include "options.h"

/* The options as they were written. Start with {0}. */
struct bs_filter_words {
    const char *kernel, *cta, *warp, *pc, *op, *first, *shard;
};

/* Adds the options to a verb's table; returns how many. */
size_t bs_filter_option_table(struct bs_filter_words *words, struct bs_option *table);

/* Adds the options as they were written, each after two blanks. */
void bs_filter_words_text(const struct bs_filter_words *words, struct bs_buffer *out);

/* What the words say. False after complaining. */
bool bs_filter_of_words(const struct bs_verb *verb, const struct bs_filter_words *words,
                        struct bs_filter *filter);

#endif
