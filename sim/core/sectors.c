/*
 * Async copies that go past the load-store unit (cp.async.cg): the data arrive in sectors of global
 * memory, and what counts is which sectors move together. The rule, of docs/model.md, is measured on
 * an H200; docs/hardware.md says how.
 */
#include "lanes.h"
#include "steps.h"

/* What moves in one go: the pieces that one source sector gives one destination sector. */
struct unit {
    uint64_t source; /* sector */
    uint32_t target; /* sector */
    uint32_t swap;   /* how the pieces of the sector change places */
    uint64_t pieces; /* of the destination sector */
    uint64_t lanes;
};

static uint64_t source_of(const struct bs_access *access, unsigned lane)
{
    return access->src ? access->src[lane] : (uint64_t)lane * access->op.bytes;
}

static uint64_t first_with_destination(const struct bs_access *access, uint64_t lanes)
{
    uint64_t kept = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        bool fresh = true;
        for (uint64_t seen = kept; seen && fresh; seen &= seen - 1)
            fresh = access->addr[bs_lanes_lowest(seen)] != access->addr[t];
        if (fresh)
            kept |= UINT64_C(1) << t;
    }
    return kept;
}

/* The lanes that move in one round: of those that bring one piece to the same place of a sector of
 * one line, the highest. */
static uint64_t next_round(const struct bs_rule *rule, const struct bs_access *access,
                           uint64_t waiting)
{
    const uint32_t piece = access->op.bytes;
    uint64_t round = 0;
    for (uint64_t rest = waiting; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        bool highest = true;
        for (uint64_t above = rest & (rest - 1); above && highest; above &= above - 1) {
            const unsigned o = bs_lanes_lowest(above);
            highest = source_of(access, o) / piece != source_of(access, t) / piece ||
                      access->addr[o] / rule->source_line != access->addr[t] / rule->source_line ||
                      (access->addr[o] ^ access->addr[t]) / piece % (rule->sector_bytes / piece);
        }
        round |= highest ? UINT64_C(1) << t : 0;
    }
    return round;
}

static unsigned gather_units(const struct bs_rule *rule, const struct bs_access *access,
                             uint64_t lanes, struct unit units[BS_MAX_LANES])
{
    const uint32_t sector = rule->sector_bytes;
    const uint32_t piece = access->op.bytes;
    const uint32_t pieces = sector / piece;
    unsigned count = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const uint64_t source = source_of(access, t);
        const uint32_t target = access->addr[t];
        struct unit unit = {.source = source / sector,
                            .target = target / sector,
                            .swap = (uint32_t)(source / piece ^ target / piece) & (pieces - 1)};
        unsigned i = 0;
        while (i < count && !(units[i].source == unit.source && units[i].target == unit.target &&
                              units[i].swap == unit.swap))
            i++;
        if (i == count)
            units[count++] = unit;
        units[i].pieces |= UINT64_C(1) << (target / piece % pieces);
        units[i].lanes |= UINT64_C(1) << t;
    }
    return count;
}

static bool go_together(const struct bs_rule *rule, const struct unit *a, const struct unit *b)
{
    const uint32_t sectors = rule->source_line / rule->sector_bytes;
    return a->source / sectors == b->source / sectors &&
           a->target / sectors == b->target / sectors && a->swap == b->swap &&
           a->pieces == b->pieces && ((a->source ^ a->target) & 1) == ((b->source ^ b->target) & 1);
}

static void set_pass(struct bs_sectors *sectors, uint64_t lanes, uint32_t pass)
{
    for (; lanes; lanes &= lanes - 1)
        sectors->pass[bs_lanes_lowest(lanes)] = (uint16_t)pass;
}

/* The first unit that a unit goes together with: itself, if there is none before it. */
static unsigned first_companion(const struct bs_rule *rule, const struct unit *units, unsigned at)
{
    unsigned i = 0;
    while (i < at && !go_together(rule, &units[i], &units[at]))
        i++;
    return i;
}

void bs_sectors_of(struct bs_sectors *sectors, const struct bs_rule *rule,
                   const struct bs_access *access, uint64_t lanes)
{
    struct unit units[BS_MAX_LANES];
    uint32_t pass[BS_MAX_LANES]; /* by unit */
    const uint64_t kept = first_with_destination(access, lanes);
    sectors->dropped = lanes & ~kept;
    sectors->passes = 0;
    for (uint64_t left = kept, round; left; left &= ~round) {
        round = next_round(rule, access, left);
        const unsigned count = gather_units(rule, access, round, units);
        for (unsigned i = 0; i < count; i++) {
            const unsigned first = first_companion(rule, units, i);
            pass[i] = first < i ? pass[first] : sectors->passes++;
            set_pass(sectors, units[i].lanes, pass[i]);
        }
    }
}
