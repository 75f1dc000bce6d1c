/* What actions do to a show. */
#include "player.h"

#include "command/model_names.h"
#include "export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double no_goal = -2;
static const double step_speed = 2.5;    /* passes a second, of single steps */
static const double queued_time = -0.05; /* all of the first phase wait */
static const double rest = 1.2;          /* seconds at the end of an instruction */

const struct bs_key_words *bs_key_words(size_t *count)
{
    static const struct bs_key_words words[] = {
        {BS_DO_PLAY, "space", "play or pause"},
        {BS_DO_NEXT_PASS, "right", "next pass"},
        {BS_DO_PREVIOUS_PASS, "left", "previous pass"},
        {BS_DO_NEXT, "down", "next instruction"},
        {BS_DO_PREVIOUS, "up", "previous instruction"},
        {BS_DO_FIRST, "home", "first instruction"},
        {BS_DO_LAST, "end", "last instruction"},
        {BS_DO_NEXT_CONFLICT, "f", "next conflict"},
        {BS_DO_ASK_RECORD, "g", "go to a record"},
        {BS_DO_ASK_CHANGE, "e", "change addresses, a name or a model key"},
        {BS_DO_ASK_COMPARE, "c", "compare with another value"},
        {BS_DO_FASTER, ".", "faster"},
        {BS_DO_SLOWER, ",", "slower"},
        {BS_DO_MODEL, "m", "next device model"},
        {BS_DO_VIEW, "v", "scene, heat map, banks, kernel, time"},
        {BS_DO_THEME, "d", "dark or light"},
        {BS_DO_SHOT, "s", "save the picture"},
        {BS_DO_FILM, "r", "save the instruction as an animation"},
        {BS_DO_FULL_SCREEN, "F11", "full screen"},
        {BS_DO_HELP, "?", "these keys"},
        {BS_DO_QUIT, "q", "quit"},
    };
    *count = sizeof words / sizeof *words;
    return words;
}

void bs_player_start(struct bs_player *player, struct bs_show *show)
{
    *player = (struct bs_player){.show = show, .playing = true, .goal = no_goal};
}

/* ---- time ------------------------------------------------------------------------------------ */

static double end_of(const struct bs_player *player)
{
    return bs_show_passes(player->show);
}

/* The times at which a step stops: all wait, the stills of the passes, the end. */
static double stop_after(const struct bs_player *player, double time)
{
    const double end = end_of(player);
    if (time < queued_time - 1e-6)
        return queued_time;
    const double still = floor(time + 1 - BS_STILL + 1e-6) + BS_STILL;
    return still < end ? still : end;
}

static double stop_before(const struct bs_player *player, double time)
{
    const double end = end_of(player);
    const double from = time > end ? end : time;
    const double still = ceil(from - BS_STILL - 1e-6) - 1 + BS_STILL;
    return still > 0 ? still : from > queued_time + 1e-6 ? queued_time : -1;
}

static bool rests_at_end(struct bs_player *player, double seconds)
{
    const struct bs_story *story = player->show->story;
    player->rests += seconds;
    if (player->show->record + 1 >= story->count) {
        player->playing = !story->whole;
        return true;
    }
    if (player->rests < rest)
        return true;
    player->rests = 0;
    return bs_show_go(player->show, player->show->record + 1);
}

static bool move_to_goal(struct bs_player *player, double seconds)
{
    const double way = player->goal - player->show->time;
    const double most = step_speed * seconds;
    const double time =
        fabs(way) <= most ? player->goal : player->show->time + (way < 0 ? -most : most);
    if (fabs(way) <= most)
        player->goal = no_goal;
    return bs_show_seek(player->show, time);
}

bool bs_player_advance(struct bs_player *player, double seconds)
{
    const double end = end_of(player);
    if (player->goal > no_goal)
        return move_to_goal(player, seconds);
    if (!player->playing || player->help || player->asking != BS_DO_NOTHING)
        return true;
    if (player->show->time >= end)
        return rests_at_end(player, seconds);
    player->rests = 0;
    const double time = player->show->time + seconds * ldexp(1, player->speed);
    return bs_show_seek(player->show, time < end ? time : end);
}

bool bs_player_moves(const struct bs_player *player)
{
    return player->goal > no_goal ||
           (player->playing && !player->help && player->asking == BS_DO_NOTHING);
}

/* ---- actions --------------------------------------------------------------------------------- */

static bool step(struct bs_player *player, double to)
{
    player->playing = false;
    player->goal = to;
    return true;
}

static bool go(struct bs_player *player, size_t record)
{
    player->goal = no_goal;
    player->rests = 0;
    return bs_show_go(player->show, record);
}

static bool restart(struct bs_player *player)
{
    player->goal = no_goal;
    player->playing = true;
    return bs_show_seek(player->show, -1);
}

static bool toggle_play(struct bs_player *player)
{
    if (player->show->time >= end_of(player))
        return restart(player);
    player->goal = no_goal;
    player->playing = !player->playing;
    return true;
}

/* Whether a record costs more than it must, under the first model. */
static bool conflicts(const struct bs_story *story, size_t record)
{
    struct bs_access access;
    struct bs_cost cost;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    bs_story_access(story, record, 0, &access, addr, src);
    return bs_count(story->variants[0].model, &access, &cost) && cost.passes > cost.ideal;
}

static bool next_conflict(struct bs_player *player)
{
    const struct bs_story *story = player->show->story;
    for (size_t record = player->show->record + 1; record < story->count; record++)
        if (story->told[record].passes > 1 && conflicts(story, record))
            return go(player, record);
    snprintf(player->note, sizeof player->note, "no further conflict%s",
             story->whole ? "" : " in what has been read so far");
    return true;
}

static bool save_shot(struct bs_player *player)
{
    struct bs_error error;
    char path[32];
    snprintf(path, sizeof path, "bankshot-%u.png", player->shots + 1);
    if (bs_export_picture(player->show, BS_EXPORT_PNG, path, &error)) {
        player->shots++;
        snprintf(player->note, sizeof player->note, "saved as %s", path);
    } else {
        bs_error_line(&error, player->note, sizeof player->note);
    }
    return true;
}

/* Plays the instruction into a file and comes back to where it was. */
static bool save_film(struct bs_player *player)
{
    static const struct bs_film_options options = {20, 2};
    struct bs_error error;
    char path[32];
    const double time = player->show->time;
    snprintf(path, sizeof path, "bankshot-%u.gif", player->shots + 1);
    if (bs_export_film(player->show, &options, path, &error)) {
        player->shots++;
        snprintf(player->note, sizeof player->note, "saved as %s", path);
    } else {
        bs_error_line(&error, player->note, sizeof player->note);
    }
    return bs_show_seek(player->show, time);
}

bool bs_player_change(struct bs_player *player, const char *change)
{
    struct bs_errors errors = {0};
    const bool over = player->show->time >= end_of(player);
    bool good = true;
    if (bs_story_change(player->show->story, change, &errors))
        good = bs_show_refresh(player->show) && (!over || restart(player));
    else if (errors.count)
        bs_error_line(&errors.list[0], player->note, sizeof player->note);
    else
        good = false;
    bs_errors_free(&errors);
    return good;
}

static bool compare(struct bs_player *player, const char *with)
{
    struct bs_errors errors = {0};
    bool good = true;
    if (bs_story_compare(player->show->story, with, &errors))
        good = bs_show_refresh(player->show) && restart(player);
    else if (errors.count)
        bs_error_line(&errors.list[0], player->note, sizeof player->note);
    else
        good = false;
    bs_errors_free(&errors);
    return good;
}

static size_t find_model(const struct bs_model_names *names, const char *name)
{
    size_t at = 0;
    while (at < names->count && strcmp(names->list[at], name) != 0)
        at++;
    return at;
}

/* Tries the models after the one that is shown until one can price what is shown; the first that
 * cannot has its reason noted. */
static bool try_models(struct bs_player *player, const struct bs_model_names *names)
{
    char first_note[sizeof player->note] = "";
    const size_t now = find_model(names, player->show->story->variants[0].model->name);
    for (size_t i = 1; i <= names->count; i++) {
        char change[160];
        snprintf(change, sizeof change, "model=%s", names->list[(now + i) % names->count]);
        player->note[0] = '\0';
        if (!bs_player_change(player, change))
            return false;
        if (!player->note[0])
            break;
        if (!first_note[0])
            memcpy(first_note, player->note, sizeof first_note);
    }
    memcpy(player->note, first_note, sizeof first_note);
    return true;
}

static bool next_model(struct bs_player *player)
{
    struct bs_folders folders;
    struct bs_model_names names = {0};
    if (!bs_folders_find(&folders))
        return false;
    const bool good = bs_model_names_find(&names, &folders) && try_models(player, &names);
    bs_model_names_free(&names);
    bs_folders_free(&folders);
    return good;
}

static bool change_speed(struct bs_player *player, int change)
{
    const int speed = player->speed + change;
    player->speed = speed < BS_SLOWEST ? BS_SLOWEST : speed > BS_FASTEST ? BS_FASTEST : speed;
    snprintf(player->note, sizeof player->note, "%g pass%s a second", ldexp(1, player->speed),
             player->speed == 0 ? "" : "es");
    return true;
}

static void change_theme(struct bs_show *show)
{
    show->theme = show->theme == &bs_theme_dark ? &bs_theme_light : &bs_theme_dark;
}

static bool ask(struct bs_player *player, enum bs_action what);

bool bs_player_do(struct bs_player *player, enum bs_action action)
{
    struct bs_show *show = player->show;
    player->note[0] = '\0';
    switch (action) {
    case BS_DO_NOTHING:
        return true;
    case BS_DO_PLAY:
        return toggle_play(player);
    case BS_DO_NEXT_PASS:
        return step(player, stop_after(player, player->goal > no_goal ? player->goal : show->time));
    case BS_DO_PREVIOUS_PASS:
        return step(player,
                    stop_before(player, player->goal > no_goal ? player->goal : show->time));
    case BS_DO_NEXT:
        return show->record + 1 >= show->story->count || go(player, show->record + 1);
    case BS_DO_PREVIOUS:
        return go(player, show->record ? show->record - 1 : 0);
    case BS_DO_FIRST:
        return go(player, 0);
    case BS_DO_LAST:
        return go(player, show->story->count - 1);
    case BS_DO_NEXT_CONFLICT:
        return next_conflict(player);
    case BS_DO_ASK_RECORD:
    case BS_DO_ASK_CHANGE:
    case BS_DO_ASK_COMPARE:
        return ask(player, action);
    case BS_DO_FASTER:
        return change_speed(player, 1);
    case BS_DO_SLOWER:
        return change_speed(player, -1);
    case BS_DO_MODEL:
        return next_model(player);
    case BS_DO_VIEW:
        return bs_show_view(show, (enum bs_view)((show->view + 1) % BS_VIEWS));
    case BS_DO_THEME:
        change_theme(show);
        return true;
    case BS_DO_SHOT:
        return save_shot(player);
    case BS_DO_FILM:
        return save_film(player);
    case BS_DO_FULL_SCREEN:
        player->full_screen = !player->full_screen;
        return true;
    case BS_DO_HELP:
        player->help = !player->help;
        return true;
    case BS_DO_QUIT:
        player->quit = true;
        return true;
    }
    return true;
}

/* ---- lines that are typed -------------------------------------------------------------------- */

const char *bs_player_question(const struct bs_player *player)
{
    switch (player->asking) {
    case BS_DO_ASK_RECORD:
        return "go to record";
    case BS_DO_ASK_CHANGE:
        return "change";
    case BS_DO_ASK_COMPARE:
        return "compare with";
    default:
        return "";
    }
}

/* Opens the line; the addresses, where there are some, are there to be edited. */
static bool ask(struct bs_player *player, enum bs_action what)
{
    const char *addresses = player->show->story->request.addresses;
    player->asking = what;
    player->line[0] = '\0';
    if (what == BS_DO_ASK_CHANGE && addresses)
        snprintf(player->line, sizeof player->line, "addrs=%s", addresses);
    return true;
}

void bs_player_type(struct bs_player *player, const char *text)
{
    const size_t used = strlen(player->line);
    if (used + strlen(text) < sizeof player->line)
        snprintf(player->line + used, sizeof player->line - used, "%s", text);
}

void bs_player_erase(struct bs_player *player)
{
    size_t size = strlen(player->line);
    while (size > 0 && (player->line[size - 1] & 0xc0) == 0x80) /* inside a character */
        size--;
    player->line[size > 0 ? size - 1 : 0] = '\0';
}

void bs_player_cancel(struct bs_player *player)
{
    player->asking = BS_DO_NOTHING;
}

static bool go_to_number(struct bs_player *player, const char *line)
{
    uint64_t record;
    const size_t count = player->show->story->count;
    if (bs_number_parse(line, strlen(line), SIZE_MAX, &record) && record < count)
        return go(player, (size_t)record);
    snprintf(player->note, sizeof player->note, "a record is a number from 0 to %zu", count - 1);
    return true;
}

bool bs_player_enter(struct bs_player *player)
{
    const enum bs_action asked = player->asking;
    player->asking = BS_DO_NOTHING;
    player->note[0] = '\0';
    if (!player->line[0])
        return true;
    switch (asked) {
    case BS_DO_ASK_RECORD:
        return go_to_number(player, player->line);
    case BS_DO_ASK_CHANGE:
        return bs_player_change(player, player->line);
    case BS_DO_ASK_COMPARE:
        return compare(player, player->line);
    default:
        return true;
    }
}

bool bs_player_click(struct bs_player *player, double x, double y)
{
    const struct bs_show *show = player->show;
    const struct bs_box box = show->layout.strip;
    if (box.height <= 0 || x < box.x || x > box.x + box.width || y < box.y ||
        y > box.y + box.height)
        return true;
    const uint32_t bar = bs_strip_bar_at(box, &show->strip, show->layout.unit, x);
    if (bar >= show->strip.count)
        return true;
    if (show->story->request.trace)
        return go(player, bs_show_record_of_bar(show, bar));
    player->playing = false;
    player->goal = no_goal;
    return bs_show_seek(player->show, bar + BS_STILL);
}
