/* The names along an axis: as many as can stand beside one another. */
#include "paint.h"

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
