/* How the verbs open traces: with values for the parameters of sketches, and with all the errors of
 * one. */
#ifndef BS_READING_H
#define BS_READING_H

#include "addresses.h"
#include "bankshot-traces.h"
#include "options.h"

/* What --let bound, as the readers take it. */
struct bs_let_list {
    struct bs_lets lets;
    struct bs_let list[BS_MAX_LETS];
};

/* The option --let of verbs that read traces. */
struct bs_option bs_option_let(struct bs_words *words);

/* Binds the words and gives them to options, which point into bound from then on. */
bool bs_reading_bind(struct bs_let_list *bound, const struct bs_words *words,
                     struct bs_trace_options *options, struct bs_error *error);

/* Opens a trace. NULL after complaining, with *status. */
struct bs_trace *bs_reading_open(const char *path, const struct bs_trace_options *options,
                                 enum bs_status *status);

#endif
