/* Opening traces for the verbs. */
#include "reading.h"

#include "files.h"
#include "lookup.h"

#include <stdio.h>
#include <string.h>

struct bs_option bs_option_let(struct bs_words *words)
{
    return (struct bs_option){
        .name = "let",
        .value = "NAME=VALUE",
        .help = "a parameter of a sketch; the value may use names bound before (repeatable)",
        .kind = BS_OPTION_WORDS,
        .target = words,
    };
}

bool bs_reading_bind(struct bs_let_list *bound, const struct bs_words *words,
                     struct bs_trace_options *options, struct bs_error *error)
{
    const struct bs_lets *lets = &bound->lets;
    if (!bs_lets_bind(&bound->lets, words->list, error))
        return false;
    /* The first name is the lane's. */
    for (size_t i = 1; i < lets->count; i++)
        bound->list[i - 1] = (struct bs_let){lets->names[i], lets->values[i]};
    options->lets = bound->list;
    options->let_count = lets->count - 1;
    return true;
}

/* Where what stands for a trace is an op or a device model, the error says so instead. */
static void teach_operand(const char *path, struct bs_error *error)
{
    struct bs_errors errors = {0};
    struct bs_op op;
    char shown[80];
    const bool plain = bs_is_plain_file(path);
    if (!plain && error->line > 0)
        return; /* a pipe, whose text is gone */
    struct bs_model *model = bs_load_model(path, NULL, &errors);
    bs_printable(path, strlen(path), shown, sizeof shown);
    if (model)
        bs_fail(error, error->status, path, 0, 0,
                "this is a device model, expected a trace or a sketch; a model is given by -m: "
                "'-m %s'",
                shown);
    else if (!plain && bs_op_parse(path, strlen(path), &op))
        bs_fail(error, error->status, path, 0, 0,
                "this is an op, expected a trace or a sketch; 'bankshot eval %s ADDRS' prices one "
                "instruction",
                shown);
    bs_model_free(model);
    bs_errors_free(&errors);
}

struct bs_trace *bs_reading_open(const char *path, const struct bs_trace_options *options,
                                 enum bs_status *status)
{
    struct bs_errors errors = {0};
    struct bs_error error;
    struct bs_trace_options all = *options;
    all.errors = &errors;
    struct bs_trace *trace = bs_trace_open_with(path, &all, &error);
    if (!trace && errors.count == 0 && error.status == BS_BAD_TRACE && error.line <= 1)
        teach_operand(path, &error);
    if (!trace)
        *status = errors.count > 0 ? bs_complain_all(&errors) : bs_complain(&error);
    bs_errors_free(&errors);
    return trace;
}
