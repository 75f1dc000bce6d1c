/*
 * Finding the rules of ops: ask the device a first round of patterns, keep the hypotheses that
 * explain the answers, and go on asking what tells the rest apart. All ops are asked about at once,
 * round by round, since a profiler takes its time to start.
 */
#ifndef BS_SEARCH_H
#define BS_SEARCH_H

#include "gauge.h"

enum { BS_MISSES_KEPT = 16 };

/* What came of the search for an op's rule. */
struct bs_finding {
    struct bs_op op;
    enum bs_instrument instrument; /* that found the rule */
    bool found;                    /* some rule explains the answers */
    struct bs_rule rule;           /* the plainest of those that do best, found or not */
    size_t asked;                  /* patterns */
    size_t misses;                 /* of them that the rule does not explain */
    size_t rivals;                 /* rules that do as well and say something else */
    size_t tried;                  /* fresh random patterns after the search */
    size_t predicted;              /* of them that the rule gives */
    size_t timed;                  /* the same by the clock, where a counter found the rule */
    size_t timed_right;
    struct { /* the first patterns that the rule misses, of all these */
        struct bs_pattern pattern;
        double read, expected;
    } missed[BS_MISSES_KEPT];
    size_t missed_count;
};

struct bs_search_plan {
    struct bs_gauge *gauge;
    const struct bs_model *geometry;
    size_t patterns; /* fresh ones that each rule has to predict */
    uint64_t seed;   /* starts the random numbers */
    /* Called before each round with what it is about, the rounds so far and those that there may
     * be; may be NULL. */
    void (*step)(void *user, const char *what, size_t done, size_t all);
    void *user;
};

/* Finds the rules of all ops of the findings, which say nothing else yet. */
bool bs_search_rules(const struct bs_search_plan *plan, struct bs_finding *findings, size_t count,
                     struct bs_error *error);

#endif
