/* Changes of what is shown, and what is said of them. */
#include "session_change.h"

#include "core/lanes.h"
#include "switches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- notes ----------------------------------------------------------------------------------- */

void bs_session_say(struct bs_session *session, const char *note)
{
    snprintf(session->note, sizeof session->note, "%s", note);
    session->note_for = 0;
    session->bad_note = false;
}

void bs_session_say_wrong(struct bs_session *session, const char *note)
{
    bs_session_say(session, note);
    session->bad_note = true;
}

/* What was typed may be long: the reason comes before it, where it is seen. */
void bs_session_say_error(struct bs_session *session, const struct bs_error *error)
{
    char line[sizeof session->note];
    char note[sizeof session->note];
    bs_error_line(error, line, sizeof line);
    const char *reason = strstr(line, "': ");
    if (reason)
        snprintf(note, sizeof note, "%s \u00b7 %.*s", reason + 3, (int)(reason + 1 - line), line);
    bs_session_say_wrong(session, reason ? note : line);
}

enum { TRIES = 24 }; /* of values, until one can be shown */

/* ---- changes --------------------------------------------------------------------------------- */

/* Shows what the wanted values say, which are the session's from then on. If they say nothing that
 * can be shown, the note is why, and all stays as it is. Takes the values over. */
static uint32_t lanes_of(const struct bs_session *session)
{
    const struct bs_story *story = session->story;
    const uint32_t scene = session->scene < story->variant_count ? session->scene : 0;
    return story->variants[scene].model->lanes;
}

static void say_lanes(struct bs_session *session, uint32_t before)
{
    char note[48];
    const uint32_t lanes = lanes_of(session);
    snprintf(note, sizeof note, "%u lanes instead of %u", lanes, before);
    if (lanes != before)
        bs_session_say(session, note);
}

static bool has_failed(const struct bs_session *session)
{
    return session->note[0] && session->bad_note;
}

static bool show_values(struct bs_session *session, struct bs_values *wanted)
{
    struct bs_errors errors = {0};
    struct bs_request request;
    const uint32_t lanes = lanes_of(session);
    if (!bs_values_request(wanted, &session->story->request, &request)) {
        free(wanted);
        return false;
    }
    if (bs_story_change(session->story, &request, &errors)) {
        free(session->values);
        session->values = wanted;
        session->changes++;
        bs_values_follow(wanted, session->story);
        session->note[0] = '\0';
        say_lanes(session, lanes);
        if (session->show.record >= session->story->count)
            session->show.record = 0;
        return bs_show_refresh(&session->show) && bs_player_again(&session->player);
    }
    bs_subject_options_free(&request.options);
    bs_words_free(&request.compares);
    free(wanted);
    const bool good = errors.count > 0;
    if (good)
        bs_session_say_error(session, &errors.list[0]);
    bs_errors_free(&errors);
    return good;
}

static struct bs_values *copy_values(const struct bs_session *session)
{
    struct bs_values *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *session->values;
    return copy;
}

bool bs_session_change(struct bs_session *session, size_t number, const char *text)
{
    struct bs_values *wanted = copy_values(session);
    if (!wanted)
        return false;
    bs_values_set(wanted, number, session->scene, text);
    return show_values(session, wanted);
}

/* Behind what there is to say of that which was found, if something was. */
static void say_passed_over(struct bs_session *session, const char *why)
{
    char note[sizeof session->note];
    const bool found = !has_failed(session);
    snprintf(note, sizeof note, "%.60s%s%s%.400s", found ? session->note : "",
             found && session->note[0] ? " \u00b7 " : "", found ? "passed over: " : "", why);
    bs_session_say(session, note);
}

/* Steps on until there is something that can be shown: models without a rule for the op are passed
 * over, and so on. The first reason is kept as a note. */
bool bs_session_step(struct bs_session *session, size_t number, int step, bool leap)
{
    char text[BS_VALUE_TEXT];
    char why[sizeof session->note] = "";
    struct bs_value value = *bs_values_of_scene(session->values, number, session->scene);
    session->note[0] = '\0';
    for (unsigned i = 0; i < TRIES; i++) {
        if (!bs_value_step(&value, &session->models, step, leap, text))
            break;
        snprintf(value.text, sizeof value.text, "%s", text);
        session->note[0] = '\0';
        if (!bs_session_change(session, number, text))
            return false;
        if (!has_failed(session) || value.kind == BS_VALUE_LET)
            break;
        if (!why[0])
            memcpy(why, session->note, sizeof why);
    }
    if (why[0]) { /* and if nothing was found, why is still what there is to say */
        const bool found = !has_failed(session);
        say_passed_over(session, why);
        session->bad_note = !found;
    }
    return true;
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static bool has_lanes(struct bs_session *session)
{
    if (!session->show.scenes[0].rule)
        bs_session_say_wrong(session, "a barrier has no lanes to switch");
    return session->show.scenes[0].rule;
}

bool bs_session_switch(struct bs_session *session, uint64_t lanes)
{
    struct bs_error error;
    char note[BS_CAPTION];
    const size_t record = session->show.record;
    const uint64_t given = bs_story_given(session->story, record);
    if (!has_lanes(session))
        return true;
    if (!bs_story_switch(session->story, record, lanes, &error)) {
        bs_session_say_error(session, &error);
        return true;
    }
    if ((lanes & given) == given)
        bs_session_say(session, "the lanes are as they were");
    else {
        snprintf(note, sizeof note, "changed: %u of %u lanes are active; u takes that back",
                 bs_lanes_count(lanes & given), bs_lanes_count(given));
        bs_session_say(session, note);
    }
    return bs_show_refresh(&session->show) && bs_player_again(&session->player);
}

bool bs_session_switch_lane(struct bs_session *session, uint32_t lane)
{
    char note[BS_CAPTION];
    const size_t record = session->show.record;
    const uint64_t bit = UINT64_C(1) << lane;
    if (!has_lanes(session))
        return true;
    if (bs_story_given(session->story, record) & bit)
        return bs_session_switch(session, bs_story_active(session->story, record) ^ bit);
    snprintf(note, sizeof note, "lane %u has no address to go to: it was inactive from the start",
             lane);
    bs_session_say_wrong(session, note);
    return true;
}

bool bs_session_next_lanes(struct bs_session *session)
{
    const size_t record = session->show.record;
    const uint64_t given = bs_story_given(session->story, record);
    const uint64_t active = bs_story_active(session->story, record);
    const uint64_t half = given & ((UINT64_C(1) << session->show.scenes[0].model->lanes / 2) - 1);
    if (active == given && half != given)
        return bs_session_switch(session, half);
    return bs_session_switch(session, active == half && half ? 0 : given);
}

static bool has_selected(const struct bs_session *session)
{
    return session->selected < session->values->count;
}

/* ---- comparisons ----------------------------------------------------------------------------- */

void bs_session_type_for(struct bs_session *session, enum bs_purpose purpose, const char *text)
{
    session->mode = BS_MODE_TYPE;
    session->purpose = purpose;
    bs_entry_begin(&session->entry, text);
}

/* A further scene in which the selected value has that text. */
bool bs_session_compare_with(struct bs_session *session, const char *text)
{
    struct bs_values *wanted = copy_values(session);
    if (!wanted)
        return false;
    if (!bs_values_compare(wanted, session->selected, text)) {
        free(wanted);
        bs_session_say(session, "more scenes do not fit side by side");
        return true;
    }
    const uint32_t count = wanted->compare_count;
    const bool good = show_values(session, wanted);
    if (session->values->compare_count == count)
        session->scene = count;
    return good;
}

/* A scene in which the value is the next that can be shown: models that cannot take what is shown
 * are passed over. */
static bool compare_with_next(struct bs_session *session, const struct bs_value *from)
{
    char text[BS_VALUE_TEXT];
    char why[sizeof session->note] = "";
    struct bs_value value = *from;
    for (unsigned i = 0; i < TRIES; i++) {
        if (!bs_value_step(&value, &session->models, 1, false, text) ||
            strcmp(text, from->text) == 0)
            break;
        snprintf(value.text, sizeof value.text, "%s", text);
        if (!bs_session_compare_with(session, text))
            return false;
        if (!has_failed(session) || value.kind == BS_VALUE_LET)
            break;
        if (!why[0])
            memcpy(why, session->note, sizeof why);
    }
    const bool failed = has_failed(session);
    if (why[0])
        say_passed_over(session, why);
    session->bad_note = failed;
    return true;
}

/* Beside the scene comes one whose selected value is a step on; where that is no number or choice,
 * it is asked for. */
bool bs_session_add_scene(struct bs_session *session)
{
    char text[BS_VALUE_TEXT];
    if (!has_selected(session))
        return true;
    const struct bs_value now = /* a copy, as values are replaced meanwhile */
        *bs_values_of_scene(session->values, session->selected, session->scene);
    const struct bs_value *value = &now;
    if (bs_value_step(value, &session->models, 1, false, text))
        return compare_with_next(session, value);
    bs_session_type_for(session, BS_FOR_COMPARE, value->text);
    return true;
}

/* Puts comparisons away, or brings them back; those that are away now are the ones that were there.
 */
bool bs_session_toggle_compare(struct bs_session *session)
{
    const uint64_t changes = session->changes;
    const uint32_t count = session->values->compare_count;
    struct bs_value away[BS_MAX_PANELS - 1];
    if (count == 0 && session->hidden_count == 0)
        return bs_session_add_scene(session);
    struct bs_values *wanted = copy_values(session);
    if (!wanted)
        return false;
    memcpy(away, session->values->compares, sizeof away);
    memcpy(wanted->compares, session->hidden, sizeof session->hidden);
    wanted->compare_count = count ? 0 : session->hidden_count;
    const bool good = show_values(session, wanted);
    if (session->changes == changes)
        return good;
    memcpy(session->hidden, away, sizeof away);
    session->hidden_count = count;
    session->scene = session->values->compare_count;
    return good;
}
