/* The rows of a sweep: as a table with what there is to say about it, as CSV and as JSON. */
#include "phrases.h"
#include "sweep_result.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { REASONS = 20 };

/* ---- columns --------------------------------------------------------------------------------- */

enum part {
    PART_KEY,
    PART_KERNEL,
    PART_SUM,
    PART_NWAY,
    PART_BEST,
    PART_NOTES,
    PART_ERROR,
    PART_MODEL,
    PART_CHANGES
};

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
    {{"model", NULL, true, 0, 0}, PART_MODEL, 0, BS_METRICS}, /* unless it is varied */
    {{"changes", NULL, true, 0, 0}, PART_CHANGES, 0, BS_METRICS},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* A reason for which rows have no values, by where it came up first. */
struct reason {
    size_t combination;
    uint32_t group;
};

/* Everything about the rows that is worked out once. */
struct writer {
    const struct bs_sweep_result *result;
    struct bs_column columns[BS_MAX_COLUMNS];
    struct sweep_column sources[BS_MAX_COLUMNS];
    size_t count;
    uint32_t groups;
    double *best;          /* by group: the metric of its best rows; negative: none */
    enum bs_unlike unlike; /* why the rows of some group cannot be ranked */
    struct reason reasons[REASONS];
    size_t reason_count;
    bool has_more_reasons;
};

_Static_assert(BS_MAX_AXES + 1 + COLUMNS <= BS_MAX_COLUMNS, "a table has room for all columns");

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
        const bool is_model = plan->axes[i].kind == BS_AXIS_MODEL; /* which may be a long path */
        add_column(writer,
                   (struct sweep_column){
                       {key, key, is_model, is_model ? 18 : 0, 0}, PART_KEY, i, BS_METRICS});
    }
    if (writer->result->names)
        add_column(writer, (struct sweep_column){
                               {"kernel", "kernel", true, 18, 0}, PART_KERNEL, 0, BS_METRICS});
    for (size_t i = 0; i < COLUMNS; i++)
        if (columns[i].part != PART_MODEL || !bs_plan_model_axis(plan))
            add_column(writer, columns[i]);
}

static uint64_t sum_at(const struct bs_sums *sums, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)sums + offset, sizeof value);
    return value;
}

/* Finds what the best rows of each group have; nothing stands out where all are as good, or cannot
 * be ranked. */
static bool find_best(struct writer *writer)
{
    writer->best = malloc(writer->groups * sizeof *writer->best + 1);
    for (uint32_t group = 0; writer->best && group < writer->groups; group++) {
        double least = 0;
        double largest = 0;
        const enum bs_unlike unlike = bs_result_unlike(writer->result, group);
        const bool known = bs_result_range(writer->result, group, &least, &largest);
        writer->best[group] = known && least < largest && !unlike ? least : -1;
        writer->unlike = unlike && least < largest && !writer->unlike ? unlike : writer->unlike;
    }
    return writer->best != NULL;
}

static bool is_best(const struct writer *writer, size_t combination, uint32_t group)
{
    const double value = bs_result_value(writer->result, combination, group);
    return value >= 0 && value <= writer->best[group];
}

/* The model that a combination starts from. */
static const struct bs_base *base_of(const struct bs_sweep_result *result, size_t combination)
{
    const struct bs_plan *plan = result->plan;
    for (size_t i = 0; i < plan->axis_count; i++)
        if (plan->axes[i].kind == BS_AXIS_MODEL)
            return &result->bases->list[bs_plan_place(plan, combination, i)];
    return &result->bases->list[0];
}

/* ---- what there is to say -------------------------------------------------------------------- */

static const char *notes_text(uint32_t notes, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < BS_NOTES; i++)
        if (notes & bs_notes[i].bit)
            used += (size_t)snprintf(out + used, size - used, "%s%s", used ? " " : "",
                                     bs_notes[i].code);
    return out;
}

/* The number of a row's reason, counted from 1; new ones are added. 0 when there are too many,
 * which a table says with a '+'. */
static size_t reason_of(struct writer *writer, size_t combination, uint32_t group)
{
    char reason[BS_REASON];
    char other[BS_REASON];
    bs_swept_reason(&writer->result->cells[combination], group, reason);
    for (size_t i = 0; i < writer->reason_count; i++) {
        const struct reason *known = &writer->reasons[i];
        bs_swept_reason(&writer->result->cells[known->combination], known->group, other);
        if (strcmp(other, reason) == 0)
            return i + 1;
    }
    if (writer->reason_count == REASONS) {
        writer->has_more_reasons = true;
        return 0;
    }
    writer->reasons[writer->reason_count++] = (struct reason){combination, group};
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
    bool lacking = false;
    bs_spool_text(out, writer->reason_count ? "\n" : "");
    for (size_t i = 0; i < writer->reason_count; i++) {
        const struct reason *at = &writer->reasons[i];
        char lead[32];
        char reason[BS_REASON];
        snprintf(lead, sizeof lead, "[%zu] ", i + 1);
        bs_swept_reason(&writer->result->cells[at->combination], at->group, reason);
        write_sentence(screen, out, lead, reason);
        lacking |= !writer->result->cells[at->combination].failed;
    }
    if (writer->has_more_reasons)
        write_sentence(screen, out, "[+] ", "more reasons: --format csv has that of every row");
    if (lacking && !writer->result->names && !writer->result->is_eval)
        write_sentence(screen, out, "* ",
                       "A total needs a price for every record: --by kernel prices the kernels "
                       "that have one, --op and --kernel leave others out.");
}

/* Names the ops for which a model has an assumed rule that was used. */
static void write_assumed_of(const struct writer *writer, const struct bs_base *base,
                             const struct bs_screen *screen, struct bs_spool *out)
{
    const struct bs_sweep_result *result = writer->result;
    struct bs_op_set assumed = {0};
    struct bs_buffer text = {0};
    char name[BS_OP_NAME];
    for (size_t i = 0; i < result->plan->count; i++)
        for (uint32_t group = 0; base_of(result, i) == base && group < writer->groups; group++)
            if (bs_swept_is_priced(&result->cells[i], group))
                bs_op_set_join(&assumed, &bs_swept_group(&result->cells[i], group)->assumed);
    for (unsigned op = 0; op < BS_OPS; op++) {
        if (!bs_op_set_has(&assumed, op))
            continue;
        if (!text.size)
            bs_buffer_printf(&text, "Rules of %s that are only assumed: ", base->name);
        else
            bs_buffer_text(&text, ", ");
        bs_buffer_text(&text, bs_op_name(bs_op_at(op), name));
    }
    char *sentence = text.size ? bs_buffer_take(&text) : NULL;
    if (sentence)
        write_sentence(screen, out, "* ", sentence);
    free(sentence);
}

static void write_assumed(const struct writer *writer, const struct bs_screen *screen,
                          struct bs_spool *out)
{
    const struct bs_bases *bases = writer->result->bases;
    for (size_t i = 0; i < bases->count; i++)
        write_assumed_of(writer, &bases->list[i], screen, out);
}

/* The lanes of the warps, "32 and 64", in ascending order; empty if all have as many. */
static void lanes_text(const struct bs_sweep_result *result, struct bs_buffer *text)
{
    bool seen[BS_MAX_LANES + 1] = {false};
    unsigned left = 0;
    for (size_t i = 0; i < result->plan->count; i++) {
        const struct bs_model *model = result->cells[i].model;
        if (model && !seen[model->lanes]) {
            seen[model->lanes] = true;
            left++;
        }
    }
    for (unsigned lanes = 1; (left > 1 || text->size > 0) && lanes <= BS_MAX_LANES; lanes++)
        if (seen[lanes])
            bs_buffer_printf(text, "%s%u", !text->size ? "" : --left > 1 ? ", " : " and ", lanes);
}

/* Why no row is marked, and that warps differ. */
static void write_unlike(const struct writer *writer, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    const struct bs_sweep_result *result = writer->result;
    struct bs_buffer lanes = {0};
    char text[BS_REASON];
    lanes_text(result, &lanes);
    char *list = bs_buffer_take(&lanes);
    if (writer->unlike == BS_UNLIKE_IDEAL) {
        snprintf(text, sizeof text,
                 "No row%s is best: %s is measured against the ideal, which differs between the "
                 "rows. Compare passes.",
                 writer->groups > 1 ? " of some kernels" : "", bs_metric_titles[result->metric]);
        write_sentence(screen, out, "* ", text);
    } else if (writer->unlike == BS_UNLIKE_WORK) {
        write_sentence(screen, out, "* ",
                       "No row is best: their instructions or active lanes differ in number, so "
                       "passes alone do not tell.");
    }
    if (list && list[0]) {
        snprintf(text, sizeof text, "The models' warps differ, of %s lanes%s.", list,
                 result->is_eval ? ""
                                 : ": a record is priced as one instruction of one warp on each, "
                                   "though a wider warp would need fewer of them");
        write_sentence(screen, out, "* ", text);
    }
    free(list);
}

static void write_notes(const struct writer *writer, const struct bs_screen *screen,
                        struct bs_spool *out)
{
    const struct bs_sweep_result *result = writer->result;
    uint32_t notes = 0;
    bool any = false; /* record was priced, or could not be */
    for (size_t i = 0; i < result->plan->count; i++)
        for (uint32_t group = 0; group < writer->groups; group++) {
            const struct bs_swept_group *swept = bs_swept_group(&result->cells[i], group);
            const bool priced = bs_swept_is_priced(&result->cells[i], group);
            notes |= priced ? swept->notes : 0;
            any |= !priced || swept->sums.records > 0;
        }
    if (!any)
        write_sentence(screen, out, "* ", "There is no record to price.");
    for (size_t i = 0; i < BS_NOTES; i++)
        if (notes & bs_notes[i].bit && bs_notes[i].bit != BS_NOTE_ASSUMED_RULE)
            write_sentence(screen, out, "* ", bs_notes[i].text);
    write_assumed(writer, screen, out);
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
    if (!bs_swept_is_priced(&writer->result->cells[combination], group)) {
        const size_t reason = reason_of(writer, combination, group);
        snprintf(text, sizeof text, reason ? "[%zu]" : "[+]", reason);
    }
    bs_table_tone(table, BS_GOOD, best ? "best" : text);
}

static void write_number(struct bs_table *table, const struct sweep_column *column,
                         const struct bs_sums *sums)
{
    if (column->part == PART_SUM)
        bs_table_number(table, sum_at(sums, column->offset));
    else if (sums->ideal)
        bs_table_real(table, bs_metric_of(BS_METRIC_NWAY, sums), 2);
    else
        bs_table_null(table);
}

static void write_cell(struct writer *writer, struct bs_table *table,
                       const struct sweep_column *column, size_t combination, uint32_t group)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_swept *cell = &result->cells[combination];
    const struct bs_swept_group *swept = bs_swept_group(cell, group);
    const bool priced = bs_swept_is_priced(cell, group);
    char text[BS_REASON] = "";
    switch (column->part) {
    case PART_KEY:
        bs_table_text(table, bs_plan_value(result->plan, combination, column->offset));
        break;
    case PART_KERNEL:
        bs_table_kernel(table, result->names, group);
        break;
    case PART_SUM:
    case PART_NWAY:
        if (priced)
            write_number(table, column, &swept->sums);
        else
            bs_table_null(table);
        break;
    case PART_BEST:
        write_best(writer, table, combination, group);
        break;
    case PART_NOTES:
        bs_table_text(table, priced ? notes_text(swept->notes, text, sizeof text) : "");
        break;
    case PART_ERROR:
        bs_table_text(table, priced ? "" : bs_swept_reason(cell, group, text));
        break;
    case PART_MODEL:
        bs_table_text(table, base_of(result, combination)->name);
        break;
    case PART_CHANGES:
        bs_table_text(table, base_of(result, combination)->changes);
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

/* What was swept, and the models that everything starts from. */
static void write_head(const struct bs_sweep_result *result, const struct bs_screen *screen,
                       struct bs_spool *out)
{
    enum { LABEL = 12 };
    const struct bs_bases *bases = result->bases;
    const struct bs_base *first = &bases->list[0];
    char text[sizeof first->name + sizeof first->title + 4];
    bs_screen_wrap(screen, out, 0, result->subject);
    if (bases->count == 1) {
        snprintf(text, sizeof text, "%s%s%s", first->name, first->title[0] ? ": " : "",
                 first->title);
        bs_spool_printf(out, "  %-*s", LABEL - 2, "model");
        bs_screen_wrap(screen, out, LABEL, text);
    }
    const bool alike = bs_bases_are_changed_alike(bases);
    for (size_t i = 0; i < (alike ? 1 : bases->count); i++) {
        if (!bases->list[i].changes[0])
            continue;
        bs_spool_printf(out, "  %-*s", LABEL - 2, "changed");
        if (!alike) {
            bs_spool_printable(out, bases->list[i].given, strlen(bases->list[i].given));
            bs_spool_text(out, ": ");
        }
        bs_screen_wrap(screen, out, LABEL, bases->list[i].changes);
    }
    bs_spool_text(out, "\n");
}

static void write_text(struct writer *writer, struct bs_spool *out)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bs_table table;
    write_head(result, &screen, out);
    write_rows(writer, BS_TEXT, out, &table);
    bs_table_left_out(&table, "--format csv", out);
    if (result->plan->axis_count == 2 && !result->names)
        bs_heat_map(result, &screen, out);
    write_reasons(writer, &screen, out);
    write_unlike(writer, &screen, out);
    write_notes(writer, &screen, out);
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
    bs_json_text(json, "changes", model->changes);
    bs_json_number(json, "lanes", model->lanes);
    bs_json_number(json, "banks", model->banks);
    bs_json_number(json, "bank_width", model->bank_width);
    bs_json_number(json, "row_bytes", model->row_bytes);
    bs_json_number(json, "ports", model->ports);
    bs_json_text(json, "winner", bs_winner_name((enum bs_winner)model->winner));
    bs_json_text(json, "mapping.xor", xors[model->mapping.hash]);
    bs_json_close(json);
}

static void json_bases(const struct bs_bases *bases, struct bs_json *json)
{
    bs_json_list(json, "models", BS_JSON_TALL);
    for (size_t i = 0; i < bases->count; i++) {
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_text(json, "name", bases->list[i].name);
        bs_json_text(json, "title", bases->list[i].title);
        bs_json_text(json, "changes", bases->list[i].changes);
        bs_json_close(json);
    }
    bs_json_close(json);
}

static void json_numbers(const struct writer *writer, struct bs_json *json, size_t combination,
                         uint32_t group)
{
    const struct bs_swept *cell = &writer->result->cells[combination];
    const struct bs_sums *sums = &bs_swept_group(cell, group)->sums;
    for (size_t i = 0; i < COLUMNS; i++) {
        const char *name = columns[i].column.name;
        if (columns[i].part != PART_SUM && columns[i].part != PART_NWAY)
            continue;
        if (!bs_swept_is_priced(cell, group) || (columns[i].part == PART_NWAY && !sums->ideal))
            bs_json_null(json, name);
        else if (columns[i].part == PART_SUM)
            bs_json_number(json, name, sum_at(sums, columns[i].offset));
        else
            bs_json_real(json, name, bs_metric_of(BS_METRIC_NWAY, sums), 2);
    }
}

static void json_row(const struct writer *writer, struct bs_json *json, size_t combination,
                     uint32_t group)
{
    const struct bs_sweep_result *result = writer->result;
    const struct bs_swept *cell = &result->cells[combination];
    const bool priced = bs_swept_is_priced(cell, group);
    char reason[BS_REASON];
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
        if (priced && bs_swept_group(cell, group)->notes & bs_notes[i].bit)
            bs_json_text(json, NULL, bs_notes[i].code);
    bs_json_close(json);
    if (priced)
        bs_json_null(json, "error");
    else
        bs_json_text(json, "error", bs_swept_reason(cell, group, reason));
    bs_json_close(json);
}

static void write_json(const struct writer *writer, struct bs_spool *out)
{
    static const char *const unlike[] = {
        [BS_UNLIKE_WORK] = "active lanes differ", [BS_UNLIKE_IDEAL] = "ideals differ"};
    struct bs_json json = {.out = out};
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-sweep-1");
    bs_json_text(&json, "subject", writer->result->subject);
    json_bases(writer->result->bases, &json);
    bs_json_text(&json, "metric", bs_metric_names[writer->result->metric]);
    if (writer->unlike)
        bs_json_text(&json, "unranked", unlike[writer->unlike]);
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
    writer->groups = bs_result_groups(result);
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
