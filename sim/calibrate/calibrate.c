/* See calibrate.h. */
#include "calibrate.h"

#include "core/buffer.h"
#include "core/glob.h"
#include "core/model_keys.h"
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct bs_calibration *c, struct bs_op op)
{
    char name[BS_OP_NAME];
    return op.kind != BS_BAR && c->gauge->offers(c->gauge, op) &&
           (!c->ops || bs_glob_matches(c->ops, strlen(c->ops), bs_op_name(op, name)));
}

static bool find_rules(struct bs_calibration *c, struct bs_error *error)
{
    const struct bs_search_plan plan = {.gauge = c->gauge,
                                        .geometry = &c->model,
                                        .patterns = c->patterns,
                                        .seed = c->seed,
                                        .step = c->step,
                                        .user = c->user};
    for (unsigned i = 0; i < BS_OPS; i++)
        if (is_wanted(c, bs_op_at(i)))
            c->findings[c->finding_count++].op = bs_op_at(i);
    if (c->finding_count == 0)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "the device has no op that '%s' stands for",
                       c->ops ? c->ops : "*");
    return bs_search_rules(&plan, c->findings, c->finding_count, error);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The phases of a rule as far as the op has lanes in them. Returns how many there are. */
static uint32_t phases_of(const struct bs_rule *rule, struct bs_op op,
                          uint64_t phases[BS_MAX_PHASES])
{
    const uint64_t used = bs_op_lanes(op, BS_GAUGE_LANES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->phases; i++)
        if (rule->phase[i] & used)
            phases[count++] = rule->phase[i] & used;
    return count;
}

static bool same_phases(const struct bs_rule *a, const struct bs_rule *b, struct bs_op op)
{
    uint64_t phases[BS_MAX_PHASES], others[BS_MAX_PHASES];
    const uint32_t count = phases_of(a, op, phases);
    if (phases_of(b, op, others) != count || memcmp(phases, others, count * sizeof *phases) != 0)
        return false;
    return count == 1 || (a->combine == b->combine && a->merges == b->merges &&
                          memcmp(a->merge, b->merge, a->merges * sizeof *a->merge) == 0);
}

/* Whether two rules say the same of what an op costs. */
static bool same_rule(const struct bs_rule *a, const struct bs_rule *b, struct bs_op op)
{
    if (a->method != b->method || a->slots != b->slots)
        return false;
    if (a->method == BS_BY_SECTORS)
        return a->source_line == b->source_line && a->sector_bytes == b->sector_bytes;
    if (a->method == BS_BY_QUEUES)
        return same_phases(a, b, op) && a->multiplier == b->multiplier &&
               a->extra_passes == b->extra_passes && a->banks == b->banks;
    return same_phases(a, b, op) && a->same_word == b->same_word &&
           (a->same_word != BS_BROADCAST || a->broadcast_word == b->broadcast_word) &&
           a->multiplier == b->multiplier && a->extra_passes == b->extra_passes &&
           a->ports == b->ports && a->banks == b->banks && a->source_line == b->source_line &&
           a->request_bytes == b->request_bytes;
}

static const char *instrument_name(enum bs_instrument instrument)
{
    return instrument == BS_BY_COUNTER ? "hardware counter" : "clock cycles";
}

/* Gives an op its rule, which it may share with earlier ones. */
static void add_rule(struct bs_calibration *c, const struct bs_finding *finding)
{
    struct bs_model *model = &c->model;
    struct bs_rule rule = finding->rule;
    rule.basis = c->gauge->basis;
    /* Nothing but the counter sees such a copy, so its slots are not known to be more. */
    if (rule.method == BS_BY_SECTORS)
        rule.slots = 1;
    snprintf(rule.source, sizeof rule.source, "%s of %.100s", instrument_name(finding->instrument),
             c->gauge->name);
    uint32_t at = 0;
    while (at < model->rule_count && !same_rule(&c->rules[at], &rule, finding->op))
        at++;
    if (at == model->rule_count)
        c->rules[model->rule_count++] = rule;
    model->rule_of[finding->op.index] = (uint8_t)at;
}

static bool uses_all_lanes(struct bs_op op)
{
    return bs_op_lanes(op, BS_GAUGE_LANES) == UINT32_MAX;
}

static void make_model(struct bs_calibration *c)
{
    struct bs_model *model = &c->model;
    model->rules = c->rules;
    model->rule_count = 0;
    memset(model->rule_of, BS_NO_RULE, sizeof model->rule_of);
    /* An op that leaves lanes out says little of the phases, so it comes last and shares a rule. */
    for (unsigned rest = 0; rest < 2; rest++)
        for (size_t i = 0; i < c->finding_count; i++)
            if (c->findings[i].found && uses_all_lanes(c->findings[i].op) == !rest)
                add_rule(c, &c->findings[i]);
}

static void name_model(struct bs_calibration *c)
{
    const struct bs_gauge *gauge = c->gauge;
    struct bs_model *model = &c->model;
    *model = (struct bs_model){.ports = 1, .seed = 1, .capacity = gauge->capacity};
    snprintf(model->name, sizeof model->name, "%s", c->name);
    snprintf(model->title, sizeof model->title, "%s, calibrated", gauge->name);
    snprintf(model->source, sizeof model->source, "bankshot-calibrate " BS_VERSION " on %s",
             gauge->name);
    if (gauge->major > 0)
        snprintf(model->compute_capability, sizeof model->compute_capability, "%u.%u", gauge->major,
                 gauge->minor);
}

/* ---- timing ---------------------------------------------------------------------------------- */

/* The loops need these. */
static bool can_be_timed(const struct bs_calibration *c)
{
    static const char *const needed[] = {"ld.b32", "ld.b64",  "ld.b128",     "st.b32",
                                         "st.b64", "st.b128", "atom.add.b32"};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        struct bs_op op;
        if (!bs_op_parse(needed[i], strlen(needed[i]), &op) || !bs_model_rule(&c->model, op))
            return false;
    }
    return c->gauge->has[BS_BY_CLOCK] && c->gauge->time;
}

/* The defaults of the model language, for what is not measured. */
static void set_standard_timing(struct bs_model *model)
{
    for (unsigned key = BS_KEY_TIMING_BASIS; key < BS_KEY_CAPACITY_BASIS; key++) {
        const struct bs_key_form *form = bs_key_form((enum bs_key)key);
        if (form->kind == BS_FORM_NUMBER || form->kind == BS_FORM_CHOICE)
            memcpy((char *)model + form->offset, &form->standard, sizeof form->standard);
    }
}

static bool find_timing(struct bs_calibration *c, struct bs_error *error)
{
    struct bs_timing *timing = &c->model.timing;
    set_standard_timing(&c->model);
    c->timed = can_be_timed(c);
    if (!c->timed)
        return true;
    if (c->step)
        c->step(c->user, "timing", 0, 1);
    if (!bs_find_timing(c->gauge, &c->model, c->seed, timing, &c->timing, error))
        return false;
    timing->basis = c->gauge->basis;
    snprintf(timing->source, sizeof timing->source, "clock cycles of %.100s", c->gauge->name);
    return true;
}

bool bs_calibrate(struct bs_calibration *c, struct bs_error *error)
{
    name_model(c);
    if (c->step)
        c->step(c->user, "banks", 0, 1);
    if (!bs_find_geometry(c->gauge, c->seed, &c->model, &c->geometry, error))
        return false;
    if (!c->geometry.found)
        return bs_fail(error, BS_UNMET, NULL, 0, 0,
                       "no banks that a model can describe: the best guess, %u banks of %u bytes, "
                       "leaves %zu of %zu pairs of addresses unexplained",
                       c->model.banks, c->model.bank_width, c->geometry.misses, c->geometry.asked);
    if (!find_rules(c, error))
        return false;
    make_model(c);
    return find_timing(c, error);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void describe(struct bs_buffer *out, const struct bs_finding *finding)
{
    char name[BS_OP_NAME];
    bs_op_name(finding->op, name);
    if (!finding->found) {
        bs_buffer_printf(out, "#   %-18s no rule explains it: the best misses %zu of %zu\n", name,
                         finding->misses, finding->asked);
        return;
    }
    bs_buffer_printf(out, "#   %-18s %zu of %zu", name, finding->predicted, finding->tried);
    if (finding->timed > 0)
        bs_buffer_printf(out, ", and %zu of %zu times", finding->timed_right, finding->timed);
    if (finding->rivals > 0)
        bs_buffer_printf(out, "; other rules would do");
    bs_buffer_text(out, "\n");
}

/* The engine's error, and the numbers that could be others. */
static void describe_timing(struct bs_buffer *out, const struct bs_calibration *c)
{
    bs_buffer_printf(out,
                     "#\n"
                     "# Of %zu random loops the engine misses the cycles by %.1f %% on average\n"
                     "# and by %.1f %% at most.\n",
                     c->timing.tried, c->timing.mean_error, c->timing.worst_error);
    for (enum bs_key key = BS_KEY_SCHEDULERS; key < BS_KEY_CAPACITY_BASIS; key++) {
        if (bs_timing_is_seen(&c->timing, key))
            continue;
        bs_buffer_printf(out, "#   %-18s ", bs_key_leaf(key));
        bs_timing_describe(&c->timing, key, out);
        bs_buffer_text(out, "\n");
    }
}

char *bs_calibration_yaml(const struct bs_calibration *c)
{
    struct bs_buffer out = {0};
    char *model = bs_model_yaml(&c->model);
    bs_buffer_printf(
        &out,
        "# Made by bankshot-calibrate %s on %s.\n"
        "#\n"
        "# Each rule was found by asking what tells the possible rules apart, and had\n"
        "# to predict fresh random patterns then:\n",
        BS_VERSION, c->gauge->name);
    for (size_t i = 0; i < c->finding_count; i++)
        describe(&out, &c->findings[i]);
    if (c->timed)
        describe_timing(&out, c);
    bs_buffer_text(&out, "\n");
    bs_buffer_text(&out, model ? model : "");
    free(model);
    if (model && !out.failed)
        return bs_buffer_take(&out);
    bs_buffer_free(&out);
    return NULL;
}

void bs_calibration_loops(const struct bs_calibration *c, struct bs_buffer *out)
{
    bs_buffer_text(out, "kind\tbody\twarps\trotate\titerations\tslots\tcycles\tengine\n");
    for (size_t i = 0; i < c->timing.loop_count; i++) {
        const struct bs_timed_loop *timed = &c->timing.loops[i];
        bs_loop_describe(&c->model, &timed->loop, out);
        bs_buffer_printf(out, "\t%.4f\t%.4f\n", timed->cycles, c->timing.predicted[i]);
    }
}

/* ---- comparing ------------------------------------------------------------------------------- */

void bs_calibration_compare(const struct bs_calibration *c, const struct bs_model *model,
                            struct bs_comparison *comparison)
{
    *comparison = (struct bs_comparison){
        .geometry_differs = c->model.lanes != model->lanes || c->model.banks != model->banks ||
                            c->model.bank_width != model->bank_width ||
                            c->model.row_bytes != model->row_bytes ||
                            c->model.mapping.hash != model->mapping.hash};
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct bs_op op = c->findings[i].op;
        const struct bs_rule *mine = bs_model_rule(&c->model, op);
        const struct bs_rule *known = bs_model_rule(model, op);
        if (!known)
            continue;
        struct bs_rule theirs = *known;
        if (theirs.banks == model->banks) /* all, however many */
            theirs.banks = c->model.banks;
        comparison->compared++;
        if (!mine || !same_rule(mine, &theirs, op))
            comparison->differing[comparison->differing_count++] = op;
    }
}
