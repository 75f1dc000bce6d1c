/* bankshot convert: from any trace that can be read to a format that can be written. */
#include "filters.h"
#include "imports.h"
#include "output_file.h"
#include "progress.h"
#include "reading.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct convert_options {
    const char *to;
    struct bs_filter_words words;
    struct bs_filter filter;
    struct bs_trace_options reading;
    struct bs_words lets;
    struct bs_let_list bound;
};

/* ---- copying -------------------------------------------------------------------------------- */

/* What a trace is copied with. */
struct copy {
    struct bs_trace *trace;
    struct bs_trace_writer *writer;
    const struct bs_filter *filter;
    struct bs_filter_met met;
    uint64_t taken;  /* records */
    uint64_t launch; /* that was written last */
    struct bs_progress progress;
};

static bool copy_launch(struct copy *copy, const struct bs_kernel *kernel, struct bs_error *error)
{
    copy->launch = kernel->launch;
    bs_filter_meet(&copy->met, copy->filter, kernel);
    return !bs_filter_takes_kernel(copy->filter, kernel) ||
           bs_writer_kernel(copy->writer, kernel, error);
}

/* Where kernels ran at the same time, a launch is written again when its records go on: what is
 * written has no other way to say whose they are. */
static bool copy_record(struct copy *copy, const struct bs_record *record, struct bs_error *error)
{
    copy->taken++;
    if (record->kernel->launch != copy->launch && !copy_launch(copy, record->kernel, error))
        return false;
    return bs_writer_record(copy->writer, &record->access, error);
}

static void show_progress(struct copy *copy)
{
    uint64_t done, size;
    if (!bs_progress_is_due(&copy->progress, 1))
        return;
    bs_trace_progress(copy->trace, &done, &size);
    bs_progress_draw(&copy->progress, bs_trace_name(copy->trace), done, size);
}

/* Whether records of the trace are known to be missing. */
static bool is_torn(const struct bs_trace *trace)
{
    const struct bs_error *warning = bs_trace_warning(trace);
    return warning && warning->status != BS_OK;
}

/* The new trace says what is to be minded of the old one, and that it is not all of it. */
static bool copy_notes(const struct copy *copy, struct bs_error *error)
{
    const char *note;
    for (size_t i = 0; (note = bs_trace_remark(copy->trace, BS_REMARK_MIND, i)); i++)
        if (!bs_writer_note(copy->writer, note, error))
            return false;
    return !is_torn(copy->trace) ||
           bs_writer_note(copy->writer, bs_trace_warning(copy->trace)->text, error);
}

static bool copy_all(struct copy *copy, struct bs_error *error)
{
    struct bs_record record;
    for (;;) {
        switch (bs_trace_next(copy->trace, &record, error)) {
        case BS_TRACE_LAUNCH:
            if (!copy_launch(copy, record.kernel, error))
                return false;
            break;
        case BS_TRACE_RECORD:
            if (!copy_record(copy, &record, error))
                return false;
            break;
        case BS_TRACE_END:
            return copy_notes(copy, error) && bs_writer_finish(copy->writer, error);
        case BS_TRACE_ERROR:
            return false;
        }
        show_progress(copy);
    }
}

/* Says what the new trace does not have, and what the old one may lack. */
static void warn(const struct copy *copy, const struct convert_options *options)
{
    const char *losses = bs_writer_losses(copy->writer);
    const char *to = options->to;
    struct bs_error error;
    bs_filter_warn(&copy->met, copy->filter, &options->words, copy->taken);
    if (bs_trace_warning(copy->trace))
        bs_warn(bs_trace_warning(copy->trace));
    if (!losses)
        return;
    bs_fail(&error, BS_OK, NULL, 0, 0, "the format %s has no room for %s: left out", to, losses);
    bs_warn(&error);
}

/* BS_BAD_TRACE without *copied: after complaining. With it: what there was is written, but it is
 * not the whole. */
static enum bs_status convert_open(const struct convert_options *options, struct bs_trace *trace,
                                   const struct bs_output_file *output, bool *copied)
{
    struct bs_error error;
    struct copy copy = {.trace = trace, .filter = &options->filter};
    copy.writer = bs_writer_open(output->file, options->to, &error);
    if (!copy.writer)
        return bs_complain(&error);
    bs_trace_filter(trace, &options->filter);
    bs_progress_start(&copy.progress);
    *copied = copy_all(&copy, &error);
    const int failure = errno;
    if (!*copied && ferror(output->file))
        bs_output_failed(output, failure, &error); /* which knows what it is called */
    bs_progress_end(&copy.progress);
    if (*copied)
        warn(&copy, options);
    if (*copied)
        bs_imports_tell(bs_trace_import(trace));
    bs_writer_close(copy.writer);
    if (!*copied)
        return bs_complain(&error);
    return is_torn(trace) ? BS_BAD_TRACE : BS_OK;
}

static enum bs_status convert_to(const struct convert_options *options, struct bs_trace *trace,
                                 const char *out)
{
    struct bs_output_file output;
    struct bs_error error;
    bool copied = false;
    if (!bs_output_open(&output, out, &error))
        return bs_complain(&error);
    const enum bs_status status = convert_open(options, trace, &output, &copied);
    return bs_output_close(&output, copied, &error) ? status : bs_complain(&error);
}

static enum bs_status convert(const struct convert_options *options, const char *in,
                              const char *out)
{
    enum bs_status status;
    struct bs_trace *trace = bs_reading_open(in, &options->reading, &status);
    if (!trace)
        return status;
    status = convert_to(options, trace, out);
    bs_trace_close(trace);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/* --to must name a format. Without it the ending of OUT does. */
static enum bs_status choose_format(const struct bs_verb *verb, struct convert_options *options,
                                    const char *out)
{
    struct bs_buffer names = {0};
    char shown[64];
    if (!options->to)
        options->to = bs_writer_name_for(out);
    for (size_t i = 0; bs_writer_name(i); i++) {
        if (strcmp(options->to, bs_writer_name(i)) == 0) {
            bs_buffer_free(&names);
            return BS_OK;
        }
        bs_buffer_printf(&names, "%s%s", i ? ", " : "", bs_writer_name(i));
    }
    char *list = bs_buffer_take(&names);
    const enum bs_status status =
        bs_usage_error(verb, "--to is one of %s, not '%s'", list ? list : "",
                       bs_printable(options->to, strlen(options->to), shown, sizeof shown));
    free(list);
    return status;
}

static size_t option_table(struct convert_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = (struct bs_option){
        .name = "to",
        .value = "FORMAT",
        .help = "text, binary or npy (default: by the ending of OUT: .bst is binary, .npy npy, "
                "anything else text)",
        .kind = BS_OPTION_TEXT,
        .target = &options->to,
    };
    table[count++] = bs_option_let(&options->lets);
    count += bs_filter_option_table(&options->words, table + count);
    return count + bs_import_option_table(&options->reading, table + count);
}

static enum bs_status start(const struct bs_verb *verb, struct convert_options *options, int count,
                            char **words)
{
    struct bs_error error;
    if (count != 2)
        return bs_usage_error(verb, "expected two operands, IN and OUT, found %d", count);
    if (!words[1][0])
        return bs_usage_error(verb, "OUT: expected a file or -, found ''");
    if (!bs_filter_of_words(verb, &options->words, &options->filter))
        return BS_USAGE;
    if (!bs_reading_bind(&options->bound, &options->lets, &options->reading, &error))
        return bs_complain(&error);
    const enum bs_status status = choose_format(verb, options, words[1]);
    return status == BS_OK ? convert(options, words[0], words[1]) : status;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct convert_options options = {0};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = start(verb, &options, argc - operand, argv + operand);
    bs_words_free(&options.lets);
    return status;
}

const struct bs_verb bs_verb_convert = {
    .name = "convert",
    .summary = "write a trace in another format",
    .usage = "[OPTION]... IN|- OUT|-",
    .about =
        "Reads a trace in any format that bankshot knows and writes it as native text, native "
        "binary or an array of NumPy. Text and binary keep all that a trace says; an array "
        "keeps all that records say. - is standard input or standard output.\n"
        "\n"
        "OUT appears when it is complete. If IN is a binary trace that was cut off, OUT has what "
        "there was, text says so in a comment, and the exit code is 4. A binary trace is about a "
        "tenth of the text, is "
        "read several times as fast, and has an index by which a part of it is found without "
        "reading the rest.\n",
    .examples = "  bankshot convert kernel.trace.xz kernel.bst\n"
                "  bankshot convert addresses.npy kernel.trace --op ld.b128\n"
                "  bankshot convert kernel.bst - --kernel '*reduce*' --cta 0-7\n"
                "  zcat kernel.trace.gz | bankshot convert - - --to binary > kernel.bst\n",
    .run = run,
};
