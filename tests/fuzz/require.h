/* What the fuzz targets hold their subjects to. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include "bankshot.h"

#include <stdlib.h>

/* Not assert: it must hold in release builds too. */
static inline void require(bool fact)
{
    if (!fact)
        abort();
}

/* Whether it is an error of a trace. Any bytes may turn out to be a layout sketch, whose faults are
 * those of a layout. */
static inline bool is_fault(const struct bs_error *error)
{
    return (error->status == BS_BAD_TRACE || error->status == BS_BAD_MODEL) && error->text[0];
}

/* Whether two accesses of one mask have the same addresses and sources. */
static inline bool same_lanes(const struct bs_access *a, const struct bs_access *b)
{
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++)
        if ((a->mask >> lane & 1) &&
            (a->addr[lane] != b->addr[lane] || (a->src && a->src[lane] != b->src[lane])))
            return false;
    return true;
}

#endif
