/*
 * From items, which set keys for whatever ops their patterns name, to one rule per op: who sets
 * which key of which op, whether the outcome makes sense, and the table of distinct rules.
 */
#include "count.h"
#include "glob.h"
#include "model_draft.h"
#include "model_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SELECTORS = 4096, CLOSEST = 3, NOBODY = -1 };

/* ---- selectors ------------------------------------------------------------------------------- */

static bool selects(const struct bs_selector *selector, unsigned op)
{
    return selector->ops[op / 8] >> op % 8 & 1;
}

static void select_op(struct bs_selector *selector, unsigned op)
{
    selector->ops[op / 8] = (uint8_t)(selector->ops[op / 8] | 1u << op % 8);
}

/* Selects the ops that the pattern matches; a barrier never has a rule. Returns their number. */
static unsigned select_glob(struct bs_selector *selector, const char *word, size_t size)
{
    unsigned found = 0;
    for (unsigned i = 0; i < BS_OPS; i++) {
        char name[BS_OP_NAME];
        const struct bs_op op = bs_op_at(i);
        if (op.kind != BS_BAR && bs_glob_matches(word, size, bs_op_name(op, name))) {
            select_op(selector, i);
            found++;
        }
    }
    return found;
}

static void fail_unknown_op(const struct bs_selector *selector, const char *word, size_t size)
{
    char name[BS_OP_NAME];
    char closest[CLOSEST][BS_OP_NAME];
    unsigned distance[CLOSEST] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (unsigned i = 0; i < BS_OPS; i++) {
        unsigned away = bs_near_distance(word, size, bs_op_name(bs_op_at(i), name));
        for (unsigned at = 0; at < CLOSEST; at++) {
            if (away >= distance[at])
                continue;
            char moved[BS_OP_NAME];
            const unsigned moved_away = distance[at];
            memcpy(moved, closest[at], sizeof moved);
            memcpy(closest[at], name, sizeof name);
            memcpy(name, moved, sizeof name);
            distance[at] = away;
            away = moved_away;
        }
    }
    bs_where_fail(selector->where, BS_USAGE, "%s '%s'; the closest are %s, %s and %s%s",
                  selector->is_glob ? "no op matches" : "there is no op", selector->text,
                  closest[0], closest[1], closest[2],
                  memchr(word, ',', size) ? "; blanks stand between ops, not commas" : "");
}

static void fill_selector(struct bs_selector *selector, const char *word, size_t size)
{
    struct bs_op op;
    selector->is_glob = memchr(word, '*', size) || memchr(word, '?', size);
    bs_printable(word, size, selector->text, sizeof selector->text);
    if (selector->is_glob) {
        if (select_glob(selector, word, size) == 0)
            fail_unknown_op(selector, word, size);
    } else if (!bs_op_parse(word, size, &op)) {
        fail_unknown_op(selector, word, size);
    } else if (op.kind == BS_BAR) {
        bs_where_fail(selector->where, BS_USAGE, "bar has no rule: a barrier costs nothing");
    } else {
        select_op(selector, op.index);
    }
}

void bs_item_select(struct bs_draft *draft, struct bs_item *item, struct bs_where where,
                    const char *word, size_t size)
{
    if (draft->selectors == MAX_SELECTORS) {
        bs_where_fail(where, BS_USAGE, "more than %d names of ops", MAX_SELECTORS);
        draft->selectors++;
    }
    if (draft->selectors > MAX_SELECTORS)
        return;
    struct bs_selector *selectors =
        bs_grow(item->selectors, &item->selector_room, item->selector_count + 1, sizeof *selectors);
    if (!selectors) {
        draft->out_of_memory = true;
        return;
    }
    draft->selectors++;
    item->selectors = selectors;
    selectors += item->selector_count++;
    *selectors = (struct bs_selector){.where = where};
    fill_selector(selectors, word, size);
}

const char *bs_item_subject(const struct bs_item *item)
{
    return item->selector_count ? item->selectors[0].text : "unnamed ops";
}

/* ---- who sets what --------------------------------------------------------------------------- */

/* For each op and key, the last item that sets it, or NOBODY. */
struct setters {
    int of[BS_OPS][BS_KEYS];
};

static void apply_item(struct setters *setters, const struct bs_item *item, int number)
{
    for (size_t s = 0; s < item->selector_count; s++)
        for (unsigned op = 0; op < BS_OPS; op++)
            for (unsigned key = BS_KEY_RULE_OPS + 1; key < BS_KEYS; key++)
                if (selects(&item->selectors[s], op) && item->settings.given >> key & 1)
                    setters->of[op][key] = number;
}

static void find_setters(struct setters *setters, const struct bs_draft *draft)
{
    for (unsigned op = 0; op < BS_OPS; op++)
        for (unsigned key = 0; key < BS_KEYS; key++)
            setters->of[op][key] = NOBODY;
    for (size_t i = 0; i < draft->item_count; i++)
        apply_item(setters, &draft->items[i], (int)i);
}

static struct bs_item *setter(const struct bs_draft *draft, const struct setters *setters,
                              unsigned op, enum bs_key key)
{
    const int number = setters->of[op][key];
    return number == NOBODY ? NULL : &draft->items[number];
}

/* The key that makes the phases of an op: of phases and phase_lanes the one that was set last;
 * BS_KEYS if the op has neither, or phases: none, and so no rule. */
static enum bs_key phases_key(const struct bs_draft *draft, const struct setters *setters,
                              unsigned op)
{
    const int lists = setters->of[op][BS_KEY_RULE_PHASES];
    const int lanes = setters->of[op][BS_KEY_RULE_PHASE_LANES];
    if (lists == NOBODY && lanes == NOBODY)
        return BS_KEYS;
    if (lists < lanes)
        return BS_KEY_RULE_PHASE_LANES;
    return draft->items[lists].no_phases ? BS_KEYS : BS_KEY_RULE_PHASES;
}

static bool is_selected(const struct bs_item *item, unsigned op)
{
    for (size_t s = 0; s < item->selector_count; s++)
        if (selects(&item->selectors[s], op))
            return true;
    return false;
}

/* Whether an op has a rule by an override alone, as the files gave it none. */
static bool is_overrides_own(const struct bs_draft *draft, const struct setters *setters,
                             unsigned op)
{
    bool has_rule = false;
    if (phases_key(draft, setters, op) == BS_KEYS)
        return false;
    for (size_t i = 0; i < draft->item_count; i++) {
        const struct bs_item *item = &draft->items[i];
        const bool lanes = item->settings.given >> BS_KEY_RULE_PHASE_LANES & 1;
        const bool lists = item->settings.given >> BS_KEY_RULE_PHASES & 1;
        if ((lanes || lists) && !item->where.source->is_set && is_selected(item, op))
            has_rule = lanes || !item->no_phases;
    }
    return !has_rule;
}

/* ---- the rule of one op ---------------------------------------------------------------------- */

static uint64_t first_lanes(uint32_t lanes)
{
    return lanes >= 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
}

static void cut_phases(struct bs_rule *rule, uint32_t lanes, uint32_t phase_lanes)
{
    rule->phases = 0;
    for (uint32_t first = 0; first < lanes; first += phase_lanes)
        rule->phase[rule->phases++] = first_lanes(lanes) & first_lanes(phase_lanes) << first;
}

static void set_field(struct bs_rule *rule, const struct bs_key_form *form,
                      const struct bs_rule *from)
{
    char *field = (char *)rule + form->offset;
    if (from)
        memcpy(field, (const char *)from + form->offset,
               form->kind == BS_FORM_TEXT ? form->size : sizeof(uint32_t));
    else if (form->kind != BS_FORM_TEXT)
        memcpy(field, &form->standard, sizeof(uint32_t));
}

/* The rule of an op that has phases. */
static struct bs_rule make_rule(const struct bs_draft *draft, const struct setters *setters,
                                unsigned op)
{
    struct bs_rule rule = {0};
    for (unsigned k = BS_KEY_RULE_OPS + 1; k < BS_KEYS; k++) {
        const enum bs_key key = (enum bs_key)k;
        const struct bs_key_form *form = bs_key_form(key);
        const struct bs_item *item = setter(draft, setters, op, key);
        if (form->kind == BS_FORM_TEXT || form->kind == BS_FORM_NUMBER ||
            form->kind == BS_FORM_CHOICE) {
            set_field(&rule, form, item ? &item->rule : NULL);
        } else if (form->kind == BS_FORM_MERGE && item) {
            rule.merges = item->rule.merges;
            memcpy(rule.merge, item->rule.merge, sizeof rule.merge);
        }
    }
    if (is_overrides_own(draft, setters, op) && !rule.source[0])
        snprintf(rule.source, sizeof rule.source, "set by --set");
    if (!setter(draft, setters, op, BS_KEY_RULE_PORTS))
        rule.ports = draft->model.ports;
    if (!setter(draft, setters, op, BS_KEY_RULE_BANKS))
        rule.banks = draft->model.banks;
    const struct bs_item *lists = setter(draft, setters, op, BS_KEY_RULE_PHASES);
    if (lists && phases_key(draft, setters, op) == BS_KEY_RULE_PHASES) {
        rule.phases = lists->rule.phases;
        memcpy(rule.phase, lists->rule.phase, sizeof rule.phase);
    } else {
        cut_phases(&rule, draft->model.lanes,
                   setter(draft, setters, op, BS_KEY_RULE_PHASE_LANES)->phase_lanes);
    }
    return rule;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_good(const struct bs_settings *settings, enum bs_key key)
{
    return (settings->given & ~settings->bad) >> key & 1;
}

/* Of two values that do not go together, the one to blame is that which was set later. */
static struct bs_where later_of(struct bs_where a, struct bs_where b)
{
    return b.source && b.source->order > a.source->order ? b : a;
}

/* Whether the problem of a key, which the item sets for many ops, is still to be reported. */
static bool first_report(struct bs_item *item, enum bs_key key)
{
    const bool first = !(item->reported >> key & 1);
    item->reported |= bs_key_bit(key);
    return first;
}

static void check_phases(const struct bs_draft *draft, struct bs_item *item, const char *name)
{
    const uint64_t warp = first_lanes(draft->model.lanes);
    uint64_t named = 0;
    for (uint32_t i = 0; i < item->rule.phases; i++)
        named |= item->rule.phase[i];
    if (named == warp || !first_report(item, BS_KEY_RULE_PHASES))
        return;
    const struct bs_where where =
        later_of(item->settings.where[BS_KEY_RULE_PHASES], draft->settings.where[BS_KEY_LANES]);
    const bool beyond = (named & ~warp) != 0;
    const uint64_t lanes = beyond ? named & ~warp : warp & ~named;
    struct bs_buffer list = {0};
    bs_lanes_text(lanes, ", ", &list);
    char *text = bs_buffer_take(&list);
    bs_where_fail(where, BS_BAD_MODEL, "phases of %s %s lane%s %s%s", name,
                  beyond ? "name" : "leave out", (lanes & (lanes - 1)) ? "s" : "", text ? text : "",
                  beyond ? ", which the warp does not have" : "");
    free(text);
}

static void check_copy(struct bs_item *lines, struct bs_item *method, const struct bs_rule *rule,
                       struct bs_op op, const char *name)
{
    const bool is_copy = op.kind == BS_CP_ASYNC || op.kind == BS_CP_ASYNC_CG;
    const bool sectors = rule->method == BS_BY_SECTORS;
    if (rule->source_line && !is_copy && first_report(lines, BS_KEY_RULE_SOURCE_LINE))
        bs_where_fail(lines->settings.where[BS_KEY_RULE_SOURCE_LINE], BS_BAD_MODEL,
                      "source_line of %s: only async copies have a source", name);
    if (rule->method != BS_BY_BANKS && !is_copy && first_report(method, BS_KEY_RULE_METHOD))
        bs_where_fail(method->settings.where[BS_KEY_RULE_METHOD], BS_BAD_MODEL,
                      "method of %s: only async copies %s", name,
                      sectors ? "move sectors" : "queue for their source");
    if (sectors && rule->source_line < rule->sector_bytes &&
        first_report(method, BS_KEY_RULE_METHOD))
        bs_where_fail(method->settings.where[BS_KEY_RULE_METHOD], BS_BAD_MODEL,
                      "method of %s: sectors of %u bytes need a source_line of at least that, "
                      "not %u",
                      name, rule->sector_bytes, rule->source_line);
}

static void check_banks(const struct bs_draft *draft, struct bs_item *item, const char *name)
{
    const uint32_t banks = draft->model.banks;
    if (!item || !is_good(&item->settings, BS_KEY_RULE_BANKS) ||
        !is_good(&draft->settings, BS_KEY_BANKS) || banks % item->rule.banks == 0 ||
        !first_report(item, BS_KEY_RULE_BANKS))
        return;
    bs_where_fail(
        later_of(item->settings.where[BS_KEY_RULE_BANKS], draft->settings.where[BS_KEY_BANKS]),
        BS_BAD_MODEL, "banks of %s: the model's %u banks cannot answer as %u, which is no divisor",
        name, banks, item->rule.banks);
}

static bool has_bad_key(const struct bs_draft *draft, const struct setters *setters, unsigned op)
{
    for (unsigned key = BS_KEY_RULE_OPS + 1; key < BS_KEYS; key++) {
        const struct bs_item *item = setter(draft, setters, op, (enum bs_key)key);
        if (item && item->settings.bad >> key & 1)
            return true;
    }
    return false;
}

static void check_op(const struct bs_draft *draft, const struct setters *setters, unsigned index)
{
    char name[BS_OP_NAME];
    const struct bs_op op = bs_op_at(index);
    if (phases_key(draft, setters, index) == BS_KEYS)
        return;
    bs_op_name(op, name);
    struct bs_item *lists = setter(draft, setters, index, BS_KEY_RULE_PHASES);
    if (phases_key(draft, setters, index) == BS_KEY_RULE_PHASES &&
        is_good(&lists->settings, BS_KEY_RULE_PHASES))
        check_phases(draft, lists, name);
    check_banks(draft, setter(draft, setters, index, BS_KEY_RULE_BANKS), name);
    if (has_bad_key(draft, setters, index))
        return;
    const struct bs_rule rule = make_rule(draft, setters, index);
    check_copy(setter(draft, setters, index, BS_KEY_RULE_SOURCE_LINE),
               setter(draft, setters, index, BS_KEY_RULE_METHOD), &rule, op, name);
}

/* Whether a selector of an item reaches an op that has phases, or one whose phases that or a later
 * item takes away. */
static bool selects_phases(const struct bs_draft *draft, const struct bs_item *item,
                           const struct bs_selector *selector, const struct setters *setters)
{
    const int number = (int)(item - draft->items);
    bool any = false;
    for (unsigned op = 0; op < BS_OPS; op++) {
        const int lists = setters->of[op][BS_KEY_RULE_PHASES];
        if (selects(selector, op) &&
            (phases_key(draft, setters, op) != BS_KEYS || (lists != NOBODY && lists >= number)))
            return true;
        any = any || selects(selector, op);
    }
    return !any; /* it names no op: that has been said */
}

/* Keys for ops that end up without phases would be lost without a word. */
static void check_reach(const struct bs_draft *draft, const struct bs_item *item,
                        const struct setters *setters)
{
    struct bs_buffer keys = {0};
    size_t s = 0;
    while (s < item->selector_count && selects_phases(draft, item, &item->selectors[s], setters))
        s++;
    if (s == item->selector_count || item->damaged)
        return;
    for (unsigned key = BS_KEY_RULE_OPS + 1; key < BS_KEYS; key++)
        if (item->settings.given >> key & 1)
            bs_buffer_printf(&keys, "%s%s", keys.size ? ", " : "", bs_key_leaf((enum bs_key)key));
    char *list = bs_buffer_take(&keys);
    bs_where_fail(item->selectors[s].where, BS_BAD_MODEL, "rule for %s sets %s%s",
                  item->selectors[s].text, list ? list : "",
                  list && list[0] ? " but no phases" : "no phases");
    free(list);
}

static void check_geometry(struct bs_draft *draft)
{
    const struct bs_model *model = &draft->model;
    const struct bs_settings *settings = &draft->settings;
    const uint32_t pass = model->banks * model->bank_width;
    if (!is_good(settings, BS_KEY_BANKS))
        return;
    if (is_good(settings, BS_KEY_BANK_WIDTH) && is_good(settings, BS_KEY_ROW_BYTES) &&
        model->row_bytes % pass != 0)
        bs_where_fail(
            later_of(later_of(settings->where[BS_KEY_ROW_BYTES], settings->where[BS_KEY_BANKS]),
                     settings->where[BS_KEY_BANK_WIDTH]),
            BS_BAD_MODEL, "row_bytes %u is not a multiple of banks x bank_width = %u",
            model->row_bytes, pass);
    if (is_good(settings, BS_KEY_XOR) && model->mapping.hash != BS_XOR_NONE &&
        (model->banks & (model->banks - 1)) != 0)
        bs_where_fail(later_of(settings->where[BS_KEY_XOR], settings->where[BS_KEY_BANKS]),
                      BS_BAD_MODEL, "mapping.xor: %s needs a power-of-two number of banks, not %u",
                      bs_key_form(BS_KEY_XOR)->choices[model->mapping.hash], model->banks);
}

static void check_required(struct bs_draft *draft)
{
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    for (size_t key = 0; key < count; key++)
        if (keys[key].form->required && !(draft->settings.given >> key & 1))
            bs_where_fail(draft->root, BS_BAD_MODEL, "%s is missing (%s)", keys[key].path,
                          keys[key].type);
    if (!draft->has_rules)
        bs_where_fail(draft->root, BS_BAD_MODEL, "rules is missing (list of ops and their keys)");
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Whether what a source sets of an op has to be noted. An op's rule may say how sure it is, more
 * than assumed, in a source before that one: what the later source changes was not there when that
 * was said. And a rule that the model does not have is no part of it. */
static bool is_noted(const struct bs_draft *draft, const struct setters *setters, unsigned op,
                     const struct bs_source *source)
{
    const struct bs_item *item = setter(draft, setters, op, BS_KEY_RULE_BASIS);
    if (source->is_set && is_overrides_own(draft, setters, op))
        return true;
    return item && phases_key(draft, setters, op) != BS_KEYS && item->rule.basis != BS_ASSUMED &&
           item->where.source->order < source->order;
}

/* The value of a key of the model, as a file would have it. */
static void write_value(const struct bs_draft *draft, enum bs_key key, struct bs_buffer *out)
{
    const struct bs_key_form *form = bs_key_form(key);
    uint32_t value;
    memcpy(&value, (const char *)&draft->model + form->offset, sizeof value);
    if (form->kind == BS_FORM_CHOICE)
        bs_buffer_text(out, form->choices[value]);
    else if (value == 0 && form->word)
        bs_buffer_text(out, form->word);
    else
        bs_buffer_printf(out, "%u", value);
}

/* An override is noted as it was given; of a file the key, with its value if it is short. */
static void note_change(const struct bs_draft *draft, const struct bs_item *item, enum bs_key key,
                        const struct bs_source *source, struct bs_buffer *out)
{
    char shown[128];
    bs_buffer_text(out, out->size ? ", " : "");
    if (source->is_set) {
        const char *set = source->file + strlen(BS_SET_PREFIX);
        bs_buffer_text(out, bs_printable(set, strlen(set), shown, sizeof shown));
    } else if (item) {
        bs_buffer_printf(out, "rules.%s.%s", bs_item_subject(item), bs_key_leaf(key));
    } else {
        bs_buffer_printf(out, "%s=", bs_key_path(key));
        write_value(draft, key, out);
    }
}

static void note_geometry(const struct bs_draft *draft, const struct setters *setters,
                          struct bs_buffer *out)
{
    for (unsigned key = BS_KEY_LANES; key <= BS_KEY_XOR; key++) {
        const struct bs_source *source = draft->settings.where[key].source;
        unsigned op = 0;
        const bool costs_nothing = key == BS_KEY_WINNER || key == BS_KEY_SEED;
        if (costs_nothing || !(draft->settings.given >> key & 1))
            continue;
        while (op < BS_OPS && !is_noted(draft, setters, op, source))
            op++;
        if (op < BS_OPS)
            note_change(draft, NULL, (enum bs_key)key, source, out);
    }
}

static void note_item(const struct bs_draft *draft, const struct setters *setters,
                      const struct bs_item *item, struct bs_buffer *out)
{
    const int number = (int)(item - draft->items);
    for (unsigned key = BS_KEY_RULE_OPS + 1; key < BS_KEY_RULE_BASIS; key++) {
        unsigned op = 0;
        while (op < BS_OPS && !(setters->of[op][key] == number &&
                                is_noted(draft, setters, op, item->where.source)))
            op++;
        if (op < BS_OPS)
            note_change(draft, item, (enum bs_key)key, item->where.source, out);
    }
}

/* Adds to the model's `changes` what later sources changed of rules that say how sure they are. */
static void note_changes(struct bs_draft *draft, const struct setters *setters)
{
    struct bs_model *model = &draft->model;
    struct bs_buffer text = {0};
    bs_buffer_text(&text, model->changes);
    note_geometry(draft, setters, &text);
    for (size_t i = 0; i < draft->item_count; i++)
        note_item(draft, setters, &draft->items[i], &text);
    const size_t size = text.size;
    char *all = bs_buffer_take(&text);
    draft->out_of_memory |= !all;
    if (all)
        bs_printable(all, size, model->changes, sizeof model->changes);
    free(all);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* The number of a rule in the table, which it joins if it is new there. */
static uint8_t rule_number(struct bs_model *model, struct bs_rule *rules,
                           const struct bs_rule *rule)
{
    uint32_t number = 0;
    while (number < model->rule_count && !bs_rule_same(&rules[number], rule))
        number++;
    if (number == model->rule_count)
        rules[model->rule_count++] = *rule;
    return (uint8_t)number;
}

static bool fill_rules(struct bs_draft *draft, const struct setters *setters)
{
    struct bs_model *model = &draft->model;
    struct bs_rule *rules = calloc(BS_OPS, sizeof *rules);
    draft->out_of_memory |= !rules;
    if (!rules)
        return false;
    for (unsigned op = 0; op < BS_OPS; op++) {
        model->rule_of[op] = BS_NO_RULE;
        if (phases_key(draft, setters, op) == BS_KEYS)
            continue;
        const struct bs_rule rule = make_rule(draft, setters, op);
        model->rule_of[op] = rule_number(model, rules, &rule);
    }
    struct bs_rule *fitted =
        realloc(rules, (model->rule_count + !model->rule_count) * sizeof *rules);
    rules = fitted ? fitted : rules;
    bs_model_prepare(model, rules);
    model->rules = rules;
    return true;
}

static void set_defaults(struct bs_draft *draft)
{
    for (unsigned key = 0; key < BS_KEY_RULE_OPS; key++) {
        const struct bs_key_form *form = bs_key_form((enum bs_key)key);
        const bool is_number = form->kind == BS_FORM_NUMBER || form->kind == BS_FORM_CHOICE;
        if (is_number && !(draft->settings.given >> key & 1))
            memcpy((char *)&draft->model + form->offset, &form->standard, sizeof(uint32_t));
    }
}

bool bs_draft_finish(struct bs_draft *draft)
{
    struct setters setters;
    struct bs_model *model = &draft->model;
    check_geometry(draft);
    if (draft->unreadable)
        return false;
    set_defaults(draft);
    check_required(draft);
    find_setters(&setters, draft);
    for (size_t i = 0; i < draft->item_count; i++)
        check_reach(draft, &draft->items[i], &setters);
    if (is_good(&draft->settings, BS_KEY_LANES))
        for (unsigned op = 0; op < BS_OPS; op++)
            check_op(draft, &setters, op);
    if (bs_draft_failed(draft))
        return false;
    if (model->row_bytes == 0)
        model->row_bytes = model->banks * model->bank_width;
    note_changes(draft, &setters);
    return fill_rules(draft, &setters);
}
