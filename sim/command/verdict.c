/* What eval and explain both say about an instruction. */
#include "verdict.h"

#include "address_rule.h"
#include "arithmetic.h"
#include "core/lanes.h"
#include "core/steps.h"
#include "phrases.h"

#include <string.h>

bool bs_verdict_reach(struct bs_verdict *verdict, const struct bs_subject *subject)
{
    const struct bs_model *model = subject->model;
    *verdict = (struct bs_verdict){
        .subject = subject,
        .rule = bs_model_rule(model, subject->access.op),
        .active = subject->access.mask & bs_op_lanes(subject->access.op, model->lanes),
    };
    return bs_schedule_build(&verdict->schedule, model, &subject->access);
}

struct bs_option bs_option_arithmetic(bool *arithmetic)
{
    return (struct bs_option){
        .name = "arithmetic",
        .help = "show the formula for lanes a constant stride apart, and whether it holds",
        .kind = BS_OPTION_FLAG,
        .target = arithmetic,
    };
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { LABEL = 12, NOTE_COLUMN = 22 };

/* A labelled paragraph: "  label     text", wrapped. */
static void paragraph(const struct bs_screen *screen, struct bs_spool *out, const char *label,
                      const char *text)
{
    bs_spool_printf(out, "  %-*s", LABEL - 2, label);
    bs_screen_wrap(screen, out, LABEL, text);
}

static void record_paragraphs(const struct bs_subject *subject, const struct bs_screen *screen,
                              struct bs_spool *out)
{
    char text[BS_SENTENCE];
    char name[128];
    char kernel[128];
    snprintf(text, sizeof text, "%llu of %s%s%.0llu", (unsigned long long)subject->access.record,
             bs_screen_shorten(subject->trace, 48, name, sizeof name),
             subject->line ? ", line " : "", (unsigned long long)subject->line);
    paragraph(screen, out, "record", text);
    paragraph(
        screen, out, "kernel",
        bs_screen_shorten(subject->kernel_typed, screen->width - LABEL, kernel, sizeof kernel));
    if (subject->place[0])
        paragraph(screen, out, "source",
                  bs_printable(subject->place, strlen(subject->place), text, sizeof text));
    snprintf(text, sizeof text, "CTA %u, warp %u, pc 0x%llx", subject->access.cta,
             subject->access.warp, (unsigned long long)subject->access.pc);
    paragraph(screen, out, "from", text);
}

/* The rule that the addresses of a record follow; those that were given in words stand above. */
static void pattern_paragraph(const struct bs_verdict *verdict, const struct bs_screen *screen,
                              struct bs_spool *out)
{
    char rule[BS_ADDRESS_RULE];
    char text[BS_ADDRESS_RULE + 32];
    switch (bs_address_rule(&verdict->subject->access, verdict->active,
                            screen->utf8 ? BS_RULE_UNICODE : BS_RULE_ASCII, rule)) {
    case BS_RULE_UNKNOWN:
        return;
    case BS_RULE_FORMULA:
        snprintf(text, sizeof text, "%s at %s", strchr(rule, 't') ? "lane t" : "each lane", rule);
        break;
    case BS_RULE_SWIZZLE:
        snprintf(text, sizeof text, "%s", rule);
        break;
    }
    paragraph(screen, out, "pattern", text);
}

void bs_verdict_head(const struct bs_verdict *verdict, const struct bs_screen *screen,
                     struct bs_spool *out)
{
    const struct bs_subject *subject = verdict->subject;
    const struct bs_model *model = subject->model;
    char name[BS_OP_NAME];
    char lanes[BS_LANES_PHRASE];
    char text[BS_SENTENCE];
    bs_screen_tone(screen, out, BS_BOLD, bs_op_name(subject->access.op, name));
    if (subject->pattern) {
        char pattern[128];
        bs_spool_printf(out, "  %s",
                        bs_screen_shorten(subject->pattern, 60, pattern, sizeof pattern));
    }
    bs_spool_text(out, "\n");
    if (subject->trace)
        record_paragraphs(subject, screen, out);
    const uint64_t mask = subject->access.mask;
    snprintf(text, sizeof text, "%s: %u of %u, mask %08llx", bs_lanes_phrase(mask, lanes),
             bs_lanes_count(mask), model->lanes, (unsigned long long)mask);
    paragraph(screen, out, "active", text);
    if (verdict->active != mask && subject->access.op.kind != BS_BAR)
        paragraph(screen, out, "addresses", bs_lanes_phrase(verdict->active, lanes));
    if (subject->trace && subject->access.op.kind != BS_BAR)
        pattern_paragraph(verdict, screen, out);
    snprintf(text, sizeof text, "%s: %s%s%u banks of %u bytes, rows of %u bytes", model->name,
             model->title, model->title[0] ? "; " : "", model->banks, model->bank_width,
             model->row_bytes);
    paragraph(screen, out, "model", text);
    if (model->changes[0])
        paragraph(screen, out, "changed", model->changes);
}

static void number(const struct bs_screen *screen, struct bs_spool *out, const char *label,
                   enum bs_tone tone, const char *value, const char *meaning)
{
    bs_spool_printf(out, "  %-*s", LABEL - 2, label);
    bs_spool_repeat(out, ' ', strlen(value) < 6 ? 6 - strlen(value) : 0);
    bs_screen_tone(screen, out, tone, value);
    bs_spool_text(out, "    ");
    bs_screen_wrap(screen, out, NOTE_COLUMN, meaning);
}

static void whole_number(const struct bs_screen *screen, struct bs_spool *out, const char *label,
                         enum bs_tone tone, uint32_t value, const char *meaning)
{
    char text[16];
    snprintf(text, sizeof text, "%u", value);
    number(screen, out, label, tone, text, meaning);
}

/* What the passes are; true if there are bank conflicts among them. Phases that take a pass each
 * are none. */
static bool passes_text(const struct bs_verdict *verdict, char out[BS_SENTENCE])
{
    const struct bs_schedule *schedule = &verdict->schedule;
    uint32_t phases = 0, conflicts = 0;
    char count[48] = "";
    for (uint32_t phase = 0; verdict->rule && phase < schedule->phase_count; phase++) {
        struct bs_phase_view view;
        bs_phase_view_of(&view, schedule, phase);
        phases += view.active != 0;
        conflicts += bs_phase_conflicts(verdict->rule, verdict->subject->access.op, &view);
    }
    if (conflicts && phases > 1)
        snprintf(count, sizeof count, " in %u of %u phases", conflicts, phases);
    else if (phases > 1)
        snprintf(count, sizeof count, "%u phases, ", phases);
    snprintf(out, BS_SENTENCE, "of the bank array: %s%s", conflicts ? "bank conflicts" : count,
             conflicts ? count : "no bank conflicts");
    return conflicts > 0;
}

/* The ideal's formula, with the numbers in it. */
static const char *ideal_text(const struct bs_verdict *verdict, char out[BS_SENTENCE])
{
    const struct bs_model *model = verdict->subject->model;
    const struct bs_cost *cost = &verdict->schedule.cost;
    const struct bs_rule *rule = verdict->rule;
    const unsigned lanes = bs_lanes_count(verdict->active);
    const unsigned bytes = verdict->subject->access.op.bytes;
    const char *few = cost->passes >= cost->ideal ? ""
                      : rule && rule->combine == BS_LARGEST
                          ? "; phases side by side can do with less"
                          : "; it does not know which lanes share words";
    char piece[96] = "";
    if (rule && rule->multiplier > 1)
        snprintf(piece, sizeof piece, " x %u", rule->multiplier);
    snprintf(out, BS_SENTENCE, "ceil(%u active lane%s x %u byte%s / %u bytes of a pass)%s%s", lanes,
             lanes == 1 ? "" : "s", bytes, bytes == 1 ? "" : "s",
             rule ? bs_pass_bytes(model, rule) : model->row_bytes, piece, few);
    return out;
}

void bs_verdict_numbers(const struct bs_verdict *verdict, const struct bs_screen *screen,
                        struct bs_spool *out)
{
    const struct bs_cost *cost = &verdict->schedule.cost;
    char ratio[BS_RATIO_TEXT];
    char meaning[BS_SENTENCE];
    const enum bs_tone tone = passes_text(verdict, meaning) ? BS_BAD : BS_GOOD;
    whole_number(screen, out, "passes", tone, cost->passes, meaning);
    whole_number(screen, out, "ideal", BS_PLAIN, cost->ideal, ideal_text(verdict, meaning));
    number(screen, out, "n-way", tone, bs_ratio_text(cost->passes, cost->ideal, ratio),
           bs_term_meaning("n-way"));
    whole_number(screen, out, "slots", BS_PLAIN, cost->slots, bs_term_meaning("slots"));
    if (cost->undefined)
        whole_number(screen, out, "undefined", BS_BAD, cost->undefined,
                     "bytes whose final value is left undefined");
}

static void clash_line(const struct bs_verdict *verdict, const struct bs_clash *clash,
                       const struct bs_screen *screen, struct bs_spool *out)
{
    char lanes[BS_LANES_PHRASE];
    char text[BS_SENTENCE];
    char end[96];
    const enum bs_winner policy = (enum bs_winner)verdict->subject->model->winner;
    if (clash->winner < 0)
        snprintf(end, sizeof end, "undefined, any of them may win");
    else if (policy == BS_RANDOM)
        snprintf(end, sizeof end, "lane %d wins (winner: random, seed: %u)", (int)clash->winner,
                 verdict->subject->model->seed);
    else
        snprintf(end, sizeof end, "lane %d wins (winner: %s)", (int)clash->winner,
                 bs_winner_name(policy));
    snprintf(text, sizeof text, "bytes 0x%x-0x%x by %s: %s", clash->address,
             clash->address + clash->bytes - 1, bs_lanes_phrase(clash->lanes, lanes), end);
    paragraph(screen, out, "clash", text);
}

void bs_verdict_clashes(const struct bs_verdict *verdict, const struct bs_screen *screen,
                        size_t most, struct bs_spool *out)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    char lanes[BS_LANES_PHRASE];
    char text[BS_SENTENCE];
    for (size_t i = 0; i < schedule->clash_count && i < most; i++)
        clash_line(verdict, &schedule->clashes[i], screen, out);
    if (schedule->clash_count > most) {
        snprintf(text, sizeof text, "and %zu more; 'bankshot explain --all' shows them",
                 schedule->clash_count - most);
        paragraph(screen, out, "", text);
    }
    if (schedule->dropped) {
        snprintf(text, sizeof text, "%s: an earlier lane has the same destination",
                 bs_lanes_phrase(schedule->dropped, lanes));
        paragraph(screen, out, "dropped", text);
    }
}

enum { BASIS_SOURCE = 256 };

/* How sure the price is, and where it is from. What a rule was found to be holds for addresses that
 * the hardware takes: others are priced by analogy. */
static const char *basis_of(const struct bs_verdict *verdict, char source[BASIS_SOURCE])
{
    const struct bs_rule *rule = verdict->rule;
    const char *basis = bs_basis_name((enum bs_basis)rule->basis);
    if (verdict->schedule.cost.notes & BS_NOTE_MISALIGNED) {
        snprintf(source, BASIS_SOURCE, "for aligned addresses the rule is %s%s%s", basis,
                 rule->source[0] ? ": " : "", rule->source);
        return bs_basis_name(BS_ASSUMED);
    }
    snprintf(source, BASIS_SOURCE, "%s", rule->source);
    return basis;
}

void bs_verdict_rule(const struct bs_verdict *verdict, const struct bs_screen *screen,
                     struct bs_spool *out)
{
    const struct bs_rule *rule = verdict->rule;
    char text[BS_SENTENCE];
    if (!rule)
        return;
    if (*bs_merging_text(rule, &verdict->schedule, text))
        paragraph(screen, out, "phases", text);
    if (*bs_combining_text(rule, &verdict->schedule, text))
        paragraph(screen, out, "together", text);
    for (size_t i = 0; i < BS_NOTES; i++)
        if (verdict->schedule.cost.notes & bs_notes[i].bit)
            paragraph(screen, out, "note", bs_notes[i].text);
    const bool vouched = rule->basis != BS_ASSUMED;
    char source[BASIS_SOURCE];
    const char *basis = basis_of(verdict, source);
    snprintf(text, sizeof text, "%s%s%s%s", basis, source[0] ? ": " : "", source,
             vouched && verdict->subject->model->changes[0] ? "; of the model without the changes"
                                                            : "");
    paragraph(screen, out, "rule", text);
}

void bs_verdict_arithmetic(const struct bs_verdict *verdict, const struct bs_screen *screen,
                           struct bs_spool *out)
{
    const struct bs_subject *subject = verdict->subject;
    if (!verdict->arithmetic)
        return;
    const struct bs_arithmetic arithmetic = bs_arithmetic_of(subject->model, &subject->access);
    bs_spool_text(out, "\n");
    bs_arithmetic_text(&arithmetic, verdict->schedule.cost.passes, screen, out);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void json_phases(const struct bs_verdict *verdict, struct bs_json *json)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    bs_json_list(json, "phases", BS_JSON_TALL);
    for (uint32_t phase = 0; phase < schedule->phase_count; phase++) {
        struct bs_phase_view view;
        bs_phase_view_of(&view, schedule, phase);
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_hex(json, "lanes", schedule->phase[phase]);
        bs_json_hex(json, "served", view.active);
        bs_json_number(json, "passes", view.passes);
        bs_json_map(json, "busiest", BS_JSON_FLAT);
        bs_json_number(json, "bank", view.bank);
        bs_json_number(json, "requests", view.services);
        bs_json_number(json, "rows", view.rows);
        bs_json_hex(json, "lanes", view.lanes);
        bs_json_close(json);
        bs_json_close(json);
    }
    bs_json_close(json);
}

static void json_clashes(const struct bs_verdict *verdict, struct bs_json *json)
{
    const struct bs_schedule *schedule = &verdict->schedule;
    bs_json_list(json, "clashes", BS_JSON_TALL);
    for (size_t i = 0; i < schedule->clash_count; i++) {
        const struct bs_clash *clash = &schedule->clashes[i];
        bs_json_map(json, NULL, BS_JSON_FLAT);
        bs_json_number(json, "address", clash->address);
        bs_json_number(json, "bytes", clash->bytes);
        bs_json_hex(json, "lanes", clash->lanes);
        if (clash->winner < 0)
            bs_json_null(json, "winner");
        else
            bs_json_number(json, "winner", (uint64_t)clash->winner);
        bs_json_close(json);
    }
    bs_json_close(json);
}

static void json_record(const struct bs_subject *subject, struct bs_json *json)
{
    bs_json_text(json, "trace", subject->trace);
    bs_json_number(json, "record", subject->access.record);
    bs_json_text(json, "kernel", subject->kernel);
    if (subject->place[0])
        bs_json_text(json, "source", subject->place);
    bs_json_number(json, "cta", subject->access.cta);
    bs_json_number(json, "warp", subject->access.warp);
    bs_json_hex(json, "pc", subject->access.pc);
}

static void json_rule(const struct bs_verdict *verdict, struct bs_json *json)
{
    char source[BASIS_SOURCE];
    bs_json_map(json, "rule", BS_JSON_FLAT);
    bs_json_text(json, "basis", basis_of(verdict, source));
    bs_json_text(json, "source", source);
    bs_json_close(json);
}

void bs_verdict_json(const struct bs_verdict *verdict, struct bs_json *json)
{
    const struct bs_subject *subject = verdict->subject;
    const struct bs_cost *cost = &verdict->schedule.cost;
    char name[BS_OP_NAME];
    bs_json_text(json, "model", subject->model->name);
    if (subject->model->changes[0])
        bs_json_text(json, "changes", subject->model->changes);
    if (subject->trace)
        json_record(subject, json);
    bs_json_text(json, "op", bs_op_name(subject->access.op, name));
    if (subject->pattern)
        bs_json_text(json, "addresses", subject->pattern);
    bs_json_hex(json, "mask", subject->access.mask);
    bs_json_number(json, "active", bs_lanes_count(subject->access.mask));
    bs_json_number(json, "passes", cost->passes);
    bs_json_number(json, "slots", cost->slots);
    bs_json_number(json, "ideal", cost->ideal);
    bs_json_number(json, "undefined", cost->undefined);
    bs_json_number(json, "merged_by", verdict->schedule.merged_by);
    json_phases(verdict, json);
    json_clashes(verdict, json);
    bs_json_lanes(json, "dropped", verdict->schedule.dropped);
    bs_json_list(json, "notes", BS_JSON_FLAT);
    for (size_t i = 0; i < BS_NOTES; i++)
        if (cost->notes & bs_notes[i].bit)
            bs_json_text(json, NULL, bs_notes[i].code);
    bs_json_close(json);
    if (verdict->rule)
        json_rule(verdict, json);
    if (verdict->arithmetic) {
        const struct bs_arithmetic arithmetic = bs_arithmetic_of(subject->model, &subject->access);
        bs_arithmetic_json(&arithmetic, cost->passes, json);
    }
}
