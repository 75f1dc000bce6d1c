/* See sweep_engine.h. The models are the tasks of a block: each meets the blocks in order, by one
 * thread at a time. */
#include "sweep_engine.h"

#include "core/buffer.h"
#include "core/lanes.h"
#include "crew.h"

#include <stdlib.h>
#include <string.h>

enum { RECORDS = 8192, ACCESSES = 1024, SLOTS = 4 * ACCESSES };

/* Kernels repeat themselves, CTA for CTA: an access that a block has met already is counted once by
 * each model, however often it is added up. */
struct entry {
    uint32_t group;
    uint32_t access; /* number in the block; new ones come in order */
};

struct unique {
    struct bs_access access;
    uint64_t hash;
    uint32_t active;
    bool sound; /* the addresses have been found to be right */
};

struct block {
    size_t count;
    struct entry entries[RECORDS];
    uint32_t access_count;
    struct unique accesses[ACCESSES];
    uint32_t addr[ACCESSES][BS_MAX_LANES]; /* that of the next access is being looked up */
    uint64_t src[ACCESSES][BS_MAX_LANES];
    uint16_t slots[SLOTS]; /* by hash: number of an access + 1; 0: free */
};

struct bs_sweep {
    struct bs_swept *cells;
    size_t count;
    bool allow_misaligned;
    struct block *blocks[2];
    unsigned filling; /* which of them gathers records */

    struct bs_crew *crew;
    const struct block *block; /* being priced; NULL: none was handed over yet */
};

/* ---- one model ------------------------------------------------------------------------------- */

/* A group of the cell, which is made if need be; NULL, with the cell failed, when memory is out. */
static struct bs_swept_group *make_group(struct bs_swept *cell, uint32_t group)
{
    if (group < cell->count)
        return &cell->groups[group];
    struct bs_swept_group *groups =
        bs_grow(cell->groups, &cell->room, (size_t)group + 1, sizeof *groups);
    if (!groups) {
        cell->failed = !bs_fail(&cell->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        return NULL;
    }
    cell->groups = groups;
    memset(groups + cell->count, 0, (group + 1 - cell->count) * sizeof *groups);
    cell->count = (size_t)group + 1;
    return &groups[group];
}

static bool lanes_fit(const struct bs_model *model, const struct bs_access *access)
{
    return model->lanes >= 64 || access->mask >> model->lanes == 0;
}

static bool has_rule(const struct bs_model *model, const struct bs_access *access)
{
    return access->op.kind == BS_BAR || bs_model_rule(model, access->op);
}

/* What an access, whose addresses are sound, costs on a model. */
struct price {
    bool lacks_rule, lacks_lanes;
    struct bs_cost cost; /* if it lacks nothing */
};

static struct price price_of(const struct bs_model *model, const struct bs_access *access)
{
    struct price price = {.lacks_rule = !has_rule(model, access),
                          .lacks_lanes = !lanes_fit(model, access)};
    if (!price.lacks_rule && !price.lacks_lanes)
        bs_count(model, access, &price.cost);
    return price;
}

static void add(struct bs_swept *cell, const struct unique *unique, const struct price *price,
                uint32_t number)
{
    struct bs_swept_group *group = make_group(cell, number);
    const unsigned op = unique->access.op.index;
    if (!group)
        return;
    if (price->lacks_rule) {
        bs_op_set_add(&group->lacking, op);
        group->lacks_rules = true;
    }
    group->lacks_lanes |= price->lacks_lanes;
    if (price->lacks_rule || price->lacks_lanes)
        return;
    group->notes |= price->cost.notes;
    if (price->cost.notes & BS_NOTE_ASSUMED_RULE)
        bs_op_set_add(&group->assumed, op);
    bs_sums_add(&group->sums, &(struct bs_entry){.access = &unique->access,
                                                 .cost = &price->cost,
                                                 .active = unique->active,
                                                 .kernel = number});
}

static void price_block(struct bs_swept *cell, const struct block *block)
{
    struct price prices[ACCESSES];
    uint32_t priced = 0;
    for (size_t i = 0; i < block->count && !cell->failed; i++) {
        const struct entry *entry = &block->entries[i];
        const struct unique *unique = &block->accesses[entry->access];
        if (entry->access == priced)
            prices[priced++] = price_of(cell->model, &unique->access);
        add(cell, unique, &prices[entry->access], entry->group);
    }
}

/* ---- threads --------------------------------------------------------------------------------- */

static void price_model(void *user, size_t number)
{
    struct bs_sweep *sweep = user;
    price_block(&sweep->cells[number], sweep->block);
}

/* Sees the block that was handed over to its end. */
static void finish_block(struct bs_sweep *sweep)
{
    if (sweep->block)
        bs_crew_finish(sweep->crew);
}

static void clear(struct block *block)
{
    block->count = 0;
    block->access_count = 0;
    memset(block->slots, 0, sizeof block->slots);
}

/* Hands the block that was filled over, once the one before is finished. */
static void hand_over(struct bs_sweep *sweep)
{
    finish_block(sweep);
    sweep->block = sweep->blocks[sweep->filling];
    bs_crew_begin(sweep->crew, price_model, sweep, sweep->count);
    sweep->filling ^= 1;
    clear(sweep->blocks[sweep->filling]);
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* Whether the addresses please any model whose warp is wide enough. Where not, a model that could
 * price the access says what is wrong. */
static bool is_sound(const struct bs_access *access)
{
    const uint64_t lanes = access->mask & bs_op_lanes(access->op, BS_MAX_LANES);
    uint32_t highest = 0;
    if (access->op.kind == BS_BAR || bs_access_is_misaligned(access, lanes))
        return false;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const uint32_t address = access->addr[bs_lanes_lowest(rest)];
        highest = address > highest ? address : highest;
    }
    return highest <= UINT32_MAX - access->op.bytes + 1;
}

/* Describes an access whose addresses are not known to last. */
static struct unique describe(const struct bs_access *access, const uint32_t *addr,
                              const uint64_t *src)
{
    struct unique unique = {.access = *access};
    unique.access.addr = addr;
    unique.access.src = access->src ? src : NULL;
    unique.active = access->op.kind == BS_BAR ? 0 : bs_lanes_count(access->mask);
    return unique;
}

/* The lanes that have to be looked at. */
static size_t lanes_of(const struct bs_access *access)
{
    return access->mask >> 32 ? 64 : 32;
}

/* Copies the addresses; lanes that have none get 0, so that equal accesses are equal bytes. */
static void copy_lanes(const struct bs_access *access, uint32_t *addr, uint64_t *src)
{
    memset(addr, 0, BS_MAX_LANES * sizeof *addr);
    if (access->src)
        memset(src, 0, BS_MAX_LANES * sizeof *src);
    for (uint64_t rest = access->op.kind == BS_BAR ? 0 : access->mask; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        addr[t] = access->addr[t];
        if (access->src)
            src[t] = access->src[t];
    }
}

static uint64_t hash_of(const struct bs_access *access)
{
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (access->mask ^ access->op.index) * factor;
    for (size_t t = 0; t < lanes_of(access); t += 2)
        hash = (hash ^ hash >> 29 ^ access->addr[t] ^ (uint64_t)access->addr[t + 1] << 32) * factor;
    return hash ^ hash >> 32;
}

static bool is_same(const struct unique *a, const struct unique *b)
{
    const size_t lanes = lanes_of(&a->access);
    const uint64_t *src = a->access.src;
    return a->hash == b->hash && a->access.op.index == b->access.op.index &&
           a->access.mask == b->access.mask && !src == !b->access.src &&
           memcmp(a->access.addr, b->access.addr, lanes * sizeof(uint32_t)) == 0 &&
           (!src || memcmp(src, b->access.src, lanes * sizeof *src) == 0);
}

/* The number of an access in the block, where there is room for a new one. */
static uint32_t find_access(struct block *block, const struct bs_access *access)
{
    const uint32_t number = block->access_count;
    uint32_t *addr = block->addr[number];
    uint64_t *src = block->src[number];
    struct unique unique = describe(access, addr, src);
    copy_lanes(access, addr, src);
    unique.hash = hash_of(&unique.access);
    size_t slot = unique.hash % SLOTS;
    for (; block->slots[slot]; slot = (slot + 1) % SLOTS)
        if (is_same(&unique, &block->accesses[block->slots[slot] - 1]))
            return block->slots[slot] - 1u;
    unique.sound = is_sound(&unique.access);
    block->accesses[number] = unique;
    block->slots[slot] = (uint16_t)++block->access_count;
    return number;
}

static bool is_full(const struct block *block)
{
    return block->count == RECORDS || block->access_count == ACCESSES;
}

/* Looks at addresses that are not sound through the eyes of a model that has a rule for them. */
static bool check(const struct bs_sweep *sweep, const struct bs_access *access,
                  struct bs_error *error)
{
    for (size_t i = 0; i < sweep->count; i++) {
        const struct bs_model *model = sweep->cells[i].model;
        if (model && lanes_fit(model, access) && has_rule(model, access))
            return bs_access_check(model, access, sweep->allow_misaligned, error);
    }
    return true;
}

bool bs_sweep_add(struct bs_sweep *sweep, const struct bs_access *access, uint32_t group,
                  struct bs_error *error)
{
    if (is_full(sweep->blocks[sweep->filling]))
        hand_over(sweep);
    struct block *block = sweep->blocks[sweep->filling];
    const uint32_t number = find_access(block, access);
    block->entries[block->count++] = (struct entry){.group = group, .access = number};
    struct unique *unique = &block->accesses[number];
    unique->sound = unique->sound || check(sweep, &unique->access, error);
    return unique->sound;
}

static void free_sweep(struct bs_sweep *sweep)
{
    bs_crew_end(sweep->crew);
    free(sweep->blocks[0]);
    free(sweep->blocks[1]);
    free(sweep);
}

struct bs_sweep *bs_sweep_start(struct bs_swept *cells, size_t count, unsigned threads,
                                bool allow_misaligned)
{
    struct bs_sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return NULL;
    sweep->cells = cells;
    sweep->count = count;
    sweep->allow_misaligned = allow_misaligned;
    for (size_t i = 0; i < count; i++)
        cells[i].failed = !cells[i].model;
    bool started = true;
    for (unsigned i = 0; i < 2; i++)
        started &= (sweep->blocks[i] = calloc(1, sizeof *sweep->blocks[i])) != NULL;
    sweep->crew = started ? bs_crew_start(threads) : NULL;
    if (sweep->crew)
        return sweep;
    free_sweep(sweep);
    return NULL;
}

void bs_sweep_end(struct bs_sweep *sweep)
{
    if (!sweep)
        return;
    hand_over(sweep);
    finish_block(sweep);
    free_sweep(sweep);
}

/* ---- cells ----------------------------------------------------------------------------------- */

void bs_swept_add(struct bs_swept *cell, const struct bs_access *access, uint32_t group)
{
    const struct unique unique = describe(access, access->addr, access->src);
    const struct price price = price_of(cell->model, access);
    add(cell, &unique, &price, group);
}

const struct bs_swept_group *bs_swept_group(const struct bs_swept *cell, uint32_t group)
{
    static const struct bs_swept_group none = {0};
    return group < cell->count ? &cell->groups[group] : &none;
}

bool bs_swept_is_priced(const struct bs_swept *cell, uint32_t group)
{
    const struct bs_swept_group *swept = bs_swept_group(cell, group);
    return !cell->failed && !swept->lacks_rules && !swept->lacks_lanes;
}

void bs_swept_free(struct bs_swept *cell)
{
    free(cell->groups);
    cell->groups = NULL;
    cell->count = cell->room = 0;
}
