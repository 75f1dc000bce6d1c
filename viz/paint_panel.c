/* The things of a scene that stay where they are: lanes, wires, cells, names. */
#include "paint.h"

#include "command/phrases.h"
#include "core/lanes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double turn = 6.283185307;

/* ---- lanes ----------------------------------------------------------------------------------- */

static void circle_line(const struct bs_pen *pen, struct bs_point middle, double diameter,
                        double line, double from, double to)
{
    cairo_new_sub_path(pen->cairo);
    cairo_arc(pen->cairo, middle.x, middle.y, (diameter - line) / 2, from, to);
    cairo_set_line_width(pen->cairo, line);
    cairo_stroke(pen->cairo);
}

/* An inactive lane is hollow, its rim dashed. */
void bs_paint_inactive(const struct bs_pen *pen, struct bs_point middle, double diameter)
{
    const double dash = turn * diameter / 2 / 16;
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_circle(pen, middle, diameter);
    cairo_set_dash(pen->cairo, &dash, 1, 0);
    bs_pen_ink(pen, BS_FAINT, 0.8);
    circle_line(pen, middle, diameter, fmax(1, 0.07 * pen->unit), 0, turn);
    cairo_set_dash(pen->cairo, NULL, 0, 0);
}

/* Where a lane is out, the place it left, with the words of it that have been served. */
static void draw_place(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                       uint32_t lane, struct bs_point middle, double diameter)
{
    const uint32_t parts = panel->scene->parts_of[lane];
    const uint32_t served = panel->moment->parts_served[lane];
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_circle(pen, middle, diameter);
    bs_pen_ink(pen, BS_LINE, 1);
    circle_line(pen, middle, diameter, fmax(1, 0.09 * pen->unit), 0, turn);
    if (parts < 2 || served == 0)
        return;
    bs_pen_ink(pen, BS_DONE, 1);
    circle_line(pen, middle, diameter, 0.22 * pen->unit, -turn / 4,
                -turn / 4 + turn * served / parts);
}

static void draw_lane(const struct bs_pen *pen, const struct bs_painted_panel *panel, uint32_t lane)
{
    const struct bs_point middle = bs_panel_lane(panel->place, lane);
    const double diameter = panel->place->lane_size;
    const struct bs_ball_look home = {
        .ink = BS_WAITING, .lane = (uint8_t)lane, .lanes = 1, .numbered = true};
    const struct bs_ball_look lost = {
        .ink = BS_TROUBLE, .lane = (uint8_t)lane, .lanes = 1, .numbered = true};
    char text[16];
    snprintf(text, sizeof text, "%u", lane);
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const struct bs_style done = {1.0, BS_REGULAR, BS_ON_DONE};
    switch ((enum bs_lane_state)panel->moment->lanes[lane]) {
    case BS_LANE_HOME:
        bs_ball_draw(pen, &home, middle, diameter, diameter, 1);
        break;
    case BS_LANE_INACTIVE:
    case BS_LANE_DROPPED:
        bs_paint_inactive(pen, middle, diameter);
        bs_pen_write(pen, style, BS_CENTRE, middle.x, middle.y, text);
        break;
    case BS_LANE_LOST:
        bs_ball_draw(pen, &lost, middle, diameter, diameter, 1);
        break;
    case BS_LANE_OUT:
        draw_place(pen, panel, lane, middle, diameter);
        bs_pen_write(pen, style, BS_CENTRE, middle.x, middle.y, text);
        break;
    case BS_LANE_SERVED:
        bs_pen_ink(pen, BS_DONE, 1);
        bs_pen_circle(pen, middle, diameter);
        bs_pen_write(pen, done, BS_CENTRE, middle.x, middle.y, text);
        break;
    }
}

/* A bar below the lanes of the phase that is served. */
static void draw_phase_bars(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_schedule *schedule = &panel->scene->schedule;
    if (schedule->phase_count < 2 || panel->moment->over)
        return;
    bs_pen_ink(pen, BS_NOW, 1);
    for (uint64_t rest = schedule->phase[panel->moment->phase]; rest; rest &= rest - 1) {
        const uint32_t lane = bs_lanes_lowest(rest);
        if (lane >= panel->place->lane_count)
            break;
        const struct bs_point middle = bs_panel_lane(panel->place, lane);
        const double pitch = panel->place->lane_pitch;
        bs_pen_box(pen, (struct bs_box){middle.x - pitch / 2,
                                        middle.y + panel->place->lane_size / 2 + 0.12 * pen->unit,
                                        pitch + 0.5, 0.2 * pen->unit});
    }
}

void bs_paint_lanes(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    bs_pen_write(pen, style, BS_LEFT, panel->place->whole.x, bs_panel_lane(panel->place, 0).y,
                 "lane");
    draw_phase_bars(pen, panel);
    for (uint32_t lane = 0; lane < panel->place->lane_count; lane++)
        draw_lane(pen, panel, lane);
}

/* ---- wires ----------------------------------------------------------------------------------- */

/* From a lane to the column of its bank, and down. */
static void wire(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                 const struct bs_ball *ball, const struct bs_errand *errand)
{
    const struct bs_panel *place = panel->place;
    const struct bs_point lane = bs_panel_lane(place, ball->lane);
    const double top = lane.y + place->lane_size / 2;
    const double x = bs_panel_queue(place, errand->bank, 0).x;
    const double end = place->queue.y + BS_WIRES * pen->unit;
    const double bend = (end - top) / 2;
    cairo_move_to(pen->cairo, lane.x, top);
    cairo_curve_to(pen->cairo, lane.x, top + bend, x, end - bend, x, end);
}

static void draw_wires(const struct bs_pen *pen, const struct bs_painted_panel *panel, bool now)
{
    const struct bs_scene *scene = panel->scene;
    const uint32_t pass = panel->moment->pass;
    for (uint32_t i = 0; i < scene->errand_count; i++) {
        const struct bs_errand *errand = &scene->errands[i];
        const bool served =
            panel->moment->time >= 0 && errand->pass <= pass && pass <= errand->last;
        if (errand->arrives > pass || errand->last < pass || served != now)
            continue;
        for (uint32_t ball = scene->first_ball[i]; ball < scene->first_ball[i + 1]; ball++)
            wire(pen, panel, &scene->balls[ball], errand);
    }
    bs_pen_ink(pen, now ? BS_NOW : BS_LINE, now ? 0.75 : 0.6);
    cairo_set_line_width(pen->cairo, (now ? 0.12 : 0.07) * pen->unit);
    cairo_stroke(pen->cairo);
}

/* The way down, from the wires' ends to the cells. */
static void draw_shafts(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_panel *place = panel->place;
    const double top = place->queue.y + BS_WIRES * pen->unit;
    bs_pen_ink(pen, BS_LINE, 0.35);
    for (uint32_t bank = 0; bank < panel->scene->banks; bank++) {
        if (bs_scene_waiting(panel->scene, bank, panel->moment->pass) == 0)
            continue;
        const double x = bs_panel_queue(place, bank, 0).x;
        cairo_move_to(pen->cairo, x, top);
        cairo_line_to(pen->cairo, x, place->queue.y + place->queue.height);
    }
    cairo_set_line_width(pen->cairo, 0.07 * pen->unit);
    cairo_stroke(pen->cairo);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static struct bs_box inner_cell(const struct bs_painted_panel *panel, uint32_t bank, uint32_t place)
{
    const struct bs_box box = bs_panel_cell(panel->place, panel->scene, bank, place);
    const double across = fmin(0.07 * panel->place->unit, box.width * 0.06);
    const double down = fmin(0.07 * panel->place->unit, box.height * 0.06);
    return (struct bs_box){box.x + across, box.y + down, box.width - 2 * across,
                           box.height - 2 * down};
}

static void draw_empty_cells(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    bs_pen_ink(pen, BS_CELL, 1);
    for (uint32_t place = 0; place < panel->scene->row_count; place++)
        for (uint32_t bank = 0; bank < panel->scene->banks; bank++) {
            const struct bs_box box = inner_cell(panel, bank, place);
            cairo_rectangle(pen->cairo, box.x, box.y, box.width, box.height);
        }
    cairo_fill(pen->cairo);
}

/* What a served cell says: the lane it served, or how many. */
static void write_mark(const struct bs_pen *pen, const struct bs_cell_mark *mark, struct bs_box box,
                       enum bs_ink ink)
{
    char text[8];
    const struct bs_style style = {1.0, BS_REGULAR, ink};
    if (mark->covered || box.height < 1.25 * pen->unit)
        return;
    snprintf(text, sizeof text, mark->lanes > 1 ? "\u00d7%u" : "%u",
             mark->lanes > 1 ? mark->lanes : mark->lane);
    if (bs_pen_measure(pen, style, text) > box.width)
        return;
    const struct bs_point middle = bs_box_middle(box);
    bs_pen_write(pen, style, BS_CENTRE, middle.x, middle.y, text);
}

/* A question mark, on a ground that can be read on. */
static void write_unknown(const struct bs_pen *pen, struct bs_box box)
{
    const struct bs_style style = {1.1, BS_STRONG, BS_TEXT};
    const double ground = 1.35 * pen->unit;
    const struct bs_point middle = bs_box_middle(box);
    if (box.height < ground || box.width < ground)
        return;
    bs_pen_ink(pen, BS_PAPER, 1);
    bs_pen_circle(pen, middle, ground);
    bs_pen_write(pen, style, BS_CENTRE, middle.x, middle.y, "?");
}

void bs_paint_cell(const struct bs_pen *pen, struct bs_box box, enum bs_cell_state state)
{
    switch (state) {
    case BS_CELL_OPEN:
        bs_pen_ink(pen, BS_NOW, 0.45);
        bs_pen_box(pen, box);
        break;
    case BS_CELL_SERVED:
        bs_pen_ink(pen, BS_DONE, 1);
        bs_pen_box(pen, box);
        break;
    case BS_CELL_UNDEFINED:
        bs_pen_ink(pen, BS_TROUBLE, 0.28);
        bs_pen_box(pen, box);
        bs_pen_ink(pen, BS_TROUBLE, 1);
        bs_pen_hatch(pen, box, 0.5);
        break;
    case BS_CELL_WON:
        bs_pen_ink(pen, BS_DONE, 1);
        bs_pen_box(pen, box);
        bs_pen_ink(pen, BS_TROUBLE, 0.7);
        bs_pen_hatch(pen, box, 0.9);
        break;
    }
}

static void draw_mark(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                      const struct bs_cell_mark *mark)
{
    const struct bs_box box = inner_cell(panel, mark->bank, mark->place);
    bs_paint_cell(pen, box, (enum bs_cell_state)mark->state);
    if (mark->state == BS_CELL_UNDEFINED)
        write_unknown(pen, box);
    else if (mark->state != BS_CELL_OPEN)
        write_mark(pen, mark, box, BS_ON_DONE);
}

/* ---- names ----------------------------------------------------------------------------------- */

static void write_rows(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const uint32_t step = bs_label_step(panel->place->row_pitch, 1.2 * pen->unit);
    const double width = panel->place->cells.x - panel->place->whole.x - 0.5 * pen->unit;
    double free_from = 0;
    for (uint32_t i = 0; i < panel->scene->row_count; i++) {
        char text[32];
        const struct bs_box cell = bs_panel_cell(panel->place, panel->scene, 0, i);
        const double y = cell.y + cell.height / 2;
        if ((i % step && !panel->scene->rows[i].apart) || y - 0.6 * pen->unit < free_from)
            continue;
        snprintf(text, sizeof text, "row %u", panel->scene->rows[i].number);
        if (bs_pen_measure(pen, style, text) > width)
            snprintf(text, sizeof text, "%u", panel->scene->rows[i].number);
        bs_pen_fit(pen, style, BS_LEFT, panel->place->whole.x, y, width, text);
        free_from = y + 0.6 * pen->unit;
    }
}

/* What becomes of the bytes that several lanes write. */
static void clash_words(const struct bs_scene *scene, char *text, size_t room)
{
    const struct bs_clash *first = &scene->schedule.clashes[0];
    if (scene->schedule.cost.undefined)
        snprintf(text, room, "several lanes write the same bytes: nobody knows whose value stays");
    else if (scene->schedule.clash_count == 1)
        snprintf(text, room, "several lanes write the same bytes: the value of lane %d stays",
                 (int)first->winner);
    else
        snprintf(text, room,
                 "several lanes write the same bytes: the model lets one value stay (%s)",
                 bs_winner_name((enum bs_winner)scene->model->winner));
}

/* The phase, and why it takes its passes. */
static void phase_words(const struct bs_painted_panel *panel, char *text, size_t room)
{
    const struct bs_schedule *schedule = &panel->scene->schedule;
    struct bs_phase_view view;
    char why[BS_SENTENCE];
    char phase[48] = "";
    bs_phase_view_of(&view, schedule, panel->moment->phase);
    if (schedule->phase_count > 1)
        snprintf(phase, sizeof phase, "phase %u of %u: ", panel->moment->phase + 1,
                 schedule->phase_count);
    snprintf(text, room, "%s%s", phase, bs_why(panel->scene->rule, &view, why));
}

static void write_remark(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_style style = {1.15, BS_REGULAR, BS_FAINT};
    const struct bs_box box = panel->place->remark;
    char text[BS_SENTENCE + 64] = "";
    if (!panel->scene->rule)
        snprintf(text, sizeof text, "a barrier has no addresses and takes no passes");
    else if (panel->scene->schedule.clash_count)
        clash_words(panel->scene, text, sizeof text);
    else
        phase_words(panel, text, sizeof text);
    const double width = box.x + box.width - panel->place->lanes.x;
    char *tail = strrchr(text, ':'); /* the number of passes, which stands above anyhow */
    if (tail && bs_pen_measure(pen, style, text) > width)
        *tail = '\0';
    bs_pen_fit(pen, style, BS_LEFT, panel->place->lanes.x, box.y + box.height * 0.42, width, text);
}

void bs_paint_panel(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    draw_empty_cells(pen, panel);
    for (uint32_t i = 0; i < panel->moment->cell_count; i++)
        draw_mark(pen, panel, &panel->moment->cells[i]);
    if (panel->caption) /* beside others, to whose queues it is to be compared */
        bs_paint_queue_scale(pen, panel->place);
    draw_shafts(pen, panel);
    draw_wires(pen, panel, false);
    draw_wires(pen, panel, true);
    bs_paint_bank_names(pen, panel->place, panel->scene->banks,
                        bs_box_middle(panel->place->banks).y);
    write_rows(pen, panel);
    if (!panel->place->narrow && bs_panel_tells(panel))
        write_remark(pen, panel);
    bs_paint_lanes(pen, panel);
}
