/* What to say of a launch in which nothing can ever move again. */
#ifndef BS_STANDSTILL_H
#define BS_STANDSTILL_H

#include "timing.h"

/* Fills error with the state of every warp that is on the multiprocessor; returns false. */
bool bs_standstill(const struct bs_launch *launch, struct bs_error *error);

#endif
