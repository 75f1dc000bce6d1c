/* Writing a run: its rows as a table, what stands around them in JSON and text, or the report. */
#include "run_output.h"

#include "imports.h"
#include "model_json.h"
#include "report.h"
#include "shard.h"
#include "time_report.h"

#include <stdlib.h>

/* ---- rows ------------------------------------------------------------------------------------ */

static void begin_rows(struct bs_run_output *output)
{
    const bool merging = output->format == BS_JSON && bs_replay_is_shard(output->replay);
    bs_row_table_choose(&output->columns, 1u << output->by | (merging ? BS_ROW_MERGING : 0u) |
                                              (output->timing ? BS_ROW_TIMING : 0u));
    const struct bs_column *columns = output->columns.columns;
    const size_t count = output->columns.count;
    if (output->format == BS_JSON)
        bs_table_begin_json(&output->table, columns, count, &output->json, "rows");
    else
        bs_table_begin(&output->table, output->format, columns, count, &output->out);
}

/* People want the worst rows first, programs the order of the trace. False when memory is out. */
static bool write_groups(struct bs_run_output *output)
{
    const struct bs_tally *tally = &output->replay->tallies[0];
    const struct bs_names *names = &output->replay->names;
    size_t *order = output->format == BS_TEXT ? bs_tally_worst_first(tally) : NULL;
    if (output->format == BS_TEXT && !order)
        return false;
    begin_rows(output);
    for (size_t i = 0; i < tally->count; i++)
        bs_row_write(&output->table, &output->columns, names, &tally->groups[order ? order[i] : i]);
    free(order);
    if (output->by == BS_BY_TOTAL && tally->count == 0) /* one row, also of nothing */
        bs_row_write(&output->table, &output->columns, names, &(struct bs_group){0});
    bs_table_end(&output->table);
    return true;
}

bool bs_run_output_record(struct bs_run_output *output, const struct bs_record_row *row,
                          struct bs_error *error)
{
    bs_row_write(&output->table, &output->columns, &output->replay->names, row);
    return bs_spool_holds(&output->out, error) && bs_spool_holds(&output->table.cells, error);
}

/* ---- the start ------------------------------------------------------------------------------- */

void bs_run_output_start(struct bs_run_output *output, const struct bs_replay *replay)
{
    output->replay = replay;
    output->json = (struct bs_json){.out = &output->out};
    if (output->format == BS_JSON) {
        bs_json_map(&output->json, NULL, BS_JSON_TALL);
        bs_json_text(&output->json, "schema", BS_REPORT_SCHEMA);
        bs_model_json(&output->json, "model", replay->model);
        bs_json_text(&output->json, "by", bs_by_names[output->by]);
    }
    if (output->by == BS_BY_RECORD)
        begin_rows(output);
}

/* ---- the end --------------------------------------------------------------------------------- */

static void json_note(void *user, const char *sentence)
{
    bs_json_text(user, NULL, sentence);
}

static void text_note(void *user, const char *sentence)
{
    struct bs_run_output *output = user;
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_spool_text(&output->out, "* ");
    bs_screen_wrap(&screen, &output->out, 2, sentence);
}

static void json_totals(struct bs_run_output *output)
{
    struct bs_row_table columns;
    const struct bs_group all = {.sums = output->replay->totals};
    bs_row_table_choose(&columns, BS_ROW_TOTALS);
    bs_json_map(&output->json, "totals", BS_JSON_FLAT);
    for (size_t i = 0; i < columns.count; i++)
        bs_json_number(&output->json, columns.columns[i].name,
                       bs_row_number(&all, columns.sources[i]));
    bs_json_close(&output->json);
}

static void json_missing(const struct bs_missing *missing, struct bs_json *json)
{
    bs_json_map(json, "partial", BS_JSON_FLAT);
    bs_json_number(json, "shards", missing->shards);
    bs_json_list(json, "missing", BS_JSON_FLAT);
    for (size_t i = 0; i < missing->count; i++) {
        bs_json_list(json, NULL, BS_JSON_FLAT);
        bs_json_number(json, NULL, missing->ranges[i].low);
        bs_json_number(json, NULL, missing->ranges[i].high);
        bs_json_close(json);
    }
    bs_json_close(json);
    bs_json_close(json);
}

static void json_end(struct bs_run_output *output)
{
    struct bs_json *json = &output->json;
    json_totals(output);
    if (output->timing)
        bs_time_report_json(output->timing, output->replay, json);
    bs_json_list(json, "notes", BS_JSON_TALL);
    bs_report_notes(output->replay, json_note, json);
    if (output->timing)
        bs_time_report_notes(output->timing, output->replay, json_note, json);
    bs_json_close(json);
    bs_imports_json(&output->replay->import, json);
    if (output->checks)
        bs_checks_json(output->checks, output->replay, json);
    if (output->replay->missing)
        json_missing(output->replay->missing, json);
    if (bs_replay_is_shard(output->replay))
        bs_shard_json(output->replay, json);
    bs_json_close(json);
}

static void write_verdict(struct bs_run_output *output, const char *before)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_spool_text(&output->out, before);
    bs_checks_text(output->checks, output->replay, output->top, &screen, &output->out);
}

/* The verdict on standard error, beside CSV. */
static void tell_verdict(const struct bs_run_output *output)
{
    const struct bs_screen plain = {.width = 80};
    struct bs_spool out = {0};
    bs_checks_text(output->checks, output->replay, output->top, &plain, &out);
    if (out.memory.size > 0)
        fwrite(out.memory.data, 1, out.memory.size, stderr);
    bs_spool_free(&out);
}

/* CSV has rows alone: what is to be minded of them goes beside. */
static void tell_note(void *user, const char *sentence)
{
    (void)user;
    bs_tell_note(sentence);
}

static void tell_all(const struct bs_run_output *output)
{
    bs_report_notes(output->replay, tell_note, NULL);
    if (output->timing)
        bs_time_report_notes(output->timing, output->replay, tell_note, NULL);
    bs_imports_tell(&output->replay->import);
    if (output->checks)
        tell_verdict(output);
}

static bool write_time(struct bs_run_output *output)
{
    return !output->timing ||
           bs_time_report_text(output->timing, output->replay, output->top, &output->out);
}

/* Where the cycles went and what was expected stand last. */
static bool text_end(struct bs_run_output *output)
{
    bs_table_left_out(&output->table, "--format csv", &output->out);
    bs_report_notes(output->replay, text_note, output);
    bs_imports_text(&output->replay->import, &output->out);
    if (!write_time(output))
        return false;
    if (output->checks)
        write_verdict(output, "\n");
    return true;
}

static bool write_report(struct bs_run_output *output)
{
    const struct bs_tally *tallies = output->replay->tallies;
    const struct bs_report report = {output->replay, &tallies[0], &tallies[1], output->top};
    return bs_report_write(&report, &output->out) && write_time(output);
}

static bool write_all(struct bs_run_output *output)
{
    if (output->verdict_only) {
        write_verdict(output, "");
        return write_time(output);
    }
    if (output->is_report)
        return write_report(output);
    if (output->by == BS_BY_RECORD)
        bs_table_end(&output->table);
    else if (!write_groups(output))
        return false;
    if (output->format == BS_TEXT)
        return text_end(output);
    if (output->format == BS_JSON)
        json_end(output);
    else
        tell_all(output);
    return true;
}

enum bs_status bs_run_output_end(struct bs_run_output *output)
{
    return write_all(output) ? bs_spool_print(&output->out) : bs_out_of_memory();
}

void bs_run_output_free(struct bs_run_output *output)
{
    bs_spool_free(&output->out);
    bs_spool_free(&output->table.cells);
}
