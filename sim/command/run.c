/* bankshot run: replays traces and reports what they cost. */
#include "filters.h"
#include "imports.h"
#include "model_json.h"
#include "options.h"
#include "replay.h"
#include "report.h"
#include "subject.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_TOP = 20, BY_UNSAID = BS_BY_TOTAL + 1 };

struct run_options {
    const char *model;
    struct bs_words sets;
    const char *top;
    unsigned by; /* enum bs_by, or BY_UNSAID */
    unsigned format;
    bool allow_misaligned;
    struct bs_trace_options reading;
    struct bs_filter_words words;
    struct bs_filter filter;
};

static const char *const by_names[] = {"record", "pc", "op", "kernel", "total", NULL};
static const char *const format_names[] = {"text", "csv", "json", NULL};

/* ---- columns --------------------------------------------------------------------------------- */

static const struct bs_column record_columns[] = {
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 16},
    {.name = "cta", .title = "cta"},
    {.name = "warp", .title = "warp"},
    {.name = "pc", .title = "pc"},
    {.name = "op", .title = "op", .left = true},
    {.name = "mask", .title = "mask", .drop = 2},
    {.name = "active", .title = "active", .drop = 1},
    {.name = "passes", .title = "passes"},
    {.name = "slots", .title = "slots"},
    {.name = "ideal", .title = "ideal"},
    {.name = "undefined", .title = "undefined"},
    {.name = "record", .title = "record"}, /* what explain --record takes */
};
enum { RECORD_COLUMNS = sizeof record_columns / sizeof *record_columns };

/* A column of grouped rows: in which groupings it stands (bits 1 << enum bs_by), and what is in it:
 * a part of the key, or the sum at an offset of struct bs_sums. */
enum part { PART_KERNEL, PART_PC, PART_OP, PART_SUM };
struct group_column {
    struct bs_column column;
    unsigned groupings;
    enum part part;
    size_t offset;
};

enum {
    BY_PC = 1 << BS_BY_PC,
    BY_OP = 1 << BS_BY_OP,
    BY_KERNEL = 1 << BS_BY_KERNEL,
    BY_TOTAL = 1 << BS_BY_TOTAL,
    BY_ANY = BY_PC | BY_OP | BY_KERNEL | BY_TOTAL,
};

#define SUM(member) PART_SUM, offsetof(struct bs_sums, member)

static const struct group_column group_columns[] = {
    {{"kernel", "kernel", true, 18, 0}, BY_PC | BY_KERNEL, PART_KERNEL, 0},
    {{"pc", "pc", false, 0, 0}, BY_PC, PART_PC, 0},
    {{"op", "op", true, 0, 0}, BY_PC | BY_OP, PART_OP, 0},
    {{"launches", "launches", false, 0, 5}, BY_KERNEL | BY_TOTAL, SUM(launches)},
    {{"records", "records", false, 0, 0}, BY_ANY, SUM(records)},
    {{"active", "active", false, 0, 9}, BY_ANY, SUM(active)},
    {{"passes", "passes", false, 0, 0}, BY_ANY, SUM(passes)},
    {{"slots", "slots", false, 0, 8}, BY_ANY, SUM(slots)},
    {{"ideal", "ideal", false, 0, 0}, BY_ANY, SUM(ideal)},
    {{"undefined", "undefined", false, 0, 7}, BY_ANY, SUM(undefined)},
    {{"excess", "excess", false, 0, 0}, BY_ANY, SUM(excess)},
    {{"max_passes", "max", false, 0, 6}, BY_ANY, SUM(max_passes)},
    {{"ld_passes", "ld", false, 0, 1}, BY_KERNEL, SUM(class_passes[BS_CLASS_LD])},
    {{"st_passes", "st", false, 0, 1}, BY_KERNEL, SUM(class_passes[BS_CLASS_ST])},
    {{"atom_passes", "atom", false, 0, 1}, BY_KERNEL, SUM(class_passes[BS_CLASS_ATOM])},
    {{"matrix_passes", "matrix", false, 0, 4}, BY_KERNEL, SUM(class_passes[BS_CLASS_MATRIX])},
    {{"copy_passes", "copy", false, 0, 3}, BY_KERNEL, SUM(class_passes[BS_CLASS_COPY])},
};
enum { GROUP_COLUMNS = sizeof group_columns / sizeof *group_columns };

/* The columns of one grouping. */
struct group_table {
    struct bs_column columns[GROUP_COLUMNS];
    const struct group_column *sources[GROUP_COLUMNS];
    size_t count;
};

static void choose_columns(struct group_table *table, enum bs_by by)
{
    table->count = 0;
    for (size_t i = 0; i < GROUP_COLUMNS; i++) {
        if (!(group_columns[i].groupings & 1u << by))
            continue;
        table->sources[table->count] = &group_columns[i];
        table->columns[table->count++] = group_columns[i].column;
    }
}

/* ---- output ---------------------------------------------------------------------------------- */

/* What is being written while the traces are read. */
struct output {
    const struct run_options *options;
    enum bs_by by;
    const struct bs_replay *replay;
    struct bs_spool out;
    struct bs_json json;
    struct bs_table table;
    struct group_table columns; /* of table, when it is one of groups */
};

static uint64_t sum_at(const struct bs_sums *sums, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)sums + offset, sizeof value);
    return value;
}

static void write_group(struct bs_table *table, const struct group_table *columns,
                        const struct bs_replay *replay, const struct bs_group *group)
{
    char name[BS_OP_NAME];
    for (size_t i = 0; i < columns->count; i++) {
        switch (columns->sources[i]->part) {
        case PART_KERNEL:
            bs_table_text(table, replay->names.list[group->key.kernel]);
            break;
        case PART_PC:
            bs_table_hex(table, group->key.pc);
            break;
        case PART_OP:
            bs_table_text(table, bs_op_name(bs_op_at(group->key.op), name));
            break;
        case PART_SUM:
            bs_table_number(table, sum_at(&group->sums, columns->sources[i]->offset));
            break;
        }
    }
}

static void write_groups(struct output *output)
{
    struct bs_table *table = &output->table;
    const struct group_table *columns = &output->columns;
    const struct bs_tally *tally = &output->replay->tallies[0];
    choose_columns(&output->columns, output->by);
    if (output->options->format == BS_JSON)
        bs_table_begin_json(table, columns->columns, columns->count, &output->json, "rows");
    else
        bs_table_begin(table, (enum bs_format)output->options->format, columns->columns,
                       columns->count, &output->out);
    for (size_t i = 0; i < tally->count; i++)
        write_group(table, columns, output->replay, &tally->groups[i]);
    if (output->by == BS_BY_TOTAL && tally->count == 0) /* one row, also of nothing */
        write_group(table, columns, output->replay, &(struct bs_group){0});
    bs_table_end(table);
}

static bool write_record(void *user, const struct bs_record *record, const struct bs_entry *entry,
                         struct bs_error *error)
{
    struct output *output = user;
    struct bs_table *table = &output->table;
    const struct bs_access *access = entry->access;
    char name[BS_OP_NAME];
    bs_table_text(table, record->kernel->name);
    bs_table_number(table, access->cta);
    bs_table_number(table, access->warp);
    bs_table_hex(table, access->pc);
    bs_table_text(table, bs_op_name(access->op, name));
    bs_table_mask(table, access->mask);
    bs_table_number(table, entry->active);
    bs_table_number(table, entry->cost->passes);
    bs_table_number(table, entry->cost->slots);
    bs_table_number(table, entry->cost->ideal);
    bs_table_number(table, entry->cost->undefined);
    bs_table_number(table, access->record);
    return bs_spool_holds(&output->out, error) && bs_spool_holds(&table->cells, error);
}

/* The model is known: what stands before the rows. */
static void write_start(void *user, const struct bs_replay *replay)
{
    struct output *output = user;
    const unsigned format = output->options->format;
    output->replay = replay;
    if (format == BS_JSON) {
        bs_json_map(&output->json, NULL, BS_JSON_TALL);
        bs_json_text(&output->json, "schema", "bankshot-report-1");
        bs_model_json(&output->json, "model", replay->model);
        bs_json_text(&output->json, "by", by_names[output->by]);
    }
    if (output->by != BS_BY_RECORD)
        return;
    if (format == BS_JSON)
        bs_table_begin_json(&output->table, record_columns, RECORD_COLUMNS, &output->json, "rows");
    else
        bs_table_begin(&output->table, (enum bs_format)format, record_columns, RECORD_COLUMNS,
                       &output->out);
}

static void json_note(void *user, const char *sentence)
{
    bs_json_text(user, NULL, sentence);
}

static void text_note(void *user, const char *sentence)
{
    struct output *output = user;
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_spool_text(&output->out, "* ");
    bs_screen_wrap(&screen, &output->out, 2, sentence);
}

static void json_end(struct output *output)
{
    struct bs_json *json = &output->json;
    bs_json_map(json, "totals", BS_JSON_FLAT);
    for (size_t i = 0; i < GROUP_COLUMNS; i++)
        if (group_columns[i].part == PART_SUM)
            bs_json_number(json, group_columns[i].column.name,
                           sum_at(&output->replay->totals, group_columns[i].offset));
    bs_json_close(json);
    bs_json_list(json, "notes", BS_JSON_TALL);
    bs_report_notes(output->replay, json_note, json);
    bs_json_close(json);
    bs_imports_json(&output->replay->import, json);
    bs_json_close(json);
}

/* Names the columns that the screen had no room for. */
static void write_left_out(struct output *output)
{
    const struct bs_table *table = &output->table;
    struct bs_buffer text = {0};
    for (size_t i = 0; i < table->count; i++)
        if (table->left_out[i])
            bs_buffer_printf(&text, "%s%s", text.size ? ", " : "(No room here for ",
                             table->columns[i].name);
    if (text.size > 0) {
        bs_buffer_text(&text, "; --format csv has them.)");
        char *line = bs_buffer_take(&text);
        bs_screen_wrap(&table->screen, &output->out, 0, line ? line : "");
        free(line);
    }
    bs_buffer_free(&text);
}

static void text_end(struct output *output)
{
    write_left_out(output);
    bs_report_notes(output->replay, text_note, output);
    bs_imports_text(&output->replay->import, &output->out);
}

static enum bs_status write_end(struct output *output, uint64_t top, bool is_report)
{
    if (is_report) {
        const struct bs_tally *tallies = output->replay->tallies;
        const struct bs_report report = {output->replay, &tallies[0], &tallies[1], top};
        if (!bs_report_write(&report, &output->out))
            return bs_out_of_memory();
        return bs_spool_print(&output->out);
    }
    if (output->by == BS_BY_RECORD)
        bs_table_end(&output->table);
    else
        write_groups(output);
    if (output->options->format == BS_JSON)
        json_end(output);
    else if (output->options->format == BS_TEXT)
        text_end(output);
    else
        bs_imports_tell(&output->replay->import);
    return bs_spool_print(&output->out);
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum bs_status replay_and_write(const struct run_options *options, uint64_t top,
                                       const char *const *traces, size_t count)
{
    /* Without --by, text is the report; its instructions are all shown where they are asked for. */
    const bool is_report =
        options->format == BS_TEXT && (options->by == BY_UNSAID || options->by == BS_BY_PC);
    const enum bs_by by = options->by == BY_UNSAID ? BS_BY_PC : (enum bs_by)options->by;
    struct output output = {.options = options, .by = by, .json = {.out = &output.out}};
    struct bs_replay replay = {
        .model_name = options->model,
        .sets = options->sets.list,
        .allow_misaligned = options->allow_misaligned,
        .trace_options = options->reading,
        .filter = &options->filter,
        .traces = traces,
        .trace_count = count,
        .tallies = {{.by = by}, {.by = BS_BY_KERNEL}},
        .tally_count = by == BS_BY_RECORD ? 0
                       : is_report        ? 2
                                          : 1,
        .start = write_start,
        .record = by == BS_BY_RECORD ? write_record : NULL,
        .user = &output,
    };
    enum bs_status status = bs_replay_run(&replay);
    if (status == BS_OK)
        status = write_end(&output, top, is_report);
    bs_spool_free(&output.out);
    bs_spool_free(&output.table.cells);
    bs_replay_free(&replay);
    return status;
}

/* --top N or all. */
static enum bs_status parse_top(const struct bs_verb *verb, const struct run_options *options,
                                uint64_t *top)
{
    char shown[64];
    const bool report =
        options->format == BS_TEXT && (options->by == BY_UNSAID || options->by == BS_BY_PC);
    *top = options->by == BS_BY_PC ? UINT64_MAX : DEFAULT_TOP;
    if (!options->top)
        return BS_OK;
    if (!report)
        return bs_usage_error(verb, "--top is for the report: text, by instruction");
    if (strcmp(options->top, "all") == 0) {
        *top = UINT64_MAX;
        return BS_OK;
    }
    if (bs_number_parse(options->top, strlen(options->top), UINT64_MAX, top) && *top > 0)
        return BS_OK;
    return bs_usage_error(verb, "--top: expected a number above 0 or 'all', found '%s'",
                          bs_printable(options->top, strlen(options->top), shown, sizeof shown));
}

static enum bs_status check_traces(const struct bs_verb *verb, int count, char **words)
{
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += strcmp(words[i], "-") == 0;
    if (count == 0)
        return bs_usage_error(verb, "expected a trace, or - for standard input");
    if (streams > 1)
        return bs_usage_error(verb, "standard input can be read only once");
    return BS_OK;
}

static size_t option_table(struct run_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_model(&options->model);
    table[count++] = bs_option_set(&options->sets);
    table[count++] = (struct bs_option){
        .name = "by",
        .value = "WHAT",
        .help = "one row for each record, pc, op or kernel, or a single one: total (default: a "
                "report of the worst instructions)",
        .kind = BS_OPTION_CHOICE,
        .target = &options->by,
        .choices = by_names,
    };
    table[count++] = (struct bs_option){
        .name = "format",
        .value = "FORMAT",
        .help = "text (default), csv or json",
        .kind = BS_OPTION_CHOICE,
        .target = &options->format,
        .choices = format_names,
    };
    table[count++] = (struct bs_option){
        .name = "top",
        .value = "N",
        .help = "how many instructions and kernels the report shows, or 'all' (default: 20)",
        .kind = BS_OPTION_TEXT,
        .target = &options->top,
    };
    table[count++] = bs_option_allow_misaligned(&options->allow_misaligned);
    count += bs_import_option_table(&options->reading, table + count);
    return count + bs_filter_option_table(&options->words, table + count);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct run_options options = {.by = BY_UNSAID, .format = BS_TEXT};
    struct bs_option table[BS_MAX_OPTIONS];
    uint64_t top;
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status)) {
        status = check_traces(verb, argc - operand, argv + operand);
        if (status == BS_OK)
            status = parse_top(verb, &options, &top);
        if (status == BS_OK && !bs_filter_of_words(verb, &options.words, &options.filter))
            status = BS_USAGE;
        if (status == BS_OK)
            status = replay_and_write(&options, top, (const char *const *)argv + operand,
                                      (size_t)(argc - operand));
    }
    bs_words_free(&options.sets);
    return status;
}

const struct bs_verb bs_verb_run = {
    .name = "run",
    .summary = "replay traces and report passes",
    .usage = "[OPTION]... TRACE...|-",
    .about = "Replays traces of shared-memory accesses through a device model and reports the "
             "passes of the bank array that they cost. Several traces add up. - is standard "
             "input.\n"
             "\n"
             "passes: of the bank array, which is what a profiler counts as wavefronts; "
             "slots: cycles that the data stage is occupied; ideal: the fewest passes for so "
             "many lanes and bytes; excess: passes above the ideal, that is bank conflicts; "
             "undefined: bytes that several lanes wrote in one instruction, so that no value "
             "is certain.\n",
    .examples = "  bankshot run kernel.trace\n"
                "  bankshot run --by kernel a.trace b.trace.xz\n"
                "  bankshot run FOLDER/kernelslist.g\n"
                "  bankshot run -m ampere --set banks=64 kernel.trace\n"
                "  bankshot run --by pc --format csv kernel.trace > passes.csv\n"
                "  zcat kernel.trace.gz | bankshot run --by total --format json - | jq .totals\n",
    .run = run,
};
