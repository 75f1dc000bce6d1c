/* What a loaded model answers: the rule of an op, the place of a byte, whether an access fits. */
#include "bankshot.h"
#include "lanes.h"
#include "place.h"
#include "steps.h"

const struct bs_rule *bs_model_rule(const struct bs_model *model, struct bs_op op)
{
    return bs_rule_of(model, op);
}

struct bs_place bs_model_place(const struct bs_model *model, uint32_t address)
{
    return bs_place_of(model, address);
}

uint32_t bs_ideal(const struct bs_model *model, struct bs_op op, uint64_t lanes)
{
    const struct bs_rule *rule = bs_model_rule(model, op);
    return rule ? bs_fewest_passes(model, rule, bs_lanes_count(lanes) * op.bytes) : 0;
}

bool bs_access_is_misaligned(const struct bs_access *access, uint64_t lanes)
{
    uint64_t bits = 0;
    for (uint64_t rest = lanes & access->mask; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        bits |= access->addr[t] | (access->src ? access->src[t] : 0);
    }
    return (bits & (bs_op_alignment(access->op) - 1)) != 0;
}

/* Says which lane's address, or global source, is no multiple of the op's alignment. */
static bool fail_misaligned(const struct bs_access *access, uint64_t lanes, struct bs_error *error)
{
    char name[BS_OP_NAME];
    bs_op_name(access->op, name);
    const unsigned alignment = bs_op_alignment(access->op);
    for (; lanes; lanes &= lanes - 1) {
        const unsigned t = bs_lanes_lowest(lanes);
        if (access->addr[t] % alignment)
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                           "lane %u: the address 0x%x of %s is not a multiple of %u", t,
                           access->addr[t], name, alignment);
        if (access->src && access->src[t] % alignment)
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                           "lane %u: the source 0x%llx of %s is not a multiple of %u", t,
                           (unsigned long long)access->src[t], name, alignment);
    }
    return true;
}

bool bs_access_check(const struct bs_model *model, const struct bs_access *access,
                     bool allow_misaligned, struct bs_error *error)
{
    const struct bs_op op = access->op;
    char name[BS_OP_NAME];
    if (model->lanes < 64 && access->mask >> model->lanes)
        return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                       "the mask %llx has lanes beyond the %u of a warp of model '%s'",
                       (unsigned long long)access->mask, model->lanes, model->name);
    if (op.kind == BS_BAR)
        return true;
    if (!bs_model_rule(model, op))
        return bs_fail(error, BS_BAD_MODEL, NULL, 0, 0, "model '%s' has no rule for %s",
                       model->name, bs_op_name(op, name));
    const uint64_t lanes = access->mask & bs_op_lanes(op, model->lanes);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        if (access->addr[t] > UINT32_MAX - op.bytes + 1)
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                           "lane %u: %s at address 0x%x reaches beyond 4 GiB", t,
                           bs_op_name(op, name), access->addr[t]);
    }
    return allow_misaligned || !bs_access_is_misaligned(access, lanes) ||
           fail_misaligned(access, lanes, error);
}
