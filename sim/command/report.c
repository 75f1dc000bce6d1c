/* The report of a run as text: the verdict, the worst instructions, the kernels, what to mind. */
#include "report.h"

#include "imports.h"
#include "kernel_names.h"
#include "phrases.h"
#include "program.h"
#include "screen.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* ---- notes ----------------------------------------------------------------------------------- */

/* "2, 5-7", or its beginning. */
static const char *missing_list(const struct bs_missing *missing, char *text, size_t room)
{
    enum { MOST = 8 };
    size_t used = 0;
    for (size_t i = 0; i < missing->count && i < MOST; i++) {
        const unsigned long long low = missing->ranges[i].low, high = missing->ranges[i].high;
        const int length = snprintf(text + used, room - used, low < high ? "%s%llu-%llu" : "%s%llu",
                                    i ? ", " : "", low, high);
        used += length > 0 ? (size_t)length : 0;
    }
    if (missing->count > MOST)
        snprintf(text + used, room - used, ", ...");
    return text;
}

const char *bs_missing_phrase(const struct bs_missing *missing, char out[BS_SENTENCE])
{
    char list[256];
    uint64_t count = 0;
    for (size_t i = 0; i < missing->count; i++)
        count += missing->ranges[i].high - missing->ranges[i].low + 1;
    snprintf(out, BS_SENTENCE, "%llu of %u shards %s missing: %s", (unsigned long long)count,
             missing->shards, count == 1 ? "is" : "are", missing_list(missing, list, sizeof list));
    return out;
}

static void note_missing(const struct bs_replay *replay,
                         void (*write)(void *user, const char *sentence), void *user)
{
    char phrase[BS_SENTENCE];
    char text[BS_SENTENCE + 64];
    if (!replay->missing)
        return;
    snprintf(text, sizeof text, "This is not the whole: %s.",
             bs_missing_phrase(replay->missing, phrase));
    write(user, text);
}

static void note_undefined(const struct bs_replay *replay,
                           void (*write)(void *user, const char *sentence), void *user)
{
    const struct bs_findings *findings = &replay->findings;
    char op[BS_OP_NAME];
    char kernel[64];
    char text[BS_SENTENCE];
    if (!findings->undefined)
        return;
    snprintf(text, sizeof text,
             "%llu bytes are left undefined: several lanes write them in one instruction, in "
             "%llu record%s; first %s at pc 0x%llx of %s, record %llu.",
             (unsigned long long)replay->totals.undefined, (unsigned long long)findings->undefined,
             findings->undefined == 1 ? "" : "s", bs_op_name(findings->first_undefined.op, op),
             (unsigned long long)findings->first_undefined.pc,
             bs_screen_shorten(bs_names_shown(&replay->names, findings->first_undefined.kernel), 40,
                               kernel, sizeof kernel),
             (unsigned long long)findings->first_undefined.record);
    write(user, text);
}

static void note_changes(const struct bs_replay *replay,
                         void (*write)(void *user, const char *sentence), void *user)
{
    char text[sizeof replay->model->changes + BS_SENTENCE];
    if (!replay->model->changes[0])
        return;
    snprintf(
        text, sizeof text,
        "The model is not %s as it stands, but with %s: what its rules call measured, reported "
        "or documented was so without that.",
        replay->model->name, replay->model->changes);
    write(user, text);
}

static void note_assumed_rules(const struct bs_replay *replay,
                               void (*write)(void *user, const char *sentence), void *user)
{
    for (unsigned index = 0; index < BS_OPS; index++) {
        char name[BS_OP_NAME];
        char text[BS_SENTENCE];
        if (!replay->findings.assumed[index])
            continue;
        const struct bs_op op = bs_op_at(index);
        const char *source = bs_model_rule(replay->model, op)->source;
        snprintf(text, sizeof text, "The rule of %s is assumed%s%s.", bs_op_name(op, name),
                 source[0] ? ": " : "", source);
        write(user, text);
    }
}

void bs_report_notes(const struct bs_replay *replay,
                     void (*write)(void *user, const char *sentence), void *user)
{
    const struct bs_findings *findings = &replay->findings;
    char text[BS_SENTENCE];
    note_missing(replay, write, user);
    note_undefined(replay, write, user);
    note_changes(replay, write, user);
    note_assumed_rules(replay, write, user);
    for (size_t i = 0; i < replay->remarks.count; i++)
        write(user, replay->remarks.list[i]);
    if (findings->assumed_sources) {
        snprintf(text, sizeof text,
                 "%llu async cop%s without source addresses: taken as contiguous.",
                 (unsigned long long)findings->assumed_sources,
                 findings->assumed_sources == 1 ? "y comes" : "ies come");
        write(user, text);
    }
    if (findings->misaligned) {
        snprintf(text, sizeof text,
                 "%llu misaligned access%s: priced by the words that they touch.",
                 (unsigned long long)findings->misaligned, findings->misaligned == 1 ? "" : "es");
        write(user, text);
    }
}

/* ---- the length ------------------------------------------------------------------------------ */

struct bs_option bs_option_top(const char **top)
{
    return (struct bs_option){
        .name = "top",
        .value = "N",
        .help = "how many instructions and kernels the report shows, or 'all' (default: 20)",
        .kind = BS_OPTION_TEXT,
        .target = top,
    };
}

enum bs_status bs_top_of_word(const struct bs_verb *verb, const char *word, uint64_t *top)
{
    char shown[64];
    if (strcmp(word, "all") == 0) {
        *top = UINT64_MAX;
        return BS_OK;
    }
    if (bs_number_parse(word, strlen(word), UINT64_MAX, top) && *top > 0)
        return BS_OK;
    return bs_usage_error(verb, "--top: expected %s, found '%s'",
                          bs_expected_number(word, "a number above 0 or 'all'"),
                          bs_printable(word, strlen(word), shown, sizeof shown));
}

/* ---- the head -------------------------------------------------------------------------------- */

static void write_head(const struct bs_replay *replay, size_t kernel_count,
                       const struct bs_screen *screen, struct bs_spool *out)
{
    char name[128];
    char text[BS_SENTENCE];
    for (size_t i = 0; i < replay->trace_count; i++)
        bs_spool_printf(out, "%-9s%s\n", i ? "" : "trace",
                        bs_screen_shorten(replay->traces[i], screen->width - 9, name, sizeof name));
    snprintf(text, sizeof text, "%s: %s%s%u banks of %u bytes", replay->model->name,
             replay->model->title, replay->model->title[0] ? "; " : "", replay->model->banks,
             replay->model->bank_width);
    bs_spool_printf(out, "%-9s", "model");
    bs_screen_wrap(screen, out, 9, text);
    if (replay->model->changes[0]) {
        bs_spool_printf(out, "%-9s", "changed");
        bs_screen_wrap(screen, out, 9, replay->model->changes);
    }
    bs_spool_printf(
        out, "%-9s%llu of %llu launch%s, %zu kernel%s\n\n", "records",
        (unsigned long long)replay->totals.records, (unsigned long long)replay->totals.launches,
        replay->totals.launches == 1 ? "" : "es", kernel_count, kernel_count == 1 ? "" : "s");
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void write_totals(const struct bs_sums *totals, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    char text[BS_SENTENCE];
    if (totals->records == 0) {
        bs_screen_tone(screen, out, BS_WARN, "No record fits: nothing was priced.");
        bs_spool_text(out, "\n");
        return;
    }
    if (totals->excess == 0) {
        snprintf(text, sizeof text, "No pass above the ideal: %llu pass%s.",
                 (unsigned long long)totals->passes, totals->passes == 1 ? "" : "es");
        bs_screen_tone(screen, out, BS_GOOD, text);
        bs_spool_printf(out, " The ideal is %llu.\n", (unsigned long long)totals->ideal);
        return;
    }
    snprintf(text, sizeof text, "%llu of %llu passes %s above the ideal (%.1f %%).",
             (unsigned long long)totals->excess, (unsigned long long)totals->passes,
             totals->excess == 1 ? "is" : "are", percent(totals->excess, totals->passes));
    bs_screen_tone(screen, out, BS_BAD, text);
    bs_spool_printf(out, " The ideal is %llu.\n", (unsigned long long)totals->ideal);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const struct bs_column instruction_columns[] = {
    {.name = "share", .title = "share"},
    {.name = "passes", .title = "passes"},
    {.name = "ideal", .title = "ideal"},
    {.name = "excess", .title = "excess"},
    {.name = "avg", .title = "avg", .drop = 3},
    {.name = "n-way", .title = "n-way"},
    {.name = "max", .title = "max", .drop = 2},
    {.name = "records", .title = "records", .drop = 1},
    {.name = "pc", .title = "pc"},
    {.name = "op", .title = "op", .left = true},
    {.name = "number", .title = "#"},
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 18},
};
enum { INSTRUCTION_COLUMNS = sizeof instruction_columns / sizeof *instruction_columns };

/* Where the trace has source places, they say more than the kernel's name, whose number stays. */
static const struct bs_column place_column = {
    .name = "source", .title = "source", .left = true, .shrink = 18};

static const struct bs_column kernel_columns[] = {
    {.name = "share", .title = "share"},
    {.name = "passes", .title = "passes"},
    {.name = "ideal", .title = "ideal"},
    {.name = "excess", .title = "excess"},
    {.name = "n-way", .title = "n-way"},
    {.name = "records", .title = "records", .drop = 1},
    {.name = "launches", .title = "launches", .drop = 2},
    {.name = "number", .title = "#"},
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 36},
};

/* The groups in the order in which the report has them. */
struct ranking {
    const struct bs_replay *replay;
    size_t *instructions;
    size_t *kernels;
    size_t *kernel_number; /* by the number of the kernel's name: its rank, from 1 */
    bool has_places;       /* some instruction has a source place */
    struct bs_column instruction_columns[INSTRUCTION_COLUMNS];
};

/* At least twice the ideal is bad, anything above it worth a look. */
static enum bs_tone ratio_tone(const struct bs_sums *sums)
{
    if (sums->excess == 0)
        return BS_PLAIN;
    return sums->passes >= 2 * sums->ideal ? BS_BAD : BS_WARN;
}

static void share_cell(struct bs_table *table, uint64_t passes, uint64_t all)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f%%", percent(passes, all));
    bs_table_text(table, text);
}

static void ratio_cell(struct bs_table *table, enum bs_tone tone, uint64_t part, uint64_t whole)
{
    char text[BS_RATIO_TEXT];
    bs_table_tone(table, tone, bs_ratio_text(part, whole, text));
}

/* A kernel's number, by which the tables refer to it, and its name. */
static void kernel_cells(struct bs_table *table, const struct ranking *ranking, uint32_t kernel)
{
    bs_table_number(table, ranking->kernel_number[kernel]);
    bs_table_kernel(table, &ranking->replay->names, kernel);
}

/* The kernel's number, and the source place. */
static void place_cells(struct bs_table *table, const struct ranking *ranking,
                        const struct bs_group *group)
{
    bs_table_number(table, ranking->kernel_number[group->key.kernel]);
    if (group->place)
        bs_table_text(table, ranking->replay->names.list[group->place - 1]);
    else
        bs_table_null(table);
}

static void instruction_row(struct bs_table *table, const struct ranking *ranking,
                            const struct bs_group *group)
{
    const struct bs_sums *sums = &group->sums;
    char name[BS_OP_NAME];
    share_cell(table, sums->passes, ranking->replay->totals.passes);
    bs_table_number(table, sums->passes);
    bs_table_number(table, sums->ideal);
    bs_table_number(table, sums->excess);
    ratio_cell(table, BS_PLAIN, sums->passes, sums->records);
    ratio_cell(table, ratio_tone(sums), sums->passes, sums->ideal);
    bs_table_number(table, sums->max_passes);
    bs_table_number(table, sums->records);
    bs_table_hex(table, group->key.pc);
    bs_table_text(table, bs_op_name(bs_op_at(group->key.op), name));
    if (!ranking->has_places)
        kernel_cells(table, ranking, group->key.kernel);
    else
        place_cells(table, ranking, group);
}

static void kernel_row(struct bs_table *table, const struct ranking *ranking,
                       const struct bs_group *group)
{
    const struct bs_sums *sums = &group->sums;
    share_cell(table, sums->passes, ranking->replay->totals.passes);
    bs_table_number(table, sums->passes);
    bs_table_number(table, sums->ideal);
    bs_table_number(table, sums->excess);
    ratio_cell(table, ratio_tone(sums), sums->passes, sums->ideal);
    bs_table_number(table, sums->records);
    bs_table_number(table, sums->launches);
    kernel_cells(table, ranking, group->key.kernel);
}

/* One of the two tables: its columns and how a group becomes a row. */
struct section {
    const char *title;
    const struct bs_column *columns;
    size_t column_count;
    void (*row)(struct bs_table *table, const struct ranking *ranking,
                const struct bs_group *group);
};

static const struct section kernels = {"Kernels", kernel_columns,
                                       sizeof kernel_columns / sizeof *kernel_columns, kernel_row};

static void write_section(const struct section *section, const struct ranking *ranking,
                          const struct bs_tally *tally, const size_t *order, uint64_t top,
                          struct bs_spool *out, unsigned *terms)
{
    struct bs_table table;
    const struct bs_screen screen = bs_screen_of_stdout();
    const size_t shown = tally->count < top ? tally->count : (size_t)top;
    bs_spool_text(out, "\n");
    const bool conflicts = ranking->replay->totals.excess > 0;
    bs_screen_tone(&screen, out, BS_BOLD, section->title);
    bs_spool_text(out, conflicts ? ", most passes above the ideal first" : ", most passes first");
    if (shown < tally->count)
        bs_spool_printf(out, " (%zu of %zu; --top all)", shown, tally->count);
    bs_spool_text(out, "\n");
    bs_table_begin(&table, BS_TEXT, section->columns, section->column_count, out);
    for (size_t i = 0; i < shown; i++)
        section->row(&table, ranking, &tally->groups[order[i]]);
    bs_table_end(&table);
    bs_table_left_out(&table, "a wider terminal", out);
    for (size_t i = 0; i < table.count; i++)
        for (size_t term = 0; term < BS_TERMS && !table.left_out[i]; term++)
            if (strcmp(section->columns[i].name, bs_terms[term].name) == 0)
                *terms |= 1u << term;
}

/* ---- the end --------------------------------------------------------------------------------- */

struct bullets {
    const struct bs_screen *screen;
    struct bs_spool *out;
};

static void write_bullet(void *user, const char *sentence)
{
    const struct bullets *bullets = user;
    bs_spool_text(bullets->out, "* ");
    bs_screen_wrap(bullets->screen, bullets->out, 2, sentence);
}

/* Adds a word to a command line for a shell. What no screen can show is shown as \xHH, though the
 * line then has to be mended by hand: shells agree on no other way to write it. */
static void shell_word(struct bs_spool *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./=,:+@%-";
    char word[4096];
    bs_printable(text, strlen(text), word, sizeof word);
    bs_spool_text(out, " ");
    if (*word && word[strspn(word, plain)] == '\0') {
        bs_spool_text(out, word);
        return;
    }
    bs_spool_text(out, "'");
    for (const char *at = word; *at; at++)
        bs_spool_add(out, *at == '\'' ? "'\\''" : at, *at == '\'' ? 4 : 1);
    bs_spool_text(out, "'");
}

/* The same for a path, which must not look like an option. */
static void trace_word(struct bs_spool *out, const char *path)
{
    struct bs_buffer word = {0};
    bs_buffer_printf(&word, "%s%s", path[0] == '-' ? "./" : "", path);
    char *text = bs_buffer_take(&word);
    shell_word(out, text ? text : path);
    free(text);
}

/* How to look closer, unless the trace cannot be read again. */
static void write_hint(const struct bs_replay *replay, const struct bs_group *worst,
                       struct bs_spool *out)
{
    const char *trace = replay->traces[worst->worst_trace];
    if (strcmp(trace, "-") == 0)
        return;
    char program[4096];
    bs_spool_text(out, "\nThe worst record, pass by pass:\n ");
    shell_word(out, bs_program_word(program, sizeof program));
    bs_spool_text(out, " explain");
    if (replay->model_name) {
        bs_spool_text(out, " -m");
        shell_word(out, replay->model_name);
    }
    for (size_t i = 0; replay->sets && replay->sets[i]; i++) {
        bs_spool_text(out, " --set");
        shell_word(out, replay->sets[i]);
    }
    if (replay->allow_misaligned)
        bs_spool_text(out, " --allow-misaligned");
    if (replay->trace_options.skip_bad)
        bs_spool_text(out, " --skip-bad");
    if (replay->trace_options.zero_is_offset)
        bs_spool_text(out, " --zero-is-offset");
    for (size_t i = 0; i < replay->trace_options.let_count; i++) {
        const struct bs_let *let = &replay->trace_options.lets[i];
        bs_spool_text(out, " --let ");
        bs_spool_printable(out, let->name, strlen(let->name));
        bs_spool_printf(out, "=%lld", (long long)let->value);
    }
    trace_word(out, trace);
    bs_spool_printf(out, " --record %llu\n", (unsigned long long)worst->worst_record);
}

static bool rank(struct ranking *ranking, const struct bs_report *report)
{
    const struct bs_tally *by_kernel = report->by_kernel;
    *ranking = (struct ranking){
        .replay = report->replay,
        .instructions = bs_tally_worst_first(report->by_pc),
        .kernels = bs_tally_worst_first(by_kernel),
        .kernel_number = calloc(report->replay->names.count + 1, sizeof *ranking->kernel_number),
    };
    if (!ranking->instructions || !ranking->kernels || !ranking->kernel_number)
        return false;
    for (size_t i = 0; i < by_kernel->count; i++)
        ranking->kernel_number[by_kernel->groups[ranking->kernels[i]].key.kernel] = i + 1;
    for (size_t i = 0; i < report->by_pc->count; i++)
        ranking->has_places |= report->by_pc->groups[i].place > 0;
    memcpy(ranking->instruction_columns, instruction_columns, sizeof instruction_columns);
    if (ranking->has_places)
        ranking->instruction_columns[INSTRUCTION_COLUMNS - 1] = place_column;
    return true;
}

/* What the columns that were shown mean. */
static void write_legend(unsigned terms, const struct bs_screen *screen, struct bs_spool *out)
{
    struct bs_buffer text = {0};
    for (size_t i = 0; i < BS_TERMS; i++)
        if (terms >> i & 1)
            bs_buffer_printf(&text, "%s: %s. ", bs_terms[i].name, bs_terms[i].meaning);
    char *legend = bs_buffer_take(&text);
    bs_spool_text(out, "\n");
    bs_screen_wrap(screen, out, 0, legend ? legend : "");
    free(legend);
}

static void write_tables(const struct bs_report *report, const struct ranking *ranking,
                         const struct bs_screen *screen, struct bs_spool *out)
{
    unsigned terms = 0; /* of both tables, a bit each */
    const struct section instructions = {"Instructions", ranking->instruction_columns,
                                         INSTRUCTION_COLUMNS, instruction_row};
    write_section(&instructions, ranking, report->by_pc, ranking->instructions, report->top, out,
                  &terms);
    write_section(&kernels, ranking, report->by_kernel, ranking->kernels, report->top, out, &terms);
    write_legend(terms, screen, out);
    if (report->replay->totals.excess > 0)
        write_hint(report->replay, &report->by_pc->groups[ranking->instructions[0]], out);
}

bool bs_report_write(const struct bs_report *report, struct bs_spool *out)
{
    const struct bs_replay *replay = report->replay;
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bullets bullets = {&screen, out};
    struct ranking ranking;
    const bool ranked = rank(&ranking, report);
    if (ranked) {
        write_head(replay, report->by_kernel->count, &screen, out);
        write_totals(&replay->totals, &screen, out);
        bs_report_notes(replay, write_bullet, &bullets);
        if (report->by_pc->count > 0)
            write_tables(report, &ranking, &screen, out);
        bs_imports_text(&replay->import, out);
    }
    free(ranking.instructions);
    free(ranking.kernels);
    free(ranking.kernel_number);
    return ranked;
}
