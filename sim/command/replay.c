/* Replaying traces: choosing the model, pricing records, adding them up. */
#include "replay.h"

#include "core/lanes.h"
#include "imports.h"
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

/* Without a choice of the user's the kernels choose, and have to agree. */
static enum bs_status choose_model(struct bs_replay *replay, const struct bs_kernel *kernel,
                                   const char *trace)
{
    struct bs_error error;
    if (replay->model_name)
        return BS_OK;
    if (!bs_model_agree(&replay->choice, kernel, trace, &error))
        return complain(replay, &error);
    return replay->model ? BS_OK : load_model(replay, replay->choice.name);
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

/* The name of "void ns::f<int>(float*, int)" without what goes round it: "ns::f<int>". */
static void shorten_demangled(const char *name, struct bs_buffer *out)
{
    const char *start = name, *at = name;
    unsigned depth = 0;
    for (; *at && !(*at == '(' && depth == 0 && strncmp(at, "(anonymous", 10) != 0); at++) {
        depth += *at == '<' || *at == '(';
        depth -= depth > 0 && (*at == '>' || *at == ')');
        if (*at == ' ' && depth == 0)
            start = at + 1;
    }
    bs_buffer_add(out, start, (size_t)(at - start));
}

/* Notes how people read the kernel's name. False when memory is out. */
static bool note_shown(struct bs_replay *replay, const char *demangled, uint32_t kernel)
{
    uint32_t number;
    struct bs_buffer text = {0};
    if (!demangled || (kernel < replay->shown_count && replay->shown[kernel]))
        return true;
    uint32_t *shown =
        bs_grow(replay->shown, &replay->shown_room, kernel + (size_t)1, sizeof *shown);
    if (!shown)
        return false;
    replay->shown = shown;
    while (replay->shown_count <= kernel)
        shown[replay->shown_count++] = 0;
    shorten_demangled(demangled, &text);
    char *name = bs_buffer_take(&text);
    const bool good = name && bs_names_intern(&replay->names, name, &number);
    if (good && *name)
        shown[kernel] = number + 1;
    free(name);
    return good;
}

const char *bs_replay_kernel_name(const struct bs_replay *replay, uint32_t kernel)
{
    const uint32_t shown = kernel < replay->shown_count ? replay->shown[kernel] : 0;
    return replay->names.list[shown ? shown - 1 : kernel];
}

static enum bs_status count_launch(struct bs_replay *replay, const struct bs_kernel *kernel,
                                   const char *trace)
{
    struct bs_tally_launch launch = {.launch = kernel->launch, .trace = replay->trace};
    bs_filter_meet(&replay->met, replay->filter, kernel);
    if (!bs_filter_takes_kernel(replay->filter, kernel))
        return BS_OK;
    const enum bs_status status = choose_model(replay, kernel, trace);
    if (status != BS_OK)
        return status;
    if (!bs_names_intern(&replay->names, kernel->name, &launch.kernel) ||
        !note_shown(replay, kernel->demangled, launch.kernel) ||
        !number_places(replay, kernel)) /* here, so that all shards give the same numbers */
        return bs_out_of_memory();
    if (!bs_filter_counts_launch(replay->filter, kernel))
        return BS_OK;
    replay->totals.launches++;
    for (size_t i = 0; i < replay->tally_count; i++)
        if (!bs_tally_launch(&replay->tallies[i], &launch))
            return bs_out_of_memory();
    return BS_OK;
}

/* The records that follow are the kernel's. */
static bool enter_kernel(struct bs_replay *replay, const struct bs_kernel *kernel)
{
    replay->launch = kernel->launch;
    return number_places(replay, kernel) &&
           bs_names_intern(&replay->names, kernel->name, &replay->kernel_number);
}

/* ---- records --------------------------------------------------------------------------------- */

static void note_findings(struct bs_findings *findings, const struct bs_entry *entry)
{
    const struct bs_access *access = entry->access;
    const uint32_t notes = entry->cost->notes;
    if (notes & BS_NOTE_ASSUMED_RULE)
        findings->assumed[access->op.index] = true;
    findings->assumed_sources += (notes & BS_NOTE_ASSUMED_SOURCE) != 0;
    findings->misaligned += (notes & BS_NOTE_MISALIGNED) != 0;
    if (entry->cost->undefined && findings->undefined++ == 0) {
        findings->first_undefined.kernel = entry->kernel;
        findings->first_undefined.pc = access->pc;
        findings->first_undefined.op = access->op;
        findings->first_undefined.trace = entry->trace;
        findings->first_undefined.record = access->record;
    }
}

/* What struct bs_entry says of the place of an instruction. */
static uint32_t place_of(const struct bs_replay *replay, const struct bs_record *record)
{
    const struct bs_source_place *place = bs_kernel_place(record->kernel, record->access.pc);
    return place ? replay->places[place - record->kernel->places] : 0;
}

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static bool take_entry(struct bs_replay *replay, const struct bs_record *record,
                       const struct bs_entry *entry, struct bs_error *error)
{
    bs_sums_add(&replay->totals, entry);
    for (size_t i = 0; i < replay->tally_count; i++)
        if (!bs_tally_add(&replay->tallies[i], entry))
            return out_of_memory(error);
    if (entry->cost->notes || entry->cost->undefined)
        note_findings(&replay->findings, entry);
    return !replay->record || replay->record(replay->user, record, entry, error);
}

/* Takes a record that has been priced; with several threads by any of them, but in order. */
static bool take_priced(void *user, const struct bs_priced *priced, struct bs_error *error)
{
    struct bs_replay *replay = user;
    const struct bs_record *record = &priced->record;
    const struct bs_access *access = &record->access;
    if (record->kernel->launch != replay->launch && !enter_kernel(replay, record->kernel))
        return out_of_memory(error);
    if (!priced->fits)
        return bs_record_fail(replay->model, record, replay->allow_misaligned, true,
                              replay->file.data, error);
    const struct bs_entry entry = {
        .access = access,
        .cost = &priced->cost,
        .active = bs_lanes_count(access->mask),
        .kernel = replay->kernel_number,
        .place = place_of(replay, record),
        .launch = record->kernel->launch,
        .trace = replay->trace,
    };
    return take_entry(replay, record, &entry, error);
}

/* All records read so far are taken. */
static bool catch_up(struct bs_replay *replay, struct bs_error *error)
{
    return !replay->pricing || bs_pricing_drain(replay->pricing, error);
}

/* Hands a record to the threads. The reader may forget the kernel before they are done with it. */
static bool add_record(struct bs_replay *replay, struct bs_record *record, struct bs_error *error)
{
    if (!replay->has_kernel || record->kernel->launch != replay->kernel.kernel.launch) {
        if (!catch_up(replay, error))
            return false;
        replay->has_kernel = bs_kernel_copy_fill(&replay->kernel, record->kernel);
        if (!replay->has_kernel)
            return out_of_memory(error);
    }
    record->kernel = &replay->kernel.kernel;
    return bs_pricing_add(replay->pricing, replay->model, record, error);
}

static bool take_record(struct bs_replay *replay, struct bs_priced *priced, struct bs_error *error)
{
    if (replay->pricing)
        return add_record(replay, &priced->record, error);
    bs_price(priced, replay->model, replay->allow_misaligned);
    return take_priced(replay, priced, error);
}

/* ---- traces ---------------------------------------------------------------------------------- */

static void show_progress(struct bs_replay *replay, const struct bs_trace *trace)
{
    uint64_t done;
    uint64_t size;
    if (!bs_progress_is_due(&replay->progress))
        return;
    bs_trace_progress(trace, &done, &size);
    bs_progress_draw(&replay->progress, bs_trace_name(trace), done, size);
}

/* Keeps the name of the file being read: with several threads, reading may be in the next one when
 * a record turns out to be wrong. */
static bool keep_name(struct bs_replay *replay, const struct bs_trace *trace)
{
    const char *name = bs_trace_name(trace);
    replay->file.size = 0;
    bs_buffer_add(&replay->file, name, strlen(name) + 1);
    return !replay->file.failed;
}

/* A launch is counted where it stands among the records. */
static enum bs_status take_launch(struct bs_replay *replay, const struct bs_trace *trace,
                                  const struct bs_kernel *kernel)
{
    struct bs_error error;
    if (!catch_up(replay, &error))
        return complain(replay, &error);
    if (!keep_name(replay, trace))
        return bs_out_of_memory();
    return count_launch(replay, kernel, replay->file.data);
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

static enum bs_status replay_open(struct bs_replay *replay, struct bs_trace *trace)
{
    struct bs_error error;
    struct bs_priced priced;
    enum bs_status status = BS_OK;
    replay->launch = UINT64_MAX;
    replay->has_kernel = false;
    while (status == BS_OK) {
        switch (bs_trace_next(trace, &priced.record, &error)) {
        case BS_TRACE_LAUNCH:
            status = take_launch(replay, trace, priced.record.kernel);
            show_progress(replay, trace);
            break;
        case BS_TRACE_RECORD:
            if (!take_record(replay, &priced, &error))
                status = complain(replay, &error);
            show_progress(replay, trace);
            break;
        case BS_TRACE_END:
            return finish_trace(replay, trace, NULL);
        case BS_TRACE_ERROR:
            return finish_trace(replay, trace, &error);
        }
    }
    return status;
}

static void note_end(struct bs_trace_end *end, const struct bs_trace *trace, uint64_t taken)
{
    uint64_t done;
    bs_trace_progress(trace, &done, &end->bytes);
    end->launches = bs_trace_launches(trace);
    end->records = bs_trace_records(trace);
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
    status = replay_open(replay, trace);
    bs_progress_end(&replay->progress);
    note_end(&replay->ends[number], trace, replay->totals.records - before);
    bs_imports_add(&replay->import, bs_trace_import(trace));
    if (status == BS_OK && !take_remarks(replay, trace))
        status = bs_out_of_memory();
    replay->open = NULL;
    bs_trace_close(trace);
    return status;
}

static bool open_pricing(struct bs_replay *replay)
{
    const struct bs_price_taker taker = {take_priced, replay};
    if (replay->threads < 2)
        return true;
    replay->pricing = bs_pricing_open(replay->threads, replay->allow_misaligned, taker);
    return replay->pricing != NULL;
}

enum bs_status bs_replay_run(struct bs_replay *replay)
{
    enum bs_status status = BS_OK;
    replay->ends = calloc(replay->trace_count + 1, sizeof *replay->ends);
    if (!replay->ends || !open_pricing(replay))
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
    bs_pricing_close(replay->pricing);
    bs_buffer_free(&replay->file);
    bs_kernel_copy_free(&replay->kernel);
    for (size_t i = 0; i < replay->tally_count; i++)
        bs_tally_free(&replay->tallies[i]);
    bs_names_free(&replay->names);
    free(replay->shown);
    free(replay->places);
    bs_names_free(&replay->remarks);
    bs_model_free(replay->model);
    free(replay->ends);
    *replay = (struct bs_replay){0};
}
