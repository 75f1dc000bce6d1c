/* The parameters of a layout sketch, for those who cannot know what else a sketch is. */
#ifndef BS_PARAMS_H
#define BS_PARAMS_H

#include "bankshot-traces.h"

enum { BS_PARAM_NAME = 32 };

struct bs_param {
    char name[BS_PARAM_NAME];
    int64_t value;
};

/* One of the parameters of the sketch that a trace is, from 0. False behind the last, and for all
 * other traces. */
bool bs_param_at(const struct bs_trace *trace, size_t number, struct bs_param *param);

/* The one that a "NAME=VALUE" names. False if there is none. */
bool bs_param_named(const struct bs_trace *trace, const char *word, struct bs_param *param);

/* Whether a trace is made of a sketch, whose records stand where the sketch has the access. */
bool bs_is_sketch(const struct bs_trace *trace);

#endif
