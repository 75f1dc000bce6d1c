/*
 * The timeline of a run in Chrome's trace-event format, which Perfetto and others show: a process
 * for each launch; in it a track for the array, one for each scheduler and one for each warp. A
 * cycle is written as a microsecond; launches follow one another.
 */
#ifndef BS_TIMELINE_H
#define BS_TIMELINE_H

#include "json.h"
#include "tally.h"
#include "timing.h"

/* What a track shows since when, not yet written. */
struct bs_timeline_slice {
    bool open;
    uint32_t program;
    uint32_t state; /* enum bs_cause: of the array, or under which a warp waits; of a warp more */
    uint32_t wait;  /* of a warp: enum bs_wait of its last cycle */
    uint32_t step;  /* that is issued, or whose passes they are */
    uint32_t left;  /* of the array: passes that were left of the step before */
    uint64_t start, end;
};

/* Start with zero, free once. Its memory does not grow with the run. */
struct bs_timeline {
    struct bs_spool out;
    struct bs_json json;
    const struct bs_launch *launch;
    const struct bs_tally *by_pc; /* whose groups the launch's instructions belong to */
    const struct bs_names *names; /* of the groups' places */
    uint64_t arrows;
    uint32_t process;
    uint64_t base; /* cycles of the launches before */
    struct bs_timeline_slice array;
    struct bs_timeline_slice warps[BS_MAX_RESIDENT]; /* by slot */
};

void bs_timeline_begin(struct bs_timeline *timeline, const struct bs_model *model);

/* Before a launch runs, under the observer of bs_timeline_observer, and after. */
void bs_timeline_launch(struct bs_timeline *timeline, const struct bs_launch *launch,
                        const struct bs_model *model, const char *kernel);
struct bs_engine_observer bs_timeline_observer(struct bs_timeline *timeline);
void bs_timeline_launch_end(struct bs_timeline *timeline);

/* Ends it and writes the file. False after filling error. */
bool bs_timeline_save(struct bs_timeline *timeline, const char *path, struct bs_error *error);
void bs_timeline_free(struct bs_timeline *timeline);

#endif
