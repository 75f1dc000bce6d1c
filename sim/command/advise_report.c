/* The report of bankshot advise, as text. */
#include "advise.h"
#include "phrases.h"

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

/* "1056 slots, 1056 passes of 64 instructions, 992 above the ideal". */
static void say_total(struct report *report, const char *when, const struct bs_advice_total *total)
{
    char text[BS_SENTENCE];
    snprintf(text, sizeof text,
             "%" PRIu64 " slot%s, %" PRIu64 " pass%s of %" PRIu64 " instruction%s, %" PRIu64
             " above the ideal",
             total->slots, plural(total->slots), total->passes, total->passes == 1 ? "" : "es",
             total->instructions, plural(total->instructions), total->excess);
    bs_spool_text(report->out, when);
    bs_screen_wrap(&report->screen, report->out, 10, text);
}

static void say_totals(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    if (advice->issued) {
        say_total(report, "as it is  ", &advice->now);
    } else {
        bs_spool_printf(report->out, "as it is  ");
        bs_screen_wrap(&report->screen, report->out, 10,
                       "an access cannot be done under this layout");
    }
    if (advice->count > 0)
        say_total(report, "best      ", &advice->then);
}

static bool follows_data(const struct bs_advice *advice)
{
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        if (bs_advice_follows_data(advice, i))
            return true;
    return false;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

/* "pitch 72 (144 bytes from row to row), no padding". */
static void keep_text(const struct bs_sketch_array *array, struct bs_buffer *out)
{
    const struct bs_layout *layout = &array->layout;
    const uint32_t pad = layout->pitch - layout->columns;
    if (layout->rows == 1)
        bs_buffer_printf(out, "one row of %" PRIu32 " elements", layout->columns);
    else
        bs_buffer_printf(out, "pitch %" PRIu32 " (%" PRIu32 " bytes from row to row)",
                         layout->pitch, layout->pitch * layout->element);
    if (pad == 0)
        bs_buffer_text(out, ", no padding");
    else
        bs_buffer_printf(out, ", pad %" PRIu32, pad);
    if (array->swizzle)
        bs_buffer_printf(out, ", swizzle %s", array->swizzle);
}

static void say_keep(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const struct bs_search *search = advice->search;
    struct bs_buffer text = {0};
    if (search->fixed) {
        say(report, "No advice: the rows of an array below are not recovered. Write a sketch of "
                    "the kernel, or say with --pitch how far they are apart.");
        return;
    }
    bs_buffer_text(&text,
                   search->count == 1 ? "Keep it as it stands: " : "Keep all as they stand: ");
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_sketch_array *array = &search->work->arrays[search->array[i]];
        bs_buffer_printf(&text, "%s%s%s", i ? "; " : "", search->count == 1 ? "" : array->name,
                         search->count == 1 ? "" : ": ");
        keep_text(array, &text);
    }
    char *line = bs_buffer_take(&text);
    report->failed |= !line;
    say(report, line ? line : "");
    free(line);
}

/* Why there is none; what each array's trials failed by stands below the lists. */
static void say_none(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const uint64_t room = bs_advice_room(advice);
    char text[BS_SENTENCE];
    if (room > 0 && advice->bare_bytes > room)
        snprintf(text, sizeof text,
                 "No layout fits in a multiprocessor: the elements alone take %" PRIu64
                 " bytes, and it has %" PRIu64 " for them.",
                 advice->bare_bytes, room);
    else
        snprintf(text, sizeof text, "No layout that was tried keeps what is asked%s.",
                 room > 0 ? " and fits in a multiprocessor" : "");
    say(report, text);
}

static void say_verdict(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    struct bs_buffer layout = {0};
    bs_spool_text(report->out, "\n");
    if (advice->count == 0) {
        say_none(report);
        return;
    }
    if (bs_advice_keeps(advice, advice->best)) {
        say_keep(report);
        return;
    }
    bs_buffer_text(&layout, follows_data(advice) ? "Best for the indices given: " : "Best: ");
    bs_advice_layout_text(advice, advice->best, &layout);
    if (advice->issued && advice->then.slots == advice->now.slots &&
        advice->then.instructions == advice->now.instructions)
        bs_buffer_text(&layout, advice->then.bytes < advice->now.bytes
                                    ? ": as many slots as now, in less memory"
                                : advice->then.passes < advice->now.passes
                                    ? ": as many slots as now, with fewer passes"
                                    : ": as many slots as now");
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

void bs_advice_declare(const struct bs_advice *advice, const struct bs_combination *combination,
                       const char *indent, const char *note, struct bs_buffer *out)
{
    const struct bs_search *search = advice->search;
    for (size_t i = 0; i < search->count; i++) {
        const struct bs_candidate *candidate = bs_advice_candidate(advice, combination, i);
        bs_candidate_declare(candidate, &search->work->arrays[search->array[i]], indent,
                             candidate->scheme == BS_SCHEME_GIVEN ? note : "", out);
    }
}

enum { STATIC_BYTES = 48 << 10 };

static void show_declarations(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    struct bs_buffer text = {0};
    bs_advice_declare(advice, advice->best, "    ",
                      bs_advice_keeps(advice, advice->best) ? "" : "  // as it is", &text);
    char *lines = bs_buffer_take(&text);
    report->failed |= !lines;
    bs_spool_text(report->out, "\n");
    bs_spool_text(report->out, lines ? lines : "");
    free(lines);
    if (advice->then.bytes > STATIC_BYTES)
        say(report, "CUDA has no static arrays of more than 48 KiB a CTA together: they have to be "
                    "dynamic shared memory (extern __shared__).");
    if (advice->is_sketch)
        show_keys(report);
}

/* Whether an access goes where data decide, and none before it has its label. */
static bool is_first_such(const struct bs_advice *advice, size_t access)
{
    const struct bs_sketch_access *accesses = advice->search->work->accesses;
    bool first = bs_advice_follows_data(advice, access);
    for (size_t i = 0; first && i < access; i++)
        first = !bs_advice_follows_data(advice, i) ||
                strcmp(accesses[i].label, accesses[access].label) != 0;
    return first;
}

/* Other data, other conflicts. */
static void say_data(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const struct bs_work *work = advice->search->work;
    struct bs_buffer text = {0};
    const char *before = "* ";
    if (!follows_data(advice))
        return;
    for (size_t i = 0; i < work->access_count; i++)
        if (is_first_such(advice, i)) {
            bs_buffer_printf(&text, "%s%.100s", before, work->accesses[i].label);
            before = ", ";
        }
    bs_buffer_text(&text, ": the lanes go to elements without a regular step, as where data "
                          "decide. All this holds for the indices given; for others it proves "
                          "nothing.");
    char *line = bs_buffer_take(&text);
    report->failed |= !line;
    bs_screen_wrap(&report->screen, report->out, 2, line ? line : "");
    free(line);
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
    static const struct bs_column changed[] = {
        {"access", "access", true, 24, 0},        {"before", "before", true, 0, 0},
        {"before_passes", "passes", false, 0, 2}, {"before_slots", "slots", false, 0, 0},
        {"after", "after", true, 0, 0},           {"after_passes", "passes", false, 0, 1},
        {"after_slots", "slots", false, 0, 0},    {"ideal", "ideal", false, 0, 3},
        {"least", "least", false, 0, 0},
    };
    static const struct bs_column kept[] = {
        {"access", "access", true, 24, 0},     {"now", "now", true, 0, 0},
        {"now_passes", "passes", false, 0, 0}, {"now_slots", "slots", false, 0, 0},
        {"ideal", "ideal", false, 0, 0},       {"least", "least", false, 0, 0},
    };
    const struct bs_advice *advice = report->advice;
    const struct bs_work *work = advice->search->work;
    const bool same = advice->count == 0 || bs_advice_keeps(advice, advice->best);
    struct bs_table table;
    size_t dull = 0;
    heading(report, "Accesses, all warps and iterations together");
    bs_table_begin(&table, BS_TEXT, same ? kept : changed,
                   same ? sizeof kept / sizeof *kept : sizeof changed / sizeof *changed,
                   report->out);
    for (size_t i = 0; i < work->access_count; i++) {
        if (work->first[i] == work->first[i + 1] || is_dull(advice, i)) {
            dull += work->first[i] != work->first[i + 1];
            continue;
        }
        bs_table_text(&table, work->accesses[i].label);
        issue_cells(&table, &advice->before[i]);
        if (!same)
            issue_cells(&table, &advice->after[i]);
        bs_table_number(&table, same ? advice->before[i].ideal : advice->after[i].ideal);
        bs_table_number(&table, advice->search->bound[i]);
    }
    bs_table_end(&table);
    if (dull > 0)
        bs_spool_printf(report->out, "(%zu more are free of conflicts%s.)\n", dull,
                        same ? "" : ", before and after");
    say(report, "least: the slots that any layout takes, for an op's phases, for the different "
                "bytes of each, and for lanes that queue for one word.");
}

/* The table has nothing of them. */
static void say_unmade(struct report *report)
{
    const struct bs_sketch *sketch = report->advice->sketch;
    char text[BS_SENTENCE] = "* ";
    for (size_t i = 0; sketch && i < sketch->access_count; i++)
        if (sketch->accesses[i].visits == 0 &&
            bs_issue_sentence(sketch, &sketch->accesses[i], text + 2, sizeof text - 2))
            bs_screen_wrap(&report->screen, report->out, 2, text);
}

static void show_strides(struct report *report)
{
    const struct bs_advice *advice = report->advice;
    const bool same = advice->count == 0 || bs_advice_keeps(advice, advice->best);
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
    if (advice->after[access].slots == advice->search->bound[access] &&
        advice->after[access].passes == advice->after[access].slots)
        snprintf(text, sizeof text,
                 "* %.200s stays %" PRIu64 " pass%s above its ideal: no layout can give it fewer.",
                 search->work->accesses[access].label, left, left == 1 ? "" : "es");
    else if (search->least[access] == left)
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
    const uint64_t slots = advice->then.slots;
    char text[BS_SENTENCE];
    if (slots == advice->best->rank.slots)
        return;
    snprintf(text, sizeof text,
             "* One behind the other the arrays take %" PRIu64 " slots, not %" PRIu64
             ": on this model it matters where an array begins, and the search left each where it "
             "is.",
             slots, advice->best->rank.slots);
    bs_screen_wrap(&report->screen, report->out, 2, text);
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
    bs_table_number(table, combination->rank.passes);
    bs_table_number(table, combination->excess);
    bs_table_number(table, combination->rank.bytes);
    bs_table_real(table, bs_advice_percent_more(advice, combination->rank.bytes), 1);
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
        if (count == 1 && (scheme == BS_SCHEME_GIVEN || !bs_advice_keeps(advice, &best)))
            list_row(report, table, &best);
    }
}

static void show_list(struct report *report)
{
    static const struct bs_column columns[] = {
        {"layout", "layout", true, 16, 0},      {"slots", "slots", false, 0, 0},
        {"instructions", "instr", false, 0, 0}, {"passes", "passes", false, 0, 0},
        {"excess", "excess", false, 0, 0},      {"bytes", "bytes", false, 0, 0},
        {"more_percent", "more%", false, 0, 0},
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

/* How far paddings and swizzles at once were tried. */
static void say_padded(const struct bs_trials *trials, char text[BS_SENTENCE])
{
    const uint32_t pitch = trials->padded_pitch;
    if (trials->padded == BS_PADDED_NOT_NEEDED && pitch)
        more(text,
             " Padding and swizzle at once up to pitch %" PRIu32
             ": beyond it none takes fewer slots or less memory.",
             pitch);
    else if (trials->padded == BS_PADDED_NOT_NEEDED)
        more(text, " No padding and swizzle at once: none takes fewer slots or less memory.");
    else if (trials->padded == BS_PADDED_CUT)
        more(text,
             " Padding and swizzle at once only up to pitch %" PRIu32
             ", as more take too long; a larger --pad-unit leaves fewer.",
             pitch);
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
    say_padded(trials, text);
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
    snprintf(text, sizeof text, "Not tried: %s%s%s; %sother orders of elements.", most, unit,
             space->schemes == (1u << BS_SCHEMES) - 1 ? "" : "; kinds that --try leaves out",
             space->schemes & 1u << BS_SCHEME_SWIZZLE ? "paddings and Swizzle<B,M,S> at once; "
                                                      : "");
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
        bs_screen_wrap(&report.screen, out, 10, advice->typed);
    }
    say_totals(&report);
    say_verdict(&report);
    if (advice->count > 0)
        show_declarations(&report);
    say_data(&report);
    if (advice->traced)
        say_recovered(&report);
    if (advice->count > 0)
        report.failed |= !bs_advice_price(advice, &report.screen, out);
    show_accesses(&report);
    say_unmade(&report);
    for (size_t i = 0; advice->count > 0 && i < advice->search->work->access_count; i++)
        say_left(&report, i);
    show_strides(&report);
    if (advice->count > 0)
        say_placed(&report);
    if (advice->count > 0)
        show_list(&report);
    say_space(&report);
    return !report.failed;
}
