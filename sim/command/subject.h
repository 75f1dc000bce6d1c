/* The one instruction that eval and explain are asked about, and the model that prices it. */
#ifndef BS_SUBJECT_H
#define BS_SUBJECT_H

#include "bankshot-traces.h"
#include "options.h"
#include "reading.h"

/* What the user chose by options. */
struct bs_subject_options {
    const char *model;
    struct bs_words sets;
    const char *mask;
    struct bs_words lets;
    const char *src;
    bool allow_misaligned;
    bool takes_traces;               /* of the verb: it prices traces as well */
    bool lets_may_rest;              /* ADDRS stands beside others, which use the names */
    struct bs_trace_options reading; /* of a trace, where there is one */
    struct bs_let_list bound;        /* what reading has of lets */
};

/* Their entries in a verb's option table. Returns how many there are. */
size_t bs_subject_option_table(struct bs_subject_options *options, struct bs_option *table);
void bs_subject_options_free(struct bs_subject_options *options);

/* Gives the lets to the reading of a trace. The options must stay where they are while traces are
 * opened with them. */
bool bs_subject_bind(struct bs_subject_options *options, struct bs_error *error);

/* The options that name a model, for every verb that has them. */
struct bs_option bs_option_model(const char **model);
struct bs_option bs_option_set(struct bs_words *sets);
struct bs_option bs_option_allow_misaligned(bool *allow);

struct bs_subject {
    struct bs_model *model;
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    const char *pattern; /* the addresses as they were given; NULL for a record of a trace */
    const char *trace;   /* of a record: the trace's name, the line and the kernel */
    uint64_t line;
    char kernel[512]; /* as the loader has it, and as people type it */
    char kernel_typed[512];
    char place[512]; /* the source place of the instruction; empty: not known */
};

/* Fills subject from an op and its addresses, or from the record of that number of a trace, and
 * checks that the model can price it. Anything but BS_OK has been complained about. */
enum bs_status bs_subject_of_words(struct bs_subject *subject, const struct bs_verb *verb,
                                   const struct bs_subject_options *options, const char *op,
                                   const char *addresses);
enum bs_status bs_subject_of_record(struct bs_subject *subject,
                                    const struct bs_subject_options *options, const char *trace,
                                    uint64_t record);

/* Why a model cannot price an access, and the ways out. An access that it can price is none of its
 * business. */
void bs_subject_fail(const struct bs_model *model, const struct bs_access *access,
                     bool allow_misaligned, struct bs_error *error);

/* The same of a record of a trace, with its place; filters are a way out where the caller has them.
 * Always false. */
bool bs_record_fail(const struct bs_model *model, const struct bs_record *record,
                    bool allow_misaligned, bool has_filters, const char *file,
                    struct bs_error *error);

/* The steps of the first, which say nothing themselves: the op, and the addresses once the subject
 * has its op and its model. */
bool bs_subject_op(struct bs_subject *subject, const char *op, struct bs_error *error);
bool bs_subject_addresses(struct bs_subject *subject, const struct bs_subject_options *options,
                          const char *addresses, struct bs_error *error);
void bs_subject_free(struct bs_subject *subject);

/* The model that a trace asks for: its kernels name it, or the compute capability of the device on
 * which it was made. {0} before the first kernel. */
struct bs_kernel;
struct bs_model_choice {
    char name[256];
    uint32_t cc[2]; /* of the last kernel that asked so, and what it stands for */
    char of_cc[256];
};

/* The kernel's choice, if it agrees with those of the kernels before it. */
bool bs_model_agree(struct bs_model_choice *choice, const struct bs_kernel *kernel,
                    const char *trace, struct bs_error *error);

/* The choice of a sketch that is not read as a trace. */
struct bs_sketch;
bool bs_model_of_sketch(struct bs_model_choice *choice, const struct bs_sketch *sketch,
                        struct bs_error *error);

#endif
