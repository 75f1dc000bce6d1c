/* See hypotheses.h. */
#include "hypotheses.h"

#include "patterns.h"

#include <math.h>

/* A hypothesis is a choice in each of these, the first of which is the ordinary one. */
enum choice { PHASES, MERGE, SAME_WORD, COMBINE, MULTIPLIER, EXTRA, PORTS, REQUEST, COPY, CHOICES };

enum { PHASE_SIZES = 6 };
static const uint32_t multipliers[] = {1, 2, 3, 4};
static const uint32_t extras[] = {0, 1};
static const uint32_t port_counts[] = {1, 2};
static const uint32_t request_bytes[] = {0, 8, 4};

/* How copies are split by their sources. */
static const struct {
    uint32_t method, line, sector;
} copy_ways[] = {
    {BS_BY_BANKS, 0, 32},     {BS_BY_QUEUES, 0, 32},   {BS_BY_BANKS, 128, 32},
    {BS_BY_BANKS, 64, 32},    {BS_BY_BANKS, 32, 32},   {BS_BY_SECTORS, 128, 32},
    {BS_BY_SECTORS, 128, 64}, {BS_BY_SECTORS, 64, 32}, {BS_BY_SECTORS, 256, 32},
};

static uint32_t choices_of(const struct bs_space *space, enum choice choice)
{
    switch (choice) {
    case PHASES:
        return PHASE_SIZES + (space->phase_count > 0);
    case MERGE:
        return 32; /* any of the partners 1, 2, 4, 8 and 16 */
    case SAME_WORD:
        return 4;
    case COMBINE:
        return 2;
    case MULTIPLIER:
        return sizeof multipliers / sizeof *multipliers;
    case EXTRA:
        return sizeof extras / sizeof *extras;
    case PORTS:
        return sizeof port_counts / sizeof *port_counts;
    case REQUEST:
        return bs_op_is_copy(space->op) ? 1 : space->op.bytes > 8 ? 3 : space->op.bytes > 4 ? 2 : 1;
    case COPY:
        return bs_op_is_copy(space->op) ? sizeof copy_ways / sizeof *copy_ways : 1;
    case CHOICES:
        break;
    }
    return 1;
}

static void decode(const struct bs_space *space, uint32_t number, uint32_t chosen[CHOICES])
{
    for (unsigned i = 0; i < CHOICES; i++) {
        const uint32_t choices = choices_of(space, (enum choice)i);
        chosen[i] = number % choices;
        number /= choices;
    }
}

uint32_t bs_space_size(const struct bs_space *space)
{
    uint32_t size = 1;
    for (unsigned i = 0; i < CHOICES; i++)
        size *= choices_of(space, (enum choice)i);
    return size;
}

uint32_t bs_space_oddity(const struct bs_space *space, uint32_t number)
{
    uint32_t chosen[CHOICES];
    uint32_t odd = 0;
    decode(space, number, chosen);
    for (unsigned i = 0; i < CHOICES; i++)
        if (i == MERGE) /* each partner counts */
            for (uint32_t partners = chosen[i]; partners; partners &= partners - 1)
                odd++;
        else if (i != PHASES)
            odd += chosen[i] != 0;
    return odd;
}

/* ---- rules ------------------------------------------------------------------------------------
 */

/* Phases of neighbouring lanes, 32 >> size each, or those that were seen. */
static void set_phases(const struct bs_space *space, uint32_t size, struct bs_rule *rule)
{
    if (size == PHASE_SIZES) {
        rule->phases = space->phase_count;
        for (uint32_t i = 0; i < space->phase_count; i++)
            rule->phase[i] = space->phases[i];
        return;
    }
    const uint32_t lanes = BS_GAUGE_LANES >> size;
    rule->phases = BS_GAUGE_LANES / lanes;
    for (uint32_t i = 0; i < rule->phases; i++)
        rule->phase[i] = ((UINT64_C(1) << lanes) - 1) << i * lanes;
}

static void set_merge(uint32_t partners, struct bs_rule *rule)
{
    for (uint32_t bit = 0; bit < 5; bit++)
        if (partners >> bit & 1)
            rule->merge[rule->merges++] = 1u << bit;
}

static void set_same_word(uint32_t chosen, struct bs_rule *rule)
{
    static const struct {
        uint32_t same_word, broadcast_word;
    } ways[] = {{BS_MULTICAST, BS_MOST_LANES},
                {BS_SERIALIZE, BS_MOST_LANES},
                {BS_BROADCAST, BS_MOST_LANES},
                {BS_BROADCAST, BS_LOWEST_LANE}};
    rule->same_word = ways[chosen].same_word;
    rule->broadcast_word = ways[chosen].broadcast_word;
}

/* The phases that have lanes which the op uses. */
static uint32_t phases_of_use(const struct bs_rule *rule, struct bs_op op)
{
    const uint64_t used = bs_op_lanes(op, BS_GAUGE_LANES);
    uint32_t count = 0;
    for (uint32_t i = 0; i < rule->phases; i++)
        count += (rule->phase[i] & used) != 0;
    return count;
}

/* Whether the choices are the plainest that say what they say. */
static bool is_canonical(const struct bs_rule *rule, struct bs_op op,
                         const uint32_t chosen[CHOICES])
{
    const bool by_sectors = rule->method == BS_BY_SECTORS;
    if (phases_of_use(rule, op) == 1 && (chosen[MERGE] || chosen[COMBINE]))
        return false;
    if (rule->same_word == BS_BROADCAST && chosen[PORTS])
        return false;
    if (rule->method == BS_BY_QUEUES && (chosen[SAME_WORD] || chosen[PORTS] || chosen[REQUEST]))
        return false;
    return !by_sectors || (!chosen[PHASES] && !chosen[SAME_WORD] && !chosen[PORTS] &&
                           !chosen[REQUEST] && !chosen[MULTIPLIER] && !chosen[EXTRA]);
}

bool bs_space_rule(const struct bs_space *space, const struct bs_model *geometry, uint32_t number,
                   struct bs_rule *rule)
{
    uint32_t chosen[CHOICES];
    decode(space, number, chosen);
    *rule = (struct bs_rule){
        .combine = chosen[COMBINE] ? BS_LARGEST : BS_SUM,
        .multiplier = multipliers[chosen[MULTIPLIER]],
        .extra_passes = extras[chosen[EXTRA]],
        .ports = port_counts[chosen[PORTS]],
        .banks = geometry->banks,
        .request_bytes = request_bytes[chosen[REQUEST]],
        .source_line = copy_ways[chosen[COPY]].line,
        .sector_bytes = copy_ways[chosen[COPY]].sector,
        .method = copy_ways[chosen[COPY]].method,
        .basis = BS_MEASURED,
    };
    set_phases(space, chosen[PHASES], rule);
    set_merge(chosen[MERGE], rule);
    set_same_word(chosen[SAME_WORD], rule);
    return is_canonical(rule, space->op, chosen);
}

/* ---- prices -----------------------------------------------------------------------------------
 */

struct bs_model bs_model_of_rule(const struct bs_model *geometry, const struct bs_rule *rule)
{
    struct bs_model model = *geometry; /* every rule_of is 0 */
    model.rules = rule;
    model.rule_count = 1;
    return model;
}

double bs_expected(const struct bs_model *model, enum bs_instrument instrument,
                   const struct bs_pattern *pattern)
{
    uint64_t src[BS_GAUGE_LANES];
    const struct bs_access access = bs_pattern_access(pattern, src);
    struct bs_cost cost = {0};
    bs_count(model, &access, &cost);
    return instrument == BS_BY_COUNTER ? cost.passes : cost.slots;
}

bool bs_agrees(enum bs_instrument instrument, double read, double expected)
{
    const double slack = instrument == BS_BY_COUNTER ? 0.01 : 0.05 * expected + 0.4;
    return fabs(read - expected) <= slack;
}
