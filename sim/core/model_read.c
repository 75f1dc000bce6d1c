/* From the tree of a model's text to values: every value is checked against the form of its key. */
#include "model_draft.h"
#include "model_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value on its way to its place. */
struct reading {
    struct bs_draft *draft;
    struct bs_item *item; /* NULL: a key of the model itself */
    enum bs_key key;
    const struct bs_key_form *form;
    const struct bs_tree *tree;
    const struct bs_node *node;
};

static struct bs_where value_where(const struct reading *r)
{
    return bs_node_where(r->tree, r->node);
}

static void *value_place(const struct reading *r)
{
    char *object = r->item ? (char *)&r->item->rule : (char *)&r->draft->model;
    return object + r->form->offset;
}

static bool fail_expected(const struct reading *r, enum bs_status status, const char *hint)
{
    char shown[BS_NODE_SHOWN];
    bs_where_fail(value_where(r), status, "%s: expected %s, found %s%s", bs_key_leaf(r->key),
                  bs_key_type(r->key), bs_node_show(r->tree, r->node, shown), hint);
    return false;
}

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_word(const struct reading *r, const struct bs_node *node, const char *word)
{
    return node->kind == BS_NODE_TEXT && strcmp(bs_node_text(r->tree, node), word) == 0;
}

/* C and YAML 1.1 would take 010 for eight. */
static bool has_leading_zero(const char *text, size_t size)
{
    return size > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

static bool number_fits(const struct bs_key_form *form, uint64_t value)
{
    if (value == 0 && form->or_zero)
        return true;
    return value >= form->min && value <= form->max &&
           !(form->power_of_two && (value & (value - 1)) != 0);
}

static bool read_number(const struct reading *r, uint32_t *number)
{
    const struct bs_node *node = r->node;
    uint64_t value;
    if (r->form->word && is_word(r, node, r->form->word)) {
        *number = 0;
        return true;
    }
    if (node->kind != BS_NODE_TEXT || !node->plain)
        return fail_expected(r, BS_USAGE, "");
    const char *text = bs_node_text(r->tree, node);
    if (has_leading_zero(text, node->size))
        return fail_expected(r, BS_USAGE, ", whose leading zero could mean octal");
    if (!bs_number_parse(text, node->size, UINT64_MAX, &value))
        return fail_expected(r, BS_USAGE, "");
    if (!number_fits(r->form, value))
        return fail_expected(r, BS_USAGE, "");
    *number = (uint32_t)value;
    return true;
}

static bool read_choice(const struct reading *r, uint32_t *number)
{
    struct bs_near near = {0};
    char hint[BS_NEAR_MESSAGE];
    if (r->node->kind != BS_NODE_TEXT)
        return fail_expected(r, BS_USAGE, "");
    for (uint32_t i = 0; r->form->choices[i]; i++) {
        if (is_word(r, r->node, r->form->choices[i])) {
            *number = i;
            return true;
        }
        bs_near_offer(&near, bs_node_text(r->tree, r->node), r->node->size, r->form->choices[i]);
    }
    return fail_expected(r, BS_USAGE, bs_near_message(&near, hint));
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The code point at *text, which is valid UTF-8 as libyaml wrote it, and moves on to the next. */
static uint32_t next_code_point(const unsigned char **text)
{
    const unsigned char first = *(*text)++;
    uint32_t code = first < 0x80 ? first : first & (first < 0xe0 ? 0x1f : first < 0xf0 ? 0x0f : 7);
    while ((**text & 0xc0) == 0x80)
        code = code << 6 | (*(*text)++ & 0x3f);
    return code;
}

/* What would break a line of a report, or not come back when written as YAML. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff;
}

static bool read_text(const struct reading *r, char *out)
{
    if (r->node->kind != BS_NODE_TEXT || bs_node_is_null(r->tree, r->node))
        return fail_expected(r, BS_USAGE, "");
    const char *text = bs_node_text(r->tree, r->node);
    size_t size = r->node->size;
    while (size > 0 && (text[size - 1] == '\n' || text[size - 1] == ' '))
        size--; /* what a block of text ends in */
    const unsigned char *end = (const unsigned char *)text + size;
    for (const unsigned char *at = (const unsigned char *)text; at < end;)
        if (is_control(next_code_point(&at)))
            return fail_expected(r, BS_USAGE, ", which has control characters or several lines");
    if (size == 0 && r->form->required)
        return fail_expected(r, BS_USAGE, "");
    if (size >= r->form->size) {
        bs_where_fail(value_where(r), BS_USAGE, "%s: at most %zu bytes of text fit, these are %zu",
                      bs_key_leaf(r->key), r->form->size - 1, size);
        return false;
    }
    memset(out, 0, r->form->size);
    memcpy(out, text, size);
    return !r->form->fits || r->form->fits(out) || fail_expected(r, BS_USAGE, "");
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* Reads one number of a list of them. */
static bool read_partner(const struct reading *list, const struct bs_node *node, uint32_t *number)
{
    struct reading one = *list;
    one.node = node;
    return read_number(&one, number);
}

static bool read_merge(const struct reading *r, struct bs_rule *rule)
{
    rule->merges = 0;
    if (r->node->kind != BS_NODE_LIST)
        return fail_expected(r, BS_USAGE, "");
    const struct bs_node *end = r->tree->nodes + r->node->end;
    for (const struct bs_node *node = r->node + 1; node < end; node = r->tree->nodes + node->end) {
        uint32_t partner;
        if (!read_partner(r, node, &partner))
            return false;
        for (uint32_t i = 0; i < rule->merges; i++) {
            if (rule->merge[i] == partner) {
                bs_where_fail(bs_node_where(r->tree, node), BS_USAGE, "merge: %u is named twice",
                              partner);
                return false;
            }
        }
        if (rule->merges == BS_MAX_MERGE) {
            bs_where_fail(bs_node_where(r->tree, node), BS_USAGE,
                          "merge: at most %d partners fit, this is one more", BS_MAX_MERGE);
            return false;
        }
        rule->merge[rule->merges++] = partner;
    }
    return true;
}

/* Takes one word, "3" or "0-7", off the front of the text. */
static bool take_lanes(const char **text, uint64_t *first, uint64_t *last)
{
    const size_t size = strcspn(*text, " ");
    const char *dash = memchr(*text, '-', size);
    const size_t left = dash ? (size_t)(dash - *text) : size;
    if (!bs_number_parse(*text, left, UINT32_MAX, first))
        return false;
    *last = *first;
    if (dash && !bs_number_parse(dash + 1, size - left - 1, UINT32_MAX, last))
        return false;
    *text += size;
    return *first <= *last;
}

/* Reads one phase, such as "0-3 20-23"; used holds the lanes of the phases before. */
static bool read_phase(const struct reading *r, const struct bs_node *node, uint64_t *used,
                       uint64_t *phase)
{
    const struct bs_where where = bs_node_where(r->tree, node);
    const char *subject = bs_item_subject(r->item);
    char shown[BS_NODE_SHOWN];
    const char *text = node->kind == BS_NODE_TEXT ? bs_node_text(r->tree, node) : "";
    *phase = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        uint64_t first, last;
        if (!take_lanes(&text, &first, &last)) {
            *phase = 0;
            break;
        }
        if (last >= BS_MAX_LANES) {
            bs_where_fail(where, BS_BAD_MODEL, "phases of %s name lane %llu, but no warp has it",
                          subject, (unsigned long long)last);
            return false;
        }
        for (uint64_t t = first; t <= last; t++) {
            if ((*used | *phase) >> t & 1) {
                bs_where_fail(where, BS_BAD_MODEL, "phases of %s name lane %u twice", subject,
                              (unsigned)t);
                return false;
            }
            *phase |= UINT64_C(1) << t;
        }
    }
    if (*phase == 0)
        bs_where_fail(where, BS_USAGE, "phases: expected lanes such as '0-3 20-23', found %s",
                      bs_node_show(r->tree, node, shown));
    *used |= *phase;
    return *phase != 0;
}

static bool read_phases(const struct reading *r, struct bs_rule *rule)
{
    rule->phases = 0;
    r->item->no_phases = is_word(r, r->node, "none");
    if (r->item->no_phases)
        return true;
    if (r->node->kind != BS_NODE_LIST)
        return fail_expected(r, BS_USAGE, "");
    uint64_t used = 0;
    const struct bs_node *end = r->tree->nodes + r->node->end;
    for (const struct bs_node *node = r->node + 1; node < end; node = r->tree->nodes + node->end) {
        uint64_t phase;
        if (!read_phase(r, node, &used, &phase))
            return false;
        rule->phase[rule->phases++] = phase; /* no lane twice, so never more phases than lanes */
    }
    if (rule->phases == 0)
        bs_where_fail(value_where(r), BS_USAGE,
                      "phases: expected none, or list such as [0-15, 16-31], found an empty list");
    return rule->phases > 0;
}

static bool read_op_words(const struct reading *r, const struct bs_node *node)
{
    char shown[BS_NODE_SHOWN];
    const struct bs_where where = bs_node_where(r->tree, node);
    const char *text = node->kind == BS_NODE_TEXT ? bs_node_text(r->tree, node) : "";
    const size_t before = r->item->selector_count;
    static const char blanks[] = " \n";
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        const size_t size = strcspn(text, blanks);
        bs_item_select(r->draft, r->item, where, text, size);
        text += size;
    }
    if (node->kind == BS_NODE_TEXT && r->item->selector_count > before)
        return true;
    bs_where_fail(where, BS_USAGE, "ops: expected names of ops, found %s",
                  bs_node_show(r->tree, node, shown));
    return false;
}

static bool read_ops(const struct reading *r)
{
    if (r->node->kind != BS_NODE_LIST)
        return read_op_words(r, r->node);
    bool fine = true;
    const struct bs_node *end = r->tree->nodes + r->node->end;
    for (const struct bs_node *node = r->node + 1; node < end; node = r->tree->nodes + node->end)
        fine = read_op_words(r, node) && fine;
    if (r->node + 1 == end)
        fine = fail_expected(r, BS_USAGE, "");
    return fine;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool read_form(const struct reading *r)
{
    switch (r->form->kind) {
    case BS_FORM_TEXT:
        return read_text(r, value_place(r));
    case BS_FORM_NUMBER:
        return read_number(r, value_place(r));
    case BS_FORM_CHOICE:
        return read_choice(r, value_place(r));
    case BS_FORM_PHASE_LANES:
        return read_number(r, &r->item->phase_lanes);
    case BS_FORM_PHASES:
        return read_phases(r, &r->item->rule);
    case BS_FORM_MERGE:
        return read_merge(r, &r->item->rule);
    case BS_FORM_OPS:
        return read_ops(r);
    case BS_FORM_BASE:
        break; /* the loader has followed it */
    }
    return true;
}

/* Whether the value is a number of the model that is already what it was before. */
static bool is_unchanged(const struct reading *r, const struct bs_model *before)
{
    const struct bs_settings *settings = &r->draft->settings;
    const bool is_number = r->form->kind == BS_FORM_NUMBER || r->form->kind == BS_FORM_CHOICE;
    return is_number && (settings->given & ~settings->bad) >> r->key & 1 &&
           memcmp((const char *)before + r->form->offset, value_place(r), sizeof(uint32_t)) == 0;
}

void bs_read_value(struct bs_draft *draft, struct bs_item *item, enum bs_key key,
                   const struct bs_tree *tree, const struct bs_node *node)
{
    const struct reading r = {draft, item, key, bs_key_form(key), tree, node};
    struct bs_settings *settings = item ? &item->settings : &draft->settings;
    const struct bs_model before = draft->model;
    const bool good = read_form(&r);
    if (good && !item && is_unchanged(&r, &before))
        return; /* it stands where it was first said */
    settings->given |= bs_key_bit(key);
    settings->bad &= ~bs_key_bit(key);
    settings->where[key] = bs_node_where(tree, node);
    if (!good)
        settings->bad |= bs_key_bit(key);
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* The names that messages offer in the place of one that is not known. */
struct offers {
    const char *wanted;
    size_t size;
    struct bs_near near;
    struct bs_buffer list;
};

/* Says of a key that it exists, but in another place. False if it does not. */
static bool fail_misplaced_key(struct bs_where where, const char *prefix, const char *name,
                               size_t size)
{
    static const struct {
        const char *prefix;
        const char *place;
        const char *set; /* the prefix in an override */
    } places[] = {{"mapping.", "under mapping", "mapping."},
                  {"rules.", "in an item of rules", "rules.OP."},
                  {"timing.", "under timing", "timing."},
                  {"capacity.", "under capacity", "capacity."}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (strcmp(prefix, places[i].prefix) == 0 ||
            bs_key_find(places[i].prefix, name, size) == BS_KEYS)
            continue;
        bs_where_fail(where, BS_USAGE, "unknown key '%.*s' here: it stands %s (%s%.*s)", (int)size,
                      name, places[i].place,
                      where.source->is_set ? places[i].set : places[i].prefix, (int)size, name);
        return true;
    }
    return false;
}

/* Says of a dotted path of an override how a file writes it. False if it is none. */
static bool fail_dotted_key(struct bs_where where, const char *name, size_t size)
{
    static const char rules[] = "rules.";
    const char *leaf = name + size;
    while (leaf > name && leaf[-1] != '.')
        leaf--;
    const int left = (int)(name + size - leaf);
    const int before = (int)(leaf - name) - 1; /* up to the last dot */
    const int first = (int)strlen(rules);
    if (where.source->is_set || before <= 0)
        return false;
    if (bs_key_find("", name, size) != BS_KEYS && strncmp(name, rules, strlen(rules)) != 0)
        bs_where_fail(where, BS_USAGE,
                      "a dotted key is for --set: write '%.*s:' and on the next line, indented, "
                      "'%.*s: ...'",
                      before, name, left, leaf);
    else if (before > first && strncmp(name, rules, strlen(rules)) == 0 &&
             bs_key_find(rules, leaf, (size_t)left) != BS_KEYS)
        bs_where_fail(where, BS_USAGE,
                      "a dotted key is for --set: write an item of rules, '- ops: %.*s' and on the "
                      "next line, indented, '%.*s: ...'",
                      before - first, name + first, left, leaf);
    else
        return false;
    return true;
}

static void offer(struct offers *offers, const char *name)
{
    bs_near_offer(&offers->near, offers->wanted, offers->size, name);
    bs_buffer_printf(&offers->list, "%s%s", offers->list.size ? ", " : "; known: ", name);
}

void bs_fail_unknown_key(struct bs_where where, const char *prefix, const char *name, size_t size)
{
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    const size_t before = strlen(prefix);
    struct offers offers = {.wanted = name, .size = size};
    char hint[BS_NEAR_MESSAGE];
    char shown[64];
    if (fail_misplaced_key(where, prefix, name, size) ||
        (!before && fail_dotted_key(where, name, size)))
        return;
    for (size_t i = 0; i < count; i++)
        if (strncmp(keys[i].path, prefix, before) == 0 && !strchr(keys[i].path + before, '.'))
            offer(&offers, keys[i].path + before);
    if (before == 0) {
        offer(&offers, where.source->is_set ? "mapping.xor" : "mapping");
        offer(&offers, where.source->is_set ? "timing.KEY" : "timing");
        offer(&offers, where.source->is_set ? "capacity.KEY" : "capacity");
        offer(&offers, where.source->is_set ? "rules.OP.KEY" : "rules");
    }
    char *known = bs_buffer_take(&offers.list);
    bs_where_fail(where, BS_USAGE, "unknown key '%s'%s",
                  bs_printable(name, size, shown, sizeof shown),
                  offers.near.name[0] ? bs_near_message(&offers.near, hint)
                  : known             ? known
                                      : "");
    free(known);
}

/* The value of a key in a map, or NULL. */
static const struct bs_node *map_value(const struct bs_tree *tree, const struct bs_node *map,
                                       const char *name)
{
    const struct bs_node *end = tree->nodes + map->end;
    for (const struct bs_node *key = map + 1; key < end;) {
        const struct bs_node *value = tree->nodes + key->end;
        if (key->kind == BS_NODE_TEXT && strcmp(bs_node_text(tree, key), name) == 0)
            return value;
        key = tree->nodes + value->end;
    }
    return NULL;
}

static void read_section(struct bs_draft *draft, struct bs_item *item, const char *prefix,
                         const struct bs_tree *tree, const struct bs_node *map);

static void read_item(struct bs_draft *draft, const struct bs_tree *tree,
                      const struct bs_node *node)
{
    const struct bs_where where = bs_node_where(tree, node);
    char shown[BS_NODE_SHOWN];
    if (node->kind != BS_NODE_MAP) {
        bs_where_fail(where, BS_USAGE, "rules: expected a map of ops and their keys, found %s",
                      bs_node_show(tree, node, shown));
        return;
    }
    struct bs_item *item = bs_draft_item(draft, where);
    if (!item)
        return;
    const struct bs_node *ops = map_value(tree, node, bs_key_leaf(BS_KEY_RULE_OPS));
    if (ops) /* first: messages of the other keys name the ops */
        bs_read_value(draft, item, BS_KEY_RULE_OPS, tree, ops);
    else if (!bs_node_is_cut(tree, node))
        bs_where_fail(where, BS_USAGE, "this item of rules does not name its ops");
    read_section(draft, item, "rules.", tree, node);
    const uint64_t both = bs_key_bit(BS_KEY_RULE_PHASE_LANES) | bs_key_bit(BS_KEY_RULE_PHASES);
    if ((item->settings.given & both) == both)
        bs_where_fail(item->settings.where[BS_KEY_RULE_PHASES], BS_USAGE,
                      "phases and phase_lanes in one item: say only one of them");
}

static void read_rules(struct bs_draft *draft, const struct bs_tree *tree,
                       const struct bs_node *list)
{
    char shown[BS_NODE_SHOWN];
    const struct bs_node *end = tree->nodes + list->end;
    draft->has_rules = true;
    if (list->kind != BS_NODE_LIST || (list + 1 == end && !bs_node_is_cut(tree, list)))
        bs_where_fail(bs_node_where(tree, list), BS_USAGE, "rules: expected a list, found %s%s",
                      bs_node_show(tree, list, shown),
                      list->kind == BS_NODE_MAP ? "; an item begins with '- ops: '" : "");
    else
        for (const struct bs_node *node = list + 1; node < end; node = tree->nodes + node->end)
            read_item(draft, tree, node);
}

/* What a file's top level holds besides keys with a value. Their bits follow those of the keys. */
enum { SECTION_RULES = BS_KEYS, SECTION_MAPPING, SECTION_TIMING, SECTION_CAPACITY, SECTION_NONE };

/* The sections that hold keys, from SECTION_MAPPING on. */
static const struct {
    const char *name;
    const char *prefix; /* of its keys in the table */
} sections[] = {{"mapping", "mapping."}, {"timing", "timing."}, {"capacity", "capacity."}};

static unsigned find_entry(const char *prefix, const char *name, size_t size)
{
    if (prefix[0] == '\0' && strcmp(name, "rules") == 0)
        return SECTION_RULES;
    for (unsigned i = 0; i < sizeof sections / sizeof *sections; i++)
        if (prefix[0] == '\0' && strcmp(name, sections[i].name) == 0)
            return SECTION_MAPPING + i;
    const enum bs_key key = bs_key_find(prefix, name, size);
    return key == BS_KEYS || (prefix[0] == '\0' && memchr(name, '.', size)) ? SECTION_NONE
                                                                            : (unsigned)key;
}

static void read_entry(struct bs_draft *draft, struct bs_item *item, unsigned entry,
                       const struct bs_tree *tree, const struct bs_node *value)
{
    if (entry == SECTION_RULES)
        read_rules(draft, tree, value);
    else if (entry >= SECTION_MAPPING)
        read_section(draft, NULL, sections[entry - SECTION_MAPPING].prefix, tree, value);
    else if (entry != BS_KEY_RULE_OPS) /* which read_item has read */
        bs_read_value(draft, item, (enum bs_key)entry, tree, value);
}

/* Reads a map whose keys are those of the table that begin with prefix. */
static void read_section(struct bs_draft *draft, struct bs_item *item, const char *prefix,
                         const struct bs_tree *tree, const struct bs_node *map)
{
    char shown[BS_NODE_SHOWN];
    uint64_t seen = 0;
    if (map->kind != BS_NODE_MAP) {
        const int name = (int)strcspn(prefix, ".");
        bs_where_fail(bs_node_where(tree, map), BS_USAGE,
                      "%.*s%sexpected keys and values, found %s", name, prefix, name ? ": " : "",
                      bs_node_show(tree, map, shown));
        return;
    }
    const struct bs_node *end = tree->nodes + map->end;
    for (const struct bs_node *key = map + 1; key < end;) {
        const struct bs_node *value = tree->nodes + key->end;
        const struct bs_where where = bs_node_where(tree, key);
        const char *name = key->kind == BS_NODE_TEXT ? bs_node_text(tree, key) : "";
        const unsigned entry = find_entry(prefix, name, key->size);
        if (key->kind != BS_NODE_TEXT)
            bs_where_fail(where, BS_USAGE, "expected a key, found %s",
                          bs_node_show(tree, key, shown));
        else if (entry == SECTION_NONE)
            bs_fail_unknown_key(where, prefix, name, key->size);
        else if (seen >> entry & 1)
            bs_where_fail(where, BS_USAGE, "%s is here a second time", name);
        else
            read_entry(draft, item, entry, tree, value);
        if (entry != SECTION_NONE)
            seen |= UINT64_C(1) << entry;
        else if (item)
            item->damaged = true;
        key = tree->nodes + value->end;
    }
}

void bs_read_model(struct bs_draft *draft, const struct bs_tree *tree)
{
    const uint64_t name = bs_key_bit(BS_KEY_NAME);
    draft->settings.given &= ~name; /* a base's name is not this model's */
    draft->unreadable |= tree->nodes[0].kind != BS_NODE_MAP;
    tree->source->order = ++draft->applied;
    read_section(draft, NULL, "", tree, tree->nodes);
}

const struct bs_node *bs_read_base(const struct bs_tree *tree)
{
    return tree->nodes[0].kind == BS_NODE_MAP ? map_value(tree, tree->nodes, "base") : NULL;
}
