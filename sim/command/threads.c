/* The option -j. */
#include "threads.h"

#include <string.h>

struct bs_option bs_option_threads(const char **word, const char *help)
{
    return (struct bs_option){
        .name = "threads",
        .letter = 'j',
        .value = "N",
        .help = help,
        .kind = BS_OPTION_TEXT,
        .target = word,
    };
}

enum bs_status bs_threads_of_word(const struct bs_verb *verb, const char *word, unsigned *threads)
{
    char shown[64];
    uint64_t number;
    if (!word)
        return BS_OK;
    const size_t size = strlen(word);
    if (!bs_number_parse(word, size, BS_MAX_THREADS, &number) || number == 0)
        return bs_usage_error(verb, "--threads: expected a number from 1 to %d, found '%s'",
                              BS_MAX_THREADS, bs_printable(word, size, shown, sizeof shown));
    *threads = (unsigned)number;
    return BS_OK;
}
