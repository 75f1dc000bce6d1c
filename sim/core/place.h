/* What a model says of an op and of a byte, inline for the loops that live on it. */
#ifndef BS_PLACE_H
#define BS_PLACE_H

#include "divide.h"

/* bs_model_rule, where a call would cost more than it. */
static inline const struct bs_rule *bs_rule_of(const struct bs_model *model, struct bs_op op)
{
    const uint8_t rule = model->rule_of[op.index];
    return rule == BS_NO_RULE ? NULL : &model->rules[rule];
}

/* All bits of a row folded down to a number below banks, a power of two. */
static inline uint32_t bs_fold(uint32_t row, uint32_t banks)
{
    uint32_t folded = 0;
    for (; row && banks > 1; row /= banks)
        folded ^= row;
    return folded & (banks - 1);
}

/* The one mapping from a byte to its bank and row. */
static inline struct bs_place bs_place_of(const struct bs_model *model, uint32_t address)
{
    struct bs_place place = {
        .bank = bs_remainder(bs_quotient(address, &model->shortcut.width), &model->shortcut.banks),
        .row = bs_quotient(address, &model->shortcut.row),
    };
    /* The loader admits the folded mappings for a power of two of banks only. */
    switch ((enum bs_xor)model->mapping.hash) {
    case BS_XOR_NONE:
        break;
    case BS_XOR_ROW:
        place.bank ^= place.row & (model->banks - 1);
        break;
    case BS_XOR_FOLD:
        place.bank ^= bs_fold(place.row, model->banks);
        break;
    }
    return place;
}

/* The place as an op sees it that reaches fewer banks: each part of a row is a row of its own. */
static inline struct bs_place bs_place_for(const struct bs_model *model, const struct bs_rule *rule,
                                           uint32_t address)
{
    struct bs_place place = bs_place_of(model, address);
    if (rule->banks != model->banks) {
        place.row = place.row * (model->banks / rule->banks) + place.bank / rule->banks;
        place.bank %= rule->banks;
    }
    return place;
}

#endif
