/* What lies over the picture: the keys, on one screen, and what has just been done. */
#include "paint_help.h"

#include <math.h>

static const double line = 1.9; /* units from key to key */

static struct bs_box card(const struct bs_pen *pen, const struct bs_layout *layout, double width,
                          double height)
{
    const struct bs_box box = {(layout->width - width) / 2, (layout->height - height) / 2, width,
                               height};
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_box(pen, box);
    bs_pen_ink(pen, BS_LINE, 1);
    cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
    cairo_set_line_width(pen->cairo, fmax(1, 0.1 * pen->unit));
    cairo_stroke(pen->cairo);
    return box;
}

void bs_paint_help(const struct bs_pen *pen, const struct bs_layout *layout)
{
    const struct bs_style title = {1.6, BS_STRONG, BS_TEXT};
    const struct bs_style key = {1.2, BS_STRONG, BS_TEXT};
    const struct bs_style words = {1.2, BS_REGULAR, BS_FAINT};
    size_t count;
    const struct bs_key_words *keys = bs_key_words(&count);
    const struct bs_box box =
        card(pen, layout, 36 * pen->unit, (line * (double)count + 5.5) * pen->unit);
    double y = box.y + 2.2 * pen->unit;
    bs_pen_write(pen, title, BS_LEFT, box.x + 2 * pen->unit, y, "Keys");
    y += 2.4 * pen->unit;
    for (size_t i = 0; i < count; i++, y += line * pen->unit) {
        bs_pen_write(pen, key, BS_LEFT, box.x + 2 * pen->unit, y, keys[i].key);
        bs_pen_write(pen, words, BS_LEFT, box.x + 8 * pen->unit, y, keys[i].words);
    }
}

void bs_paint_note(const struct bs_pen *pen, const struct bs_layout *layout, const char *note)
{
    const struct bs_style style = {1.3, BS_REGULAR, BS_TEXT};
    const double width = fmin(bs_pen_measure(pen, style, note) + 3 * pen->unit, layout->width);
    const struct bs_box box = card(pen, layout, width, 3 * pen->unit);
    bs_pen_fit(pen, style, BS_CENTRE, box.x + box.width / 2, box.y + box.height / 2,
               box.width - pen->unit, note);
}
