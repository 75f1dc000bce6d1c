/* The option -j of the verbs that work with several threads. */
#ifndef BS_THREADS_H
#define BS_THREADS_H

#include "crew.h"
#include "options.h"

struct bs_option bs_option_threads(const char **word, const char *help);

/* What the word says; not given, *threads stays as it is. Anything but BS_OK has been complained
 * about. */
enum bs_status bs_threads_of_word(const struct bs_verb *verb, const char *word, unsigned *threads);

#endif
