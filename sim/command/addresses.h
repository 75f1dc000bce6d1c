/*
 * Addresses on the command line: a list of runs, or an expression in t, the lane, over names bound
 * with --let.
 */
#ifndef BS_ADDRESSES_H
#define BS_ADDRESSES_H

#include "bankshot.h"

enum { BS_MAX_LETS = 64, BS_LET_NAME = 32 };

/* The names of expressions: t comes first, then those that were bound. */
struct bs_lets {
    const char *names[BS_MAX_LETS + 1];
    int64_t values[BS_MAX_LETS + 1];
    size_t count;                            /* t included */
    char text[BS_MAX_LETS + 1][BS_LET_NAME]; /* the names' bytes */
    uint64_t uses[BS_MAX_LETS + 1];          /* bit i: the value was made with the name i + 1 */
};

/* Binds names in order; each definition, "n=v", may use those before it. definitions ends with
 * NULL, or is NULL. */
bool bs_lets_bind(struct bs_lets *lets, const char *const *definitions, struct bs_error *error);

/* Whether text is a list: well-formed runs, other than a lone number, which is an expression.
 * *count is then the number of their addresses: 0 where a run has none, which is an error. */
bool bs_addresses_are_list(const char *text, uint64_t *count);

/* Whether each name that was bound is used: by the addresses, by the sources (which may be NULL),
 * or in the value of a name that is. */
bool bs_lets_check_used(const struct bs_lets *lets, const char *addresses, const char *sources,
                        struct bs_error *error);

/* The address of each lane of mask, at most max each. A list must have one for each. what names the
 * argument in errors. */
bool bs_addresses_parse(const char *what, const char *text, const struct bs_lets *lets,
                        uint64_t mask, uint64_t max, uint64_t by_lane[BS_MAX_LANES],
                        struct bs_error *error);

#endif
