/*
 * Async copies that go past the load-store unit (cp.async.cg): the data arrive in sectors of global
 * memory, and what counts is which sectors move together, not which lanes asked. The rule is
 * measured on an H200; docs/hardware.md says how.
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

static bool share_passes(const struct bs_rule *rule, const struct unit *a, const struct unit *b)
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

/* The unit's place among the units before it that share its passes and its source sector. */
static uint32_t turn_of(const struct bs_rule *rule, const struct unit *units, unsigned at)
{
    uint32_t turn = 0;
    for (unsigned i = 0; i < at; i++)
        turn += share_passes(rule, &units[i], &units[at]) && units[i].source == units[at].source;
    return turn;
}

static bool is_first_of_group(const struct bs_rule *rule, const struct unit *units, unsigned at)
{
    for (unsigned i = 0; i < at; i++)
        if (share_passes(rule, &units[i], &units[at]))
            return false;
    return true;
}

void bs_sectors_of(struct bs_sectors *sectors, const struct bs_rule *rule,
                   const struct bs_access *access, uint64_t lanes)
{
    struct unit units[BS_MAX_LANES];
    const uint64_t kept = first_with_destination(access, lanes);
    const unsigned count = gather_units(rule, access, kept, units);
    sectors->dropped = lanes & ~kept;
    sectors->passes = 0;
    for (unsigned group = 0; group < count; group++) {
        if (!is_first_of_group(rule, units, group))
            continue;
        uint32_t passes = 0;
        for (unsigned i = group; i < count; i++) {
            if (!share_passes(rule, &units[group], &units[i]))
                continue;
            const uint32_t turn = turn_of(rule, units, i);
            set_pass(sectors, units[i].lanes, sectors->passes + turn);
            passes = turn + 1 > passes ? turn + 1 : passes;
        }
        sectors->passes += passes;
    }
}
