/* The resolved model as JSON. */
#ifndef BS_MODEL_JSON_H
#define BS_MODEL_JSON_H

#include "json.h"

void bs_model_json(struct bs_json *json, const char *key, const struct bs_model *model);

#endif
