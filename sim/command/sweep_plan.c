/* The combinations of a sweep. */
#include "sweep_plan.h"

#include "lookup.h"

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

/* ---- models ---------------------------------------------------------------------------------- */

static bool add_words(struct bs_words *words, const struct bs_words *more)
{
    for (size_t i = 0; i < more->count; i++)
        if (!bs_words_add(words, more->list[i]))
            return false;
    return true;
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
    if (errors.count)
        *error = errors.list[0];
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
