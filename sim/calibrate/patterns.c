/* See patterns.h. */
#include "patterns.h"

#include <string.h>

uint64_t bs_draw(uint64_t *state) /* splitmix64 */
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* ---- addresses, in units of the op's alignment ------------------------------------------------
 */

static void strided(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    static const uint32_t strides[] = {1, 1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 64};
    const uint32_t stride = strides[bs_draw_below(state, sizeof strides / sizeof *strides)];
    const uint32_t base = bs_draw_below(state, units);
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        unit[t] = base + t * stride;
}

/* Few places, so that lanes share them, or many, so that they collide. */
static void crowded(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    const uint32_t places = 2u << bs_draw_below(state, 9);
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        unit[t] = bs_draw_below(state, places < units ? places : units);
}

/* Every lane at the address of the lane that a partner gives: pairs of neighbours, of next but
 * ones and so on. */
static void paired(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    const uint32_t partner = 1u << bs_draw_below(state, 5);
    const uint32_t places = 8u << bs_draw_below(state, 7);
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        unit[t] =
            t & partner ? unit[t ^ partner] : bs_draw_below(state, places < units ? places : units);
}

static void shuffled(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    const uint32_t stride = 1u << bs_draw_below(state, 3);
    (void)units;
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++) {
        const uint32_t place = bs_draw_below(state, t + 1);
        unit[t] = unit[place];
        unit[place] = t * stride;
    }
}

/* Groups of neighbouring lanes at one place. */
static void grouped(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    const uint32_t lanes = 2u << bs_draw_below(state, 5);
    const uint32_t stride = 1 + bs_draw_below(state, 40);
    (void)units;
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        unit[t] = t / lanes * stride;
}

/* A few columns of memory, some power of two apart, and random rows: deep conflicts. */
static void columns(uint32_t unit[BS_GAUGE_LANES], uint32_t units, uint64_t *state)
{
    const uint32_t apart = 4u << bs_draw_below(state, 5);
    const uint32_t wide = 1 + bs_draw_below(state, 4);
    const uint32_t rows = units / apart > 40 ? 40 : units / apart;
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        unit[t] = bs_draw_below(state, wide) + bs_draw_below(state, rows ? rows : 1) * apart;
}

/* ---- masks ------------------------------------------------------------------------------------
 */

static uint32_t draw_mask(uint64_t *state)
{
    const uint32_t lanes = (uint32_t)bs_draw(state);
    switch (bs_draw_below(state, 10)) {
    case 0: /* about half of the lanes */
        return lanes ? lanes : 1;
    case 1: { /* one of each pair */
        const uint32_t partner = 1u << bs_draw_below(state, 3);
        uint32_t mask = 0;
        for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
            if (!(t & partner))
                mask |= 1u << (lanes >> t & 1 ? t : t | partner);
        return mask;
    }
    case 2: { /* some neighbours */
        const uint32_t count = 4u << bs_draw_below(state, 3);
        return ((1u << count) - 1) << bs_draw_below(state, BS_GAUGE_LANES / count) * count;
    }
    case 3: /* a few */
        return 1u << (lanes & 31) | 1u << (lanes >> 5 & 31) | 1u << (lanes >> 10 & 31);
    default:
        return UINT32_MAX;
    }
}

/* ---- sources ----------------------------------------------------------------------------------
 */

/* Where a copy's lanes read: contiguous, shifted against the lines of memory, in rows, or anywhere.
 */
static void draw_sources(struct bs_pattern *pattern, uint64_t *state)
{
    const uint32_t bytes = pattern->op.bytes;
    const uint32_t units = BS_GAUGE_SOURCE / bytes;
    const uint32_t places = 8u << bs_draw_below(state, 8);
    const uint32_t lanes = 1u << bs_draw_below(state, 6); /* of a row */
    const uint32_t pitch = lanes + bs_draw_below(state, 128 / bytes);
    const uint32_t shift = bs_draw_below(state, 8);
    const uint32_t family = bs_draw_below(state, 3);
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++) {
        const uint32_t unit = family == 0   ? shift + t
                              : family == 1 ? t / lanes * pitch + t % lanes
                                            : bs_draw_below(state, places < units ? places : units);
        pattern->src[t] = unit % units * bytes;
    }
}

/* ---- patterns ---------------------------------------------------------------------------------
 */

void bs_pattern_draw(struct bs_pattern *pattern, struct bs_op op, uint64_t *state)
{
    static void (*const shapes[])(uint32_t[BS_GAUGE_LANES], uint32_t, uint64_t *) = {
        strided, crowded, paired, shuffled, grouped, columns};
    const uint32_t alignment = bs_op_alignment(op);
    const uint32_t units = BS_GAUGE_MEMORY / alignment;
    memset(pattern, 0, sizeof *pattern);
    pattern->op = op;
    /* Every lane takes part in a matrix instruction. */
    pattern->mask = bs_op_is_matrix(op) ? UINT32_MAX : draw_mask(state);
    shapes[bs_draw_below(state, sizeof shapes / sizeof *shapes)](pattern->addr, units, state);
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        pattern->addr[t] = pattern->addr[t] % units * alignment;
    if (bs_op_is_copy(op))
        draw_sources(pattern, state);
}

struct bs_access bs_pattern_access(const struct bs_pattern *pattern, uint64_t src[BS_GAUGE_LANES])
{
    for (uint32_t t = 0; t < BS_GAUGE_LANES; t++)
        src[t] = pattern->src[t];
    return (struct bs_access){.op = pattern->op,
                              .mask = pattern->mask,
                              .addr = pattern->addr,
                              .src = bs_op_is_copy(pattern->op) ? src : NULL};
}
