/*
 * Uses are read off the schedule. To build one for every access would take longer than all else,
 * but kernels use few patterns, over and over and moved by whole rows, which touch the same banks:
 * those seen last are remembered.
 */
#include "bank_use.h"

#include "index.h"

#include <stdlib.h>
#include <string.h>

enum { SHAPES = 256 /* that are remembered; a power of two */ };

/* Addresses seen from the row of the first active lane, and which banks they use. */
struct bs_bank_shape {
    uint64_t hash; /* 0: none */
    uint64_t mask;
    uint32_t op;
    uint32_t addr[BS_MAX_LANES]; /* of inactive lanes 0 */
    uint16_t count;              /* banks that are used, and how often */
    uint16_t bank[BS_MAX_BANKS];
    uint16_t uses[BS_MAX_BANKS];
};

/* Whether the pattern alone, wherever it lies, says which banks are used: not where rows hash the
 * banks, nor where global addresses matter. */
static bool is_plain(const struct bs_model *model, const struct bs_access *access)
{
    return model->mapping.hash == BS_XOR_NONE && !bs_op_is_copy(access->op);
}

static void shape_of(struct bs_bank_shape *shape, const struct bs_model *model,
                     const struct bs_access *access)
{
    uint64_t hash = access->mask + access->op.index;
    uint32_t base = 0;
    bool found = false;
    for (unsigned lane = 0; lane < model->lanes; lane++) {
        const bool active = access->mask >> lane & 1;
        if (active && !found) {
            base = access->addr[lane] / model->row_bytes * model->row_bytes;
            found = true;
        }
        shape->addr[lane] = active ? access->addr[lane] - base : 0;
        hash = hash * UINT64_C(0x9e3779b97f4a7c15) + shape->addr[lane];
    }
    shape->hash = bs_index_mix(hash) | 1;
    shape->mask = access->mask;
    shape->op = access->op.index;
    shape->count = 0;
}

static bool is_same(const struct bs_bank_shape *a, const struct bs_bank_shape *b,
                    const struct bs_model *model)
{
    return a->hash == b->hash && a->mask == b->mask && a->op == b->op &&
           memcmp(a->addr, b->addr, model->lanes * sizeof *a->addr) == 0;
}

/* Fills the banks of a shape. A pass in which a bank opens several rows counts once. */
static bool read_schedule(struct bs_bank_use *use, const struct bs_model *model,
                          const struct bs_access *access, struct bs_bank_shape *shape)
{
    uint16_t uses[BS_MAX_BANKS] = {0};
    size_t last[BS_MAX_BANKS] = {0}; /* the pass that used it last, from 1 */
    struct bs_schedule *schedule = &use->schedule;
    if (!bs_schedule_build(schedule, model, access))
        return false;
    for (size_t p = 0; p < schedule->pass_count && p < schedule->cost.slots; p++)
        for (uint32_t s = 0; s < schedule->passes[p].count; s++) {
            const uint16_t bank = schedule->services[schedule->passes[p].first + s].bank;
            if (last[bank] != p + 1)
                uses[bank]++;
            last[bank] = p + 1;
        }
    for (uint32_t bank = 0; bank < model->banks; bank++)
        if (uses[bank]) {
            shape->bank[shape->count] = (uint16_t)bank;
            shape->uses[shape->count++] = uses[bank];
        }
    return true;
}

static void add_shape(struct bs_bank_use *use, const struct bs_bank_shape *shape)
{
    for (unsigned i = 0; i < shape->count; i++)
        use->uses[shape->bank[i]] += shape->uses[i];
}

bool bs_bank_use_add(struct bs_bank_use *use, const struct bs_model *model,
                     const struct bs_access *access)
{
    struct bs_bank_shape shape;
    if (access->op.kind == BS_BAR)
        return true;
    if (!use->shapes)
        use->shapes = calloc(SHAPES, sizeof *use->shapes);
    if (!use->shapes)
        return false;
    shape_of(&shape, model, access);
    struct bs_bank_shape *known = &use->shapes[shape.hash / 2 % SHAPES];
    if (!is_plain(model, access) || !is_same(known, &shape, model)) {
        if (!read_schedule(use, model, access, &shape))
            return false;
        *known = shape;
    }
    add_shape(use, known);
    return true;
}

struct bs_bank_range bs_bank_use_range(const struct bs_bank_use *use, const struct bs_model *model)
{
    struct bs_bank_range range = {.least = UINT64_MAX};
    for (uint32_t bank = 0; bank < model->banks; bank++) {
        range.all += use->uses[bank];
        if (use->uses[bank] < range.least) {
            range.least = use->uses[bank];
            range.least_bank = bank;
        }
        if (use->uses[bank] > range.most) {
            range.most = use->uses[bank];
            range.most_bank = bank;
        }
    }
    return range;
}

void bs_bank_use_free(struct bs_bank_use *use)
{
    free(use->shapes);
    bs_schedule_free(&use->schedule);
    *use = (struct bs_bank_use){0};
}
