/* See pattern.h. */
#include "pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t value_at(const char *text, unsigned lane)
{
    static const char *const names[] = {"t"};
    const int64_t values[] = {lane};
    struct bs_error error = {0};
    int64_t result = 0;
    struct bs_expr *expr = bs_expr_parse(text, names, 1, &error);
    if (!expr || !bs_expr_eval(expr, values, &result, &error))
        fail_msg("%s, lane %u: %s", text, lane, error.text);
    bs_expr_free(expr);
    return (uint64_t)result;
}

int64_t price(const struct bs_model *model, const struct pattern *pattern, struct bs_cost *cost,
              struct bs_schedule *schedule)
{
    uint32_t addresses[BS_MAX_LANES] = {0};
    uint64_t sources[BS_MAX_LANES] = {0};
    const uint64_t warp = model->lanes == 64 ? UINT64_MAX : (UINT64_C(1) << model->lanes) - 1;
    struct bs_access access = {.mask = pattern->mask & warp, .addr = addresses};
    struct bs_error error = {0};
    *cost = (struct bs_cost){0};
    assert_true(bs_op_parse(pattern->op, strlen(pattern->op), &access.op));
    for (unsigned t = 0; t < model->lanes; t++) {
        if (!(access.mask >> t & 1))
            continue;
        addresses[t] = (uint32_t)value_at(pattern->addresses, t);
        sources[t] = pattern->sources ? value_at(pattern->sources, t) : 0;
    }
    access.src = pattern->sources ? sources : NULL;
    if (!bs_model_rule(model, access.op))
        return NO_RULE;
    if (!bs_access_check(model, &access, false, &error))
        fail_msg("%s %s: %s", pattern->op, pattern->addresses, error.text);
    assert_true(bs_count(model, &access, cost));
    if (schedule)
        assert_true(bs_schedule_build(schedule, model, &access));
    return cost->passes;
}

struct bs_model *model_with(const char *name_or_text, const char *set)
{
    const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model =
        strchr(name_or_text, '\n')
            ? bs_model_parse(name_or_text, strlen(name_or_text), "m", folders, sets, &errors)
            : bs_model_load(name_or_text, folders, sets, &errors);
    if (!model)
        fail_msg("%s %s: %s", name_or_text, set ? set : "", errors.list[0].text);
    bs_errors_free(&errors);
    return model;
}
