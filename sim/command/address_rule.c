/* Rules of addresses: found by trying, said in words. */
#include "address_rule.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- strides --------------------------------------------------------------------------------- */

/* address = base + inner * (t mod size) + outer * (t div size); size 64: one stride for all. */
struct strides {
    int64_t base, inner, outer;
    uint32_t size;
};

static bool fits(const struct strides *strides, const struct bs_access *access, uint64_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t t = bs_lanes_lowest(lanes);
        if (strides->base + strides->inner * (t % strides->size) +
                strides->outer * (t / strides->size) !=
            access->addr[t])
            return false;
    }
    return true;
}

/* The stride that the first two of the lanes have between them; false if it is no whole number. */
static bool stride_of(const struct bs_access *access, uint64_t lanes, int64_t *stride)
{
    *stride = 0;
    const uint64_t others = lanes & (lanes - 1);
    if (!others)
        return true;
    const uint32_t a = bs_lanes_lowest(lanes);
    const uint32_t b = bs_lanes_lowest(others);
    const int64_t rise = (int64_t)access->addr[b] - access->addr[a];
    *stride = rise / (int64_t)(b - a);
    return *stride * (int64_t)(b - a) == rise;
}

/* What comes on top from one block of so many lanes to the next, read off the first two of them;
 * false if it is no whole number. */
static bool rise_of_blocks(const struct bs_access *access, uint64_t lanes, uint32_t size,
                           int64_t inner, int64_t *rise)
{
    const uint32_t a = bs_lanes_lowest(lanes);
    const uint64_t block = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
    const uint64_t others = lanes & ~(block << a / size * size);
    *rise = 0;
    if (!others)
        return true;
    const uint32_t b = bs_lanes_lowest(others);
    const int64_t blocks = b / size - a / size;
    const int64_t whole = (int64_t)access->addr[b] - access->addr[a] -
                          inner * ((int64_t)(b % size) - (int64_t)(a % size));
    *rise = whole / blocks;
    return *rise * blocks == whole;
}

static bool find_strides(struct strides *strides, const struct bs_access *access, uint64_t lanes)
{
    const uint32_t first = bs_lanes_lowest(lanes);
    for (uint32_t size = BS_MAX_LANES; size > 1; size /= 2) {
        const uint64_t block = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
        const uint64_t own = lanes & block << first / size * size;
        *strides = (struct strides){.size = size};
        if (!stride_of(access, own, &strides->inner) ||
            !rise_of_blocks(access, lanes, size, strides->inner, &strides->outer))
            continue;
        strides->base =
            access->addr[first] - strides->inner * (first % size) - strides->outer * (first / size);
        if (fits(strides, access, lanes))
            return true;
    }
    return false;
}

/* ---- swizzles -------------------------------------------------------------------------------- */

enum { LANE_BITS = 6 };

/* address = origin xor change[i] for every bit i of t that is set. */
struct bits {
    uint32_t origin;
    uint32_t change[LANE_BITS];
};

static uint32_t xor_of(const struct bits *bits, uint32_t t)
{
    uint32_t value = bits->origin;
    for (unsigned i = 0; i < LANE_BITS; i++)
        value ^= t >> i & 1 ? bits->change[i] : 0;
    return value;
}

static uint64_t sum_of(const struct bits *bits, uint32_t t)
{
    uint64_t value = bits->origin;
    for (unsigned i = 0; i < LANE_BITS; i++)
        value += t >> i & 1 ? bits->change[i] : 0;
    return value;
}

/* What a bit of t changes, read off two lanes that differ in it alone. False if only some lanes
 * have it set and there are no such two. */
static bool change_of(const struct bs_access *access, uint64_t lanes, unsigned bit,
                      uint32_t *change)
{
    const uint32_t step = 1u << bit;
    bool set = false;
    bool clear = false;
    *change = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t t = bs_lanes_lowest(rest);
        set = set || t & step;
        clear = clear || !(t & step);
        if (!(t & step) && lanes >> (t | step) & 1) {
            *change = access->addr[t] ^ access->addr[t | step];
            return true;
        }
    }
    return !(set && clear);
}

/* Whether each bit of t changes the same bits of the address, and that is no mere sum. */
static bool find_bits(struct bits *bits, const struct bs_access *access, uint64_t lanes)
{
    bool mere_sum = true;
    const uint32_t first = bs_lanes_lowest(lanes);
    bits->origin = 0;
    for (unsigned i = 0; i < LANE_BITS; i++)
        if (!change_of(access, lanes, i, &bits->change[i]))
            return false;
    bits->origin = access->addr[first] ^ xor_of(bits, first);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t t = bs_lanes_lowest(rest);
        if (xor_of(bits, t) != access->addr[t])
            return false;
        mere_sum = mere_sum && sum_of(bits, t) == access->addr[t];
    }
    return !mere_sum;
}

static uint32_t lowest_bit(uint32_t value)
{
    return value & (0u - value);
}

static uint32_t highest_bit(uint32_t value)
{
    while (value & (value - 1))
        value &= value - 1;
    return value;
}

/* "4 (t xor 5) + 128": every bit of t that changes something changes one bit of the address, in
 * the order of the bits. False if it is not so. */
static bool lanes_words(const struct bits *bits, char *out)
{
    const uint32_t unit = bits->change[0];
    uint32_t all = 0;
    if (!unit || lowest_bit(unit) != unit)
        return false;
    for (unsigned i = 0; i < LANE_BITS && bits->change[i]; i++) {
        if (bits->change[i] != unit << i)
            return false;
        all |= unit << i;
    }
    for (unsigned i = 0; i < LANE_BITS; i++)
        if (bits->change[i] & ~all)
            return false;
    const uint32_t base = bits->origin & ~all;
    char term[32] = "";
    char sum[32] = "";
    if (unit > 1)
        snprintf(term, sizeof term, "%" PRIu32 " ", unit);
    if (base)
        snprintf(sum, sizeof sum, " + %" PRIu32, base);
    snprintf(out, BS_ADDRESS_RULE, "%s(t xor %" PRIu32 ")%s", term, (bits->origin & all) / unit,
             sum);
    return true;
}

/* Bits of t that go to another row change the unit within the row too. False if there are none. */
static bool rows_words(const struct bits *bits, bool units, char *out)
{
    uint32_t row = 0;
    uint32_t unit = 0;
    uint32_t rows = 1;
    for (unsigned i = 0; i < LANE_BITS; i++) {
        const uint32_t change = bits->change[i];
        const uint32_t top = highest_bit(change);
        if (change == top)
            continue;
        rows *= 2;
        row = !row || top < row ? top : row;
        unit = !unit || lowest_bit(change) < unit ? lowest_bit(change) : unit;
    }
    char tail[32] = "";
    if (units)
        snprintf(tail, sizeof tail, ", units of %" PRIu32, unit);
    snprintf(out, BS_ADDRESS_RULE, "row-XOR swizzle, %" PRIu32 " rows of %" PRIu32 " bytes%s", rows,
             row, tail);
    return rows > 1;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void append(char *out, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, BS_ADDRESS_RULE - used, "%s", text);
}

/* Adds "128 t" or "+ 128 t" to a sum. */
static void add_term(char *out, bool unicode, int64_t factor, const char *name)
{
    char term[64];
    const char *minus = unicode ? "\u2212" : "-";
    const char *sign = factor < 0 ? minus : out[0] ? "+" : "";
    const char *blank = out[0] ? " " : "";
    const int64_t size = factor < 0 ? -factor : factor;
    if (!factor)
        return;
    if (size == 1 && *name)
        snprintf(term, sizeof term, "%s%s%s%s", blank, sign, blank, name);
    else
        snprintf(term, sizeof term, "%s%s%s%" PRId64 "%s%s", blank, sign, blank, size,
                 *name ? " " : "", name);
    append(out, term);
}

static void strides_words(const struct strides *strides, bool unicode, char *out)
{
    char inner[32] = "t";
    char outer[32];
    if (strides->size < BS_MAX_LANES)
        snprintf(inner, sizeof inner, "(t mod %u)", strides->size);
    snprintf(outer, sizeof outer, unicode ? "\u230at/%u\u230b" : "[t/%u]", strides->size);
    const bool falls = strides->inner < 0 && strides->outer <= 0; /* begin with what is positive */
    if (falls)
        add_term(out, unicode, strides->base, "");
    add_term(out, unicode, strides->inner, inner);
    if (strides->size < BS_MAX_LANES)
        add_term(out, unicode, strides->outer, outer);
    if (!falls)
        add_term(out, unicode, strides->base, "");
    if (!out[0])
        append(out, "0");
}

enum bs_address_rule bs_address_rule(const struct bs_access *access, uint64_t lanes,
                                     enum bs_rule_form form, char out[BS_ADDRESS_RULE])
{
    struct strides strides;
    struct bits bits;
    out[0] = '\0';
    if (!lanes)
        return BS_RULE_UNKNOWN;
    const bool strided = find_strides(&strides, access, lanes);
    const bool swizzled =
        !(strided && strides.size == BS_MAX_LANES) && find_bits(&bits, access, lanes);
    if (swizzled && lanes_words(&bits, out))
        return BS_RULE_FORMULA;
    if (swizzled && rows_words(&bits, form != BS_RULE_BRIEF, out))
        return BS_RULE_SWIZZLE;
    if (strided) {
        strides_words(&strides, form != BS_RULE_ASCII, out);
        return BS_RULE_FORMULA;
    }
    snprintf(out, BS_ADDRESS_RULE, "%s", swizzled ? "XOR swizzle" : "");
    return swizzled ? BS_RULE_SWIZZLE : BS_RULE_UNKNOWN;
}
