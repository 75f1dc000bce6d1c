/* See sweep_engine.h. Threads take models from a common counter, so that the last block is shared
 * out however unevenly models cost; each model meets the blocks in order, by one thread at a time.
 */
#define _POSIX_C_SOURCE 200809L
#include "sweep_engine.h"

#include "core/buffer.h"
#include "core/lanes.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

struct entry {
    struct bs_access access;
    uint64_t line;
    uint32_t group;
    uint32_t active;
    bool sound; /* no model can object to the addresses */
};

struct block {
    size_t count;
    struct entry entries[BLOCK];
    uint32_t addr[BLOCK][BS_MAX_LANES];
    uint64_t src[BLOCK][BS_MAX_LANES];
};

struct bs_sweep {
    struct bs_swept *cells;
    size_t count;
    bool allow_misaligned;
    struct block *blocks[2];
    unsigned filling; /* which of them gathers records */

    pthread_mutex_t lock; /* over what follows */
    pthread_cond_t work;  /* a block was handed over, or it is time to stop */
    pthread_cond_t done;  /* all models have priced it */
    const struct block *block;
    size_t next;    /* model that nobody has taken */
    size_t pending; /* models that have not finished */
    bool stop;

    pthread_t threads[BS_MAX_SWEEP_THREADS];
    unsigned thread_count;
};

/* ---- one model ------------------------------------------------------------------------------- */

/* The sums of a group; NULL when memory is out. */
static struct bs_sums *sums_of(struct bs_swept *cell, uint32_t group)
{
    if (group < cell->groups)
        return &cell->sums[group];
    struct bs_sums *sums = bs_grow(cell->sums, &cell->room, (size_t)group + 1, sizeof *sums);
    if (!sums)
        return NULL;
    cell->sums = sums;
    memset(sums + cell->groups, 0, (group + 1 - cell->groups) * sizeof *sums);
    cell->groups = (size_t)group + 1;
    return &sums[group];
}

/* The full check names what is wrong; where addresses are known to be sound it has less to do. */
static bool fits(const struct bs_swept *cell, const struct entry *entry, bool allow_misaligned,
                 struct bs_error *error)
{
    const struct bs_model *model = cell->model;
    const bool lanes_fit = model->lanes >= 64 || entry->access.mask >> model->lanes == 0;
    if (entry->sound && lanes_fit && bs_model_rule(model, entry->access.op))
        return true;
    return bs_access_check(model, &entry->access, allow_misaligned, error);
}

static void price(struct bs_swept *cell, const struct entry *entry, bool allow_misaligned)
{
    struct bs_cost cost = {0};
    struct bs_sums *sums = sums_of(cell, entry->group);
    if (!sums)
        cell->failed = !bs_fail(&cell->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    else if (!fits(cell, entry, allow_misaligned, &cell->error))
        cell->failed = true;
    if (cell->failed) {
        cell->line = entry->line;
        return;
    }
    bs_count(cell->model, &entry->access, &cost);
    bs_sums_add(sums, &(struct bs_entry){.access = &entry->access,
                                         .cost = &cost,
                                         .active = entry->active,
                                         .kernel = entry->group});
    cell->notes |= cost.notes;
    if (cost.notes & BS_NOTE_ASSUMED_RULE)
        cell->assumed[entry->access.op.index] = true;
}

static void price_block(struct bs_swept *cell, const struct block *block, bool allow_misaligned)
{
    for (size_t i = 0; i < block->count && !cell->failed; i++)
        price(cell, &block->entries[i], allow_misaligned);
}

/* ---- threads --------------------------------------------------------------------------------- */

/* Prices the block for models that nobody has taken, until none is left. The lock is held. */
static void help(struct bs_sweep *sweep)
{
    while (sweep->next < sweep->count) {
        struct bs_swept *cell = &sweep->cells[sweep->next++];
        const struct block *block = sweep->block;
        pthread_mutex_unlock(&sweep->lock);
        price_block(cell, block, sweep->allow_misaligned);
        pthread_mutex_lock(&sweep->lock);
        if (--sweep->pending == 0)
            pthread_cond_signal(&sweep->done);
    }
}

static void *work(void *user)
{
    struct bs_sweep *sweep = user;
    pthread_mutex_lock(&sweep->lock);
    while (!sweep->stop) {
        help(sweep);
        if (!sweep->stop && sweep->next >= sweep->count)
            pthread_cond_wait(&sweep->work, &sweep->lock);
    }
    pthread_mutex_unlock(&sweep->lock);
    return NULL;
}

/* Sees the block that was handed over to its end. */
static void finish_block(struct bs_sweep *sweep)
{
    pthread_mutex_lock(&sweep->lock);
    help(sweep);
    while (sweep->pending > 0)
        pthread_cond_wait(&sweep->done, &sweep->lock);
    pthread_mutex_unlock(&sweep->lock);
}

/* Hands the block that was filled over, once the one before is finished. */
static void hand_over(struct bs_sweep *sweep)
{
    finish_block(sweep);
    pthread_mutex_lock(&sweep->lock);
    sweep->block = sweep->blocks[sweep->filling];
    sweep->next = 0;
    sweep->pending = sweep->count;
    pthread_cond_broadcast(&sweep->work);
    pthread_mutex_unlock(&sweep->lock);
    sweep->filling ^= 1;
    sweep->blocks[sweep->filling]->count = 0;
}

/* ---- the stream ------------------------------------------------------------------------------ */

/* Whether the addresses please any model whose warp is wide enough. */
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

static void take_entry(struct block *block, const struct bs_access *access, uint64_t line,
                       uint32_t group)
{
    const size_t at = block->count++;
    struct entry *entry = &block->entries[at];
    const bool is_bar = access->op.kind == BS_BAR;
    *entry = (struct entry){.access = *access, .line = line, .group = group};
    for (uint64_t rest = is_bar ? 0 : access->mask; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        block->addr[at][t] = access->addr[t];
        if (access->src)
            block->src[at][t] = access->src[t];
    }
    entry->access.addr = block->addr[at];
    entry->access.src = access->src ? block->src[at] : NULL;
    entry->active = is_bar ? 0 : bs_lanes_count(access->mask);
    entry->sound = is_sound(&entry->access);
}

static bool any_alive(const struct bs_sweep *sweep)
{
    for (size_t i = 0; i < sweep->count; i++)
        if (!sweep->cells[i].failed)
            return true;
    return false;
}

bool bs_sweep_add(struct bs_sweep *sweep, const struct bs_access *access, uint64_t line,
                  uint32_t group)
{
    if (sweep->blocks[sweep->filling]->count == BLOCK) {
        finish_block(sweep);
        if (!any_alive(sweep))
            return false;
        hand_over(sweep);
    }
    take_entry(sweep->blocks[sweep->filling], access, line, group);
    return true;
}

static void free_sweep(struct bs_sweep *sweep)
{
    pthread_cond_destroy(&sweep->done);
    pthread_cond_destroy(&sweep->work);
    pthread_mutex_destroy(&sweep->lock);
    free(sweep->blocks[0]);
    free(sweep->blocks[1]);
    free(sweep);
}

static void stop_threads(struct bs_sweep *sweep)
{
    pthread_mutex_lock(&sweep->lock);
    sweep->stop = true;
    pthread_cond_broadcast(&sweep->work);
    pthread_mutex_unlock(&sweep->lock);
    for (unsigned i = 0; i < sweep->thread_count; i++)
        pthread_join(sweep->threads[i], NULL);
}

/* A mutex or condition with default attributes takes no memory and cannot fail to be made. */
struct bs_sweep *bs_sweep_start(struct bs_swept *cells, size_t count, unsigned threads,
                                bool allow_misaligned)
{
    struct bs_sweep *sweep = calloc(1, sizeof *sweep);
    if (!sweep)
        return NULL;
    sweep->cells = cells;
    sweep->count = sweep->next = count;
    sweep->allow_misaligned = allow_misaligned;
    for (size_t i = 0; i < count; i++)
        cells[i].failed = !cells[i].model;
    pthread_mutex_init(&sweep->lock, NULL);
    pthread_cond_init(&sweep->work, NULL);
    pthread_cond_init(&sweep->done, NULL);
    bool started = true;
    for (unsigned i = 0; i < 2; i++)
        started &= (sweep->blocks[i] = calloc(1, sizeof *sweep->blocks[i])) != NULL;
    while (started && sweep->thread_count + 1 < threads) {
        pthread_t *thread = &sweep->threads[sweep->thread_count];
        started = pthread_create(thread, NULL, work, sweep) == 0;
        sweep->thread_count += started;
    }
    if (started)
        return sweep;
    stop_threads(sweep);
    free_sweep(sweep);
    return NULL;
}

void bs_sweep_end(struct bs_sweep *sweep)
{
    if (!sweep)
        return;
    hand_over(sweep);
    finish_block(sweep);
    stop_threads(sweep);
    free_sweep(sweep);
}

/* ---- cells ----------------------------------------------------------------------------------- */

void bs_swept_add(struct bs_swept *cell, const struct bs_access *access, uint64_t line,
                  uint32_t group, bool allow_misaligned)
{
    const struct entry entry = {
        .access = *access,
        .line = line,
        .group = group,
        .active = access->op.kind == BS_BAR ? 0 : bs_lanes_count(access->mask),
    };
    price(cell, &entry, allow_misaligned);
}

const struct bs_sums *bs_swept_sums(const struct bs_swept *cell, uint32_t group)
{
    static const struct bs_sums none = {0};
    return group < cell->groups ? &cell->sums[group] : &none;
}

void bs_swept_free(struct bs_swept *cell)
{
    free(cell->sums);
    cell->sums = NULL;
    cell->groups = cell->room = 0;
}
