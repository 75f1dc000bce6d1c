/* The options of the verbs: each verb declares its own once, in a table that parses them and makes
 * the help. */
#ifndef BS_OPTIONS_H
#define BS_OPTIONS_H

#include "command.h"
#include "spool.h"

/* A list of option values in the order given, ending with NULL; freed by bs_words_free. */
struct bs_words {
    const char **list;
    size_t count;
    size_t room;
};
/* False when memory is out. */
bool bs_words_add(struct bs_words *words, const char *word);
void bs_words_free(struct bs_words *words);

enum bs_option_kind {
    BS_OPTION_FLAG,   /* target: bool */
    BS_OPTION_TEXT,   /* target: const char *, NULL when not given */
    BS_OPTION_WORDS,  /* target: struct bs_words */
    BS_OPTION_CHOICE, /* target: unsigned, the index in choices */
    BS_OPTION_NUMBER, /* target: uint64_t */
};

struct bs_option {
    const char *name;
    char letter;       /* its short form, or 0 */
    const char *value; /* what the value is called in the help; NULL for a flag */
    const char *help;
    enum bs_option_kind kind;
    void *target;
    const char *const *choices; /* of BS_OPTION_CHOICE, ending with NULL */
};

enum { BS_MAX_OPTIONS = 32 };

/* Parses a verb's arguments; *operand becomes the index of the first operand in argv, which is
 * reordered so that the operands come last. --help is understood without being in the table: the
 * help is then printed. Returns true if the verb should go on; else *status is what it ends with,
 * and the reason is written. */
bool bs_options_parse(const struct bs_verb *verb, const struct bs_option *options, size_t count,
                      int argc, char **argv, int *operand, enum bs_status *status);

/* What to say was expected where a word is no number that fits: its limit, if it is a number. */
const char *bs_expected_number(const char *word, const char *expected);

/* Complains about how the verb was called and says where help is. Returns BS_USAGE. */
enum bs_status bs_usage_error(const struct bs_verb *verb, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The option --format of verbs whose results are no table. */
enum bs_tree_format { BS_TREE_TEXT, BS_TREE_JSON };
struct bs_option bs_option_tree_format(unsigned *format);

/* ... and of those whose results are one: an enum bs_format. */
struct bs_option bs_option_table_format(unsigned *format);

#endif
