/* Loops by name, and what the engine says that one takes. */
#ifndef BS_LOOPS_H
#define BS_LOOPS_H

#include "core/buffer.h"
#include "gauge.h"

bool bs_body_has_loads(enum bs_loop_body body);

/* The op of an access of a body; of a barrier loop its store. */
struct bs_op bs_loop_op(const struct bs_loop *loop, uint32_t step);

/* The loop in six tab-separated columns: kind, body, warps, rotate, iterations of a body, slots of
 * the first warp's accesses. */
void bs_loop_describe(const struct bs_model *model, const struct bs_loop *loop,
                      struct bs_buffer *out);

/* What bs_gauge's time says of a loop: cycles of one iteration, from a long run less a short one,
 * so that beginning and end do not count, or of a burst how long its last loads are on their way.
 * branch is what the machine code's branch takes, in cycles. A chain's last step is waited for by
 * the next iteration's first. Negative when memory is out or the engine refuses. */
double bs_loop_cycles(const struct bs_model *model, const struct bs_timing *timing, uint32_t branch,
                      const struct bs_loop *loop);

#endif
