/* Replaying traces: choosing the model, pricing records, adding them up. */
#include "replay.h"

#include "imports.h"
#include "kernel_names.h"
#include "lookup.h"
#include "reading.h"
#include "subject.h"

#include <stdlib.h>
#include <string.h>

/* Complains on a line of its own. */
static enum bs_status complain(struct bs_replay *replay, const struct bs_error *error)
{
    bs_progress_end(&replay->progress);
    return bs_complain(error);
}

/* Warns, and keeps the warning for the report. False when memory is out. */
static bool warn(struct bs_replay *replay, const struct bs_error *warning)
{
    struct bs_buffer text = {0};
    uint32_t number;
    bs_progress_end(&replay->progress);
    if (!warning)
        return true;
    bs_warn(warning);
    replay->torn |= warning->status != BS_OK;
    bs_buffer_printf(&text, "%s: %s.", replay->traces[replay->trace], warning->text);
    char *remark = bs_buffer_take(&text);
    const bool kept = remark && bs_names_intern(&replay->remarks, remark, &number);
    free(remark);
    return kept;
}

/* ---- the model ------------------------------------------------------------------------------- */

static enum bs_status load_model(struct bs_replay *replay, const char *name)
{
    enum bs_status status;
    replay->model = bs_find_model(name, replay->sets, &status);
    if (replay->model && replay->start)
        replay->start(replay->user, replay);
    return status;
}

/* All records read so far are counted: what is wrong with them is said first. */
static bool catch_up(struct bs_replay *replay, struct bs_error *error)
{
    return !replay->in_batches || bs_batches_drain(replay->batches, error);
}

/* Without a choice of the user's the kernels choose, and have to agree. */
static enum bs_status choose_model(struct bs_replay *replay, const struct bs_kernel *kernel,
                                   const char *trace)
{
    struct bs_error error;
    struct bs_error earlier;
    if (replay->model_name)
        return BS_OK;
    const bool agree = bs_model_agree(&replay->choice, kernel, trace, &error);
    if (agree && replay->model)
        return BS_OK;
    if (!catch_up(replay, &earlier))
        return complain(replay, &earlier);
    return agree ? load_model(replay, replay->choice.name) : complain(replay, &error);
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Numbers the texts of the kernel's source places. False when memory is out. */
static bool number_places(struct bs_replay *replay, const struct bs_kernel *kernel)
{
    if (kernel->place_count == 0)
        return true;
    uint32_t *places =
        bs_grow(replay->places, &replay->place_room, kernel->place_count, sizeof *places);
    if (!places)
        return false;
    replay->places = places;
    for (size_t i = 0; i < kernel->place_count; i++) {
        if (!bs_names_intern(&replay->names, kernel->places[i].text, &places[i]))
            return false;
        places[i]++;
    }
    return true;
}

/* What the records of a launch are priced by and count as. False when memory is out. */
static bool enter_kernel(struct bs_replay *replay, const struct bs_kernel *kernel)
{
    replay->launch = kernel->launch;
    replay->pricing.model = replay->model;
    replay->pricing.allow_misaligned = replay->allow_misaligned;
    replay->pricing.trace = replay->trace;
    if (!bs_names_intern(&replay->names, kernel->name, &replay->pricing.kernel) ||
        !number_places(replay, kernel))
        return false;
    replay->pricing.places = replay->places;
    return true;
}

static struct bs_counts counts_of(struct bs_replay *replay)
{
    return (struct bs_counts){&replay->totals, replay->tallies, replay->tally_count,
                              &replay->findings};
}

/* A launch is counted where it stands among the records. */
static enum bs_status take_launch(struct bs_replay *replay, const struct bs_kernel *kernel,
                                  const char *trace)
{
    const struct bs_counts counts = counts_of(replay);
    struct bs_tally_launch launch = {.launch = kernel->launch, .trace = replay->trace};
    bs_filter_meet(&replay->met, replay->filter, kernel);
    const bool taken = bs_filter_takes_kernel(replay->filter, kernel);
    const bool counted = bs_filter_counts_launch(replay->filter, kernel);
    const enum bs_status status = taken ? choose_model(replay, kernel, trace) : BS_OK;
    if (status != BS_OK)
        return status;
    /* Names are numbered here, so that all shards give the same numbers. */
    bool fine = !taken || (bs_names_intern_kernel(&replay->names, kernel, &launch.kernel) &&
                           enter_kernel(replay, kernel));
    if (fine && replay->in_batches)
        fine =
            bs_batches_launch(replay->batches, kernel, &replay->pricing, counted ? &launch : NULL);
    else if (fine && counted)
        fine = bs_counts_launch(&counts, &launch);
    return fine ? BS_OK : bs_out_of_memory();
}

/* ---- records --------------------------------------------------------------------------------- */

static bool take_record(struct bs_replay *replay, const struct bs_trace *trace,
                        const struct bs_record *record, struct bs_error *error)
{
    const struct bs_counts counts = counts_of(replay);
    struct bs_cost cost;
    struct bs_entry entry;
    if (record->kernel->launch != replay->launch && !enter_kernel(replay, record->kernel))
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    return bs_count_record(&counts, &replay->pricing, record, bs_trace_name(trace), &cost, &entry,
                           error) &&
           (!replay->record || replay->record(replay->user, record, &entry, error));
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* Some records were read. */
static void show_progress(struct bs_replay *replay, const struct bs_trace *trace, uint32_t records)
{
    uint64_t done;
    uint64_t size;
    if (!bs_progress_is_due(&replay->progress, records))
        return;
    bs_trace_progress(trace, &done, &size);
    bs_progress_draw(&replay->progress, bs_trace_name(trace), done, size);
}

/* The trace ended, or failed after the records that came before. */
static enum bs_status finish_trace(struct bs_replay *replay, const struct bs_trace *trace,
                                   const struct bs_error *failure)
{
    struct bs_error error;
    if (!catch_up(replay, &error))
        return complain(replay, &error);
    if (failure)
        return complain(replay, failure);
    if (replay->ended && !replay->ended(replay->user, replay, &error))
        return complain(replay, &error);
    return warn(replay, bs_trace_warning(trace)) ? BS_OK : bs_out_of_memory();
}

/* The next record, or with batches the next ones. */
static enum bs_trace_event read_on(struct bs_replay *replay, struct bs_trace *trace,
                                   struct bs_record *record, struct bs_error *error)
{
    return replay->in_batches ? bs_batches_next(replay->batches, record, error)
                              : bs_trace_next(trace, record, error);
}

static enum bs_status replay_open(struct bs_replay *replay, struct bs_trace *trace)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_status status = BS_OK;
    replay->launch = UINT64_MAX;
    while (status == BS_OK) {
        switch (read_on(replay, trace, &record, &error)) {
        case BS_TRACE_LAUNCH:
            status = take_launch(replay, record.kernel, bs_trace_name(trace));
            show_progress(replay, trace, 1);
            break;
        case BS_TRACE_RECORD:
            if (!replay->in_batches && !take_record(replay, trace, &record, &error))
                status = complain(replay, &error);
            show_progress(replay, trace, replay->in_batches ? BS_PROGRESS_LOOK : 1);
            break;
        case BS_TRACE_END:
            return finish_trace(replay, trace, NULL);
        case BS_TRACE_ERROR:
            return finish_trace(replay, trace, &error);
        }
    }
    return status;
}

/* With several threads, if the trace and what is asked of it allow it. */
static void choose_way(struct bs_replay *replay, struct bs_trace *trace)
{
    replay->in_batches = replay->batches && bs_trace_has_pieces(trace);
    if (replay->in_batches)
        bs_batches_start(replay->batches, trace);
}

static void note_end(struct bs_trace_end *end, const struct bs_trace *trace, uint64_t in_batches,
                     uint64_t taken)
{
    uint64_t done;
    bs_trace_progress(trace, &done, &end->bytes);
    end->launches = bs_trace_launches(trace);
    end->records = bs_trace_records(trace) + in_batches;
    end->taken = taken;
}

static bool take_remarks(struct bs_replay *replay, const struct bs_trace *trace)
{
    const char *text;
    uint32_t number;
    for (size_t i = 0; (text = bs_trace_remark(trace, BS_REMARK_MIND, i)); i++)
        if (!bs_names_intern(&replay->remarks, text, &number))
            return false;
    return true;
}

static enum bs_status replay_trace(struct bs_replay *replay, size_t number)
{
    enum bs_status status;
    struct bs_trace *trace =
        bs_reading_open(replay->traces[number], &replay->trace_options, &status);
    replay->trace = number;
    if (!trace)
        return status;
    if (replay->filter)
        bs_trace_filter(trace, replay->filter);
    bs_progress_start(&replay->progress);
    const uint64_t before = replay->totals.records;
    replay->open = trace;
    choose_way(replay, trace);
    status = replay_open(replay, trace);
    bs_progress_end(&replay->progress);
    const uint64_t in_batches = replay->in_batches ? bs_batches_end(replay->batches) : 0;
    note_end(&replay->ends[number], trace, in_batches, replay->totals.records - before);
    bs_imports_add(&replay->import, bs_trace_import(trace));
    if (status == BS_OK && !take_remarks(replay, trace))
        status = bs_out_of_memory();
    replay->open = NULL;
    bs_trace_close(trace);
    return status;
}

/* Records that are shown are counted where they are read, in their order. */
static bool open_batches(struct bs_replay *replay)
{
    const struct bs_counts counts = counts_of(replay);
    if (replay->threads < 2 || replay->record)
        return true;
    replay->batches = bs_batches_open(replay->threads, &counts);
    return replay->batches != NULL;
}

enum bs_status bs_replay_run(struct bs_replay *replay)
{
    enum bs_status status = BS_OK;
    replay->ends = calloc(replay->trace_count + 1, sizeof *replay->ends);
    if (!replay->ends || !open_batches(replay))
        return bs_out_of_memory();
    if (replay->model_name)
        status = load_model(replay, replay->model_name);
    for (size_t i = 0; status == BS_OK && i < replay->trace_count; i++)
        status = replay_trace(replay, i);
    if (status == BS_OK && !replay->model) /* traces without a kernel ask for nothing */
        status = load_model(replay, BS_DEFAULT_MODEL);
    return status;
}

void bs_replay_free(struct bs_replay *replay)
{
    bs_batches_close(replay->batches);
    for (size_t i = 0; i < replay->tally_count; i++)
        bs_tally_free(&replay->tallies[i]);
    bs_names_free(&replay->names);
    free(replay->places);
    bs_names_free(&replay->remarks);
    bs_model_free(replay->model);
    free(replay->ends);
    *replay = (struct bs_replay){0};
}
