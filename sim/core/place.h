/* The one mapping from a byte to its bank and row, inline for the loops that live on it. */
#ifndef BS_PLACE_H
#define BS_PLACE_H

#include "bankshot.h"

/* All bits of a row folded down to a number below banks, a power of two. */
static inline uint32_t bs_fold(uint32_t row, uint32_t banks)
{
    uint32_t folded = 0;
    for (; row && banks > 1; row /= banks)
        folded ^= row;
    return folded & (banks - 1);
}

static inline struct bs_place bs_place_of(const struct bs_model *model, uint32_t address)
{
    struct bs_place place;
    if (model->shortcut.usable) {
        place.bank = address >> model->shortcut.width_log2 & (model->banks - 1);
        place.row = address >> model->shortcut.row_log2;
    } else {
        place.bank = address / model->bank_width % model->banks;
        place.row = address / model->row_bytes;
    }
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
