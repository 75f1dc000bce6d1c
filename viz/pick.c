/* Pointing at lanes and banks. */
#include "pick.h"

#include "core/lanes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- where ----------------------------------------------------------------------------------- */

static bool lies_in(struct bs_box box, double x, double y)
{
    return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

static struct bs_pick pick_in(const struct bs_panel *panel, uint32_t number, double x, double y)
{
    const struct bs_pick nothing = {0};
    for (uint32_t lane = 0; lane < panel->lane_count; lane++) {
        const struct bs_point at = bs_panel_lane(panel, lane);
        if (hypot(x - at.x, y - at.y) <= panel->lane_size / 2)
            return (struct bs_pick){BS_PICK_LANE, number, lane};
    }
    const double bottom = panel->banks.y + panel->banks.height;
    const struct bs_box columns = {panel->queue.x, panel->queue.y,
                                   panel->bank_pitch * panel->bank_count, bottom - panel->queue.y};
    if (!lies_in(columns, x, y))
        return nothing;
    return (struct bs_pick){BS_PICK_BANK, number, (uint32_t)((x - columns.x) / panel->bank_pitch)};
}

struct bs_pick bs_pick_at(const struct bs_show *show, double x, double y)
{
    struct bs_pick pick = {0};
    for (uint32_t i = 0; show->view == BS_VIEW_SCENE && i < show->layout.panel_count; i++)
        if (lies_in(show->layout.panels[i].whole, x, y))
            pick = pick_in(&show->layout.panels[i], i, x, y);
    return bs_pick_holds(show, pick) ? pick : (struct bs_pick){0};
}

static uint32_t count_of(const struct bs_show *show, enum bs_pick_kind kind, uint32_t panel)
{
    return kind == BS_PICK_LANE ? show->layout.panels[panel].lane_count : show->scenes[panel].banks;
}

bool bs_pick_holds(const struct bs_show *show, struct bs_pick pick)
{
    return pick.kind != BS_PICK_NOTHING && pick.panel < show->layout.panel_count &&
           show->scenes[pick.panel].rule && pick.number < count_of(show, pick.kind, pick.panel);
}

/* The lowest active lane, or the bank that has the most to do. */
static uint32_t first_of(const struct bs_scene *scene, enum bs_pick_kind kind)
{
    uint32_t best = 0;
    if (kind == BS_PICK_LANE)
        return scene->active ? bs_lanes_lowest(scene->active) : 0;
    for (uint32_t bank = 1; bank < scene->banks; bank++)
        if (scene->first_errand[bank + 1] - scene->first_errand[bank] >
            scene->first_errand[best + 1] - scene->first_errand[best])
            best = bank;
    return best;
}

struct bs_pick bs_pick_step(const struct bs_show *show, struct bs_pick from, enum bs_pick_kind kind,
                            int step)
{
    struct bs_pick pick = {kind, from.panel, 0};
    const uint32_t panel = pick.panel < show->layout.panel_count ? pick.panel : 0;
    const uint32_t count = count_of(show, kind, panel);
    pick.panel = panel;
    if (from.kind == kind && count > 0)
        pick.number = (from.number + (step > 0 ? 1 : count - 1)) % count;
    else if (show->scenes[panel].rule)
        pick.number = first_of(&show->scenes[panel], kind);
    return bs_pick_holds(show, pick) ? pick : (struct bs_pick){0};
}

/* ---- in words -------------------------------------------------------------------------------- */

static void append(char out[BS_WORDS], const char *text)
{
    const size_t used = strlen(out);
    snprintf(out + used, BS_WORDS - used, "%s", text);
}

/* "bank 3" or "banks 3 to 6", and the same of other things. */
static void append_range(char out[BS_WORDS], const char *what, uint32_t low, uint32_t high)
{
    char text[64];
    if (low == high)
        snprintf(text, sizeof text, "%s %u", what, low);
    else
        snprintf(text, sizeof text, "%s%s %u to %u", what, strcmp(what, "pass") == 0 ? "es" : "s",
                 low, high);
    append(out, text);
}

struct span {
    uint32_t low, high;
};

static void widen(struct span *span, uint32_t value)
{
    span->low = value < span->low ? value : span->low;
    span->high = value > span->high ? value : span->high;
}

static void lane_words(const struct bs_scene *scene, uint32_t lane, char out[BS_WORDS])
{
    struct span bank = {UINT32_MAX, 0}, row = {UINT32_MAX, 0}, pass = {UINT32_MAX, 0};
    char text[96];
    if (!scene->parts_of[lane]) {
        const bool active = scene->mask >> lane & 1;
        snprintf(out, BS_WORDS, "lane %u %s", lane, active ? "asks for nothing" : "is inactive");
        return;
    }
    for (uint32_t i = 0; i < scene->ball_count; i++) {
        const struct bs_errand *errand = &scene->errands[scene->balls[i].errand];
        if (scene->balls[i].lane != lane)
            continue;
        widen(&bank, errand->bank);
        widen(&row, errand->row);
        widen(&pass, errand->pass);
    }
    snprintf(out, BS_WORDS, "lane %u: %u byte%s at %u \u00b7 ", lane, scene->op.bytes,
             scene->op.bytes == 1 ? "" : "s", scene->addr[lane]);
    append_range(out, "bank", bank.low, bank.high);
    append(out, ", ");
    append_range(out, "row", row.low, row.high);
    append(out, " \u00b7 ");
    append_range(out, "pass", pass.low + 1, pass.high + 1);
    snprintf(text, sizeof text, " of %u", bs_scene_passes(scene));
    append(out, text);
}

/* Lanes that share a row are served at once, so passes count rows, or less. */
static void bank_words(const struct bs_scene *scene, uint32_t bank, char out[BS_WORDS])
{
    const uint32_t errands = scene->first_errand[bank + 1] - scene->first_errand[bank];
    uint64_t lanes = 0;
    uint32_t last = 0;
    for (uint32_t i = scene->first_errand[bank]; i < scene->first_errand[bank + 1]; i++) {
        lanes |= scene->errands[i].lanes;
        last = scene->errands[i].last > last ? scene->errands[i].last : last;
    }
    const uint32_t count = bs_lanes_count(lanes);
    if (errands == 0)
        snprintf(out, BS_WORDS, "bank %u: no lane asks for it", bank);
    else if (errands == 1)
        snprintf(out, BS_WORDS,
                 "bank %u: %u lane%s, one word \u00b7 served at once, in pass %u of %u", bank,
                 count, count == 1 ? "" : "s", last + 1, bs_scene_passes(scene));
    else
        snprintf(
            out, BS_WORDS,
            "bank %u: %u lane%s, served %u times, one word at a time \u00b7 done after pass %u "
            "of %u",
            bank, count, count == 1 ? "" : "s", errands, last + 1, bs_scene_passes(scene));
}

const char *bs_pick_words(const struct bs_show *show, struct bs_pick pick, char out[BS_WORDS])
{
    out[0] = '\0';
    if (!bs_pick_holds(show, pick))
        return out;
    if (pick.kind == BS_PICK_LANE)
        lane_words(&show->scenes[pick.panel], pick.number, out);
    else
        bank_words(&show->scenes[pick.panel], pick.number, out);
    return out;
}

/* ---- on the picture -------------------------------------------------------------------------- */

static const double line = 0.2; /* units */

static void ring(const struct bs_pen *pen, struct bs_point middle, double diameter)
{
    cairo_new_sub_path(pen->cairo);
    cairo_arc(pen->cairo, middle.x, middle.y, diameter / 2 + line * pen->unit, 0, 6.283185307);
}

static void frame_cell(const struct bs_pen *pen, const struct bs_show *show, struct bs_pick pick,
                       const struct bs_errand *errand)
{
    const struct bs_box cell = bs_panel_cell(
        &show->layout.panels[pick.panel], &show->scenes[pick.panel], errand->bank, errand->place);
    cairo_rectangle(pen->cairo, cell.x, cell.y, cell.width, cell.height);
}

/* From the lane to the column of the bank, and the cell at its end. */
static void path_of_ball(const struct bs_pen *pen, const struct bs_show *show, struct bs_pick pick,
                         const struct bs_ball *ball)
{
    const struct bs_panel *panel = &show->layout.panels[pick.panel];
    const struct bs_scene *scene = &show->scenes[pick.panel];
    const struct bs_errand *errand = &scene->errands[ball->errand];
    const struct bs_point lane = bs_panel_lane(panel, ball->lane);
    const struct bs_box cell = bs_panel_cell(panel, scene, errand->bank, errand->place);
    const double top = lane.y + panel->lane_size / 2;
    const double x = cell.x + cell.width / 2;
    const double end = panel->queue.y + BS_WIRES * pen->unit;
    const double bend = (end - top) / 2;
    cairo_move_to(pen->cairo, lane.x, top);
    cairo_curve_to(pen->cairo, lane.x, top + bend, x, end - bend, x, end);
    frame_cell(pen, show, pick, errand);
    ring(pen, lane, panel->lane_size);
}

/* The lane's balls, wherever they are now. */
static void ring_balls(const struct bs_pen *pen, const struct bs_show *show, struct bs_pick pick)
{
    const struct bs_moment *moment = &show->moments[pick.panel];
    for (uint32_t i = 0; i < moment->ball_count; i++)
        if (moment->balls[i].lane == pick.number)
            ring(pen, moment->balls[i].at, moment->balls[i].size);
}

static bool is_picked(const struct bs_scene *scene, const struct bs_ball *ball, struct bs_pick pick)
{
    return pick.kind == BS_PICK_LANE ? ball->lane == pick.number
                                     : scene->errands[ball->errand].bank == pick.number;
}

void bs_pick_paint(const struct bs_pen *pen, const struct bs_show *show, struct bs_pick pick)
{
    if (!bs_pick_holds(show, pick) || show->view != BS_VIEW_SCENE)
        return;
    const struct bs_panel *panel = &show->layout.panels[pick.panel];
    const struct bs_scene *scene = &show->scenes[pick.panel];
    if (pick.kind == BS_PICK_LANE)
        ring(pen, bs_panel_lane(panel, pick.number), panel->lane_size);
    else
        cairo_rectangle(pen->cairo, panel->queue.x + pick.number * panel->bank_pitch,
                        panel->queue.y + BS_WIRES * pen->unit, panel->bank_pitch,
                        panel->banks.y + panel->banks.height - panel->queue.y -
                            BS_WIRES * pen->unit);
    for (uint32_t i = 0; i < scene->ball_count; i++)
        if (is_picked(scene, &scene->balls[i], pick))
            path_of_ball(pen, show, pick, &scene->balls[i]);
    if (pick.kind == BS_PICK_LANE)
        ring_balls(pen, show, pick);
    bs_pen_ink(pen, BS_TEXT, 0.85);
    cairo_set_line_width(pen->cairo, fmax(1.5, line * pen->unit));
    cairo_stroke(pen->cairo);
}
