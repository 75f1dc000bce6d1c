/* Accesses in words. */
#include "words.h"

#include "core/lanes.h"

#include <stdio.h>
#include <string.h>

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

static void append(char out[BS_WORDS_ROOM], const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, BS_WORDS_ROOM - used, "%s", text);
}

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
    char pattern[BS_ADDRESS_RULE];
    char active[48];
    const enum bs_address_rule rule = bs_address_rule(access, lanes, BS_RULE_BRIEF, pattern);
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
    else if (rule == BS_RULE_FORMULA)
        snprintf(out, BS_WORDS_ROOM, "lane t %s %u byte%s at %.180s", verbs[access->op.kind].one,
                 bytes, plural, pattern);
    else if (rule == BS_RULE_SWIZZLE)
        snprintf(out, BS_WORDS_ROOM, "lanes %s %u byte%s each: %.180s", verbs[access->op.kind].many,
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
