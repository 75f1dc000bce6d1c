/* Finding the numbers of a model's timing section. */
#ifndef BS_CALIBRATE_TIMING_H
#define BS_CALIBRATE_TIMING_H

#include "gauge.h"

struct bs_timing_finding {
    size_t tried;       /* random loops that were timed after the fit */
    double mean_error;  /* of the engine on them, in per cent of the measured cycles */
    double worst_error; /* likewise */
};

/* Fits timing to the loops of a device whose geometry and rules the model has. Each number is read
 * off the loops in which its effect stands alone: see the table in timing.c. */
bool bs_find_timing(struct bs_gauge *gauge, const struct bs_model *model, uint64_t seed,
                    struct bs_timing *timing, struct bs_timing_finding *finding,
                    struct bs_error *error);

#endif
