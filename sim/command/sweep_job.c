/* Making a sweep. */
#include "sweep_job.h"

#include "bankshot-traces.h"
#include "kernel_names.h"
#include "lookup.h"
#include "sweep_result.h"

#include <stdlib.h>
#include <string.h>

/* ---- models ---------------------------------------------------------------------------------- */

static bool model_is_open(const struct bs_sweep_job *job)
{
    return !job->options->subject.model && !bs_plan_model_axis(&job->plan);
}

static enum bs_status load_bases(struct bs_sweep_job *job, const char *base)
{
    struct bs_errors errors = {0};
    enum bs_status status = BS_OK;
    if (!bs_plan_bases(&job->plan, base, &job->options->subject.sets, &job->bases, &errors))
        status = bs_complain_all(&errors);
    bs_errors_free(&errors);
    return status;
}

static enum bs_status load_models(struct bs_sweep_job *job)
{
    const struct bs_sweep_options *options = job->options;
    const char *base = options->subject.model ? options->subject.model
                       : job->choice.name[0]  ? job->choice.name
                                              : BS_DEFAULT_MODEL;
    const enum bs_status status = load_bases(job, base);
    if (status != BS_OK)
        return status;
    job->models = calloc(job->plan.models, sizeof *job->models);
    job->errors = calloc(job->plan.models, sizeof *job->errors);
    job->cells = calloc(job->plan.count, sizeof *job->cells);
    if (!job->models || !job->errors || !job->cells ||
        !bs_plan_load(&job->plan, base, &options->subject.sets, job->models, job->errors))
        return bs_out_of_memory();
    bool any = false;
    for (size_t i = 0; i < job->plan.count; i++) {
        job->cells[i].model = job->models[i / job->plan.lets];
        job->cells[i].failed = !job->cells[i].model;
        job->cells[i].error = job->errors[i / job->plan.lets];
        any |= !job->cells[i].failed;
    }
    return any ? BS_OK : bs_sweep_check(job); /* before a long trace is read for nothing */
}

void bs_sweep_job_free(struct bs_sweep_job *job)
{
    for (size_t i = 0; job->models && i < job->plan.models; i++)
        bs_model_free(job->models[i]);
    for (size_t i = 0; job->cells && i < job->plan.count; i++)
        bs_swept_free(&job->cells[i]);
    free(job->models);
    free(job->errors);
    free(job->cells);
    free(job->turn);
    free(job->refusals);
    bs_names_free(&job->names);
    bs_bases_free(&job->bases);
    bs_plan_free(&job->plan);
}

/* ---- traces ---------------------------------------------------------------------------------- */

/* Complains on a line of its own. */
static enum bs_status complain(struct bs_sweep_job *job, const struct bs_error *error)
{
    bs_progress_end(&job->progress);
    return bs_complain(error);
}

/* The kernel of a launch: it may have a wish, and it has a name. */
static enum bs_status meet_kernel(struct bs_sweep_job *job, const struct bs_kernel *kernel,
                                  const char *trace)
{
    struct bs_error error;
    uint32_t number;
    bs_filter_meet(&job->met, job->filter, kernel);
    if (!bs_filter_takes_kernel(job->filter, kernel))
        return BS_OK;
    if (model_is_open(job) && !bs_model_agree(&job->choice, kernel, trace, &error))
        return complain(job, &error);
    return bs_names_intern_kernel(&job->names, kernel, &number) ? BS_OK : bs_out_of_memory();
}

static struct bs_swept *cell_of(const struct bs_sweep_job *job, size_t model)
{
    return &job->cells[model * job->plan.lets + job->let];
}

/* The cells of the combination of lets move over for as long as they are swept. */
static enum bs_status start_sweep(struct bs_sweep_job *job)
{
    const enum bs_status status = job->models ? BS_OK : load_models(job);
    if (status != BS_OK)
        return status;
    if (!job->turn)
        job->turn = calloc(job->plan.models, sizeof *job->turn);
    for (size_t i = 0; job->turn && i < job->plan.models; i++)
        job->turn[i] = *cell_of(job, i);
    if (job->turn)
        job->sweep = bs_sweep_start(job->turn, job->plan.models, job->threads,
                                    job->options->subject.allow_misaligned);
    return job->sweep ? BS_OK : bs_out_of_memory();
}

static void end_sweep(struct bs_sweep_job *job)
{
    bs_sweep_end(job->sweep);
    for (size_t i = 0; job->sweep && i < job->plan.models; i++)
        *cell_of(job, i) = job->turn[i];
    job->sweep = NULL;
}

static enum bs_status enter_kernel(struct bs_sweep_job *job, const struct bs_kernel *kernel)
{
    job->launch = kernel->launch;
    if (job->options->by && !bs_names_intern(&job->names, kernel->name, &job->group))
        return bs_out_of_memory();
    return job->sweep ? BS_OK : start_sweep(job);
}

static enum bs_status take_record(struct bs_sweep_job *job, const struct bs_trace *trace,
                                  const struct bs_record *record)
{
    struct bs_error error;
    job->taken++;
    if (record->kernel->launch != job->launch) {
        const enum bs_status status = enter_kernel(job, record->kernel);
        if (status != BS_OK)
            return status;
    }
    if (bs_sweep_add(job->sweep, &record->access, job->group, &error))
        return BS_OK;
    bs_progress_end(&job->progress);
    return bs_complain_at(&error, bs_trace_name(trace), record->line);
}

static void show_progress(struct bs_sweep_job *job, const struct bs_trace *trace)
{
    uint64_t done;
    uint64_t size;
    if (!bs_progress_is_due(&job->progress, 1))
        return;
    bs_trace_progress(trace, &done, &size);
    bs_progress_draw(&job->progress, bs_trace_name(trace), done, size);
}

static enum bs_status read_open(struct bs_sweep_job *job, struct bs_trace *trace)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_status status = BS_OK;
    job->launch = UINT64_MAX;
    while (status == BS_OK) {
        switch (bs_trace_next(trace, &record, &error)) {
        case BS_TRACE_LAUNCH:
            status = meet_kernel(job, record.kernel, bs_trace_name(trace));
            break;
        case BS_TRACE_RECORD:
            status = take_record(job, trace, &record);
            break;
        case BS_TRACE_END:
            bs_progress_end(&job->progress);
            if (bs_trace_warning(trace))
                bs_warn(bs_trace_warning(trace));
            return BS_OK;
        case BS_TRACE_ERROR:
            return complain(job, &error);
        }
        show_progress(job, trace);
    }
    return status;
}

/* Opens a trace. With varied parameters a sketch that cannot be is no reason to stop: *refused. */
static struct bs_trace *open_trace(struct bs_sweep_job *job, const char *path,
                                   const struct bs_trace_options *reading, bool *refused,
                                   enum bs_status *status)
{
    struct bs_error error;
    if (job->plan.lets == 1)
        return bs_reading_open(path, reading, status);
    struct bs_trace *trace = bs_trace_open_with(path, reading, &error);
    if (trace)
        return trace;
    *refused = error.status == BS_BAD_MODEL;
    if (*refused)
        job->refusals[job->let] = error;
    *status = *refused ? BS_OK : bs_complain(&error);
    return NULL;
}

static enum bs_status read_trace(struct bs_sweep_job *job, const char *path,
                                 const struct bs_trace_options *reading, bool *refused)
{
    enum bs_status status = BS_OK;
    struct bs_trace *trace = open_trace(job, path, reading, refused, &status);
    if (!trace)
        return status;
    bs_trace_filter(trace, job->filter);
    bs_progress_start(&job->progress);
    status = read_open(job, trace);
    bs_progress_end(&job->progress);
    if (job->let == 0)
        bs_imports_add(&job->import, bs_trace_import(trace));
    bs_trace_close(trace);
    return status;
}

/* Says of a name that it was varied, where that is how it was bound. */
static void name_varied(const struct bs_plan *plan, struct bs_error *error)
{
    static const char let[] = "--let ";
    const char *name = error->text + strlen(let);
    if (strncmp(error->text, let, strlen(let)) != 0)
        return;
    name += *name == '\'';
    for (size_t i = 0; i < plan->axis_count; i++) {
        const struct bs_axis *axis = &plan->axes[i];
        const size_t size = strlen(axis->key);
        if (axis->kind == BS_AXIS_LET && strncmp(name, axis->key, size) == 0 &&
            strchr("=:'", name[size])) {
            bs_fail(error, error->status, NULL, 0, 0, "--vary-let %s", error->text + strlen(let));
            return;
        }
    }
}

/* The lets of the combination: what is varied, and then what is given. */
static bool bind(const struct bs_sweep_job *job, struct bs_let_list *bound,
                 struct bs_trace_options *reading, struct bs_error *error)
{
    const struct bs_words *given = &job->options->subject.lets;
    struct bs_words words = {0};
    struct bs_buffer text = {0};
    bool fine = bs_plan_words(&job->plan, job->let, BS_AXIS_LET, &text, &words);
    for (size_t i = 0; fine && i < given->count; i++)
        fine = bs_words_add(&words, given->list[i]);
    if (fine)
        fine = bs_reading_bind(bound, &words, reading, error);
    else
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    bs_words_free(&words);
    bs_buffer_free(&text);
    return fine;
}

static enum bs_status sweep_combination(struct bs_sweep_job *job, char **traces, size_t count)
{
    struct bs_trace_options reading = job->options->subject.reading;
    struct bs_let_list bound;
    struct bs_error error;
    enum bs_status status = BS_OK;
    bool refused = false;
    if (!bind(job, &bound, &reading, &error)) {
        name_varied(&job->plan, &error);
        return bs_complain(&error);
    }
    for (size_t i = 0; status == BS_OK && !refused && i < count; i++)
        status = read_trace(job, traces[i], &reading, &refused);
    end_sweep(job);
    return status;
}

/* Rows of sketches that cannot be say why. */
static void apply_refusals(struct bs_sweep_job *job)
{
    for (job->let = 0; job->let < job->plan.lets; job->let++) {
        for (size_t i = 0; job->refusals[job->let].status && i < job->plan.models; i++) {
            cell_of(job, i)->failed = true;
            cell_of(job, i)->error = job->refusals[job->let];
        }
    }
}

enum bs_status bs_sweep_traces(struct bs_sweep_job *job, char **traces, size_t count)
{
    enum bs_status status = BS_OK;
    job->refusals = calloc(job->plan.lets, sizeof *job->refusals);
    if (!job->refusals)
        return bs_out_of_memory();
    for (job->let = 0; status == BS_OK && job->let < job->plan.lets; job->let++)
        status = sweep_combination(job, traces, count);
    if (status == BS_OK)
        bs_imports_tell(&job->import);
    if (status == BS_OK)
        bs_filter_warn(&job->met, job->filter, &job->options->words, job->taken);
    if (status == BS_OK && !job->models) /* traces without a record */
        status = load_models(job);
    if (status == BS_OK)
        apply_refusals(job);
    return status == BS_OK ? bs_sweep_check(job) : status;
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Prices one combination. False when memory is out. */
static bool price_one(struct bs_sweep_job *job, struct bs_subject *subject, const char *addresses,
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
        bs_swept_add(cell, &subject->access, 0);
    } else if (fine) {
        cell->failed = true;
        cell->error = error;
        name_varied(&job->plan, &cell->error);
    }
    bs_words_free(&options.lets);
    bs_buffer_free(&text);
    return fine;
}

enum bs_status bs_sweep_instruction(struct bs_sweep_job *job, const char *op, const char *addresses)
{
    struct bs_error error;
    struct bs_subject subject = {0};
    if (!bs_subject_op(&subject, op, &error))
        return bs_complain(&error);
    const enum bs_status status = load_models(job);
    if (status != BS_OK)
        return status;
    for (size_t i = 0; i < job->plan.count; i++)
        if (!job->cells[i].failed && !price_one(job, &subject, addresses, i))
            return bs_out_of_memory();
    return bs_sweep_check(job);
}

/* ---- what came of it ------------------------------------------------------------------------- */

/* Whether a cell has something to show: a price, or nothing to price. */
static bool has_price(const struct bs_swept *cell)
{
    bool lacking = false;
    for (uint32_t group = 0; group < cell->count; group++) {
        const bool priced = bs_swept_is_priced(cell, group);
        if (priced && bs_swept_group(cell, group)->sums.records > 0)
            return true;
        lacking |= !priced;
    }
    return !cell->failed && !lacking;
}

/* Says what the groups of a cell lack. */
static enum bs_status complain_lacking(const struct bs_swept *cell)
{
    struct bs_swept whole = *cell;
    struct bs_swept_group all = {0};
    struct bs_error error;
    char reason[BS_REASON];
    for (uint32_t group = 0; group < cell->count; group++) {
        const struct bs_swept_group *part = bs_swept_group(cell, group);
        bs_op_set_join(&all.lacking, &part->lacking);
        all.lacks_rules |= part->lacks_rules;
        all.lacks_lanes |= part->lacks_lanes;
    }
    whole.groups = &all;
    whole.count = 1;
    bs_fail(&error, all.lacks_rules ? BS_BAD_MODEL : BS_BAD_TRACE, NULL, 0, 0,
            "no combination can be priced: model '%s' has %s", cell->model->name,
            bs_swept_reason(&whole, 0, reason));
    return bs_complain(&error);
}

/* When nothing could be priced, complains for the combination that got furthest. */
enum bs_status bs_sweep_check(const struct bs_sweep_job *job)
{
    const struct bs_swept *worst = &job->cells[0];
    for (size_t i = 0; i < job->plan.count; i++) {
        const struct bs_swept *cell = &job->cells[i];
        if (cell->failed && cell->error.status == BS_INTERNAL)
            return bs_complain(&cell->error);
        if (has_price(cell))
            return BS_OK;
        if ((cell->model && !worst->model) || (!cell->failed && worst->failed))
            worst = cell;
    }
    return worst->failed ? bs_complain(&worst->error) : complain_lacking(worst);
}
