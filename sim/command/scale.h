/* The scale of a heat map, the same on paper and in the terminal. */
#ifndef BS_SCALE_H
#define BS_SCALE_H

#include <math.h>
#include <stdbool.h>

/* Costs that span much are told apart by their ratios. */
static inline bool bs_scale_is_log(double least, double largest)
{
    return least > 0 && largest / least >= 8;
}

static inline const char *bs_scale_name(double least, double largest)
{
    return bs_scale_is_log(least, largest) ? "logarithmic" : "linear";
}

/* Where a value stands between the least, 0, and the largest, 1. */
static inline double bs_scale_part(double least, double largest, double value)
{
    if (largest <= least)
        return 0;
    if (bs_scale_is_log(least, largest))
        return log(value / least) / log(largest / least);
    return (value - least) / (largest - least);
}

#endif
