/* What the engine says that a loop takes. */
#ifndef BS_LOOPS_H
#define BS_LOOPS_H

#include "gauge.h"

/* Cycles of one iteration, from a long run less a short one, so that beginning and end do not
 * count. A chain's last step is waited for by the next iteration's first. Negative when memory is
 * out or the engine refuses. */
double bs_loop_cycles(const struct bs_model *model, const struct bs_timing *timing,
                      const struct bs_loop *loop);

#endif
