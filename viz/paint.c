/* The whole picture: title, heads of the scenes, strip. */
#include "paint.h"

#include <math.h>
#include <stdio.h>

static void write_title(const struct bs_pen *pen, const struct bs_picture *picture)
{
    const struct bs_box box = picture->layout->title;
    const struct bs_style title = {2.0, BS_STRONG, BS_TEXT};
    const struct bs_style words = {1.3, BS_REGULAR, BS_FAINT};
    bs_pen_fit(pen, title, BS_LEFT, box.x, box.y + 1.0 * pen->unit, box.width, picture->title);
    bs_pen_fit(pen, words, BS_LEFT, box.x, box.y + 3.1 * pen->unit, box.width, picture->words);
}

/* "pass 7 of 32", or that all is over. */
static void counter_text(const struct bs_painted_panel *panel, char *text, size_t room)
{
    const uint32_t passes = bs_scene_passes(panel->scene);
    if (passes == 0)
        snprintf(text, room, "no passes");
    else if (panel->moment->over)
        snprintf(text, room, "done in %u pass%s", passes, passes == 1 ? "" : "es");
    else
        snprintf(text, room, "pass %u of %u", panel->moment->pass + 1, passes);
}

/* "32-way conflict, ideal 1, efficiency 3 %". */
static void numbers_text(const struct bs_painted_panel *panel, char *text, size_t room)
{
    const struct bs_cost *cost = &panel->scene->schedule.cost;
    const double ratio = cost->ideal ? (double)cost->passes / cost->ideal : 0;
    const double percent = cost->passes ? 100.0 * cost->ideal / cost->passes : 100;
    snprintf(text, room, "%.*f-way \u00b7 ideal %u \u00b7 %.0f %%", ratio == floor(ratio) ? 0 : 1,
             ratio, cost->ideal, percent);
}

void bs_paint_head(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_box box = panel->place->head;
    const bool conflicts = panel->scene->schedule.cost.passes > panel->scene->schedule.cost.ideal;
    const struct bs_style counter = {2.0, BS_STRONG, BS_TEXT};
    const struct bs_style numbers = {1.3, BS_REGULAR, conflicts ? BS_BAD_TEXT : BS_GOOD_TEXT};
    const struct bs_style caption = {1.5, BS_STRONG, BS_TEXT};
    const double right = box.x + box.width;
    const double first = box.y + 1.0 * pen->unit;
    const double second = box.y + 3.1 * pen->unit;
    char text[BS_CAPTION];
    counter_text(panel, text, sizeof text);
    const double used = bs_pen_write(pen, counter, BS_RIGHT, right, first, text);
    numbers_text(panel, text, sizeof text);
    bs_pen_fit(pen, numbers, BS_RIGHT, right, second, box.width, text);
    if (panel->caption)
        bs_pen_fit(pen, caption, BS_LEFT, box.x, first, box.width - used - pen->unit,
                   panel->caption);
}

void bs_paint_strip(const struct bs_pen *pen, struct bs_box box, const struct bs_strip *strip)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    bs_pen_ink(pen, BS_LINE, 1);
    bs_pen_fit(pen, style, BS_LEFT, box.x, box.y + 0.5 * pen->unit, box.width, strip->caption);
    const struct bs_box bars = {box.x, box.y + 1.4 * pen->unit, box.width,
                                box.height - 1.4 * pen->unit};
    if (!strip->count)
        return;
    const double pitch = fmin(bars.width / strip->count, strip->widest * pen->unit);
    const double gap = pitch > 4 ? fmin(0.12 * pitch, 0.25 * pen->unit) : 0;
    for (uint32_t i = 0; i < strip->count; i++) {
        const double part = strip->largest ? (double)strip->values[i] / strip->largest : 0;
        const double height = fmax(bars.height * part, 0.1 * pen->unit);
        const struct bs_box bar = {bars.x + i * pitch + gap / 2, bars.y + bars.height - height,
                                   fmax(pitch - gap, 0.5), height};
        bs_pen_ink(pen, i == strip->current ? BS_NOW : i < strip->current ? BS_DONE : BS_LINE, 1);
        bs_pen_box(pen, bar);
    }
}

void bs_paint_still(const struct bs_pen *pen, const struct bs_picture *picture)
{
    bs_pen_ink(pen, BS_PAPER, 1);
    cairo_paint(pen->cairo);
    write_title(pen, picture);
    for (uint32_t i = 0; i < picture->layout->panel_count; i++) {
        const struct bs_painted_panel *panel = &picture->panels[i];
        bs_paint_head(pen, panel);
        if (picture->view == BS_VIEW_SCENE)
            bs_paint_panel(pen, panel);
    }
    bs_paint_strip(pen, picture->layout->strip, picture->strip);
}

void bs_paint_moving(const struct bs_pen *pen, const struct bs_picture *picture,
                     struct bs_sprites *sprites)
{
    for (uint32_t i = 0; i < picture->layout->panel_count; i++)
        if (picture->view == BS_VIEW_SCENE)
            bs_paint_balls(pen, &picture->panels[i], sprites);
}
