/* Where device models are found, and loading the one that the user asks for. */
#ifndef BS_LOOKUP_H
#define BS_LOOKUP_H

#include "command.h"
#include "core/buffer.h"

/* The model that a run uses when nobody names one. */
#define BS_DEFAULT_MODEL "hopper"

/* The folders of device models, as bs_model_folders gives them. */
struct bs_folders {
    const char **list; /* ends with NULL */
    size_t count;
};

/* False when memory is out. */
bool bs_folders_find(struct bs_folders *folders);
void bs_folders_free(struct bs_folders *folders);

/* Loads a model by name or path. NULL with the errors, none if memory is out. sets ends with NULL
 * or is NULL. */
struct bs_model *bs_load_model(const char *name, const char *const *sets, struct bs_errors *errors);

/* The same. NULL after complaining, with *status. sets ends with NULL or is
 * NULL. */
struct bs_model *bs_find_model(const char *name, const char *const *sets, enum bs_status *status);

#endif
