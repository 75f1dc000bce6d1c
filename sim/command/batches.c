/* A ring of batches on their way through reading, counting and adding up. */
#include "batches.h"

#include "core/buffer.h"
#include "crew.h"
#include "launches.h"

#include <stdlib.h>
#include <string.h>

/* BATCH: bytes to be taken apart; large enough to make handing it over rare, small enough for a
 * cache and for threads to end at about the same time. MOST: with more threads, they wait for the
 * one that reads. */
enum { BATCH = 128 * 1024, MOST = 16 };

/* A launch, for all the batches that hold records of it. */
struct launch {
    struct bs_kernel_copy kernel;
    struct bs_pricing pricing;
    uint32_t *places; /* of pricing */
    size_t uses;      /* only the caller's thread counts */
};

/* A launch that begins, records of it, or both. */
struct segment {
    struct launch *launch;
    bool counted;
    struct bs_tally_launch count; /* if counted */
    struct bs_piece piece;        /* of the batch's bytes */
};

struct batch {
    /* What is to be counted. */
    struct bs_buffer bytes;
    struct segment *segments;
    size_t count, room;
    size_t weight;           /* bytes of memory, those of the pieces apart */
    struct bs_trace *reader; /* of the pieces; NULL: not opened yet */

    /* What came of it. */
    struct bs_sums totals;
    struct bs_tally tallies[BS_MAX_TALLIES];
    struct bs_findings findings;
    uint64_t records; /* that went by */
    bool failed;      /* as error says */
    struct bs_error error;
    atomic_bool done;
};

struct bs_batches {
    unsigned threads;
    struct bs_counts into;
    struct bs_crew *crew; /* NULL: not started */
    bool alone;           /* there are no threads to be had */
    atomic_bool stop;     /* what is not counted will be dropped */
    struct batch *ring;
    size_t room;
    uint64_t filled, added; /* batches; the number filled is being filled */
    uint64_t first;         /* the batch that was the crew's first task */
    struct bs_trace *trace; /* being read */
    struct launch *launch;  /* the one that began last, or NULL */
    uint64_t records;       /* of the trace, in batches that were added up */
    bool failed;            /* a record could not be counted, as error says */
    struct bs_error error;
};

static struct batch *batch_at(struct bs_batches *batches, uint64_t number)
{
    return &batches->ring[number % batches->room];
}

static struct bs_counts counts_of(struct batch *batch, const struct bs_counts *like)
{
    return (struct bs_counts){&batch->totals, batch->tallies, like->tally_count, &batch->findings};
}

/* ---- launches -------------------------------------------------------------------------------- */

static void release(struct launch *launch)
{
    if (!launch || --launch->uses > 0)
        return;
    bs_kernel_copy_free(&launch->kernel);
    free(launch->places);
    free(launch);
}

static bool copy_places(struct launch *launch, size_t count)
{
    if (!launch->pricing.places || count == 0)
        return true;
    launch->places = malloc(count * sizeof *launch->places);
    if (!launch->places)
        return false;
    memcpy(launch->places, launch->pricing.places, count * sizeof *launch->places);
    launch->pricing.places = launch->places;
    return true;
}

static struct launch *make_launch(const struct bs_kernel *kernel, const struct bs_pricing *pricing)
{
    struct launch *launch = calloc(1, sizeof *launch);
    if (!launch)
        return NULL;
    launch->uses = 1;
    launch->pricing = *pricing;
    if (bs_kernel_copy_fill(&launch->kernel, kernel) && copy_places(launch, kernel->place_count))
        return launch;
    release(launch);
    return NULL;
}

/* ---- counting, by any thread ----------------------------------------------------------------- */

static bool count_piece(struct batch *batch, const struct segment *segment,
                        const struct bs_counts *counts)
{
    const struct launch *launch = segment->launch;
    struct bs_record record;
    struct bs_entry entry;
    struct bs_cost cost;
    if (segment->piece.size == 0)
        return true;
    if (!bs_trace_start_piece(batch->reader, batch->bytes.data, &segment->piece,
                              &launch->kernel.kernel, batch->records, &batch->error))
        return false;
    for (;;) {
        const enum bs_trace_event event = bs_trace_next(batch->reader, &record, &batch->error);
        if (event != BS_TRACE_RECORD) {
            batch->records = bs_trace_records(batch->reader);
            return event == BS_TRACE_END;
        }
        if (!bs_count_record(counts, &launch->pricing, &record, bs_trace_name(batch->reader), &cost,
                             &entry, &batch->error))
            return false;
    }
}

static bool count_segment(struct batch *batch, const struct segment *segment,
                          const struct bs_counts *counts)
{
    if (segment->counted && !bs_counts_launch(counts, &segment->count))
        return bs_fail(&batch->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    return count_piece(batch, segment, counts);
}

static void count_batch(struct bs_batches *batches, struct batch *batch)
{
    const struct bs_counts counts = counts_of(batch, &batches->into);
    for (size_t i = 0; i < batch->count && !batch->failed && !atomic_load(&batches->stop); i++)
        batch->failed = !count_segment(batch, &batch->segments[i], &counts);
    atomic_store(&batch->done, true);
}

static void do_task(void *user, size_t number)
{
    struct bs_batches *batches = user;
    count_batch(batches, batch_at(batches, batches->first + number));
}

/* ---- the ring -------------------------------------------------------------------------------- */

/* The batch is counted when this returns. */
static void await(struct bs_batches *batches, struct batch *batch)
{
    if (batches->crew)
        bs_crew_await(batches->crew, &batch->done);
    else if (!atomic_load(&batch->done))
        count_batch(batches, batch);
}

/* Makes the batch ready to be filled again. */
static void clear(struct batch *batch)
{
    for (size_t i = 0; i < batch->count; i++)
        release(batch->segments[i].launch);
    batch->bytes.size = batch->count = batch->weight = 0;
    batch->totals = (struct bs_sums){0};
    for (size_t i = 0; i < BS_MAX_TALLIES; i++)
        bs_tally_clear(&batch->tallies[i]);
    batch->findings = (struct bs_findings){0};
    batch->records = 0;
    batch->failed = false;
    atomic_store(&batch->done, false);
}

/* Adds the oldest batch up. */
static bool add_oldest(struct bs_batches *batches)
{
    struct batch *batch = batch_at(batches, batches->added);
    const struct bs_counts counts = counts_of(batch, &batches->into);
    await(batches, batch);
    if (batch->failed)
        batches->error = batch->error;
    batches->failed = batch->failed ||
                      !bs_counts_append(&batches->into, &counts, batches->records, &batches->error);
    batches->records += batch->records;
    batches->added++;
    clear(batch);
    return !batches->failed;
}

/* The crew is started with the second batch: one alone is counted as fast without it. */
static void start_crew(struct bs_batches *batches)
{
    const uint64_t waiting = batches->filled - batches->added;
    if (batches->alone || waiting < 2)
        return;
    batches->crew = bs_crew_start(batches->threads);
    batches->alone = !batches->crew;
    batches->first = batches->added;
    if (batches->crew)
        bs_crew_begin(batches->crew, do_task, batches, (size_t)waiting);
}

/* The batch that was being filled is to be counted. False if one before it could not be. */
static bool hand_over(struct bs_batches *batches)
{
    batches->filled++;
    if (batches->crew)
        bs_crew_add(batches->crew);
    else
        start_crew(batches);
    return batches->filled - batches->added < batches->room || add_oldest(batches);
}

/* Room for one more segment in the batch being filled, of the launch that began last; NULL when
 * memory is out. */
static struct segment *add_segment(struct bs_batches *batches)
{
    struct batch *batch = batch_at(batches, batches->filled);
    struct segment *segments =
        bs_grow(batch->segments, &batch->room, batch->count + 1, sizeof *segments);
    if (!segments)
        return NULL;
    batch->segments = segments;
    batch->weight += sizeof *segments;
    segments[batch->count] = (struct segment){.launch = batches->launch};
    batches->launch->uses++;
    return &segments[batch->count++];
}

/* ---- the stream ------------------------------------------------------------------------------ */

void bs_batches_start(struct bs_batches *batches, struct bs_trace *trace)
{
    batches->trace = trace;
    batches->records = 0;
}

bool bs_batches_launch(struct bs_batches *batches, const struct bs_kernel *kernel,
                       const struct bs_pricing *pricing, const struct bs_tally_launch *counted)
{
    struct launch *launch = make_launch(kernel, pricing);
    if (!launch)
        return false;
    release(batches->launch);
    batches->launch = launch;
    struct segment *segment = add_segment(batches);
    if (!segment)
        return false;
    segment->counted = counted != NULL;
    if (counted)
        segment->count = *counted;
    batch_at(batches, batches->filled)->weight +=
        sizeof *launch + launch->kernel.text.size + launch->kernel.place_text.size +
        kernel->place_count * (sizeof *kernel->places + sizeof *launch->places);
    return true;
}

static bool has_reader(struct bs_batches *batches, struct batch *batch, struct bs_error *error)
{
    if (!batch->reader)
        batch->reader = bs_trace_of_pieces(batches->trace, error);
    return batch->reader != NULL;
}

/* Takes a piece in, whose bytes are in the batch. */
static bool take_piece(struct bs_batches *batches, const struct bs_piece *piece,
                       struct bs_error *error)
{
    struct segment *segment = add_segment(batches);
    if (!segment)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    segment->piece = *piece;
    return true;
}

enum bs_trace_event bs_batches_next(struct bs_batches *batches, struct bs_record *record,
                                    struct bs_error *error)
{
    struct batch *batch = batch_at(batches, batches->filled);
    struct bs_piece piece;
    if (batch->bytes.size + batch->weight >= BATCH) {
        if (!hand_over(batches)) {
            *error = batches->error;
            return BS_TRACE_ERROR;
        }
        batch = batch_at(batches, batches->filled);
    }
    if (!has_reader(batches, batch, error))
        return BS_TRACE_ERROR;
    const enum bs_trace_event event =
        bs_trace_next_piece(batches->trace, &batch->bytes, &piece, record, error);
    if (event == BS_TRACE_RECORD && !take_piece(batches, &piece, error))
        return BS_TRACE_ERROR;
    return event;
}

bool bs_batches_drain(struct bs_batches *batches, struct bs_error *error)
{
    if (!batches->failed && batch_at(batches, batches->filled)->count > 0)
        hand_over(batches);
    while (!batches->failed && batches->added < batches->filled)
        add_oldest(batches);
    if (batches->failed)
        *error = batches->error;
    return !batches->failed;
}

uint64_t bs_batches_end(struct bs_batches *batches)
{
    atomic_store(&batches->stop, true);
    for (; batches->added < batches->filled; batches->added++) {
        await(batches, batch_at(batches, batches->added));
        clear(batch_at(batches, batches->added));
    }
    clear(batch_at(batches, batches->filled));
    atomic_store(&batches->stop, false);
    for (size_t i = 0; i < batches->room; i++) {
        bs_trace_close(batches->ring[i].reader);
        batches->ring[i].reader = NULL;
    }
    release(batches->launch);
    batches->launch = NULL;
    return batches->records;
}

struct bs_batches *bs_batches_open(unsigned threads, const struct bs_counts *into)
{
    struct bs_batches *batches = calloc(1, sizeof *batches);
    if (!batches)
        return NULL;
    batches->threads = threads < MOST ? threads : MOST;
    batches->room = 2 * (size_t)batches->threads + 2;
    batches->into = *into;
    batches->ring = calloc(batches->room, sizeof *batches->ring);
    if (!batches->ring) {
        free(batches);
        return NULL;
    }
    for (size_t i = 0; i < batches->room; i++)
        for (size_t j = 0; j < into->tally_count; j++)
            batches->ring[i].tallies[j].by = into->tallies[j].by;
    return batches;
}

static void free_batch(struct batch *batch)
{
    bs_buffer_free(&batch->bytes);
    free(batch->segments);
    for (size_t i = 0; i < BS_MAX_TALLIES; i++)
        bs_tally_free(&batch->tallies[i]);
}

void bs_batches_close(struct bs_batches *batches)
{
    if (!batches)
        return;
    bs_batches_end(batches);
    if (batches->crew)
        bs_crew_finish(batches->crew);
    bs_crew_end(batches->crew);
    for (size_t i = 0; i < batches->room; i++)
        free_batch(&batches->ring[i]);
    free(batches->ring);
    free(batches);
}
