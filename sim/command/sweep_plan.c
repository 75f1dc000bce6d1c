/* The combinations of a sweep. */
#include "sweep_plan.h"

#include "lookup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- axes ------------------------------------------------------------------------------------ */

static bool check_key(const struct bs_plan *plan, const struct bs_axis *axis,
                      struct bs_error *error)
{
    for (size_t i = 0; i < plan->axis_count; i++)
        if (strcmp(plan->axes[i].key, axis->key) == 0)
            return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s is varied twice", axis->key);
    return true;
}

static bool add_axis(struct bs_plan *plan, bool is_let, const char *text, struct bs_error *error)
{
    struct bs_axis axis;
    const char *option = is_let ? "--vary-let" : "--vary";
    if (plan->axis_count == BS_MAX_AXES)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "at most %d keys can be varied", BS_MAX_AXES);
    if (!bs_axis_parse(&axis, option, is_let, text, error) || !check_key(plan, &axis, error)) {
        bs_axis_free(&axis);
        return false;
    }
    plan->axes[plan->axis_count++] = axis;
    *(is_let ? &plan->lets : &plan->models) *= axis.count;
    plan->count *= axis.count;
    if (plan->count <= BS_MAX_COMBINATIONS)
        return true;
    return bs_fail(error, BS_USAGE, NULL, 0, 0,
                   "more than %d combinations; vary fewer keys, or fewer values of each",
                   BS_MAX_COMBINATIONS);
}

bool bs_plan_make(struct bs_plan *plan, const char *const *vary, const char *const *vary_let,
                  struct bs_error *error)
{
    *plan = (struct bs_plan){.models = 1, .lets = 1, .count = 1};
    for (; vary && *vary; vary++)
        if (!add_axis(plan, false, *vary, error))
            return false;
    for (; vary_let && *vary_let; vary_let++)
        if (!add_axis(plan, true, *vary_let, error))
            return false;
    return plan->axis_count > 0 ||
           bs_fail(error, BS_USAGE, NULL, 0, 0, "expected --vary KEY=VALUES: nothing is varied");
}

void bs_plan_free(struct bs_plan *plan)
{
    for (size_t i = 0; i < plan->axis_count; i++)
        bs_axis_free(&plan->axes[i]);
    *plan = (struct bs_plan){0};
}

const struct bs_axis *bs_plan_model_axis(const struct bs_plan *plan)
{
    for (size_t i = 0; i < plan->axis_count; i++)
        if (plan->axes[i].kind == BS_AXIS_MODEL)
            return &plan->axes[i];
    return NULL;
}

/* ---- combinations ---------------------------------------------------------------------------- */

size_t bs_plan_place(const struct bs_plan *plan, size_t combination, size_t axis)
{
    for (size_t i = plan->axis_count; --i > axis;)
        combination /= plan->axes[i].count;
    return combination % plan->axes[axis].count;
}

const char *bs_plan_value(const struct bs_plan *plan, size_t combination, size_t axis)
{
    return plan->axes[axis].values[bs_plan_place(plan, combination, axis)];
}

bool bs_plan_words(const struct bs_plan *plan, size_t combination, enum bs_axis_kind kind,
                   struct bs_buffer *text, struct bs_words *words)
{
    size_t starts[BS_MAX_AXES];
    size_t count = 0;
    for (size_t i = 0; i < plan->axis_count; i++) {
        if (plan->axes[i].kind != kind)
            continue;
        starts[count++] = text->size;
        bs_buffer_printf(text, "%s=%s", plan->axes[i].key, bs_plan_value(plan, combination, i));
        bs_buffer_add(text, "", 1);
    }
    bool added = !text->failed;
    for (size_t i = 0; added && i < count; i++)
        added = bs_words_add(words, text->data + starts[i]);
    return added;
}

/* ---- checks ---------------------------------------------------------------------------------- */

static bool is_key_of(const char *key, const char *set)
{
    const size_t size = strlen(key);
    return strncmp(set, key, size) == 0 && set[size] == '=';
}

/* Whether no word gives a value to the axis' key. */
static bool check_free(const struct bs_axis *axis, const char *option, const struct bs_words *words,
                       struct bs_error *error)
{
    char shown[64];
    for (size_t i = 0; i < words->count; i++)
        if (is_key_of(axis->key, words->list[i]))
            return bs_fail(error, BS_USAGE, NULL, 0, 0, "%s %s: %s is varied", option,
                           words->list[i],
                           bs_printable(axis->key, strlen(axis->key), shown, sizeof shown));
    return true;
}

static bool check_axis(const struct bs_axis *axis, struct bs_error *error)
{
    for (size_t i = 0; i < axis->count; i++) {
        struct bs_buffer text = {0};
        bs_buffer_printf(&text, "%s=%s", axis->key, axis->values[i]);
        char *set = bs_buffer_take(&text);
        const bool fine = set ? bs_model_set_check("--vary", set, error)
                              : bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        free(set);
        if (!fine)
            return false;
    }
    return true;
}

/* Whether the values of a name can be read: they may use the names that are varied before it. */
static bool check_let(const struct bs_plan *plan, size_t at, struct bs_error *error)
{
    const struct bs_axis *axis = &plan->axes[at];
    const char *names[BS_MAX_AXES];
    size_t count = 0;
    for (size_t i = 0; i < at; i++)
        if (plan->axes[i].kind == BS_AXIS_LET)
            names[count++] = plan->axes[i].key;
    for (size_t i = 0; i < axis->count; i++) {
        char shown[64];
        struct bs_expr *expr = bs_expr_parse(axis->values[i], names, count, error);
        if (!expr)
            return bs_fail(
                error, error->status, NULL, 0, 0, "--vary-let %s=%s: %s", axis->key,
                bs_printable(axis->values[i], strlen(axis->values[i]), shown, sizeof shown),
                error->text);
        bs_expr_free(expr);
    }
    return true;
}

bool bs_plan_check(const struct bs_plan *plan, const struct bs_words *sets,
                   const struct bs_words *lets, struct bs_error *error)
{
    bool fine = true;
    for (size_t i = 0; fine && i < sets->count; i++)
        fine = bs_model_set_check("--set", sets->list[i], error);
    for (size_t i = 0; fine && i < plan->axis_count; i++) {
        const struct bs_axis *axis = &plan->axes[i];
        if (axis->kind == BS_AXIS_KEY)
            fine = check_free(axis, "--set", sets, error) && check_axis(axis, error);
        else if (axis->kind == BS_AXIS_LET)
            fine = check_free(axis, "--let", lets, error) && check_let(plan, i, error);
    }
    return fine;
}

/* ---- bases ----------------------------------------------------------------------------------- */

static char *changes_of(const struct bs_model *model, const struct bs_words *sets)
{
    struct bs_buffer text = {0};
    bs_buffer_text(&text, model->changes);
    for (size_t i = 0; i < sets->count; i++)
        bs_buffer_printf(&text, "%s%s", text.size ? ", " : "", sets->list[i]);
    return bs_buffer_take(&text);
}

static bool load_base(struct bs_base *base, const char *name, const struct bs_words *sets,
                      const char *const *folders, struct bs_errors *errors)
{
    struct bs_model *model = bs_model_load(name, folders, NULL, errors);
    if (!model)
        return false;
    base->given = name;
    memcpy(base->name, model->name, sizeof base->name);
    memcpy(base->title, model->title, sizeof base->title);
    base->changes = changes_of(model, sets);
    bs_model_free(model);
    return base->changes != NULL;
}

/* Says of an error that is not about a file that it is about a value. */
static void name_option(struct bs_error *error, const char *value)
{
    if (!error->file[0])
        bs_fail(error, error->status, NULL, 0, 0, "--vary model=%s: %s", value, error->text);
}

bool bs_plan_bases(const struct bs_plan *plan, const char *base, const struct bs_words *sets,
                   struct bs_bases *bases, struct bs_errors *errors)
{
    const struct bs_axis *axis = bs_plan_model_axis(plan);
    const size_t count = axis ? axis->count : 1;
    struct bs_folders folders;
    bases->list = calloc(count, sizeof *bases->list);
    if (!bases->list || !bs_folders_find(&folders))
        return false;
    bool fine = true;
    for (size_t i = 0; fine && i < count; i++, bases->count++) {
        const char *name = axis ? axis->values[i] : base;
        fine = load_base(&bases->list[i], name, sets, folders.list, errors);
        for (size_t e = 0; axis && e < errors->count; e++)
            name_option(&errors->list[e], name);
    }
    bs_folders_free(&folders);
    return fine;
}

bool bs_bases_are_changed_alike(const struct bs_bases *bases)
{
    for (size_t i = 1; i < bases->count; i++)
        if (strcmp(bases->list[i].changes, bases->list[0].changes) != 0)
            return false;
    return true;
}

void bs_bases_free(struct bs_bases *bases)
{
    for (size_t i = 0; i < bases->count; i++)
        free(bases->list[i].changes);
    free(bases->list);
    *bases = (struct bs_bases){0};
}

/* ---- models ---------------------------------------------------------------------------------- */

static bool add_words(struct bs_words *words, const struct bs_words *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!bs_words_add(words, more->list[i]))
            return false;
    return true;
}

/* Says of an override that was made of a value that it was varied, not set. */
static void name_varied(struct bs_error *error, const struct bs_words *words, size_t sets)
{
    static const char set[] = "--set ";
    const char *rest = error->file + strlen(set);
    if (strncmp(error->file, set, strlen(set)) != 0)
        return;
    for (size_t i = sets; i < words->count; i++)
        if (strcmp(rest, words->list[i]) == 0)
            snprintf(error->file, sizeof error->file, "--vary %s", words->list[i]);
}

/* The model of a combination. Without one, *error says why; its status is BS_INTERNAL when memory
 * is out. */
static struct bs_model *load(const struct bs_plan *plan, size_t combination, const char *base,
                             const struct bs_words *sets, const struct bs_folders *folders,
                             struct bs_error *error)
{
    struct bs_buffer text = {0};
    struct bs_words words = {0};
    struct bs_errors errors = {0};
    struct bs_model *model = NULL;
    bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    for (size_t i = 0; i < plan->axis_count; i++)
        if (plan->axes[i].kind == BS_AXIS_MODEL)
            base = bs_plan_value(plan, combination, i);
    if (add_words(&words, sets) && bs_plan_words(plan, combination, BS_AXIS_KEY, &text, &words))
        model = bs_model_load(base, folders->list, words.list, &errors);
    if (errors.count) {
        *error = errors.list[0];
        name_varied(error, &words, sets->count);
    }
    bs_errors_free(&errors);
    bs_words_free(&words);
    bs_buffer_free(&text);
    return model;
}

bool bs_plan_load(const struct bs_plan *plan, const char *base, const struct bs_words *sets,
                  struct bs_model **models, struct bs_error *errors)
{
    struct bs_folders folders;
    if (!bs_folders_find(&folders))
        return false;
    bool fine = true;
    for (size_t i = 0; fine && i < plan->models; i++) {
        models[i] = load(plan, i * plan->lets, base, sets, &folders, &errors[i]);
        fine = models[i] || errors[i].status != BS_INTERNAL;
    }
    bs_folders_free(&folders);
    return fine;
}
