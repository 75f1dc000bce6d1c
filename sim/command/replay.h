/* Replaying traces through a model: every record is priced, added up and shown to an observer. */
#ifndef BS_REPLAY_H
#define BS_REPLAY_H

#include "bankshot-traces.h"
#include "batches.h"
#include "command.h"
#include "counting.h"
#include "filters.h"
#include "progress.h"
#include "subject.h"

/* What a trace turned out to be. */
struct bs_trace_end {
    uint64_t bytes; /* of the file; 0: not known */
    uint64_t launches;
    uint64_t records; /* all, those that a filter left out too */
    uint64_t taken;   /* those that were replayed */
};

/* A merge of shards of which some are missing: their numbers, as ranges. */
struct bs_missing {
    uint32_t shards;
    const struct bs_range *ranges; /* at least one */
    size_t count;
};

struct bs_replay {
    /* What to do: set by the caller. */
    const char *model_name; /* NULL: what the traces ask for */
    const char *const *sets;
    bool allow_misaligned;
    unsigned threads; /* that read, where records need not be shown; up to 1: the caller's alone */
    struct bs_trace_options trace_options;
    const struct bs_filter *filter; /* the records to replay; NULL: all */
    const char *const *traces;      /* paths */
    size_t trace_count;
    struct bs_tally tallies[BS_MAX_TALLIES];
    size_t tally_count;
    /* Called when the model is known, which is before the first record, and for every record, where
     * false, after filling error, ends the replay, and when all records of a trace have been shown,
     * likewise. All may be NULL. */
    void (*start)(void *user, const struct bs_replay *replay);
    bool (*record)(void *user, const struct bs_record *record, const struct bs_entry *entry,
                   struct bs_error *error);
    bool (*ended)(void *user, const struct bs_replay *replay, struct bs_error *error);
    void *user;

    /* What came of it. */
    struct bs_model *model;
    struct bs_sums totals;
    struct bs_names names; /* of the kernels, and the texts of source places */
    struct bs_findings findings;
    struct bs_import import;          /* of all traces of other tools together */
    struct bs_trace_end *ends;        /* by trace */
    const struct bs_missing *missing; /* NULL: nothing */
    struct bs_names remarks;          /* of traces: what to mind */
    bool torn;                        /* records of a trace are known to be missing */
    struct bs_filter_met met;

    /* Where it stands. */
    struct bs_model_choice choice; /* of the traces */
    size_t trace;                  /* the number of the one being read */
    const struct bs_trace *open;   /* it */
    uint64_t launch;               /* of the last record; UINT64_MAX before the first of a trace */
    struct bs_pricing pricing;     /* of its records */
    struct bs_batches *batches;    /* with several threads */
    bool in_batches;               /* the trace is read so */
    uint32_t *places;              /* of its kernel: the numbers of their texts, plus 1 */
    size_t place_room;
    struct bs_progress progress;
};

/* Replays all traces. Anything but BS_OK has been complained about. */
enum bs_status bs_replay_run(struct bs_replay *replay);

void bs_replay_free(struct bs_replay *replay);

#endif
