/* See oracle.h. Slow and plain on purpose. */
#include "oracle.h"

#include <string.h>

enum { MOST = 64 * 17 };

/* One lane waits for one row of one bank. */
struct need {
    unsigned lane;
    unsigned bank;
    unsigned row;
    bool served;
};

static bool has(uint64_t lanes, unsigned t)
{
    return lanes >> t & 1;
}

static unsigned bank_of(const struct bs_model *model, uint64_t byte)
{
    const unsigned bank = (unsigned)(byte / model->bank_width % model->banks);
    uint64_t row = byte / model->row_bytes;
    unsigned bits = 0;
    while ((1u << bits) < model->banks)
        bits++;
    if (model->mapping.hash == BS_XOR_ROW)
        return bank ^ (unsigned)(row % model->banks);
    unsigned folded = bank;
    if (model->mapping.hash == BS_XOR_FOLD)
        for (; row && bits; row >>= bits)
            folded ^= (unsigned)(row % model->banks);
    return folded;
}

/* The need of a lane for a byte. To an op that reaches fewer banks, those a divisor apart are one,
 * which holds the parts of a row as rows. */
static struct need need_of(const struct bs_model *model, const struct bs_rule *rule, unsigned lane,
                           uint64_t byte)
{
    const unsigned bank = bank_of(model, byte);
    const unsigned parts = model->banks / rule->banks;
    const unsigned row = (unsigned)(byte / model->row_bytes) * parts + bank / rule->banks;
    return (struct need){lane, bank % rule->banks, row, false};
}

/* ---- needs ------------------------------------------------------------------------------------
 */

static void add_need(struct need *needs, unsigned *count, struct need need)
{
    for (unsigned i = 0; i < *count; i++)
        if (needs[i].lane == need.lane && needs[i].bank == need.bank && needs[i].row == need.row)
            return;
    needs[(*count)++] = need;
}

/* The needs of some lanes for bytes from .. to - 1 of their accesses. */
static unsigned needs_of(const struct bs_model *model, const struct bs_rule *rule,
                         const struct bs_access *access, uint64_t lanes, unsigned from, unsigned to,
                         struct need *needs)
{
    unsigned count = 0;
    for (unsigned t = 0; t < 64; t++)
        for (unsigned b = from; has(lanes, t) && b < to; b++) {
            const uint64_t byte = (uint64_t)access->addr[t] + b;
            add_need(needs, &count, need_of(model, rule, t, byte));
        }
    return count;
}

/* ---- playing passes ---------------------------------------------------------------------------
 */

static void serve_row(struct need *needs, unsigned count, struct need row)
{
    for (unsigned i = 0; i < count; i++)
        if (needs[i].bank == row.bank && needs[i].row == row.row)
            needs[i].served = true;
}

static bool any_waits(const struct need *needs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!needs[i].served)
            return true;
    return false;
}

/* The broadcast word of a pass: the need that stands for it. */
static unsigned broadcast_need(const struct bs_rule *rule, const struct need *needs, unsigned count)
{
    unsigned best = count;
    unsigned best_lanes = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned lanes = 0;
        for (unsigned j = 0; j < count; j++)
            lanes +=
                !needs[j].served && needs[j].bank == needs[i].bank && needs[j].row == needs[i].row;
        if (needs[i].served || (best < count && rule->broadcast_word == BS_LOWEST_LANE))
            continue;
        if (best == count || lanes > best_lanes) {
            best = i;
            best_lanes = lanes;
        }
    }
    return best;
}

static void play_pass(const struct bs_rule *rule, struct need *needs, unsigned count)
{
    unsigned used[BS_MAX_BANKS] = {0};
    if (rule->same_word == BS_BROADCAST) {
        const unsigned word = broadcast_need(rule, needs, count);
        used[needs[word].bank]++;
        serve_row(needs, count, needs[word]);
    }
    for (unsigned i = 0; i < count; i++) {
        if (needs[i].served || used[needs[i].bank] == rule->ports)
            continue;
        used[needs[i].bank]++;
        if (rule->same_word == BS_MULTICAST)
            serve_row(needs, count, needs[i]);
        else
            needs[i].served = true;
    }
}

static unsigned play(const struct bs_model *model, const struct bs_rule *rule,
                     const struct bs_access *access, uint64_t lanes, unsigned from, unsigned to)
{
    struct need needs[MOST];
    const unsigned count = needs_of(model, rule, access, lanes, from, to, needs);
    unsigned passes = 0;
    for (; any_waits(needs, count); passes++)
        play_pass(rule, needs, count);
    return passes;
}

/* ---- queues -----------------------------------------------------------------------------------
 */

static bool share_source_bank(const struct bs_model *model, const struct bs_rule *rule,
                              const struct bs_access *access, unsigned s, unsigned t)
{
    const unsigned bytes = access->op.bytes;
    for (unsigned a = 0; a < bytes; a++)
        for (unsigned b = 0; b < bytes; b++) {
            const uint64_t from_s = (access->src ? access->src[s] : s * bytes) + a;
            const uint64_t from_t = (access->src ? access->src[t] : t * bytes) + b;
            if (from_s / model->bank_width % rule->banks ==
                from_t / model->bank_width % rule->banks)
                return true;
        }
    return false;
}

static bool share_target_bank(const struct need *needs, unsigned count, unsigned s, unsigned t)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned j = 0; j < count; j++)
            if (needs[i].lane == s && needs[j].lane == t && needs[i].bank == needs[j].bank)
                return true;
    return false;
}

/* Most rows that a lane wants of any one bank. */
static unsigned turns_of(const struct need *needs, unsigned count, unsigned t)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned rows = 0;
        for (unsigned j = 0; j < count; j++)
            rows += needs[i].lane == t && needs[j].lane == t && needs[i].bank == needs[j].bank;
        most = rows > most ? rows : most;
    }
    return most;
}

/* Passes are played until every lane had its turns; a lane may begin when all lanes before it that
 * meet it at a bank of the source or of the destination have ended. */
static unsigned play_queues(const struct bs_model *model, const struct bs_rule *rule,
                            const struct bs_access *access, uint64_t lanes)
{
    struct need needs[MOST];
    const unsigned count = needs_of(model, rule, access, lanes, 0, access->op.bytes, needs);
    uint64_t behind[64] = {0}; /* lanes that a lane waits for */
    unsigned left[64];
    uint64_t ended = ~lanes;
    unsigned passes = 0;
    for (unsigned t = 0; t < 64; t++) {
        left[t] = has(lanes, t) ? turns_of(needs, count, t) : 0;
        for (unsigned s = 0; s < t; s++)
            if (has(lanes, s) && has(lanes, t) &&
                (share_source_bank(model, rule, access, s, t) ||
                 share_target_bank(needs, count, s, t)))
                behind[t] |= UINT64_C(1) << s;
    }
    for (; ended != UINT64_MAX; passes++) {
        const uint64_t before = ended;
        for (unsigned t = 0; t < 64; t++)
            if (!has(before, t) && (behind[t] & ~before) == 0 && --left[t] == 0)
                ended |= UINT64_C(1) << t;
    }
    return passes;
}

static unsigned play_step(const struct bs_model *model, const struct bs_rule *rule,
                          const struct bs_access *access, uint64_t lanes, unsigned from,
                          unsigned to)
{
    return rule->method == BS_BY_QUEUES ? play_queues(model, rule, access, lanes)
                                        : play(model, rule, access, lanes, from, to);
}

/* ---- source lines -----------------------------------------------------------------------------
 */

/* One request of one phase: by global source lines, where the rule says so. */
static unsigned play_by_lines(const struct bs_model *model, const struct bs_rule *rule,
                              const struct bs_access *access, uint64_t lanes, unsigned from,
                              unsigned to)
{
    if (!rule->source_line || !access->src)
        return play_step(model, rule, access, lanes, from, to);
    unsigned passes = 0;
    while (lanes) {
        uint64_t line = 0;
        unsigned first = 64;
        for (unsigned t = 0; t < 64; t++) {
            if (!has(lanes, t))
                continue;
            first = first == 64 ? t : first;
            if (access->src[t] / rule->source_line == access->src[first] / rule->source_line)
                line |= UINT64_C(1) << t;
        }
        passes += play_step(model, rule, access, line, from, to);
        lanes &= ~line;
    }
    return passes;
}

/* ---- phases -----------------------------------------------------------------------------------
 */

static bool merges(const struct bs_rule *rule, const struct bs_access *access, uint64_t active)
{
    for (unsigned i = 0; i < rule->merges; i++) {
        bool all = true;
        for (unsigned t = 0; t < 64; t++) {
            const unsigned other = t ^ rule->merge[i];
            if (has(active, t) && other < 64 && has(active, other) &&
                access->addr[t] != access->addr[other])
                all = false;
        }
        if (all)
            return true;
    }
    return false;
}

static unsigned phases_of(const struct bs_rule *rule, bool merged, uint64_t used,
                          uint64_t phases[64])
{
    unsigned count = 0;
    for (unsigned i = 0; i < rule->phases; i++) {
        if (merged && i % 2 == 1)
            continue;
        uint64_t lanes = rule->phase[i];
        if (merged && i + 1 < rule->phases)
            lanes |= rule->phase[i + 1];
        if (lanes & used)
            phases[count++] = lanes & used;
    }
    return count;
}

static unsigned play_banks(const struct bs_model *model, const struct bs_rule *rule,
                           const struct bs_access *access, uint64_t active, const uint64_t *phases,
                           unsigned phase_count)
{
    const unsigned bytes = access->op.bytes;
    const bool splits = rule->request_bytes && rule->method == BS_BY_BANKS;
    const unsigned part = splits ? rule->request_bytes : bytes;
    unsigned sum = 0;
    unsigned largest = 0;
    for (unsigned p = 0; p < phase_count; p++) {
        unsigned passes = 0;
        for (unsigned from = 0; from < bytes; from += part)
            passes += play_by_lines(model, rule, access, phases[p] & active, from,
                                    from + part < bytes ? from + part : bytes);
        sum += passes;
        largest = passes > largest ? passes : largest;
    }
    return rule->combine == BS_LARGEST ? largest : sum;
}

/* ---- sectors ----------------------------------------------------------------------------------
 */

/* The hardware's rule for copies in sectors, played in rounds from the highest lane down: a lane
 * sits a round out if one before it brings the same piece to the same place of a sector in that
 * line. */
struct moved {
    uint64_t source; /* sectors */
    uint64_t target;
    uint64_t swap;
    uint64_t pieces;
};

static bool sits_out(const struct bs_rule *rule, const struct bs_access *access, uint64_t moving,
                     const uint64_t *src, unsigned t)
{
    const uint64_t piece = access->op.bytes;
    const uint64_t sector = rule->sector_bytes;
    for (unsigned s = t + 1; s < 64; s++)
        if (has(moving, s) && src[s] / piece == src[t] / piece &&
            access->addr[s] / rule->source_line == access->addr[t] / rule->source_line &&
            access->addr[s] % sector / piece == access->addr[t] % sector / piece)
            return true;
    return false;
}

/* Units that differ in nothing but their places in the two lines, and not in the parity of the sum
 * of those, go in one pass. */
static unsigned play_round(const struct bs_rule *rule, const struct bs_access *access,
                           uint64_t moving, const uint64_t *src)
{
    const uint64_t piece = access->op.bytes;
    const uint64_t pieces = rule->sector_bytes / piece;
    const uint64_t line = rule->source_line / rule->sector_bytes;
    struct moved units[64];
    unsigned count = 0;
    unsigned passes = 0;
    for (unsigned t = 0; t < 64; t++) {
        if (!has(moving, t))
            continue;
        const uint64_t dst = access->addr[t];
        const struct moved unit = {src[t] / rule->sector_bytes, dst / rule->sector_bytes,
                                   (src[t] / piece ^ dst / piece) % pieces, 0};
        unsigned i = 0;
        while (i < count && (units[i].source != unit.source || units[i].target != unit.target ||
                             units[i].swap != unit.swap))
            i++;
        if (i == count)
            units[count++] = unit;
        units[i].pieces |= UINT64_C(1) << (dst / piece % pieces);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct moved *b = &units[i];
        bool fresh = true;
        for (unsigned k = 0; k < i; k++) {
            const struct moved *a = &units[k];
            if (a->source / line == b->source / line && a->target / line == b->target / line &&
                a->swap == b->swap && a->pieces == b->pieces &&
                (a->source + a->target) % 2 == (b->source + b->target) % 2)
                fresh = false;
        }
        passes += fresh;
    }
    return passes;
}

static unsigned play_sectors(const struct bs_rule *rule, const struct bs_access *access,
                             uint64_t active)
{
    uint64_t src[64];
    uint64_t waiting = 0;
    unsigned passes = 0;
    for (unsigned t = 0; t < 64; t++) {
        bool first = has(active, t);
        for (unsigned s = 0; s < t; s++)
            if (first && has(active, s) && access->addr[s] == access->addr[t])
                first = false;
        src[t] = access->src && has(active, t) ? access->src[t] : t * (uint64_t)access->op.bytes;
        waiting |= first ? UINT64_C(1) << t : 0;
    }
    while (waiting) {
        uint64_t moving = 0;
        for (unsigned t = 64; t-- > 0;)
            if (has(waiting, t) && !sits_out(rule, access, moving, src, t))
                moving |= UINT64_C(1) << t;
        passes += play_round(rule, access, moving, src);
        waiting &= ~moving;
    }
    return passes;
}

/* ---- bytes written twice ----------------------------------------------------------------------
 */

static unsigned undefined_bytes(const struct bs_access *access, uint64_t active)
{
    uint64_t bytes[64 * 16];
    unsigned writers[64 * 16];
    unsigned count = 0;
    for (unsigned t = 0; t < 64; t++)
        for (unsigned b = 0; has(active, t) && b < access->op.bytes; b++) {
            unsigned i = 0;
            while (i < count && bytes[i] != (uint64_t)access->addr[t] + b)
                i++;
            if (i == count) {
                bytes[count] = (uint64_t)access->addr[t] + b;
                writers[count++] = 0;
            }
            writers[i]++;
        }
    unsigned undefined = 0;
    for (unsigned i = 0; i < count; i++)
        undefined += writers[i] > 1;
    return undefined;
}

/* -----------------------------------------------------------------------------------------------
 */

struct bs_cost oracle_cost(const struct bs_model *model, const struct bs_access *access)
{
    const struct bs_rule *rule = &model->rules[model->rule_of[access->op.index]];
    struct bs_cost cost = {0};
    uint64_t phases[64];
    uint64_t used = 0;
    unsigned lanes = 0;
    for (unsigned t = 0; t < model->lanes; t++)
        if (!access->op.matrices || t < 8u * access->op.matrices)
            used |= UINT64_C(1) << t;
    const uint64_t active = access->mask & used;
    for (unsigned t = 0; t < 64; t++)
        lanes += has(active, t);
    if (lanes == 0)
        return cost;
    const unsigned phase_count = phases_of(rule, merges(rule, access, active), used, phases);
    const unsigned passes = rule->method == BS_BY_SECTORS
                                ? play_sectors(rule, access, active)
                                : play_banks(model, rule, access, active, phases, phase_count);
    unsigned held = (rule->combine == BS_LARGEST ? 1 : phase_count) * rule->multiplier;
    if (rule->request_bytes && rule->method == BS_BY_BANKS)
        held *= (access->op.bytes + rule->request_bytes - 1) / rule->request_bytes;
    cost.passes = passes * rule->multiplier + rule->extra_passes;
    cost.slots = rule->slots ? rule->slots : cost.passes > held ? cost.passes : held;
    while (cost.ideal * model->row_bytes * rule->banks / model->banks * rule->ports <
           lanes * access->op.bytes)
        cost.ideal++;
    cost.ideal *= rule->multiplier;
    const bool writes = access->op.kind == BS_ST || access->op.kind == BS_STMATRIX ||
                        access->op.kind == BS_CP_ASYNC || access->op.kind == BS_CP_ASYNC_CG;
    if (writes && model->winner == BS_UNDEFINED)
        cost.undefined = undefined_bytes(access, active);
    return cost;
}
