/* The legend: the marks of the scenes that are shown, each with what it means. */
#include "paint.h"

#include "core/lanes.h"

#include <math.h>

/* In units. */
static const double size_of_sign = 1.2;
static const double after_sign = 0.4;
static const double after_words = 1.4;

/* What there is in the scenes; those that come first stay where there is no room for all. */
enum sign {
    SIGN_NOW,
    SIGN_WAITS,
    SIGN_DONE,
    SIGN_INACTIVE,
    SIGN_UNKNOWN,
    SIGN_WON,
    SIGN_LOST,
    SIGN_BROADCAST,
    SIGN_SHARED,
    SIGN_PILE,
    SIGN_SCALE,
    SIGN_PART,
    SIGN_PHASE,
    SIGNS,
};

static const char *words_of(enum sign sign)
{
    switch (sign) {
    case SIGN_NOW:
        return "in this pass";
    case SIGN_WAITS:
        return "waits";
    case SIGN_DONE:
        return "served";
    case SIGN_INACTIVE:
        return "inactive lane";
    case SIGN_UNKNOWN:
        return "undefined write";
    case SIGN_WON:
        return "one write stays";
    case SIGN_LOST:
        return "its write may be lost";
    case SIGN_BROADCAST:
        return "broadcast: lanes of one word";
    case SIGN_SHARED:
        return "lanes of one word";
    case SIGN_PILE:
        return "conflict: a pass each";
    case SIGN_SCALE:
        return "one scale for all queues";
    case SIGN_PART:
        return "which word of a lane";
    case SIGN_PHASE:
        return "lanes of the phase";
    case SIGNS:
        break;
    }
    return "";
}

/* ---- which marks there are ------------------------------------------------------------------- */

static unsigned bit(enum sign sign)
{
    return 1u << sign;
}

/* Those that come of the addresses, which a scene that asks does not tell. */
static unsigned outcome_of(const struct bs_scene *scene)
{
    unsigned signs = scene->longest_queue > 1 ? bit(SIGN_PILE) : 0;
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        const struct bs_errand *errand = &scene->errands[i];
        if (bs_lanes_count(errand->lanes) > 1)
            signs |= bit(bs_op_writes(scene->op) ? SIGN_SHARED : SIGN_BROADCAST);
        if (errand->losers)
            signs |= bit(SIGN_LOST) | bit(errand->undefined ? SIGN_UNKNOWN : SIGN_WON);
    }
    return signs;
}

static unsigned signs_of(const struct bs_painted_panel *panel)
{
    const struct bs_scene *scene = panel->scene;
    const uint32_t lanes = scene->model->lanes;
    unsigned signs = 0;
    if (scene->errand_count)
        signs |= bit(SIGN_NOW) | bit(SIGN_WAITS) | bit(SIGN_DONE);
    if (bs_lanes_count(scene->active) < lanes)
        signs |= bit(SIGN_INACTIVE);
    if (scene->parts > 1)
        signs |= bit(SIGN_PART);
    if (scene->schedule.phase_count > 1)
        signs |= bit(SIGN_PHASE);
    if (panel->caption && panel->place->deepest > 1)
        signs |= bit(SIGN_SCALE);
    return bs_panel_tells(panel) ? signs | outcome_of(scene) : signs;
}

/* ---- signs ----------------------------------------------------------------------------------- */

static void draw_ball(const struct bs_pen *pen, struct bs_point middle, enum bs_ink ink,
                      unsigned lanes, unsigned parts)
{
    const struct bs_ball_look look = {
        .ink = (uint8_t)ink, .lanes = (uint8_t)lanes, .part = 1, .parts = (uint8_t)parts};
    const double size = size_of_sign * pen->unit;
    bs_ball_draw(pen, &look, middle, size, size, 1);
}

static void draw_served(const struct bs_pen *pen, struct bs_point middle)
{
    bs_pen_ink(pen, BS_DONE, 1);
    bs_pen_circle(pen, middle, size_of_sign * pen->unit);
}

static void draw_cell(const struct bs_pen *pen, struct bs_point middle, enum bs_cell_state state)
{
    const double size = size_of_sign * pen->unit;
    bs_paint_cell(pen, (struct bs_box){middle.x - size / 2, middle.y - size / 2, size, size},
                  state);
}

static void draw_pile(const struct bs_pen *pen, struct bs_point middle)
{
    const double step = 0.35 * pen->unit;
    for (int i = -1; i <= 1; i++)
        draw_ball(pen, (struct bs_point){middle.x, middle.y + i * step}, BS_WAITING, 1, 1);
}

static void draw_line(const struct bs_pen *pen, struct bs_point middle, enum bs_ink ink,
                      double thick)
{
    const double width = size_of_sign * pen->unit;
    const double height = fmax(1, thick * pen->unit);
    bs_pen_ink(pen, ink, 1);
    bs_pen_box(pen, (struct bs_box){middle.x - width / 2, middle.y - height / 2, width, height});
}

static void draw_sign(const struct bs_pen *pen, enum sign sign, struct bs_point middle)
{
    switch (sign) {
    case SIGN_NOW:
        draw_ball(pen, middle, BS_NOW, 1, 1);
        break;
    case SIGN_WAITS:
        draw_ball(pen, middle, BS_WAITING, 1, 1);
        break;
    case SIGN_DONE:
        draw_served(pen, middle);
        break;
    case SIGN_INACTIVE:
        bs_paint_inactive(pen, middle, size_of_sign * pen->unit);
        break;
    case SIGN_UNKNOWN:
        draw_cell(pen, middle, BS_CELL_UNDEFINED);
        break;
    case SIGN_WON:
        draw_cell(pen, middle, BS_CELL_WON);
        break;
    case SIGN_LOST:
        draw_ball(pen, middle, BS_TROUBLE, 1, 1);
        break;
    case SIGN_BROADCAST:
    case SIGN_SHARED:
        draw_ball(pen, middle, BS_WAITING, 2, 1);
        break;
    case SIGN_PILE:
        draw_pile(pen, middle);
        break;
    case SIGN_SCALE:
        draw_line(pen, middle, BS_LINE, 0.06);
        break;
    case SIGN_PART:
        draw_ball(pen, middle, BS_WAITING, 1, 4);
        break;
    case SIGN_PHASE:
        draw_line(pen, middle, BS_NOW, 0.2);
        break;
    case SIGNS:
        break;
    }
}

/* ---- the line -------------------------------------------------------------------------------- */

void bs_paint_legend(const struct bs_pen *pen, const struct bs_picture *picture)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const struct bs_box box = picture->layout->legend;
    const double y = box.y + box.height / 2;
    const double sign_width = (size_of_sign + after_sign) * pen->unit;
    unsigned signs = 0;
    double x = box.x;
    for (uint32_t i = 0; i < picture->layout->panel_count; i++)
        signs |= signs_of(&picture->panels[i]);
    for (enum sign sign = 0; sign < SIGNS; sign++) {
        const double width = sign_width + bs_pen_measure(pen, style, words_of(sign));
        if (!(signs & bit(sign)) || x + width > box.x + box.width)
            continue;
        draw_sign(pen, sign, (struct bs_point){x + size_of_sign / 2 * pen->unit, y});
        bs_pen_write(pen, style, BS_LEFT, x + sign_width, y, words_of(sign));
        x += width + after_words * pen->unit;
    }
}
