/* How much sooner is a trace replayed when several threads work on it? */
#ifndef THREADING_H
#define THREADING_H

#include "bankshot.h"

/* Prints the speed of reading, pricing and adding up with several threads as a ratio to one. False
 * when something went wrong, or when the sums differ. */
bool measure_threading(const struct bs_model *model, bool quick);

#endif
