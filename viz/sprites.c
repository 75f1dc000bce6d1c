/* Balls, drawn or copied. */
#include "sprites.h"

#include "core/buffer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SPRITES = 2048 };
static const double turn = 6.283185307;
static const double text_part = 0.56;      /* of the diameter, for a number of two digits */
static const double least_numbered = 1.35; /* diameter in units */
static const double merged_width = 1.6;    /* of a merged ball, over its height */

/* ---- shapes ---------------------------------------------------------------------------------- */

static void body_path(const struct bs_pen *pen, struct bs_point middle, double width, double height)
{
    const double r = height / 2;
    const double half = fmax(width - height, 0) / 2;
    cairo_new_sub_path(pen->cairo);
    cairo_arc(pen->cairo, middle.x + half, middle.y, r, -turn / 4, turn / 4);
    cairo_arc(pen->cairo, middle.x - half, middle.y, r, turn / 4, 3 * turn / 4);
    cairo_close_path(pen->cairo);
}

/* A part of the rim says which word of a wide access the ball is, clockwise from the top. */
static void draw_part(const struct bs_pen *pen, const struct bs_ball_look *look,
                      struct bs_point middle, double diameter, enum bs_ink ink, double alpha)
{
    const double each = turn / look->parts;
    const double from = look->part % look->parts * each - turn / 4;
    const double line = fmax(1.2, diameter * 0.09);
    const double space = look->parts < 8 ? 0.16 : 0;
    cairo_new_sub_path(pen->cairo);
    cairo_arc(pen->cairo, middle.x, middle.y, diameter / 2 - line / 2, from + space,
              from + each - space);
    bs_pen_ink(pen, ink, alpha);
    cairo_set_line_width(pen->cairo, line);
    cairo_stroke(pen->cairo);
}

/* The number of the lane, or of the lanes; none where it could not be read. */
static void draw_number(const struct bs_pen *pen, const struct bs_ball_look *look,
                        struct bs_point middle, double diameter, double width, enum bs_ink ink)
{
    char text[16];
    const bool framed = look->parts > 1 || look->ink == BS_TROUBLE;
    const enum bs_weight weight = framed ? BS_REGULAR : BS_STRONG;
    const struct bs_style large = {fmin(diameter / pen->unit * text_part, 1.2), weight, ink};
    const struct bs_style least = {1.0, BS_REGULAR, ink};
    if (!look->numbered || diameter < least_numbered * pen->unit)
        return;
    snprintf(text, sizeof text, look->lanes > 1 ? "\u00d7%u" : "%u",
             look->lanes > 1 ? look->lanes : look->lane);
    if (large.size >= 1 && bs_pen_measure(pen, large, text) <= width * (framed ? 0.6 : 0.78))
        bs_pen_write(pen, large, BS_CENTRE, middle.x, middle.y, text);
    else if (bs_pen_measure(pen, least, text) <= width * 0.96)
        bs_pen_write(pen, least, BS_CENTRE, middle.x, middle.y, text);
}

static enum bs_ink ink_on(enum bs_ink body)
{
    return body == BS_NOW ? BS_ON_NOW : body == BS_DONE ? BS_ON_DONE : BS_ON_WAITING;
}

/* A lane that was thrown out is a ring. */
static void draw_ring(const struct bs_pen *pen, struct bs_point middle, double diameter,
                      enum bs_ink ink, double alpha)
{
    const double line = diameter * 0.11;
    body_path(pen, middle, diameter - line, diameter - line);
    bs_pen_ink(pen, BS_PAPER, alpha);
    cairo_fill_preserve(pen->cairo);
    bs_pen_ink(pen, ink, alpha);
    cairo_set_line_width(pen->cairo, line);
    cairo_stroke(pen->cairo);
}

static void draw_disc(const struct bs_pen *pen, enum bs_ink ink, struct bs_point middle,
                      double diameter, double width, double alpha)
{
    const double rim = fmax(diameter * 0.035, diameter < pen->unit ? 0 : 1);
    body_path(pen, middle, width, diameter);
    bs_pen_ink(pen, BS_PAPER, alpha);
    cairo_fill(pen->cairo);
    body_path(pen, middle, width - 2 * rim, diameter - 2 * rim);
    bs_pen_ink(pen, ink, alpha);
    cairo_fill(pen->cairo);
}

/* Several lanes that are one look like a stack. */
static void draw_body(const struct bs_pen *pen, const struct bs_ball_look *look,
                      struct bs_point middle, double diameter, double width, double alpha)
{
    const enum bs_ink ink = (enum bs_ink)look->ink;
    const double shift = 0.1 * diameter;
    for (int behind = look->lanes > 1 ? 2 : 0; behind >= 0; behind--)
        draw_disc(pen, ink, (struct bs_point){middle.x, middle.y - behind * shift}, diameter, width,
                  alpha);
    if (look->lanes == 1 && look->parts > 1 && diameter > 0.9 * pen->unit)
        draw_part(pen, look, middle, diameter * 0.93, ink_on(ink), alpha);
}

void bs_ball_draw(const struct bs_pen *pen, const struct bs_ball_look *look, struct bs_point middle,
                  double diameter, double widest, double alpha)
{
    const bool thrown = look->ink == BS_TROUBLE;
    const double width =
        look->lanes > 1 ? fmax(diameter, fmin(widest, diameter * merged_width)) : diameter;
    if (thrown)
        draw_ring(pen, middle, diameter * 0.94, BS_TROUBLE, alpha);
    else
        draw_body(pen, look, middle, diameter, width, alpha);
    if (alpha > 0.35)
        draw_number(pen, look, middle, diameter, width,
                    thrown ? BS_TEXT : ink_on((enum bs_ink)look->ink));
}

/* ---- kept pictures --------------------------------------------------------------------------- */

struct bs_sprite {
    struct bs_ball_look look;
    int diameter; /* in quarters of a pixel */
    int widest;
    cairo_surface_t *surface;
};

void bs_sprites_forget(struct bs_sprites *sprites)
{
    for (size_t i = 0; i < sprites->count; i++)
        cairo_surface_destroy(sprites->list[i].surface);
    free(sprites->list);
    *sprites = (struct bs_sprites){0};
}

static bool same_look(const struct bs_ball_look *a, const struct bs_ball_look *b)
{
    return a->ink == b->ink && a->lane == b->lane && a->lanes == b->lanes && a->part == b->part &&
           a->parts == b->parts && a->numbered == b->numbered;
}

static cairo_surface_t *draw_sprite(const struct bs_pen *pen, const struct bs_ball_look *look,
                                    int side, double diameter, double widest)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, side, side);
    struct bs_pen inner = *pen;
    inner.cairo = cairo_create(surface);
    bs_ball_draw(&inner, look, (struct bs_point){side / 2.0, side / 2.0}, diameter, widest, 1);
    cairo_destroy(inner.cairo);
    return surface;
}

static cairo_surface_t *find_sprite(struct bs_sprites *sprites, const struct bs_pen *pen,
                                    const struct bs_ball_look *look, double diameter, double widest,
                                    int side)
{
    const int quarters = (int)lround(diameter * 4);
    const int wide = (int)lround(widest * 4);
    for (size_t i = 0; i < sprites->count; i++) {
        const struct bs_sprite *sprite = &sprites->list[i];
        if (sprite->diameter == quarters && sprite->widest == wide &&
            same_look(&sprite->look, look))
            return sprite->surface;
    }
    if (sprites->count >= MOST_SPRITES) /* begin again */
        bs_sprites_forget(sprites);
    struct bs_sprite *list =
        bs_grow(sprites->list, &sprites->room, sprites->count + 1, sizeof *list);
    if (!list)
        return NULL;
    sprites->list = list;
    cairo_surface_t *surface = draw_sprite(pen, look, side, diameter, widest);
    list[sprites->count++] = (struct bs_sprite){*look, quarters, wide, surface};
    return surface;
}

void bs_sprites_draw(struct bs_sprites *sprites, const struct bs_pen *pen,
                     const struct bs_ball_look *look, struct bs_point middle, double diameter,
                     double widest, double alpha)
{
    const int side =
        2 * (int)ceil(fmax(diameter, fmin(widest, diameter * merged_width)) * 0.75 + 1);
    cairo_surface_t *surface = find_sprite(sprites, pen, look, diameter, widest, side);
    if (!surface) { /* memory is out */
        bs_ball_draw(pen, look, middle, diameter, widest, alpha);
        return;
    }
    cairo_set_source_surface(pen->cairo, surface, middle.x - side / 2.0, middle.y - side / 2.0);
    if (alpha < 1)
        cairo_paint_with_alpha(pen->cairo, alpha);
    else
        cairo_paint(pen->cairo);
}
