/* bankshot run: replays traces and reports what they cost. */
#include "files.h"
#include "filters.h"
#include "imports.h"
#include "options.h"
#include "output_file.h"
#include "reading.h"
#include "report.h"
#include "run_output.h"
#include "subject.h"
#include "threads.h"

#include <string.h>

enum { BY_UNSAID = BS_BY_TOTAL + 1 };

struct run_options {
    const char *model;
    struct bs_words sets;
    const char *top;
    unsigned by; /* enum bs_by, or BY_UNSAID */
    unsigned format;
    bool allow_misaligned;
    const char *threads_word;
    unsigned threads;
    struct bs_trace_options reading;
    struct bs_words lets;
    struct bs_let_list bound;
    struct bs_words expect;
    bool check;
    struct bs_filter_words words;
    struct bs_filter filter;
    bool timing;
    bool early_exit;
    const char *resident_word;
    uint64_t resident;
    const char *timeline;
};

/* What the replay's observer writes to, checks with and times. */
struct observer {
    struct bs_run_output output;
    struct bs_checks checks;
    struct bs_run_timing timing;
    bool by_record;
};

/* ---- the run --------------------------------------------------------------------------------- */

static void start_replay(void *user, const struct bs_replay *replay)
{
    struct observer *observer = user;
    bs_run_output_start(&observer->output, replay);
    if (observer->output.timing)
        bs_run_timing_start(&observer->timing, replay);
}

static struct bs_record_row row_of(const struct bs_entry *entry)
{
    const struct bs_access *access = entry->access;
    return (struct bs_record_row){
        .kernel = entry->kernel,
        .op = access->op.index,
        .cta = access->cta,
        .warp = access->warp,
        .pc = access->pc,
        .mask = access->mask,
        .active = entry->active,
        .passes = entry->cost->passes,
        .slots = entry->cost->slots,
        .ideal = entry->cost->ideal,
        .undefined = entry->cost->undefined,
        .trace = entry->trace,
        .record = access->record,
    };
}

static bool write_row(void *user, const struct bs_record_row *row, struct bs_error *error)
{
    return bs_run_output_record(user, row, error);
}

/* With timing a row by record is written when its launch has been run. */
static bool take_record(void *user, const struct bs_record *record, const struct bs_entry *entry,
                        struct bs_error *error)
{
    struct observer *observer = user;
    const struct bs_replay *replay = observer->output.replay;
    const struct bs_record_row row = row_of(entry);
    if (observer->output.checks &&
        !bs_checks_record(&observer->checks, replay, record, entry, error))
        return false;
    if (observer->output.timing)
        return bs_run_timing_record(&observer->timing, replay, record, entry,
                                    observer->by_record ? &row : NULL, error);
    return !observer->by_record || write_row(&observer->output, &row, error);
}

static bool end_trace(void *user, const struct bs_replay *replay, struct bs_error *error)
{
    struct observer *observer = user;
    return bs_checks_trace(&observer->checks, replay, error);
}

/* Ends a run that went well: what is timed and checked in the end, and all output. */
static enum bs_status end(struct observer *observer, struct bs_replay *replay)
{
    struct bs_error error;
    const bool checks = observer->output.checks != NULL;
    struct bs_tally *tally = replay->tally_count > 0 ? &replay->tallies[0] : NULL;
    if (observer->output.timing && !bs_run_timing_end(&observer->timing, replay, tally, &error))
        return bs_complain(&error);
    if (checks && !bs_checks_rows(&observer->checks, observer->output.replay, &error))
        return bs_complain(&error);
    const enum bs_status status = bs_run_output_end(&observer->output);
    return status == BS_OK && checks ? bs_checks_status(&observer->checks, replay) : status;
}

/* Without --by, text is the report; its instructions are all shown where they are asked for. */
static bool is_report(const struct run_options *options)
{
    return options->format == BS_TEXT && (options->by == BY_UNSAID || options->by == BS_BY_PC);
}

/* The output that the options ask for. */
static struct bs_run_output make_output(const struct run_options *options, uint64_t top,
                                        const struct bs_checks *checks)
{
    const bool checking = options->check || options->expect.count > 0;
    return (struct bs_run_output){
        .by = options->by == BY_UNSAID ? BS_BY_PC : (enum bs_by)options->by,
        .format = (enum bs_format)options->format,
        .is_report = is_report(options),
        .top = top,
        .checks = checking ? checks : NULL,
        .verdict_only = checking && options->by == BY_UNSAID && options->format == BS_TEXT,
    };
}

/* The reports of shards and the report for people also need the sums by kernel. */
static size_t tally_count(const struct bs_run_output *output, const struct run_options *options)
{
    const bool shard = output->format == BS_JSON && options->filter.shards > 0;
    if (output->by == BS_BY_RECORD)
        return 0;
    return output->is_report || (shard && output->by == BS_BY_PC) ? 2 : 1;
}

/* Everything that looks on, as the options ask for it; parts of it point to others. */
static void make_observer(struct observer *observer, const struct run_options *options,
                          uint64_t top)
{
    const unsigned time = options->timing ? BS_ROW_TIMING : 0;
    *observer = (struct observer){
        .checks = {.expect = &options->expect, .own = options->check},
        .by_record = options->by == BS_BY_RECORD,
        .timing = {.resident = (uint32_t)options->resident,
                   .early_exit = options->early_exit,
                   .timeline = options->timeline,
                   .by_record = options->by == BS_BY_RECORD,
                   .row = write_row,
                   .user = &observer->output},
    };
    observer->output = make_output(options, top, &observer->checks);
    observer->output.timing = options->timing ? &observer->timing : NULL;
    if (options->by != BY_UNSAID && !observer->by_record)
        observer->checks.rows = 1u << observer->output.by | time;
}

static enum bs_status replay_and_write(const struct run_options *options, uint64_t top,
                                       const char *const *traces, size_t count)
{
    struct bs_error error;
    struct observer observer;
    make_observer(&observer, options, top);
    const struct bs_run_output *output = &observer.output;
    struct bs_replay replay = {
        .model_name = options->model,
        .sets = options->sets.list,
        .allow_misaligned = options->allow_misaligned,
        .threads = options->threads,
        .trace_options = options->reading,
        .filter = &options->filter,
        .traces = traces,
        .trace_count = count,
        .tallies = {{.by = output->by}, {.by = BS_BY_KERNEL}},
        .tally_count = tally_count(output, options),
        .start = start_replay,
        .record = observer.by_record || output->checks || output->timing ? take_record : NULL,
        .ended = output->checks ? end_trace : NULL,
        .user = &observer,
    };
    enum bs_status status = bs_checks_start(&observer.checks, &error) ? BS_OK : bs_complain(&error);
    if (status == BS_OK)
        status = bs_replay_run(&replay);
    if (status == BS_OK)
        bs_filter_warn(&replay.met, &options->filter, &options->words, replay.totals.records);
    if (status == BS_OK)
        status = end(&observer, &replay);
    bs_run_timing_free(&observer.timing);
    bs_checks_free(&observer.checks);
    bs_run_output_free(&observer.output);
    bs_replay_free(&replay);
    return status;
}

/* --top N or all. */
static enum bs_status parse_top(const struct bs_verb *verb, const struct run_options *options,
                                uint64_t *top)
{
    *top = options->by == BS_BY_PC ? UINT64_MAX : BS_DEFAULT_TOP;
    if (!options->top)
        return BS_OK;
    if (!is_report(options))
        return bs_usage_error(verb, "--top is for the report: text, by instruction");
    return bs_top_of_word(verb, options->top, top);
}

static enum bs_status check_traces(const struct bs_verb *verb, int count, char **words)
{
    int streams = 0;
    for (int i = 0; i < count; i++)
        streams += strcmp(words[i], "-") == 0;
    if (count == 0)
        return bs_usage_error(verb, "expected a trace, or - for standard input");
    if (streams > 1)
        return bs_usage_error(verb, "standard input can be read only once");
    return BS_OK;
}

/* What sketches expect is about records. */
static enum bs_status check_checks(const struct bs_verb *verb, const struct run_options *options)
{
    const bool rows = options->by != BY_UNSAID && options->by != BS_BY_RECORD;
    if (options->check && rows)
        return bs_usage_error(verb, "--check is about records: it goes without --by, or with "
                                    "--by record");
    return BS_OK;
}

/* The options of time, which --timeline, --resident and --early-exit imply. A warp is timed as a
 * whole: without some of its instructions the others would depend on the wrong ones. And parts of a
 * launch that are timed apart cannot be merged. */
static enum bs_status check_timing(const struct bs_verb *verb, struct run_options *options,
                                   int count, char **traces)
{
    const struct bs_filter_words *words = &options->words;
    char shown[64];
    options->timing |= options->timeline || options->resident_word || options->early_exit;
    if (!options->timing)
        return BS_OK;
    if (words->pc || words->op || words->first || words->shard)
        return bs_usage_error(verb, "--timing needs whole warps: it does not go with --pc, --op, "
                                    "--first and --shard");
    const char *resident = options->resident_word;
    if (resident && (!bs_number_parse(resident, strlen(resident), UINT32_MAX, &options->resident) ||
                     options->resident == 0))
        return bs_usage_error(verb,
                              "--resident: expected a number from 1 to 4294967295, found '%s'",
                              bs_printable(resident, strlen(resident), shown, sizeof shown));
    if (options->timeline && !options->timeline[0])
        return bs_usage_error(verb, "--timeline: expected a file, found ''");
    if (options->timeline && bs_output_is_stdout(options->timeline))
        return bs_usage_error(verb, "--timeline: expected a file of its own, for standard output "
                                    "has the report");
    for (int i = 0; options->timeline && i < count; i++)
        if (bs_same_file(options->timeline, traces[i]))
            return bs_usage_error(verb, "--timeline: '%s' is a trace that is read",
                                  bs_printable(traces[i], strlen(traces[i]), shown, sizeof shown));
    const char *model = options->model;
    if (options->timeline && model && bs_same_file(options->timeline, model))
        return bs_usage_error(verb, "--timeline: '%s' is the model that is read",
                              bs_printable(model, strlen(model), shown, sizeof shown));
    return BS_OK;
}

static size_t time_option_table(struct run_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = (struct bs_option){
        .name = "timing",
        .help =
            "also say how many cycles each launch takes on one multiprocessor, and where they go",
        .kind = BS_OPTION_FLAG,
        .target = &options->timing,
    };
    table[count++] = (struct bs_option){
        .name = "resident",
        .value = "N",
        .help = "--timing with N CTAs at a time (default: as many as the model has room for)",
        .kind = BS_OPTION_TEXT,
        .target = &options->resident_word,
    };
    table[count++] = (struct bs_option){
        .name = "early-exit",
        .help = "--timing, and warps whose records end have returned: barriers go on without them, "
                "as on an H200",
        .kind = BS_OPTION_FLAG,
        .target = &options->early_exit,
    };
    table[count++] = (struct bs_option){
        .name = "timeline",
        .value = "FILE",
        .help = "--timing, and write what happens when for Perfetto or chrome://tracing",
        .kind = BS_OPTION_TEXT,
        .target = &options->timeline,
    };
    return count;
}

static size_t check_option_table(struct run_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_let(&options->lets);
    table[count++] = (struct bs_option){
        .name = "check",
        .help = "hold each record to what its sketch expects of it; exit 1 if one does not",
        .kind = BS_OPTION_FLAG,
        .target = &options->check,
    };
    table[count++] = (struct bs_option){
        .name = "expect",
        .value = "EXPR",
        .help = "what should hold of each record, such as 'passes <= ideal', or with --by of each "
                "row; exit 1 if it does not (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = &options->expect,
    };
    return count;
}

static size_t option_table(struct run_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_model(&options->model);
    table[count++] = bs_option_set(&options->sets);
    table[count++] = (struct bs_option){
        .name = "by",
        .value = "WHAT",
        .help = "one row for each record, pc, line (of the source, or the pc where the trace does "
                "not say), op or kernel, or a single one: total (default: a report of the worst "
                "instructions)",
        .kind = BS_OPTION_CHOICE,
        .target = &options->by,
        .choices = bs_by_names,
    };
    table[count++] = bs_option_table_format(&options->format);
    table[count++] = bs_option_top(&options->top);
    count += check_option_table(options, table + count);
    count += time_option_table(options, table + count);
    table[count++] = bs_option_allow_misaligned(&options->allow_misaligned);
    table[count++] =
        bs_option_threads(&options->threads_word,
                          "how many threads count the records of a long trace (default: one a "
                          "core, at most 4); the result does not depend on it");
    count += bs_import_option_table(&options->reading, table + count);
    return count + bs_filter_option_table(&options->words, table + count);
}

/* Few traces are so long that more would be worth their memory. */
static unsigned default_threads(void)
{
    enum { ENOUGH = 4 };
    const unsigned cores = bs_crew_cores();
    return cores < ENOUGH ? cores : ENOUGH;
}

static enum bs_status start(const struct bs_verb *verb, struct run_options *options, int count,
                            char **words)
{
    struct bs_error error;
    uint64_t top;
    enum bs_status status = check_traces(verb, count, words);
    if (status == BS_OK)
        status = bs_threads_of_word(verb, options->threads_word, &options->threads);
    if (status == BS_OK)
        status = parse_top(verb, options, &top);
    if (status == BS_OK)
        status = check_checks(verb, options);
    if (status == BS_OK)
        status = check_timing(verb, options, count, words);
    if (status == BS_OK && !bs_filter_of_words(verb, &options->words, &options->filter))
        status = BS_USAGE;
    if (status == BS_OK &&
        !bs_reading_bind(&options->bound, &options->lets, &options->reading, &error))
        status = bs_complain(&error);
    return status == BS_OK
               ? replay_and_write(options, top, (const char *const *)words, (size_t)count)
               : status;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct run_options options = {.by = BY_UNSAID, .format = BS_TEXT, .threads = default_threads()};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = start(verb, &options, argc - operand, argv + operand);
    bs_words_free(&options.sets);
    bs_words_free(&options.lets);
    bs_words_free(&options.expect);
    return status;
}

const struct bs_verb bs_verb_run = {
    .name = "run",
    .summary = "replay traces and report passes",
    .usage = "[OPTION]... TRACE...|-",
    .about =
        "Replays traces of shared-memory accesses through a device model and reports the "
        "passes of the bank array that they cost. Several traces add up. - is standard "
        "input.\n"
        "\n"
        "passes: of the bank array, which is what a profiler counts as wavefronts; "
        "slots: cycles that the data stage is occupied; ideal: ceil(active lanes x bytes / "
        "bytes of a pass), which does not know which lanes share words, so passes can be fewer "
        "(multicast); excess: passes above the ideal, summed over the records that have any: "
        "for the most part bank conflicts; undefined: bytes that several lanes wrote in one "
        "instruction, so that no "
        "value "
        "is certain.\n"
        "\n"
        "--timing runs the warps of each launch through the engine: cycles on one multiprocessor, "
        "and what each of them went to ('bankshot help timing' tells the causes). Global memory, "
        "arithmetic, registers and the other multiprocessors are not part of it.\n",
    .examples = "  bankshot run kernel.trace\n"
                "  bankshot run --by kernel a.trace b.trace.xz\n"
                "  bankshot run --by line kernel.trace\n"
                "  bankshot run FOLDER/kernelslist.g\n"
                "  bankshot run -m ampere --set banks=64 kernel.trace\n"
                "  bankshot run --timing --resident 4 --timeline kernel.json kernel.trace\n"
                "  bankshot run --by pc --format csv kernel.trace > passes.csv\n"
                "  bankshot run --check traces/sketches/transpose-padded.yaml --let pad=1\n"
                "  bankshot run --expect 'passes <= ideal' --op 'ld.*' kernel.trace\n"
                "  zcat kernel.trace.gz | bankshot run --by total --format json - | jq .totals\n",
    .run = run,
};
