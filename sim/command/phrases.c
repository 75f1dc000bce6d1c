/* Schedules in words. Everything is read off the schedule; nothing is decided here. */
#include "phrases.h"

#include "core/model_draft.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct bs_note bs_notes[BS_NOTES] = {
    {BS_NOTE_ASSUMED_RULE, "assumed-rule", "The rule of this op is assumed, not measured."},
    {BS_NOTE_ASSUMED_SOURCE, "assumed-source",
     "The copy's source addresses are not known: taken as contiguous."},
    {BS_NOTE_MISALIGNED, "misaligned",
     "Addresses are no multiple of the width: priced by the words that they touch."},
};

const struct bs_term bs_terms[BS_TERMS] = {
    {"share", "of all passes"},
    {"ideal", "ceil(active lanes x bytes / bytes of a pass); it does not know which lanes share "
              "words, so passes can be fewer (multicast)"},
    {"excess", "passes above the ideal, summed over the records that have any: for the most part "
               "bank conflicts"},
    {"avg", "passes of a record on average"},
    {"n-way", "passes over ideal, the conflict degree"},
    {"max", "passes of the worst record"},
    {"slots", "cycles that the data stage is occupied"},
};

const char *bs_term_meaning(const char *name)
{
    size_t i = 0;
    while (i + 1 < BS_TERMS && strcmp(bs_terms[i].name, name) != 0)
        i++;
    return bs_terms[i].meaning;
}

/* ---- small pieces ---------------------------------------------------------------------------- */

/* Like snprintf at the end of out. */
static void append(char *out, size_t room, const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, room - used, "%s", text);
}

const char *bs_lanes_phrase(uint64_t lanes, char out[BS_LANES_PHRASE])
{
    struct bs_buffer list = {0};
    bs_lanes_text(lanes, ",", &list);
    char *text = bs_buffer_take(&list);
    const char *noun = !lanes ? "no lane" : (lanes & (lanes - 1)) ? "lanes " : "lane ";
    snprintf(out, BS_LANES_PHRASE, "%s%s", noun, text ? text : "");
    free(text);
    return out;
}

const char *bs_ratio_text(uint64_t passes, uint64_t ideal, char out[BS_RATIO_TEXT])
{
    if (ideal)
        snprintf(out, BS_RATIO_TEXT, "%.1f", (double)passes / (double)ideal);
    else
        snprintf(out, BS_RATIO_TEXT, "-");
    return out;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static bool serves_phase(const struct bs_schedule *schedule, const struct bs_pass *pass,
                         uint32_t phase)
{
    for (uint32_t i = 0; i < pass->count; i++)
        if (schedule->services[pass->first + i].phase == phase)
            return true;
    return false;
}

/* Whether an earlier service of the phase opened the same row of the same bank. */
static bool row_seen(const struct bs_schedule *schedule, size_t at)
{
    const struct bs_service *service = &schedule->services[at];
    for (size_t i = 0; i < at; i++) {
        const struct bs_service *other = &schedule->services[i];
        if (other->phase == service->phase && other->bank == service->bank &&
            other->row == service->row)
            return true;
    }
    return false;
}

static void look_at_bank(struct bs_phase_view *view, const struct bs_schedule *schedule,
                         uint32_t phase, uint32_t bank)
{
    view->bank = bank;
    view->services = 0;
    view->rows = 0;
    view->lanes = 0;
    for (size_t i = 0; i < schedule->service_count; i++) {
        const struct bs_service *service = &schedule->services[i];
        if (service->phase != phase || service->bank != bank)
            continue;
        view->services++;
        view->lanes |= service->lanes;
        view->rows += !row_seen(schedule, i);
    }
}

void bs_phase_view_of(struct bs_phase_view *view, const struct bs_schedule *schedule,
                      uint32_t phase)
{
    uint32_t services[BS_MAX_BANKS] = {0};
    uint32_t busiest = 0;
    *view = (struct bs_phase_view){0};
    for (size_t i = 0; i < schedule->pass_count; i++)
        view->passes += schedule->passes[i].kind == BS_PASS_SERVE &&
                        serves_phase(schedule, &schedule->passes[i], phase);
    for (size_t i = 0; i < schedule->service_count; i++) {
        if (schedule->services[i].phase != phase)
            continue;
        services[schedule->services[i].bank]++;
        view->active |= schedule->services[i].lanes;
    }
    for (uint32_t bank = 0; bank < BS_MAX_BANKS; bank++)
        if (services[bank] > services[busiest])
            busiest = bank;
    look_at_bank(view, schedule, phase, busiest);
}

bool bs_phase_conflicts(const struct bs_rule *rule, struct bs_op op,
                        const struct bs_phase_view *view)
{
    const uint32_t requests = rule->request_bytes && op.bytes > rule->request_bytes
                                  ? (op.bytes + rule->request_bytes - 1) / rule->request_bytes
                                  : 1;
    if (rule->method == BS_BY_SECTORS || view->passes <= requests)
        return false;
    /* Other lines or banks of the source are other turns, whatever the banks of shared memory. */
    if (rule->method == BS_BY_QUEUES)
        return view->rows > 1;
    return !rule->source_line || view->rows > rule->ports;
}

/* ---- sentences ------------------------------------------------------------------------------- */

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void why_banks(const struct bs_rule *rule, const struct bs_phase_view *view,
                      char out[BS_SENTENCE])
{
    char lanes[BS_LANES_PHRASE];
    bs_lanes_phrase(view->lanes, lanes);
    if (view->rows == view->services)
        snprintf(out, BS_SENTENCE, "bank %u is asked for %u different rows by %s", view->bank,
                 view->rows, lanes);
    else if (rule->same_word == BS_BROADCAST && rule->ports > 1)
        snprintf(out, BS_SENTENCE, "bank %u is asked for %u row%s by %s", view->bank, view->rows,
                 plural(view->rows), lanes);
    else if (rule->same_word == BS_SERIALIZE)
        snprintf(out, BS_SENTENCE, "bank %u serves %s one by one, though they ask for %u row%s",
                 view->bank, lanes, view->rows, plural(view->rows));
    else
        snprintf(out, BS_SENTENCE, "bank %u is asked %u times for %u row%s by %s", view->bank,
                 view->services, view->rows, plural(view->rows), lanes);
}

const char *bs_why(const struct bs_rule *rule, const struct bs_phase_view *view,
                   char out[BS_SENTENCE])
{
    char piece[64];
    if (!view->active)
        snprintf(out, BS_SENTENCE, "no active lane");
    else if (rule->method == BS_BY_SECTORS)
        snprintf(out, BS_SENTENCE, "the data come in sectors of %u bytes and go round the lanes",
                 rule->sector_bytes);
    else if (view->services <= 1)
        snprintf(out, BS_SENTENCE, "no bank is asked %s",
                 rule->same_word == BS_SERIALIZE ? "twice" : "for two rows");
    else
        why_banks(rule, view, out);
    const bool queues = rule->method == BS_BY_QUEUES;
    const uint32_t turns = (view->services + rule->ports - 1) / rule->ports;
    if (queues && view->services < view->passes)
        append(out, BS_SENTENCE, "; lanes queue in order, for the banks of their source too");
    if (rule->method == BS_BY_BANKS && rule->ports > 1 && view->services > 1) {
        snprintf(piece, sizeof piece,
                 rule->same_word == BS_BROADCAST ? "; a pass serves %u lanes of a bank"
                                                 : ", %u a pass",
                 rule->ports);
        append(out, BS_SENTENCE, piece);
    }
    if (rule->method == BS_BY_BANKS && turns < view->passes)
        append(out, BS_SENTENCE,
               rule->source_line     ? "; every source line takes passes of its own"
               : rule->request_bytes ? "; the access is split into requests"
               : rule->ports > 1     ? ", and all that want the one word that is broadcast"
                                     : "; one word a pass is broadcast");
    snprintf(piece, sizeof piece, ": %u pass%s", view->passes, view->passes == 1 ? "" : "es");
    append(out, BS_SENTENCE, piece);
    if (rule->multiplier > 1 && view->active) {
        snprintf(piece, sizeof piece, ", each made %u times", rule->multiplier);
        append(out, BS_SENTENCE, piece);
    }
    return out;
}

const char *bs_combining_text(const struct bs_rule *rule, const struct bs_schedule *schedule,
                              char out[BS_SENTENCE])
{
    const uint32_t passes = schedule->cost.passes;
    const uint32_t extra = passes ? rule->extra_passes : 0;
    const bool largest = rule->combine == BS_LARGEST && schedule->phase_count > 1;
    char piece[96];
    out[0] = '\0';
    if (rule->method != BS_BY_BANKS || passes == 0 || (!largest && !extra))
        return out;
    if (largest)
        append(out, BS_SENTENCE,
               "the phases run side by side and take as many passes as the longest of them");
    if (extra) {
        snprintf(piece, sizeof piece, "%s%u extra pass%s, once an instruction",
                 largest ? ", and there is " : "the phases add up, and there is ", extra,
                 extra == 1 ? "" : "es");
        append(out, BS_SENTENCE, piece);
        snprintf(piece, sizeof piece, ": %u + %u = %u", passes - extra, extra, passes);
    } else {
        snprintf(piece, sizeof piece, ": %u", passes);
    }
    append(out, BS_SENTENCE, piece);
    return out;
}

const char *bs_merging_text(const struct bs_rule *rule, const struct bs_schedule *schedule,
                            char out[BS_SENTENCE])
{
    char piece[48];
    out[0] = '\0';
    if (rule->merges == 0)
        return out;
    if (schedule->merged_by) {
        snprintf(out, BS_SENTENCE,
                 "Neighbouring phases merged: every lane t has the address of lane t^%u, or that "
                 "lane is inactive.",
                 schedule->merged_by);
        return out;
    }
    append(out, BS_SENTENCE,
           "The phases did not merge: for that every lane t would need the address of lane ");
    for (uint32_t i = 0; i < rule->merges; i++) {
        snprintf(piece, sizeof piece, "%st^%u", i ? ", or every one that of " : "", rule->merge[i]);
        append(out, BS_SENTENCE, piece);
    }
    append(out, BS_SENTENCE, ".");
    return out;
}
