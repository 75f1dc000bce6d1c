/* The whole picture: title, heads of the scenes, strip. */
#include "paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Leaves out of words that are too wide which banks a model has, then the model itself. */
static void shorten(const struct bs_pen *pen, struct bs_style style, double width,
                    char text[BS_WORDS])
{
    static const char *const ends[] = {": ", " \u00b7 "};
    for (unsigned i = 0; i < 2 && bs_pen_measure(pen, style, text) > width; i++) {
        char *end = strstr(text, " \u00b7 ");
        if (end && (end = strstr(end, ends[i])))
            *end = '\0';
    }
}

/* The op, and the same in words; a lone scene's counter and numbers stand on the same two lines, so
 * many units wide. */
static void write_title(const struct bs_pen *pen, const struct bs_picture *picture,
                        struct bs_taken taken)
{
    const struct bs_box box = picture->layout->title;
    const struct bs_style title = {2.0, BS_STRONG, BS_TEXT};
    const struct bs_style words = {1.3, BS_REGULAR, BS_FAINT};
    const double first = box.y + 1.0 * pen->unit;
    const double used = bs_pen_fit(pen, title, BS_LEFT, box.x, first,
                                   box.width - taken.first - pen->unit, picture->title);
    if (picture->layout->panel_count > 1) {
        char text[BS_WORDS];
        const double width = box.width - used - 2 * pen->unit;
        snprintf(text, sizeof text, "%s", picture->words);
        shorten(pen, words, width, text);
        bs_pen_fit(pen, words, BS_RIGHT, box.x + box.width, first, width, text);
    } else
        bs_pen_fit(pen, words, BS_LEFT, box.x, box.y + 3.1 * pen->unit,
                   box.width - taken.second - pen->unit, picture->words);
}

/* "pass 7 of 32", or that all is still to come or over; in fewer words where there is no room. */
static void counter_text(const struct bs_painted_panel *panel, bool brief, char *text, size_t room)
{
    const uint32_t passes = bs_scene_passes(panel->scene);
    const char *plural = passes == 1 ? "" : "es";
    if (passes == 0)
        snprintf(text, room, "no passes");
    else if (panel->moment->over)
        snprintf(text, room, brief ? "done: %u" : "done in %u pass%s", passes, plural);
    else if (panel->moment->time < 0 && !bs_panel_tells(panel))
        snprintf(text, room, brief ? "passes?" : "how many passes?");
    else if (panel->moment->time < 0)
        snprintf(text, room, "%u pass%s", passes, plural);
    else if (!bs_panel_tells(panel))
        snprintf(text, room, "pass %u", panel->moment->pass + 1);
    else
        snprintf(text, room, brief ? "%u of %u" : "pass %u of %u", panel->moment->pass + 1, passes);
}

enum { BRIEFEST = 2 };

/* "32-way, ideal 1, efficiency 3 %"; brief is from 0 to BRIEFEST. */
static void numbers_text(const struct bs_painted_panel *panel, unsigned brief, char *text,
                         size_t room)
{
    const struct bs_cost *cost = &panel->scene->schedule.cost;
    const double ratio = cost->ideal ? (double)cost->passes / cost->ideal : 0;
    const double percent = 100.0 * cost->ideal / cost->passes;
    char undefined[48] = "";
    if (cost->undefined)
        snprintf(undefined, sizeof undefined, " \u00b7 %u byte%s undefined", cost->undefined,
                 cost->undefined == 1 ? "" : "s");
    const int digits = ratio == floor(ratio) ? 0 : 1;
    if (brief == BRIEFEST)
        snprintf(text, room, "%.*f-way%s", digits, ratio, undefined);
    else
        snprintf(text, room, "%.*f-way \u00b7 ideal %u \u00b7 %s%.0f %%%s", digits, ratio,
                 cost->ideal, brief ? "" : "efficiency ", percent, undefined);
}

static double write_numbers(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                            double right, double y, double width)
{
    const struct bs_cost *cost = &panel->scene->schedule.cost;
    const bool bad = cost->passes > cost->ideal || cost->undefined;
    const struct bs_style style = {1.3, BS_REGULAR, bad ? BS_BAD_TEXT : BS_GOOD_TEXT};
    char text[BS_CAPTION];
    if (!cost->passes || !bs_panel_tells(panel))
        return 0;
    for (unsigned brief = 0; brief <= BRIEFEST; brief++) {
        numbers_text(panel, brief, text, sizeof text);
        if (bs_pen_measure(pen, style, text) <= width)
            break;
    }
    return bs_pen_fit(pen, style, BS_RIGHT, right, y, width, text);
}

/* Caption, counter and numbers below one another. */
static void write_narrow_head(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                              struct bs_style counter)
{
    char count[BS_CAPTION];
    const struct bs_style caption = {1.4, BS_STRONG, BS_TEXT};
    const struct bs_box box = panel->place->head;
    const double right = box.x + box.width;
    counter.size = 1.6;
    if (panel->caption)
        bs_pen_fit(pen, caption, BS_RIGHT, right, box.y + 0.8 * pen->unit, box.width,
                   panel->caption);
    counter_text(panel, false, count, sizeof count);
    if (bs_pen_measure(pen, counter, count) > box.width)
        counter_text(panel, true, count, sizeof count);
    bs_pen_fit(pen, counter, BS_RIGHT, right, box.y + 2.9 * pen->unit, box.width, count);
    write_numbers(pen, panel, right, box.y + 5.0 * pen->unit, box.width);
}

struct bs_taken bs_paint_head(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_box box = panel->place->head;
    const struct bs_style counter = {
        2.0, BS_STRONG,
        panel->moment->over && bs_scene_passes(panel->scene) ? BS_GOOD_TEXT : BS_TEXT};
    const struct bs_style caption = {1.5, BS_STRONG, BS_TEXT};
    const struct bs_style words = {1.3, BS_REGULAR, BS_FAINT};
    const double right = box.x + box.width;
    const double first = box.y + 1.0 * pen->unit;
    const double second = box.y + 3.1 * pen->unit;
    char count[BS_CAPTION];
    if (panel->place->narrow) {
        write_narrow_head(pen, panel, counter);
        return (struct bs_taken){0, 0};
    }
    counter_text(panel, false, count, sizeof count);
    const double used = bs_pen_fit(pen, counter, BS_RIGHT, right, first, box.width, count);
    const double numbers = write_numbers(pen, panel, right, second, box.width);
    if (panel->caption)
        bs_pen_fit(pen, caption, BS_LEFT, box.x, first, box.width - used - pen->unit,
                   panel->caption);
    if (panel->pattern)
        bs_pen_fit(pen, words, BS_LEFT, box.x, second, box.width - numbers - pen->unit,
                   panel->pattern);
    return (struct bs_taken){used, numbers};
}

/* A mark above the bar that is shown. */
static void draw_marker(const struct bs_pen *pen, double x, double y)
{
    const double half = 0.45 * pen->unit;
    bs_pen_ink(pen, BS_NOW, 1);
    cairo_move_to(pen->cairo, x - half, y);
    cairo_line_to(pen->cairo, x + half, y);
    cairo_line_to(pen->cairo, x, y + 1.4 * half);
    cairo_close_path(pen->cairo);
    cairo_fill(pen->cairo);
}

static double bar_pitch(struct bs_box box, const struct bs_strip *strip, double unit)
{
    return fmin(box.width / strip->count, strip->widest * unit);
}

uint32_t bs_strip_bar_at(struct bs_box box, const struct bs_strip *strip, double unit, double x)
{
    if (!strip->count || x < box.x)
        return 0;
    return (uint32_t)((x - box.x) / bar_pitch(box, strip, unit));
}

static void draw_bars(const struct bs_pen *pen, struct bs_box box, const struct bs_strip *strip)
{
    const double pitch = bar_pitch(box, strip, pen->unit);
    const double gap = pitch > 4 ? fmin(0.12 * pitch, 0.25 * pen->unit) : 0;
    for (uint32_t i = 0; i < strip->count; i++) {
        const double part = strip->largest ? (double)strip->values[i] / strip->largest : 0;
        const double height = fmax(box.height * part, 0.12 * pen->unit);
        const struct bs_box bar = {box.x + i * pitch, box.y + box.height - height,
                                   fmax(pitch - gap, 0.5), height};
        if (strip->tracks) {
            bs_pen_ink(pen, BS_CELL, 1);
            bs_pen_box(pen, (struct bs_box){bar.x, box.y, bar.width, box.height});
        }
        bs_pen_ink(pen, i == strip->current ? BS_NOW : i < strip->current ? BS_DONE : BS_LINE, 1);
        bs_pen_box(pen, bar);
    }
    if (strip->current < strip->count)
        draw_marker(pen, box.x + strip->current * pitch + (pitch - gap) / 2,
                    box.y - 0.75 * pen->unit);
}

void bs_paint_strip(const struct bs_pen *pen, struct bs_box box, const struct bs_strip *strip)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const double y = box.y + 0.5 * pen->unit;
    const double head = 2.1 * pen->unit;
    const double model =
        bs_pen_fit(pen, style, BS_RIGHT, box.x + box.width, y, box.width, strip->model);
    bs_pen_fit(pen, style, BS_LEFT, box.x, y, box.width - model - 2 * pen->unit, strip->caption);
    if (strip->count)
        draw_bars(pen, (struct bs_box){box.x, box.y + head, box.width, box.height - head}, strip);
}

/* Bars of passes would say how many there are. */
static bool strip_tells(const struct bs_picture *picture)
{
    return !picture->strip->tracks || bs_panel_tells(&picture->panels[0]);
}

void bs_paint_still(const struct bs_pen *pen, const struct bs_picture *picture)
{
    bs_pen_ink(pen, BS_PAPER, 1);
    cairo_paint(pen->cairo);
    struct bs_taken taken = {0, 0};
    for (uint32_t i = 0; i < picture->layout->panel_count; i++) {
        const struct bs_painted_panel *panel = &picture->panels[i];
        const struct bs_taken head = bs_paint_head(pen, panel);
        if (picture->layout->panel_count == 1)
            taken = head;
        switch (picture->view) {
        case BS_VIEW_SCENE:
        case BS_VIEWS:
            bs_paint_panel(pen, panel);
            break;
        case BS_VIEW_HEAT:
            bs_paint_heat(pen, panel);
            break;
        case BS_VIEW_BANKS:
        case BS_VIEW_KERNEL:
            bs_paint_banks(pen, panel);
            break;
        case BS_VIEW_TIME:
            bs_paint_time(pen, panel);
            break;
        }
    }
    if (picture->view == BS_VIEW_TIME)
        bs_paint_time_marks(pen, picture);
    write_title(pen, picture, taken);
    if (picture->layout->legend.height > 0)
        bs_paint_legend(pen, picture);
    if (picture->layout->strip.height > 0 && strip_tells(picture))
        bs_paint_strip(pen, picture->layout->strip, picture->strip);
}

void bs_paint_moving(const struct bs_pen *pen, const struct bs_picture *picture,
                     struct bs_sprites *sprites)
{
    for (uint32_t i = 0; i < picture->layout->panel_count; i++)
        if (picture->view == BS_VIEW_SCENE)
            bs_paint_balls(pen, &picture->panels[i], sprites);
}
