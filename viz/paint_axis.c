/* The names along an axis: as many as can stand beside one another. */
#include "paint.h"

#include <math.h>
#include <stdio.h>

uint32_t bs_label_step(double pitch, double width)
{
    uint32_t step = 1;
    while (step < 1u << 20 && pitch * step < width)
        step *= 2;
    return step;
}

void bs_paint_bank_names(const struct bs_pen *pen, const struct bs_panel *place, uint32_t banks,
                         double y)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const double pitch = place->cells.width / banks;
    char text[16];
    snprintf(text, sizeof text, "%u", banks - 1);
    const uint32_t step = bs_label_step(pitch, bs_pen_measure(pen, style, text) + 0.45 * pen->unit);
    bs_pen_write(pen, style, BS_LEFT, place->whole.x, y, "bank");
    for (uint32_t bank = 0; bank < banks; bank += step) {
        snprintf(text, sizeof text, "%u", bank);
        bs_pen_write(pen, style, BS_CENTRE, place->cells.x + (bank + 0.5) * pitch, y, text);
    }
}

/* A line at a height of the queues. */
static void draw_height(const struct bs_pen *pen, const struct bs_panel *place, double y)
{
    cairo_move_to(pen->cairo, place->queue.x, y);
    cairo_line_to(pen->cairo, place->queue.x + place->queue.width, y);
    cairo_set_line_width(pen->cairo, fmax(1, 0.06 * pen->unit));
    bs_pen_ink(pen, BS_LINE, 0.6);
    cairo_stroke(pen->cairo);
}

void bs_paint_queue_scale(const struct bs_pen *pen, const struct bs_panel *place)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const double apart = 1.4 * pen->unit;
    const uint32_t step = bs_label_step(place->queue_step, apart);
    const double foot = fmin(bs_panel_queue(place, 0, 0).y, place->cells.y - apart);
    char text[16];
    if (place->deepest < 2)
        return;
    bs_pen_write(pen, style, BS_LEFT, place->whole.x, foot, "queue");
    for (uint32_t count = step; count <= place->deepest; count += step) {
        const double y = bs_panel_queue(place, 0, count - 1).y;
        if (y > foot - apart)
            continue;
        draw_height(pen, place, y);
        snprintf(text, sizeof text, "%u", count);
        bs_pen_write(pen, style, BS_RIGHT, place->queue.x - 1.3 * pen->unit, y, text);
    }
}
