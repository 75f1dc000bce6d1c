/* The report of bankshot advise, as text. */
#include "advise.h"
#include "phrases.h"
#include "resident.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The report in the making. */
struct report {
    const struct bs_advice *advice;
    struct bs_screen screen;
    struct bs_spool *out;
    bool failed; /* memory is out */
};

static void say(struct report *report, const char *text)
{
    bs_screen_wrap(&report->screen, report->out, 0, text);
}

static void heading(struct report *report, const char *text)
{
    bs_spool_text(report->out, "\n");
    bs_screen_tone(&report->screen, report->out, BS_BOLD, text);
    bs_spool_text(report->out, "\n");
}

static bool is_as_it_stands(const struct bs_advice *advice, const struct bs_combination *best)
{
    for (size_t i = 0; i < advice->search->count; i++)
        if (bs_advice_candidate(advice, best, i)->scheme != BS_SCHEME_GIVEN)
            return false;
    return true;
}

void bs_advice_layout_text(const struct bs_advice *advice, const struct bs_combination *combination,
                           struct bs_buffer *out)
{
    const struct bs_search *search = advice->search;
    bool first = true;
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_sketch_array *array = &search->work->arrays[search->array[i]];
        const struct bs_candidate *candidate = bs_advice_candidate(advice, combination, i);
        char text[BS_CANDIDATE_TEXT];
        if (candidate->scheme == BS_SCHEME_GIVEN)
            continue;
        bs_candidate_text(candidate, array, text);
        bs_buffer_printf(out, "%s%s%s%s", first ? "" : "; ", search->count > 1 ? array->name : "",
                         search->count > 1 ? ": " : "", text);
        first = false;
    }
    if (first)
        bs_buffer_text(out, search->count > 1 ? "as they stand" : "as it stands");
}

/* ---- what came of it ------------------------------------------------------------------------- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* "1056 slots of 64 instructions". */
static void count_text(const struct bs_rank *rank, uint64_t excess, char *out, size_t size)
{
    snprintf(out, size,
             "%" PRIu64 " slot%s of %" PRIu64 " instruction%s, %" PRIu64 " pass%s above the ideal",
             rank->slots, plural(rank->slots), rank->instructions, plural(rank->instructions),
             excess, excess == 1 ? "" : "es");
}

static void say_now(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    char text[BS_SENTENCE] = "an access cannot be done under this layout";
    if (advice->issued)
        count_text(&advice->now, advice->now_excess, text, sizeof text);
    bs_spool_printf(report->out, "as it is  ");
    bs_screen_wrap(&report->screen, report->out, 10, text);
}

static void say_best(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    char text[BS_SENTENCE];
    count_text(&advice->best->rank, advice->best->excess, text, sizeof text);
    bs_spool_printf(report->out, "best      ");
    bs_screen_wrap(&report->screen, report->out, 10, text);
}

static void say_keep(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    if (advice->search->fixed)
        say(report, "No advice: the rows of an array below are not recovered. Write a sketch of "
                    "the kernel, or say with --pitch how far they are apart.");
    else if (advice->best->excess == 0)
        say(report, "Keep it as it stands: no access conflicts. Each takes no more passes than its "
                    "width needs.");
    else
        say(report, "Keep it as it stands: no layout that was tried takes fewer slots.");
}

static void say_verdict(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    struct bs_buffer layout = {0};
    bs_spool_text(report->out, "\n");
    if (advice->count == 0) {
        say(report, advice->model->capacity.shared_memory
                        ? "No layout that was tried keeps what is asked and fits in a "
                          "multiprocessor."
                        : "No layout that was tried keeps what is asked.");
        return;
    }
    if (is_as_it_stands(advice, advice->best)) {
        say_keep(report);
        return;
    }
    bs_buffer_text(&layout, "Best: ");
    bs_advice_layout_text(advice, advice->best, &layout);
    if (advice->issued && advice->best->rank.slots == advice->now.slots &&
        advice->best->rank.instructions == advice->now.instructions)
        bs_buffer_text(&layout, ": as many slots as now, in less memory");
    if (advice->search->fixed)
        bs_buffer_text(&layout, ". No advice for the arrays below that are not recovered: write a "
                                "sketch, or say with --pitch how far their rows are apart");
    char *text = bs_buffer_take(&layout);
    report->failed |= !text;
    if (text)
        say(report, text);
    free(text);
}

/* ---- declarations ---------------------------------------------------------------------------- */

/* What to write in the sketch to have it there. */
static void show_keys(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const struct bs_search *search = advice->search;
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_sketch_array *array = &search->work->arrays[search->array[i]];
        const struct bs_candidate *candidate = bs_advice_candidate(advice, advice->best, i);
        struct bs_buffer text = {0};
        if (candidate->scheme == BS_SCHEME_GIVEN)
            continue;
        bs_buffer_printf(&text, "In the sketch, of %s: ", array->name);
        bs_candidate_keys(candidate, array, &text);
        char *line = bs_buffer_take(&text);
        report->failed |= !line;
        say(report, line ? line : "");
        free(line);
    }
}

enum { STATIC_BYTES = 48 << 10 };

static void show_declarations(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const struct bs_search *search = advice->search;
    struct bs_buffer text = {0};
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_sketch_array *array = &search->work->arrays[search->array[i]];
        const struct bs_candidate *candidate = bs_advice_candidate(advice, advice->best, i);
        if (candidate->scheme != BS_SCHEME_GIVEN)
            bs_candidate_declare(candidate, array, "    ", &text);
    }
    char *lines = bs_buffer_take(&text);
    report->failed |= !lines;
    bs_spool_text(report->out, "\n");
    bs_spool_text(report->out, lines ? lines : "");
    free(lines);
    if (advice->best->rank.bytes > STATIC_BYTES)
        say(report, "CUDA has no static arrays of more than 48 KiB a CTA together: they have to be "
                    "dynamic shared memory (extern __shared__).");
    if (advice->is_sketch)
        show_keys(report);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void issue_cells(struct bs_table *table, const struct bs_work_cost *cost)
{
    char name[BS_OP_NAME], text[BS_OP_NAME + 16];
    if (cost->issue.count == 0) {
        bs_table_text(table, "cannot");
        bs_table_text(table, "");
        bs_table_text(table, "");
        return;
    }
    bs_op_name(cost->issue.op, name);
    if (cost->issue.count > 1)
        snprintf(text, sizeof text, "%ux %s", cost->issue.count, name);
    else
        snprintf(text, sizeof text, "%s", name);
    bs_table_text(table, text);
    bs_table_number(table, cost->passes);
    bs_table_number(table, cost->slots);
}

/* Whether a long list does without the access: nothing is to be said of it. */
static bool is_dull(const struct bs_advice *advice, size_t access)
{
    enum { LONG = 16 };
    const struct bs_work_cost *before = &advice->before[access], *after = &advice->after[access];
    return advice->search->work->access_count > LONG && before->issue.count == 1 &&
           before->excess == 0 &&
           (advice->count == 0 || (after->excess == 0 && after->issue.count == 1));
}

static void show_accesses(struct report *report)
{
    static const struct bs_column columns[] = {
        {"access", "access", true, 28, 0},        {"before", "before", true, 0, 0},
        {"before_passes", "passes", false, 0, 0}, {"before_slots", "slots", false, 0, 2},
        {"after", "after", true, 0, 0},           {"after_passes", "passes", false, 0, 0},
        {"after_slots", "slots", false, 0, 1},    {"ideal", "ideal", false, 0, 0},
    };
    const struct bs_advice *advice = report->advice;
    const struct bs_work *work = advice->search->work;
    const bool same = advice->count == 0 || is_as_it_stands(advice, advice->best);
    struct bs_table table;
    size_t dull = 0;
    heading(report, "Accesses, all warps and iterations together");
    bs_table_begin(&table, BS_TEXT, columns, same ? 4 : 8, report->out);
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->first[i] == work->first[i + 1] || is_dull(advice, i)) {
            dull += work->first[i] != work->first[i + 1];
            continue;
        }
        bs_table_text(&table, work->accesses[i].label);
        issue_cells(&table, &advice->before[i]);
        if (same)
            continue;
        issue_cells(&table, &advice->after[i]);
        bs_table_number(&table, advice->after[i].ideal);
    }
    bs_table_end(&table);
    if (dull > 0)
        bs_spool_printf(report->out, "(%zu more are free of conflicts, before and after.)\n", dull);
}

static void show_strides(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const bool same = advice->count == 0 || is_as_it_stands(advice, advice->best);
    if (!bs_advice_strides(advice, !same, NULL))
        return;
    heading(report, "The arithmetic of constant strides S");
    bs_advice_strides(advice, !same, report->out);
    say(report, "formula: max(w, gcd(S, banks)) passes, of full warps whose S is a whole number of "
                "words and at least w; -: it is withheld. found: the most passes of an "
                "instruction. Accesses without a constant stride are not listed, those "
                "that are alike once.");
}

/* ---- what is left ---------------------------------------------------------------------------- */

/* Why an access is above its ideal even so. */
static void say_left(struct report *report, size_t access)
{
    const struct bs_advice *advice = report->advice;
    const struct bs_search *search = advice->search;
    const uint64_t left = advice->after[access].excess;
    char text[BS_SENTENCE];
    if (left == 0)
        return;
    if (search->least[access] == left)
        snprintf(text, sizeof text,
                 "* %.200s stays %" PRIu64 " pass%s above its ideal: no layout that fits gives it "
                 "fewer.",
                 search->work->accesses[access].label, left, left == 1 ? "" : "es");
    else
        snprintf(text, sizeof text,
                 "* %.200s stays %" PRIu64 " pass%s above its ideal. Alone it could have %" PRIu64
                 ", under layouts that cost the other accesses more.",
                 search->work->accesses[access].label, left, left == 1 ? "" : "es",
                 search->least[access]);
    bs_screen_wrap(&report->screen, report->out, 2, text);
}

/* Where an array begins can matter to hashed banks, and to copies that come by sectors. */
static void say_placed(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    uint64_t slots = 0;
    char text[BS_SENTENCE];
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        slots += advice->after[i].slots;
    if (slots == advice->best->rank.slots)
        return;
    snprintf(text, sizeof text,
             "* One behind the other the arrays take %" PRIu64 " slots, not %" PRIu64
             ": on this model it matters where an array begins, and the search left each where it "
             "is.",
             slots, advice->best->rank.slots);
    bs_screen_wrap(&report->screen, report->out, 2, text);
}

/* ---- price ----------------------------------------------------------------------------------- */

static uint32_t resident_of(const struct bs_advice *advice, uint64_t bytes, bool *too_large)
{
    const struct bs_demand demand = {.smem = (int64_t)(bytes + advice->other_bytes),
                                     .warps = advice->block_warps,
                                     .ctas = UINT32_MAX};
    const struct bs_resident resident = bs_resident_of(advice->model, &demand);
    *too_large = resident.too_large;
    return resident.ctas;
}

static double percent_more(uint64_t bytes, uint64_t bare)
{
    return bare ? 100.0 * ((double)bytes - (double)bare) / (double)bare : 0;
}

static void say_price(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const uint64_t before = advice->now.bytes, after = advice->best->rank.bytes;
    char text[BS_SENTENCE];
    bool was_too_large, too_large;
    const int used =
        snprintf(text, sizeof text, "%" PRIu64 " bytes a CTA, %" PRIu64 " before", after, before);
    if (after != advice->bare_bytes)
        snprintf(text + used, sizeof text - (size_t)used, "; %.1f %% more than without padding",
                 percent_more(after, advice->bare_bytes));
    heading(report, "Price");
    bs_spool_text(report->out, "memory    ");
    bs_screen_wrap(&report->screen, report->out, 10, text);
    if (advice->other_bytes) {
        snprintf(text, sizeof text, "%" PRIu64 " more bytes that no access goes to stay",
                 advice->other_bytes);
        bs_spool_text(report->out, "          ");
        bs_screen_wrap(&report->screen, report->out, 10, text);
    }
    if (!advice->model->capacity.shared_memory || !advice->block_warps)
        return;
    const uint32_t was = resident_of(advice, before, &was_too_large);
    const uint32_t is = resident_of(advice, after, &too_large);
    if (too_large)
        snprintf(text, sizeof text,
                 "none: a multiprocessor has no room for a CTA of so many bytes");
    else
        snprintf(text, sizeof text, "%" PRIu32 " CTA%s a multiprocessor, %" PRIu32 " before", is,
                 plural(is), was_too_large ? 0 : was);
    bs_spool_text(report->out, "resident  ");
    bs_screen_wrap(&report->screen, report->out, 10, text);
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void list_row(struct report *report, struct bs_table *table,
                     const struct bs_combination *combination)
{
    const struct bs_advice *advice = report->advice;
    struct bs_buffer layout = {0};
    bs_advice_layout_text(advice, combination, &layout);
    char *text = bs_buffer_take(&layout);
    report->failed |= !text;
    bs_table_text(table, text ? text : "");
    bs_table_number(table, combination->rank.slots);
    bs_table_number(table, combination->rank.instructions);
    bs_table_number(table, combination->excess);
    bs_table_number(table, combination->rank.bytes);
    bs_table_real(table, percent_more(combination->rank.bytes, advice->bare_bytes), 1);
    free(text);
}

/* The best of each kind, those that there are. */
static void list_kinds(struct report *report, struct bs_table *table)
{
    const struct bs_advice *advice = report->advice;
    struct bs_combination best;
    for (unsigned scheme = 0; scheme < BS_SCHEMES; scheme++) {
        const size_t count = bs_search_best(advice->search, 1u << scheme, 1, &best);
        report->failed |= count == SIZE_MAX;
        if (count == 1 && (scheme == BS_SCHEME_GIVEN || !is_as_it_stands(advice, &best)))
            list_row(report, table, &best);
    }
}

static void show_list(struct report *report)
{
    static const struct bs_column columns[] = {
        {"layout", "layout", true, 16, 0},      {"slots", "slots", false, 0, 0},
        {"instructions", "instr", false, 0, 0}, {"excess", "excess", false, 0, 0},
        {"bytes", "bytes", false, 0, 0},        {"more_percent", "more%", false, 0, 0},
    };
    const struct bs_advice *advice = report->advice;
    struct bs_table table;
    heading(report, advice->wanted ? "The best layouts, best first" : "The best of each kind");
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, report->out);
    if (!advice->wanted)
        list_kinds(report, &table);
    for (size_t i = 0; advice->wanted && i < advice->count; i++)
        list_row(report, &table, &advice->best[i]);
    bs_table_end(&table);
}

/* ---- the space ------------------------------------------------------------------------------- */

/* Adds to a text that may be full. */
static void more(char text[BS_SENTENCE], const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
static void more(char text[BS_SENTENCE], const char *format, ...)
{
    const size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, BS_SENTENCE - used, format, arguments);
    va_end(arguments);
}

/* What became of the trials of an array that cannot be the best. */
static void say_verdicts(const struct bs_trials *trials, char text[BS_SENTENCE])
{
    size_t verdicts[BS_TRIAL_VERDICTS] = {0};
    for (size_t i = 0; i < trials->count; i++)
        verdicts[trials->list[i].verdict]++;
    if (verdicts[BS_TRIAL_NOT_ALLOWED])
        more(text, " Not what is asked: %zu.", verdicts[BS_TRIAL_NOT_ALLOWED]);
    if (verdicts[BS_TRIAL_TOO_LARGE])
        more(text, " Too large: %zu.", verdicts[BS_TRIAL_TOO_LARGE]);
    if (verdicts[BS_TRIAL_NOT_ISSUED])
        more(text, " Without the alignment that an access needs: %zu.",
             verdicts[BS_TRIAL_NOT_ISSUED]);
}

/* The kinds of an array's trials and how many there are: "31 pitches, 90 skews". */
static void say_kinds(struct report *report, size_t number)
{
    const struct bs_search *search = report->advice->search;
    const struct bs_trials *trials = &search->trials[number];
    const struct bs_sketch_array *array = &search->work->arrays[search->array[number]];
    size_t kinds[BS_SCHEMES] = {0};
    char text[BS_SENTENCE] = "";
    for (size_t i = 0; i < trials->count; i++)
        kinds[trials->list[i].candidate.scheme]++;
    more(text, "%s: %zu layout%s tried, all of: as it stands", array->name, trials->count,
         plural(trials->count));
    for (unsigned i = BS_SCHEME_GIVEN + 1; i < BS_SCHEMES; i++)
        if (kinds[i] > 0)
            more(text, ", %zu %s", kinds[i], bs_scheme_title(i));
    more(text, ".");
    say_verdicts(trials, text);
    say(report, text);
}

static void say_not_tried(struct report *report)
{
    const struct bs_space *space = &report->advice->search->space;
    char text[BS_SENTENCE], most[96], unit[64] = "";
    if (space->max_pad)
        snprintf(most, sizeof most, "paddings of more than %" PRIu32 " bytes a row",
                 space->max_pad);
    else
        snprintf(most, sizeof most, "paddings of %" PRIu32 " bytes a row and more%s", space->period,
                 report->advice->model->mapping.hash == BS_XOR_NONE
                     ? ", which meet the same banks again"
                     : "");
    if (space->pad_unit > 1)
        snprintf(unit, sizeof unit, "; others than multiples of %" PRIu32 " bytes",
                 space->pad_unit);
    snprintf(text, sizeof text,
             "Not tried: %s%s%s; paddings and swizzles at once; other orders of elements.", most,
             unit, space->schemes == (1u << BS_SCHEMES) - 1 ? "" : "; kinds that --try leaves out");
    say(report, text);
}

/* Whether the cost of an access can depend on where its array begins. */
static bool bases_matter(const struct bs_advice *advice)
{
    const struct bs_work *work = advice->search->work;
    for (size_t i = 0; i < work->access_count; i++) {
        const struct bs_rule *rule = bs_model_rule(advice->model, work->accesses[i].wish);
        if (rule && rule->method != BS_BY_BANKS)
            return true;
    }
    return advice->model->mapping.hash != BS_XOR_NONE;
}

static void say_space(struct report *report)
{
    const struct bs_search *search = report->advice->search;
    char text[BS_SENTENCE];
    bs_spool_text(report->out, "\n");
    for (size_t i = 0; i < search->count; i++)
        say_kinds(report, i);
    if (search->count > 1) {
        snprintf(text, sizeof text, "All %" PRIu64 " combinations were compared: %s.",
                 bs_search_size(search),
                 bases_matter(report->advice)
                     ? "each array was priced where it lies now, though on this model it matters "
                       "where that is"
                     : "an array costs the same wherever the others lie, so slots add up");
        say(report, text);
    }
    say_not_tried(report);
}

/* What the search takes the trace's addresses for. */
static void say_recovered(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    char text[BS_SENTENCE];
    heading(report, "Recovered from the addresses (the trace names no arrays)");
    for (size_t i = 0; i < advice->traced->work.array_count; i++) {
        bs_trace_arrays_text(advice->traced, i, text, sizeof text);
        bs_screen_wrap(&report->screen, report->out, 2, text);
    }
    say(report, "Each begins at the first byte that is touched, which need not be its start.");
}

/* ---- the report ------------------------------------------------------------------------------ */

static void say_head(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    bs_spool_printf(report->out, "%s  ", advice->is_sketch ? "sketch  " : "trace   ");
    bs_screen_wrap(&report->screen, report->out, 10, advice->subject);
    char model[sizeof advice->model->name + sizeof advice->model->title + 2];
    snprintf(model, sizeof model, "%s: %s", advice->model->name, advice->model->title);
    bs_spool_text(report->out, "model     ");
    bs_screen_wrap(&report->screen, report->out, 10, model);
}

bool bs_advice_text(const struct bs_advice *advice, struct bs_spool *out)
{
    struct report report = {advice, bs_screen_of_stdout(), out, false};
    say_head(&report);
    if (!advice->is_sketch) {
        bs_spool_text(out, "kernel    ");
        bs_screen_wrap(&report.screen, out, 10, advice->name);
    }
    say_now(&report);
    if (advice->count > 0)
        say_best(&report);
    say_verdict(&report);
    if (advice->count > 0 && !is_as_it_stands(advice, advice->best))
        show_declarations(&report);
    if (advice->traced)
        say_recovered(&report);
    show_accesses(&report);
    for (size_t i = 0; advice->count > 0 && i < advice->search->work->access_count; i++)
        say_left(&report, i);
    show_strides(&report);
    if (advice->count > 0)
        say_placed(&report);
    if (advice->count > 0 && !is_as_it_stands(advice, advice->best))
        say_price(&report);
    if (advice->count > 0)
        show_list(&report);
    say_space(&report);
    return !report.failed;
}
