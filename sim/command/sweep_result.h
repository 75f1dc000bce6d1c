/* What came of a sweep, and writing it: as a table with a heat map, as CSV, as JSON, as a chart. */
#ifndef BS_SWEEP_RESULT_H
#define BS_SWEEP_RESULT_H

#include "screen.h"
#include "sweep_plan.h"
#include "table.h"

enum bs_metric {
    BS_METRIC_PASSES,
    BS_METRIC_SLOTS,
    BS_METRIC_IDEAL,
    BS_METRIC_EXCESS,
    BS_METRIC_UNDEFINED,
    BS_METRIC_NWAY,
    BS_METRICS,
};
extern const char *const bs_metric_names[BS_METRICS + 1]; /* for programs; ends with NULL */
extern const char *const bs_metric_titles[BS_METRICS];    /* for eyes */

struct bs_sweep_result {
    const struct bs_plan *plan;
    struct bs_swept *cells;       /* by combination */
    const struct bs_bases *bases; /* the models before anything is varied */
    const char *subject;          /* the traces, or the op and its addresses */
    bool is_eval;                 /* it is one instruction */
    enum bs_metric metric;        /* what is looked at */
    const struct bs_names *names; /* of the groups, which are kernels; NULL: there is one group */
};

double bs_metric_of(enum bs_metric metric, const struct bs_sums *sums);

uint32_t bs_result_groups(const struct bs_sweep_result *result);

/* The metric of a group; negative where it is not known. */
double bs_result_value(const struct bs_sweep_result *result, size_t combination, uint32_t group);

/* Why the combinations of a group cannot be ranked by the metric; BS_ALIKE: they can. */
enum bs_unlike {
    BS_ALIKE,
    BS_UNLIKE_WORK,  /* their warps have different numbers of active lanes */
    BS_UNLIKE_IDEAL, /* the metric is measured against the ideal, which differs */
};
enum bs_unlike bs_result_unlike(const struct bs_sweep_result *result, uint32_t group);

/* The models and what is changed of them, in one line for a picture. The caller frees it; NULL when
 * memory is out. */
char *bs_result_models(const struct bs_sweep_result *result);

/* Why combinations of the first group have no price, and the notes on the others, for a picture.
 * The caller frees it; NULL when memory is out. */
char *bs_result_notes(const struct bs_sweep_result *result);

/* Why a group could not be priced, written to and returned as out. */
enum { BS_REASON = 1024 };
const char *bs_swept_reason(const struct bs_swept *cell, uint32_t group, char out[BS_REASON]);

/* The least and largest of a group's known values. False if none is known. */
bool bs_result_range(const struct bs_sweep_result *result, uint32_t group, double *least,
                     double *largest);

/* The value as it is shown: whole, or with two decimals for n-way. */
enum { BS_VALUE_TEXT = 32 };
const char *bs_result_text(const struct bs_sweep_result *result, double value,
                           char out[BS_VALUE_TEXT]);

/* Writes everything in a format. False when memory is out. */
bool bs_result_write(const struct bs_sweep_result *result, enum bs_format format,
                     struct bs_spool *out);

/* The heat map of a plan with two axes. */
void bs_heat_map(const struct bs_sweep_result *result, const struct bs_screen *screen,
                 struct bs_spool *out);

#endif
