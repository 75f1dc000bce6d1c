/* bankshot explain: the picture of every pass of one instruction. */
#include "imports.h"
#include "op_help.h"
#include "phrases.h"
#include "picture.h"
#include "verdict.h"

#include <string.h>

enum { CLASHES = 16 }; /* shown without --all */

struct explain_options {
    struct bs_subject_options subject;
    const char *record;
    unsigned format;
    bool all;
    bool arithmetic;
};

/* ---- output ---------------------------------------------------------------------------------- */

static void print_legend(const struct bs_verdict *verdict, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    bool shared = false;
    for (size_t i = 0; i < verdict->schedule.service_count; i++) {
        const uint64_t lanes = verdict->schedule.services[i].lanes;
        shared = shared || (lanes & (lanes - 1));
    }
    bs_screen_wrap(screen, out, 0,
                   shared
                       ? "Under each bank stands the lane that it serves (*n: n lanes that share "
                         "a word), beside or below it the row of words that it opens."
                       : "Under each bank stands the lane that it serves, beside or below it the "
                         "row of words that it opens.");
    bs_spool_text(out, "\n");
}

static void print_text(const struct bs_verdict *verdict, bool all, struct bs_spool *out)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_verdict_head(verdict, &screen, out);
    bs_spool_text(out, "\n");
    if (!verdict->rule) {
        bs_spool_text(out, "A barrier: it has no addresses and takes no passes.\n");
        return;
    }
    if (verdict->schedule.pass_count > 0)
        print_legend(verdict, &screen, out);
    bs_picture_draw(verdict, &screen, all, out);
    bs_verdict_numbers(verdict, &screen, out);
    bs_verdict_clashes(verdict, &screen, all ? SIZE_MAX : CLASHES, out);
    bs_verdict_rule(verdict, &screen, out);
    bs_verdict_arithmetic(verdict, &screen, out);
}

static void json_pass(const struct bs_schedule *schedule, const struct bs_pass *pass,
                      struct bs_json *json)
{
    static const char *const kinds[] = {
        [BS_PASS_SERVE] = "serve", [BS_PASS_REPEAT] = "repeat", [BS_PASS_EXTRA] = "extra"};
    bs_json_map(json, NULL, BS_JSON_TALL);
    bs_json_text(json, "kind", kinds[pass->kind]);
    bs_json_list(json, "services", BS_JSON_TALL);
    for (uint32_t i = 0; i < pass->count; i++) {
        const struct bs_service *service = &schedule->services[pass->first + i];
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_number(json, "bank", service->bank);
        bs_json_number(json, "row", service->row);
        bs_json_number(json, "phase", service->phase);
        bs_json_lanes(json, "lanes", service->lanes);
        bs_json_close(json);
    }
    bs_json_close(json);
    bs_json_close(json);
}

static void print_json(const struct bs_verdict *verdict, struct bs_spool *out)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    struct bs_json json = {.out = out};
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-explain-1");
    bs_verdict_json(verdict, &json);
    bs_json_list(&json, "schedule", BS_JSON_TALL);
    for (size_t i = 0; i < schedule->pass_count; i++)
        json_pass(schedule, &schedule->passes[i], &json);
    bs_json_close(&json);
    bs_json_close(&json);
}

static enum bs_status explain(const struct bs_subject *subject,
                              const struct explain_options *options)
{
    struct bs_verdict verdict;
    struct bs_spool out = {0};
    const bool reached = bs_verdict_reach(&verdict, subject);
    verdict.arithmetic = options->arithmetic;
    if (reached && options->format == BS_TREE_JSON)
        print_json(&verdict, &out);
    else if (reached)
        print_text(&verdict, options->all, &out);
    bs_schedule_free(&verdict.schedule);
    return reached ? bs_spool_print(&out) : bs_out_of_memory();
}

/* ---- input ----------------------------------------------------------------------------------- */

static enum bs_status read_record(struct bs_subject *subject, const struct bs_verb *verb,
                                  struct explain_options *options, const char *trace)
{
    struct bs_error error;
    uint64_t record;
    char shown[64];
    if (options->subject.mask || options->subject.src)
        return bs_usage_error(verb, "--mask and --src are for OP ADDRS, not for a trace");
    if (!bs_subject_bind(&options->subject, &error))
        return bs_complain(&error);
    if (!bs_number_parse(options->record, strlen(options->record), UINT64_MAX, &record))
        return bs_usage_error(
            verb, "--record: expected %s, found '%s'",
            bs_expected_number(options->record, "a number"),
            bs_printable(options->record, strlen(options->record), shown, sizeof shown));
    return bs_subject_of_record(subject, &options->subject, trace, record);
}

/* OP ADDRS, or TRACE --record N. */
static enum bs_status read_subject(struct bs_subject *subject, const struct bs_verb *verb,
                                   struct explain_options *options, int count, char **words)
{
    struct bs_op op;
    if (options->record && count == 1)
        return read_record(subject, verb, options, words[0]);
    if (options->record)
        return bs_usage_error(verb, "expected one operand, a trace, beside --record, found %d",
                              count);
    if (count == 2)
        return bs_subject_of_words(subject, verb, &options->subject, words[0], words[1]);
    if (count == 1 && bs_op_parse(words[0], strlen(words[0]), &op))
        return bs_usage_error(verb, "expected addresses after the op '%s'", words[0]);
    if (count == 1)
        return bs_usage_error(verb, "a trace needs --record N: which of its records to explain");
    return bs_usage_error(verb, "expected operands OP ADDRS, or TRACE --record N, found %d", count);
}

static size_t option_table(struct explain_options *options, struct bs_option *table)
{
    size_t count = bs_subject_option_table(&options->subject, table);
    table[count++] = (struct bs_option){
        .name = "record",
        .value = "N",
        .help = "explain the N-th record of a trace, counted from 0",
        .kind = BS_OPTION_TEXT,
        .target = &options->record,
    };
    table[count++] = (struct bs_option){
        .name = "all",
        .help =
            "draw every pass of a long schedule, also those that look like their neighbours, and "
            "list all bytes that several lanes write",
        .kind = BS_OPTION_FLAG,
        .target = &options->all,
    };
    table[count++] = bs_option_arithmetic(&options->arithmetic);
    table[count++] = bs_option_tree_format(&options->format);
    return count + bs_import_option_table(&options->subject.reading, table + count);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct explain_options options = {.format = BS_TREE_TEXT, .subject.takes_traces = true};
    struct bs_option table[BS_MAX_OPTIONS];
    struct bs_subject subject = {0};
    int operand;
    enum bs_status status;
    const size_t count = option_table(&options, table);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status)) {
        status = read_subject(&subject, verb, &options, argc - operand, argv + operand);
        if (status == BS_OK)
            status = explain(&subject, &options);
    }
    bs_subject_free(&subject);
    bs_subject_options_free(&options.subject);
    return status;
}

const struct bs_verb bs_verb_explain = {
    .name = "explain",
    .summary = "the picture of every pass of one instruction",
    .usage = "[OPTION]... OP ADDRS\n[OPTION]... TRACE --record N",
    .about = "Draws which lane meets which row in which bank, pass by pass, and says why the "
             "instruction takes as many passes as it does. The instruction is given as for "
             "'bankshot eval', or is a record of a trace.\n",
    .appendix = bs_op_help,
    .examples = "  bankshot explain ld.b64 't*16'\n"
                "  bankshot explain ld.b32 't*pitch' --let pitch=33*4\n"
                "  bankshot explain st.b32 't/4*4'\n"
                "  bankshot explain kernel.trace --record 42\n"
                "  bankshot explain atom.cas.b32 0 --all\n",
    .run = run,
};
