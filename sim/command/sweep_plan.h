/* The combinations of a sweep: the product of what its axes vary, and the model of each. */
#ifndef BS_SWEEP_PLAN_H
#define BS_SWEEP_PLAN_H

#include "axis.h"
#include "options.h"
#include "sweep_engine.h"

/* Combinations are numbered with the last axis running fastest; axes that vary names of an
 * expression come after those that vary the model. Start with {0}. */
struct bs_plan {
    struct bs_axis axes[BS_MAX_AXES];
    size_t axis_count;
    size_t models; /* combinations of what varies the model */
    size_t lets;   /* combinations of names, for each of them */
    size_t count;  /* of all */
};

/* Both lists end with NULL or are NULL. */
bool bs_plan_make(struct bs_plan *plan, const char *const *vary, const char *const *vary_let,
                  struct bs_error *error);

/* Whether every override and every value of a model's key is one that its key can take, and nothing
 * is varied that sets or lets give a value. */
bool bs_plan_check(const struct bs_plan *plan, const struct bs_words *sets,
                   const struct bs_words *lets, struct bs_error *error);
void bs_plan_free(struct bs_plan *plan);

/* The axis that varies the model itself, or NULL. */
const struct bs_axis *bs_plan_model_axis(const struct bs_plan *plan);

/* The number of the value that an axis has in a combination. */
size_t bs_plan_place(const struct bs_plan *plan, size_t combination, size_t axis);
const char *bs_plan_value(const struct bs_plan *plan, size_t combination, size_t axis);

/* "key=value" for each axis of one kind, added to words; the texts live in text. False when memory
 * is out. */
bool bs_plan_words(const struct bs_plan *plan, size_t combination, enum bs_axis_kind kind,
                   struct bs_buffer *text, struct bs_words *words);

/* A model before anything is varied. */
struct bs_base {
    const char *given; /* its name or path, the caller's */
    char name[64];
    char title[160];
    char *changes; /* what its file changes, and the overrides; empty if nothing */
};

/* All that a plan varies the model over, or the one that it varies nothing of. Start with {0}. */
struct bs_bases {
    struct bs_base *list;
    size_t count;
};

/* Finds the bases: base, or what an axis varies. False, with errors, if one is no model. */
bool bs_plan_bases(const struct bs_plan *plan, const char *base, const struct bs_words *sets,
                   struct bs_bases *bases, struct bs_errors *errors);

/* Whether the changes of all are the same, or there are none. */
bool bs_bases_are_changed_alike(const struct bs_bases *bases);
void bs_bases_free(struct bs_bases *bases);

/* Loads the models of all combinations: base, or what an axis varies, changed by sets and then by
 * the axes. What cannot be had is a cell without a model that says why. False when memory is out.
 * The models are the caller's to free. */
bool bs_plan_load(const struct bs_plan *plan, const char *base, const struct bs_words *sets,
                  struct bs_model **models, struct bs_error *errors);

#endif
