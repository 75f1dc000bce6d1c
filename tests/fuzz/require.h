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
