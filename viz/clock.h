/* The launch of a record on one multiprocessor: when each of its instructions was where. */
#ifndef BS_CLOCK_H
#define BS_CLOCK_H

#include "command/timing.h"
#include "story.h"

/* Start with {0}, free once. */
struct bs_clock {
    const struct bs_model *model;
    uint32_t kernel; /* number of the launch */
    size_t first;    /* its first record */
    size_t count;    /* its records read so far */
    struct bs_launch launch;
    uint32_t *passes; /* by cycle: whose pass it was, as bs_clock_owner counts, or BS_NO_PASS */
    size_t cycles, pass_room;
    uint32_t *warps; /* in launch.warps, by CTA and number; as many as launch.warp_count */
    bool runs;
    struct bs_error error; /* why it does not run to its end, if it does not */
};

enum { BS_NO_PASS = INT32_MAX };

/* Runs the launch that the record belongs to, unless that has been done. False when memory is out.
 */
bool bs_clock_run(struct bs_clock *clock, const struct bs_story *story, uint32_t variant,
                  size_t record);
void bs_clock_free(struct bs_clock *clock);

/* The warp of a record, and which of its instructions the record is. */
const struct bs_launch_warp *bs_clock_warp(const struct bs_clock *clock, size_t record,
                                           uint32_t *step);

/* The step of a warp that is the last one issued in a cycle or before; -1: none yet. */
int64_t bs_clock_step(const struct bs_launch_warp *warp, uint64_t cycle);

/* The number of a step of a warp among all steps of the launch. */
uint32_t bs_clock_owner(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                        size_t step);

/* The cycle after the last pass of a step that has passes. */
uint64_t bs_clock_served(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                         size_t step);

/* Cycles, from one up to but without another. */
struct bs_cycles {
    uint64_t from, until;
};

/* The cycles to be shown around a record of a launch that runs. */
struct bs_cycles bs_clock_around(const struct bs_clock *clock, size_t record);

/* What a warp is doing in a cycle, in a few words. */
const char *bs_clock_doing(const struct bs_clock *clock, const struct bs_launch_warp *warp,
                           uint64_t cycle);

#endif
