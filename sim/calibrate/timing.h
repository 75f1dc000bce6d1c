/* Finding the numbers of a model's timing section. */
#ifndef BS_CALIBRATE_TIMING_H
#define BS_CALIBRATE_TIMING_H

#include "core/buffer.h"
#include "fit.h"

struct bs_timing_finding {
    struct bs_values range[BS_TIMING_NUMBERS]; /* see struct bs_fit */
    uint32_t branch;                           /* see struct bs_fit */
    size_t tried;                              /* random loops that were timed after the fit */
    double mean_error;           /* of the engine on them, in per cent of the measured cycles */
    double worst_error;          /* likewise */
    struct bs_timed_loop *loops; /* all that were timed, the random ones last */
    double *predicted;           /* what the engine says of each */
    size_t loop_count;
};

/* Fits timing to the loops of a device whose geometry and rules the model has. Each number is read
 * off the loops in which it decides: see the table in timing.c. The caller frees the finding. */
bool bs_find_timing(struct bs_gauge *gauge, const struct bs_model *model, uint64_t seed,
                    struct bs_timing *timing, struct bs_timing_finding *finding,
                    struct bs_error *error);
/* Whether the loops tell the value of a number from all others. */
bool bs_timing_is_seen(const struct bs_timing_finding *finding, enum bs_key key);

/* What is to be said of a number that they do not tell: "19 to 64 do as well: ...". */
void bs_timing_describe(const struct bs_timing_finding *finding, enum bs_key key,
                        struct bs_buffer *out);

void bs_timing_finding_free(struct bs_timing_finding *finding);

#endif
