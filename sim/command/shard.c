/* What a report says so that shards can be merged: written here, read by shard_read.c. */
#include "shard.h"

#include <stdlib.h>

bool bs_replay_is_shard(const struct bs_replay *replay)
{
    return replay->filter && replay->filter->shards > 0;
}

/* A text, or null. */
static void optional_text(struct bs_json *json, const char *key, const char *text)
{
    if (text)
        bs_json_text(json, key, text);
    else
        bs_json_null(json, key);
}

/* A text of any bytes: those that JSON cannot hold as they are go as a map of hexadecimal digits.
 */
static void exact_text(struct bs_json *json, const char *text)
{
    struct bs_buffer digits = {0};
    if (bs_json_holds(text)) {
        bs_json_text(json, NULL, text);
        return;
    }
    for (; *text; text++)
        bs_buffer_printf(&digits, "%02x", (unsigned char)*text);
    char *hex = bs_buffer_take(&digits);
    bs_json_map(json, NULL, BS_JSON_FLAT);
    bs_json_text(json, "bytes", hex ? hex : "");
    bs_json_close(json);
    free(hex);
}

static void range(struct bs_json *json, const char *key, struct bs_range range)
{
    bs_json_list(json, key, BS_JSON_FLAT);
    bs_json_hex(json, NULL, range.low);
    bs_json_hex(json, NULL, range.high);
    bs_json_close(json);
}

static void write_traces(const struct bs_replay *replay, struct bs_json *json)
{
    bs_json_list(json, "traces", BS_JSON_TALL);
    for (size_t i = 0; i < replay->trace_count; i++) {
        const struct bs_trace_end *end = &replay->ends[i];
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_text(json, "path", replay->traces[i]);
        bs_json_number(json, "bytes", end->bytes);
        bs_json_number(json, "launches", end->launches);
        bs_json_number(json, "records", end->records);
        bs_json_close(json);
    }
    bs_json_close(json);
    bs_json_list(json, "taken", BS_JSON_FLAT);
    for (size_t i = 0; i < replay->trace_count; i++)
        bs_json_number(json, NULL, replay->ends[i].taken);
    bs_json_close(json);
}

static void write_filters(const struct bs_filter *filter, struct bs_json *json)
{
    bs_json_map(json, "filters", BS_JSON_FLAT);
    optional_text(json, "kernel", filter->kernel);
    optional_text(json, "op", filter->op);
    range(json, "cta", filter->cta);
    range(json, "warp", filter->warp);
    range(json, "pc", filter->pc);
    bs_json_bool(json, "first", filter->first != UINT64_MAX);
    bs_json_close(json);
}

static void write_options(const struct bs_replay *replay, struct bs_json *json)
{
    bs_json_map(json, "reading", BS_JSON_FLAT);
    bs_json_bool(json, "allow_misaligned", replay->allow_misaligned);
    bs_json_bool(json, "skip_bad", replay->trace_options.skip_bad);
    bs_json_bool(json, "zero_is_offset", replay->trace_options.zero_is_offset);
    bs_json_map(json, "let", BS_JSON_FLAT);
    for (size_t i = 0; i < replay->trace_options.let_count; i++)
        bs_json_signed(json, replay->trace_options.lets[i].name,
                       replay->trace_options.lets[i].value);
    bs_json_close(json);
    bs_json_close(json);
    bs_json_map(json, "command", BS_JSON_FLAT);
    optional_text(json, "model", replay->model_name);
    bs_json_list(json, "set", BS_JSON_FLAT);
    for (size_t i = 0; replay->sets && replay->sets[i]; i++)
        bs_json_text(json, NULL, replay->sets[i]);
    bs_json_close(json);
    bs_json_close(json);
}

static void write_findings(const struct bs_findings *findings, struct bs_json *json)
{
    char name[BS_OP_NAME];
    bs_json_map(json, "findings", BS_JSON_TALL);
    bs_json_number(json, "undefined", findings->undefined);
    if (findings->undefined) {
        bs_json_map(json, "first_undefined", BS_JSON_FLAT);
        bs_json_number(json, "trace", findings->first_undefined.trace);
        bs_json_number(json, "record", findings->first_undefined.record);
        bs_json_number(json, "name", findings->first_undefined.kernel);
        bs_json_hex(json, "pc", findings->first_undefined.pc);
        bs_json_text(json, "op", bs_op_name(findings->first_undefined.op, name));
        bs_json_close(json);
    }
    bs_json_number(json, "misaligned", findings->misaligned);
    bs_json_number(json, "assumed_sources", findings->assumed_sources);
    bs_json_list(json, "assumed", BS_JSON_FLAT);
    for (unsigned i = 0; i < BS_OPS; i++)
        if (findings->assumed[i])
            bs_json_text(json, NULL, bs_op_name(bs_op_at(i), name));
    bs_json_close(json);
    bs_json_close(json);
}

/* By pc there are rows by kernel beside. */
static void write_kernels(const struct bs_replay *replay, struct bs_json *json)
{
    struct bs_row_table columns;
    struct bs_table table;
    if (replay->tally_count < 2)
        return;
    bs_row_table_choose(&columns, 1u << BS_BY_KERNEL | BS_ROW_MERGING);
    bs_table_begin_json(&table, columns.columns, columns.count, json, "kernels");
    for (size_t i = 0; i < replay->tallies[1].count; i++)
        bs_row_write(&table, &columns, &replay->names, &replay->tallies[1].groups[i]);
    bs_table_end(&table);
}

static void write_texts(const struct bs_names *texts, const char *key, struct bs_json *json)
{
    bs_json_list(json, key, BS_JSON_TALL);
    for (size_t i = 0; i < texts->count; i++)
        exact_text(json, texts->list[i]);
    bs_json_close(json);
}

static void write_shown(const struct bs_names *names, struct bs_json *json)
{
    bs_json_list(json, "shown", BS_JSON_TALL);
    for (size_t i = 0; i < names->shown_count; i++)
        if (names->shown[i].text)
            exact_text(json, names->shown[i].text);
        else
            bs_json_null(json, NULL);
    bs_json_close(json);
}

void bs_shard_json(const struct bs_replay *replay, struct bs_json *json)
{
    bs_json_map(json, "shard", BS_JSON_TALL);
    bs_json_number(json, "number", replay->filter->shard);
    bs_json_number(json, "of", replay->filter->shards);
    write_traces(replay, json);
    write_filters(replay->filter, json);
    write_options(replay, json);
    write_texts(&replay->names, "names", json);
    write_shown(&replay->names, json);
    write_texts(&replay->remarks, "remarks", json);
    write_findings(&replay->findings, json);
    write_kernels(replay, json);
    bs_json_close(json);
}
