/* What actions do to a show. */
#include "player.h"

#include <math.h>
#include <stdio.h>

static const double no_goal = -2;
static const double step_speed = 2.5;    /* passes a second, of single steps */
static const double queued_time = -0.05; /* all of the first phase wait */
static const double rest = 1.2;          /* seconds at the end of an instruction */

void bs_player_start(struct bs_player *player, struct bs_show *show)
{
    *player = (struct bs_player){.show = show, .goal = no_goal};
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
    if (!player->playing)
        return true;
    if (player->show->time >= end)
        return rests_at_end(player, seconds);
    player->rests = 0;
    const double time = player->show->time + seconds * ldexp(1, player->speed);
    return bs_show_seek(player->show, time < end ? time : end);
}

bool bs_player_moves(const struct bs_player *player)
{
    return player->goal > no_goal || player->playing;
}

/* ---- moves   --------------------------------------------------------------------------------- */

static bool step(struct bs_player *player, double to)
{
    player->playing = false;
    player->goal = to;
    return true;
}

bool bs_player_go(struct bs_player *player, size_t record)
{
    player->goal = no_goal;
    player->rests = 0;
    return bs_show_go(player->show, record);
}

bool bs_player_restart(struct bs_player *player)
{
    player->goal = no_goal;
    player->playing = true;
    return bs_show_seek(player->show, -1);
}

bool bs_player_again(struct bs_player *player)
{
    player->goal = no_goal;
    return bs_show_seek(player->show, player->playing ? -1 : queued_time);
}

static bool toggle_play(struct bs_player *player)
{
    if (player->show->time >= end_of(player))
        return bs_player_restart(player);
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
            return bs_player_go(player, record);
    snprintf(player->note, sizeof player->note, "no further conflict%s",
             story->whole ? "" : " in what has been read so far");
    return true;
}

static bool change_speed(struct bs_player *player, int change)
{
    const int speed = player->speed + change;
    player->speed = speed < BS_SLOWEST ? BS_SLOWEST : speed > BS_FASTEST ? BS_FASTEST : speed;
    snprintf(player->note, sizeof player->note, "%g pass%s a second", ldexp(1, player->speed),
             player->speed == 0 ? "" : "es");
    return true;
}

bool bs_player_do(struct bs_player *player, enum bs_move move)
{
    const struct bs_show *show = player->show;
    const double from = player->goal > no_goal ? player->goal : show->time;
    player->note[0] = '\0';
    switch (move) {
    case BS_MOVE_PLAY:
        return toggle_play(player);
    case BS_MOVE_NEXT_PASS:
        return step(player, stop_after(player, from));
    case BS_MOVE_PREVIOUS_PASS:
        return step(player, stop_before(player, from));
    case BS_MOVE_NEXT:
        return show->record + 1 >= show->story->count || bs_player_go(player, show->record + 1);
    case BS_MOVE_PREVIOUS:
        return bs_player_go(player, show->record ? show->record - 1 : 0);
    case BS_MOVE_FIRST:
        return bs_player_go(player, 0);
    case BS_MOVE_LAST:
        return bs_player_go(player, show->story->count - 1);
    case BS_MOVE_NEXT_CONFLICT:
        return next_conflict(player);
    case BS_MOVE_FASTER:
        return change_speed(player, 1);
    case BS_MOVE_SLOWER:
        return change_speed(player, -1);
    }
    return true;
}

bool bs_player_settle(struct bs_player *player)
{
    const double goal = player->goal;
    player->goal = no_goal;
    return goal <= no_goal || bs_show_seek(player->show, goal);
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
        return bs_player_go(player, bs_show_record_of_bar(show, bar));
    player->playing = false;
    player->goal = no_goal;
    return bs_show_seek(player->show, bar + BS_STILL);
}
