/*
 * The rules that an op may turn out to have: all that the model language can say, within bounds,
 * numbered. Number 0 is the plainest.
 */
#ifndef BS_HYPOTHESES_H
#define BS_HYPOTHESES_H

#include "gauge.h"

/* What the hypotheses about one op vary. */
struct bs_space {
    struct bs_op op;
    uint64_t phases[BS_MAX_PHASES]; /* a way to divide the lanes that was seen; no entry: none */
    uint32_t phase_count;
};

/* The number of hypotheses. */
uint32_t bs_space_size(const struct bs_space *space);

/* The rule of a number. False if it says nothing that a lower number does not say: of an op with a
 * single phase, say, how phases merge. */
bool bs_space_rule(const struct bs_space *space, const struct bs_model *geometry, uint32_t number,
                   struct bs_rule *rule);

/* In how many points a hypothesis is out of the ordinary. */
uint32_t bs_space_oddity(const struct bs_space *space, uint32_t number);

/* A model with one rule for all ops: rule and geometry stay the caller's. */
struct bs_model bs_model_of_rule(const struct bs_model *geometry, const struct bs_rule *rule);

/* What the model says that the instrument shows. */
double bs_expected(const struct bs_model *model, enum bs_instrument instrument,
                   const struct bs_pattern *pattern);

/* Whether a reading agrees: exactly by the counter; by the clock to within 5 % and 0.4 cycles. */
bool bs_agrees(enum bs_instrument instrument, double read, double expected);

#endif
