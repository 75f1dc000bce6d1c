/* Launch after launch: gathering, running, adding up. */
#include "run_timing.h"

#include "core/buffer.h"
#include "kernel_names.h"

#include <stdlib.h>
#include <string.h>

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* ---- a launch is over ------------------------------------------------------------------------ */

/* Makes the times of all groups, those of new ones zero. */
static bool grow_times(struct bs_run_timing *timing)
{
    struct bs_group_time *times =
        bs_grow(timing->times, &timing->times_room, timing->by_pc.count, sizeof *times);
    if (!times)
        return false;
    timing->times = times;
    memset(times + timing->times_count, 0,
           (timing->by_pc.count - timing->times_count) * sizeof *times);
    timing->times_count = timing->by_pc.count;
    return true;
}

static bool write_rows(struct bs_run_timing *timing, struct bs_error *error)
{
    for (size_t i = 0; i < timing->row_count; i++) {
        struct bs_record_row *row = &timing->rows[i];
        const struct bs_instruction_time *time = bs_launch_time(&timing->launch, i);
        row->issued = time->issued;
        row->started = time->started;
        row->finished = time->finished;
        row->waited = time->waited;
        if (!timing->row(timing->user, row, error))
            return false;
    }
    timing->row_count = 0;
    return true;
}

static bool add_launch(struct bs_run_timing *timing)
{
    const struct bs_engine *engine = &timing->launch.engine;
    struct bs_timed_launch *launches =
        bs_grow(timing->launches, &timing->launch_room, timing->launch_count + 1, sizeof *launches);
    if (!launches)
        return false;
    timing->launches = launches;
    struct bs_timed_launch *made = &launches[timing->launch_count++];
    *made = (struct bs_timed_launch){
        .kernel = timing->kernel,
        .trace = timing->trace,
        .launch = timing->number,
        .records = timing->launch.records,
        .resident = timing->launch.resident,
        .cycles = engine->cycle,
    };
    memcpy(made->causes, engine->totals.causes, sizeof made->causes);
    timing->cycles += engine->cycle;
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        timing->causes[cause] += engine->totals.causes[cause];
    timing->dependent += timing->launch.dependent;
    timing->barriers += timing->launch.barriers;
    timing->uneven_ctas += timing->launch.uneven_ctas;
    return true;
}

/* Says which launch could not be run, where the error does not. */
static bool fail_launch(const struct bs_run_timing *timing, const struct bs_replay *replay,
                        const struct bs_error *why, struct bs_error *error)
{
    char kernel[48];
    const char *name = bs_names_shown(&replay->names, timing->kernel);
    bs_printable(name, strlen(name), kernel, sizeof kernel);
    if (why->status != BS_BAD_TRACE) {
        *error = *why;
        return false;
    }
    return bs_fail(error, why->status, replay->traces[timing->trace], 0, 0, "launch %llu, %s: %s",
                   (unsigned long long)timing->number, kernel, why->text);
}

static bool run_engine(struct bs_run_timing *timing, const struct bs_replay *replay,
                       struct bs_error *error)
{
    struct bs_error why;
    timing->how.resident = timing->resident;
    timing->how.groups = timing->times;
    timing->how.early_exit = timing->early_exit;
    if (timing->timeline) {
        bs_timeline_launch(&timing->writer, &timing->launch, replay->model,
                           bs_names_shown(&replay->names, timing->kernel));
        timing->how.observer = bs_timeline_observer(&timing->writer);
    }
    if (!bs_launch_run(&timing->launch, replay->model, &timing->how, &why))
        return fail_launch(timing, replay, &why, error);
    if (timing->timeline)
        bs_timeline_launch_end(&timing->writer);
    return true;
}

/* Runs what has been gathered and begins anew. */
static bool finish_launch(struct bs_run_timing *timing, const struct bs_replay *replay,
                          struct bs_error *error)
{
    if (timing->launch.records == 0)
        return true;
    if (!grow_times(timing))
        return out_of_memory(error);
    if (!run_engine(timing, replay, error) || !write_rows(timing, error))
        return false;
    if (!add_launch(timing))
        return out_of_memory(error);
    bs_launch_free(&timing->launch);
    return !timing->timeline || bs_spool_holds(&timing->writer.out, error);
}

/* ---- records --------------------------------------------------------------------------------- */

void bs_run_timing_start(struct bs_run_timing *timing, const struct bs_replay *replay)
{
    timing->by_pc.by = BS_BY_PC;
    timing->launch.keeps_order = timing->by_record;
    if (timing->timeline)
        bs_timeline_begin(&timing->writer, replay->model);
    timing->writer.by_pc = &timing->by_pc;
    timing->writer.names = &replay->names;
}

static bool keep_row(struct bs_run_timing *timing, const struct bs_record_row *row)
{
    struct bs_record_row *rows =
        bs_grow(timing->rows, &timing->row_room, timing->row_count + 1, sizeof *rows);
    if (!rows)
        return false;
    timing->rows = rows;
    rows[timing->row_count++] = *row;
    return true;
}

/* The launch was run already when another one began: what comes now would need it open still. */
static bool is_back(const struct bs_run_timing *timing, const struct bs_entry *entry)
{
    return timing->launch_count > 0 && timing->trace == entry->trace &&
           entry->launch < timing->number;
}

static bool begin_launch(struct bs_run_timing *timing, const struct bs_replay *replay,
                         const struct bs_record *record, const struct bs_entry *entry,
                         struct bs_error *error)
{
    if (!finish_launch(timing, replay, error))
        return false;
    if (is_back(timing, entry))
        return bs_fail(error, BS_BAD_TRACE, replay->traces[entry->trace], record->line, 0,
                       "--timing: launches %llu and %llu run at the same time; choose one by "
                       "--kernel",
                       (unsigned long long)entry->launch, (unsigned long long)timing->number);
    timing->kernel = entry->kernel;
    timing->trace = entry->trace;
    timing->number = entry->launch;
    timing->how.smem = record->kernel->smem;
    memcpy(timing->how.block, record->kernel->block, sizeof timing->how.block);
    return true;
}

bool bs_run_timing_record(struct bs_run_timing *timing, const struct bs_replay *replay,
                          const struct bs_record *record, const struct bs_entry *entry,
                          const struct bs_record_row *row, struct bs_error *error)
{
    struct bs_error why;
    const bool begins = timing->launch.records == 0 || entry->launch != timing->number ||
                        entry->trace != timing->trace;
    if (begins && !begin_launch(timing, replay, record, entry, error))
        return false;
    if (!bs_tally_add(&timing->by_pc, entry) ||
        !bs_bank_use_add(&timing->banks, replay->model, entry->access) ||
        (row && !keep_row(timing, row)))
        return out_of_memory(error);
    if (bs_launch_add(&timing->launch, entry->access, entry->cost, (uint32_t)timing->by_pc.last,
                      &why))
        return true;
    return bs_fail(error, why.status,
                   why.status == BS_BAD_TRACE ? replay->traces[entry->trace] : NULL, record->line,
                   0, "%s", why.text);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What took most of the waiting. */
static uint32_t main_wait(const struct bs_group_time *time)
{
    uint32_t most = BS_WAIT_NONE;
    for (uint32_t wait = 0; wait < BS_WAITS; wait++)
        if (wait != BS_WAIT_NONE && time->waits[wait] > (most ? time->waits[most] : 0))
            most = wait;
    return most;
}

static void add_time(struct bs_group_time *sum, const struct bs_group_time *part)
{
    for (unsigned wait = 0; wait < BS_WAITS; wait++)
        sum->waits[wait] += part->waits[wait];
    sum->queued += part->queued;
    sum->finishing += part->finishing;
    sum->from = part->from;
}

static void set_times(struct bs_group *group, const struct bs_group_time *time)
{
    for (unsigned wait = 0; wait < BS_WAITS; wait++)
        group->times.waiting += wait == BS_WAIT_NONE ? 0 : time->waits[wait];
    group->times.queued = time->queued;
    group->times.finishing = time->finishing;
    group->times.waited = main_wait(time);
    group->times.from = time->from;
}

/* Puts the times into the groups of a tally, whose groups are made of those by pc. */
static bool fill_tally(const struct bs_run_timing *timing, struct bs_tally *tally)
{
    struct bs_group_time *sums = calloc(tally->count + 1, sizeof *sums);
    for (size_t i = 0; sums && i < timing->times_count; i++) {
        const struct bs_group *group = bs_tally_group(tally, &timing->by_pc.groups[i]);
        if (group)
            add_time(&sums[group - tally->groups], &timing->times[i]);
    }
    for (size_t i = 0; sums && i < tally->count; i++)
        set_times(&tally->groups[i], &sums[i]);
    free(sums);
    for (size_t i = 0; i < timing->launch_count; i++) {
        const struct bs_group of_launch = {.key = {.kernel = timing->launches[i].kernel}};
        struct bs_group *group = tally->by == BS_BY_KERNEL || tally->by == BS_BY_TOTAL
                                     ? bs_tally_group(tally, &of_launch)
                                     : NULL;
        if (group)
            group->times.cycles += timing->launches[i].cycles;
    }
    return sums != NULL;
}

bool bs_run_timing_end(struct bs_run_timing *timing, const struct bs_replay *replay,
                       struct bs_tally *tally, struct bs_error *error)
{
    if (!finish_launch(timing, replay, error))
        return false;
    if ((tally && !fill_tally(timing, tally)) || !fill_tally(timing, &timing->by_pc))
        return out_of_memory(error);
    return !timing->timeline || bs_timeline_save(&timing->writer, timing->timeline, error);
}

void bs_run_timing_free(struct bs_run_timing *timing)
{
    free(timing->launches);
    free(timing->times);
    free(timing->rows);
    bs_bank_use_free(&timing->banks);
    bs_tally_free(&timing->by_pc);
    bs_launch_free(&timing->launch);
    bs_timeline_free(&timing->writer);
}
