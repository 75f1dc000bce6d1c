/* What the report of a shard says twice has to agree: sums with their totals, records with the
 * trace that they are of. */
#include "shard.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

struct checker {
    const struct bs_shard *shard;
    struct bs_error *error;
};

static bool fail(const struct checker *checker, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static bool fail(const struct checker *checker, const char *format, ...)
{
    char text[sizeof checker->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bs_fail(checker->error, BS_BAD_TRACE, checker->shard->file, 0, 0,
                   "the report does not agree with itself: %s", text);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* The sum of a column over rows or, of max_passes, the largest; false if it has more than 63 bits.
 */
static bool column_of_rows(const struct bs_tally *tally, const struct bs_row_column *column,
                           uint64_t *all)
{
    const bool largest = column->offset == offsetof(struct bs_group, sums.max_passes);
    *all = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const uint64_t value = bs_row_number(&tally->groups[i], column);
        if (!largest)
            *all += value; /* both have at most 63 bits */
        else if (value > *all)
            *all = value;
        if (*all > INT64_MAX)
            return false;
    }
    return true;
}

/* Holds every column that rows and totals share to the totals. */
static bool check_columns(const struct checker *checker, const char *key,
                          const struct bs_tally *tally, unsigned kind)
{
    const struct bs_group totals = {.sums = checker->shard->replay.totals};
    struct bs_row_table columns;
    bs_row_table_choose(&columns, BS_ROW_TOTALS);
    for (size_t i = 0; i < columns.count; i++) {
        const struct bs_row_column *column = columns.sources[i];
        const uint64_t total = bs_row_number(&totals, column);
        uint64_t all;
        if (!(column->rows & kind))
            continue;
        if (!column_of_rows(tally, column, &all))
            return fail(checker, "'%s' of the %s adds up to more than 63 bits", column->column.name,
                        key);
        if (all != total)
            return fail(checker, "'%s' is %" PRIu64 " in the totals and %" PRIu64 " in the %s",
                        column->column.name, total, all, key);
    }
    return true;
}

/* ---- places in the traces -------------------------------------------------------------------- */

static bool check_ends(const struct checker *checker)
{
    const struct bs_replay *replay = &checker->shard->replay;
    for (size_t i = 0; i < replay->trace_count; i++)
        if (replay->ends[i].taken > replay->ends[i].records)
            return fail(checker,
                        "%" PRIu64 " records were taken from trace %zu, which has %" PRIu64,
                        replay->ends[i].taken, i, replay->ends[i].records);
    return true;
}

/* number is of the launch or the record of a trace called key. */
static bool check_number(const struct checker *checker, const char *key, uint64_t trace,
                         uint64_t number, bool launch)
{
    const struct bs_replay *replay = &checker->shard->replay;
    if (trace >= replay->trace_count)
        return fail(checker, "'%s' is of trace %" PRIu64 ", but there %s %zu", key, trace,
                    replay->trace_count == 1 ? "is" : "are", replay->trace_count);
    const struct bs_trace_end *end = &replay->ends[trace];
    const uint64_t count = launch ? end->launches : end->records;
    return number < count ||
           fail(checker, "'%s' is %" PRIu64 ", but trace %" PRIu64 " has %" PRIu64 " %s", key,
                number, trace, count, launch ? "launches" : "records");
}

static bool check_group(const struct checker *checker, const struct bs_tally *tally,
                        const struct bs_group *group)
{
    const bool by_launch = tally->by == BS_BY_KERNEL;
    if (tally->by != BS_BY_TOTAL &&
        !check_number(checker, "first", group->first_trace, group->first, by_launch))
        return false;
    if (group->sums.max_passes > group->sums.passes)
        return fail(checker, "'max_passes' is %" PRIu64 ", of %" PRIu64 " passes",
                    group->sums.max_passes, group->sums.passes);
    if (tally->by != BS_BY_PC)
        return true;
    if (group->worst_trace < group->first_trace ||
        (group->worst_trace == group->first_trace && group->worst_record < group->first))
        return fail(checker, "'worst_record' is %" PRIu64 ", before the first one, %" PRIu64,
                    group->worst_record, group->first);
    return check_number(checker, "worst_record", group->worst_trace, group->worst_record, false);
}

static bool check_tally(const struct checker *checker, const char *key,
                        const struct bs_tally *tally)
{
    for (size_t i = 0; i < tally->count; i++)
        if (!check_group(checker, tally, &tally->groups[i]))
            return false;
    return check_columns(checker, key, tally, 1u << tally->by);
}

/* ---- rows by record -------------------------------------------------------------------------- */

static bool check_record(const struct checker *checker, const struct bs_record_row *row,
                         const struct bs_record_row *before)
{
    const struct bs_op op = bs_op_at(row->op);
    if (!check_number(checker, "record", row->trace, row->record, false))
        return false;
    if (before && before->trace == row->trace && before->record >= row->record)
        return fail(checker, "record %" PRIu64 " stands behind record %" PRIu64, row->record,
                    before->record);
    if (op.kind != BS_BAR && row->active != bs_lanes_count(row->mask))
        return fail(checker, "'active' of record %" PRIu64 " is %" PRIu64 ", its mask has %u lanes",
                    row->record, row->active, bs_lanes_count(row->mask));
    return (row->passes <= UINT32_MAX && row->slots <= UINT32_MAX && row->ideal <= UINT32_MAX &&
            row->undefined <= UINT32_MAX && row->active <= BS_MAX_LANES) ||
           fail(checker, "record %" PRIu64 " costs more than any record does", row->record);
}

/* Adds the rows up as a run does. */
static bool check_records(const struct checker *checker)
{
    const struct bs_shard *shard = checker->shard;
    struct bs_group all = {0};
    for (size_t i = 0; i < shard->row_count; i++) {
        const struct bs_record_row *row = &shard->rows[i];
        if (!check_record(checker, row, i ? row - 1 : NULL))
            return false;
        const struct bs_access access = {.op = bs_op_at(row->op)};
        const struct bs_cost cost = {.passes = (uint32_t)row->passes,
                                     .slots = (uint32_t)row->slots,
                                     .ideal = (uint32_t)row->ideal,
                                     .undefined = (uint32_t)row->undefined};
        bs_sums_add(
            &all.sums,
            &(struct bs_entry){.access = &access, .cost = &cost, .active = (uint32_t)row->active});
    }
    all.sums.launches = shard->replay.totals.launches; /* which rows do not say */
    return check_columns(checker, "rows", &(struct bs_tally){.groups = &all, .count = 1},
                         BS_ROW_TOTALS);
}

/* ---- findings -------------------------------------------------------------------------------- */

static bool check_findings(const struct checker *checker)
{
    const struct bs_replay *replay = &checker->shard->replay;
    const struct bs_findings *findings = &replay->findings;
    const struct bs_sums *totals = &replay->totals;
    if (findings->undefined > totals->undefined ||
        (findings->undefined == 0) != (totals->undefined == 0))
        return fail(checker,
                    "%" PRIu64 " bytes are undefined, and so many records have any: %" PRIu64,
                    totals->undefined, findings->undefined);
    if (findings->misaligned > totals->records || findings->assumed_sources > totals->records)
        return fail(checker, "the findings are of more than %" PRIu64 " records", totals->records);
    return findings->undefined == 0 ||
           check_number(checker, "first_undefined", findings->first_undefined.trace,
                        findings->first_undefined.record, false);
}

bool bs_shard_check(const struct bs_shard *shard, struct bs_error *error)
{
    const struct checker checker = {shard, error};
    const struct bs_replay *replay = &shard->replay;
    if (!check_ends(&checker) || !check_findings(&checker))
        return false;
    if (shard->by == BS_BY_RECORD)
        return check_records(&checker);
    return check_tally(&checker, "rows", &replay->tallies[0]) &&
           (replay->tally_count < 2 || check_tally(&checker, "kernels", &replay->tallies[1]));
}
