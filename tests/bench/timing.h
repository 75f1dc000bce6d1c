/* Measuring time: how many warp instructions a second the engine runs, alone and in all that a run
 * with timing does. */
#ifndef TIMING_H
#define TIMING_H

#include "bankshot.h"

bool measure_timing(const struct bs_model *model, bool quick);

#endif
