/* What lies over the picture: the keys, on one screen, and what has just been done. */
#include "paint_help.h"

#include <math.h>
#include <string.h>

static const double pitch = 1.75; /* units from key to key */

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
        card(pen, layout, 42 * pen->unit, (pitch * (double)count + 5.5) * pen->unit);
    double y = box.y + 2.2 * pen->unit;
    bs_pen_write(pen, title, BS_LEFT, box.x + 2 * pen->unit, y, "Keys");
    y += 2.4 * pen->unit;
    for (size_t i = 0; i < count; i++, y += pitch * pen->unit) {
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

void bs_paint_line(const struct bs_pen *pen, const struct bs_layout *layout, const char *question,
                   const char *line)
{
    const struct bs_style label = {1.2, BS_REGULAR, BS_FAINT};
    const struct bs_style typed = {1.5, BS_STRONG, BS_TEXT};
    char shown[512];
    const struct bs_box box = card(pen, layout, fmin(50 * pen->unit, layout->width), 6 * pen->unit);
    const double x = box.x + 1.5 * pen->unit;
    const double width = box.width - 3 * pen->unit;
    bs_pen_write(pen, label, BS_LEFT, x, box.y + 1.8 * pen->unit, question);
    bs_printable(line, strlen(line), shown, sizeof shown);
    const double used = bs_pen_fit(pen, typed, BS_LEFT, x, box.y + 4.1 * pen->unit, width, shown);
    bs_pen_ink(pen, BS_NOW, 1);
    bs_pen_box(pen, (struct bs_box){x + used + 0.2 * pen->unit, box.y + 3.2 * pen->unit,
                                    0.2 * pen->unit, 1.8 * pen->unit});
}
