/* Reading the report of a shard back from JSON. Nothing in it is believed before it is checked. */
#include "imports.h"
#include "kernel_names.h"
#include "model_json.h"
#include "shard.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct bs_shard *shard;
    const char *file;
    struct bs_error *error;
};

/* ---- values ---------------------------------------------------------------------------------- */

static bool out_of_memory(const struct reader *reader)
{
    return bs_fail(reader->error, BS_INTERNAL, reader->file, 0, 0, "out of memory");
}

/* What a value is, for people. Returns out. */
static const char *describe(const json_t *value, char *out, size_t room)
{
    static const char *const kinds[] = {
        [JSON_OBJECT] = "another object", [JSON_ARRAY] = "another list",
        [JSON_REAL] = "a fraction",       [JSON_TRUE] = "true",
        [JSON_FALSE] = "false",           [JSON_NULL] = "null",
    };
    char text[64];
    if (json_is_string(value))
        snprintf(
            out, room, "'%s'",
            bs_printable(json_string_value(value), json_string_length(value), text, sizeof text));
    else if (json_is_integer(value))
        snprintf(out, room, "%lld", (long long)json_integer_value(value));
    else
        snprintf(out, room, "%s", value ? kinds[json_typeof(value)] : "nothing");
    return out;
}

static bool fail(const struct reader *reader, const char *key, const json_t *value,
                 const char *expected)
{
    char found[80];
    return bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0,
                   "not a report of a shard: '%s': expected %s, found %s", key, expected,
                   describe(value, found, sizeof found));
}

/* The value of a key if it is of that type; NULL after filling error. */
static json_t *member(const struct reader *reader, const json_t *map, const char *key,
                      json_type type)
{
    static const char *const expected[] = {
        [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "a text"};
    json_t *value = json_object_get(map, key);
    if (value && json_typeof(value) == type)
        return value;
    fail(reader, key, value, expected[type]);
    return NULL;
}

static bool as_number(const struct reader *reader, const char *key, const json_t *value,
                      uint64_t max, uint64_t *number)
{
    *number = (uint64_t)json_integer_value(value);
    return (json_is_integer(value) && json_integer_value(value) >= 0 && *number <= max) ||
           fail(reader, key, value, "a whole number in range");
}

static bool number(const struct reader *reader, const json_t *map, const char *key, uint64_t max,
                   uint64_t *value)
{
    return as_number(reader, key, json_object_get(map, key), max, value);
}

static bool flag(const struct reader *reader, const json_t *map, const char *key, bool *value)
{
    const json_t *found = json_object_get(map, key);
    *value = json_is_true(found);
    return json_is_boolean(found) || fail(reader, key, found, "true or false");
}

static bool is_text_or_null(const struct reader *reader, const json_t *map, const char *key)
{
    const json_t *value = json_object_get(map, key);
    return json_is_string(value) || json_is_null(value) ||
           fail(reader, key, value, "a text or null");
}

/* Hexadecimal, as a text. */
static bool hex(const struct reader *reader, const json_t *map, const char *key, uint64_t *value)
{
    const json_t *found = json_object_get(map, key);
    return (json_is_string(found) &&
            bs_hex_parse(json_string_value(found), json_string_length(found), UINT64_MAX, value)) ||
           fail(reader, key, found, "a hexadecimal number");
}

static bool as_op(const struct reader *reader, const char *key, const json_t *value, uint32_t *op)
{
    struct bs_op parsed;
    if (!json_is_string(value) ||
        !bs_op_parse(json_string_value(value), json_string_length(value), &parsed))
        return fail(reader, key, value, "an op");
    *op = parsed.index;
    return true;
}

/* The number of a kernel's name. */
static bool name_number(const struct reader *reader, const json_t *map, const char *key,
                        uint32_t *name)
{
    const size_t names = reader->shard->replay.names.count;
    uint64_t value;
    if (names == 0 || !number(reader, map, key, names - 1, &value))
        return fail(reader, key, json_object_get(map, key), "the number of a name");
    *name = (uint32_t)value;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool read_cell(const struct reader *reader, const json_t *map,
                      const struct bs_row_column *column, void *row)
{
    const char *key = column->column.name;
    void *place = (char *)row + column->offset;
    uint32_t small = 0;
    uint64_t large = 0;
    switch (column->cell) {
    case BS_CELL_WAIT: /* of time, which shards do not have */
        return true;
    case BS_CELL_KERNEL: /* for people, as the next: BS_CELL_NAME has it, or ..._PLACE_NUMBER */
    case BS_CELL_PLACE:
    case BS_CELL_LINE:
        return true;
    case BS_CELL_PLACE_NUMBER:
        if (!number(reader, map, key, reader->shard->replay.names.count, &large))
            return false;
        small = (uint32_t)large;
        memcpy(place, &small, sizeof small);
        return true;
    case BS_CELL_NAME:
        if (!name_number(reader, map, key, &small))
            return false;
        memcpy(place, &small, sizeof small);
        return true;
    case BS_CELL_OP:
        if (!as_op(reader, key, json_object_get(map, key), &small))
            return false;
        memcpy(place, &small, sizeof small);
        return true;
    case BS_CELL_PC:
    case BS_CELL_MASK:
        if (!hex(reader, map, key, &large))
            return false;
        memcpy(place, &large, sizeof large);
        return true;
    case BS_CELL_NUMBER:
        if (!number(reader, map, key, INT64_MAX, &large))
            return false;
        memcpy(place, &large, sizeof large);
        return true;
    }
    return false;
}

static bool read_row(const struct reader *reader, const json_t *map,
                     const struct bs_row_table *columns, void *row)
{
    if (!json_is_object(map))
        return fail(reader, "rows", map, "an object in the list");
    for (size_t i = 0; i < columns->count; i++)
        if (!read_cell(reader, map, columns->sources[i], row))
            return false;
    return true;
}

static bool read_group(const struct reader *reader, const json_t *map,
                       const struct bs_row_table *columns, struct bs_tally *tally)
{
    struct bs_group group = {0};
    const struct bs_tally one = {.groups = &group, .count = 1};
    const uint64_t traces = reader->shard->replay.trace_count;
    if (!read_row(reader, map, columns, &group))
        return false;
    group.key.place = tally->by == BS_BY_LINE ? group.place : 0;
    for (size_t i = 0; i < 2; i++) {
        const char *key = i ? "worst_trace" : "first_trace";
        if ((i ? group.worst_trace : group.first_trace) >= traces)
            return fail(reader, key, json_object_get(map, key), "the number of a trace");
    }
    return bs_tally_merge(tally, &one, reader->error);
}

/* The rows of a grouping. */
static bool read_groups(const struct reader *reader, const json_t *map, const char *key,
                        struct bs_tally *tally)
{
    const json_t *list = member(reader, map, key, JSON_ARRAY);
    struct bs_row_table columns;
    bs_row_table_choose(&columns, 1u << tally->by | BS_ROW_MERGING);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_group(reader, json_array_get(list, i), &columns, tally))
            return false;
    return list != NULL;
}

/* Rows by record stand trace by trace, as many of each as were taken. */
static bool read_records(const struct reader *reader, const json_t *root)
{
    struct bs_shard *shard = reader->shard;
    const json_t *list = member(reader, root, "rows", JSON_ARRAY);
    const size_t count = json_array_size(list);
    struct bs_row_table columns;
    uint64_t trace = 0;
    uint64_t left = shard->replay.ends[0].taken;
    if (!list || count != shard->replay.totals.records)
        return list && fail(reader, "rows", list, "a row for each record");
    shard->rows = calloc(count + 1, sizeof *shard->rows);
    if (!shard->rows)
        return out_of_memory(reader);
    bs_row_table_choose(&columns, 1u << BS_BY_RECORD | BS_ROW_MERGING);
    for (size_t i = 0; i < count; i++, left--) {
        while (left == 0)
            left = shard->replay.ends[++trace].taken;
        shard->rows[i].trace = trace;
        if (!read_row(reader, json_array_get(list, i), &columns, &shard->rows[i]))
            return false;
    }
    shard->row_count = shard->row_room = count;
    return true;
}

static bool read_rows(const struct reader *reader, const json_t *root, const json_t *object)
{
    struct bs_replay *replay = &reader->shard->replay;
    if (reader->shard->by == BS_BY_RECORD)
        return read_records(reader, root);
    replay->tally_count = 1;
    replay->tallies[0].by = reader->shard->by;
    if (!read_groups(reader, root, "rows", &replay->tallies[0]))
        return false;
    if (reader->shard->by != BS_BY_PC)
        return true;
    replay->tally_count = 2;
    replay->tallies[1].by = BS_BY_KERNEL;
    return read_groups(reader, object, "kernels", &replay->tallies[1]);
}

static bool read_totals(const struct reader *reader, const json_t *root)
{
    struct bs_row_table columns;
    struct bs_group all = {0};
    const json_t *totals = member(reader, root, "totals", JSON_OBJECT);
    bs_row_table_choose(&columns, BS_ROW_TOTALS);
    if (!totals || !read_row(reader, totals, &columns, &all))
        return false;
    reader->shard->replay.totals = all.sums;
    return true;
}

/* ---- the shard ------------------------------------------------------------------------------- */

static bool read_end(const struct reader *reader, const json_t *trace, const json_t *taken,
                     struct bs_trace_end *end)
{
    return number(reader, trace, "bytes", INT64_MAX, &end->bytes) &&
           number(reader, trace, "launches", INT64_MAX, &end->launches) &&
           number(reader, trace, "records", INT64_MAX, &end->records) &&
           as_number(reader, "taken", taken, INT64_MAX, &end->taken);
}

static bool read_traces(const struct reader *reader, const json_t *object)
{
    struct bs_shard *shard = reader->shard;
    const json_t *list = member(reader, object, "traces", JSON_ARRAY);
    const json_t *taken = member(reader, object, "taken", JSON_ARRAY);
    const size_t count = json_array_size(list);
    uint64_t sum = 0;
    if (!list || !taken)
        return false;
    shard->paths = calloc(count + 1, sizeof *shard->paths);
    shard->replay.ends = calloc(count + 1, sizeof *shard->replay.ends);
    if (!shard->paths || !shard->replay.ends)
        return out_of_memory(reader);
    for (size_t i = 0; i < count; i++) {
        struct bs_trace_end *end = &shard->replay.ends[i];
        const json_t *trace = json_array_get(list, i);
        const json_t *path = member(reader, trace, "path", JSON_STRING);
        if (!path || !read_end(reader, trace, json_array_get(taken, i), end))
            return false;
        shard->paths[i] = json_string_value(path);
        if (sum <= INT64_MAX) /* beyond it is wrong anyhow */
            sum += end->taken;
    }
    shard->replay.traces = shard->paths;
    shard->replay.trace_count = count;
    return (count > 0 && sum == shard->replay.totals.records) ||
           fail(reader, "taken", taken, "as many records of each trace as there are");
}

/* A name that JSON cannot hold: two digits a byte. */
static char *name_of_digits(const json_t *map)
{
    const json_t *digits = json_object_get(map, "bytes");
    const char *text = json_string_value(digits);
    const size_t size = json_string_length(digits) / 2;
    char *name = text ? calloc(size + 1, 1) : NULL;
    for (size_t i = 0; name && i < size; i++) {
        uint64_t byte = 0;
        if (!bs_hex_parse(text + 2 * i, 2, UINT8_MAX, &byte) || byte == 0) {
            free(name);
            return NULL;
        }
        name[i] = (char)byte;
    }
    return name;
}

/* A text as it was written, which the caller frees; NULL if it is none, or memory is out. */
static char *text_of(const json_t *value)
{
    struct bs_buffer text = {0};
    if (json_is_object(value))
        return name_of_digits(value);
    if (!json_is_string(value))
        return NULL;
    bs_buffer_text(&text, json_string_value(value));
    return bs_buffer_take(&text);
}

static bool read_text(const struct reader *reader, const char *key, const json_t *value,
                      struct bs_names *names)
{
    const uint64_t known = names->count;
    uint32_t number;
    char *name = text_of(value);
    const bool is_name = name != NULL;
    const bool kept = is_name && bs_names_intern(names, name, &number);
    free(name);
    if (is_name && !kept)
        return out_of_memory(reader);
    return (kept && number == known) || fail(reader, key, value, "a text that is new");
}

static bool read_texts(const struct reader *reader, const json_t *object, const char *key,
                       struct bs_names *texts)
{
    const json_t *list = member(reader, object, key, JSON_ARRAY);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!read_text(reader, key, json_array_get(list, i), texts))
            return false;
    return list != NULL;
}

/* How people read the names of kernels. */
static bool read_shown(const struct reader *reader, const json_t *object)
{
    struct bs_names *names = &reader->shard->replay.names;
    const json_t *list = member(reader, object, "shown", JSON_ARRAY);
    const size_t count = json_array_size(list);
    bool fine = true;
    if (!list || count > names->count)
        return list && fail(reader, "shown", list, "no more texts than there are names");
    for (size_t i = 0; fine && i < count; i++) {
        const json_t *value = json_array_get(list, i);
        char *text = text_of(value);
        if (!text && !json_is_null(value))
            fine = fail(reader, "shown", value, "a text or null");
        else if (text && !bs_names_show(names, (uint32_t)i, text))
            fine = out_of_memory(reader);
        free(text);
    }
    return fine;
}

static bool read_first_undefined(const struct reader *reader, const json_t *object)
{
    struct bs_findings *findings = &reader->shard->replay.findings;
    const json_t *map = member(reader, object, "first_undefined", JSON_OBJECT);
    const uint64_t traces = reader->shard->replay.trace_count;
    uint32_t op = 0;
    if (!map || !name_number(reader, map, "name", &findings->first_undefined.kernel) ||
        !number(reader, map, "trace", traces - 1, &findings->first_undefined.trace) ||
        !number(reader, map, "record", INT64_MAX, &findings->first_undefined.record) ||
        !hex(reader, map, "pc", &findings->first_undefined.pc) ||
        !as_op(reader, "op", json_object_get(map, "op"), &op))
        return false;
    findings->first_undefined.op = bs_op_at(op);
    return true;
}

static bool read_findings(const struct reader *reader, const json_t *object)
{
    struct bs_findings *findings = &reader->shard->replay.findings;
    const json_t *map = member(reader, object, "findings", JSON_OBJECT);
    const json_t *assumed = map ? member(reader, map, "assumed", JSON_ARRAY) : NULL;
    if (!assumed || !number(reader, map, "undefined", INT64_MAX, &findings->undefined) ||
        !number(reader, map, "misaligned", INT64_MAX, &findings->misaligned) ||
        !number(reader, map, "assumed_sources", INT64_MAX, &findings->assumed_sources))
        return false;
    for (size_t i = 0; i < json_array_size(assumed); i++) {
        uint32_t op = 0;
        if (!as_op(reader, "assumed", json_array_get(assumed, i), &op))
            return false;
        if (!bs_model_rule(reader->shard->replay.model, bs_op_at(op)))
            return fail(reader, "assumed", json_array_get(assumed, i), "an op of the model");
        findings->assumed[op] = true;
    }
    return findings->undefined == 0 || read_first_undefined(reader, map);
}

static bool read_lets(const struct reader *reader, const json_t *reading)
{
    struct bs_trace_options *options = &reader->shard->replay.trace_options;
    const char *name;
    json_t *value;
    json_t *map = member(reader, reading, "let", JSON_OBJECT);
    reader->shard->lets = calloc(json_object_size(map) + 1, sizeof *reader->shard->lets);
    if (!reader->shard->lets)
        return out_of_memory(reader);
    json_object_foreach(map, name, value)
    {
        if (!json_is_integer(value))
            return fail(reader, "let", value, "a whole number");
        reader->shard->lets[options->let_count++] =
            (struct bs_let){name, json_integer_value(value)};
    }
    options->lets = reader->shard->lets;
    return map != NULL;
}

static bool read_command(const struct reader *reader, const json_t *object)
{
    struct bs_shard *shard = reader->shard;
    const json_t *command = member(reader, object, "command", JSON_OBJECT);
    const json_t *reading = member(reader, object, "reading", JSON_OBJECT);
    const json_t *sets = command ? member(reader, command, "set", JSON_ARRAY) : NULL;
    if (!sets || !reading || !is_text_or_null(reader, command, "model"))
        return false;
    shard->sets = calloc(json_array_size(sets) + 1, sizeof *shard->sets);
    if (!shard->sets)
        return out_of_memory(reader);
    for (size_t i = 0; i < json_array_size(sets); i++)
        if (!(shard->sets[i] = json_string_value(json_array_get(sets, i))))
            return fail(reader, "set", json_array_get(sets, i), "a text");
    shard->replay.sets = shard->sets;
    shard->replay.model_name = json_string_value(json_object_get(command, "model"));
    return flag(reader, reading, "allow_misaligned", &shard->replay.allow_misaligned) &&
           flag(reader, reading, "skip_bad", &shard->replay.trace_options.skip_bad) &&
           flag(reader, reading, "zero_is_offset", &shard->replay.trace_options.zero_is_offset) &&
           read_lets(reader, reading);
}

/* Two hexadecimal numbers. */
static bool is_range(const struct reader *reader, const json_t *map, const char *key)
{
    const json_t *list = member(reader, map, key, JSON_ARRAY);
    uint64_t ends[2];
    for (size_t i = 0; i < 2 && json_array_size(list) == 2; i++) {
        const json_t *end = json_array_get(list, i);
        if (!json_is_string(end) ||
            !bs_hex_parse(json_string_value(end), json_string_length(end), UINT64_MAX, &ends[i]))
            return fail(reader, key, end, "a hexadecimal number");
    }
    return list && ((json_array_size(list) == 2 && ends[0] <= ends[1]) ||
                    fail(reader, key, list, "a range: its ends, the lower one first"));
}

/* The filters are compared with those of other shards, and not used. */
static bool read_filters(const struct reader *reader, const json_t *filters, bool *first)
{
    return is_text_or_null(reader, filters, "kernel") && is_text_or_null(reader, filters, "op") &&
           is_range(reader, filters, "cta") && is_range(reader, filters, "warp") &&
           is_range(reader, filters, "pc") && flag(reader, filters, "first", first);
}

static bool read_number_of(const struct reader *reader, const json_t *object)
{
    uint64_t shards, shard;
    bool first = false;
    const json_t *filters = member(reader, object, "filters", JSON_OBJECT);
    if (!filters || !number(reader, object, "of", UINT32_MAX, &shards) ||
        !number(reader, object, "number", shards, &shard) || !read_filters(reader, filters, &first))
        return false;
    reader->shard->of = (uint32_t)shards;
    reader->shard->number = (uint32_t)shard;
    if (shard == 0)
        return fail(reader, "number", json_object_get(object, "number"), "a number from 1");
    return !first || bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0,
                             "the report was made with --first, which counts in each shard by "
                             "itself: shards of it do not add up to a whole");
}

/* ---- the report ------------------------------------------------------------------------------ */

/* The resolved model as JSON is YAML, too, and loads back. It names no other model. */
static bool read_model(const struct reader *reader, const json_t *root)
{
    struct bs_errors errors = {0};
    const json_t *map = member(reader, root, "model", JSON_OBJECT);
    if (!map || json_object_get(map, "base"))
        return map && fail(reader, "model", map, "a model that is resolved");
    char *text = json_dumps(map, JSON_COMPACT);
    if (!text)
        return out_of_memory(reader);
    reader->shard->replay.model =
        bs_model_parse(text, strlen(text), reader->file, NULL, NULL, &errors);
    if (!reader->shard->replay.model)
        bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0, "the model in the report: %s",
                errors.count ? errors.list[0].text : "out of memory");
    free(text);
    bs_errors_free(&errors);
    return reader->shard->replay.model != NULL;
}

static bool read_unpriced(const struct reader *reader, const json_t *map, struct bs_import *import)
{
    const char *name;
    json_t *count;
    json_object_foreach((json_t *)map, name, count)
    {
        struct bs_unpriced *entry = &import->unpriced[import->unpriced_count];
        uint64_t value;
        if (!as_number(reader, "not_priced", count, INT64_MAX, &value))
            return false;
        if (import->unpriced_count == BS_MAX_UNPRICED) {
            import->unpriced_rest += value;
            continue;
        }
        bs_printable(name, strlen(name), entry->name, sizeof entry->name);
        entry->count = value;
        import->unpriced_count++;
    }
    return true;
}

static bool read_import(const struct reader *reader, const json_t *root)
{
    struct bs_import *import = &reader->shard->replay.import;
    const char *name;
    const json_t *map = json_object_get(root, "import");
    if (!map)
        return true;
    const json_t *format = member(reader, map, "format", JSON_STRING);
    const json_t *unpriced = member(reader, map, "not_priced", JSON_OBJECT);
    if (!format || !unpriced)
        return false;
    import->format = json_string_value(format);
    for (size_t i = 0; (name = bs_import_counter_name(i)) != NULL; i++) {
        uint64_t value;
        if (!number(reader, map, name, INT64_MAX, &value))
            return false;
        bs_import_set_counter(import, i, value);
    }
    return read_unpriced(reader, unpriced, import);
}

static bool read_by(const struct reader *reader, const json_t *root)
{
    const json_t *by = member(reader, root, "by", JSON_STRING);
    for (unsigned i = 0; by && bs_by_names[i]; i++) {
        if (strcmp(json_string_value(by), bs_by_names[i]) == 0) {
            reader->shard->by = (enum bs_by)i;
            return true;
        }
    }
    return by && fail(reader, "by", by, "a grouping");
}

bool bs_shard_fail_schema(const char *file, struct bs_error *error)
{
    return bs_fail(error, BS_BAD_TRACE, file, 0, 0,
                   "expected a report of 'bankshot run --format json', whose schema is %s",
                   BS_REPORT_SCHEMA);
}

static bool read_report(const struct reader *reader, json_t *root)
{
    const json_t *schema = json_object_get(root, "schema");
    const json_t *shard = json_object_get(root, "shard");
    if (!json_is_string(schema) || strcmp(json_string_value(schema), BS_REPORT_SCHEMA) != 0)
        return bs_shard_fail_schema(reader->file, reader->error);
    if (json_object_get(root, "timing"))
        return bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0,
                       "the report was made with --timing: cycles of shards do not add up");
    if (json_object_get(root, "expectations"))
        return bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0,
                       "the report was made with --expect or --check, which it does not say "
                       "enough about to be merged");
    if (!shard)
        return bs_fail(reader->error, BS_BAD_TRACE, reader->file, 0, 0,
                       "the report is no shard's, expected one of 'bankshot run --shard I/N'");
    return read_by(reader, root) && read_number_of(reader, shard) && read_model(reader, root) &&
           read_totals(reader, root) && read_traces(reader, shard) &&
           read_texts(reader, shard, "names", &reader->shard->replay.names) &&
           read_shown(reader, shard) &&
           read_texts(reader, shard, "remarks", &reader->shard->replay.remarks) &&
           read_command(reader, shard) && read_findings(reader, shard) &&
           read_import(reader, root) && read_rows(reader, root, shard) &&
           bs_shard_check(reader->shard, reader->error);
}

/* An error at the end of the text comes without its column. */
static bool fail_parse(const struct reader *reader, const char *text, size_t size,
                       const json_error_t *why)
{
    uint64_t line = why->line > 0 ? (uint64_t)why->line : 0;
    uint64_t column = why->column > 0 ? (uint64_t)why->column : 0;
    if (column == 0) {
        line = column = 1;
        for (size_t i = 0; i < size; i++) {
            line += text[i] == '\n';
            column = text[i] == '\n' ? 1 : column + 1;
        }
    }
    return bs_fail(reader->error, BS_BAD_TRACE, reader->file, line, column, "not JSON: %s",
                   why->text);
}

bool bs_shard_read(struct bs_shard *shard, const char *text, size_t size, const char *file,
                   struct bs_error *error)
{
    json_error_t why;
    const struct reader reader = {shard, file, error};
    *shard = (struct bs_shard){.file = file};
    shard->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!shard->root)
        return fail_parse(&reader, text, size, &why);
    if (!read_report(&reader, shard->root))
        return false;
    json_object_del(shard->root, "rows"); /* much, and not needed any more */
    return true;
}

void bs_shard_free(struct bs_shard *shard)
{
    bs_replay_free(&shard->replay);
    json_decref(shard->root);
    free(shard->paths);
    free(shard->sets);
    free(shard->lets);
    free(shard->rows);
    *shard = (struct bs_shard){0};
}
