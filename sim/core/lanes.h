/* Lane sets: a uint64_t whose bit t stands for lane t. */
#ifndef BS_LANES_H
#define BS_LANES_H

#include <stdint.h>

/* The number of lanes. Both functions are in shapes that compilers turn into one instruction. */
static inline unsigned bs_lanes_count(uint64_t lanes)
{
    lanes -= lanes >> 1 & UINT64_C(0x5555555555555555);
    lanes = (lanes & UINT64_C(0x3333333333333333)) + (lanes >> 2 & UINT64_C(0x3333333333333333));
    lanes = (lanes + (lanes >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(lanes * UINT64_C(0x0101010101010101) >> 56);
}

/* The lowest lane of a set that is not empty. */
static inline unsigned bs_lanes_lowest(uint64_t lanes)
{
    static const uint8_t place[64] = {
        0,  1,  2,  53, 3,  7,  54, 27, 4,  38, 41, 8,  34, 55, 48, 28, 62, 5,  39, 46, 44, 42,
        22, 9,  24, 35, 59, 56, 49, 18, 29, 11, 63, 52, 6,  26, 37, 40, 33, 47, 61, 45, 43, 21,
        23, 58, 17, 10, 51, 25, 36, 32, 60, 20, 57, 16, 50, 31, 19, 15, 30, 14, 13, 12,
    };
    return place[(lanes & (0 - lanes)) * UINT64_C(0x022fdd63cc95386d) >> 58];
}

#endif
