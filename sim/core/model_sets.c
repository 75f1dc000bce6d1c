/* Overrides: "bank_width=8", "rules.ld.*.ports=2". The value is YAML, read as in a file. */
#include "model_draft.h"

#include <stdlib.h>
#include <string.h>

static const char rules_prefix[] = "rules.";

/* Reads the value for a key of the ops that a word selects. */
static void set_rule(struct bs_draft *draft, const struct bs_tree *tree, const char *path,
                     size_t size)
{
    const struct bs_where where = {tree->source, 0, 0};
    const size_t before = strlen(rules_prefix);
    size_t dot = size - 1;
    while (path[dot] != '.')
        dot--;
    const char *leaf = path + dot + 1;
    const enum bs_key key = bs_key_find(rules_prefix, leaf, size - dot - 1);
    if (dot <= before) {
        bs_where_fail(where, BS_USAGE, "expected rules.OP.KEY=VALUE");
    } else if (key == BS_KEY_RULE_OPS) {
        bs_where_fail(where, BS_USAGE, "ops can only be given in a file");
    } else if (key == BS_KEYS) {
        bs_fail_unknown_key(where, rules_prefix, leaf, size - dot - 1);
    } else {
        struct bs_item *item = bs_draft_item(draft, where);
        if (!item)
            return;
        bs_item_select(draft, item, where, path + before, dot - before);
        bs_read_value(draft, item, key, tree, tree->nodes);
    }
}

static void set_key(struct bs_draft *draft, const struct bs_tree *tree, const char *path,
                    size_t size)
{
    const struct bs_where where = {tree->source, 0, 0};
    const size_t before = strlen(rules_prefix);
    const enum bs_key key = bs_key_find("", path, size);
    if (size >= before && memcmp(path, rules_prefix, before) == 0)
        set_rule(draft, tree, path, size);
    else if (key == BS_KEYS)
        bs_fail_unknown_key(where, "", path, size);
    else if (key == BS_KEY_BASE)
        bs_where_fail(where, BS_USAGE, "base can only be given in a file");
    else
        bs_read_value(draft, NULL, key, tree, tree->nodes);
}

bool bs_model_set_check(const char *option, const char *set, struct bs_error *error)
{
    struct bs_draft draft = {0};
    char shown[96];
    bs_draft_set(&draft, set);
    const bool fine = !bs_draft_failed(&draft);
    if (draft.out_of_memory)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    else if (!fine)
        bs_fail(error, draft.sources->errors.list[0].status, NULL, 0, 0, "%s %s: %s", option,
                bs_printable(set, strlen(set), shown, sizeof shown),
                draft.sources->errors.list[0].text);
    bs_draft_free(&draft);
    return fine;
}

void bs_draft_set(struct bs_draft *draft, const char *set)
{
    struct bs_buffer name = {0};
    bs_buffer_printf(&name, BS_SET_PREFIX "%s", set);
    char *file = bs_buffer_take(&name);
    struct bs_source *source = file ? bs_draft_source(draft, file, true) : NULL;
    free(file);
    if (!source) {
        draft->out_of_memory = true;
        return;
    }
    source->order = ++draft->applied;
    const struct bs_where where = {source, 0, 0};
    const char *equals = strchr(set, '=');
    struct bs_tree tree = {0};
    if (!equals || equals == set)
        bs_where_fail(where, BS_USAGE, "expected KEY=VALUE");
    else if (bs_tree_parse(&tree, source, equals + 1, strlen(equals + 1)))
        set_key(draft, &tree, set, (size_t)(equals - set));
    bs_tree_free(&tree);
}
