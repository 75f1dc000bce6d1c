/* Loading a model: its file, the files it is based on, the overrides, and then the whole. */
#include "model_draft.h"
#include "model_find.h"

#include <stdlib.h>
#include <string.h>

enum { MODEL_DEPTH = 8 };

/* ---- drafts ---------------------------------------------------------------------------------- */

static char *copy_text(const char *text)
{
    struct bs_buffer copy = {0};
    bs_buffer_text(&copy, text);
    return bs_buffer_take(&copy);
}

struct bs_source *bs_draft_source(struct bs_draft *draft, const char *file, bool is_set)
{
    struct bs_source *source = calloc(1, sizeof *source);
    char *name = copy_text(file);
    if (!source || !name) {
        free(source);
        free(name);
        draft->out_of_memory = true;
        return NULL;
    }
    source->file = name;
    source->noun = "model";
    source->depth = MODEL_DEPTH;
    source->is_set = is_set;
    struct bs_source **end = &draft->sources;
    while (*end)
        end = &(*end)->next;
    *end = source;
    return source;
}

struct bs_item *bs_draft_item(struct bs_draft *draft, struct bs_where where)
{
    struct bs_item *items =
        bs_grow(draft->items, &draft->item_room, draft->item_count + 1, sizeof *items);
    if (!items) {
        draft->out_of_memory = true;
        return NULL;
    }
    draft->items = items;
    items += draft->item_count++;
    *items = (struct bs_item){.where = where};
    return items;
}

bool bs_draft_failed(const struct bs_draft *draft)
{
    for (const struct bs_source *source = draft->sources; source; source = source->next)
        if (source->errors.count)
            return true;
    return draft->out_of_memory;
}

void bs_draft_free(struct bs_draft *draft)
{
    for (struct bs_source *source = draft->sources; source;) {
        struct bs_source *next = source->next;
        bs_errors_free(&source->errors);
        free(source->file);
        free(source);
        source = next;
    }
    for (size_t i = 0; i < draft->item_count; i++)
        free(draft->items[i].selectors);
    free(draft->items);
}

/* ---- files and their bases ------------------------------------------------------------------- */

/* A file on the way to the one being read: each is the base of the one that it points to. */
struct link {
    const char *path;
    const struct link *derived;
    unsigned depth;
};

static void load_file(struct bs_draft *draft, struct bs_source *source, const struct link *link,
                      const char *const *folders);

static const struct link *find_link(const struct link *link, const char *path)
{
    while (link && !bs_model_same_file(link->path, path))
        link = link->derived;
    return link;
}

/* Writes the names from one link of the chain to another, the older first. */
static void write_chain(struct bs_buffer *out, const struct link *from, const struct link *to)
{
    if (to != from)
        write_chain(out, from, to->derived);
    char *stem = bs_model_stem(to->path);
    bs_buffer_printf(out, "%s -> ", stem ? stem : to->path);
    free(stem);
}

static void fail_circle(struct bs_where where, const struct link *from, const struct link *to)
{
    struct bs_buffer text = {0};
    if (from == to) {
        bs_where_fail(where, BS_BAD_MODEL,
                      "base: that is this file itself; a base is another model's name or path");
        return;
    }
    write_chain(&text, from, to);
    char *stem = bs_model_stem(from->path);
    bs_buffer_text(&text, stem ? stem : from->path);
    free(stem);
    char *chain = bs_buffer_take(&text);
    bs_where_fail(where, BS_BAD_MODEL, "base: %s is a circle", chain ? chain : "this");
    free(chain);
}

static void load_base_file(struct bs_draft *draft, struct bs_where where, const char *path,
                           const struct link *derived, const char *const *folders)
{
    const struct link *circle = find_link(derived, path);
    const struct link link = {path, derived, derived->depth + 1};
    if (circle) {
        fail_circle(where, circle, derived);
    } else if (link.depth > BS_MAX_BASES) {
        bs_where_fail(where, BS_BAD_MODEL, "base: more than %d models stand on each other",
                      BS_MAX_BASES);
    } else {
        struct bs_source *source = bs_draft_source(draft, path, false);
        if (source)
            load_file(draft, source, &link, folders);
        return;
    }
    draft->unreadable = true;
}

/* Loads the model that a file names as its base. */
static void load_base(struct bs_draft *draft, const struct bs_tree *tree, const struct link *link,
                      const char *const *folders)
{
    const struct bs_node *node = bs_read_base(tree);
    char shown[BS_NODE_SHOWN];
    if (!node)
        return;
    const struct bs_where where = bs_node_where(tree, node);
    if (node->kind != BS_NODE_TEXT || bs_node_is_null(tree, node) || node->size == 0) {
        bs_where_fail(where, BS_BAD_MODEL, "base: expected text, found %s",
                      bs_node_show(tree, node, shown));
        draft->unreadable = true;
        return;
    }
    const char *name = bs_node_text(tree, node);
    char *folder = bs_model_folder(link->path);
    char *path = folder ? bs_model_find(name, folder, folders) : NULL;
    if (path) {
        load_base_file(draft, where, path, link, folders);
    } else {
        char *text = bs_model_not_found(name, folder, folders);
        bs_where_fail(where, BS_BAD_MODEL, "base: %s", text ? text : "not found");
        free(text);
        draft->unreadable = true;
    }
    free(path);
    free(folder);
}

static void load_text(struct bs_draft *draft, struct bs_source *source, const char *text,
                      size_t size, const struct link *link, const char *const *folders)
{
    struct bs_tree tree;
    draft->unreadable |= !bs_tree_parse(&tree, source, text, size);
    if (tree.count > 0 && !tree.text.failed) { /* what stands before an error is checked as well */
        load_base(draft, &tree, link, folders);
        draft->model.compute_capability[0] = '\0'; /* the base's devices are not this one's */
        draft->settings.given &= ~bs_key_bit(BS_KEY_COMPUTE_CAPABILITY);
        draft->root = bs_node_where(&tree, tree.nodes);
        bs_read_model(draft, &tree);
    }
    bs_tree_free(&tree);
}

static void load_file(struct bs_draft *draft, struct bs_source *source, const struct link *link,
                      const char *const *folders)
{
    struct bs_buffer text = {0};
    enum bs_status status;
    const char *problem = bs_model_file(source->file, BS_MODEL_BYTES, &text, &status);
    if (problem) {
        bs_where_fail((struct bs_where){source, 0, 0}, status, "cannot be read: %s", problem);
        draft->unreadable = true;
    } else {
        load_text(draft, source, text.data, text.size, link, folders);
    }
    bs_buffer_free(&text);
}

/* ---- models ---------------------------------------------------------------------------------- */

static void hand_over_errors(const struct bs_draft *draft, struct bs_errors *errors)
{
    for (const struct bs_source *source = draft->sources; source; source = source->next)
        for (size_t i = 0; i < source->errors.count; i++)
            bs_errors_add(errors, &source->errors.list[i]);
    if (draft->out_of_memory) {
        struct bs_error error;
        bs_fail(&error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        bs_errors_add(errors, &error);
    }
}

/* Applies the overrides to what the files say, and makes the model of it. */
static struct bs_model *complete(struct bs_draft *draft, const char *const *sets,
                                 struct bs_errors *errors)
{
    struct bs_model *model = malloc(sizeof *model);
    draft->out_of_memory |= !model;
    for (; sets && *sets; sets++)
        bs_draft_set(draft, *sets);
    if (bs_draft_finish(draft) && model) {
        *model = draft->model;
    } else {
        hand_over_errors(draft, errors);
        free(model);
        model = NULL;
    }
    bs_draft_free(draft);
    return model;
}

struct bs_model *bs_model_parse(const char *text, size_t size, const char *file,
                                const char *const *folders, const char *const *sets,
                                struct bs_errors *errors)
{
    struct bs_draft draft = {0};
    const struct link link = {file, NULL, 0};
    struct bs_source *source = bs_draft_source(&draft, file, false);
    if (source)
        load_text(&draft, source, text, size, &link, folders);
    return complete(&draft, sets, errors);
}

static struct bs_model *fail_not_found(const char *name, const char *const *folders,
                                       struct bs_errors *errors)
{
    struct bs_error error;
    char *text = bs_model_not_found(name, NULL, folders);
    bs_fail(&error, BS_BAD_MODEL, NULL, 0, 0, "%s", text ? text : "out of memory");
    bs_errors_add(errors, &error);
    free(text);
    return NULL;
}

struct bs_model *bs_model_load(const char *name, const char *const *folders,
                               const char *const *sets, struct bs_errors *errors)
{
    char *path = bs_model_find(name, NULL, folders);
    if (!path)
        return fail_not_found(name, folders, errors);
    struct bs_draft draft = {0};
    const struct link link = {path, NULL, 0};
    struct bs_source *source = bs_draft_source(&draft, path, false);
    if (source)
        load_file(&draft, source, &link, folders);
    struct bs_model *model = complete(&draft, sets, errors);
    free(path);
    return model;
}

void bs_model_free(struct bs_model *model)
{
    if (model)
        free((void *)(uintptr_t)model->rules); /* const for those who read it */
    free(model);
}
