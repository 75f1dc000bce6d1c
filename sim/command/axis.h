/* What a sweep varies: keys with the values that each takes in turn. */
#ifndef BS_AXIS_H
#define BS_AXIS_H

#include "bankshot.h"
#include "core/buffer.h"

enum { BS_MAX_AXES = 8, BS_MAX_COMBINATIONS = 4096 };

enum bs_axis_kind {
    BS_AXIS_KEY,   /* a key of the model */
    BS_AXIS_MODEL, /* the model itself */
    BS_AXIS_LET,   /* a name in an address expression */
};

/* The values are texts, as they would be written after "KEY=". Freed by bs_axis_free. */
struct bs_axis {
    enum bs_axis_kind kind;
    char *key;
    char **values;
    size_t count;
    size_t room;
};

/* Reads "KEY=VALUES": a list joined by commas of values and of ranges A..B, A..B:STEP or A..B:xN.
 * Commas in brackets or parentheses do not divide. option names it in errors. */
bool bs_axis_parse(struct bs_axis *axis, const char *option, bool is_let, const char *text,
                   struct bs_error *error);
void bs_axis_free(struct bs_axis *axis);

#endif
