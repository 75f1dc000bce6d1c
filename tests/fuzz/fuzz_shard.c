/*
 * Fuzz target: the report of a shard, as merging reads it. Whatever the bytes are, reading ends in
 * a shard or in an error that names the file; a shard goes with itself, and adding and sorting it
 * keeps what was counted.
 */
#include "command/shard.h"
#include "require.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_error(const struct bs_error *error)
{
    require(error->status == BS_BAD_TRACE);
    require(error->text[0] != '\0');
    require(error->file[0] != '\0');
}

static void check_order(const struct bs_shard *shard)
{
    for (size_t i = 1; i < shard->row_count; i++)
        require(shard->rows[i - 1].trace <= shard->rows[i].trace);
    for (size_t i = 0; i < shard->replay.tally_count; i++)
        for (size_t j = 1; j < shard->replay.tallies[i].count; j++)
            require(shard->replay.tallies[i].groups[j - 1].first_trace <=
                    shard->replay.tallies[i].groups[j].first_trace);
}

static void check_sum(struct bs_shard *sum, const struct bs_shard *part)
{
    struct bs_error error;
    const uint64_t records = sum->replay.totals.records;
    const size_t rows = sum->row_count;
    require(bs_shard_goes_with(sum, part, &error));
    if (!bs_shard_add(sum, part, &error)) {
        require(error.status == BS_BAD_TRACE);
        return;
    }
    require(sum->replay.totals.records == 2 * records);
    require(sum->row_count == 2 * rows);
    bs_shard_sort(sum);
    check_order(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bs_error error;
    struct bs_shard shard, again;
    if (bs_shard_read(&shard, (const char *)data, size, "fuzz", &error)) {
        require(bs_shard_read(&again, (const char *)data, size, "fuzz", &error));
        check_sum(&shard, &again);
        bs_shard_free(&again);
    } else {
        check_error(&error);
    }
    bs_shard_free(&shard);
    return 0;
}
