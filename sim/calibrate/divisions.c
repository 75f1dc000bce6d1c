/* See divisions.h. */
#include "divisions.h"

#include "evidence.h"

enum { LANES = BS_GAUGE_LANES };

/* The next address on the bank of address 0, in another row. */
static uint32_t rival_of_zero(const struct bs_model *geometry, uint32_t step)
{
    const struct bs_place zero = bs_model_place(geometry, 0);
    for (uint32_t address = step; address < BS_GAUGE_MEMORY; address += step) {
        const struct bs_place place = bs_model_place(geometry, address);
        if (place.bank == zero.bank && place.row != zero.row)
            return address;
    }
    return 0;
}

static bool ask_pairs(struct bs_evidence *evidence, const struct bs_model *geometry,
                      struct bs_op op)
{
    const uint32_t alignment = bs_op_alignment(op);
    const uint32_t apart = geometry->bank_width > op.bytes ? geometry->bank_width : op.bytes;
    const uint32_t rival = rival_of_zero(geometry, alignment);
    struct bs_pattern pattern = {.op = op, .mask = UINT32_MAX};
    for (uint32_t i = 0; i < LANES; i++)
        for (uint32_t k = i + 1; k < LANES; k++) {
            for (uint32_t t = 0; t < LANES; t++)
                pattern.addr[t] = (apart + alignment - 1) / alignment * alignment;
            pattern.addr[i] = 0;
            pattern.addr[k] = rival;
            if (!bs_evidence_add(evidence, &pattern))
                return false;
        }
    return true;
}

/* The lanes of one phase with each lane, from the answers; false if they make no division. */
static bool divide(const struct bs_evidence *evidence, uint32_t together[LANES])
{
    double least = evidence->costs[0], most = least;
    for (size_t i = 1; i < evidence->count; i++) {
        least = evidence->costs[i] < least ? evidence->costs[i] : least;
        most = evidence->costs[i] > most ? evidence->costs[i] : most;
    }
    if (most - least < 0.5 || most - least > 1.5)
        return false;
    size_t pair = 0;
    for (uint32_t i = 0; i < LANES; i++)
        together[i] = 1u << i;
    for (uint32_t i = 0; i < LANES; i++)
        for (uint32_t k = i + 1; k < LANES; k++)
            if (evidence->costs[pair++] > (least + most) / 2) {
                together[i] |= 1u << k;
                together[k] |= 1u << i;
            }
    for (uint32_t i = 0; i < LANES; i++)
        for (uint32_t k = 0; k < LANES; k++)
            if (together[i] >> k & 1 && together[i] != together[k])
                return false;
    return true;
}

bool bs_see_divisions(struct bs_gauge *gauge, const struct bs_model *geometry,
                      enum bs_instrument instrument, struct bs_space *space, struct bs_error *error)
{
    struct bs_evidence evidence = {.instrument = instrument};
    struct bs_evidence *const list[] = {&evidence};
    uint32_t together[LANES];
    if (bs_op_is_copy(space->op) || bs_op_lanes(space->op, LANES) != UINT32_MAX)
        return true;
    bool good = ask_pairs(&evidence, geometry, space->op) ||
                bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    good = good && bs_evidence_measure(list, 1, gauge, error);
    if (good && divide(&evidence, together))
        for (uint32_t t = 0; t < LANES; t++)
            if (!(together[t] & ((1u << t) - 1))) /* the first of its phase */
                space->phases[space->phase_count++] = together[t];
    bs_evidence_free(&evidence);
    return good;
}
