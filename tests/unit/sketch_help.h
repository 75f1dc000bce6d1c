/* What the tests of sketches and layouts share: sketches written in the test. */
#ifndef SKETCH_HELP_H
#define SKETCH_HELP_H

#include "sketch.h"

/* A sketch, which the caller frees; the test fails, with what is wrong, if it is not a good one. */
struct bs_sketch *good_sketch(const char *text, const struct bs_let *lets, size_t count);

#endif
