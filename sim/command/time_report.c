/* The report of time: the causes of cycles, the banks, the launches, the instructions that wait. */
#include "time_report.h"

#include "core/buffer.h"
#include "core/causes.h"
#include "screen.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* What would help against a cause that takes much of the time. */
static const char *const advice[BS_CAUSES] = {
    [BS_CAUSE_NEEDED] = "only fewer bytes to move would take less time",
    [BS_CAUSE_CONFLICT] = "padding or a swizzle of the addresses could take the conflicts away",
    [BS_CAUSE_SPACING] = "a warp makes a pass only every few cycles; passes of other warps could "
                         "fill the gaps, and without conflicts there would be fewer of them",
    [BS_CAUSE_ISSUE] = "instructions come too slowly to keep the array busy; more warps would "
                       "issue more of them, and wider accesses do more with each",
    [BS_CAUSE_DEPENDENCY] = "more warps, or loads that do not depend on each other, would fill the "
                            "time until values are there",
    [BS_CAUSE_LATENCY] = "barriers stand close behind loads; work between the two, or other CTAs, "
                         "would fill the time",
    [BS_CAUSE_BARRIER] =
        "fewer barriers would take less, and more CTAs at a time would fill the wait",
    [BS_CAUSE_IDLE] = "there is too little work to fill the time until the last values are back",
};
static const char atomic_advice[] =
    "lanes whose atomics meet in a bank take turns; if they went to different banks, as with "
    "several copies of a counter, they would not";

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void share_cell(struct bs_table *table, uint64_t part, uint64_t whole)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f%%", percent(part, whole));
    bs_table_text(table, text);
}

static uint64_t passes_of(const uint64_t by_cause[BS_CAUSES])
{
    return by_cause[BS_CAUSE_NEEDED] + by_cause[BS_CAUSE_CONFLICT];
}

static enum bs_cause main_cause(const uint64_t by_cause[BS_CAUSES])
{
    unsigned most = 0;
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        if (by_cause[cause] > by_cause[most])
            most = cause;
    return (enum bs_cause)most;
}

/* The cause other than needed that takes most. */
static enum bs_cause main_loss(const uint64_t by_cause[BS_CAUSES])
{
    unsigned most = BS_CAUSE_CONFLICT;
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        if (cause != BS_CAUSE_NEEDED && by_cause[cause] > by_cause[most])
            most = cause;
    return (enum bs_cause)most;
}

/* ---- notes ----------------------------------------------------------------------------------- */

/* Whether the model leaves all that has to do with time at its defaults. */
static bool is_timeless(const struct bs_timing *timing)
{
    return !timing->source[0] && timing->latency_32 == 0 && timing->latency_64 == 0 &&
           timing->latency_128 == 0 && timing->latency_atom == 0;
}

/* Whether shared memory would have had a say in how many CTAs are resident, but is not known. */
static bool knows_no_memory(const struct bs_run_timing *timing)
{
    for (size_t i = 0; i < timing->launch_count; i++) {
        const struct bs_resident *resident = &timing->launches[i].resident;
        if (resident->demand.smem < 0 && resident->ctas > 1 && resident->limit != BS_LIMIT_WISH)
            return true;
    }
    return false;
}

/* Whether some instruction brings back a value, which another could wait for. */
static bool has_values(const struct bs_run_timing *timing)
{
    for (size_t i = 0; i < timing->by_pc.count; i++) {
        const enum bs_kind kind = bs_op_at(timing->by_pc.groups[i].key.op).kind;
        if (kind == BS_LD || kind == BS_ATOM || kind == BS_LDMATRIX)
            return true;
    }
    return false;
}

void bs_time_report_notes(const struct bs_run_timing *timing, const struct bs_replay *replay,
                          void (*write)(void *user, const char *sentence), void *user)
{
    const struct bs_model *model = replay->model;
    char text[BS_SENTENCE];
    if (timing->dependent == 0 && has_values(timing))
        write(user, "No dependencies are in the trace (dep=): every load counts as independent of "
                    "the others, so that the cycles are a lower bound.");
    if (timing->uneven_ctas > 0) {
        snprintf(
            text, sizeof text,
            "In %llu CTA%s some warps come to fewer barriers than others: with --early-exit they "
            "have returned, and barriers go on without them. If the kernel has no early return, "
            "the trace is not whole.",
            (unsigned long long)timing->uneven_ctas, timing->uneven_ctas == 1 ? "" : "s");
        write(user, text);
    }
    if (knows_no_memory(timing))
        write(user, "How much shared memory a CTA takes is not in the trace (smem=): more CTAs may "
                    "be on the multiprocessor at a time than there is room for.");
    if (is_timeless(&model->timing)) {
        snprintf(text, sizeof text,
                 "The model %s says nothing of time: latencies count as 0 and intervals as 1 "
                 "cycle, so that the cycles are a lower bound.",
                 model->name);
        write(user, text);
    } else if (model->timing.basis == BS_ASSUMED) {
        snprintf(text, sizeof text, "The times of %s are assumed: %s.", model->name,
                 model->timing.source);
        write(user, text);
    }
}

/* ---- text ------------------------------------------------------------------------------------ */

/* What the text is made with. */
struct page {
    const struct bs_run_timing *timing;
    const struct bs_replay *replay;
    struct bs_screen screen;
    struct bs_spool *out;
    uint64_t top;
    bool has_places; /* some instruction has a source place, which says more than its kernel */
};

static void write_bullet(void *user, const char *sentence)
{
    const struct page *page = user;
    bs_spool_text(page->out, "* ");
    bs_screen_wrap(&page->screen, page->out, 2, sentence);
}

static bool same_residency(const struct bs_timed_launch *a, const struct bs_timed_launch *b)
{
    return a->resident.ctas == b->resident.ctas && a->resident.limit == b->resident.limit &&
           a->resident.demand.ctas == b->resident.demand.ctas &&
           a->resident.demand.smem == b->resident.demand.smem &&
           a->resident.demand.warps == b->resident.demand.warps;
}

/* How many CTAs were there at a time, if that is the same for all launches. */
static void write_residency(const struct page *page)
{
    const struct bs_run_timing *timing = page->timing;
    char text[BS_SENTENCE];
    for (size_t i = 1; i < timing->launch_count; i++)
        if (!same_residency(&timing->launches[0], &timing->launches[i]))
            return;
    if (timing->launch_count > 0)
        bs_screen_wrap(&page->screen, page->out, 0,
                       bs_resident_text(&timing->launches[0].resident, page->replay->model, text));
}

static void write_head(const struct page *page)
{
    const struct bs_run_timing *timing = page->timing;
    char text[BS_SENTENCE];
    bs_spool_text(page->out, "\n");
    bs_screen_tone(&page->screen, page->out, BS_BOLD, "Time");
    snprintf(text, sizeof text, " on one multiprocessor: %llu cycles%s",
             (unsigned long long)timing->cycles,
             timing->launch_count > 1 ? ", launch after launch" : "");
    bs_spool_text(page->out, text);
    bs_spool_text(page->out, "\n");
    write_residency(page);
}

/* Whether some instruction waits mainly for what the cause is called after: a reader will look for
 * it even where the array was never without work meanwhile. */
static bool is_waited_for(const struct page *page, enum bs_cause cause)
{
    const struct bs_tally *tally = &page->timing->by_pc;
    for (size_t i = 0; i < tally->count; i++)
        if (tally->groups[i].times.waited != BS_WAIT_NONE &&
            bs_wait_cause((enum bs_wait)tally->groups[i].times.waited) == cause)
            return true;
    return false;
}

static void write_causes(const struct page *page)
{
    static const struct bs_column columns[] = {
        {.name = "share", .title = "share"},
        {.name = "cycles", .title = "cycles"},
        {.name = "cause", .title = "cause", .left = true},
        {.name = "meaning", .title = "what it is", .left = true, .shrink = 16},
    };
    const struct bs_run_timing *timing = page->timing;
    const enum bs_cause most = main_cause(timing->causes);
    struct bs_table table;
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, page->out);
    for (unsigned cause = 0; cause < BS_CAUSES; cause++) {
        if (timing->causes[cause] == 0 && !is_waited_for(page, (enum bs_cause)cause))
            continue;
        share_cell(&table, timing->causes[cause], timing->cycles);
        bs_table_number(&table, timing->causes[cause]);
        bs_table_tone(&table, cause == most ? BS_BOLD : BS_PLAIN,
                      bs_cause_name((enum bs_cause)cause));
        bs_table_text(&table, bs_cause_meaning((enum bs_cause)cause));
    }
    bs_table_end(&table);
    bs_spool_text(page->out, "\n");
    bs_screen_wrap(&page->screen, page->out, 0,
                   "share: of all cycles. Each has one cause: while the array works, its pass, "
                   "whatever warps wait for meanwhile; else what the next pass waits for.");
}

/* Whether most of the passes above the ideal are of atomics. */
static bool are_atomic(const struct bs_tally *tally)
{
    uint64_t atomic = 0, others = 0;
    for (size_t i = 0; i < tally->count; i++) {
        const struct bs_op op = bs_op_at(tally->groups[i].key.op);
        *(op.kind == BS_ATOM || op.kind == BS_RED ? &atomic : &others) +=
            tally->groups[i].sums.excess;
    }
    return atomic > others;
}

/* What would help, as far as the causes show it. */
static void tell_advice(const struct bs_run_timing *timing, char text[BS_SENTENCE])
{
    const uint64_t needed = timing->causes[BS_CAUSE_NEEDED];
    const enum bs_cause most = main_loss(timing->causes);
    if (needed * 2 > timing->cycles && timing->causes[most] * 10 < timing->cycles)
        snprintf(text, BS_SENTENCE, "The array is busy with what is needed: %s.",
                 advice[BS_CAUSE_NEEDED]);
    else
        snprintf(text, BS_SENTENCE, "Beyond what is needed, %s takes most (%.1f %%): %s.",
                 bs_cause_name(most), percent(timing->causes[most], timing->cycles),
                 most == BS_CAUSE_CONFLICT && are_atomic(&timing->by_pc) ? atomic_advice
                                                                         : advice[most]);
}

/* How busy the array and the banks are, and what would help. */
static void write_use(const struct page *page)
{
    const struct bs_run_timing *timing = page->timing;
    const struct bs_bank_range banks = bs_bank_use_range(&timing->banks, page->replay->model);
    const double all = (double)timing->cycles * page->replay->model->banks;
    char each[128] = "";
    char text[BS_SENTENCE];
    if (banks.most > banks.least)
        snprintf(each, sizeof each, ": bank %u most, in %.1f %%, bank %u least, in %.1f %%",
                 banks.most_bank, percent(banks.most, timing->cycles), banks.least_bank,
                 percent(banks.least, timing->cycles));
    snprintf(text, sizeof text,
             "The array works in %.1f %% of the cycles. A bank works in %.1f %% of them%s%s.",
             percent(passes_of(timing->causes), timing->cycles),
             all > 0 ? 100.0 * (double)banks.all / all : 0.0,
             banks.most > banks.least ? " on average" : ", each as often as the others", each);
    bs_spool_text(page->out, "\n");
    bs_screen_wrap(&page->screen, page->out, 0, text);
    tell_advice(timing, text);
    bs_screen_wrap(&page->screen, page->out, 0, text);
}

static void write_title(const struct page *page, const char *title, const char *order, size_t shown,
                        size_t count)
{
    bs_spool_text(page->out, "\n");
    bs_screen_tone(&page->screen, page->out, BS_BOLD, title);
    bs_spool_text(page->out, order);
    if (shown < count)
        bs_spool_printf(page->out, " (%zu of %zu; --top all)", shown, count);
    bs_spool_text(page->out, "\n");
}

static void launch_row(struct bs_table *table, const struct page *page,
                       const struct bs_timed_launch *launch)
{
    share_cell(table, launch->cycles, page->timing->cycles);
    bs_table_number(table, launch->cycles);
    share_cell(table, passes_of(launch->causes), launch->cycles);
    share_cell(table, launch->causes[BS_CAUSE_CONFLICT], launch->cycles);
    bs_table_text(table, bs_cause_name(main_cause(launch->causes)));
    bs_table_number(table, launch->resident.demand.ctas);
    bs_table_number(table, launch->resident.ctas);
    bs_table_number(table, launch->launch);
    bs_table_kernel(table, &page->replay->names, launch->kernel);
}

static void write_launches(const struct page *page)
{
    static const struct bs_column columns[] = {
        {.name = "share", .title = "share"},
        {.name = "cycles", .title = "cycles"},
        {.name = "array", .title = "array"},
        {.name = "conflicts", .title = "conflicts"},
        {.name = "mostly", .title = "mostly", .left = true},
        {.name = "ctas", .title = "CTAs", .drop = 2},
        {.name = "resident", .title = "at a time", .drop = 1},
        {.name = "launch", .title = "launch"},
        {.name = "kernel", .title = "kernel", .left = true, .shrink = 18},
    };
    const struct bs_run_timing *timing = page->timing;
    const size_t shown =
        timing->launch_count < page->top ? timing->launch_count : (size_t)page->top;
    struct bs_table table;
    if (timing->launch_count < 2)
        return;
    write_title(page, "Launches", "", shown, timing->launch_count);
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, page->out);
    for (size_t i = 0; i < shown; i++)
        launch_row(&table, page, &timing->launches[i]);
    bs_table_end(&table);
    bs_spool_text(page->out, "\n");
    bs_screen_wrap(
        &page->screen, page->out, 0,
        "share: of all cycles. array, conflicts: cycles of the launch in which the array "
        "works, and with conflicts. mostly: the cause that takes most of it.");
}

/* ---- the instructions that wait -------------------------------------------------------------- */

/* Columns of their table that the legend knows. */
enum { COLUMN_QUEUED = 3, COLUMN_FINISHED = 4 };

static int longest_first(const void *left, const void *right)
{
    const struct bs_group *const *a = left;
    const struct bs_group *const *b = right;
    if ((*a)->times.waiting != (*b)->times.waiting)
        return (*a)->times.waiting > (*b)->times.waiting ? -1 : 1;
    return (*a > *b) - (*a < *b);
}

static void average_cell(struct bs_table *table, uint64_t sum, uint64_t count)
{
    char text[32];
    snprintf(text, sizeof text, "%.1f", count ? (double)sum / (double)count : 0.0);
    bs_table_text(table, text);
}

/* A wait by the name of its cause, and which kind of it. */
static const char *wait_text(uint32_t wait, char text[32])
{
    const char *detail = bs_wait_detail((enum bs_wait)wait);
    if (wait == BS_WAIT_NONE)
        return "-";
    snprintf(text, 32, "%s%s%s", bs_cause_name(bs_wait_cause((enum bs_wait)wait)),
             detail ? ", " : "", detail ? detail : "");
    return text;
}

static void instruction_row(struct bs_table *table, const struct page *page,
                            const struct bs_group *group, uint64_t all)
{
    char op[BS_OP_NAME], wait[32];
    const struct bs_group_times *times = &group->times;
    share_cell(table, times->waiting, all);
    average_cell(table, times->waiting, group->sums.records);
    bs_table_text(table, wait_text(times->waited, wait));
    average_cell(table, times->queued, group->sums.records);
    average_cell(table, times->finishing, group->sums.records);
    bs_table_number(table, group->sums.records);
    bs_table_hex(table, group->key.pc);
    bs_table_text(table, bs_op_name(bs_op_at(group->key.op), op));
    if (!page->has_places)
        bs_table_kernel(table, &page->replay->names, group->key.kernel);
    else if (group->place)
        bs_table_text(table, page->replay->names.list[group->place - 1]);
    else
        bs_table_null(table);
}

/* Names an instruction: its op and pc, and its source place or, among several, its kernel. */
static void name_instruction(const struct page *page, const struct bs_group *group,
                             struct bs_buffer *out)
{
    char op[BS_OP_NAME], shown[64];
    char *const *names = page->replay->names.list;
    const char *where = group->place ? names[group->place - 1]
                        : page->replay->names.count > 1 && !page->has_places
                            ? names[group->key.kernel]
                            : NULL;
    bs_buffer_printf(out, "%s at 0x%llx", bs_op_name(bs_op_at(group->key.op), op),
                     (unsigned long long)group->key.pc);
    if (where)
        bs_buffer_printf(out, " (%s)", bs_screen_shorten(where, 40, shown, sizeof shown));
}

static double average(uint64_t sum, const struct bs_group *group)
{
    return group->sums.records ? (double)sum / (double)group->sums.records : 0.0;
}

/* Says in a sentence before which instruction warps wait most, and for what. */
static bool write_most(const struct page *page, const struct bs_group *group)
{
    const struct bs_group_times *times = &group->times;
    const struct bs_group *from = times->from ? &page->timing->by_pc.groups[times->from - 1] : NULL;
    struct bs_buffer text = {0};
    bs_buffer_printf(&text, "Warps wait most before ");
    name_instruction(page, group, &text);
    bs_buffer_printf(&text, ", %.1f cycles on average, mainly %s: ", average(times->waiting, group),
                     bs_cause_name(bs_wait_cause((enum bs_wait)times->waited)));
    if (times->waited == BS_WAIT_DEP && from) {
        bs_buffer_printf(&text, "it needs the value of ");
        name_instruction(page, from, &text);
        bs_buffer_printf(&text,
                         ", which takes %.1f passes and is there %.1f cycles after its issue.",
                         average(from->sums.passes, from), average(from->times.finishing, from));
    } else {
        bs_buffer_printf(&text, "%s.", bs_wait_meaning((enum bs_wait)times->waited));
    }
    char *sentence = bs_buffer_take(&text);
    if (sentence)
        bs_screen_wrap(&page->screen, page->out, 0, sentence);
    free(sentence);
    return sentence != NULL;
}

/* Explains the waits that are in the table. */
static void write_meanings(const struct page *page, const struct bs_group *const *order,
                           size_t shown)
{
    bool seen[BS_WAITS] = {false};
    for (size_t i = 0; i < shown; i++)
        seen[order[i]->times.waited] = true;
    for (unsigned wait = 0; wait < BS_WAITS; wait++) {
        char text[BS_SENTENCE], name[32];
        const char *meaning = bs_wait_meaning((enum bs_wait)wait);
        if (!seen[wait] || !meaning)
            continue;
        snprintf(text, sizeof text, "%s: %s.", wait_text(wait, name), meaning);
        bs_spool_text(page->out, "  ");
        bs_screen_wrap(&page->screen, page->out, 4, text);
    }
}

/* Explains the columns that the screen had room for. */
static void write_legend(const struct page *page, const struct bs_table *table)
{
    char text[BS_SENTENCE];
    const bool queued = !table->left_out[COLUMN_QUEUED];
    const bool finished = !table->left_out[COLUMN_FINISHED];
    snprintf(text, sizeof text,
             "share: of all the waiting. wait: cycles that a warp waits to issue it, on average, "
             "and mainly for what.%s%s",
             queued ? " queued: from issue to its first pass." : "",
             finished ? " finished: from issue to the end." : "");
    bs_screen_wrap(&page->screen, page->out, 0, text);
}

static bool write_waiting(const struct page *page, const struct bs_group *const *order,
                          size_t count, uint64_t all)
{
    const char *last = page->has_places ? "source" : "kernel";
    const struct bs_column columns[] = {
        {.name = "share", .title = "share"},
        {.name = "wait", .title = "wait"},
        {.name = "mainly", .title = "mainly for", .left = true},
        [COLUMN_QUEUED] = {.name = "queued", .title = "queued", .drop = 2},
        [COLUMN_FINISHED] = {.name = "finishing", .title = "finished", .drop = 1},
        {.name = "records", .title = "records"},
        {.name = "pc", .title = "pc"},
        {.name = "op", .title = "op", .left = true},
        {.name = last, .title = last, .left = true, .shrink = 14},
    };
    const size_t shown = count < page->top ? count : (size_t)page->top;
    struct bs_table table;
    write_title(page, "Instructions", ", longest wait of all their warps first", shown, count);
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, page->out);
    for (size_t i = 0; i < shown; i++)
        instruction_row(&table, page, order[i], all);
    bs_table_end(&table);
    bs_spool_text(page->out, "\n");
    if (order[0]->times.waited == BS_WAIT_NONE)
        bs_spool_text(page->out, "No warp waits to issue an instruction.\n");
    else if (!write_most(page, order[0]))
        return false;
    bs_spool_text(page->out, "\n");
    write_legend(page, &table);
    write_meanings(page, order, shown);
    return true;
}

static bool write_instructions(struct page *page)
{
    const struct bs_tally *tally = &page->timing->by_pc;
    const struct bs_group **order = malloc((tally->count + 1) * sizeof *order);
    uint64_t all = 0;
    bool fine = order != NULL;
    for (size_t i = 0; order && i < tally->count; i++) {
        order[i] = &tally->groups[i];
        page->has_places |= tally->groups[i].place > 0;
        all += tally->groups[i].times.waiting;
    }
    if (order && tally->count > 0) {
        qsort(order, tally->count, sizeof *order, longest_first);
        fine = write_waiting(page, order, tally->count, all);
    }
    free(order);
    return fine;
}

bool bs_time_report_text(const struct bs_run_timing *timing, const struct bs_replay *replay,
                         uint64_t top, struct bs_spool *out)
{
    struct page page = {timing, replay, bs_screen_of_stdout(), out, top, false};
    write_head(&page);
    bs_time_report_notes(timing, replay, write_bullet, &page);
    if (timing->cycles == 0)
        return true;
    bs_spool_text(out, "\n");
    write_causes(&page);
    write_use(&page);
    write_launches(&page);
    return write_instructions(&page);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static const char *const limit_names[] = {
    [BS_LIMIT_LAUNCH] = "launch",
    [BS_LIMIT_WISH] = "asked for",
    [BS_LIMIT_MEMORY] = "shared memory",
    [BS_LIMIT_WARPS] = "warps",
    [BS_LIMIT_CTAS] = "CTAs",
};

static void json_causes(struct bs_json *json, const uint64_t by_cause[BS_CAUSES])
{
    bs_json_map(json, "causes", BS_JSON_FLAT);
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        bs_json_number(json, bs_cause_name((enum bs_cause)cause), by_cause[cause]);
    bs_json_close(json);
}

static void json_launch(struct bs_json *json, const struct bs_replay *replay,
                        const struct bs_timed_launch *launch)
{
    bs_json_map(json, NULL, BS_JSON_FLAT);
    bs_json_text(json, "kernel", replay->names.list[launch->kernel]);
    bs_json_number(json, "trace", launch->trace);
    bs_json_number(json, "launch", launch->launch);
    bs_json_number(json, "records", launch->records);
    bs_json_number(json, "cycles", launch->cycles);
    json_causes(json, launch->causes);
    bs_json_number(json, "ctas", launch->resident.demand.ctas);
    bs_json_number(json, "warps", launch->resident.demand.warps);
    if (launch->resident.demand.smem < 0)
        bs_json_null(json, "smem");
    else
        bs_json_number(json, "smem", (uint64_t)launch->resident.demand.smem);
    bs_json_number(json, "resident", launch->resident.ctas);
    bs_json_text(json, "resident_limit", limit_names[launch->resident.limit]);
    bs_json_close(json);
}

void bs_time_report_json(const struct bs_run_timing *timing, const struct bs_replay *replay,
                         struct bs_json *json)
{
    bs_json_map(json, "timing", BS_JSON_TALL);
    bs_json_number(json, "cycles", timing->cycles);
    json_causes(json, timing->causes);
    bs_json_list(json, "bank_uses", BS_JSON_FLAT);
    for (uint32_t bank = 0; bank < replay->model->banks; bank++)
        bs_json_number(json, NULL, timing->banks.uses[bank]);
    bs_json_close(json);
    bs_json_text(json, "basis", bs_basis_name((enum bs_basis)replay->model->timing.basis));
    bs_json_bool(json, "has_dependencies", timing->dependent > 0);
    bs_json_list(json, "launches", BS_JSON_TALL);
    for (size_t i = 0; i < timing->launch_count; i++)
        json_launch(json, replay, &timing->launches[i]);
    bs_json_close(json);
    bs_json_close(json);
}
