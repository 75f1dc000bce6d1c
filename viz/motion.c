/* Where everything is at a time. */
#include "motion.h"

#include "core/buffer.h"
#include "core/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* When things happen, in parts of a pass. A phase leaves home before its first pass begins. */
static const double leave_home = -0.16;
static const double in_queue = 0.16;
static const double fall = 0.16;
static const double land = 0.46;
static const double sink_begin = 0.30;
static const double sink_end = 0.58;
static const double bounce_end = 0.86;
static const double take_in = 0.82;
static const double most_thrown = 8; /* balls side by side */
/* The first phase has a pass of its own to come down. */
static const double first_leave = -0.85;
static const double first_in_queue = -0.10;

double bs_ease(double part)
{
    const double x = part < 0 ? 0 : part > 1 ? 1 : part;
    return x * x * (3 - 2 * x);
}

static double between(double from, double to, double part)
{
    return from + (to - from) * part;
}

/* How far a movement that lasts from begin to end has come. */
static double progress(double time, double begin, double end)
{
    return time <= begin ? 0 : time >= end ? 1 : (time - begin) / (end - begin);
}

/* Making one moment. */
struct making {
    struct bs_moment *moment;
    const struct bs_scene *scene;
    const struct bs_panel *panel;
    double time;
};

/* ---- errands over time ----------------------------------------------------------------------- */

static double leaves_at(const struct bs_errand *errand)
{
    return errand->arrives == 0 ? first_leave : errand->arrives + leave_home;
}

static double queued_at(const struct bs_errand *errand)
{
    return errand->arrives == 0 ? first_in_queue : errand->arrives + in_queue;
}

static enum bs_stage stage_of(const struct bs_errand *errand, double time)
{
    if (time <= leaves_at(errand))
        return BS_AT_HOME;
    if (time < queued_at(errand))
        return BS_ARRIVING;
    if (time <= errand->pass + fall)
        return BS_QUEUED;
    return time < errand->pass + land ? BS_FALLING : BS_LANDED;
}

static double end_of(const struct bs_errand *errand)
{
    return errand->last + 1.0;
}

/* Errands before this one in its queue, which sinks while those in front fall. */
static double place_in_queue(const struct making *making, const struct bs_errand *errand)
{
    const struct bs_scene *scene = making->scene;
    const uint32_t first = scene->first_errand[errand->bank];
    double place = 0;
    for (uint32_t i = first; i < first + errand->turn; i++) {
        const struct bs_errand *ahead = &scene->errands[i];
        place +=
            1 - bs_ease(progress(making->time, ahead->pass + sink_begin, ahead->pass + sink_end));
    }
    return place;
}

/* ---- balls ----------------------------------------------------------------------------------- */

static struct bs_moving *add_ball(const struct making *making, const struct bs_ball *ball)
{
    struct bs_moving *moving = &making->moment->balls[making->moment->ball_count++];
    *moving = (struct bs_moving){
        .alpha = 1,
        .lane = ball->lane,
        .lanes = 1,
        .part = ball->part,
        .parts = making->scene->parts_of[ball->lane],
        .numbered = true,
    };
    return moving;
}

/* From home down, across and down again, lanes with higher numbers a little later. */
static void arrive(const struct making *making, const struct bs_errand *errand,
                   const struct bs_ball *ball, struct bs_point to)
{
    const struct bs_point from = bs_panel_lane(making->panel, ball->lane);
    const double part = progress(making->time, leaves_at(errand), queued_at(errand));
    const double late = 0.25 * ball->lane / making->scene->model->lanes;
    const double way = bs_ease(progress(part, late, late + 0.75));
    struct bs_moving *moving = add_ball(making, ball);
    moving->stage = BS_ARRIVING;
    moving->at.x = between(from.x, to.x, bs_ease(progress(way, 0.05, 0.85)));
    moving->at.y = between(from.y, to.y, way);
    moving->size = between(making->panel->lane_size, making->panel->ball_size, way);
}

/* All balls of an errand on their way, each for itself; those that share a word meet. */
static void arrive_all(const struct making *making, uint32_t number)
{
    const struct bs_scene *scene = making->scene;
    const struct bs_errand *errand = &scene->errands[number];
    const struct bs_point to =
        bs_panel_queue(making->panel, errand->bank, place_in_queue(making, errand));
    for (uint32_t i = scene->first_ball[number]; i < scene->first_ball[number + 1]; i++)
        arrive(making, errand, &scene->balls[i], to);
}

static struct bs_moving *add_merged(const struct making *making, uint32_t number)
{
    const struct bs_scene *scene = making->scene;
    struct bs_moving *moving = add_ball(making, &scene->balls[scene->first_ball[number]]);
    moving->lanes = (uint8_t)bs_lanes_count(scene->errands[number].lanes);
    moving->size = making->panel->ball_size;
    return moving;
}

static void queue(const struct making *making, uint32_t number)
{
    const struct bs_errand *errand = &making->scene->errands[number];
    struct bs_moving *moving = add_merged(making, number);
    moving->stage = BS_QUEUED;
    const double place = place_in_queue(making, errand);
    moving->at = bs_panel_queue(making->panel, errand->bank, place);
    /* In a long queue each ball hides the middle of the one behind. */
    moving->numbered = place < 0.5 || making->panel->queue_step > 0.9 * making->panel->ball_size;
    making->moment->waiting[errand->bank]++;
    const double top = moving->at.y - moving->size / 2;
    if (top < making->moment->queue_top[errand->bank])
        making->moment->queue_top[errand->bank] = top;
}

/* Falls as things do, from where it waited into its cell. */
static struct bs_moving *land_ball(const struct making *making, uint32_t number, double part)
{
    const struct bs_errand *errand = &making->scene->errands[number];
    const struct bs_point from = bs_panel_queue(making->panel, errand->bank, 0);
    const struct bs_point to =
        bs_box_middle(bs_panel_cell(making->panel, making->scene, errand->bank, errand->place));
    struct bs_moving *moving = add_merged(making, number);
    moving->stage = part < 1 ? BS_FALLING : BS_LANDED;
    moving->at = (struct bs_point){to.x, between(from.y, to.y, bs_ease(part))};
    return moving;
}

/* Lanes that are thrown out of a cell come to lie in lines above the cells, as wide as the next
 * bank allows. */
struct heap {
    uint32_t across, lines;
    double step; /* from line to line */
};

static struct heap heap_of(const struct bs_panel *panel, double size, uint32_t count)
{
    const double room = fmin(panel->bank_room, most_thrown * size);
    const uint32_t across = room > size ? (uint32_t)(room / size) : 1;
    const uint32_t lines = (count + across - 1) / across;
    return (struct heap){across, lines, fmin(1.06 * size, panel->queue.height * 0.75 / lines)};
}

/* Where the number-th of count lanes comes to. */
static struct bs_point thrown_to(const struct bs_panel *panel, const struct heap *heap, double x,
                                 double size, uint32_t number, uint32_t count)
{
    const uint32_t line = number / heap->across;
    const uint32_t on_line = line + 1 < heap->lines ? heap->across : count - line * heap->across;
    const double left = x - on_line * size / 2;
    return (struct bs_point){
        fmax(left, panel->queue.x - size / 4) + (number % heap->across + 0.5) * size,
        panel->cells.y - size - line * heap->step,
    };
}

static void bounce(const struct making *making, const struct bs_errand *errand,
                   const struct bs_ball *ball, uint32_t number, uint32_t count)
{
    const struct bs_panel *panel = making->panel;
    const struct bs_point from =
        bs_box_middle(bs_panel_cell(panel, making->scene, errand->bank, errand->place));
    const double size = panel->ball_size;
    const struct heap heap = heap_of(panel, size, count);
    const struct bs_point to = thrown_to(panel, &heap, from.x, size, number, count);
    const double part = progress(making->time, errand->last + land, errand->last + bounce_end);
    const double rest = 1 - progress(part, 0, 0.45);
    const double way = 1 - rest * rest; /* thrown up, slower and slower */
    struct bs_moving *moving = add_ball(making, ball);
    moving->stage = BS_BOUNCING;
    moving->size = size;
    moving->numbered = heap.step > 0.9 * size;
    moving->alpha = 1 - progress(part, 0.75, 1);
    moving->at = (struct bs_point){between(from.x, to.x, way), between(from.y, to.y, way)};
}

/* The losers are thrown out, and the others stay. */
static void clash(const struct making *making, uint32_t number)
{
    const struct bs_scene *scene = making->scene;
    const struct bs_errand *errand = &scene->errands[number];
    const uint64_t stay = errand->lanes & ~errand->losers;
    const uint32_t losers = bs_lanes_count(errand->losers);
    uint32_t thrown = 0;
    for (uint32_t i = scene->first_ball[number]; i < scene->first_ball[number + 1]; i++)
        if (errand->losers >> scene->balls[i].lane & 1)
            bounce(making, errand, &scene->balls[i], thrown++, losers);
    if (!stay)
        return;
    struct bs_moving *stays = land_ball(making, number, 1);
    stays->lane = (uint8_t)bs_lanes_lowest(stay);
    stays->lanes = (uint8_t)bs_lanes_count(stay);
    stays->alpha = 1 - progress(making->time, errand->last + take_in, end_of(errand));
}

static void serve(const struct making *making, uint32_t number)
{
    const struct bs_errand *errand = &making->scene->errands[number];
    if (making->time >= end_of(errand))
        return;
    if (errand->losers && making->time >= errand->last + land) {
        clash(making, number);
        return;
    }
    struct bs_moving *moving =
        land_ball(making, number, progress(making->time, errand->pass + fall, errand->pass + land));
    moving->alpha = 1 - progress(making->time, errand->last + take_in, end_of(errand));
}

/* ---- lanes and cells ------------------------------------------------------------------------- */

static void find_lane_states(const struct making *making)
{
    const struct bs_scene *scene = making->scene;
    struct bs_moment *moment = making->moment;
    uint64_t lost = 0;
    for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++) {
        const bool active = (scene->rule ? scene->active : scene->mask) >> lane & 1;
        const bool dropped = scene->schedule.dropped >> lane & 1;
        moment->lanes[lane] = dropped                                 ? BS_LANE_DROPPED
                              : !active                               ? BS_LANE_INACTIVE
                              : scene->parts_of[lane] || !scene->rule ? BS_LANE_HOME
                                                                      : BS_LANE_SERVED;
    }
    for (uint32_t i = 0; i < scene->ball_count; i++) {
        const struct bs_ball *ball = &scene->balls[i];
        const struct bs_errand *errand = &scene->errands[ball->errand];
        if (making->time > leaves_at(errand) && moment->lanes[ball->lane] == BS_LANE_HOME)
            moment->lanes[ball->lane] = BS_LANE_OUT;
        if (making->time >= errand->last + land)
            moment->parts_served[ball->lane]++;
        if (making->time >= errand->last + land && errand->losers >> ball->lane & 1)
            lost |= UINT64_C(1) << ball->lane;
        if (moment->parts_served[ball->lane] == scene->parts_of[ball->lane])
            moment->lanes[ball->lane] = lost >> ball->lane & 1 ? BS_LANE_LOST : BS_LANE_SERVED;
    }
}

/* The mark of the errand's cell, which may have one from an errand before; marks stand by bank. */
static struct bs_cell_mark *mark_of(struct bs_moment *moment, const struct bs_errand *errand)
{
    for (uint32_t i = moment->cell_count; i-- > 0 && moment->cells[i].bank == errand->bank;)
        if (moment->cells[i].place == errand->place)
            return &moment->cells[i];
    return &moment->cells[moment->cell_count++];
}

static void mark_cell(const struct making *making, uint32_t number)
{
    const struct bs_errand *errand = &making->scene->errands[number];
    if (making->time < errand->pass + fall)
        return;
    struct bs_cell_mark *mark = mark_of(making->moment, errand);
    *mark = (struct bs_cell_mark){
        .bank = errand->bank,
        .place = errand->place,
        .lane = (uint8_t)bs_lanes_lowest(errand->lanes),
        .lanes = (uint8_t)bs_lanes_count(errand->lanes),
        .state = BS_CELL_SERVED,
        .covered = making->time < end_of(errand),
    };
    if (making->time < errand->last + land) {
        mark->state = BS_CELL_OPEN;
    } else if (errand->losers) {
        const uint64_t stay = errand->lanes & ~errand->losers;
        mark->state = errand->undefined ? BS_CELL_UNDEFINED : BS_CELL_WON;
        mark->lane = (uint8_t)bs_lanes_lowest(stay ? stay : errand->lanes);
        mark->lanes = (uint8_t)bs_lanes_count(stay);
        mark->covered = mark->covered && stay;
    } else if (making->time < errand->last + take_in) {
        mark->state = BS_CELL_OPEN;
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void place_errand(const struct making *making, uint32_t number, bool front)
{
    const enum bs_stage stage = stage_of(&making->scene->errands[number], making->time);
    if (front != (stage >= BS_FALLING))
        return;
    switch (stage) {
    case BS_AT_HOME: /* the row of lanes shows it */
        break;
    case BS_ARRIVING:
        arrive_all(making, number);
        break;
    case BS_QUEUED:
        queue(making, number);
        break;
    case BS_FALLING:
    case BS_LANDED:
    case BS_BOUNCING:
        serve(making, number);
        break;
    }
}

/* Those behind in a queue first, and what falls in front of everything. */
static void place_balls(const struct making *making)
{
    for (uint32_t i = making->scene->errand_count; i-- > 0;)
        place_errand(making, i, false);
    for (uint32_t i = making->scene->errand_count; i-- > 0;)
        place_errand(making, i, true);
}

static bool make_room(struct bs_moment *moment, const struct bs_scene *scene)
{
    struct bs_moving *balls =
        bs_grow(moment->balls, &moment->ball_room, (size_t)scene->ball_count + 1, sizeof *balls);
    if (balls)
        moment->balls = balls;
    struct bs_cell_mark *cells =
        bs_grow(moment->cells, &moment->cell_room, (size_t)scene->errand_count + 1, sizeof *cells);
    if (cells)
        moment->cells = cells;
    return balls && cells;
}

bool bs_moment_make(struct bs_moment *moment, const struct bs_scene *scene,
                    const struct bs_panel *panel, double time)
{
    const struct making making = {moment, scene, panel, time};
    const uint32_t passes = bs_scene_passes(scene);
    if (!make_room(moment, scene))
        return false;
    moment->time = time;
    moment->over = time >= passes;
    moment->pass = moment->over ? passes : time < 0 ? 0 : (uint32_t)time;
    moment->phase = bs_scene_phase_at(scene, moment->pass);
    moment->ball_count = 0;
    moment->cell_count = 0;
    memset(moment->parts_served, 0, sizeof moment->parts_served);
    memset(moment->waiting, 0, sizeof moment->waiting);
    for (uint32_t bank = 0; bank < BS_MAX_BANKS; bank++)
        moment->queue_top[bank] = panel->queue.y + panel->queue.height;
    find_lane_states(&making);
    for (uint32_t i = 0; i < scene->errand_count; i++)
        mark_cell(&making, i);
    place_balls(&making);
    return true;
}

void bs_moment_free(struct bs_moment *moment)
{
    free(moment->balls);
    free(moment->cells);
    *moment = (struct bs_moment){0};
}
