/*
 * A run's report as one shard of several: beside what every report says, the object "shard" holds
 * what merging needs to give the report of the whole, byte for byte.
 *
 *     number, of       which shard this is
 *     traces           what was read: equal in all shards, like the next four
 *     filters          but the shard
 *     reading          options of how traces are read and priced
 *     names            of the kernels, in the order of first sight; rows refer to them by number
 *     remarks          of the traces: what to mind
 *     command          the model and the changes to it as they were asked for
 *     taken            records taken from each trace
 *     findings         what the notes are made from
 *     kernels          rows by kernel, which the report by pc has too
 */
#ifndef BS_SHARD_H
#define BS_SHARD_H

#include "replay.h"
#include "rows.h"

#include <jansson.h>

#define BS_REPORT_SCHEMA "bankshot-report-1"

/* Whether the replay is of one shard of several. */
bool bs_replay_is_shard(const struct bs_replay *replay);

/* Writes the object. */
void bs_shard_json(const struct bs_replay *replay, struct bs_json *json);

/* A report that was read back. */
struct bs_shard {
    const char *file; /* the caller's */
    json_t *root;     /* without its rows; the texts below are in it */
    uint32_t number, of;
    enum bs_by by;
    struct bs_replay replay; /* as it stood when it was reported */
    const char **paths;      /* of replay.traces */
    const char **sets;       /* of replay.sets */
    struct bs_let *lets;     /* of replay.trace_options */
    struct bs_record_row *rows;
    size_t row_count, row_room;
};

/* The error of what is no report at all; false. */
bool bs_shard_fail_schema(const char *file, struct bs_error *error);

/* Reads a report of a shard from text; file names it in errors. False after filling error. Either
 * way the shard is to be freed. */
bool bs_shard_read(struct bs_shard *shard, const char *text, size_t size, const char *file,
                   struct bs_error *error);
void bs_shard_free(struct bs_shard *shard);

/* Whether what the report says twice agrees: rows with totals, records with their trace. */
bool bs_shard_check(const struct bs_shard *shard, struct bs_error *error);

/* Whether b can be another part of the run that a is of. */
bool bs_shard_goes_with(const struct bs_shard *a, const struct bs_shard *b, struct bs_error *error);

/* Adds one that fits to another one. */
bool bs_shard_add(struct bs_shard *sum, const struct bs_shard *part, struct bs_error *error);

/* Brings the rows of a sum into their order; no more can then be added. */
void bs_shard_sort(struct bs_shard *sum);

#endif
