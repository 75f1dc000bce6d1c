/* What came of a sweep: its values, whether they can be ranked, and why some are missing. */
#include "sweep_result.h"

#include "phrases.h"

#include <stdlib.h>
#include <string.h>

const char *const bs_metric_names[BS_METRICS + 1] = {"passes",    "slots", "ideal", "excess",
                                                     "undefined", "nway",  NULL};

const char *const bs_metric_titles[BS_METRICS] = {"passes", "slots",           "ideal",
                                                  "excess", "undefined bytes", "n-way"};

/* ---- values ---------------------------------------------------------------------------------- */

double bs_metric_of(enum bs_metric metric, const struct bs_sums *sums)
{
    const double values[BS_METRICS] = {
        [BS_METRIC_PASSES] = (double)sums->passes,
        [BS_METRIC_SLOTS] = (double)sums->slots,
        [BS_METRIC_IDEAL] = (double)sums->ideal,
        [BS_METRIC_EXCESS] = (double)sums->excess,
        [BS_METRIC_UNDEFINED] = (double)sums->undefined,
        [BS_METRIC_NWAY] = sums->ideal ? (double)sums->passes / (double)sums->ideal : -1,
    };
    return values[metric];
}

uint32_t bs_result_groups(const struct bs_sweep_result *result)
{
    return result->names ? (uint32_t)result->names->count : 1;
}

double bs_result_value(const struct bs_sweep_result *result, size_t combination, uint32_t group)
{
    const struct bs_swept *cell = &result->cells[combination];
    return bs_swept_is_priced(cell, group)
               ? bs_metric_of(result->metric, &bs_swept_group(cell, group)->sums)
               : -1;
}

bool bs_result_range(const struct bs_sweep_result *result, uint32_t group, double *least,
                     double *largest)
{
    bool known = false;
    for (size_t i = 0; i < result->plan->count; i++) {
        const double value = bs_result_value(result, i, group);
        if (value < 0)
            continue;
        *least = known && *least < value ? *least : value;
        *largest = known && *largest > value ? *largest : value;
        known = true;
    }
    return known;
}

const char *bs_result_text(const struct bs_sweep_result *result, double value,
                           char out[BS_VALUE_TEXT])
{
    if (value < 0)
        snprintf(out, BS_VALUE_TEXT, "-");
    else
        snprintf(out, BS_VALUE_TEXT, "%.*f", result->metric == BS_METRIC_NWAY ? 2 : 0, value);
    return out;
}

/* ---- ranking --------------------------------------------------------------------------------- */

enum bs_unlike bs_result_unlike(const struct bs_sweep_result *result, uint32_t group)
{
    const bool by_ideal = result->metric == BS_METRIC_NWAY || result->metric == BS_METRIC_EXCESS;
    const struct bs_sums *first = NULL;
    enum bs_unlike unlike = BS_ALIKE;
    for (size_t i = 0; i < result->plan->count; i++) {
        if (!bs_swept_is_priced(&result->cells[i], group))
            continue;
        const struct bs_sums *sums = &bs_swept_group(&result->cells[i], group)->sums;
        first = first ? first : sums;
        if (sums->active != first->active)
            return BS_UNLIKE_WORK;
        if (by_ideal && sums->ideal != first->ideal)
            unlike = BS_UNLIKE_IDEAL;
    }
    return unlike;
}

/* ---- words ----------------------------------------------------------------------------------- */

char *bs_result_models(const struct bs_sweep_result *result)
{
    const struct bs_bases *bases = result->bases;
    struct bs_buffer text = {0};
    if (bases->count == 1) {
        const struct bs_base *base = &bases->list[0];
        bs_buffer_printf(&text, "%s%s%s", base->name, base->title[0] ? ": " : "", base->title);
    }
    if (bs_bases_are_changed_alike(bases) && bases->list[0].changes[0])
        bs_buffer_printf(&text, "%schanged: %s", text.size ? "; " : "", bases->list[0].changes);
    for (size_t i = 0; !bs_bases_are_changed_alike(bases) && i < bases->count; i++)
        if (bases->list[i].changes[0])
            bs_buffer_printf(&text, "%s%s changed: %s", text.size ? "; " : "", bases->list[i].given,
                             bases->list[i].changes);
    return bs_buffer_take(&text);
}

static void lacking_text(const struct bs_swept *cell, const struct bs_swept_group *group,
                         char out[BS_REASON])
{
    struct bs_buffer text = {0};
    char name[BS_OP_NAME];
    for (unsigned op = 0; op < BS_OPS; op++)
        if (bs_op_set_has(&group->lacking, op))
            bs_buffer_printf(&text, "%s%s", text.size ? ", " : "no rule for ",
                             bs_op_name(bs_op_at(op), name));
    if (group->lacks_lanes)
        bs_buffer_printf(&text, "%slanes beyond the %u of a warp", text.size ? "; " : "",
                         cell->model->lanes);
    char *whole = bs_buffer_take(&text);
    snprintf(out, BS_REASON, "%s", whole ? whole : "out of memory");
    free(whole);
}

/* The override that an error is about need not be said: it stands in the row. */
const char *bs_swept_reason(const struct bs_swept *cell, uint32_t group, char out[BS_REASON])
{
    static const char set[] = "--";
    if (!cell->failed)
        lacking_text(cell, bs_swept_group(cell, group), out);
    else if (strncmp(cell->error.file, set, strlen(set)) == 0)
        snprintf(out, BS_REASON, "%s", cell->error.text);
    else
        bs_error_line(&cell->error, out, BS_REASON);
    return out;
}

/* Whether an earlier combination has the same reason. */
static bool reason_is_known(const struct bs_sweep_result *result, size_t combination,
                            const char *reason)
{
    char other[BS_REASON];
    for (size_t i = 0; i < combination; i++)
        if (!bs_swept_is_priced(&result->cells[i], 0) &&
            strcmp(bs_swept_reason(&result->cells[i], 0, other), reason) == 0)
            return true;
    return false;
}

char *bs_result_notes(const struct bs_sweep_result *result)
{
    enum { SHOWN = 3 };
    struct bs_buffer text = {0};
    char reason[BS_REASON];
    uint32_t notes = 0;
    size_t reasons = 0;
    bs_buffer_text(&text, "");
    for (size_t i = 0; i < result->plan->count; i++) {
        const struct bs_swept *cell = &result->cells[i];
        if (bs_swept_is_priced(cell, 0))
            notes |= bs_swept_group(cell, 0)->notes;
        else if (!reason_is_known(result, i, bs_swept_reason(cell, 0, reason)) &&
                 ++reasons <= SHOWN)
            bs_buffer_printf(&text, "%s\u2013 %s", text.size ? "; " : "", reason);
    }
    if (reasons > SHOWN)
        bs_buffer_printf(&text, "; and %zu reasons more", reasons - SHOWN);
    for (size_t i = 0; i < BS_NOTES; i++)
        if (notes & bs_notes[i].bit)
            bs_buffer_printf(&text, "%s%s", text.size ? " " : "", bs_notes[i].text);
    return bs_buffer_take(&text);
}
