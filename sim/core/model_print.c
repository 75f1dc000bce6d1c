/* The resolved model as nested data, and that data as YAML. */
#include "buffer.h"
#include "lanes.h"
#include "model_draft.h"

#include <stdlib.h>
#include <string.h>

/* ---- lanes ----------------------------------------------------------------------------------- */

void bs_lanes_text(uint64_t lanes, const char *between, struct bs_buffer *out)
{
    const char *before = "";
    while (lanes) {
        const unsigned first = bs_lanes_lowest(lanes);
        unsigned end = first;
        while (end < BS_MAX_LANES && lanes >> end & 1)
            end++;
        bs_buffer_printf(out, end - first > 1 ? "%s%u-%u" : "%s%u", before, first, end - 1);
        lanes = end < BS_MAX_LANES ? lanes >> end << end : 0;
        before = between;
    }
}

/* ---- walking --------------------------------------------------------------------------------- */

struct walk {
    const struct bs_walker *walker;
    void *user;
    const struct bs_model *model;
};

static void walk_number(const struct walk *w, enum bs_key key, uint32_t value, uint32_t standard)
{
    const struct bs_key_form *form = bs_key_form(key);
    if (value == standard && !form->always)
        return;
    if (form->kind == BS_FORM_CHOICE)
        w->walker->text(w->user, bs_key_leaf(key), form->choices[value]);
    else if (value == 0 && form->word)
        w->walker->text(w->user, bs_key_leaf(key), form->word);
    else
        w->walker->number(w->user, bs_key_leaf(key), value);
}

/* What a number would be if nobody had set it. */
static uint32_t standard_of(const struct bs_model *model, enum bs_key key)
{
    if (key == BS_KEY_ROW_BYTES)
        return model->banks * model->bank_width;
    if (key == BS_KEY_RULE_PORTS)
        return model->ports;
    if (key == BS_KEY_RULE_BANKS)
        return model->banks;
    return bs_key_form(key)->standard;
}

/* The phase_lanes that give the phases of a rule; 0 if none do. */
static uint32_t phase_lanes_of(const struct bs_rule *rule)
{
    const uint32_t lanes = bs_lanes_count(rule->phase[0]);
    uint32_t first = 0;
    for (uint32_t i = 0; i < rule->phases; i++) {
        const uint32_t count = bs_lanes_count(rule->phase[i]);
        const uint64_t run = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
        const bool last = i + 1 == rule->phases;
        if (rule->phase[i] != run << first || (last ? count > lanes : count != lanes))
            return 0;
        first += count;
    }
    return lanes;
}

static void walk_phases(const struct walk *w, const struct bs_rule *rule)
{
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_PHASES), true);
    for (uint32_t i = 0; i < rule->phases; i++) {
        struct bs_buffer lanes = {0};
        bs_lanes_text(rule->phase[i], " ", &lanes);
        char *text = bs_buffer_take(&lanes);
        w->walker->text(w->user, NULL, text ? text : "");
        free(text);
    }
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_PHASES), false);
}

static void walk_merge(const struct walk *w, const struct bs_rule *rule)
{
    if (rule->merges == 0)
        return;
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_MERGE), true);
    for (uint32_t i = 0; i < rule->merges; i++)
        w->walker->number(w->user, NULL, rule->merge[i]);
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_MERGE), false);
}

static void walk_ops(const struct walk *w, const struct bs_rule *rule)
{
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_OPS), true);
    for (unsigned op = 0; op < BS_OPS; op++) {
        char name[BS_OP_NAME];
        if (bs_model_rule(w->model, bs_op_at(op)) == rule)
            w->walker->text(w->user, NULL, bs_op_name(bs_op_at(op), name));
    }
    w->walker->list(w->user, bs_key_leaf(BS_KEY_RULE_OPS), false);
}

/* One key of the model, or of the rule if there is one. */
static void walk_key(const struct walk *w, enum bs_key key, const struct bs_rule *rule)
{
    const struct bs_key_form *form = bs_key_form(key);
    const char *field = (rule ? (const char *)rule : (const char *)w->model) + form->offset;
    uint32_t number;
    switch (form->kind) {
    case BS_FORM_TEXT:
        if (field[0])
            w->walker->text(w->user, bs_key_leaf(key), field);
        break;
    case BS_FORM_NUMBER:
    case BS_FORM_CHOICE:
        memcpy(&number, field, sizeof number);
        walk_number(w, key, number, standard_of(w->model, key));
        break;
    case BS_FORM_PHASE_LANES:
        number = phase_lanes_of(rule);
        walk_number(w, key, number, 0);
        break;
    case BS_FORM_PHASES:
        if (phase_lanes_of(rule) == 0)
            walk_phases(w, rule);
        break;
    case BS_FORM_MERGE:
        walk_merge(w, rule);
        break;
    case BS_FORM_OPS:
        walk_ops(w, rule);
        break;
    case BS_FORM_BASE:
        break; /* it is resolved */
    }
}

/* Whether the model says anything in keys from first on, up to end. */
static bool has_any(const struct bs_model *model, enum bs_key first, enum bs_key end)
{
    for (unsigned key = first; key < end; key++) {
        const struct bs_key_form *form = bs_key_form((enum bs_key)key);
        const char *field = (const char *)model + form->offset;
        if (form->kind == BS_FORM_TEXT ? field[0] != '\0'
                                       : memcmp(field, &form->standard, sizeof(uint32_t)) != 0)
            return true;
    }
    return false;
}

static void walk_section(const struct walk *w, const char *name, enum bs_key first, enum bs_key end)
{
    if (!has_any(w->model, first, end))
        return;
    w->walker->map(w->user, name, true);
    for (unsigned key = first; key < end; key++)
        walk_key(w, (enum bs_key)key, NULL);
    w->walker->map(w->user, name, false);
}

void bs_model_walk(const struct bs_model *model, const struct bs_walker *walker, void *user)
{
    const struct walk w = {walker, user, model};
    for (unsigned key = 0; key < BS_KEY_XOR; key++)
        walk_key(&w, (enum bs_key)key, NULL);
    walk_section(&w, "mapping", BS_KEY_XOR, BS_KEY_TIMING_BASIS);
    walk_section(&w, "timing", BS_KEY_TIMING_BASIS, BS_KEY_CAPACITY_BASIS);
    walk_section(&w, "capacity", BS_KEY_CAPACITY_BASIS, BS_KEY_RULE_OPS);
    walker->list(user, "rules", true);
    for (uint32_t i = 0; i < model->rule_count; i++) {
        walker->map(user, NULL, true);
        for (unsigned key = BS_KEY_RULE_OPS; key < BS_KEYS; key++)
            walk_key(&w, (enum bs_key)key, &model->rules[i]);
        walker->map(user, NULL, false);
    }
    walker->list(user, "rules", false);
}

/* ---- YAML ------------------------------------------------------------------------------------ */

enum { YAML_COLUMNS = 80 };

struct yaml {
    struct bs_buffer out;
    unsigned depth;   /* of the maps around */
    bool item;        /* the next key is the first of a list's item */
    const char *list; /* the key of a list of which nothing is written yet */
    bool flow;        /* inside [ ] */
    bool more;        /* ... and behind the first value */
    size_t line;      /* where the line starts in out */
};

static void yaml_newline(struct yaml *y)
{
    bs_buffer_text(&y->out, "\n");
    y->line = y->out.size;
}

static void yaml_indent(struct yaml *y, unsigned depth)
{
    bs_buffer_printf(&y->out, "%*s", (int)(2 * depth), "");
}

static void yaml_key(struct yaml *y, const char *key)
{
    if (y->item) {
        yaml_indent(y, y->depth - 1);
        bs_buffer_printf(&y->out, "- %s:", key);
    } else {
        yaml_indent(y, y->depth);
        bs_buffer_printf(&y->out, "%s:", key);
    }
    y->item = false;
}

/* Whether text can stand without quotes, in lists as well, and is text to every reader of YAML. */
static bool is_plain(const char *text)
{
    static const char *const taken[] = {"true", "false", "yes", "no", "on",
                                        "off",  "null",  "y",   "n",  NULL};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char others[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "0123456789 ._-/();+";
    const size_t size = strlen(text);
    char lower[8] = "";
    if (size == 0 || !strchr(letters, text[0]) || strspn(text, others) != size ||
        text[size - 1] == ' ')
        return false;
    for (size_t i = 0; i < size && i + 1 < sizeof lower; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    for (size_t i = 0; taken[i]; i++)
        if (strcmp(lower, taken[i]) == 0)
            return false;
    return true;
}

static void yaml_write_text(struct bs_buffer *out, const char *text)
{
    if (is_plain(text)) {
        bs_buffer_text(out, text);
        return;
    }
    bs_buffer_text(out, "\"");
    for (; *text; text++)
        bs_buffer_printf(out, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
    bs_buffer_text(out, "\"");
}

/* Writes a value behind its key; where a line would get too long, a lone blank becomes its end, as
 * YAML reads it. */
static void yaml_fold(struct yaml *y, const struct bs_buffer *value)
{
    const char *text = value->data;
    for (size_t at = 0; at < value->size; at++) {
        const char *rest = text + at + 1;
        const char *blank = memchr(rest, ' ', value->size - at - 1);
        const size_t word = blank ? (size_t)(blank - rest) : value->size - at - 1;
        const bool lone = text[at] == ' ' && at > 0 && text[at - 1] != ' ' && word > 0;
        if (lone && y->out.size - y->line + 1 + word > YAML_COLUMNS) {
            yaml_newline(y);
            yaml_indent(y, y->depth + 1);
        } else {
            bs_buffer_add(&y->out, text + at, 1);
        }
    }
}

/* Writes a value behind its key, or as the next of a list of values. */
static void yaml_value(struct yaml *y, const char *key, struct bs_buffer *value)
{
    if (y->list) {
        yaml_key(y, y->list);
        bs_buffer_text(&y->out, " [");
        y->list = NULL;
        y->flow = true;
        y->more = false;
    }
    if (!y->flow) {
        yaml_key(y, key);
        bs_buffer_text(&y->out, " ");
    } else if (y->more) {
        const bool wide = y->out.size - y->line + value->size + 3 > YAML_COLUMNS;
        bs_buffer_text(&y->out, wide ? "," : ", ");
        if (wide) {
            yaml_newline(y);
            yaml_indent(y, y->depth + 1);
        }
    }
    y->out.failed |= value->failed;
    if (y->flow)
        bs_buffer_add(&y->out, value->data, value->size);
    else
        yaml_fold(y, value);
    y->more = true;
    if (!y->flow)
        yaml_newline(y);
    bs_buffer_free(value);
}

static void yaml_text(void *user, const char *key, const char *text)
{
    struct bs_buffer value = {0};
    yaml_write_text(&value, text);
    yaml_value(user, key, &value);
}

static void yaml_number(void *user, const char *key, uint64_t number)
{
    struct bs_buffer value = {0};
    bs_buffer_printf(&value, "%llu", (unsigned long long)number);
    yaml_value(user, key, &value);
}

/* A list of maps starts on lines of its own. */
static void yaml_open_list(struct yaml *y)
{
    if (!y->list)
        return;
    yaml_key(y, y->list);
    yaml_newline(y);
    y->list = NULL;
}

static void yaml_map(void *user, const char *key, bool open)
{
    struct yaml *y = user;
    const unsigned levels = key ? 1 : 2; /* an item's keys stand behind its dash */
    if (!open) {
        y->depth -= levels;
        return;
    }
    if (key) {
        yaml_key(y, key);
        yaml_newline(y);
    } else {
        yaml_open_list(y);
        y->item = true;
    }
    y->depth += levels;
}

static void yaml_list(void *user, const char *key, bool open)
{
    struct yaml *y = user;
    if (open) {
        y->list = key;
    } else if (y->list) { /* nothing came */
        yaml_key(y, y->list);
        bs_buffer_text(&y->out, " []");
        yaml_newline(y);
        y->list = NULL;
    } else if (y->flow) {
        bs_buffer_text(&y->out, "]");
        yaml_newline(y);
        y->flow = false;
    }
}

char *bs_model_yaml(const struct bs_model *model)
{
    static const struct bs_walker walker = {yaml_map, yaml_list, yaml_text, yaml_number};
    struct yaml y = {0};
    bs_model_walk(model, &walker, &y);
    return bs_buffer_take(&y.out);
}
