/* Writing what came of a sweep. */
#include "sweep_result.h"

#include "phrases.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 99, REASON_ROOM = 1024 };

const char *const bs_metric_names[BS_METRICS + 1] = {"passes",    "slots", "ideal", "excess",
                                                     "undefined", "nway",  NULL};

const char *const bs_metric_titles[BS_METRICS] = {"passes", "slots",           "ideal",
                                                  "excess", "undefined bytes", "n-way"};

/* ---- values ---------------------------------------------------------------------------------- */

static double metric_of(enum bs_metric metric, const struct bs_sums *sums)
{
    const double values[BS_METRICS] = {
        [BS_METRIC_PASSES] = (double)sums->passes,
        [BS_METRIC_SLOTS] = (double)sums->slots,
        [BS_METRIC_IDEAL] = (double)sums->ideal,
        [BS_METRIC_EXCESS] = (double)sums->excess,
        [BS_METRIC_UNDEFINED] = (double)sums->undefined,
        [BS_METRIC_NWAY] = sums->ideal ? (double)sums->passes / (double)sums->ideal : -1,
    };
    return values[metric];
}

double bs_result_value(const struct bs_sweep_result *result, size_t combination, uint32_t group)
{
    return result->cells[combination].failed
               ? -1
               : metric_of(result->metric, bs_swept_sums(&result->cells[combination], group));
}

bool bs_result_range(const struct bs_sweep_result *result, uint32_t group, double *least,
                     double *largest)
{
    bool known = false;
    for (size_t i = 0; i < result->plan->count; i++) {
        const double value = bs_result_value(result, i, group);
        if (value < 0)
            continue;
        *least = known && *least < value ? *least : value;
        *largest = known && *largest > value ? *largest : value;
        known = true;
    }
    return known;
}

const char *bs_result_text(const struct bs_sweep_result *result, double value,
                           char out[BS_VALUE_TEXT])
{
    if (value < 0)
        snprintf(out, BS_VALUE_TEXT, "-");
    else
        snprintf(out, BS_VALUE_TEXT, "%.*f", result->metric == BS_METRIC_NWAY ? 2 : 0, value);
    return out;
}

/* ---- columns --------------------------------------------------------------------------------- */

enum part { PART_KEY, PART_KERNEL, PART_SUM, PART_NWAY, PART_BEST, PART_NOTES, PART_ERROR };

struct sweep_column {
    struct bs_column column;
    enum part part;
    size_t offset;         /* of PART_SUM, in struct bs_sums */
    enum bs_metric metric; /* that it shows; BS_METRICS: none */
};

#define SUM(member) PART_SUM, offsetof(struct bs_sums, member)

/* After the keys and the kernel. */
static const struct sweep_column columns[] = {
    {{"best", "", true, 0, 0}, PART_BEST, 0, BS_METRICS},
    {{"records", NULL, false, 0, 0}, SUM(records), BS_METRICS},
    {{"active", NULL, false, 0, 0}, SUM(active), BS_METRICS},
    {{"passes", "passes", false, 0, 0}, SUM(passes), BS_METRIC_PASSES},
    {{"slots", "slots", false, 0, 3}, SUM(slots), BS_METRIC_SLOTS},
    {{"ideal", "ideal", false, 0, 2}, SUM(ideal), BS_METRIC_IDEAL},
    {{"undefined", "undefined", false, 0, 4}, SUM(undefined), BS_METRIC_UNDEFINED},
    {{"excess", "excess", false, 0, 1}, SUM(excess), BS_METRIC_EXCESS},
    {{"max_passes", NULL, false, 0, 0}, SUM(max_passes), BS_METRICS},
    {{"nway", "n-way", false, 0, 1}, PART_NWAY, 0, BS_METRIC_NWAY},
    {{"ld_passes", NULL, false, 0, 0}, SUM(class_passes[BS_CLASS_LD]), BS_METRICS},
    {{"st_passes", NULL, false, 0, 0}, SUM(class_passes[BS_CLASS_ST]), BS_METRICS},
    {{"atom_passes", NULL, false, 0, 0}, SUM(class_passes[BS_CLASS_ATOM]), BS_METRICS},
    {{"matrix_passes", NULL, false, 0, 0}, SUM(class_passes[BS_CLASS_MATRIX]), BS_METRICS},
    {{"copy_passes", NULL, false, 0, 0}, SUM(class_passes[BS_CLASS_COPY]), BS_METRICS},
    {{"notes", NULL, true, 0, 0}, PART_NOTES, 0, BS_METRICS},
    {{"error", NULL, true, 0, 0}, PART_ERROR, 0, BS_METRICS},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* Everything about the rows that is worked out once. */
struct writer {
    const struct bs_sweep_result *result;
    struct bs_column columns[BS_MAX_AXES + 1 + COLUMNS];
    struct sweep_column sources[BS_MAX_AXES + 1 + COLUMNS];
    size_t count;
    uint32_t groups;
    double *best;            /* by group: the metric of its best rows; negative: none */
    size_t reasons[REASONS]; /* combinations whose reasons differ */
    size_t reason_count;
};

static void add_column(struct writer *writer, struct sweep_column column)
{
    if (column.metric == writer->result->metric)
        column.column.drop = 0; /* what was asked for stays in sight */
    writer->columns[writer->count] = column.column;
    writer->sources[writer->count++] = column;
}

static void choose_columns(struct writer *writer)
{
    const struct bs_plan *plan = writer->result->plan;
    for (size_t i = 0; i < plan->axis_count; i++) {
        const char *key = plan->axes[i].key;
        const bool left = plan->axes[i].kind == BS_AXIS_MODEL;
        add_column(writer, (struct sweep_column){{key, key, left, 0, 0}, PART_KEY, i, BS_METRICS});
    }
    if (writer->result->names)
        add_column(writer, (struct sweep_column){
                               {"kernel", "kernel", true, 18, 0}, PART_KERNEL, 0, BS_METRICS});
    for (size_t i = 0; i < COLUMNS; i++)
        add_column(writer, columns[i]);
}

static uint64_t sum_at(const struct bs_sums *sums, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)sums + offset, sizeof value);
    return value;
}

/* Finds what the best rows of each group have; nothing stands out where all are as good. */
static bool find_best(struct writer *writer)
{
    writer->best = malloc(writer->groups * sizeof *writer->best + 1);
    for (uint32_t group = 0; writer->best && group < writer->groups; group++) {
        double least = 0;
        double largest = 0;
        const bool known = bs_result_range(writer->result, group, &least, &largest);
        writer->best[group] = known && least < largest ? least : -1;
    }
    return writer->best != NULL;
}

static bool is_best(const struct writer *writer, size_t combination, uint32_t group)
{
    const double value = bs_result_value(writer->result, combination, group);
    return value >= 0 && value <= writer->best[group];
}

/* ---- notes ----------------------------------------------------------------------------------- */

static const char *notes_text(const struct bs_swept *cell, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < BS_NOTES; i++)
        if (cell->notes & bs_notes[i].bit)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "",
                                     bs_notes[i].code);
    return out;
}

/* Why a cell could not be priced. The override that an error is about need not be said: it stands
 * in the row. */
static const char *reason_text(const struct bs_swept *cell, char out[REASON_ROOM])
{
    static const char set[] = "--set ";
    if (strncmp(cell->error.file, set, strlen(set)) == 0)
        snprintf(out, REASON_ROOM, "%s", cell->error.text);
    else
        bs_error_line(&cell->error, out, REASON_ROOM);
    return out;
}

/* The number of a cell's reason, counted from 1; new ones are added. 0 when there are too many. */
static size_t reason_of(struct writer *writer, size_t combination)
{
    const struct bs_swept *cells = writer->result->cells;
    char reason[REASON_ROOM];
    char other[REASON_ROOM];
    reason_text(&cells[combination], reason);
    for (size_t i = 0; i < writer->reason_count; i++)
        if (strcmp(reason_text(&cells[writer->reasons[i]], other), reason) == 0)
            return i + 1;
    if (writer->reason_count == REASONS)
        return 0;
    writer->reasons[writer->reason_count++] = combination;
    return writer->reason_count;
}

static void write_sentence(const struct bs_screen *screen, struct bs_spool *out, const char *lead,
                           const char *sentence)
{
    bs_spool_text(out, lead);
    bs_screen_wrap(screen, out, (unsigned)strlen(lead), sentence);
}

static void write_reasons(const struct writer *writer, const struct bs_screen *screen,
                          struct bs_spool *out)
{
    for (size_t i = 0; i < writer->reason_count; i++) {
        char lead[32];
        char reason[REASON_ROOM];
        snprintf(lead, sizeof lead, "[%zu] ", i + 1);
        reason_text(&writer->result->cells[writer->reasons[i]], reason);
        write_sentence(screen, out, lead, reason);
    }
}

/* Names the ops for which some model has an assumed rule that was used. */
static void write_assumed(const struct bs_sweep_result *result, const struct bs_screen *screen,
                          struct bs_spool *out)
{
    struct bs_buffer text = {0};
    char name[BS_OP_NAME];
    for (unsigned op = 0; op < BS_OPS; op++) {
        bool assumed = false;
        for (size_t i = 0; i < result->plan->count; i++)
            assumed |= result->cells[i].assumed[op] && !result->cells[i].failed;
        if (assumed)
            bs_buffer_printf(&text, "%s%s", text.size ? ", " : "Rules that are only assumed: ",
                             bs_op_name(bs_op_at(op), name));
    }
    char *sentence = text.size ? bs_buffer_take(&text) : NULL;
    if (sentence)
        write_sentence(screen, out, "* ", sentence);
    free(sentence);
}

static void write_notes(const struct bs_sweep_result *result, const struct bs_screen *screen,
                        struct bs_spool *out)
{
    uint32_t notes = 0;
    for (size_t i = 0; i < result->plan->count; i++)
        notes |= result->cells[i].failed ? 0 : result->cells[i].notes;
    for (size_t i = 0; i < BS_NOTES; i++)
        if (notes & bs_notes[i].bit && bs_notes[i].bit != BS_NOTE_ASSUMED_RULE)
            write_sentence(screen, out, "* ", bs_notes[i].text);
    write_assumed(result, screen, out);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void write_best(struct writer *writer, struct bs_table *table, size_t combination,
                       uint32_t group)
{
    char text[16] = "";
    const bool best = is_best(writer, combination, group);
    if (table->format != BS_TEXT) {
        bs_table_number(table, best);
        return;
    }
    if (writer->result->cells[combination].failed)
        snprintf(text, sizeof text, "[%zu]", reason_of(writer, combination));
    bs_table_tone(table, BS_GOOD, best ? "best" : text);
}

static void write_number(struct bs_table *table, const struct sweep_column *column,
                         const struct bs_sums *sums)
{
    if (column->part == PART_SUM)
        bs_table_number(table, sum_at(sums, column->offset));
    else if (sums->ideal)
        bs_table_real(table, metric_of(BS_METRIC_NWAY, sums), 2);
    else
        bs_table_null(table);
}

static void write_cell(struct writer *writer, struct bs_table *table,
                       const struct sweep_column *column, size_t combination, uint32_t group)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_swept *cell = &result->cells[combination];
    char text[REASON_ROOM];
    switch (column->part) {
    case PART_KEY:
        bs_table_text(table, bs_plan_value(result->plan, combination, column->offset));
        break;
    case PART_KERNEL:
        bs_table_text(table, result->names->list[group]);
        break;
    case PART_SUM:
    case PART_NWAY:
        if (cell->failed)
            bs_table_null(table);
        else
            write_number(table, column, bs_swept_sums(&result->cells[combination], group));
        break;
    case PART_BEST:
        write_best(writer, table, combination, group);
        break;
    case PART_NOTES:
        bs_table_text(table, cell->failed ? "" : notes_text(cell, text, sizeof text));
        break;
    case PART_ERROR:
        bs_table_text(table, cell->failed ? reason_text(cell, text) : "");
        break;
    }
}

static void write_rows(struct writer *writer, enum bs_format format, struct bs_spool *out,
                       struct bs_table *table)
{
    bs_table_begin(table, format, writer->columns, writer->count, out);
    for (size_t i = 0; i < writer->result->plan->count; i++)
        for (uint32_t group = 0; group < writer->groups; group++)
            for (size_t at = 0; at < writer->count; at++)
                write_cell(writer, table, &writer->sources[at], i, group);
    bs_table_end(table);
}

static void write_text(struct writer *writer, struct bs_spool *out)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bs_table table;
    bs_screen_wrap(&screen, out, 0, result->subject);
    bs_spool_text(out, "\n");
    write_rows(writer, BS_TEXT, out, &table);
    if (result->plan->axis_count == 2 && !result->names)
        bs_heat_map(result, &screen, out);
    if (writer->reason_count)
        bs_spool_text(out, "\n");
    write_reasons(writer, &screen, out);
    write_notes(result, &screen, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* A value of an axis: a number where it is one. */
static void json_value(struct bs_json *json, const char *key, const char *value)
{
    uint64_t number;
    if (bs_number_parse(value, strlen(value), UINT64_MAX, &number))
        bs_json_number(json, key, number);
    else
        bs_json_text(json, key, value);
}

static void json_axes(const struct bs_plan *plan, struct bs_json *json)
{
    bs_json_list(json, "vary", BS_JSON_TALL);
    for (size_t i = 0; i < plan->axis_count; i++) {
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_text(json, "key", plan->axes[i].key);
        bs_json_list(json, "values", BS_JSON_FLAT);
        for (size_t at = 0; at < plan->axes[i].count; at++)
            json_value(json, NULL, plan->axes[i].values[at]);
        bs_json_close(json);
        bs_json_close(json);
    }
    bs_json_close(json);
}

/* The settings of the model that a row was priced with. */
static void json_model(const struct bs_model *model, struct bs_json *json)
{
    static const char *const xors[] = {
        [BS_XOR_NONE] = "none", [BS_XOR_ROW] = "row", [BS_XOR_FOLD] = "fold"};
    if (!model) {
        bs_json_null(json, "model");
        return;
    }
    bs_json_map(json, "model", BS_JSON_FLAT);
    bs_json_text(json, "name", model->name);
    bs_json_number(json, "lanes", model->lanes);
    bs_json_number(json, "banks", model->banks);
    bs_json_number(json, "bank_width", model->bank_width);
    bs_json_number(json, "row_bytes", model->row_bytes);
    bs_json_number(json, "ports", model->ports);
    bs_json_text(json, "winner", bs_winner_name((enum bs_winner)model->winner));
    bs_json_text(json, "mapping.xor", xors[model->mapping.xor ]);
    bs_json_close(json);
}

static void json_numbers(const struct writer *writer, struct bs_json *json, size_t combination,
                         uint32_t group)
{
    const struct bs_swept *cell = &writer->result->cells[combination];
    const struct bs_sums *sums = bs_swept_sums(cell, group);
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *name = columns[i].column.name;
        if (columns[i].part != PART_SUM && columns[i].part != PART_NWAY)
            continue;
        if (cell->failed || (columns[i].part == PART_NWAY && !sums->ideal))
            bs_json_null(json, name);
        else if (columns[i].part == PART_SUM)
            bs_json_number(json, name, sum_at(sums, columns[i].offset));
        else
            bs_json_real(json, name, metric_of(BS_METRIC_NWAY, sums), 2);
    }
}

static void json_row(const struct writer *writer, struct bs_json *json, size_t combination,
                     uint32_t group)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_swept *cell = &result->cells[combination];
    char reason[REASON_ROOM];
    bs_json_map(json, NULL, BS_JSON_TALL);
    bs_json_map(json, "vary", BS_JSON_FLAT);
    for (size_t i = 0; i < result->plan->axis_count; i++)
        json_value(json, result->plan->axes[i].key, bs_plan_value(result->plan, combination, i));
    bs_json_close(json);
    json_model(cell->model, json);
    if (result->names)
        bs_json_text(json, "kernel", result->names->list[group]);
    json_numbers(writer, json, combination, group);
    bs_json_bool(json, "best", is_best(writer, combination, group));
    bs_json_list(json, "notes", BS_JSON_FLAT);
    for (size_t i = 0; i < BS_NOTES; i++)
        if (!cell->failed && cell->notes & bs_notes[i].bit)
            bs_json_text(json, NULL, bs_notes[i].code);
    bs_json_close(json);
    if (cell->failed)
        bs_json_text(json, "error", reason_text(cell, reason));
    else
        bs_json_null(json, "error");
    bs_json_close(json);
}

static void write_json(const struct writer *writer, struct bs_spool *out)
{
    struct bs_json json = {.out = out};
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-sweep-1");
    bs_json_text(&json, "subject", writer->result->subject);
    bs_json_text(&json, "metric", bs_metric_names[writer->result->metric]);
    json_axes(writer->result->plan, &json);
    bs_json_list(&json, "rows", BS_JSON_TALL);
    for (size_t i = 0; i < writer->result->plan->count; i++)
        for (uint32_t group = 0; group < writer->groups; group++)
            json_row(writer, &json, i, group);
    bs_json_close(&json);
    bs_json_close(&json);
}

bool bs_result_write(const struct bs_sweep_result *result, enum bs_format format,
                     struct bs_spool *out)
{
    struct bs_table table = {0};
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return false;
    writer->result = result;
    writer->groups = result->names ? (uint32_t)result->names->count : 1;
    choose_columns(writer);
    if (!find_best(writer)) {
        free(writer);
        return false;
    }
    if (format == BS_JSON)
        write_json(writer, out);
    else if (format == BS_CSV)
        write_rows(writer, BS_CSV, out, &table);
    else
        write_text(writer, out);
    free(writer->best);
    free(writer);
    return true;
}
