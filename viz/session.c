/* What events do. */
#include "session.h"

#include "files.h"
#include "session_change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double note_lasts = 6; /* seconds */
static const double grows_every = 0.25;

/* ---- opening --------------------------------------------------------------------------------- */

static bool find_models(struct bs_session *session)
{
    struct bs_folders folders;
    const bool good = bs_folders_find(&folders) && bs_model_names_find(&session->models, &folders);
    bs_folders_free(&folders);
    return good;
}

/* The value that one would change first: that in which scenes differ, a name that was bound, the
 * model. */
static size_t first_selected(const struct bs_values *values)
{
    if (values->compare_count > 0)
        return bs_values_find(values, values->compares[values->compare_count - 1].name);
    for (size_t i = 0; i < values->count; i++)
        if (values->list[i].kind == BS_VALUE_LET)
            return i;
    return bs_values_find(values, "model");
}

bool bs_session_open(struct bs_session *session, struct bs_story *story, double width,
                     double height)
{
    *session = (struct bs_session){
        .story = story, .width = width, .height = height, .note_for = note_lasts};
    session->values = calloc(1, sizeof *session->values);
    if (!bs_show_open(&session->show, story, width, height) || !session->values ||
        !find_models(session) || !bs_show_bar(&session->show, true))
        return false;
    session->editable = bs_values_read(session->values, story);
    if (!session->editable)
        session->values->count = session->values->compare_count = 0;
    session->selected = first_selected(session->values);
    session->scene = session->values->compare_count;
    bs_player_start(&session->player, &session->show);
    return true;
}

void bs_session_close(struct bs_session *session)
{
    bs_show_free(&session->show);
    bs_model_names_free(&session->models);
    free(session->values);
    session->values = NULL;
}

static bool step_selected(struct bs_session *session, int step, bool leap)
{
    return session->selected >= session->values->count ||
           bs_session_step(session, session->selected, step, leap);
}

static void select_next(struct bs_session *session, int step)
{
    const size_t count = session->values->count;
    if (count > 0)
        session->selected = (session->selected + (step > 0 ? 1 : count - 1)) % count;
}

/* ---- lines that are typed -------------------------------------------------------------------- */

/* "RECORD" or "RECORD:PASS". */
static bool go_to_place(struct bs_session *session, const char *text)
{
    char note[BS_CAPTION];
    uint64_t record;
    uint64_t pass = 1;
    const size_t count = session->story->count;
    const size_t size = strcspn(text, ":");
    if (!bs_number_parse(text, size, SIZE_MAX, &record) || record >= count ||
        (text[size] &&
         !bs_number_parse(text + size + 1, strlen(text + size + 1), 1u << 20, &pass))) {
        snprintf(note, sizeof note, "expected a record from 0 to %zu, or RECORD:PASS", count - 1);
        bs_session_say_wrong(session, note);
        return true;
    }
    session->mode = BS_MODE_PLAY;
    if (!bs_player_go(&session->player, (size_t)record) || !text[size])
        return true;
    const uint32_t passes = bs_show_passes(&session->show);
    session->player.playing = false;
    return bs_show_seek(&session->show, pass == 0       ? -0.05
                                        : pass > passes ? passes
                                                        : (double)(pass - 1) + BS_STILL);
}

/* Does what was typed; a line that says nothing that can be done stays to be corrected. */
static bool enter(struct bs_session *session)
{
    const char *text = session->entry.text;
    bool good = true;
    session->note[0] = '\0';
    if (!*text && session->purpose != BS_FOR_RECORD) {
        bs_session_say_wrong(session, "nothing was typed; escape leaves the value as it is");
        return true;
    }
    switch (session->purpose) {
    case BS_FOR_RECORD:
        return go_to_place(session, text);
    case BS_FOR_VALUE:
        good = bs_session_change(session, session->selected, text);
        break;
    case BS_FOR_COMPARE:
        good = bs_session_compare_with(session, text);
        break;
    }
    if (!session->note[0] || !session->bad_note)
        session->mode = BS_MODE_VALUES;
    return good;
}

static void edit_value(struct bs_session *session, size_t number)
{
    if (number >= session->values->count)
        return;
    session->selected = number;
    bs_session_type_for(session, BS_FOR_VALUE,
                        bs_values_of_scene(session->values, number, session->scene)->text);
}

/* ---- keys ------------------------------------------------------------------------------------ */

const struct bs_key_words *bs_key_words(size_t *count)
{
    static const struct bs_key_words words[] = {
        {"space", "play or pause"},
        {"right, left", "next, previous pass"},
        {"down, up", "next, previous instruction"},
        {"home, end", "first, last instruction"},
        {".  ,", "faster, slower"},
        {"f", "next conflict"},
        {"a", "hide or show the answer: passes, conflict, why"},
        {"g", "go to a record, or RECORD:PASS"},
        {"tab", "values: arrows choose and change, page up and down"},
        {"", "double and halve, enter types, escape leaves"},
        {"e", "edit the addresses"},
        {"m  M", "next, previous device model"},
        {"c  C", "compare or not; one more scene"},
        {"1 to 4", "the scene whose value is changed"},
        {"l  b", "path of the next lane, bank; L and B go back"},
        {"o", "lane off or on, as a second click; u as they were"},
        {"h", "all lanes, the first half, none"},
        {"v", "scene, heat map, banks, kernel, time"},
        {"k  d", "legend of the marks; dark or light"},
        {"+  -", "larger, smaller window; F11 full screen"},
        {"s  r", "save the picture, the animation"},
        {"mouse", "click a lane, bank, value or the strip; the wheel steps"},
        {"?", "these keys"},
        {"q", "quit"},
    };
    *count = sizeof words / sizeof *words;
    return words;
}

static bool next_view(struct bs_session *session)
{
    struct bs_show *show = &session->show;
    return bs_show_view(show, (enum bs_view)((show->view + 1) % BS_VIEWS));
}

static void change_theme(struct bs_show *show)
{
    show->theme = show->theme == &bs_theme_dark ? &bs_theme_light : &bs_theme_dark;
}

/* The window's size goes by steps that are easy on the eye. */
static void change_size(struct bs_session *session, int step)
{
    static const double heights[] = {360, 540, 720, 900, 1080, 1440, 2160};
    const int count = sizeof heights / sizeof *heights;
    int at = step > 0 ? 0 : count - 1;
    while (at + step >= 0 && at + step < count &&
           (step > 0 ? heights[at] <= session->height : heights[at] >= session->height))
        at += step;
    session->width = session->width * heights[at] / session->height;
    session->height = heights[at];
}

static bool move(struct bs_session *session, enum bs_move move)
{
    if (!bs_player_do(&session->player, move))
        return false;
    if (session->player.note[0])
        bs_session_say(session, session->player.note);
    return true;
}

static bool step_model(struct bs_session *session, int step)
{
    const size_t number = bs_values_find(session->values, "model");
    if (number == session->values->count)
        return true;
    session->selected = number;
    return bs_session_step(session, number, step, false);
}

static void choose_scene(struct bs_session *session, uint32_t scene)
{
    if (scene <= session->values->compare_count)
        session->scene = scene;
}

static void pick_next(struct bs_session *session, enum bs_pick_kind kind, int step)
{
    session->pick = bs_pick_step(&session->show, session->pick, kind, step);
    session->note[0] = '\0';
}

static bool save(struct bs_session *session, bool film)
{
    struct bs_error error;
    char note[BS_CAPTION];
    char path[BS_FILE_NAME];
    if (!bs_player_settle(&session->player))
        return false;
    if (!bs_files_save(&session->show, film, path, &error)) {
        bs_session_say_error(session, &error);
        return true;
    }
    snprintf(note, sizeof note, "saved as %s", path);
    bs_session_say(session, note);
    return true;
}

static void edit_addresses(struct bs_session *session)
{
    if (session->story->request.trace)
        bs_session_say_wrong(session, "addresses of a trace cannot be edited");
    else
        edit_value(session, bs_values_find(session->values, "addrs"));
}

static bool switch_picked(struct bs_session *session)
{
    if (session->pick.kind == BS_PICK_LANE)
        return bs_session_switch_lane(session, session->pick.number);
    bs_session_say(session, "l or a click chooses a lane; o switches it off, or on");
    return true;
}

/* Letters for changes of the instruction. */
static bool press_change(struct bs_session *session, char key)
{
    switch (key) {
    case 'o':
        return switch_picked(session);
    case 'h':
        return bs_session_next_lanes(session);
    case 'u':
        return bs_session_switch(session, UINT64_MAX);
    case 'e':
        edit_addresses(session);
        return true;
    case 'm':
        return step_model(session, 1);
    case 'M':
        return step_model(session, -1);
    case 'c':
        return bs_session_toggle_compare(session);
    case 'C':
        return bs_session_add_scene(session);
    case '1':
    case '2':
    case '3':
    case '4':
        choose_scene(session, (uint32_t)(key - '1'));
        return true;
    default:
        return true;
    }
}

/* Letters for how it is shown. */
static bool press_look(struct bs_session *session, char key)
{
    switch (key) {
    case 'v':
        return next_view(session);
    case 'd':
        change_theme(&session->show);
        return true;
    case 'k':
        return bs_show_legend(&session->show, !session->show.legend);
    case 'a':
        return bs_show_ask(&session->show, !session->show.asks);
    case '+':
    case '=':
        change_size(session, 1);
        return true;
    case '-':
        change_size(session, -1);
        return true;
    case 'l':
    case 'L':
        pick_next(session, BS_PICK_LANE, key == 'l' ? 1 : -1);
        return true;
    case 'b':
    case 'B':
        pick_next(session, BS_PICK_BANK, key == 'b' ? 1 : -1);
        return true;
    case 's':
        return save(session, false);
    case 'r':
        bs_session_say(session, "saving the animation \u2026");
        session->film_due = true;
        return true;
    default:
        return press_change(session, key);
    }
}

static bool press_letter(struct bs_session *session, char key)
{
    switch (key) {
    case ' ':
        return move(session, BS_MOVE_PLAY);
    case 'f':
        return move(session, BS_MOVE_NEXT_CONFLICT);
    case '.':
    case '>':
        return move(session, BS_MOVE_FASTER);
    case ',':
    case '<':
        return move(session, BS_MOVE_SLOWER);
    case 'g':
        bs_session_type_for(session, BS_FOR_RECORD, "");
        return true;
    case '?':
        session->mode = BS_MODE_HELP;
        return true;
    case 'q':
        session->quit = true;
        return true;
    default:
        return press_look(session, key);
    }
}

/* The keys that choose and change values. *taken: it was one of them. */
static bool press_in_values(struct bs_session *session, enum bs_key key, bool *taken)
{
    *taken = true;
    switch (key) {
    case BS_KEY_LEFT:
    case BS_KEY_RIGHT:
        select_next(session, key == BS_KEY_RIGHT ? 1 : -1);
        return true;
    case BS_KEY_UP:
    case BS_KEY_DOWN:
        return step_selected(session, key == BS_KEY_UP ? 1 : -1, false);
    case BS_KEY_PAGE_UP:
    case BS_KEY_PAGE_DOWN:
        return step_selected(session, key == BS_KEY_PAGE_UP ? 1 : -1, true);
    case BS_KEY_RETURN:
        edit_value(session, session->selected);
        return true;
    default:
        *taken = false;
        return true;
    }
}

/* Escape leaves whatever is open, else what was picked. */
static void leave(struct bs_session *session)
{
    if (session->mode == BS_MODE_PLAY)
        session->pick = (struct bs_pick){0};
    session->mode = BS_MODE_PLAY;
    session->note[0] = '\0';
}

static void to_values(struct bs_session *session, int step)
{
    if (session->mode == BS_MODE_VALUES)
        select_next(session, step);
    else if (session->editable)
        session->mode = BS_MODE_VALUES;
}

static bool press_special(struct bs_session *session, enum bs_key key)
{
    switch (key) {
    case BS_KEY_RIGHT:
        return move(session, BS_MOVE_NEXT_PASS);
    case BS_KEY_LEFT:
        return move(session, BS_MOVE_PREVIOUS_PASS);
    case BS_KEY_DOWN:
        return move(session, BS_MOVE_NEXT);
    case BS_KEY_UP:
        return move(session, BS_MOVE_PREVIOUS);
    case BS_KEY_HOME:
        return move(session, BS_MOVE_FIRST);
    case BS_KEY_END:
        return move(session, BS_MOVE_LAST);
    case BS_KEY_TAB:
    case BS_KEY_BACKTAB:
        to_values(session, key == BS_KEY_TAB ? 1 : -1);
        return true;
    case BS_KEY_ESCAPE:
        leave(session);
        return true;
    case BS_KEY_F1:
        return press_letter(session, '?');
    case BS_KEY_F11:
        session->full_screen = !session->full_screen;
        return true;
    default:
        return true;
    }
}

static bool press(struct bs_session *session, enum bs_key key)
{
    bool taken = false;
    if (session->mode == BS_MODE_HELP && key != BS_KEY_F11) {
        leave(session);
        return true;
    }
    if (session->mode == BS_MODE_TYPE && key == BS_KEY_RETURN)
        return enter(session);
    if (session->mode == BS_MODE_TYPE && key != BS_KEY_ESCAPE && key != BS_KEY_F11) {
        bs_entry_press(&session->entry, key);
        return true;
    }
    const bool good = session->mode != BS_MODE_VALUES || press_in_values(session, key, &taken);
    return good && (taken || press_special(session, key));
}

static bool type(struct bs_session *session, const char *text)
{
    if (session->mode == BS_MODE_TYPE) {
        bs_entry_type(&session->entry, text);
        session->note[0] = '\0';
        return true;
    }
    if (session->mode == BS_MODE_HELP) { /* what lies behind the keys is not to be changed unseen */
        leave(session);
        return true;
    }
    for (; *text; text++)
        if (!press_letter(session, *text))
            return false;
    return true;
}

/* ---- mouse ----------------------------------------------------------------------------------- */

static bool lies_in(struct bs_box box, double x, double y)
{
    return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

/* A click chooses a value or a lane; another one types it, or switches it. */
static bool click(struct bs_session *session, double x, double y)
{
    const size_t value = bs_session_value_at(session, x, y);
    if (session->mode == BS_MODE_HELP || session->mode == BS_MODE_TYPE) {
        leave(session);
        return true;
    }
    const char key = bs_session_key_at(session, x, y);
    if (key)
        return press_letter(session, key);
    if (value < session->values->count) {
        if (session->mode == BS_MODE_VALUES && value == session->selected)
            edit_value(session, value);
        else
            session->mode = BS_MODE_VALUES;
        session->selected = value;
        return true;
    }
    if (lies_in(session->show.layout.strip, x, y))
        return bs_player_click(&session->player, x, y);
    session->mode = BS_MODE_PLAY;
    const struct bs_pick pick = bs_pick_at(&session->show, x, y);
    const bool again = pick.kind == BS_PICK_LANE && session->pick.kind == pick.kind &&
                       session->pick.panel == pick.panel && session->pick.number == pick.number;
    session->pick = pick;
    session->note[0] = '\0';
    return !again || bs_session_switch_lane(session, pick.number);
}

/* The wheel changes the value that it is over; elsewhere it goes through the passes. */
static bool roll(struct bs_session *session, const struct bs_event *event)
{
    const size_t value = bs_session_value_at(session, event->x, event->y);
    const int step = event->steps > 0 ? 1 : -1;
    if (session->mode == BS_MODE_HELP || session->mode == BS_MODE_TYPE || !event->steps)
        return true;
    if (value == session->values->count)
        return move(session, step > 0 ? BS_MOVE_PREVIOUS_PASS : BS_MOVE_NEXT_PASS);
    session->selected = value;
    session->mode = BS_MODE_VALUES;
    return bs_session_step(session, value, step, false);
}

/* ---- the whole ------------------------------------------------------------------------------- */

bool bs_session_take(struct bs_session *session, const struct bs_event *event)
{
    session->version++;
    switch (event->kind) {
    case BS_EVENT_KEY:
        return press(session, event->key);
    case BS_EVENT_TEXT:
        return type(session, event->text);
    case BS_EVENT_CLICK:
        return click(session, event->x, event->y);
    case BS_EVENT_WHEEL:
        return roll(session, event);
    }
    return true;
}

static bool take_in_records(struct bs_session *session, double seconds)
{
    session->grown += seconds;
    if (session->grown < grows_every && !session->story->whole)
        return true;
    bs_show_more(&session->show);
    session->grown = 0;
    const enum bs_view view = session->show.view;
    const bool counts = view == BS_VIEW_BANKS || view == BS_VIEW_KERNEL;
    return !(counts || session->story->whole) || bs_show_view(&session->show, view);
}

bool bs_session_read(struct bs_session *session, size_t records, double seconds,
                     struct bs_errors *errors)
{
    if (session->story->whole)
        return true;
    if (!bs_story_read(session->story, records, errors))
        return false;
    session->version++;
    return take_in_records(session, seconds);
}

bool bs_session_advance(struct bs_session *session, double seconds)
{
    if (session->film_due) {
        session->film_due = false;
        session->version++;
        return save(session, true);
    }
    if (session->note[0] && (session->note_for += seconds) > note_lasts &&
        session->mode != BS_MODE_TYPE) {
        session->note[0] = '\0';
        session->version++;
    }
    if (session->mode == BS_MODE_HELP || session->mode == BS_MODE_TYPE)
        return true;
    const bool moved = bs_player_moves(&session->player);
    const bool good = bs_player_advance(&session->player, seconds);
    if (moved && !bs_player_moves(&session->player))
        session->version++; /* one more frame shows that it has come to rest */
    return good;
}

bool bs_session_resize(struct bs_session *session, double width, double height)
{
    session->version++;
    return bs_show_resize(&session->show, width, height);
}

bool bs_session_moves(const struct bs_session *session)
{
    return session->film_due || (session->mode != BS_MODE_HELP && session->mode != BS_MODE_TYPE &&
                                 bs_player_moves(&session->player));
}
