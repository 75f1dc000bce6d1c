/* Bounds that hold for every layout: see layout_least.h. */
#include "layout_least.h"

#include "core/lanes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTS = BS_MAX_LANES * 16 };

/* One instruction of a visit: the op, and by lane the first of the parts that it asks for. A part
 * is an element, or a piece of one that the op is too narrow for. */
struct demand {
    const struct bs_model *model;
    const struct bs_rule *rule;
    struct bs_op op;
    uint64_t lanes;             /* whose addresses count */
    uint32_t part_bytes, parts; /* parts: of a lane */
    uint32_t first[BS_MAX_LANES];
};

static int by_number(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

static uint32_t divided_up(uint32_t number, uint32_t by)
{
    return (number + by - 1) / by;
}

/* The different parts that lanes ask for; *most: the most lanes with the same first one. */
static uint32_t count_parts(const struct demand *demand, uint64_t lanes, uint32_t *most)
{
    uint32_t part[MOST_PARTS], count = 0, different = 0, same = 0;
    *most = 0;
    for (uint64_t left = lanes; left; left &= left - 1)
        part[count++] = demand->first[bs_lanes_lowest(left)];
    qsort(part, count, sizeof *part, by_number);
    for (uint32_t i = 0; i < count; i++) {
        same = i > 0 && part[i] == part[i - 1] ? same + 1 : 1;
        *most = same > *most ? same : *most;
    }
    count = 0;
    for (uint64_t left = lanes; left; left &= left - 1)
        for (uint32_t i = 0; i < demand->parts; i++)
            part[count++] = demand->first[bs_lanes_lowest(left)] + i;
    qsort(part, count, sizeof *part, by_number);
    for (uint32_t i = 0; i < count; i++)
        different += i == 0 || part[i] != part[i - 1];
    return different;
}

/* A pass opens one row of each bank for each port. Lanes that serialise take a turn each, so those
 * of one word queue; else bytes that several ask for count once. */
static uint32_t phase_passes(const struct demand *demand, uint64_t lanes)
{
    const struct bs_rule *rule = demand->rule;
    const uint32_t pass_bytes =
        demand->model->row_bytes / (demand->model->banks / rule->banks) * rule->ports;
    uint32_t queue;
    const uint32_t different = count_parts(demand, lanes, &queue);
    if (rule->same_word != BS_SERIALIZE)
        return divided_up(different * demand->part_bytes, pass_bytes);
    const uint32_t full = divided_up(bs_lanes_count(lanes) * demand->op.bytes, pass_bytes);
    queue = divided_up(queue, rule->ports);
    return queue > full ? queue : full;
}

/* Which phases join depends on which lanes ask for the same element, and that on no layout. */
static uint32_t merged_phases(const struct demand *demand)
{
    uint32_t addr[BS_MAX_LANES] = {0};
    const struct bs_access access = {.op = demand->op, .mask = demand->lanes, .addr = addr};
    for (uint64_t left = demand->lanes; left; left &= left - 1)
        addr[bs_lanes_lowest(left)] = demand->first[bs_lanes_lowest(left)];
    return bs_merge_partner(demand->rule, &access, demand->lanes) ? 2 : 1;
}

/* The fewest slots of one instruction. */
static uint32_t instruction_slots(const struct demand *demand)
{
    const struct bs_rule *rule = demand->rule;
    const uint64_t used = bs_op_lanes(demand->op, demand->model->lanes);
    const uint32_t together = merged_phases(demand);
    uint32_t phases = 0, sum = 0, largest = 0;
    for (uint32_t i = 0; i < rule->phases; i += together) {
        uint64_t phase = rule->phase[i];
        if (together == 2 && i + 1 < rule->phases)
            phase |= rule->phase[i + 1];
        phases += (phase & used) != 0;
        const uint64_t lanes = phase & demand->lanes;
        const uint32_t passes =
            lanes && rule->method != BS_BY_SECTORS ? phase_passes(demand, lanes) : 0;
        sum += passes;
        largest = passes > largest ? passes : largest;
    }
    const bool side_by_side = rule->combine == BS_LARGEST;
    const uint32_t passes = (side_by_side ? largest : sum) * rule->multiplier + rule->extra_passes;
    const uint32_t held = (side_by_side ? 1 : phases) * rule->multiplier;
    return rule->slots ? rule->slots : passes > held ? passes : held;
}

/* Lane by lane the parts that instruction `number` of a split access asks for. */
static void take_parts(struct demand *demand, const struct bs_layout *layout,
                       const struct bs_visit *visit, unsigned number)
{
    const uint32_t pieces = layout->element / demand->part_bytes; /* of an element */
    for (uint64_t left = demand->lanes; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        const uint32_t element = visit->row[lane] * layout->columns + visit->column[lane];
        demand->first[lane] = element * pieces + number * demand->parts;
    }
}

/* The fewest slots of a visit if so many instructions of the op do it; UINT64_MAX if they cannot.
 */
static uint64_t visit_slots(const struct bs_model *model, const struct bs_layout *layout,
                            const struct bs_visit *visit, struct bs_op op, unsigned count)
{
    struct demand demand = {.model = model, .rule = bs_model_rule(model, op), .op = op};
    uint64_t slots = 0;
    if (!demand.rule)
        return UINT64_MAX;
    demand.lanes = visit->mask & bs_op_lanes(op, model->lanes);
    demand.part_bytes = op.bytes < layout->element ? op.bytes : layout->element;
    demand.parts = op.bytes / demand.part_bytes;
    for (unsigned number = 0; number < count; number++) {
        take_parts(&demand, layout, visit, number);
        slots += instruction_slots(&demand);
    }
    return slots;
}

static bool narrower(struct bs_op *op)
{
    char name[BS_OP_NAME];
    if ((op->kind != BS_LD && op->kind != BS_ST) || op->bytes == 1)
        return false;
    snprintf(name, sizeof name, "%s.b%u", op->kind == BS_LD ? "ld" : "st", 4u * op->bytes);
    return bs_op_parse(name, strlen(name), op);
}

uint64_t bs_work_least(const struct bs_work *work, const struct bs_model *model, size_t access)
{
    const struct bs_layout *layout = &work->arrays[work->accesses[access].array].layout;
    uint64_t least = UINT64_MAX, visits = 0;
    struct bs_op op = work->accesses[access].wish;
    unsigned count = 1;
    for (size_t i = work->first[access]; i < work->first[access + 1]; i++)
        visits += work->visits[i].times;
    do {
        uint64_t slots = 0;
        for (size_t i = work->first[access]; i < work->first[access + 1] && slots != UINT64_MAX;
             i++) {
            const struct bs_work_visit *visit = &work->visits[i];
            const uint64_t one = visit_slots(model, layout, &visit->visit, op, count);
            slots = one == UINT64_MAX ? one : slots + one * visit->times;
        }
        least = slots < least ? slots : least;
        count *= 2;
    } while (count * visits < least && narrower(&op)); /* each takes a slot */
    return least == UINT64_MAX ? 0 : least;
}
