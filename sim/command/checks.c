/* Checking what is expected of a run. */
#include "checks.h"

#include "expect.h"
#include "filter.h"
#include "kernel_names.h"
#include "phrases.h"
#include "sketch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- the fields ------------------------------------------------------------------------------ */

static void name_fields(struct bs_checks *checks)
{
    checks->field_count = 0;
    if (!checks->rows) {
        for (size_t i = 0; i < BS_RECORD_FIELDS; i++)
            checks->fields[checks->field_count++] = bs_record_fields[i];
        return;
    }
    bs_row_table_choose(&checks->columns, checks->rows);
    for (size_t i = 0; i < checks->columns.count; i++)
        if (checks->columns.sources[i]->cell == BS_CELL_NUMBER)
            checks->fields[checks->field_count++] = checks->columns.columns[i].name;
}

static void fields_of_record(const struct bs_checks *checks, const struct bs_entry *entry,
                             int64_t values[BS_RECORD_FIELDS])
{
    const struct bs_cost *cost = entry->cost;
    values[BS_FIELD_ACTIVE] = entry->active;
    values[BS_FIELD_PASSES] = cost->passes;
    values[BS_FIELD_SLOTS] = cost->slots;
    values[BS_FIELD_IDEAL] = cost->ideal;
    values[BS_FIELD_UNDEFINED] = cost->undefined;
    values[BS_FIELD_WIDTH] = entry->access->op.bytes;
    values[BS_FIELD_INSTRUCTIONS] = checks->issued;
    values[BS_FIELD_EXCESS] = cost->passes > cost->ideal ? cost->passes - cost->ideal : 0;
}

static void fields_of_row(const struct bs_checks *checks, const struct bs_group *group,
                          int64_t *values)
{
    size_t count = 0;
    for (size_t i = 0; i < checks->columns.count; i++) {
        if (checks->columns.sources[i]->cell != BS_CELL_NUMBER)
            continue;
        const uint64_t value = bs_row_number(group, checks->columns.sources[i]);
        values[count++] = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    }
}

/* ---- starting -------------------------------------------------------------------------------- */

bool bs_checks_start(struct bs_checks *checks, struct bs_error *error)
{
    const size_t count = checks->expect->count;
    name_fields(checks);
    checks->list = calloc(count + 1, sizeof *checks->list);
    if (!checks->list)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    for (size_t i = 0; i < count; i++) {
        struct bs_check *check = &checks->list[i];
        check->text = checks->expect->list[i];
        check->expr = bs_expectation_parse(check->text, checks->fields, checks->field_count, error);
        if (!check->expr) {
            const struct bs_error inner = *error;
            return bs_fail(error, inner.status, NULL, 0, 0, "--expect '%s', column %llu: %s",
                           check->text, (unsigned long long)inner.column, inner.text);
        }
        checks->asks_issue |= !checks->rows && bs_expr_uses(check->expr, BS_FIELD_INSTRUCTIONS);
    }
    return true;
}

void bs_checks_free(struct bs_checks *checks)
{
    for (size_t i = 0; checks->list && i < checks->expect->count; i++)
        bs_expr_free(checks->list[i].expr);
    for (size_t i = 0; i < checks->broken_count; i++)
        free(checks->broken[i].text);
    free(checks->list);
    free(checks->broken);
    bs_names_free(&checks->keys);
    bs_expr_free(checks->of_trace.expr);
}

/* ---- what breaks it -------------------------------------------------------------------------- */

/* The entry of an instruction or a row and an expectation, new if need be. */
static struct bs_broken *find_broken(struct bs_checks *checks, const struct bs_broken *like,
                                     const char *text, bool *is_new)
{
    struct bs_buffer key = {0};
    uint32_t number;
    bs_buffer_printf(&key, "%" PRIu64 " %" PRIu32 " %" PRIx64 " %" PRIu32 " %" PRIu32 " %s",
                     like->is_row ? 0 : like->trace, like->key.kernel, like->key.pc, like->key.op,
                     like->key.place, text);
    char *name = bs_buffer_take(&key);
    const bool known = name && bs_names_intern(&checks->keys, name, &number);
    free(name);
    if (!known)
        return NULL;
    *is_new = number == checks->broken_count;
    if (!*is_new)
        return &checks->broken[number];
    struct bs_broken *list =
        bs_grow(checks->broken, &checks->broken_room, number + (size_t)1, sizeof *list);
    struct bs_buffer copy = {0};
    bs_buffer_text(&copy, text);
    char *own = bs_buffer_take(&copy);
    if (list)
        checks->broken = list;
    if (!list || !own) {
        free(own);
        return NULL;
    }
    list[number] = *like;
    list[number].text = own;
    checks->broken_count++;
    return &list[number];
}

static size_t passes_field(const struct bs_checks *checks)
{
    size_t field = 0;
    while (strcmp(checks->fields[field], "passes") != 0)
        field++;
    return field;
}

/* Holds one set of fields to one expectation; like says whose they are. */
static bool check_one(struct bs_checks *checks, const struct bs_check *check,
                      const struct bs_broken *like, const int64_t *values, bool *met,
                      struct bs_error *error)
{
    int64_t holds;
    bool is_new;
    const size_t passes = passes_field(checks);
    if (!bs_expr_eval(check->expr, values, &holds, error)) {
        const struct bs_error inner = *error;
        if (check->file)
            return bs_fail(error, BS_BAD_MODEL, check->file, check->line, check->column,
                           "expect '%s': %s", check->text, inner.text);
        return bs_fail(error, inner.status, NULL, 0, 0, "expectation '%s', column %llu: %s",
                       check->text, (unsigned long long)inner.column, inner.text);
    }
    if (holds)
        return true;
    *met = false;
    struct bs_broken *broken = find_broken(checks, like, check->text, &is_new);
    if (!broken)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    broken->records++;
    if (is_new || values[passes] > broken->found[passes])
        memcpy(broken->found, values, checks->field_count * sizeof *values);
    return true;
}

/* ---- records --------------------------------------------------------------------------------- */

/* How many instructions the access is issued as that this one is of. */
static bool ask_issue(struct bs_checks *checks, const struct bs_replay *replay, uint64_t pc,
                      struct bs_error *error)
{
    const struct bs_sketch *sketch = bs_trace_sketch(replay->open);
    const struct bs_sketch_access *access = sketch ? bs_sketch_access_at(sketch, pc) : NULL;
    checks->issued = access ? access->issue.count : 0;
    return checks->issued > 0 || !checks->asks_issue ||
           bs_fail(error, BS_USAGE, replay->traces[replay->trace], 0, 0,
                   "--expect: 'instructions' is known of sketches alone, and this is none; 'width' "
                   "is known of any trace");
}

/* Finds out what the trace says of the instruction. */
static bool ask_trace(struct bs_checks *checks, const struct bs_replay *replay, uint64_t pc,
                      struct bs_error *error)
{
    if (checks->known && checks->trace == replay->trace && checks->pc == pc)
        return true;
    if (!ask_issue(checks, replay, pc, error))
        return false;
    bs_expr_free(checks->of_trace.expr);
    struct bs_check *check = &checks->of_trace;
    *check = (struct bs_check){.file = replay->traces[replay->trace]};
    check->text = bs_trace_expectation(replay->open, pc, &check->line, &check->column);
    checks->trace = replay->trace;
    checks->pc = pc;
    checks->known = true;
    if (!checks->own || !check->text)
        return true;
    checks->of_trace.expr =
        bs_expectation_parse(checks->of_trace.text, bs_record_fields, BS_RECORD_FIELDS, error);
    return checks->of_trace.expr != NULL;
}

bool bs_checks_record(struct bs_checks *checks, const struct bs_replay *replay,
                      const struct bs_record *record, const struct bs_entry *entry,
                      struct bs_error *error)
{
    const struct bs_access *access = entry->access;
    const size_t count = checks->rows ? 0 : checks->expect->count;
    int64_t values[BS_MAX_FIELDS];
    bool met = true;
    if (access->op.kind == BS_BAR)
        return true;
    const struct bs_broken like = {
        .key = {.pc = access->pc, .kernel = entry->kernel, .op = access->op.index},
        .place = entry->place,
        .trace = entry->trace,
        .record = access->record,
        .line = record->line,
    };
    if (count == 0 && !checks->own)
        return true;
    if (!ask_trace(checks, replay, access->pc, error))
        return false;
    const bool asked = checks->own && checks->of_trace.expr;
    if (count == 0 && !asked)
        return true;
    fields_of_record(checks, entry, values);
    for (size_t i = 0; i < count; i++)
        if (!check_one(checks, &checks->list[i], &like, values, &met, error))
            return false;
    if (asked && !check_one(checks, &checks->of_trace, &like, values, &met, error))
        return false;
    checks->checked++;
    checks->unmet += !met;
    return true;
}

/* ---- what has no records --------------------------------------------------------------------- */

/* The number of a text that the replay has named, from 1; 0: it has not. */
static uint32_t named(const struct bs_replay *replay, const char *text)
{
    for (size_t i = 0; i < replay->names.count; i++)
        if (strcmp(replay->names.list[i], text) == 0)
            return (uint32_t)i + 1;
    return 0;
}

static bool add_unmade(struct bs_checks *checks, const struct bs_broken *like, const char *text,
                       struct bs_error *error)
{
    bool is_new;
    if (find_broken(checks, like, text, &is_new))
        return true;
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* What is expected of an access that no thread makes is not met. */
static bool check_unmade(struct bs_checks *checks, const struct bs_replay *replay,
                         const struct bs_sketch *sketch, const struct bs_sketch_access *access,
                         struct bs_error *error)
{
    const size_t count = checks->expect->count;
    const bool asked = checks->own && access->expect;
    const struct bs_broken like = {
        .is_unmade = true,
        .key = {.pc = access->pc,
                .kernel = named(replay, sketch->name) - 1,
                .op = access->issue.op.index},
        .place = named(replay, access->label),
        .trace = replay->trace,
        .line = access->line,
    };
    for (size_t i = 0; i < count; i++)
        if (!add_unmade(checks, &like, checks->list[i].text, error))
            return false;
    checks->unmade += count > 0 || asked;
    return !asked || add_unmade(checks, &like, access->expect, error);
}

bool bs_checks_trace(struct bs_checks *checks, const struct bs_replay *replay,
                     struct bs_error *error)
{
    const struct bs_sketch *sketch = bs_trace_sketch(replay->open);
    const struct bs_kernel kernel = bs_kernel_named(sketch ? sketch->name : "");
    const unsigned sums = 1u << BS_BY_OP | 1u << BS_BY_KERNEL | 1u << BS_BY_TOTAL;
    if (!sketch || checks->rows & sums || !bs_filter_takes_kernel(replay->filter, &kernel))
        return true;
    for (size_t i = 0; i < sketch->access_count; i++) {
        const struct bs_sketch_access *access = &sketch->accesses[i];
        if (access->visits == 0 &&
            bs_filter_takes_instruction(replay->filter, access->pc, access->issue.op) &&
            !check_unmade(checks, replay, sketch, access, error))
            return false;
    }
    return true;
}

/* ---- rows ------------------------------------------------------------------------------------ */

bool bs_checks_rows(struct bs_checks *checks, const struct bs_replay *replay,
                    struct bs_error *error)
{
    const struct bs_tally *tally = &replay->tallies[0];
    const unsigned named = 1u << BS_BY_PC | 1u << BS_BY_LINE | 1u << BS_BY_KERNEL;
    for (size_t i = 0; checks->rows && i < tally->count; i++) {
        const struct bs_group *group = &tally->groups[i];
        struct bs_broken like = {.is_row = true, .key = group->key, .place = group->place};
        int64_t values[BS_MAX_FIELDS];
        bool met = true;
        if (!(checks->rows & named))
            like.key.kernel = UINT32_MAX;
        fields_of_row(checks, group, values);
        for (size_t j = 0; j < checks->expect->count; j++)
            if (!check_one(checks, &checks->list[j], &like, values, &met, error))
                return false;
        checks->checked++;
        checks->unmet += !met;
    }
    return true;
}

enum bs_status bs_checks_status(const struct bs_checks *checks, const struct bs_replay *replay)
{
    if (checks->unmet > 0 || checks->unmade > 0)
        return BS_UNMET;
    if (replay->torn)
        return BS_BAD_TRACE;
    return checks->checked > 0 ? BS_OK : BS_UNMET;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static bool is_in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Whether an expression names a field. */
static bool names_field(const char *text, const char *field)
{
    const size_t size = strlen(field);
    for (const char *at = strstr(text, field); at; at = strstr(at + 1, field))
        if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[size]))
            return true;
    return false;
}

/* "passes 32, ideal 1": the fields that the expectation is about. */
static void add_found(struct bs_buffer *out, const struct bs_checks *checks,
                      const struct bs_broken *broken)
{
    const char *lead = "";
    for (size_t i = 0; i < checks->field_count; i++) {
        if (!names_field(broken->text, checks->fields[i]))
            continue;
        bs_buffer_printf(out, "%s%s %" PRId64, lead, checks->fields[i], broken->found[i]);
        lead = ", ";
    }
}

/* Which instruction, or which row. */
static void add_whose(struct bs_buffer *out, const struct bs_checks *checks,
                      const struct bs_replay *replay, const struct bs_broken *broken)
{
    const unsigned ops = 1u << BS_BY_PC | 1u << BS_BY_OP;
    const bool by_line = checks->rows == 1u << BS_BY_LINE;
    const bool pc = !checks->rows || checks->rows == 1u << BS_BY_PC || (by_line && !broken->place);
    const struct bs_group_key *key = &broken->key;
    char name[BS_OP_NAME], kernel[128];
    if (key->kernel != UINT32_MAX)
        bs_buffer_text(out, bs_screen_shorten(bs_names_shown(&replay->names, key->kernel), 60,
                                              kernel, sizeof kernel));
    else if (!(checks->rows & ops))
        bs_buffer_text(out, "total");
    if (pc)
        bs_buffer_printf(out, ", pc 0x%" PRIx64, key->pc);
    if (!broken->is_row || checks->rows & ops)
        bs_buffer_printf(out, "%s%s", key->kernel == UINT32_MAX ? "" : ", ",
                         bs_op_name(bs_op_at(key->op), name));
    if (broken->place)
        bs_buffer_printf(out, ", %s", replay->names.list[broken->place - 1]);
    if (!broken->is_row)
        bs_buffer_printf(out, " (%s", replay->traces[broken->trace]);
    if (!broken->is_row && broken->line)
        bs_buffer_printf(out, ":%" PRIu64, broken->line);
    bs_buffer_text(out, broken->is_row ? "" : ")");
}

static void write_broken(const struct bs_checks *checks, const struct bs_replay *replay,
                         const struct bs_broken *broken, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    struct bs_buffer whose = {0}, found = {0};
    add_whose(&whose, checks, replay, broken);
    bs_buffer_printf(&found, "expected %s, ", broken->text);
    if (broken->is_unmade) {
        bs_buffer_text(&found, "but no thread makes it: its guard never holds, or its loop is "
                               "empty; mend that, or expect nothing of it");
    } else {
        bs_buffer_text(&found, "found ");
        add_found(&found, checks, broken);
    }
    if (!broken->is_row && !broken->is_unmade)
        bs_buffer_printf(&found, "%s; %" PRIu64 " record%s, the first is %" PRIu64,
                         broken->records > 1 ? " at worst" : "", broken->records,
                         broken->records == 1 ? "" : "s", broken->record);
    char *first = bs_buffer_take(&whose), *second = bs_buffer_take(&found);
    bs_spool_text(out, "\n* ");
    bs_screen_wrap(screen, out, 2, first ? first : "");
    bs_spool_text(out, "  ");
    bs_screen_wrap(screen, out, 2, second ? second : "");
    free(first);
    free(second);
}

/* The verdict, as a sentence. */
static void conclude(const struct bs_checks *checks, enum bs_status status, char text[BS_SENTENCE])
{
    const char *what = checks->rows ? "row" : "record";
    const char *plural = checks->checked == 1 ? "" : "s";
    char unmade[64] = "";
    if (checks->unmade > 0)
        snprintf(unmade, sizeof unmade, "%" PRIu64 " access%s that no thread makes", checks->unmade,
                 checks->unmade == 1 ? "" : "es");
    if (status == BS_BAD_TRACE)
        snprintf(text, BS_SENTENCE,
                 "Not known: %" PRIu64 " %s%s as expected, but the traces are not whole.",
                 checks->checked, what, plural);
    else if (status == BS_OK)
        snprintf(text, BS_SENTENCE, "As expected: %" PRIu64 " %s%s checked.", checks->checked, what,
                 plural);
    else if (checks->unmet > 0)
        snprintf(text, BS_SENTENCE, "Not as expected: %" PRIu64 " of %" PRIu64 " %s%s%s%s.",
                 checks->unmet, checks->checked, what, plural, checks->unmade ? ", and " : "",
                 unmade);
    else if (checks->unmade > 0)
        snprintf(text, BS_SENTENCE, "Not as expected: %s; %" PRIu64 " %s%s checked.", unmade,
                 checks->checked, what, plural);
    else
        snprintf(text, BS_SENTENCE, "Not as expected: there is no %s that anything is expected of.",
                 what);
}

void bs_checks_text(const struct bs_checks *checks, const struct bs_replay *replay, uint64_t most,
                    const struct bs_screen *screen, struct bs_spool *out)
{
    const enum bs_status status = bs_checks_status(checks, replay);
    char text[BS_SENTENCE];
    conclude(checks, status, text);
    bs_screen_tone(screen, out, status == BS_OK ? BS_GOOD : BS_BAD, text);
    bs_spool_text(out, "\n");
    for (size_t i = 0; i < checks->broken_count && i < most; i++)
        write_broken(checks, replay, &checks->broken[i], screen, out);
    if (checks->broken_count > most)
        bs_spool_printf(out, "\n%" PRIu64 " more; --top all shows them.\n",
                        checks->broken_count - most);
}

static void json_broken(const struct bs_checks *checks, const struct bs_replay *replay,
                        const struct bs_broken *broken, struct bs_json *json)
{
    char name[BS_OP_NAME];
    bs_json_map(json, NULL, BS_JSON_TALL);
    bs_json_text(json, "expected", broken->text);
    if (broken->key.kernel != UINT32_MAX)
        bs_json_text(json, "kernel", replay->names.list[broken->key.kernel]);
    if (broken->place)
        bs_json_text(json, "source", replay->names.list[broken->place - 1]);
    if (!broken->is_row) {
        bs_json_hex(json, "pc", broken->key.pc);
        bs_json_text(json, "op", bs_op_name(bs_op_at(broken->key.op), name));
        bs_json_text(json, "trace", replay->traces[broken->trace]);
        if (!broken->is_unmade)
            bs_json_number(json, "record", broken->record);
        bs_json_number(json, "records", broken->records);
    } else if (checks->rows & (1u << BS_BY_PC | 1u << BS_BY_OP)) {
        bs_json_hex(json, "pc", broken->key.pc);
        bs_json_text(json, "op", bs_op_name(bs_op_at(broken->key.op), name));
    }
    if (broken->is_unmade) {
        bs_json_null(json, "found");
    } else {
        bs_json_map(json, "found", BS_JSON_FLAT);
        for (size_t i = 0; i < checks->field_count; i++)
            if (checks->rows || i != BS_FIELD_INSTRUCTIONS || broken->found[i] > 0)
                bs_json_number(json, checks->fields[i], (uint64_t)broken->found[i]);
        bs_json_close(json);
    }
    bs_json_close(json);
}

void bs_checks_json(const struct bs_checks *checks, const struct bs_replay *replay,
                    struct bs_json *json)
{
    bs_json_map(json, "expectations", BS_JSON_TALL);
    bs_json_bool(json, "met", bs_checks_status(checks, replay) == BS_OK);
    bs_json_number(json, "checked", checks->checked);
    bs_json_number(json, "unmet", checks->unmet);
    bs_json_number(json, "unmade", checks->unmade);
    bs_json_list(json, "broken", BS_JSON_TALL);
    for (size_t i = 0; i < checks->broken_count; i++)
        json_broken(checks, replay, &checks->broken[i], json);
    bs_json_close(json);
    bs_json_close(json);
}
