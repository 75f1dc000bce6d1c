/* bankshot sweep: many models, or many layouts, at once. */
#define _POSIX_C_SOURCE 200809L /* sysconf */
#include "bankshot-traces.h"
#include "chart.h"
#include "imports.h"
#include "lookup.h"
#include "progress.h"
#include "subject.h"
#include "sweep_result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sweep_options {
    struct bs_subject_options subject;
    struct bs_words vary;
    struct bs_words vary_let;
    bool is_eval;
    unsigned metric; /* enum bs_metric */
    unsigned by;     /* 0: total, 1: kernel */
    unsigned format; /* enum bs_format */
    uint64_t threads;
    const char *svg;
    const char *png;
};

/* A sweep while it is made. */
struct job {
    const struct bs_verb *verb;
    const struct sweep_options *options;
    struct bs_plan plan;
    struct bs_model **models; /* of plan.models */
    struct bs_error *errors;  /* why one is missing */
    struct bs_swept *cells;   /* of plan.count */
    struct bs_names names;

    /* While traces are read. */
    struct bs_sweep *sweep;
    struct bs_progress progress;
    struct bs_model_choice choice; /* of the traces */
    uint64_t launch;               /* of the last record; UINT64_MAX before the first of a trace */
    uint32_t group;
    struct bs_import import;
};

/* ---- models ---------------------------------------------------------------------------------- */

static enum bs_status load_models(struct job *job)
{
    const struct sweep_options *options = job->options;
    const char *base = options->subject.model ? options->subject.model
                       : job->choice.name[0]  ? job->choice.name
                                              : BS_DEFAULT_MODEL;
    job->models = calloc(job->plan.models, sizeof *job->models);
    job->errors = calloc(job->plan.models, sizeof *job->errors);
    job->cells = calloc(job->plan.count, sizeof *job->cells);
    if (!job->models || !job->errors || !job->cells ||
        !bs_plan_load(&job->plan, base, &options->subject.sets, job->models, job->errors))
        return bs_out_of_memory();
    for (size_t i = 0; i < job->plan.count; i++) {
        job->cells[i].model = job->models[i / job->plan.lets];
        job->cells[i].failed = !job->cells[i].model;
        job->cells[i].error = job->errors[i / job->plan.lets];
    }
    return BS_OK;
}

static void free_job(struct job *job)
{
    for (size_t i = 0; job->models && i < job->plan.models; i++)
        bs_model_free(job->models[i]);
    for (size_t i = 0; job->cells && i < job->plan.count; i++)
        bs_swept_free(&job->cells[i]);
    free(job->models);
    free(job->errors);
    free(job->cells);
    bs_names_free(&job->names);
    bs_plan_free(&job->plan);
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* Complains on a line of its own. */
static enum bs_status complain(struct job *job, const struct bs_error *error)
{
    bs_progress_end(&job->progress);
    return bs_complain(error);
}

static bool model_is_open(const struct job *job)
{
    return !job->options->subject.model && !bs_plan_model_axis(&job->plan);
}

/* The kernel of a launch: it may have a wish, and it has a name. */
static enum bs_status meet_kernel(struct job *job, const struct bs_kernel *kernel,
                                  const char *trace)
{
    struct bs_error error;
    uint32_t number;
    if (model_is_open(job) && !bs_model_agree(&job->choice, kernel, trace, &error))
        return complain(job, &error);
    return bs_names_intern(&job->names, kernel->name, &number) ? BS_OK : bs_out_of_memory();
}

static enum bs_status start_sweep(struct job *job)
{
    const enum bs_status status = load_models(job);
    if (status != BS_OK)
        return status;
    job->sweep = bs_sweep_start(job->cells, job->plan.count, (unsigned)job->options->threads,
                                job->options->subject.allow_misaligned);
    return job->sweep ? BS_OK : bs_out_of_memory();
}

static enum bs_status enter_kernel(struct job *job, const struct bs_kernel *kernel)
{
    job->launch = kernel->launch;
    if (job->options->by && !bs_names_intern(&job->names, kernel->name, &job->group))
        return bs_out_of_memory();
    return job->sweep ? BS_OK : start_sweep(job);
}

static void show_progress(struct job *job, const struct bs_trace *trace)
{
    uint64_t done;
    uint64_t size;
    if (!bs_progress_is_due(&job->progress))
        return;
    bs_trace_progress(trace, &done, &size);
    bs_progress_draw(&job->progress, bs_trace_name(trace), done, size);
}

/* Reads a trace to its end, or until no model is left. */
static enum bs_status read_open(struct job *job, struct bs_trace *trace, bool *go_on)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_status status = BS_OK;
    job->launch = UINT64_MAX;
    while (*go_on && status == BS_OK) {
        switch (bs_trace_next(trace, &record, &error)) {
        case BS_TRACE_LAUNCH:
            status = meet_kernel(job, record.kernel, bs_trace_name(trace));
            break;
        case BS_TRACE_RECORD:
            if (record.kernel->launch != job->launch)
                status = enter_kernel(job, record.kernel);
            if (status == BS_OK)
                *go_on = bs_sweep_add(job->sweep, &record.access, record.line, job->group);
            break;
        case BS_TRACE_END:
            return BS_OK;
        case BS_TRACE_ERROR:
            return complain(job, &error);
        }
        show_progress(job, trace);
    }
    return status;
}

static enum bs_status read_traces(struct job *job, char **traces, size_t count)
{
    struct bs_error error;
    bool go_on = true;
    enum bs_status status = BS_OK;
    for (size_t i = 0; status == BS_OK && go_on && i < count; i++) {
        struct bs_trace *trace =
            bs_trace_open_with(traces[i], &job->options->subject.reading, &error);
        if (!trace)
            return bs_complain(&error);
        bs_progress_start(&job->progress);
        status = read_open(job, trace, &go_on);
        bs_progress_end(&job->progress);
        bs_imports_add(&job->import, bs_trace_import(trace));
        bs_trace_close(trace);
    }
    return status;
}

static enum bs_status sweep_traces(struct job *job, char **traces, size_t count)
{
    enum bs_status status = read_traces(job, traces, count);
    bs_sweep_end(job->sweep);
    if (status == BS_OK)
        bs_imports_tell(&job->import);
    if (status == BS_OK && !job->sweep) /* traces without a record */
        status = load_models(job);
    return status;
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Prices one combination. False when memory is out. */
static bool price_one(struct job *job, struct bs_subject *subject, const char *addresses,
                      size_t combination)
{
    struct bs_swept *cell = &job->cells[combination];
    struct bs_subject_options options = job->options->subject;
    struct bs_buffer text = {0};
    struct bs_error error;
    options.lets = (struct bs_words){0};
    subject->model = job->models[combination / job->plan.lets];
    bool fine = bs_plan_words(&job->plan, combination, BS_AXIS_LET, &text, &options.lets);
    for (size_t i = 0; fine && i < job->options->subject.lets.count; i++)
        fine = bs_words_add(&options.lets, job->options->subject.lets.list[i]);
    if (fine && bs_subject_addresses(subject, &options, addresses, &error)) {
        bs_swept_add(cell, &subject->access, 0, 0, options.allow_misaligned);
    } else if (fine) {
        cell->failed = true;
        cell->error = error;
    }
    bs_words_free(&options.lets);
    bs_buffer_free(&text);
    return fine;
}

static enum bs_status sweep_eval(struct job *job, const char *op, const char *addresses)
{
    struct bs_error error;
    struct bs_subject subject = {0};
    if (!bs_subject_op(&subject, op, &error))
        return bs_usage_error(job->verb, "%s", error.text);
    const enum bs_status status = load_models(job);
    if (status != BS_OK)
        return status;
    for (size_t i = 0; i < job->plan.count; i++)
        if (!job->cells[i].failed && !price_one(job, &subject, addresses, i))
            return bs_out_of_memory();
    return BS_OK;
}

/* ---- results --------------------------------------------------------------------------------- */

/* When nothing could be priced, complains for the combination that got furthest. */
static enum bs_status check_cells(const struct job *job, const char *trace)
{
    const struct bs_swept *worst = &job->cells[0];
    for (size_t i = 0; i < job->plan.count; i++) {
        const struct bs_swept *cell = &job->cells[i];
        if (cell->failed && cell->error.status == BS_INTERNAL)
            return bs_complain(&cell->error);
        if (!cell->failed)
            return BS_OK;
        if (cell->line > worst->line || (cell->model && !worst->model))
            worst = cell;
    }
    return worst->line && trace ? bs_complain_at(&worst->error, trace, worst->line)
                                : bs_complain(&worst->error);
}

/* A chart of the first group. Rows are the first axis; with one axis there are only bars. */
static enum bs_status draw(const struct bs_sweep_result *result, enum bs_chart_format format,
                           const char *path)
{
    const struct bs_axis *axes = result->plan->axes;
    const bool is_map = result->plan->axis_count == 2;
    struct bs_error error;
    double *values = malloc(result->plan->count * sizeof *values);
    if (!values)
        return bs_out_of_memory();
    for (size_t i = 0; i < result->plan->count; i++)
        values[i] = bs_result_value(result, i, 0);
    const struct bs_chart chart = {
        .title = result->subject,
        .value_title = bs_metric_titles[result->metric],
        .rows = {axes[0].key, axes[0].values, axes[0].count},
        .columns = {is_map ? axes[1].key : "", axes[1].values, is_map ? axes[1].count : 0},
        .values = values,
        .decimals = result->metric == BS_METRIC_NWAY ? 2 : 0,
    };
    const bool drawn = bs_chart_write(&chart, format, path, &error);
    free(values);
    return drawn ? BS_OK : bs_complain(&error);
}

static enum bs_status write_results(const struct job *job, const char *subject)
{
    const struct sweep_options *options = job->options;
    const struct bs_sweep_result result = {
        .plan = &job->plan,
        .cells = job->cells,
        .subject = subject,
        .metric = (enum bs_metric)options->metric,
        .names = options->by ? &job->names : NULL,
    };
    struct bs_spool out = {0};
    enum bs_status status = BS_OK;
    if (options->svg)
        status = draw(&result, BS_CHART_SVG, options->svg);
    if (status == BS_OK && options->png)
        status = draw(&result, BS_CHART_PNG, options->png);
    if (status != BS_OK)
        return status;
    if (!bs_result_write(&result, (enum bs_format)options->format, &out)) {
        bs_spool_free(&out);
        return bs_out_of_memory();
    }
    return bs_spool_print(&out);
}

/* What was swept, in words; the caller frees it. */
static char *subject_of(const struct sweep_options *options, char **operands, size_t count)
{
    struct bs_buffer text = {0};
    for (size_t i = 0; i < count; i++)
        bs_buffer_printf(&text, "%s%s", i == 0 ? "" : options->is_eval ? "  " : ", ", operands[i]);
    return bs_buffer_take(&text);
}

/* ---- the verb -------------------------------------------------------------------------------- */

/* Whether both paths lead to one file that is there. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Says what of the user's a picture would take the place of; NULL if nothing. */
static const char *lost_to(const char *picture, const struct job *job, char **operands,
                           size_t count)
{
    const struct bs_plan *plan = &job->plan;
    for (size_t i = 0; i < count && !job->options->is_eval; i++)
        if (same_file(picture, operands[i]))
            return "a trace";
    if (job->options->subject.model && same_file(picture, job->options->subject.model))
        return "the model";
    for (size_t i = 0; i < plan->axis_count; i++)
        for (size_t j = 0; strcmp(plan->axes[i].key, "model") == 0 && j < plan->axes[i].count; j++)
            if (same_file(picture, plan->axes[i].values[j]))
                return "a model";
    return NULL;
}

/* Before anything is counted: no picture replaces what the sweep reads, or the other picture. */
static enum bs_status check_pictures(const struct job *job, char **operands, size_t count)
{
    const struct sweep_options *options = job->options;
    const char *const pictures[] = {options->svg, options->png};
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures; i++) {
        if (!pictures[i])
            continue;
        const char *const option = i == 0 ? "--svg" : "--png";
        if (!pictures[i][0])
            return bs_usage_error(job->verb, "%s: expected a file, found ''", option);
        const char *lost = lost_to(pictures[i], job, operands, count);
        if (lost)
            return bs_usage_error(job->verb, "%s: '%s' is %s that is read", option, pictures[i],
                                  lost);
    }
    if (options->svg && options->png &&
        (strcmp(options->svg, options->png) == 0 || same_file(options->svg, options->png)))
        return bs_usage_error(job->verb, "--svg and --png name one file, '%s'", options->svg);
    return BS_OK;
}

static enum bs_status check_charts(const struct bs_verb *verb, const struct sweep_options *options,
                                   const struct bs_plan *plan)
{
    if (!options->svg && !options->png)
        return BS_OK;
    if (options->by)
        return bs_usage_error(verb, "--svg and --png draw totals, not kernels");
    if (plan->axis_count > 2)
        return bs_usage_error(verb, "--svg and --png draw one varied key or two, not %zu",
                              plan->axis_count);
    for (size_t i = 0; i < plan->axis_count; i++)
        if (plan->axes[i].count > BS_MAX_CHART_LABELS)
            return bs_usage_error(verb, "--svg and --png draw at most %d values of a key, not %zu",
                                  BS_MAX_CHART_LABELS, plan->axes[i].count);
    return BS_OK;
}

static enum bs_status check_traces(const struct bs_verb *verb, const struct sweep_options *options,
                                   char **words, size_t count)
{
    size_t streams = 0;
    for (size_t i = 0; i < count; i++)
        streams += strcmp(words[i], "-") == 0;
    if (options->vary_let.count || options->subject.lets.count || options->subject.mask ||
        options->subject.src)
        return bs_usage_error(verb, "--vary-let, --let, --mask and --src go with --eval");
    if (count == 0)
        return bs_usage_error(verb, "expected a trace, - for standard input, or --eval OP ADDRS");
    if (streams > 1)
        return bs_usage_error(verb, "standard input can be read only once");
    return BS_OK;
}

static enum bs_status check(const struct job *job, char **operands, size_t count)
{
    const struct sweep_options *options = job->options;
    if (options->threads < 1 || options->threads > BS_MAX_SWEEP_THREADS)
        return bs_usage_error(job->verb, "--threads: expected 1 to %d, found %llu",
                              BS_MAX_SWEEP_THREADS, (unsigned long long)options->threads);
    if (options->subject.model && bs_plan_model_axis(&job->plan))
        return bs_usage_error(job->verb, "the model is both given and varied");
    if (options->is_eval && count != 2)
        return bs_usage_error(job->verb, "--eval needs 2 operands, OP and ADDRS, found %zu", count);
    if (options->is_eval && options->by)
        return bs_usage_error(job->verb, "--by kernel is for traces");
    enum bs_status status =
        options->is_eval ? BS_OK : check_traces(job->verb, options, operands, count);
    if (status == BS_OK)
        status = check_charts(job->verb, options, &job->plan);
    return status == BS_OK ? check_pictures(job, operands, count) : status;
}

static enum bs_status sweep(const struct bs_verb *verb, const struct sweep_options *options,
                            char **operands, size_t count)
{
    struct bs_error error;
    struct job job = {.verb = verb, .options = options};
    enum bs_status status = BS_OK;
    if (!bs_plan_make(&job.plan, options->vary.list, options->vary_let.list, &error))
        status =
            error.status == BS_USAGE ? bs_usage_error(verb, "%s", error.text) : bs_complain(&error);
    if (status == BS_OK)
        status = check(&job, operands, count);
    if (status == BS_OK)
        status = options->is_eval ? sweep_eval(&job, operands[0], operands[1])
                                  : sweep_traces(&job, operands, count);
    if (status == BS_OK)
        status = check_cells(&job, options->is_eval ? NULL : operands[0]);
    char *subject = subject_of(options, operands, count);
    if (status == BS_OK)
        status = subject ? write_results(&job, subject) : bs_out_of_memory();
    free(subject);
    free_job(&job);
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

static size_t option_table(struct sweep_options *options, struct bs_option *table)
{
    static const char *const by_names[] = {"total", "kernel", NULL};
    static const char *const format_names[] = {"text", "csv", "json", NULL};
    size_t count = 0;
    table[count++] = text_option("vary", "KEY=VALUES",
                                 "a key of the model, or 'model', and what it takes in turn "
                                 "(repeatable)",
                                 BS_OPTION_WORDS, &options->vary);
    table[count++] = choice("metric", "WHAT", "what is marked and drawn (default: passes)",
                            &options->metric, bs_metric_names);
    table[count++] =
        choice("by", "WHAT", "total (default), or kernel: a row for each", &options->by, by_names);
    table[count++] =
        choice("format", "FORMAT", "text (default), csv or json", &options->format, format_names);
    table[count++] = text_option("svg", "FILE", "draw one varied key as bars, two as a heat map",
                                 BS_OPTION_TEXT, &options->svg);
    table[count++] = text_option("png", "FILE", "the same as PNG", BS_OPTION_TEXT, &options->png);
    table[count] = text_option("threads", "N", "how many threads count (default: all cores)",
                               BS_OPTION_NUMBER, &options->threads);
    table[count++].letter = 'j';
    table[count++] = text_option("eval", NULL, "sweep one instruction: the operands are OP ADDRS",
                                 BS_OPTION_FLAG, &options->is_eval);
    table[count++] = text_option("vary-let", "NAME=VALUES",
                                 "with --eval: a name in ADDRS and its values (repeatable)",
                                 BS_OPTION_WORDS, &options->vary_let);
    count += bs_subject_option_table(&options->subject, table + count);
    return count + bs_import_option_table(&options->subject.reading, table + count);
}

static uint64_t cores(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > BS_MAX_SWEEP_THREADS ? BS_MAX_SWEEP_THREADS : (uint64_t)online;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct sweep_options options = {.threads = cores()};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = sweep(verb, &options, argv + operand, (size_t)(argc - operand));
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
             "would this kernel cost if shared memory were different? The trace is read once.\n"
             "\n"
             "VALUES is a list joined by commas; A..B, A..B:STEP and A..B:xFACTOR are ranges. A "
             "combination that cannot be is a row that says why. The best rows are marked.\n",
    .examples =
        "  bankshot sweep kernel.trace --vary bank_width=4,8,16 --vary banks=16..128:x2\n"
        "  bankshot sweep kernel.trace --vary mapping.xor=none,row,fold --by kernel\n"
        "  bankshot sweep kernel.trace --vary model=hopper,./my-gpu.yaml --format csv\n"
        "  bankshot sweep --eval ld.b32 't*(32+pad)*4' --vary-let pad=0..8\n"
        "  bankshot sweep kernel.trace --vary banks=8..64:8 --metric slots --png banks.png\n",
    .run = run,
};
