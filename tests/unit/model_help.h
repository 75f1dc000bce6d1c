/* What the tests of models share: models that must load, and whether two are the same. */
#ifndef MODEL_HELP_H
#define MODEL_HELP_H

#include "bankshot.h"

/* The model of a text with one override or none (NULL). Fails the test if it does not load. */
struct bs_model *parse(const char *text, const char *set);

/* The model of that name in the folder. */
struct bs_model *load(const char *name, const char *folder);

/* The model hopper with overrides: a list that ends with NULL, or NULL. */
struct bs_model *hopper_with(const char *const *sets);

/* The rule of an op by name, or NULL. */
const struct bs_rule *rule_of(const struct bs_model *model, const char *name);

/* Field by field, and rule by rule of each op. */
bool same_model(const struct bs_model *a, const struct bs_model *b);

/* Fails the test if the model's print does not load to the same model. */
void check_print_loads_back(const struct bs_model *model, const char *what);

#endif
