/* How long does a sweep of many models take against running one? */
#ifndef SWEEPING_H
#define SWEEPING_H

#include "bankshot.h"

/* Prints the time per model of a sweep as a ratio to a plain run of the same trace with model.
 * False when something went wrong, or when the sweep and the run differ. */
bool measure_sweeping(const struct bs_model *model, const char *const *folders, bool quick);

#endif
