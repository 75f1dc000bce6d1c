/* bankshot sweep: many models, or many layouts, at once. */
#include "chart.h"
#include "sweep_job.h"
#include "sweep_pictures.h"
#include "threads.h"

#include <stdlib.h>
#include <string.h>

/* ---- results --------------------------------------------------------------------------------- */

static enum bs_status write_table(const struct bs_sweep_result *result, enum bs_format format)
{
    struct bs_spool out = {0};
    if (bs_result_write(result, format, &out))
        return bs_spool_print(&out);
    bs_spool_free(&out);
    return bs_out_of_memory();
}

/* The table comes first: it is there even if a picture fails. */
static enum bs_status write_results(const struct bs_sweep_job *job,
                                    const struct bs_pictures *pictures, const char *subject)
{
    const struct bs_sweep_options *options = job->options;
    const struct bs_sweep_result result = {
        .plan = &job->plan,
        .cells = job->cells,
        .bases = &job->bases,
        .subject = subject,
        .is_eval = options->is_eval,
        .metric = (enum bs_metric)options->metric,
        .names = options->by ? &job->names : NULL,
    };
    enum bs_status status = BS_OK;
    if (!bs_pictures_take_stdout(pictures))
        status = write_table(&result, (enum bs_format)options->format);
    const enum bs_status drawn = bs_pictures_draw(pictures, &result);
    return status == BS_OK ? drawn : status;
}

/* What was swept, in words; the caller frees it. */
static char *subject_of(const struct bs_sweep_options *options, char **operands, size_t count)
{
    const struct bs_subject_options *subject = &options->subject;
    struct bs_buffer text = {0};
    for (size_t i = 0; i < count; i++)
        bs_buffer_printf(&text, "%s%s", i == 0 ? "" : options->is_eval ? "  " : ", ", operands[i]);
    for (size_t i = 0; i < subject->lets.count; i++)
        bs_buffer_printf(&text, "  --let %s", subject->lets.list[i]);
    if (subject->mask)
        bs_buffer_printf(&text, "  --mask %s", subject->mask);
    if (subject->src)
        bs_buffer_printf(&text, "  --src %s", subject->src);
    bs_filter_words_text(&options->words, "  ", &text);
    return bs_buffer_take(&text);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* What is read from files, which no picture may take the place of: the traces and the models. False
 * when memory is out. */
static bool files_read(const struct bs_sweep_job *job, char **operands, size_t count,
                       struct bs_words *files)
{
    const struct bs_axis *axis = bs_plan_model_axis(&job->plan);
    bool added = true;
    for (size_t i = 0; added && i < count && !job->options->is_eval; i++)
        added = bs_words_add(files, operands[i]);
    if (added && job->options->subject.model)
        added = bs_words_add(files, job->options->subject.model);
    for (size_t i = 0; added && axis && i < axis->count; i++)
        added = bs_words_add(files, axis->values[i]);
    return added;
}

static enum bs_status check_pictures(const struct bs_verb *verb, const struct bs_sweep_job *job,
                                     const struct bs_pictures *pictures, char **operands,
                                     size_t count)
{
    struct bs_words files = {0};
    enum bs_status status = BS_OK;
    if (bs_pictures_wanted(pictures) && job->options->by)
        return bs_usage_error(verb, "--svg and --png draw totals, not kernels");
    if (files_read(job, operands, count, &files))
        status = bs_pictures_check(pictures, verb, &job->plan, files.list, files.count);
    else
        status = bs_out_of_memory();
    bs_words_free(&files);
    return status;
}

static enum bs_status check_eval(const struct bs_verb *verb, const struct bs_sweep_options *options,
                                 char **words, size_t count)
{
    struct bs_buffer filters = {0};
    struct bs_subject subject = {0};
    struct bs_error error;
    bs_filter_words_text(&options->words, "", &filters);
    const bool filtered = filters.size > 0;
    bs_buffer_free(&filters);
    if (count != 2)
        return bs_usage_error(verb, "--eval needs 2 operands, OP and ADDRS, found %zu", count);
    if (options->by)
        return bs_usage_error(verb, "--by kernel is for traces");
    if (filtered)
        return bs_usage_error(verb, "the options that choose records are for traces");
    return bs_subject_op(&subject, words[0], &error) ? BS_OK
                                                     : bs_usage_error(verb, "%s", error.text);
}

static enum bs_status check_traces(const struct bs_verb *verb,
                                   const struct bs_sweep_options *options, char **words,
                                   size_t count)
{
    size_t streams = 0;
    for (size_t i = 0; i < count; i++)
        streams += strcmp(words[i], "-") == 0;
    if (options->subject.mask || options->subject.src)
        return bs_usage_error(verb, "--mask and --src go with --eval");
    if (count == 0)
        return bs_usage_error(verb, "expected a trace, - for standard input, or --eval OP ADDRS");
    if (streams > 1 || (streams > 0 && options->vary_let.count > 0))
        return bs_usage_error(verb, "standard input can be read only once");
    return BS_OK;
}

/* Makes the plan. What is wrong with single values is said before anything is read. */
static enum bs_status make_plan(const struct bs_verb *verb, struct bs_sweep_job *job)
{
    const struct bs_sweep_options *options = job->options;
    struct bs_error error;
    if (!bs_plan_make(&job->plan, options->vary.list, options->vary_let.list, &error))
        return error.status == BS_USAGE ? bs_usage_error(verb, "%s", error.text)
                                        : bs_complain(&error);
    if (options->subject.model && bs_plan_model_axis(&job->plan))
        return bs_usage_error(verb, "the model is both given and varied");
    return bs_plan_check(&job->plan, &options->subject.sets, &options->subject.lets, &error)
               ? BS_OK
               : bs_complain(&error);
}

static enum bs_status check(const struct bs_verb *verb, const struct bs_sweep_job *job,
                            const struct bs_pictures *pictures, char **operands, size_t count)
{
    const struct bs_sweep_options *options = job->options;
    const enum bs_status status = options->is_eval ? check_eval(verb, options, operands, count)
                                                   : check_traces(verb, options, operands, count);
    return status == BS_OK ? check_pictures(verb, job, pictures, operands, count) : status;
}

/* Everything has been checked: count, and show what came of it. */
static enum bs_status count_and_write(struct bs_sweep_job *job, const struct bs_pictures *pictures,
                                      char **operands, size_t count)
{
    enum bs_status status = job->options->is_eval
                                ? bs_sweep_instruction(job, operands[0], operands[1])
                                : bs_sweep_traces(job, operands, count);
    char *subject = status == BS_OK ? subject_of(job->options, operands, count) : NULL;
    if (subject)
        status = write_results(job, pictures, subject);
    else if (status == BS_OK)
        status = bs_out_of_memory();
    free(subject);
    return status;
}

static enum bs_status sweep(const struct bs_verb *verb, const struct bs_sweep_options *options,
                            const struct bs_pictures *pictures, char **operands, size_t count)
{
    struct bs_filter filter;
    struct bs_sweep_job job = {.options = options, .filter = &filter, .threads = bs_crew_cores()};
    enum bs_status status = bs_threads_of_word(verb, options->threads, &job.threads);
    if (status == BS_OK && !bs_filter_of_words(verb, &options->words, &filter))
        status = BS_USAGE;
    if (status == BS_OK)
        status = make_plan(verb, &job);
    if (status == BS_OK)
        status = check(verb, &job, pictures, operands, count);
    if (status == BS_OK)
        status = count_and_write(&job, pictures, operands, count);
    bs_sweep_job_free(&job);
    return status;
}

static struct bs_option choice(const char *name, const char *value, const char *help,
                               unsigned *target, const char *const *choices)
{
    return (struct bs_option){.name = name,
                              .value = value,
                              .help = help,
                              .kind = BS_OPTION_CHOICE,
                              .target = target,
                              .choices = choices};
}

static struct bs_option text_option(const char *name, const char *value, const char *help,
                                    enum bs_option_kind kind, void *target)
{
    return (struct bs_option){
        .name = name, .value = value, .help = help, .kind = kind, .target = target};
}

static size_t option_table(struct bs_sweep_options *options, struct bs_pictures *pictures,
                           struct bs_option *table)
{
    static const char *const by_names[] = {"total", "kernel", NULL};
    size_t count = 0;
    table[count++] = text_option("vary", "KEY=VALUES",
                                 "a key of the model, or 'model', and what it takes in turn "
                                 "(repeatable)",
                                 BS_OPTION_WORDS, &options->vary);
    table[count++] = choice("metric", "WHAT", "what is marked and drawn (default: passes)",
                            &options->metric, bs_metric_names);
    table[count++] =
        choice("by", "WHAT", "total (default), or kernel: a row for each", &options->by, by_names);
    table[count++] = bs_option_table_format(&options->format);
    table[count++] = text_option("svg", "FILE", "draw one varied key as bars, two as a heat map",
                                 BS_OPTION_TEXT, &pictures->paths[BS_CHART_SVG]);
    table[count++] = text_option("png", "FILE", "the same as PNG; - is standard output",
                                 BS_OPTION_TEXT, &pictures->paths[BS_CHART_PNG]);
    table[count++] =
        bs_option_threads(&options->threads, "how many threads count (default: all cores)");
    table[count++] = text_option("eval", NULL, "sweep one instruction: the operands are OP ADDRS",
                                 BS_OPTION_FLAG, &options->is_eval);
    table[count++] =
        text_option("vary-let", "NAME=VALUES",
                    "a name in ADDRS, or a parameter of a sketch, and what it takes in turn "
                    "(repeatable)",
                    BS_OPTION_WORDS, &options->vary_let);
    count += bs_subject_option_table(&options->subject, table + count);
    count += bs_import_option_table(&options->subject.reading, table + count);
    return count + bs_filter_option_table(&options->words, table + count);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct bs_sweep_options options = {.subject.takes_traces = true};
    struct bs_pictures pictures = {0};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, &pictures, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = sweep(verb, &options, &pictures, argv + operand, (size_t)(argc - operand));
    bs_words_free(&options.vary);
    bs_words_free(&options.vary_let);
    bs_subject_options_free(&options.subject);
    return status;
}

const struct bs_verb bs_verb_sweep = {
    .name = "sweep",
    .summary = "many models or layouts at once",
    .usage = "[OPTION]... TRACE...|-\n[OPTION]... --eval OP ADDRS",
    .about = "Prices traces, or one instruction, on every combination of what is varied: what "
             "would this kernel cost if shared memory, or a sketch's parameters, were different? "
             "A trace is read once, a sketch once for each of its own combinations.\n"
             "\n"
             "VALUES is a list joined by commas; A..B, A..B:STEP and A..B:xFACTOR are ranges. A "
             "combination that cannot be is a row that says why. The best rows are marked.\n",
    .examples =
        "  bankshot sweep kernel.trace --vary bank_width=4,8,16 --vary banks=16..128:x2\n"
        "  bankshot sweep kernel.trace --vary mapping.xor=none,row,fold --by kernel\n"
        "  bankshot sweep kernel.trace --vary model=hopper,./my-gpu.yaml --format csv\n"
        "  bankshot sweep --eval ld.b32 't*(32+pad)*4' --vary-let pad=0..8\n"
        "  bankshot sweep traces/sketches/transpose-padded.yaml --vary-let pad=0..4\n"
        "  bankshot sweep kernel.trace --vary banks=8..64:8 --metric slots --png a.png\n",
    .run = run,
};
