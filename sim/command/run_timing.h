/* The time side of a run: each launch goes through the engine as soon as its records are read. */
#ifndef BS_RUN_TIMING_H
#define BS_RUN_TIMING_H

#include "bank_use.h"
#include "replay.h"
#include "rows.h"
#include "timeline.h"

/* One launch that has been run. */
struct bs_timed_launch {
    uint32_t kernel; /* number of its name */
    uint64_t trace, launch;
    uint64_t records;
    struct bs_resident resident;
    uint64_t cycles;
    uint64_t causes[BS_CAUSES]; /* which add up to cycles */
};

struct bs_run_timing {
    /* Set by the caller; the rest starts as zero. */
    uint32_t resident;    /* CTAs at a time; 0: as many as there is room for */
    bool early_exit;      /* warps whose records end have returned */
    const char *timeline; /* the file of the timeline, or NULL */
    bool by_record;       /* rows are wanted, with their times */
    bool (*row)(void *user, const struct bs_record_row *row, struct bs_error *error);
    void *user;

    /* What came of it. */
    struct bs_timed_launch *launches;
    size_t launch_count, launch_room;
    uint64_t cycles; /* of all launches, one after another */
    uint64_t causes[BS_CAUSES];
    uint64_t dependent, barriers, uneven_ctas; /* sums of the launches */
    struct bs_bank_use banks;
    struct bs_tally by_pc;
    struct bs_group_time *times; /* by group of by_pc */
    size_t times_count;          /* that are set; those behind it are zero */

    /* The launch whose records are being read. */
    struct bs_launch launch;
    struct bs_launch_run how;
    uint32_t kernel;
    uint64_t trace, number;
    struct bs_record_row *rows; /* by record: those of the launch */
    size_t row_count, row_room;
    size_t times_room;
    struct bs_timeline writer;
};

/* The model is known. */
void bs_run_timing_start(struct bs_run_timing *timing, const struct bs_replay *replay);

/* Takes a record; row is NULL unless by record. False after filling error. */
bool bs_run_timing_record(struct bs_run_timing *timing, const struct bs_replay *replay,
                          const struct bs_record *record, const struct bs_entry *entry,
                          const struct bs_record_row *row, struct bs_error *error);

/* All records are read: runs the last launch, puts the times of instructions into the groups of a
 * tally (which may be NULL) and writes the timeline. */
bool bs_run_timing_end(struct bs_run_timing *timing, const struct bs_replay *replay,
                       struct bs_tally *tally, struct bs_error *error);

void bs_run_timing_free(struct bs_run_timing *timing);

#endif
