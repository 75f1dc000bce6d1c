/* Adding shards up: whether two belong together, and their sum. */
#include "shard.h"

#include <stdlib.h>
#include <string.h>

/* ---- belonging together ---------------------------------------------------------------------- */

/* Values of the report, or of its object "shard", that have to be equal. */
static const struct {
    const char *key;
    bool of_shard;
    const char *phrase;
} equal[] = {
    {"of", true, "are shards of different numbers of shards"},
    {"by", false, "group by different things"},
    {"traces", true, "are of different traces"},
    {"names", true, "are of different kernels"},
    {"remarks", true, "are of traces that say different things"},
    {"model", false, "are of different models"},
    {"filters", true, "have different filters"},
    {"reading", true, "read their traces with different options"},
    {"import", false, "account for their traces differently"},
};

/* The word that tells two such values apart, or NULL. */
static const char *word_of(const json_t *value)
{
    return json_string_value(json_is_object(value) ? json_object_get(value, "name") : value);
}

static bool fail_mismatch(const struct bs_shard *a, const json_t *x, const json_t *y,
                          const char *phrase, struct bs_error *error)
{
    const char *const first = word_of(x);
    const char *const second = word_of(y);
    const bool words = first && second && strcmp(first, second) != 0;
    return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "does not go with %s: the reports %s%s%s%s%s%s",
                   a->file, phrase, words ? ", '" : "", words ? second : "",
                   words ? "' here and '" : "", words ? first : "", words ? "' there" : "");
}

bool bs_shard_goes_with(const struct bs_shard *a, const struct bs_shard *b, struct bs_error *error)
{
    const json_t *a_shard = json_object_get(a->root, "shard");
    const json_t *b_shard = json_object_get(b->root, "shard");
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        const char *key = equal[i].key;
        const json_t *x = json_object_get(equal[i].of_shard ? a_shard : a->root, key);
        const json_t *y = json_object_get(equal[i].of_shard ? b_shard : b->root, key);
        if ((x || y) && !json_equal(x, y)) /* which is false where one is missing */
            return fail_mismatch(a, x, y, equal[i].phrase, error);
    }
    return true;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Counts come from JSON and have at most 63 bits; two of them fit. */
static bool add_count(uint64_t *sum, uint64_t part)
{
    *sum += part;
    return *sum <= INT64_MAX;
}

/* All shards together took no more than there is. */
static bool add_taken(struct bs_replay *sum, const struct bs_replay *part)
{
    for (size_t i = 0; i < sum->trace_count; i++)
        if (!add_count(&sum->ends[i].taken, part->ends[i].taken) ||
            sum->ends[i].taken > sum->ends[i].records)
            return false;
    return true;
}

static bool add_rows(struct bs_shard *sum, const struct bs_shard *part)
{
    struct bs_record_row *rows =
        bs_grow(sum->rows, &sum->row_room, sum->row_count + part->row_count + 1, sizeof *rows);
    if (!rows)
        return false;
    sum->rows = rows;
    if (part->row_count > 0)
        memcpy(rows + sum->row_count, part->rows, part->row_count * sizeof *rows);
    sum->row_count += part->row_count;
    return true;
}

bool bs_shard_add(struct bs_shard *sum, const struct bs_shard *part, struct bs_error *error)
{
    struct bs_replay *replay = &sum->replay;
    for (size_t i = 0; i < replay->tally_count; i++)
        if (!bs_tally_merge(&replay->tallies[i], &part->replay.tallies[i], error))
            return false;
    if (!bs_sums_merge(&replay->totals, &part->replay.totals) ||
        !bs_findings_merge(&replay->findings, &part->replay.findings))
        return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "a sum has more than 63 bits");
    if (!add_taken(replay, &part->replay))
        return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                       "with it, more records were taken from a trace than it has");
    return add_rows(sum, part) || bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static int earlier_first(const void *a, const void *b)
{
    const struct bs_record_row *x = a;
    const struct bs_record_row *y = b;
    if (x->trace != y->trace)
        return x->trace < y->trace ? -1 : 1;
    return x->record < y->record ? -1 : x->record > y->record;
}

void bs_shard_sort(struct bs_shard *sum)
{
    for (size_t i = 0; i < sum->replay.tally_count; i++)
        bs_tally_sort(&sum->replay.tallies[i]);
    if (sum->row_count > 0)
        qsort(sum->rows, sum->row_count, sizeof *sum->rows, earlier_first);
}
