/* Which device models there are. */
#ifndef BS_MODEL_NAMES_H
#define BS_MODEL_NAMES_H

#include "lookup.h"

/* The names of the models in all folders, each once, sorted. */
struct bs_model_names {
    char **list;
    size_t count;
    size_t room;
};

/* False when memory is out. Either way the names are the caller's to free. */
bool bs_model_names_find(struct bs_model_names *names, const struct bs_folders *folders);
void bs_model_names_free(struct bs_model_names *names);

/* The first model that is for devices of a compute capability: its name, written to and returned as
 * out. NULL after filling error, if there is none. */
const char *bs_model_name_for(const uint32_t cc[2], char *out, size_t room, struct bs_error *error);

#endif
