/* Balls on their way, and the heights of the queues. */
#include "paint.h"

#include <math.h>
#include <stdio.h>

static enum bs_ink body_of(enum bs_stage stage)
{
    return stage == BS_BOUNCING                        ? BS_TROUBLE
           : stage == BS_FALLING || stage == BS_LANDED ? BS_NOW
                                                       : BS_WAITING;
}

static void draw_ball(const struct bs_pen *pen, const struct bs_panel *place,
                      const struct bs_moving *ball, struct bs_sprites *sprites)
{
    const struct bs_ball_look look = {
        .ink = (uint8_t)body_of((enum bs_stage)ball->stage),
        .lane = ball->lane,
        .lanes = ball->lanes,
        .part = ball->part,
        .parts = ball->parts,
        .numbered = ball->numbered,
    };
    const double widest = fmax(ball->size, place->bank_room);
    const double size =
        ball->stage == BS_ARRIVING ? round(ball->size) : ball->size; /* few sprites */
    if (sprites)
        bs_sprites_draw(sprites, pen, &look, ball->at, size, widest, ball->alpha);
    else
        bs_ball_draw(pen, &look, ball->at, ball->size, widest, ball->alpha);
}

/* Whether the place above a queue is free of those beside it, for a label that wide. */
static bool has_room(const struct bs_painted_panel *panel, uint32_t bank, double width, double top,
                     const double *taken_until)
{
    const double pitch = panel->place->bank_pitch;
    const double x = panel->place->queue.x + (bank + 0.5) * pitch;
    if (x - width / 2 < *taken_until)
        return false;
    for (uint32_t other = 0; other < panel->scene->banks; other++) {
        const double distance = fabs((double)other - bank) * pitch;
        if (other != bank && distance < (width + panel->place->ball_size) / 2 &&
            panel->moment->queue_top[other] < top)
            return false;
    }
    return true;
}

/* How many wait, above each queue of several. */
static void write_heights(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_style style = {1.15, BS_STRONG, BS_TEXT};
    double taken_until = 0;
    for (uint32_t bank = 0; bank < panel->scene->banks; bank++) {
        char text[16];
        if (panel->moment->waiting[bank] < 2)
            continue;
        snprintf(text, sizeof text, "%u", panel->moment->waiting[bank]);
        const double width = bs_pen_measure(pen, style, text) + 0.3 * pen->unit;
        const double top = panel->moment->queue_top[bank];
        if (!has_room(panel, bank, width, top, &taken_until))
            continue;
        const double x = bs_panel_queue(panel->place, bank, 0).x;
        bs_pen_write(pen, style, BS_CENTRE, x, top - 0.75 * pen->unit, text);
        taken_until = x + width / 2;
    }
}

void bs_paint_balls(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                    struct bs_sprites *sprites)
{
    for (uint32_t i = 0; i < panel->moment->ball_count; i++)
        draw_ball(pen, panel->place, &panel->moment->balls[i], sprites);
    write_heights(pen, panel);
}
