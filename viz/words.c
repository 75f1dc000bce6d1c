/* Accesses in words. */
#include "words.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void append(char out[BS_WORDS_ROOM], const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, BS_WORDS_ROOM - used, "%s", text);
}

/* ---- patterns -------------------------------------------------------------------------------- */

/* address = base + inner * (t mod size) + outer * (t div size); size 64: one stride for all. */
struct pattern {
    int64_t base, inner, outer;
    uint32_t size;
};

static bool fits(const struct pattern *pattern, const struct bs_access *access, uint64_t lanes)
{
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t t = bs_lanes_lowest(lanes);
        if (pattern->base + pattern->inner * (t % pattern->size) +
                pattern->outer * (t / pattern->size) !=
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

static bool find_pattern(struct pattern *pattern, const struct bs_access *access, uint64_t lanes)
{
    const uint32_t first = bs_lanes_lowest(lanes);
    for (uint32_t size = BS_MAX_LANES; size > 1; size /= 2) {
        const uint64_t block = size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX;
        const uint64_t own = lanes & block << first / size * size;
        *pattern = (struct pattern){.size = size};
        if (!stride_of(access, own, &pattern->inner) ||
            !rise_of_blocks(access, lanes, size, pattern->inner, &pattern->outer))
            continue;
        pattern->base =
            access->addr[first] - pattern->inner * (first % size) - pattern->outer * (first / size);
        if (fits(pattern, access, lanes))
            return true;
    }
    return false;
}

/* Adds "128 t" or "+ 128 t" to a sum. */
static void add_term(char out[BS_WORDS_ROOM], int64_t factor, const char *name)
{
    char term[64];
    const char *sign = factor < 0 ? (out[0] ? " \u2212 " : "\u2212") : out[0] ? " + " : "";
    const int64_t size = factor < 0 ? -factor : factor;
    if (!factor)
        return;
    if (!*name)
        snprintf(term, sizeof term, "%s%" PRId64, sign, size);
    else if (size == 1)
        snprintf(term, sizeof term, "%s%s", sign, name);
    else
        snprintf(term, sizeof term, "%s%" PRId64 " %s", sign, size, name);
    append(out, term);
}

bool bs_words_pattern(const struct bs_access *access, uint64_t lanes, char out[BS_WORDS_ROOM])
{
    struct pattern pattern;
    char inner[32] = "t";
    char outer[32];
    out[0] = '\0';
    if (!lanes || !find_pattern(&pattern, access, lanes))
        return false;
    if (pattern.size < BS_MAX_LANES)
        snprintf(inner, sizeof inner, "(t mod %u)", pattern.size);
    snprintf(outer, sizeof outer, "\u230at/%u\u230b", pattern.size);
    const bool falls = pattern.inner < 0 && pattern.outer <= 0; /* begin with what is positive */
    if (falls)
        add_term(out, pattern.base, "");
    add_term(out, pattern.inner, inner);
    if (pattern.size < BS_MAX_LANES)
        add_term(out, pattern.outer, outer);
    if (!falls)
        add_term(out, pattern.base, "");
    if (!out[0])
        append(out, "0");
    return true;
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* What a lane does to the bytes, for one lane and for several. */
static const struct {
    const char *one, *many;
} verbs[BS_KINDS] = {
    [BS_LD] = {"reads", "read"},
    [BS_ST] = {"writes", "write"},
    [BS_ATOM] = {"updates", "update"},
    [BS_RED] = {"updates", "update"},
    [BS_LDMATRIX] = {"names a row of", "name a row of"},
    [BS_STMATRIX] = {"names a row of", "name a row of"},
    [BS_CP_ASYNC] = {"copies", "copy"},
    [BS_CP_ASYNC_CG] = {"copies", "copy"},
    [BS_BAR] = {"waits", "wait"},
};

static bool all_same(const struct bs_access *access, uint64_t lanes)
{
    const uint32_t first = access->addr[bs_lanes_lowest(lanes)];
    for (; lanes; lanes &= lanes - 1)
        if (access->addr[bs_lanes_lowest(lanes)] != first)
            return false;
    return true;
}

static void range_of(const struct bs_access *access, uint64_t lanes, uint32_t *least,
                     uint32_t *largest)
{
    *least = UINT32_MAX;
    *largest = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t addr = access->addr[bs_lanes_lowest(lanes)];
        *least = addr < *least ? addr : *least;
        *largest = addr > *largest ? addr : *largest;
    }
}

const char *bs_words_of(const struct bs_access *access, uint64_t lanes, uint32_t warp,
                        char out[BS_WORDS_ROOM])
{
    char pattern[BS_WORDS_ROOM];
    char active[48];
    const uint32_t count = bs_lanes_count(lanes);
    const uint32_t bytes = access->op.bytes;
    const char *plural = bytes == 1 ? "" : "s";
    if (access->op.kind == BS_BAR)
        snprintf(out, BS_WORDS_ROOM, "the warp waits for the others of its CTA");
    else if (count == 0)
        snprintf(out, BS_WORDS_ROOM, "no lane is active");
    else if (count == 1)
        snprintf(out, BS_WORDS_ROOM, "lane %u %s %u byte%s at %u", bs_lanes_lowest(lanes),
                 verbs[access->op.kind].one, bytes, plural, access->addr[bs_lanes_lowest(lanes)]);
    else if (all_same(access, lanes))
        snprintf(out, BS_WORDS_ROOM, "all lanes %s the same %u byte%s, at %u",
                 verbs[access->op.kind].many, bytes, plural, access->addr[bs_lanes_lowest(lanes)]);
    else if (bs_words_pattern(access, lanes, pattern))
        snprintf(out, BS_WORDS_ROOM, "lane t %s %u byte%s at %.180s", verbs[access->op.kind].one,
                 bytes, plural, pattern);
    else {
        uint32_t least;
        uint32_t largest;
        range_of(access, lanes, &least, &largest);
        snprintf(out, BS_WORDS_ROOM, "lanes %s %u byte%s each, between %u and %u",
                 verbs[access->op.kind].many, bytes, plural, least, largest + bytes - 1);
    }
    if (count > 1 && count < warp && !bs_op_is_matrix(access->op)) {
        snprintf(active, sizeof active, "; %u of %u lanes are active", count, warp);
        append(out, active);
    }
    return out;
}

const char *bs_words_general(const struct bs_access *access, char out[BS_WORDS_ROOM])
{
    snprintf(out, BS_WORDS_ROOM, "each lane %s %u byte%s", verbs[access->op.kind].one,
             access->op.bytes, access->op.bytes == 1 ? "" : "s");
    return out;
}
