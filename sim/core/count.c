/* The fast path: what an access costs, without its schedule. */
#include "count.h"
#include "lanes.h"
#include "place.h"
#include "steps.h"

#include <string.h>

/* ---- step by step -----------------------------------------------------------------------------
 */

/* Rows that the banks have opened in a step, as a chain for each bank. */
struct tally {
    uint16_t head[BS_MAX_BANKS]; /* last row of the bank, as its place + 1; 0: none */
    uint16_t turns[BS_MAX_BANKS];
    uint16_t before[BS_MAX_REQUESTS];
    uint32_t row[BS_MAX_REQUESTS];
};

static bool has_row(const struct tally *tally, struct bs_request request)
{
    for (unsigned at = tally->head[request.bank]; at; at = tally->before[at - 1])
        if (tally->row[at - 1] == request.row)
            return true;
    return false;
}

/* Most distinct rows on any bank. */
static uint32_t most_rows(const struct bs_request *requests, unsigned count)
{
    struct tally tally;
    for (unsigned i = 0; i < count; i++) {
        tally.head[requests[i].bank] = 0;
        tally.turns[requests[i].bank] = 0;
    }
    uint32_t most = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct bs_request request = requests[i];
        if (has_row(&tally, request))
            continue;
        tally.row[i] = request.row;
        tally.before[i] = tally.head[request.bank];
        tally.head[request.bank] = (uint16_t)(i + 1);
        const uint32_t turns = ++tally.turns[request.bank];
        most = turns > most ? turns : most;
    }
    return most;
}

/* Most requests on any bank. */
static uint32_t most_requests(const struct bs_request *requests, unsigned count)
{
    uint16_t turns[BS_MAX_BANKS] = {0};
    uint32_t most = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t turn = ++turns[requests[i].bank];
        most = turn > most ? turn : most;
    }
    return most;
}

static uint32_t broadcast_passes(const struct bs_rule *rule, struct bs_request *waiting,
                                 unsigned count)
{
    uint32_t passes = 0;
    for (; count > 0; passes++)
        count = bs_broadcast_pass(rule, waiting, count);
    return passes;
}

static uint32_t step_passes(const struct bs_rule *rule, struct bs_request *requests, unsigned count)
{
    uint32_t most = 0;
    switch ((enum bs_same_word)rule->same_word) {
    case BS_BROADCAST:
        return broadcast_passes(rule, requests, count);
    case BS_MULTICAST:
        most = most_rows(requests, count);
        break;
    case BS_SERIALIZE:
        most = most_requests(requests, count);
        break;
    }
    return rule->ports == 1 ? most : (most + rule->ports - 1) / rule->ports;
}

static uint32_t bank_passes(const struct bs_model *model, const struct bs_rule *rule,
                            const struct bs_access *access, const struct bs_phases *phases)
{
    struct bs_request requests[BS_MAX_REQUESTS];
    uint32_t turns[BS_MAX_REQUESTS];
    struct bs_step step = {0};
    uint32_t total = 0;
    uint32_t largest = 0;
    uint32_t own = 0; /* of the present phase */
    uint32_t phase = 0;
    while (bs_step_next(&step, phases, rule, access)) {
        if (step.phase != phase)
            own = 0;
        phase = step.phase;
        const unsigned count = bs_step_requests(model, rule, access, &step, requests);
        const uint32_t passes = rule->method == BS_BY_QUEUES
                                    ? bs_queue_passes(model, rule, access, requests, count, turns)
                                    : step_passes(rule, requests, count);
        own += passes;
        total += passes;
        largest = own > largest ? own : largest;
    }
    return rule->combine == BS_LARGEST ? largest : total;
}

static void count_step_by_step(const struct bs_model *model, const struct bs_rule *rule,
                               const struct bs_access *access, struct bs_cost *cost)
{
    struct bs_phases phases;
    bs_phases_of(&phases, model, rule, access);
    struct bs_outcome outcome = {
        .lanes = bs_lanes_count(phases.lanes),
        .phases = phases.count,
        .requests = phases.requests,
        .misaligned = bs_access_is_misaligned(access, phases.lanes),
    };
    if (rule->method == BS_BY_SECTORS) {
        struct bs_sectors sectors;
        bs_sectors_of(&sectors, rule, access, phases.lanes);
        outcome.passes = sectors.passes;
    } else {
        outcome.passes = bank_passes(model, rule, access, &phases);
    }
    bs_cost_finish(cost, model, rule, access, &outcome);
    cost->undefined = bs_undefined_bytes(model, access, phases.lanes);
}

/* ---- shortcuts --------------------------------------------------------------------------------
 */

static bool is_power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

static uint8_t log2_of(uint32_t power)
{
    uint8_t log = 0;
    while (power >> log > 1)
        log++;
    return log;
}

/* Whether the phases are contiguous groups of one power-of-two size, and which. */
static bool even_phases(const struct bs_model *model, const struct bs_rule *rule, uint8_t *log2)
{
    const uint32_t size = model->lanes / rule->phases;
    if (!is_power_of_two(size) || size * rule->phases != model->lanes)
        return false;
    *log2 = log2_of(size);
    const uint64_t first = size == 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
    for (uint32_t i = 0; i < rule->phases; i++)
        if (rule->phase[i] != first << i * size)
            return false;
    return true;
}

/* Lanes that queue for the banks of their destination only take turns as those that serialise. */
static bool counts_by_banks(const struct bs_rule *rule)
{
    return rule->method == BS_BY_BANKS ||
           (rule->method == BS_BY_QUEUES && rule->same_word == BS_SERIALIZE && rule->merges == 0);
}

/* A shortcut takes an aligned access as one unit of its own width a lane. That is exact where a
 * word is a power of two, a row is one turn of the banks and units do not cross its end: the words
 * of a lane then meet the same lanes on each of their banks. */
void bs_model_prepare(struct bs_model *model, struct bs_rule *rules)
{
    model->shortcut.width = bs_divisor_of(model->bank_width);
    model->shortcut.banks = bs_divisor_of(model->banks);
    model->shortcut.row = bs_divisor_of(model->row_bytes);
    const bool plain = is_power_of_two(model->bank_width) &&
                       model->row_bytes == model->banks * model->bank_width &&
                       model->mapping.hash == BS_XOR_NONE;
    for (uint32_t i = 0; i < model->rule_count; i++) {
        struct bs_rule *rule = &rules[i];
        rule->shortcut.units = plain && rule->same_word != BS_BROADCAST && rule->ports == 1 &&
                               rule->combine == BS_SUM && rule->request_bytes == 0 &&
                               rule->banks == model->banks && counts_by_banks(rule) &&
                               even_phases(model, rule, &rule->shortcut.phase_log2);
        rule->shortcut.affine = rule->shortcut.units && is_power_of_two(model->banks);
        rule->shortcut.simd =
            rule->shortcut.units && bs_simd_available() && model->lanes == 32 && model->banks <= 32;
    }
}

/* The bits in which a step from lane to lane, `step` lanes on, is not as the stride has it. */
static inline uint32_t bends(const uint32_t *addr, uint32_t first, uint32_t end, uint32_t step,
                             uint32_t stride)
{
    uint32_t bits = 0;
    for (uint32_t t = first; t < end; t++)
        bits |= (addr[t] - addr[t - step]) ^ step * stride;
    return bits;
}

/* Whether the lanes are a constant stride apart. Steps of four up to an end that they know let
 * compilers make vectors of the loop. */
static bool is_affine(const uint32_t *addr, uint32_t lanes, uint32_t stride)
{
    if (lanes != 32)
        return bends(addr, 1, lanes, 1, stride) == 0;
    return bends(addr, 2, 4, 1, stride) == 0 && bends(addr, 4, 32, 4, stride) == 0;
}

/* bs_merge_partner, where all lanes are active: with no stride between them all agree, else only
 * those do that have no partner. */
static uint32_t affine_merge_partner(const struct bs_rule *rule, uint32_t lanes, uint32_t stride)
{
    for (uint32_t i = 0; i < rule->merges; i++)
        if (stride == 0 || rule->merge[i] >= lanes)
            return rule->merge[i];
    return 0;
}

/* Lanes a constant stride apart, all active: the gcd of stride and banks tells how many share a
 * bank. Not where several lanes' accesses fit in one bank word, or where they come round 4 GiB. */
static bool count_affine(const struct bs_model *model, const struct bs_rule *rule,
                         const struct bs_access *access, uint32_t lanes, struct bs_counted *counted)
{
    const uint32_t *addr = access->addr;
    const uint32_t bytes = access->op.bytes;
    const uint32_t far = UINT32_C(1) << 24;
    const uint32_t stride = lanes > 1 ? addr[1] - addr[0] : 0;
    if (!is_affine(addr, lanes, stride) || stride + far >= 2 * far || bytes < model->bank_width ||
        bytes > model->row_bytes || !is_power_of_two(bytes) || ((addr[0] | stride) & (bytes - 1)))
        return false;
    counted->may_overlap = stride == 0 && lanes > 1;
    counted->merged_by = affine_merge_partner(rule, lanes, stride);
    const unsigned size_log2 = rule->shortcut.phase_log2 + (counted->merged_by ? 1u : 0u);
    const uint32_t together = 1u << size_log2 < lanes ? 1u << size_log2 : lanes; /* in a phase */
    const uint32_t phases = (lanes + (1u << size_log2) - 1) >> size_log2;
    if (phases > 1 && phases << size_log2 != lanes) /* the last has fewer */
        return false;
    const uint32_t both = stride | model->row_bytes;
    const uint32_t gcd = both & (0 - both); /* of stride and row */
    const uint32_t sharing = (together * gcd + model->row_bytes - 1) >> model->shortcut.row.shift;
    counted->passes = phases * (stride == 0 && rule->same_word == BS_MULTICAST ? 1 : sharing);
    return true;
}

/* Which lanes of a phase have their unit in each place of a row. */
struct places {
    uint64_t lanes[BS_MAX_BANKS];
    uint8_t count[BS_MAX_BANKS];
    uint8_t of[BS_MAX_LANES]; /* by lane */
};

/* How many different units the lanes have. */
static uint32_t distinct_units(const uint32_t *addr, uint64_t lanes, unsigned shift)
{
    uint32_t seen[BS_MAX_LANES];
    uint32_t count = 0;
    for (; lanes; lanes &= lanes - 1) {
        const uint32_t unit = addr[bs_lanes_lowest(lanes)] >> shift;
        uint32_t at = 0;
        while (at < count && seen[at] != unit)
            at++;
        seen[at] = unit;
        count += at == count;
    }
    return count;
}

/* The fullest place of a phase. Where lanes share, those with one unit count once: to find that
 * out pays only for a place with more lanes than the fullest so far has units. Whether any lanes
 * have one unit goes to *repeated, if that is wanted. */
static uint32_t unit_passes(const struct bs_model *model, const uint32_t *addr, uint64_t lanes,
                            unsigned shift, bool share, bool *repeated)
{
    struct places places;
    uint32_t most = 0;
    const uint32_t count = model->row_bytes >> shift;
    const unsigned words_log2 = shift - model->shortcut.width.shift; /* of a unit */
    memset(places.lanes, 0, count * sizeof *places.lanes);
    memset(places.count, 0, count);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const uint32_t word = addr[t] >> model->shortcut.width.shift;
        const uint32_t place = bs_remainder(word, &model->shortcut.banks) >> words_log2;
        places.of[t] = (uint8_t)place;
        places.lanes[place] |= UINT64_C(1) << t;
        places.count[place]++;
    }
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t place = places.of[bs_lanes_lowest(rest)];
        const uint32_t here = places.count[place];
        const bool look = repeated && here > 1;
        if (here <= most && !look)
            continue;
        const uint32_t units =
            share || look ? distinct_units(addr, places.lanes[place], shift) : here;
        const uint32_t turns = share ? units : here;
        most = turns > most ? turns : most;
        if (look)
            *repeated |= units < here;
        places.count[place] = 0; /* it has been looked at */
    }
    return most;
}

static bool are_aligned(const struct bs_access *access, uint64_t lanes)
{
    uint32_t bits = 0;
    for (; lanes; lanes &= lanes - 1)
        bits |= access->addr[bs_lanes_lowest(lanes)];
    return (bits & (access->op.bytes - 1u)) == 0;
}

/* Any lanes, phase by phase, each lane with one unit. */
static bool count_units(const struct bs_model *model, const struct bs_rule *rule,
                        const struct bs_access *access, uint64_t lanes, struct bs_counted *counted)
{
    const uint32_t bytes = access->op.bytes;
    const uint32_t width = bytes > model->bank_width ? bytes : model->bank_width;
    if (!is_power_of_two(bytes) || model->row_bytes & (width - 1) || !are_aligned(access, lanes))
        return false;
    const bool share = rule->same_word == BS_MULTICAST;
    const bool writes = bs_op_writes(access->op);
    const unsigned shift = bs_lanes_lowest(width);
    *counted = (struct bs_counted){.merged_by = bs_merge_partner(rule, access, lanes)};
    const uint32_t size = 1u << (rule->shortcut.phase_log2 + (counted->merged_by ? 1u : 0u));
    const uint64_t phase = size >= 64 ? UINT64_MAX : (UINT64_C(1) << size) - 1;
    for (uint32_t first = 0; first < 64 && lanes >> first; first += size)
        counted->passes += unit_passes(model, access->addr, lanes & phase << first, shift, share,
                                       writes ? &counted->may_overlap : NULL);
    if (writes && !counted->may_overlap && (lanes & ~phase)) /* lanes of two phases, perhaps */
        unit_passes(model, access->addr, lanes, shift, true, &counted->may_overlap);
    return true;
}

/* Whether the source of the access has a say in its cost: in its passes, or, as one that is
 * misaligned, in its notes. A contiguous one, which stands for one that is not known, has none if a
 * phase reads no bank twice. */
static bool source_matters(const struct bs_model *model, const struct bs_rule *rule,
                           const struct bs_access *access, uint64_t lanes)
{
    const uint32_t bytes = access->op.bytes;
    if (access->src)
        return rule->source_line || rule->method == BS_BY_QUEUES ||
               bs_access_is_misaligned(access, lanes);
    return rule->method == BS_BY_QUEUES &&
           (bytes < model->bank_width || bytes << rule->shortcut.phase_log2 > model->row_bytes);
}

/* The quickest way to count that the rule's shortcut allows, if any. */
static bool count_quickly(const struct bs_model *model, const struct bs_rule *rule,
                          const struct bs_access *access, uint64_t used, uint32_t used_count,
                          bool portably, struct bs_counted *counted)
{
    const uint64_t lanes = access->mask & used;
    if (!rule->shortcut.units || source_matters(model, rule, access, lanes))
        return false;
    return (rule->shortcut.affine && lanes == used &&
            count_affine(model, rule, access, used_count, counted)) ||
           (rule->shortcut.simd && !portably &&
            bs_simd_count(model, rule, access, lanes, counted)) ||
           count_units(model, rule, access, lanes, counted);
}

/* ---------------------------------------------------------------------------------------------- */

static bool count(const struct bs_model *model, const struct bs_access *access, bool portably,
                  struct bs_cost *cost)
{
    *cost = (struct bs_cost){0};
    if (access->op.kind == BS_BAR)
        return true;
    const struct bs_rule *rule = bs_rule_of(model, access->op);
    const uint64_t used = bs_op_lanes(access->op, model->lanes);
    const uint64_t lanes = access->mask & used;
    if (!rule || !lanes)
        return rule != NULL;
    const uint32_t used_count = access->op.matrices ? bs_lanes_count(used) : model->lanes;
    struct bs_counted counted;
    if (!count_quickly(model, rule, access, used, used_count, portably, &counted)) {
        count_step_by_step(model, rule, access, cost);
        return true;
    }
    const uint32_t log2 = rule->shortcut.phase_log2 + (counted.merged_by ? 1u : 0u);
    const struct bs_outcome outcome = {
        .lanes = lanes == used ? used_count : bs_lanes_count(lanes),
        .phases = (used_count + (1u << log2) - 1) >> log2,
        .requests = 1,
        .passes = counted.passes,
    };
    bs_cost_finish(cost, model, rule, access, &outcome);
    if (counted.may_overlap)
        cost->undefined = bs_undefined_bytes(model, access, lanes);
    return true;
}

bool bs_count(const struct bs_model *model, const struct bs_access *access, struct bs_cost *cost)
{
    return count(model, access, false, cost);
}

bool bs_count_portable(const struct bs_model *model, const struct bs_access *access,
                       struct bs_cost *cost)
{
    return count(model, access, true, cost);
}
