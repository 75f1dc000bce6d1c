/* Blocks of records on their way through reading, pricing and taking. */
#include "pricing.h"

#include "core/lanes.h"
#include "crew.h"

#include <stdlib.h>
#include <string.h>

/* A block is large enough to make handing it over rare, and three of them small enough for a cache.
 */
enum { RECORDS = 1024, PART = 128, STAGES = 3 };

struct block {
    size_t count;
    struct bs_priced records[RECORDS];
    uint32_t addr[RECORDS][BS_MAX_LANES];
    uint64_t src[RECORDS][BS_MAX_LANES];
};

struct bs_pricing {
    unsigned threads;
    bool allow_misaligned;
    const struct bs_model *model;
    struct bs_price_taker taker;
    struct bs_crew *crew; /* NULL: not started */
    bool alone;           /* there are no threads to be had */
    bool busy;            /* the crew has a job */
    bool failed;          /* a record was not taken, as error says; the job's while busy */
    struct bs_error error;
    struct block *filling, *pricing, *taking;
};

/* ---- one record ------------------------------------------------------------------------------ */

void bs_price(struct bs_priced *priced, const struct bs_model *model, bool allow_misaligned)
{
    priced->cost = (struct bs_cost){0};
    priced->fits = bs_access_check(model, &priced->record.access, allow_misaligned, NULL);
    if (priced->fits)
        bs_count(model, &priced->record.access, &priced->cost);
}

/* Copies the addresses, which the reader overwrites. */
static void keep(struct block *block, const struct bs_record *record)
{
    const size_t at = block->count++;
    const size_t lanes = record->access.mask >> 32 ? BS_MAX_LANES : BS_MAX_LANES / 2;
    struct bs_access *access = &block->records[at].record.access;
    block->records[at].record = *record;
    if (record->access.addr)
        memcpy(block->addr[at], record->access.addr, lanes * sizeof *block->addr[at]);
    access->addr = block->addr[at];
    if (!record->access.src)
        return;
    memcpy(block->src[at], record->access.src, lanes * sizeof *block->src[at]);
    access->src = block->src[at];
}

/* ---- one block ------------------------------------------------------------------------------- */

static void take_block(struct bs_pricing *pricing, struct block *block)
{
    for (size_t i = 0; i < block->count && !pricing->failed; i++)
        pricing->failed =
            !pricing->taker.take(pricing->taker.user, &block->records[i], &pricing->error);
    block->count = 0;
}

static void price_part(struct bs_pricing *pricing, struct block *block, size_t part)
{
    const size_t end = part * PART + PART < block->count ? part * PART + PART : block->count;
    for (size_t i = part * PART; i < end; i++)
        bs_price(&block->records[i], pricing->model, pricing->allow_misaligned);
}

/* The first task takes the block that is priced, the others price the one that is read. */
static void do_task(void *user, size_t number)
{
    struct bs_pricing *pricing = user;
    if (number == 0)
        take_block(pricing, pricing->taking);
    else
        price_part(pricing, pricing->pricing, number - 1);
}

static size_t parts_of(const struct block *block)
{
    return (block->count + PART - 1) / PART;
}

/* ---- the stream ------------------------------------------------------------------------------ */

static void finish_job(struct bs_pricing *pricing)
{
    if (pricing->busy)
        bs_crew_finish(pricing->crew);
    pricing->busy = false;
}

/* All blocks move on by one stage; the crew is idle. */
static void hand_over(struct bs_pricing *pricing)
{
    struct block *empty = pricing->taking;
    pricing->taking = pricing->pricing;
    pricing->pricing = pricing->filling;
    pricing->filling = empty;
    bs_crew_begin(pricing->crew, do_task, pricing, 1 + parts_of(pricing->pricing));
    pricing->busy = true;
}

static bool has_crew(struct bs_pricing *pricing)
{
    if (!pricing->crew && !pricing->alone)
        pricing->crew = bs_crew_start(pricing->threads);
    pricing->alone = !pricing->crew;
    return !pricing->alone;
}

/* Without threads: prices and takes what was read. */
static void do_alone(struct bs_pricing *pricing)
{
    for (size_t part = 0; part < parts_of(pricing->filling); part++)
        price_part(pricing, pricing->filling, part);
    take_block(pricing, pricing->filling);
}

static bool outcome(const struct bs_pricing *pricing, struct bs_error *error)
{
    if (pricing->failed)
        *error = pricing->error;
    return !pricing->failed;
}

bool bs_pricing_add(struct bs_pricing *pricing, const struct bs_model *model,
                    const struct bs_record *record, struct bs_error *error)
{
    if (pricing->model != model) /* written only while no thread reads it */
        pricing->model = model;
    keep(pricing->filling, record);
    if (pricing->filling->count < RECORDS)
        return true;
    if (!has_crew(pricing)) {
        do_alone(pricing);
        return outcome(pricing, error);
    }
    finish_job(pricing);
    if (!outcome(pricing, error))
        return false;
    hand_over(pricing);
    return true;
}

bool bs_pricing_drain(struct bs_pricing *pricing, struct bs_error *error)
{
    finish_job(pricing);
    take_block(pricing, pricing->pricing); /* the one before it was taken by the job */
    do_alone(pricing);
    return outcome(pricing, error);
}

static void free_pricing(struct bs_pricing *pricing)
{
    bs_crew_end(pricing->crew);
    free(pricing->filling);
    free(pricing->pricing);
    free(pricing->taking);
    free(pricing);
}

struct bs_pricing *bs_pricing_open(unsigned threads, bool allow_misaligned,
                                   struct bs_price_taker taker)
{
    struct bs_pricing *pricing = calloc(1, sizeof *pricing);
    if (!pricing)
        return NULL;
    pricing->threads = threads;
    pricing->allow_misaligned = allow_misaligned;
    pricing->taker = taker;
    struct block **const stages[STAGES] = {&pricing->filling, &pricing->pricing, &pricing->taking};
    bool made = true;
    for (size_t i = 0; i < STAGES; i++)
        made &= (*stages[i] = calloc(1, sizeof **stages[i])) != NULL;
    if (made)
        return pricing;
    free_pricing(pricing);
    return NULL;
}

void bs_pricing_close(struct bs_pricing *pricing)
{
    if (!pricing)
        return;
    finish_job(pricing);
    free_pricing(pricing);
}
