/* Division by a number that stays the same, as a multiplication and a shift. */
#ifndef BS_DIVIDE_H
#define BS_DIVIDE_H

#include "bankshot.h"

/* Prepares a divisor from 1 on. With L = ceil(log2 by), floor(2^32 (2^L - by) / by) + 1 is what the
 * factor 2^(32 + L) / by, rounded up, exceeds 2^32 by: precise enough for every dividend below 2^32
 * (Granlund and Montgomery, Division by Invariant Integers using Multiplication, 1994). */
static inline struct bs_divisor bs_divisor_of(uint32_t by)
{
    uint32_t log2 = 0;
    while (UINT64_C(1) << log2 < by)
        log2++;
    const uint64_t excess = (((UINT64_C(1) << log2) - by) << 32) / by + 1;
    return (struct bs_divisor){.by = by, .multiplier = (uint32_t)excess, .shift = log2};
}

static inline uint32_t bs_quotient(uint32_t value, const struct bs_divisor *divisor)
{
    const uint64_t high = (uint64_t)divisor->multiplier * value >> 32;
    return (uint32_t)((high + value) >> divisor->shift);
}

static inline uint32_t bs_remainder(uint32_t value, const struct bs_divisor *divisor)
{
    return value - bs_quotient(value, divisor) * divisor->by;
}

#endif
