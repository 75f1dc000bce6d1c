/* A sweep while it is made: its models, and the traces or the instruction that they price. */
#ifndef BS_SWEEP_JOB_H
#define BS_SWEEP_JOB_H

#include "filters.h"
#include "imports.h"
#include "progress.h"
#include "subject.h"
#include "sweep_plan.h"

/* What the user asked for. */
struct bs_sweep_options {
    struct bs_subject_options subject;
    struct bs_words vary;
    struct bs_words vary_let;
    struct bs_filter_words words;
    bool is_eval;
    unsigned metric; /* enum bs_metric */
    unsigned by;     /* 0: total, 1: kernel */
    unsigned format; /* enum bs_format */
    const char *threads;
};

/* The first three are the caller's, before anything else; the rest starts out as {0}. */
struct bs_sweep_job {
    const struct bs_sweep_options *options;
    const struct bs_filter *filter;
    unsigned threads;

    struct bs_plan plan;
    struct bs_bases bases;
    struct bs_model **models; /* of plan.models */
    struct bs_error *errors;  /* why one is missing */
    struct bs_swept *cells;   /* of plan.count */
    struct bs_names names;    /* of the kernels */

    /* While traces are read: once for each combination of lets, the parameters of sketches. */
    size_t let;
    struct bs_swept *turn;     /* the cells of that combination, of plan.models */
    struct bs_error *refusals; /* of plan.lets: why a sketch cannot be so; or without a status */
    struct bs_sweep *sweep;
    struct bs_progress progress;
    struct bs_model_choice choice; /* of the traces */
    uint64_t launch;               /* of the last record; UINT64_MAX before the first of a trace */
    uint32_t group;
    struct bs_import import;
    struct bs_filter_met met;
    uint64_t taken; /* records */
};

/* Both price the plan's combinations. Anything but BS_OK has been complained about. */
enum bs_status bs_sweep_traces(struct bs_sweep_job *job, char **traces, size_t count);
enum bs_status bs_sweep_instruction(struct bs_sweep_job *job, const char *op,
                                    const char *addresses);

/* Whether anything could be priced; complains if not. */
enum bs_status bs_sweep_check(const struct bs_sweep_job *job);
void bs_sweep_job_free(struct bs_sweep_job *job);

#endif
