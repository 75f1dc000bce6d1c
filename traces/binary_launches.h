/* Reading the launches of a native binary. */
#ifndef BS_BINARY_LAUNCHES_H
#define BS_BINARY_LAUNCHES_H

#include "binary.h"
#include "launches.h"

/* The next launch of a block begins; detailed ones say more. If what stands there makes no sense,
 * the cursor fails. text is room for its names, which is used again each time. False when memory is
 * out. */
bool bs_take_launch(struct bs_cursor *cursor, bool detailed, struct bs_buffer *text,
                    struct bs_launches *launches);

#endif
