/* See evidence.h. */
#include "evidence.h"

#include "core/buffer.h"
#include "hypotheses.h"

#include <stdlib.h>

bool bs_evidence_add(struct bs_evidence *evidence, const struct bs_pattern *pattern)
{
    struct bs_pattern *patterns =
        bs_grow(evidence->patterns, &evidence->pattern_room, evidence->count + 1, sizeof *patterns);
    if (!patterns)
        return false;
    evidence->patterns = patterns;
    double *costs =
        bs_grow(evidence->costs, &evidence->cost_room, evidence->count + 1, sizeof *costs);
    if (!costs)
        return false;
    evidence->costs = costs;
    patterns[evidence->count] = *pattern;
    costs[evidence->count++] = 0;
    return true;
}

/* All that has not been measured, in one list. NULL when memory is out. */
static struct bs_pattern *gather(struct bs_evidence *const *evidences, size_t count, size_t *all)
{
    *all = 0;
    for (size_t i = 0; i < count; i++)
        *all += evidences[i]->count - evidences[i]->measured;
    struct bs_pattern *patterns = malloc((*all + 1) * sizeof *patterns);
    size_t at = 0;
    for (size_t i = 0; patterns && i < count; i++)
        for (size_t k = evidences[i]->measured; k < evidences[i]->count; k++)
            patterns[at++] = evidences[i]->patterns[k];
    return patterns;
}

bool bs_evidence_measure(struct bs_evidence *const *evidences, size_t count, struct bs_gauge *gauge,
                         struct bs_error *error)
{
    size_t all;
    struct bs_pattern *patterns = gather(evidences, count, &all);
    double *costs = malloc((all + 1) * sizeof *costs);
    bool good = patterns && costs;
    if (!good)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    else if (all > 0)
        good = gauge->measure(gauge, evidences[0]->instrument, patterns, all, costs, error);
    size_t at = 0;
    for (size_t i = 0; good && i < count; i++) {
        struct bs_evidence *evidence = evidences[i];
        while (evidence->measured < evidence->count)
            evidence->costs[evidence->measured++] = costs[at++];
    }
    free(patterns);
    free(costs);
    return good;
}

size_t bs_evidence_misses(const struct bs_evidence *evidence, const struct bs_model *model,
                          size_t most)
{
    const enum bs_instrument instrument = evidence->instrument;
    size_t misses = 0;
    for (size_t i = 0; i < evidence->measured && misses <= most; i++)
        misses += !bs_agrees(instrument, evidence->costs[i],
                             bs_expected(model, instrument, &evidence->patterns[i]));
    return misses;
}

void bs_evidence_free(struct bs_evidence *evidence)
{
    free(evidence->patterns);
    free(evidence->costs);
}
