/* What cycles go to and what warps wait for: the one table of names and meanings, from which every
 * report, the timeline and the help are made.
 */
#include "causes.h"

#include <stddef.h>

static const struct {
    const char *name, *meaning;
} causes[BS_CAUSES] = {
    [BS_CAUSE_NEEDED] = {"needed", "passes up to the ideal, which had to be"},
    [BS_CAUSE_CONFLICT] = {"conflict", "passes above the ideal: bank conflicts"},
    [BS_CAUSE_SPACING] = {"spacing", "gaps between passes that no other warp filled"},
    [BS_CAUSE_ISSUE] = {"issue", "no instruction could be issued sooner"},
    [BS_CAUSE_DEPENDENCY] = {"dependency", "the next instruction needs a value still to come"},
    [BS_CAUSE_LATENCY] = {"latency", "loads have to come back before a barrier"},
    [BS_CAUSE_BARRIER] = {"barrier", "warps are at a barrier, or it has just opened"},
    [BS_CAUSE_IDLE] = {"idle", "all is issued; the last values come back"},
};

static const struct {
    const char *name;
    enum bs_cause cause;
    const char *detail, *meaning;
} waits[BS_WAITS] = {
    [BS_WAIT_NONE] = {"none", BS_CAUSE_ISSUE, NULL, NULL},
    [BS_WAIT_DONE] = {"done", BS_CAUSE_IDLE, NULL, NULL},
    [BS_WAIT_BARRIER] = {"barrier", BS_CAUSE_BARRIER, NULL,
                         "the other warps have not come, or the barrier has just opened"},
    [BS_WAIT_RESULTS] = {"results", BS_CAUSE_LATENCY, NULL,
                         "the warp's own loads have to come back before it enters the barrier"},
    [BS_WAIT_DEP] = {"dependency", BS_CAUSE_DEPENDENCY, NULL,
                     "the value that it needs is not there yet"},
    [BS_WAIT_INTERVAL] = {"issue interval", BS_CAUSE_ISSUE, "interval",
                          "the warp has just issued another"},
    [BS_WAIT_QUEUE] = {"queue", BS_CAUSE_ISSUE, "queue", "the queue behind its scheduler is full"},
    [BS_WAIT_IN_FLIGHT] = {"in flight", BS_CAUSE_ISSUE, "in flight",
                           "the queues behind its scheduler and of the array are full"},
    [BS_WAIT_SCHEDULER] = {"scheduler", BS_CAUSE_ISSUE, "scheduler",
                           "its scheduler is busy with another instruction"},
};

const char *bs_cause_name(enum bs_cause cause)
{
    return causes[cause].name;
}

const char *bs_cause_meaning(enum bs_cause cause)
{
    return causes[cause].meaning;
}

const char *bs_wait_name(enum bs_wait wait)
{
    return waits[wait].name;
}

enum bs_cause bs_wait_cause(enum bs_wait wait)
{
    return waits[wait].cause;
}

const char *bs_wait_detail(enum bs_wait wait)
{
    return waits[wait].detail;
}

const char *bs_wait_meaning(enum bs_wait wait)
{
    return waits[wait].meaning;
}
