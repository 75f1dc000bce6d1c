/* Drawing shapes and text. */
#include "pen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 512 };
static const double capital = 0.73; /* height of a capital over the size of the font */

void bs_pen_colour(const struct bs_pen *pen, struct bs_colour colour, double alpha)
{
    if (alpha < 1)
        cairo_set_source_rgba(pen->cairo, colour.red, colour.green, colour.blue, alpha);
    else
        cairo_set_source_rgb(pen->cairo, colour.red, colour.green, colour.blue);
}

void bs_pen_ink(const struct bs_pen *pen, enum bs_ink ink, double alpha)
{
    bs_pen_colour(pen, pen->theme->inks[ink], alpha);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* Hinting is off, so that text has the same shape and width wherever it is drawn. */
static void set_font(const struct bs_pen *pen, struct bs_style style)
{
    cairo_font_options_t *options = cairo_font_options_create();
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    cairo_set_font_options(pen->cairo, options);
    cairo_font_options_destroy(options);
    cairo_select_font_face(pen->cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           style.weight == BS_STRONG ? CAIRO_FONT_WEIGHT_BOLD
                                                     : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen->cairo, style.size * pen->unit);
}

double bs_pen_measure(const struct bs_pen *pen, struct bs_style style, const char *text)
{
    cairo_text_extents_t extents;
    set_font(pen, style);
    cairo_text_extents(pen->cairo, text, &extents);
    return extents.x_advance;
}

double bs_pen_write(const struct bs_pen *pen, struct bs_style style, enum bs_align align, double x,
                    double y, const char *text)
{
    const double width = bs_pen_measure(pen, style, text);
    const double height = capital * style.size * pen->unit;
    const double left = align == BS_LEFT ? x : align == BS_CENTRE ? x - width / 2 : x - width;
    if (!*text)
        return 0;
    bs_pen_ink(pen, style.ink, 1);
    cairo_move_to(pen->cairo, left, y + height / 2);
    cairo_show_text(pen->cairo, text);
    if (pen->written) {
        struct bs_label label = {{left, y - height / 2, width, height}, style.size * pen->unit, ""};
        snprintf(label.text, sizeof label.text, "%.47s", text);
        pen->written(pen->user, &label);
    }
    return width;
}

/* The bytes of the longest beginning of text that leaves room for an ellipsis. */
static size_t fitting(const struct bs_pen *pen, struct bs_style style, double width,
                      const char *text)
{
    char piece[TEXT_ROOM];
    size_t best = 0;
    const size_t size = strlen(text);
    for (size_t step = size < TEXT_ROOM - 4 ? size : TEXT_ROOM - 4; step > 0; step--) {
        if ((text[step] & 0xc0) == 0x80) /* inside a character */
            continue;
        snprintf(piece, sizeof piece, "%.*s\u2026", (int)step, text);
        best = step;
        if (bs_pen_measure(pen, style, piece) <= width)
            return best;
    }
    return 0;
}

double bs_pen_fit(const struct bs_pen *pen, struct bs_style style, enum bs_align align, double x,
                  double y, double width, const char *text)
{
    char piece[TEXT_ROOM];
    if (bs_pen_measure(pen, style, text) <= width)
        return bs_pen_write(pen, style, align, x, y, text);
    const size_t size = fitting(pen, style, width, text);
    if (!size)
        return 0;
    snprintf(piece, sizeof piece, "%.*s\u2026", (int)size, text);
    return bs_pen_write(pen, style, align, x, y, piece);
}

/* ---- shapes ---------------------------------------------------------------------------------- */

void bs_pen_box(const struct bs_pen *pen, struct bs_box box)
{
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    cairo_fill(pen->cairo);
}

void bs_pen_circle(const struct bs_pen *pen, struct bs_point middle, double diameter)
{
    cairo_new_sub_path(pen->cairo);
    cairo_arc(pen->cairo, middle.x, middle.y, diameter / 2, 0, 6.283185307);
    cairo_fill(pen->cairo);
}

void bs_pen_hatch(const struct bs_pen *pen, struct bs_box box, double apart)
{
    const double step = apart * pen->unit;
    cairo_save(pen->cairo);
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    cairo_clip(pen->cairo);
    for (double x = box.x - box.height; x < box.x + box.width; x += step) {
        cairo_move_to(pen->cairo, x, box.y + box.height);
        cairo_line_to(pen->cairo, x + box.height, box.y);
    }
    cairo_set_line_width(pen->cairo, fmax(1, 0.09 * pen->unit));
    cairo_stroke(pen->cairo);
    cairo_restore(pen->cairo);
}
