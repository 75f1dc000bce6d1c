/* bankshot compare: a trace's costs beside what a profiler counted. */
#include "comparison.h"
#include "core/buffer.h"
#include "imports.h"
#include "lookup.h"
#include "reading.h"
#include "subject.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum by { BY_KERNEL, BY_PC, BY_UNSAID };
static const char *const by_names[] = {"kernel", "pc", NULL};

/* Why numbers differ, where that is known. */
enum reason {
    REASON_NONE,
    REASON_ARBITRATION,
    REASON_OTHER_RUN,
    REASON_TRIES,
    REASON_SOURCE_PAGE,
    REASON_TRACE_ONLY,
    REASON_PROFILE_ONLY,
    REASON_UNKNOWN,
    REASONS
};
static const struct {
    const char *code;
    const char *text;
} reasons[REASONS] = {
    [REASON_NONE] = {"", NULL},
    [REASON_ARBITRATION] = {"arbitration",
                            "the hardware's counter of atomics also counts turns lost to other "
                            "warps; counted by instruction the numbers are equal"},
    [REASON_OTHER_RUN] =
        {"other run", "the instruction was executed for other numbers of lanes when it was "
                      "profiled than when it was captured: loops that wait, or data that change"},
    [REASON_TRIES] = {"tries", "the kernel has loops of compare-and-swap, which try until no other "
                               "lane is faster: how often differs from run to run"},
    [REASON_SOURCE_PAGE] = {"source page",
                            "the source page works its numbers out from addresses, and is known to "
                            "be wrong for some loads of 64 and 128 bits; the raw page counts"},
    [REASON_TRACE_ONLY] = {"not profiled", "the profile has no such instruction"},
    [REASON_PROFILE_ONLY] = {"not captured", "the trace has no such instruction"},
    [REASON_UNKNOWN] = {"unexplained", NULL},
};

struct compare_options {
    const char *model;
    struct bs_words sets;
    unsigned by;
    unsigned format;
    const char *tolerance;
    double percent;     /* of the tolerance; below 0: none */
    const char *except; /* reasons, with commas between them; NULL: none */
    bool excepted[REASONS];
    struct bs_trace_options reading;
};

static const char *const counter_names[BS_COUNTERS] = {
    [BS_COUNTER_LD] = "loads",
    [BS_COUNTER_ST] = "stores",
    [BS_COUNTER_ATOM] = "atomics",
    [BS_COUNTER_LDMATRIX] = "ldmatrix",
    [BS_COUNTER_STMATRIX] = "stmatrix",
    [BS_COUNTER_COPY] = "cp.async",
    [BS_COUNTER_COPY_CG] = "cp.async.cg",
};

/* What came of it, row by row. */
struct outcome {
    uint64_t rows, equal;
    double largest; /* difference in percent */
    double counted; /* the largest for a reason that is not excepted */
    bool met[REASONS];
    bool excepted[REASONS];
};

static double percent_of(uint64_t predicted, uint64_t measured)
{
    const uint64_t apart = predicted > measured ? predicted - measured : measured - predicted;
    return 100.0 * (double)apart / (double)(measured ? measured : 1);
}

static void add_row(struct outcome *outcome, uint64_t predicted, uint64_t measured,
                    enum reason reason)
{
    const double percent = percent_of(predicted, measured);
    outcome->rows++;
    outcome->equal += predicted == measured;
    outcome->largest = percent > outcome->largest ? percent : outcome->largest;
    if (!outcome->excepted[reason] && percent > outcome->counted)
        outcome->counted = percent;
    outcome->met[reason] = true;
}

/* ---- reading the trace ------------------------------------------------------------------------
 */

struct pricing {
    const struct compare_options *options;
    struct bs_comparison *comparison;
    struct bs_model *model;
    struct bs_model_choice choice;
};

static enum bs_status take_launch(struct pricing *pricing, const struct bs_trace *trace,
                                  const struct bs_kernel *kernel)
{
    struct bs_error error;
    enum bs_status status = BS_OK;
    const char *name = pricing->options->model;
    if (!name && !bs_model_agree(&pricing->choice, kernel, bs_trace_name(trace), &error))
        return bs_complain(&error);
    if (!pricing->model)
        pricing->model =
            bs_find_model(name ? name : pricing->choice.name, pricing->options->sets.list, &status);
    if (!pricing->model)
        return status;
    return bs_comparison_launch(pricing->comparison, kernel) ? BS_OK : bs_out_of_memory();
}

static enum bs_status take_record(struct pricing *pricing, const struct bs_trace *trace,
                                  const struct bs_record *record)
{
    struct bs_error error;
    struct bs_cost cost;
    if (!bs_access_check(pricing->model, &record->access, false, &error))
        return bs_complain_at(&error, bs_trace_name(trace), record->line);
    bs_count(pricing->model, &record->access, &cost);
    return bs_comparison_record(pricing->comparison, &record->access, &cost) ? BS_OK
                                                                             : bs_out_of_memory();
}

static enum bs_status take_trace(struct pricing *pricing, struct bs_trace *trace)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_status status = BS_OK;
    while (status == BS_OK) {
        switch (bs_trace_next(trace, &record, &error)) {
        case BS_TRACE_RECORD:
            status = take_record(pricing, trace, &record);
            break;
        case BS_TRACE_LAUNCH:
            status = take_launch(pricing, trace, record.kernel);
            break;
        case BS_TRACE_END:
            if (bs_trace_warning(trace))
                bs_warn(bs_trace_warning(trace));
            return BS_OK;
        case BS_TRACE_ERROR:
            return bs_complain(&error);
        }
    }
    return status;
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static const struct bs_column kernel_columns[] = {
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 16},
    {.name = "what", .title = "what", .left = true},
    {.name = "records", .title = "records", .drop = 1},
    {.name = "predicted", .title = "predicted"},
    {.name = "measured", .title = "measured"},
    {.name = "percent", .title = "apart %"},
    {.name = "reason", .title = "reason", .left = true},
};
enum { KERNEL_COLUMNS = sizeof kernel_columns / sizeof *kernel_columns };

static const struct bs_column line_columns[] = {
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 12},
    {.name = "pc", .title = "pc"},
    {.name = "op", .title = "op", .left = true},
    {.name = "predicted", .title = "predicted"},
    {.name = "measured", .title = "measured"},
    {.name = "percent", .title = "apart %"},
    {.name = "lanes", .title = "lanes", .drop = 2},
    {.name = "measured_lanes", .title = "measured", .drop = 3},
    {.name = "reason", .title = "reason", .left = true},
    {.name = "instruction", .title = NULL},
};
enum { LINE_COLUMNS = sizeof line_columns / sizeof *line_columns };

static enum reason kernel_reason(const struct bs_comparison *comparison, uint32_t number,
                                 unsigned counter)
{
    const struct bs_compared_kernel *kernel = &comparison->kernels[number];
    const uint64_t predicted = kernel->predicted[counter];
    if (predicted == kernel->measured[counter])
        return REASON_NONE;
    if (kernel->has_by_instruction[counter] && kernel->by_instruction[counter] == predicted)
        return REASON_ARBITRATION;
    if (bs_comparison_ran_differently(comparison, number))
        return REASON_OTHER_RUN;
    const bool repeats = counter == BS_COUNTER_LD || counter == BS_COUNTER_ATOM;
    return kernel->tries && repeats ? REASON_TRIES : REASON_UNKNOWN;
}

static void write_kernels(const struct bs_comparison *comparison, struct bs_table *table,
                          struct outcome *outcome)
{
    for (uint32_t i = 0; i < comparison->kernel_count; i++) {
        const struct bs_compared_kernel *kernel = &comparison->kernels[i];
        for (unsigned counter = 0; counter < BS_COUNTERS; counter++) {
            const uint64_t predicted = kernel->predicted[counter];
            const uint64_t measured = kernel->measured[counter];
            if (!kernel->has[counter] || (predicted == 0 && measured == 0))
                continue;
            const enum reason reason = kernel_reason(comparison, i, counter);
            bs_table_kernel(table, &comparison->names, i);
            bs_table_text(table, counter_names[counter]);
            bs_table_number(table, kernel->records[counter]);
            bs_table_number(table, predicted);
            bs_table_number(table, measured);
            bs_table_real(table, percent_of(predicted, measured), 2);
            bs_table_text(table, reasons[reason].code);
            add_row(outcome, predicted, measured, reason);
        }
    }
    bs_table_end(table);
}

static enum reason line_reason(const struct bs_compared_line *line)
{
    const bool wide_load = line->op.kind == BS_LD && line->op.bytes >= 8;
    if (!line->in_trace)
        return REASON_PROFILE_ONLY;
    if (!line->in_profile)
        return REASON_TRACE_ONLY;
    if (line->predicted == line->measured)
        return REASON_NONE;
    if (line->trace_lanes != line->profile_lanes)
        return REASON_OTHER_RUN;
    return wide_load ? REASON_SOURCE_PAGE : REASON_UNKNOWN;
}

static int by_place(const void *a, const void *b)
{
    const struct bs_compared_line *left = a, *right = b;
    if (left->kernel != right->kernel)
        return left->kernel < right->kernel ? -1 : 1;
    return (left->pc > right->pc) - (left->pc < right->pc);
}

static void write_line(const struct bs_comparison *comparison, const struct bs_compared_line *line,
                       struct bs_table *table, struct outcome *outcome)
{
    char name[BS_OP_NAME];
    const enum reason reason = line_reason(line);
    bs_table_kernel(table, &comparison->names, line->kernel);
    bs_table_hex(table, line->pc);
    bs_table_text(table, line->in_trace ? bs_op_name(line->op, name) : "-");
    bs_table_number(table, line->predicted);
    bs_table_number(table, line->measured);
    bs_table_real(table, percent_of(line->predicted, line->measured), 2);
    bs_table_number(table, line->trace_lanes);
    bs_table_number(table, line->profile_lanes);
    bs_table_text(table, reasons[reason].code);
    bs_table_text(table, line->source ? line->source : "");
    add_row(outcome, line->predicted, line->measured, reason);
}

/* Sorts the lines, which is the last that is done with them. */
static void write_lines(struct bs_comparison *comparison, struct bs_table *table,
                        struct outcome *outcome)
{
    if (comparison->line_count > 0)
        qsort(comparison->lines, comparison->line_count, sizeof *comparison->lines, by_place);
    for (size_t i = 0; i < comparison->line_count; i++)
        write_line(comparison, &comparison->lines[i], table, outcome);
    bs_table_end(table);
}

/* ---- output -----------------------------------------------------------------------------------
 */

static void write_rows(struct bs_comparison *comparison, unsigned by, struct bs_table *table,
                       struct outcome *outcome)
{
    if (by == BY_KERNEL)
        write_kernels(comparison, table, outcome);
    else
        write_lines(comparison, table, outcome);
}

static const char *launches(uint64_t count)
{
    return count == 1 ? "launch" : "launches";
}

/* Records of the trace whose wavefronts the profile does not have. */
static uint64_t uncounted(const struct bs_comparison *comparison, unsigned counter)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < comparison->kernel_count; i++)
        sum += comparison->kernels[i].uncounted[counter];
    return sum;
}

static void write_verdict(const struct bs_comparison *comparison, unsigned by,
                          const struct bs_trace *trace, const struct outcome *outcome,
                          const char *except, struct bs_spool *out)
{
    const char *note;
    const struct bs_screen screen = bs_screen_of_stdout();
    const uint64_t left = bs_comparison_left(comparison);
    bs_spool_printf(out, "\n%llu of %llu counts are equal; the largest difference is %.2f %%\n",
                    (unsigned long long)outcome->equal, (unsigned long long)outcome->rows,
                    outcome->largest);
    if (except)
        bs_spool_printf(out, "but for %s it is %.2f %%\n", except, outcome->counted);
    for (unsigned i = 0; i < REASONS; i++) {
        if (!outcome->met[i] || !reasons[i].text)
            continue;
        bs_spool_printf(out, "%-12s  ", reasons[i].code);
        bs_screen_wrap(&screen, out, 14, reasons[i].text);
    }
    if (comparison->unmatched)
        bs_spool_printf(out, "left out: %llu %s of the trace that the profile does not have\n",
                        (unsigned long long)comparison->unmatched, launches(comparison->unmatched));
    if (left)
        bs_spool_printf(out, "left out: %llu %s of the profile that the trace does not have\n",
                        (unsigned long long)left, launches(left));
    if (bs_comparison_is_uneven(comparison))
        bs_screen_wrap(
            &screen, out, 0,
            "One side has more launches of a kernel than the other; they are paired from "
            "the first on, which is right only if that is the same one.");
    for (unsigned counter = 0; by == BY_KERNEL && counter < BS_COUNTERS; counter++) {
        const uint64_t records = uncounted(comparison, counter);
        if (records)
            bs_spool_printf(out, "left out: %llu %s of %s, which the profile does not count\n",
                            (unsigned long long)records, records == 1 ? "record" : "records",
                            counter_names[counter]);
    }
    for (size_t i = 0; (note = bs_trace_remark(trace, BS_REMARK_MIND, i)); i++) {
        bs_spool_text(out, "* ");
        bs_screen_wrap(&screen, out, 2, note);
    }
}

static void write_json(struct bs_comparison *comparison, const struct compare_options *options,
                       const struct bs_model *model, const struct bs_trace *trace,
                       struct outcome *outcome, struct bs_spool *out)
{
    const char *note;
    struct bs_json json = {.out = out};
    struct bs_table table;
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-compare-1");
    bs_json_text(&json, "model", model->name);
    bs_json_text(&json, "by", by_names[options->by]);
    if (options->by == BY_KERNEL)
        bs_table_begin_json(&table, kernel_columns, KERNEL_COLUMNS, &json, "rows");
    else
        bs_table_begin_json(&table, line_columns, LINE_COLUMNS, &json, "rows");
    write_rows(comparison, options->by, &table, outcome);
    bs_json_number(&json, "counts", outcome->rows);
    bs_json_number(&json, "equal", outcome->equal);
    bs_json_real(&json, "largest_percent", outcome->largest, 2);
    if (options->except) {
        bs_json_text(&json, "except", options->except);
        bs_json_real(&json, "largest_percent_counted", outcome->counted, 2);
    }
    bs_json_number(&json, "launches_not_profiled", comparison->unmatched);
    bs_json_number(&json, "launches_not_captured", bs_comparison_left(comparison));
    bs_json_bool(&json, "uneven_launches", bs_comparison_is_uneven(comparison));
    if (options->by == BY_KERNEL) {
        bs_json_map(&json, "records_not_counted", BS_JSON_FLAT);
        for (unsigned counter = 0; counter < BS_COUNTERS; counter++)
            if (uncounted(comparison, counter))
                bs_json_number(&json, counter_names[counter], uncounted(comparison, counter));
        bs_json_close(&json);
    }
    bs_json_list(&json, "notes", BS_JSON_TALL);
    for (size_t i = 0; (note = bs_trace_remark(trace, BS_REMARK_MIND, i)); i++)
        bs_json_text(&json, NULL, note);
    bs_json_close(&json);
    bs_json_close(&json);
}

/* CSV has rows alone: what the trace says of itself goes beside. */
static void tell_notes(const struct bs_trace *trace)
{
    const char *note;
    for (size_t i = 0; (note = bs_trace_remark(trace, BS_REMARK_MIND, i)); i++)
        bs_tell_note(note);
}

/* Holds what came of it to the tolerance. */
static enum bs_status judge(const struct outcome *outcome, const struct compare_options *options)
{
    struct bs_error error;
    if (options->percent < 0 || (outcome->rows > 0 && outcome->counted <= options->percent))
        return BS_OK;
    if (outcome->rows == 0)
        bs_fail(&error, BS_UNMET, NULL, 0, 0, "no count is in both, the trace and the profile");
    else
        bs_fail(&error, BS_UNMET, NULL, 0, 0,
                "the largest difference%s%s, %.2f %%, is beyond the tolerance of %.*s %%",
                options->except ? " but for " : "", options->except ? options->except : "",
                outcome->counted, (int)strcspn(options->tolerance, "%"), options->tolerance);
    return bs_complain(&error);
}

static enum bs_status write_all(struct bs_comparison *comparison,
                                const struct compare_options *options, const struct bs_model *model,
                                const struct bs_trace *trace)
{
    struct bs_spool out = {0};
    struct bs_table table;
    struct outcome outcome = {0};
    memcpy(outcome.excepted, options->excepted, sizeof outcome.excepted);
    if (options->format == BS_JSON) {
        write_json(comparison, options, model, trace, &outcome, &out);
    } else {
        if (options->by == BY_KERNEL)
            bs_table_begin(&table, options->format, kernel_columns, KERNEL_COLUMNS, &out);
        else
            bs_table_begin(&table, options->format, line_columns, LINE_COLUMNS, &out);
        write_rows(comparison, options->by, &table, &outcome);
        if (options->format == BS_TEXT)
            write_verdict(comparison, options->by, trace, &outcome, options->except, &out);
    }
    const enum bs_status status = bs_spool_print(&out);
    if (options->format == BS_CSV)
        tell_notes(trace);
    return status == BS_OK ? judge(&outcome, options) : status;
}

/* ---- the verb ---------------------------------------------------------------------------------
 */

static enum bs_status compare_open(struct compare_options *options, struct bs_trace *trace,
                                   const struct bs_profile *profile, const char *path)
{
    struct bs_comparison comparison;
    struct pricing pricing = {.options = options, .comparison = &comparison};
    struct bs_error error;
    enum bs_status status = bs_comparison_begin(&comparison, profile) ? BS_OK : bs_out_of_memory();
    if (status == BS_OK)
        status = take_trace(&pricing, trace);
    if (status == BS_OK && comparison.kernel_count == 0) {
        bs_fail(&error, BS_BAD_TRACE, path, 0, 0,
                "none of its launches is one of the profile's: that is of another program, or has "
                "names in another form (ncu --print-kernel-base mangled gives exact ones)");
        status = bs_complain(&error);
    }
    if (status == BS_OK)
        status = write_all(&comparison, options, pricing.model, trace);
    bs_model_free(pricing.model);
    bs_comparison_free(&comparison);
    return status;
}

static enum bs_status compare(const struct bs_verb *verb, struct compare_options *options,
                              char **words, int count, struct bs_profile *profile)
{
    struct bs_error error;
    enum bs_status status;
    for (int i = 1; i < count; i++)
        if (!bs_profile_read(profile, words[i], &error))
            return bs_complain(&error);
    if (options->by == BY_UNSAID)
        options->by = profile->launch_count > 0 ? BY_KERNEL : BY_PC;
    if (options->by == BY_KERNEL && profile->launch_count == 0)
        return bs_usage_error(verb, "--by kernel needs a raw page, found a source page only");
    if (options->by == BY_PC && profile->block_count == 0)
        return bs_usage_error(verb, "--by pc needs a source page, found a raw page only");
    struct bs_trace *trace = bs_reading_open(words[0], &options->reading, &status);
    if (!trace)
        return status;
    status = compare_open(options, trace, profile, words[0]);
    bs_trace_close(trace);
    return status;
}

/* Percent, with at most two decimals, and with or without its sign. */
static bool take_tolerance(struct compare_options *options)
{
    const char *word = options->tolerance;
    const size_t length = word ? strcspn(word, "%") : 0;
    options->percent = -1;
    if (!word)
        return true;
    uint64_t whole, part = 0;
    const char *dot = memchr(word, '.', length);
    const size_t size = dot ? (size_t)(dot - word) : length;
    const size_t decimals = dot ? length - size - 1 : 0;
    if ((word[length] && word[length + 1]) || !bs_number_parse(word, size, 1000000, &whole) ||
        decimals > 2 || (dot && !bs_number_parse(dot + 1, decimals, 99, &part)))
        return false;
    options->percent = (double)whole + (double)part / (decimals == 1 ? 10 : 100);
    return true;
}

/* The reason of a code; REASONS if there is none. */
static unsigned reason_of(const char *code, size_t size)
{
    unsigned i = REASON_NONE + 1;
    while (i < REASONS &&
           (strlen(reasons[i].code) != size || memcmp(reasons[i].code, code, size) != 0))
        i++;
    return i;
}

/* The reasons of --except. */
static enum bs_status take_except(const struct bs_verb *verb, struct compare_options *options)
{
    char shown[80];
    for (const char *at = options->except, *end; at; at = *end ? end + 1 : NULL) {
        end = at + strcspn(at, ",");
        const unsigned reason = reason_of(at, (size_t)(end - at));
        if (reason == REASONS)
            return bs_usage_error(verb,
                                  "--except: there is no reason '%s', expected arbitration, other "
                                  "run, tries, source page, not profiled, not captured or "
                                  "unexplained, with commas between them",
                                  bs_printable(at, (size_t)(end - at), shown, sizeof shown));
        options->excepted[reason] = true;
    }
    return BS_OK;
}

static size_t option_table(struct compare_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_model(&options->model);
    table[count++] = bs_option_set(&options->sets);
    table[count++] = (struct bs_option){
        .name = "by",
        .value = "WHAT",
        .help = "kernel (default, of a raw page) or pc (of a source page)",
        .kind = BS_OPTION_CHOICE,
        .target = &options->by,
        .choices = by_names,
    };
    table[count++] = bs_option_table_format(&options->format);
    table[count++] = (struct bs_option){
        .name = "tolerance",
        .value = "PCT",
        .help = "exit 1 if a number is more than PCT percent off what was measured",
        .kind = BS_OPTION_TEXT,
        .target = &options->tolerance,
    };
    table[count++] = (struct bs_option){
        .name = "except",
        .value = "REASON,...",
        .help = "differences for these reasons do not count for --tolerance",
        .kind = BS_OPTION_TEXT,
        .target = &options->except,
    };
    return count;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct compare_options options = {.by = BY_UNSAID};
    struct bs_option table[BS_MAX_OPTIONS];
    struct bs_profile profile = {0};
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status)) {
        if (argc - operand < 2)
            status = bs_usage_error(verb, "expected a trace and a profile");
        else if (!take_tolerance(&options))
            status = bs_usage_error(verb, "--tolerance: expected percent, such as 0.5");
        else if (options.except && options.percent < 0)
            status = bs_usage_error(verb, "--except says what --tolerance leaves out: give both");
        else if ((status = take_except(verb, &options)) == BS_OK)
            status = compare(verb, &options, argv + operand, argc - operand, &profile);
    }
    bs_profile_free(&profile);
    bs_words_free(&options.sets);
    return status;
}

const struct bs_verb bs_verb_compare = {
    .name = "compare",
    .summary = "hold a trace to what a profiler counted",
    .usage = "[OPTION]... TRACE|- PROFILE.csv...",
    .about =
        "Sets the passes of a captured trace beside the wavefronts that Nsight Compute counted for "
        "the same program, by kernel (raw page) or by instruction (source page), and says why they "
        "differ where that is known. Launches belong together by kernel, in order: capture and "
        "profile the same ones.\n"
        "\n"
        "The profile is made with: ncu --print-kernel-base mangled --csv --page raw --metrics "
        "'regex:.*wavefronts_mem_shared_op.*' PROGRAM (and --section SourceCounters --page source "
        "for "
        "instructions).\n",
    .examples = "  bankshot compare capture.trace profile.csv --tolerance 0.5\n"
                "  bankshot compare --tolerance 0.5 --except tries capture.trace profile.csv\n"
                "  bankshot compare --by pc capture.trace source.csv\n",
    .run = run,
};
