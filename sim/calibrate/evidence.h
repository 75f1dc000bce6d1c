/* What a device was asked, and what it answered. */
#ifndef BS_EVIDENCE_H
#define BS_EVIDENCE_H

#include "gauge.h"

/* Start with {0} and an instrument; free it once. */
struct bs_evidence {
    enum bs_instrument instrument;
    struct bs_pattern *patterns;
    double *costs;
    size_t count;
    size_t measured;
    size_t pattern_room, cost_room;
};

/* Adds a pattern that is to be measured. False when memory is out. */
bool bs_evidence_add(struct bs_evidence *evidence, const struct bs_pattern *pattern);

/* Measures, of count evidences by one instrument, what each has had since it was measured last. */
bool bs_evidence_measure(struct bs_evidence *const *evidences, size_t count, struct bs_gauge *gauge,
                         struct bs_error *error);

/* How many answers a model does not give; counts no further than most + 1. */
size_t bs_evidence_misses(const struct bs_evidence *evidence, const struct bs_model *model,
                          size_t most);

void bs_evidence_free(struct bs_evidence *evidence);

#endif
