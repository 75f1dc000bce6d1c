/* Pricing one access that is written as an op, an expression in t, and a mask. */
#ifndef PATTERN_H
#define PATTERN_H

#include "bankshot.h"

struct pattern {
    const char *op;
    const char *addresses; /* an expression in t, the lane */
    uint64_t mask;
    const char *sources; /* of an async copy, likewise; or NULL */
};

enum { NO_RULE = -1 };

/* Fills in the cost, and for a caller that passes one the schedule, which it frees. Returns the
 * passes, or NO_RULE. Fails the test when the pattern is not an access. */
int64_t price(const struct bs_model *model, const struct pattern *pattern, struct bs_cost *cost,
              struct bs_schedule *schedule);

/* The model of that name, or of that text if it has a line break, with an override or NULL. Fails
 * the test if there is none. */
struct bs_model *model_with(const char *name_or_text, const char *set);

#endif
