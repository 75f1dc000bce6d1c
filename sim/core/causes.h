/* What cycles go to and what warps wait for, in words: what every report says comes from here. */
#ifndef BS_CAUSES_H
#define BS_CAUSES_H

#include "bankshot.h"

/* What a cycle of that cause goes to, in a few words. */
const char *bs_cause_meaning(enum bs_cause cause);

/* What a wait is in terms of the causes: the one that a cycle has in which the array rests and all
 * warps wait so; which kind of it, NULL where it has only one; and what the warp waits for, in
 * words, NULL where it does not wait. */
enum bs_cause bs_wait_cause(enum bs_wait wait);
const char *bs_wait_detail(enum bs_wait wait);
const char *bs_wait_meaning(enum bs_wait wait);

#endif
