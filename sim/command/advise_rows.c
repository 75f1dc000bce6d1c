/* The report of bankshot advise as CSV or JSON: a row for each combination, best first. */
#include "advise.h"

#include <stdlib.h>
#include <string.h>

static const struct bs_column columns[] = {
    {.name = "rank"},         {.name = "kind"},   {.name = "layout"},       {.name = "sketch"},
    {.name = "slots"},        {.name = "excess"}, {.name = "instructions"}, {.name = "bytes"},
    {.name = "more_percent"}, {.name = "passes"}, {.name = "declaration"},
};

/* "pad", or "pad+given". */
static void kinds_of(const struct bs_advice *advice, const struct bs_combination *combination,
                     struct bs_buffer *out)
{
    for (size_t i = 0; i < advice->search->count; i++)
        bs_buffer_printf(out, "%s%s", i ? "+" : "",
                         bs_scheme_name(bs_advice_candidate(advice, combination, i)->scheme));
}

static void keys_of(const struct bs_advice *advice, const struct bs_combination *combination,
                    struct bs_buffer *out)
{
    const struct bs_search *search = advice->search;
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_sketch_array *array = &search->work->arrays[search->array[i]];
        bs_buffer_printf(out, "%s%s: ", i ? "; " : "", array->name);
        bs_candidate_keys(bs_advice_candidate(advice, combination, i), array, out);
    }
}

/* The declarations on one line; where elements lie in their rows, the layout says. */
static void declarations_of(const struct bs_advice *advice,
                            const struct bs_combination *combination, struct bs_buffer *out)
{
    const struct bs_search *search = advice->search;
    for (size_t i = 0; i < search->count; i++) {
        bs_buffer_text(out, i ? " " : "");
        bs_candidate_declaration(bs_advice_candidate(advice, combination, i),
                                 &search->work->arrays[search->array[i]], out);
    }
}

/* Writes what a function makes of the combination. False when memory is out. */
static bool text_cell(const struct bs_advice *advice, const struct bs_combination *combination,
                      void (*make)(const struct bs_advice *, const struct bs_combination *,
                                   struct bs_buffer *),
                      struct bs_table *table)
{
    struct bs_buffer buffer = {0};
    make(advice, combination, &buffer);
    char *text = bs_buffer_take(&buffer);
    bs_table_text(table, text ? text : "");
    free(text);
    return text != NULL;
}

static bool write_rows(const struct bs_advice *advice, struct bs_table *table)
{
    bool fine = true;
    for (size_t i = 0; i < advice->count; i++) {
        const struct bs_combination *combination = &advice->best[i];
        bs_table_number(table, i + 1);
        fine &= text_cell(advice, combination, kinds_of, table);
        fine &= text_cell(advice, combination, bs_advice_layout_text, table);
        fine &= text_cell(advice, combination, keys_of, table);
        bs_table_number(table, combination->rank.slots);
        bs_table_number(table, combination->excess);
        bs_table_number(table, combination->rank.instructions);
        bs_table_number(table, combination->rank.bytes);
        bs_table_real(table, bs_advice_percent_more(advice, combination->rank.bytes), 2);
        bs_table_number(table, combination->rank.passes);
        fine &= text_cell(advice, combination, declarations_of, table);
    }
    bs_table_end(table);
    return fine;
}

/* CTAs of so many bytes that a multiprocessor holds, or null. */
static void write_resident(const struct bs_advice *advice, uint64_t smem, struct bs_json *json)
{
    uint32_t ctas;
    bs_json_number(json, "smem", smem);
    if (bs_advice_resident(advice, smem, &ctas))
        bs_json_number(json, "resident_ctas", ctas);
    else
        bs_json_null(json, "resident_ctas");
}

static void write_now(const struct bs_advice *advice, struct bs_json *json)
{
    bs_json_map(json, "as_it_stands", BS_JSON_FLAT);
    bs_json_bool(json, "issued", advice->issued);
    if (advice->issued) {
        bs_json_number(json, "slots", advice->now.slots);
        bs_json_number(json, "excess", advice->now.excess);
        bs_json_number(json, "instructions", advice->now.instructions);
        bs_json_number(json, "passes", advice->now.passes);
    }
    bs_json_number(json, "bytes", advice->now.bytes);
    write_resident(advice, advice->now.smem, json);
    bs_json_close(json);
}

/* The lines of the declarations, as the text has them. */
static bool write_declarations(const struct bs_advice *advice, struct bs_json *json)
{
    struct bs_buffer buffer = {0};
    bs_advice_declare(advice, advice->best, "", "", &buffer);
    char *text = bs_buffer_take(&buffer);
    bs_json_list(json, "declarations", BS_JSON_FLAT);
    for (char *line = text; line && *line;) {
        char *end = line + strcspn(line, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        bs_json_text(json, NULL, line);
        line = last ? end : end + 1;
    }
    bs_json_close(json);
    free(text);
    return text != NULL;
}

static bool write_text(const struct bs_advice *advice, const struct bs_combination *combination,
                       struct bs_json *json)
{
    struct bs_buffer buffer = {0};
    bs_advice_layout_text(advice, combination, &buffer);
    char *text = bs_buffer_take(&buffer);
    bs_json_text(json, "layout", text ? text : "");
    free(text);
    return text != NULL;
}

/* The best layouts, one array behind the other, and what proves that nothing takes less. */
static bool write_best(const struct bs_advice *advice, struct bs_json *json)
{
    bool fine = true;
    if (advice->count == 0) {
        bs_json_null(json, "best");
        return true;
    }
    bs_json_map(json, "best", BS_JSON_TALL);
    bs_json_bool(json, "keeps_all", bs_advice_keeps(advice, advice->best));
    fine &= write_text(advice, advice->best, json);
    fine &= write_declarations(advice, json);
    bs_json_number(json, "slots", advice->then.slots);
    bs_json_number(json, "passes", advice->then.passes);
    bs_json_number(json, "instructions", advice->then.instructions);
    bs_json_number(json, "excess", advice->then.excess);
    bs_json_number(json, "bytes", advice->then.bytes);
    bs_json_number(json, "bytes_without_padding", advice->bare_bytes);
    bs_json_real(json, "more_percent", bs_advice_percent_more(advice, advice->then.bytes), 2);
    write_resident(advice, advice->then.smem, json);
    bs_json_number(json, "least_slots", bs_advice_least(advice));
    bs_json_text(json, "fewest_slots_of",
                 advice->then.slots == bs_advice_least(advice) ? "all layouts" : "those tried");
    bs_json_number(json, "layouts_tried", bs_search_size(advice->search));
    if (advice->smaller_count == 0) {
        bs_json_null(json, "smaller");
    } else {
        bs_json_map(json, "smaller", BS_JSON_FLAT);
        fine &= write_text(advice, &advice->smaller, json);
        bs_json_number(json, "slots", advice->smaller.rank.slots);
        bs_json_number(json, "instructions", advice->smaller.rank.instructions);
        bs_json_number(json, "bytes", advice->smaller.rank.bytes);
        bs_json_close(json);
    }
    bs_json_close(json);
    return fine;
}

static void write_cost(struct bs_json *json, const char *key, const struct bs_work_cost *cost,
                       const struct bs_access_stride *stride)
{
    char name[BS_OP_NAME];
    if (cost->issue.count == 0) {
        bs_json_null(json, key);
        return;
    }
    bs_json_map(json, key, BS_JSON_FLAT);
    bs_json_text(json, "op", bs_op_name(cost->issue.op, name));
    bs_json_number(json, "each", cost->issue.count);
    bs_json_number(json, "instructions", cost->instructions);
    bs_json_number(json, "passes", cost->passes);
    bs_json_number(json, "slots", cost->slots);
    bs_json_number(json, "ideal", cost->ideal);
    if (stride->arithmetic.strided)
        bs_arithmetic_json(&stride->arithmetic, stride->passes, json);
    bs_json_close(json);
}

static void write_accesses(const struct bs_advice *advice, struct bs_json *json)
{
    const struct bs_work *work = advice->search->work;
    bs_json_list(json, "accesses", BS_JSON_TALL);
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->first[i] == work->first[i + 1])
            continue;
        bs_json_map(json, NULL, BS_JSON_TALL);
        bs_json_text(json, "access", work->accesses[i].label);
        bs_json_number(json, "least_slots", advice->search->bound[i]);
        bs_json_bool(json, "follows_data", bs_advice_follows_data(advice, i));
        write_cost(json, "before", &advice->before[i], &advice->before_stride[i]);
        write_cost(json, "after", &advice->after[i], &advice->after_stride[i]);
        bs_json_close(json);
    }
    bs_json_close(json);
}

/* How many there were of each kind, and what became of those that cannot be the best. */
static void write_trials(const struct bs_trials *trials, struct bs_json *json)
{
    static const char *const verdicts[BS_TRIAL_VERDICTS] = {
        [BS_TRIAL_FITS] = "fit",
        [BS_TRIAL_NOT_ALLOWED] = "not_what_is_asked",
        [BS_TRIAL_TOO_LARGE] = "too_large",
        [BS_TRIAL_NOT_ISSUED] = "not_aligned",
    };
    size_t kinds[BS_SCHEMES] = {0}, of_verdict[BS_TRIAL_VERDICTS] = {0};
    for (size_t i = 0; i < trials->count; i++) {
        kinds[trials->list[i].candidate.scheme]++;
        of_verdict[trials->list[i].verdict]++;
    }
    for (unsigned i = 0; i < BS_SCHEMES; i++)
        bs_json_number(json, bs_scheme_name(i), kinds[i]);
    for (unsigned i = 0; i < BS_TRIAL_VERDICTS; i++)
        bs_json_number(json, verdicts[i], of_verdict[i]);
}

static void write_space(const struct bs_advice *advice, struct bs_json *json)
{
    static const char *const padded[] = {[BS_PADDED_NOT_ASKED] = "not asked",
                                         [BS_PADDED_NOT_NEEDED] = "no more needed",
                                         [BS_PADDED_ALL] = "all",
                                         [BS_PADDED_CUT] = "too many"};
    const struct bs_search *search = advice->search;
    bs_json_list(json, "tried", BS_JSON_TALL);
    for (size_t i = 0; i < search->count; i++) {
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_text(json, "array", search->work->arrays[search->array[i]].name);
        bs_json_number(json, "layouts", search->trials[i].count);
        write_trials(&search->trials[i], json);
        bs_json_text(json, "padded_swizzles", padded[search->trials[i].padded]);
        bs_json_number(json, "padded_swizzles_to_pitch", search->trials[i].padded_pitch);
        bs_json_close(json);
    }
    bs_json_close(json);
}

/* What a trace's addresses were taken for. */
static void write_recovered(const struct bs_advice *advice, struct bs_json *json)
{
    const struct bs_work *work = advice->search->work;
    if (!advice->traced)
        return;
    bs_json_list(json, "recovered", BS_JSON_TALL);
    for (size_t i = 0; i < work->array_count; i++) {
        const struct bs_layout *layout = &work->arrays[i].layout;
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_text(json, "array", work->arrays[i].name);
        bs_json_number(json, "element", layout->element);
        bs_json_number(json, "rows", layout->rows);
        bs_json_number(json, "columns", layout->columns);
        bs_json_number(json, "pitch", layout->pitch);
        bs_json_bool(json, "in_doubt", advice->traced->rows[i].in_doubt);
        bs_json_close(json);
    }
    bs_json_close(json);
}

bool bs_advice_rows(const struct bs_advice *advice, enum bs_format format, struct bs_spool *out)
{
    enum { COUNT = sizeof columns / sizeof *columns };
    struct bs_table table;
    struct bs_json json = {.out = out};
    if (format == BS_CSV) {
        bs_table_begin(&table, format, columns, COUNT, out);
        return write_rows(advice, &table);
    }
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-advise-1");
    bs_json_text(&json, "model", advice->model->name);
    write_now(advice, &json);
    const bool written = write_best(advice, &json);
    write_recovered(advice, &json);
    write_accesses(advice, &json);
    write_space(advice, &json);
    bs_table_begin_json(&table, columns, COUNT, &json, "rows");
    const bool fine = write_rows(advice, &table);
    bs_json_close(&json);
    return fine && written;
}
