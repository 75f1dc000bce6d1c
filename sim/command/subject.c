/* One instruction, from words of the command line or from a record of a trace. */
#include "subject.h"

#include "addresses.h"
#include "bankshot-traces.h"
#include "files.h"
#include "kernel_name.h"
#include "lookup.h"
#include "model_names.h"
#include "sketch.h"

#include <stdio.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

struct bs_option bs_option_model(const char **model)
{
    return (struct bs_option){
        .name = "model",
        .letter = 'm',
        .value = "MODEL",
        .help = "device model: a name that 'bankshot models' lists, or the path of a YAML file "
                "(default: what a trace asks for, else " BS_DEFAULT_MODEL ")",
        .kind = BS_OPTION_TEXT,
        .target = model,
    };
}

struct bs_option bs_option_set(struct bs_words *sets)
{
    return (struct bs_option){
        .name = "set",
        .value = "KEY=VALUE",
        .help = "change one key of the model, such as bank_width=8 (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = sets,
    };
}

struct bs_option bs_option_allow_misaligned(bool *allow)
{
    return (struct bs_option){
        .name = "allow-misaligned",
        .help = "price addresses that are no multiple of the width by the words they touch",
        .kind = BS_OPTION_FLAG,
        .target = allow,
    };
}

size_t bs_subject_option_table(struct bs_subject_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_model(&options->model);
    table[count++] = bs_option_set(&options->sets);
    table[count++] = (struct bs_option){
        .name = "mask",
        .value = "HEX",
        .help =
            "active lanes, bit t for lane t (default: as many as a list has addresses, else all)",
        .kind = BS_OPTION_TEXT,
        .target = &options->mask,
    };
    table[count++] = (struct bs_option){
        .name = "let",
        .value = "NAME=VALUE",
        .help = options->takes_traces ? "bind a name for ADDRS, or a parameter of a sketch; the "
                                        "value may use names bound before (repeatable)"
                                      : "bind a name for ADDRS; the value may use names bound "
                                        "before (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = &options->lets,
    };
    table[count++] = (struct bs_option){
        .name = "src",
        .value = "ADDRS",
        .help = "global source addresses of an async copy (default: contiguous)",
        .kind = BS_OPTION_TEXT,
        .target = &options->src,
    };
    table[count++] = bs_option_allow_misaligned(&options->allow_misaligned);
    return count;
}

bool bs_subject_bind(struct bs_subject_options *options, struct bs_error *error)
{
    return bs_reading_bind(&options->bound, &options->lets, &options->reading, error);
}

void bs_subject_options_free(struct bs_subject_options *options)
{
    bs_words_free(&options->sets);
    bs_words_free(&options->lets);
}

/* ---- from words ------------------------------------------------------------------------------ */

static uint64_t first_lanes(uint64_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The active lanes: as given, as many as a list has addresses, or the whole warp. */
static bool choose_mask(struct bs_subject *subject, const struct bs_subject_options *options,
                        const char *addresses, struct bs_error *error)
{
    const uint32_t lanes = subject->model->lanes;
    uint64_t count;
    char shown[64];
    if (options->mask) {
        const size_t size = strlen(options->mask);
        return bs_hex_parse(options->mask, size, UINT64_MAX, &subject->access.mask) ||
               bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "--mask: expected hexadecimal digits of at most 64 bits, found '%s'",
                       bs_printable(options->mask, size, shown, sizeof shown));
    }
    if (!bs_addresses_are_list(addresses, &count) || count == 0)
        count = lanes;
    if (count > lanes)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "ADDRS: expected at most %u addresses, the lanes of a warp of model '%s', "
                       "found %llu",
                       lanes, subject->model->name, (unsigned long long)count);
    subject->access.mask = first_lanes(count);
    return true;
}

bool bs_subject_op(struct bs_subject *subject, const char *op, struct bs_error *error)
{
    char shown[64], hint[BS_OP_HINT];
    if (!bs_op_parse(op, strlen(op), &subject->access.op))
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "unknown op '%s', expected a name like ld.b128, atom.add.b32, ldmatrix.x4, "
                       "LDS.64 or ds_read_b32 ('bankshot help ops' lists them)%s",
                       bs_printable(op, strlen(op), shown, sizeof shown),
                       bs_op_hint(op, strlen(op), hint));
    if (subject->access.op.kind == BS_BAR)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "bar is a barrier: it has no addresses");
    return true;
}

static bool parse_source(struct bs_subject *subject, const struct bs_subject_options *options,
                         const struct bs_lets *lets, struct bs_error *error)
{
    if (!options->src)
        return true;
    if (!bs_op_is_copy(subject->access.op))
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "--src is for async copies only");
    subject->access.src = subject->src;
    return bs_addresses_parse("--src", options->src, lets, subject->access.mask, UINT64_MAX,
                              subject->src, error);
}

static bool parse_words(struct bs_subject *subject, const struct bs_subject_options *options,
                        const char *addresses, struct bs_error *error)
{
    struct bs_lets lets;
    uint64_t by_lane[BS_MAX_LANES] = {0};
    subject->pattern = addresses;
    if (!bs_lets_bind(&lets, options->lets.list, error) ||
        !choose_mask(subject, options, addresses, error))
        return false;
    subject->access.addr = subject->addr;
    if (!bs_addresses_parse("ADDRS", addresses, &lets, subject->access.mask, UINT32_MAX, by_lane,
                            error))
        return false;
    for (unsigned t = 0; t < BS_MAX_LANES; t++)
        subject->addr[t] = (uint32_t)by_lane[t];
    return parse_source(subject, options, &lets, error) &&
           (options->lets_may_rest || bs_lets_check_used(&lets, addresses, options->src, error));
}

/* ---- what cannot be priced ------------------------------------------------------------------- */

static bool mask_fits(const struct bs_model *model, const struct bs_access *access)
{
    return model->lanes >= 64 || access->mask >> model->lanes == 0;
}

static bool lacks_rule(const struct bs_model *model, const struct bs_access *access)
{
    return mask_fits(model, access) && access->op.kind != BS_BAR &&
           !bs_model_rule(model, access->op);
}

static void add_hint(struct bs_error *error, const char *hint)
{
    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, "%s", hint);
}

/* The simplest rule that a user can give. Multicast, which is what a rule has if nothing is said,
 * would make atomics on one word cost nothing. */
static void hint_rule(const struct bs_model *model, struct bs_op op, struct bs_error *error)
{
    char hint[256];
    char name[BS_OP_NAME];
    bs_op_name(op, name);
    snprintf(hint, sizeof hint, "; --set rules.%s.phase_lanes=%u", name, model->lanes);
    add_hint(error, hint);
    if (op.kind == BS_ATOM || op.kind == BS_RED) {
        snprintf(hint, sizeof hint, " --set rules.%s.same_word=serialize", name);
        add_hint(error, hint);
    }
    add_hint(error, " would give it an assumed rule");
}

void bs_subject_fail(const struct bs_model *model, const struct bs_access *access,
                     bool allow_misaligned, struct bs_error *error)
{
    if (bs_access_check(model, access, allow_misaligned, error))
        return;
    if (bs_access_check(model, access, true, NULL)) {
        add_hint(error, "; --allow-misaligned prices it by the words that it touches");
    } else if (lacks_rule(model, access)) {
        hint_rule(model, access->op, error);
    }
}

bool bs_record_fail(const struct bs_model *model, const struct bs_record *record,
                    bool allow_misaligned, bool has_filters, const char *file,
                    struct bs_error *error)
{
    struct bs_error why;
    const bool no_rule = lacks_rule(model, &record->access);
    const uint32_t column = no_rule                             ? record->op_column
                            : mask_fits(model, &record->access) ? record->addr_column
                                                                : 0;
    bs_subject_fail(model, &record->access, allow_misaligned, &why);
    if (no_rule && has_filters)
        add_hint(&why, ", --op and --kernel choose records that it has rules for");
    return bs_fail(error, why.status, file, record->line, column, "%s", why.text);
}

/* ---- from words, the rest ---------------------------------------------------------------------
 */

bool bs_subject_addresses(struct bs_subject *subject, const struct bs_subject_options *options,
                          const char *addresses, struct bs_error *error)
{
    if (parse_words(subject, options, addresses, error)) {
        if (bs_access_check(subject->model, &subject->access, options->allow_misaligned, NULL))
            return true;
        bs_subject_fail(subject->model, &subject->access, options->allow_misaligned, error);
    }
    if (error->status == BS_BAD_TRACE)
        error->status = BS_USAGE; /* the access is the user's own */
    return false;
}

enum bs_status bs_subject_of_words(struct bs_subject *subject, const struct bs_verb *verb,
                                   const struct bs_subject_options *options, const char *op,
                                   const char *addresses)
{
    struct bs_error error;
    enum bs_status status;
    struct bs_op swapped;
    char shown[80];
    *subject = (struct bs_subject){0};
    if (!bs_op_parse(op, strlen(op), &swapped) &&
        bs_op_parse(addresses, strlen(addresses), &swapped))
        return bs_usage_error(verb, "the op comes first, then the addresses: '%s' is the op",
                              bs_printable(addresses, strlen(addresses), shown, sizeof shown));
    const char *file = bs_is_plain_file(op) ? op : bs_is_plain_file(addresses) ? addresses : NULL;
    if (file && bs_trace_kind(file))
        return bs_usage_error(
            verb,
            "'%s' is a trace: 'bankshot explain TRACE --record N' explains one of "
            "its records, counted from 0",
            bs_printable(file, strlen(file), shown, sizeof shown));
    if (!bs_subject_op(subject, op, &error))
        return bs_usage_error(verb, "%s", error.text);
    const char *name = options->model ? options->model : BS_DEFAULT_MODEL;
    subject->model = bs_find_model(name, options->sets.list, &status);
    if (!subject->model)
        return status;
    return bs_subject_addresses(subject, options, addresses, &error) ? BS_OK : bs_complain(&error);
}

/* ---- from a trace ---------------------------------------------------------------------------- */

/* The model of the device on which the trace was made. NULL after filling error. */
static const char *model_of_device(struct bs_model_choice *choice, const uint32_t cc[2],
                                   const char *trace, struct bs_error *error)
{
    if (choice->of_cc[0] && choice->cc[0] == cc[0] && choice->cc[1] == cc[1])
        return choice->of_cc;
    memcpy(choice->cc, cc, sizeof choice->cc);
    const char *name = bs_model_name_for(cc, choice->of_cc, sizeof choice->of_cc, error);
    if (!name) {
        choice->of_cc[0] = '\0';
        snprintf(error->file, sizeof error->file, "%s", trace);
    }
    return name;
}

/* Where the kernel asks for its model, or at least where it stands itself. */
static uint64_t line_of_model(const struct bs_kernel *kernel)
{
    return kernel->model_line ? kernel->model_line : kernel->line;
}

/* Whether there is the model; what is wrong with one that there is, its loader will say. */
static bool model_exists(const char *name, const struct bs_kernel *kernel, const char *trace,
                         struct bs_error *error)
{
    struct bs_errors errors = {0};
    struct bs_model *model = bs_load_model(name, NULL, &errors);
    const bool exists = model || errors.count == 0 || errors.list[0].file[0];
    if (!exists) {
        *error = errors.list[0];
        snprintf(error->file, sizeof error->file, "%s", trace);
        error->line = line_of_model(kernel);
        error->column = kernel->model_column;
    }
    bs_errors_free(&errors);
    bs_model_free(model);
    return exists;
}

/* The model that a kernel asks for. NULL after filling error. */
static const char *model_of_kernel(struct bs_model_choice *choice, const struct bs_kernel *kernel,
                                   const char *trace, struct bs_error *error)
{
    static const char name_bytes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                     "0123456789-_";
    char shown[128];
    if (!kernel->model && kernel->cc[0])
        return model_of_device(choice, kernel->cc, trace, error);
    const char *name = kernel->model ? kernel->model : BS_DEFAULT_MODEL;
    /* A trace may come from anywhere; what files are read is the user's to say. */
    if (name[0] && strspn(name, name_bytes) == strlen(name))
        return name;
    bs_fail(error, BS_BAD_TRACE, trace, line_of_model(kernel), kernel->model_column,
            "the trace asks for the model '%s', expected a name of letters, digits, '-' and '_'; "
            "choose one with -m",
            bs_printable(name, strlen(name), shown, sizeof shown));
    return NULL;
}

bool bs_model_agree(struct bs_model_choice *choice, const struct bs_kernel *kernel,
                    const char *trace, struct bs_error *error)
{
    const char *name = model_of_kernel(choice, kernel, trace, error);
    if (!name)
        return false;
    if (!choice->name[0]) {
        if (kernel->model && !model_exists(name, kernel, trace, error))
            return false;
        snprintf(choice->name, sizeof choice->name, "%s", name);
    }
    return strcmp(name, choice->name) == 0 ||
           bs_fail(error, BS_BAD_TRACE, trace, line_of_model(kernel), kernel->model_column,
                   "the kernels ask for different models, '%s' and '%s'; choose one with -m",
                   choice->name, name);
}

bool bs_model_of_sketch(struct bs_model_choice *choice, const struct bs_sketch *sketch,
                        struct bs_error *error)
{
    struct bs_kernel kernel = bs_kernel_named(sketch->name);
    kernel.model = sketch->model;
    kernel.model_line = sketch->model_line;
    kernel.model_column = sketch->model_column;
    *choice = (struct bs_model_choice){0};
    return bs_model_agree(choice, &kernel, sketch->file, error);
}

static bool find_record(struct bs_trace *trace, uint64_t wanted, struct bs_record *record,
                        struct bs_error *error)
{
    struct bs_filter filter = bs_filter_everything();
    filter.record = (struct bs_range){wanted, wanted};
    bs_trace_filter(trace, &filter);
    const enum bs_trace_event event = bs_trace_next_record(trace, record, error);
    if (bs_trace_warning(trace))
        bs_warn(bs_trace_warning(trace));
    switch (event) {
    case BS_TRACE_RECORD:
        return true;
    case BS_TRACE_END:
        return bs_fail(error, BS_BAD_TRACE, bs_trace_name(trace), 0, 0,
                       "there is no record %llu: the trace has %llu, counted from 0",
                       (unsigned long long)wanted, (unsigned long long)bs_trace_records(trace));
    case BS_TRACE_LAUNCH:
    case BS_TRACE_ERROR:
        break;
    }
    return false;
}

static void copy_record(struct bs_subject *subject, const struct bs_record *record)
{
    const struct bs_access *from = &record->access;
    char typed[BS_TYPED_NAME];
    subject->access = *from;
    subject->line = record->line;
    snprintf(subject->kernel, sizeof subject->kernel, "%s", record->kernel->name);
    snprintf(subject->kernel_typed, sizeof subject->kernel_typed, "%s",
             bs_kernel_name_typed(record->kernel->name, record->kernel->demangled, typed));
    const struct bs_source_place *place = bs_kernel_place(record->kernel, from->pc);
    snprintf(subject->place, sizeof subject->place, "%s", place ? place->text : "");
    for (unsigned t = 0; t < BS_MAX_LANES; t++) {
        if (!(from->mask >> t & 1) || from->op.kind == BS_BAR)
            continue;
        subject->addr[t] = from->addr[t];
        subject->src[t] = from->src ? from->src[t] : 0;
    }
    subject->access.addr = subject->addr;
    subject->access.src = from->src ? subject->src : NULL;
}

/* Reads the record and loads its model. An error without a status has been complained about. */
static enum bs_status take_record(struct bs_subject *subject,
                                  const struct bs_subject_options *options, struct bs_trace *trace,
                                  uint64_t wanted)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_status status;
    if (!find_record(trace, wanted, &record, &error))
        return bs_complain(&error);
    copy_record(subject, &record);
    struct bs_model_choice choice = {0};
    const char *name = options->model ? options->model : choice.name;
    if (!options->model && !bs_model_agree(&choice, record.kernel, subject->trace, &error))
        return bs_complain(&error);
    subject->model = bs_find_model(name, options->sets.list, &status);
    if (!subject->model)
        return status;
    if (bs_access_check(subject->model, &subject->access, options->allow_misaligned, NULL))
        return BS_OK;
    bs_record_fail(subject->model, &record, options->allow_misaligned, false, subject->trace,
                   &error);
    return bs_complain(&error);
}

enum bs_status bs_subject_of_record(struct bs_subject *subject,
                                    const struct bs_subject_options *options, const char *trace,
                                    uint64_t record)
{
    enum bs_status status;
    *subject = (struct bs_subject){.trace = trace};
    struct bs_trace *open = bs_reading_open(trace, &options->reading, &status);
    if (!open)
        return status;
    status = take_record(subject, options, open, record);
    bs_trace_close(open);
    return status;
}

void bs_subject_free(struct bs_subject *subject)
{
    bs_model_free(subject->model);
    subject->model = NULL;
}
