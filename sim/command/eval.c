/* bankshot eval: what one instruction costs. */
#include "bank_lanes.h"
#include "op_help.h"
#include "phrases.h"
#include "verdict.h"

struct eval_options {
    struct bs_subject_options subject;
    unsigned format;
    bool arithmetic, banks;
};

enum { CLASHES = 4 }; /* shown; explain --all shows them all */

static void print_phases(const struct bs_verdict *verdict, const struct bs_screen *screen,
                         struct bs_spool *out)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    for (uint32_t phase = 0; phase < schedule->phase_count; phase++) {
        struct bs_phase_view view;
        char lanes[BS_LANES_PHRASE];
        char why[BS_SENTENCE];
        bs_phase_view_of(&view, schedule, phase);
        bs_spool_printf(out, "  phase %u of %u, %s\n    ", phase + 1, schedule->phase_count,
                        bs_lanes_phrase(schedule->phase[phase], lanes));
        bs_screen_wrap(screen, out, 4, bs_why(verdict->rule, &view, why));
    }
}

static struct bs_bank_lanes lanes_of(const struct bs_verdict *verdict)
{
    return bs_bank_lanes_of(verdict->subject->model, &verdict->subject->access);
}

static void print_text(const struct bs_verdict *verdict, bool banks, struct bs_spool *out)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_verdict_head(verdict, &screen, out);
    bs_spool_text(out, "\n");
    bs_verdict_numbers(verdict, &screen, out);
    bs_spool_text(out, "\n");
    print_phases(verdict, &screen, out);
    bs_spool_text(out, "\n");
    bs_verdict_clashes(verdict, &screen, CLASHES, out);
    bs_verdict_rule(verdict, &screen, out);
    bs_verdict_arithmetic(verdict, &screen, out);
    if (!banks)
        return;
    const struct bs_bank_lanes lanes = lanes_of(verdict);
    bs_spool_text(out, "\n");
    bs_bank_lanes_text(&lanes, &screen, out);
}

static void print_json(const struct bs_verdict *verdict, bool banks, struct bs_spool *out)
{
    struct bs_json json = {.out = out};
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-eval-1");
    bs_verdict_json(verdict, &json);
    if (banks) {
        const struct bs_bank_lanes lanes = lanes_of(verdict);
        bs_bank_lanes_json(&lanes, &json);
    }
    bs_json_close(&json);
}

static enum bs_status evaluate(const struct bs_subject *subject, const struct eval_options *options)
{
    struct bs_verdict verdict;
    struct bs_spool out = {0};
    const bool reached = bs_verdict_reach(&verdict, subject);
    verdict.arithmetic = options->arithmetic;
    if (reached && options->format == BS_TREE_JSON)
        print_json(&verdict, options->banks, &out);
    else if (reached)
        print_text(&verdict, options->banks, &out);
    bs_schedule_free(&verdict.schedule);
    return reached ? bs_spool_print(&out) : bs_out_of_memory();
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct eval_options options = {.format = BS_TREE_TEXT};
    struct bs_option table[BS_MAX_OPTIONS];
    struct bs_subject subject = {0};
    int operand;
    enum bs_status status;
    size_t count = bs_subject_option_table(&options.subject, table);
    table[count++] = bs_option_arithmetic(&options.arithmetic);
    table[count++] = (struct bs_option){.name = "banks",
                                        .help = "show how many lanes go to each bank",
                                        .kind = BS_OPTION_FLAG,
                                        .target = &options.banks};
    table[count++] = bs_option_tree_format(&options.format);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status)) {
        if (argc - operand != 2)
            status =
                bs_usage_error(verb, "expected 2 operands, OP and ADDRS, found %d", argc - operand);
        else
            status = bs_subject_of_words(&subject, verb, &options.subject, argv[operand],
                                         argv[operand + 1]);
        if (status == BS_OK)
            status = evaluate(&subject, &options);
    }
    bs_subject_free(&subject);
    bs_subject_options_free(&options.subject);
    return status;
}

const struct bs_verb bs_verb_eval = {
    .name = "eval",
    .summary = "what one instruction costs",
    .usage = "[OPTION]... OP ADDRS",
    .about = "Prices one warp-wide instruction: its passes of the bank array, and where they "
             "come from.\n"
             "\n"
             "ADDRS is either a list of byte offsets, one for each active lane, as runs "
             "joined by commas (A, or A+S*N for N addresses S bytes apart), or an expression "
             "in t, the lane, with C's integer operators, min(a,b) and max(a,b). A number "
             "alone is an expression: the address of every lane.\n",
    .appendix = bs_op_help,
    .examples = "  bankshot eval ld.b64 't*16'\n"
                "  bankshot eval ld.b32 '(t%8)*pitch + t/8*4' --let pitch=132\n"
                "  bankshot eval st.b32 0,4,8,12 --mask f\n"
                "  bankshot eval ld.b128 0x0+16*8,0x400+16*8 --mask ffff -m ampere\n"
                "  bankshot eval ld.b128 't*72*4' --arithmetic\n"
                "  bankshot eval atom.add.b32 't/4*4' --format json\n",
    .run = run,
};
