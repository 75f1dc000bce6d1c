/* The report of time: the causes of cycles, the banks, the launches, the instructions that wait. */
#include "time_report.h"

#include "screen.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* A cause in words. */
static const struct {
    const char *meaning;
    const char *advice; /* if most of the time went there */
} causes[BS_CAUSES] = {
    [BS_CAUSE_NEEDED] = {"passes that had to be",
                         "The array is busy with what must be: only fewer bytes to move would take "
                         "less time."},
    [BS_CAUSE_CONFLICT] = {"bank conflicts: passes above the ideal",
                           "Padding or a swizzle of the addresses could take the conflicts away."},
    [BS_CAUSE_SPACING] = {"gaps between passes that no other warp filled",
                          "A warp makes a pass only every few cycles; passes of other warps could "
                          "fill the gaps, and without conflicts there would be fewer of them."},
    [BS_CAUSE_ISSUE] = {"no instruction could be issued sooner",
                        "Instructions come too slowly to keep the array busy: more warps would "
                        "issue more of them, and wider accesses do more with each."},
    [BS_CAUSE_DEPENDENCY] = {"the next instruction needs a value still to come",
                             "Loads wait for one another: more warps, or loads that do not depend "
                             "on each other, would fill the time."},
    [BS_CAUSE_LATENCY] = {"loads have to come back before a barrier",
                          "Barriers stand close behind loads: work between the two, or other CTAs, "
                          "would fill the time."},
    [BS_CAUSE_BARRIER] = {"warps wait for one another at a barrier",
                          "Barriers cost most of the time: fewer of them, or more CTAs at a time, "
                          "would help."},
    [BS_CAUSE_IDLE] = {"all is issued; the last values come back",
                       "There is too little work to fill the time until the last values are back."},
};

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

void bs_time_report_notes(const struct bs_run_timing *timing, const struct bs_replay *replay,
                          void (*write)(void *user, const char *sentence), void *user)
{
    const struct bs_model *model = replay->model;
    char text[BS_SENTENCE];
    if (timing->launch_count > 0 && timing->dependent == 0)
        write(user, "No dependencies are in the trace (dep=): every load counts as independent of "
                    "the others, so that the cycles are a lower bound.");
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
        if (timing->causes[cause] == 0)
            continue;
        share_cell(&table, timing->causes[cause], timing->cycles);
        bs_table_number(&table, timing->causes[cause]);
        bs_table_tone(&table, cause == most ? BS_BOLD : BS_PLAIN,
                      bs_cause_name((enum bs_cause)cause));
        bs_table_text(&table, causes[cause].meaning);
    }
    bs_table_end(&table);
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
             "The array works in %.1f %% of the cycles. A bank works in %.1f %% of them%s%s. %s",
             percent(passes_of(timing->causes), timing->cycles),
             all > 0 ? 100.0 * (double)banks.all / all : 0.0,
             banks.most > banks.least ? " on average" : ", each as often as the others", each,
             causes[main_cause(timing->causes)].advice);
    bs_spool_text(page->out, "\n");
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
    bs_table_text(table, page->replay->names.list[launch->kernel]);
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
}

/* What warps wait for, in words. */
static const char *const wait_meanings[BS_WAITS] = {
    [BS_WAIT_BARRIER] = "the other warps have not come, or the barrier has just opened",
    [BS_WAIT_RESULTS] = "the warp's own loads have to come back before it enters the barrier",
    [BS_WAIT_DEP] = "the value that it needs is not there yet",
    [BS_WAIT_INTERVAL] = "the warp has just issued another",
    [BS_WAIT_QUEUE] = "the queue behind its scheduler is full",
    [BS_WAIT_IN_FLIGHT] = "the queues behind its scheduler and of the array are full",
    [BS_WAIT_SCHEDULER] = "its scheduler is busy with another instruction",
};

/* ---- the instructions that wait -------------------------------------------------------------- */

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

static void instruction_row(struct bs_table *table, const struct page *page,
                            const struct bs_group *group, uint64_t all)
{
    char op[BS_OP_NAME];
    const struct bs_group_times *times = &group->times;
    share_cell(table, times->waiting, all);
    average_cell(table, times->waiting, group->sums.records);
    bs_table_text(table, bs_wait_name((enum bs_wait)times->waited));
    average_cell(table, times->queued, group->sums.records);
    average_cell(table, times->finishing, group->sums.records);
    bs_table_number(table, group->sums.records);
    bs_table_hex(table, group->key.pc);
    bs_table_text(table, bs_op_name(bs_op_at(group->key.op), op));
    if (!page->has_places)
        bs_table_text(table, page->replay->names.list[group->key.kernel]);
    else if (group->place)
        bs_table_text(table, page->replay->names.list[group->place - 1]);
    else
        bs_table_null(table);
}

/* Explains the waits that are in the table. */
static void write_meanings(const struct page *page, const struct bs_group *const *order,
                           size_t shown)
{
    bool seen[BS_WAITS] = {false};
    for (size_t i = 0; i < shown; i++)
        seen[order[i]->times.waited] = true;
    for (unsigned wait = 0; wait < BS_WAITS; wait++) {
        char text[BS_SENTENCE];
        if (!seen[wait] || !wait_meanings[wait])
            continue;
        snprintf(text, sizeof text, "%s: %s.", bs_wait_name((enum bs_wait)wait),
                 wait_meanings[wait]);
        bs_spool_text(page->out, "  ");
        bs_screen_wrap(&page->screen, page->out, 4, text);
    }
}

static void write_waiting(const struct page *page, const struct bs_group *const *order,
                          size_t count, uint64_t all)
{
    const char *last = page->has_places ? "source" : "kernel";
    const struct bs_column columns[] = {
        {.name = "share", .title = "share"},
        {.name = "wait", .title = "wait"},
        {.name = "mainly", .title = "mainly for", .left = true},
        {.name = "queued", .title = "queued", .drop = 2},
        {.name = "finishing", .title = "finished", .drop = 1},
        {.name = "records", .title = "records"},
        {.name = "pc", .title = "pc"},
        {.name = "op", .title = "op", .left = true},
        {.name = last, .title = last, .left = true, .shrink = 16},
    };
    const size_t shown = count < page->top ? count : (size_t)page->top;
    struct bs_table table;
    write_title(page, "Instructions", ", longest wait of all their warps first", shown, count);
    bs_table_begin(&table, BS_TEXT, columns, sizeof columns / sizeof *columns, page->out);
    for (size_t i = 0; i < shown; i++)
        instruction_row(&table, page, order[i], all);
    bs_table_end(&table);
    bs_spool_text(page->out, "\n");
    bs_screen_wrap(&page->screen, page->out, 0,
                   "wait: cycles that a warp waits to issue it, on average, and mainly for what; "
                   "queued: from issue to its first pass; finished: from issue to the end.");
    write_meanings(page, order, shown);
}

static bool write_instructions(struct page *page)
{
    const struct bs_tally *tally = &page->timing->by_pc;
    const struct bs_group **order = malloc((tally->count + 1) * sizeof *order);
    uint64_t all = 0;
    for (size_t i = 0; order && i < tally->count; i++) {
        order[i] = &tally->groups[i];
        page->has_places |= tally->groups[i].place > 0;
        all += tally->groups[i].times.waiting;
    }
    if (order && tally->count > 0) {
        qsort(order, tally->count, sizeof *order, longest_first);
        write_waiting(page, order, tally->count, all);
    }
    free(order);
    return order != NULL;
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
