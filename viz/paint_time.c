/* What every warp is doing: the instructions of the warps of a launch along its cycles. */
#include "paint.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_WARPS = 64, BACK = 64 /* steps of a warp that may still be on their way */ };
static const double words_width = 10.5; /* in units, of what warps are doing */
static const double warp_height = 1.9;
static const double first_line = 1.9;
static const double legend_height = 2.0; /* below the axis */

/* The part of the launch that is shown. */
struct window {
    const struct bs_pen *pen;
    const struct bs_painted_panel *panel;
    const struct bs_clock *clock;
    struct bs_box box; /* of the bars */
    bool words;        /* what each warp is doing is written beside it */
    uint64_t from, until;
    double height; /* of a warp's line */
    size_t warps[MAX_WARPS];
    size_t count;
    const struct bs_launch_warp *own; /* of the record */
    uint32_t step;
};

static double x_of(const struct window *window, uint64_t cycle)
{
    const uint64_t at = cycle < window->from    ? window->from
                        : cycle > window->until ? window->until
                                                : cycle;
    return window->box.x +
           window->box.width * (double)(at - window->from) / (double)(window->until - window->from);
}

/* ---- what is shown --------------------------------------------------------------------------- */

static bool is_busy(const struct window *window, const struct bs_launch_warp *warp)
{
    return warp->count && warp->times[0].issued < window->until &&
           warp->times[warp->count - 1].finished >= window->from;
}

/* The warps that do something in the window, and of too many those around the record's. */
static void choose_warps(struct window *window)
{
    const struct bs_launch *launch = &window->clock->launch;
    const double room = window->box.height / (1.25 * window->pen->unit);
    const size_t most = room < MAX_WARPS ? (size_t)room : MAX_WARPS;
    size_t busy = 0;
    size_t own = 0;
    for (size_t i = 0; i < launch->warp_count; i++) {
        const struct bs_launch_warp *warp = &launch->warps[window->clock->warps[i]];
        if (warp == window->own)
            own = busy;
        busy += is_busy(window, warp);
    }
    size_t skip = own > most / 2 ? own - most / 2 : 0;
    skip = busy > most && skip > busy - most ? busy - most : busy <= most ? 0 : skip;
    for (size_t i = 0; i < launch->warp_count && window->count < most; i++) {
        const struct bs_launch_warp *warp = &launch->warps[window->clock->warps[i]];
        if (is_busy(window, warp) && skip-- == 0) {
            window->warps[window->count++] = window->clock->warps[i];
            skip = 0;
        }
    }
    window->height = fmin(warp_height * window->pen->unit,
                          window->box.height / (double)(window->count ? window->count : 1));
}

/* ---- bars ------------------------------------------------------------------------------------ */

static void draw_span(const struct window *window, uint64_t from, uint64_t until, double y,
                      double part)
{
    const double left = x_of(window, from);
    const double right = x_of(window, until);
    if (right <= left)
        return;
    const double height = window->height * part;
    bs_pen_box(window->pen, (struct bs_box){left, y - height / 2, right - left, height});
}

/* A pass above the ideal is hatched. */
static void draw_pass(const struct window *window, uint64_t cycle, double y, bool own,
                      bool above_ideal)
{
    bs_pen_ink(window->pen, own ? BS_NOW : BS_WAITING, 1);
    draw_span(window, cycle, cycle + 1, y, 0.7);
    if (!above_ideal)
        return;
    bs_pen_ink(window->pen, BS_PAPER, 0.55);
    draw_span(window, cycle, cycle + 1, y - 0.2 * window->height, 0.08);
    draw_span(window, cycle, cycle + 1, y, 0.08);
    draw_span(window, cycle, cycle + 1, y + 0.2 * window->height, 0.08);
}

/* Each pass stands where it was made. */
static void draw_passes(const struct window *window, const struct bs_launch_warp *warp, size_t i,
                        double y)
{
    const struct bs_clock *clock = window->clock;
    const struct bs_instruction *step = &warp->steps[i];
    const uint64_t end = bs_clock_served(clock, warp, i);
    const uint32_t owner = bs_clock_owner(clock, warp, i);
    const bool own = warp == window->own && i == window->step;
    uint32_t made = 0;
    for (uint64_t cycle = warp->times[i].started; cycle < end && cycle < window->until; cycle++) {
        if (clock->passes[cycle] != owner)
            continue;
        const bool above = made++ + step->conflicts >= step->slots;
        draw_pass(window, cycle, y, own, above && cycle >= window->from);
    }
}

static void draw_step(const struct window *window, const struct bs_launch_warp *warp, size_t i,
                      double y)
{
    const struct bs_instruction *step = &warp->steps[i];
    const struct bs_instruction_time *time = &warp->times[i];
    if (time->issued >= window->until || time->finished < window->from)
        return;
    if (step->op.kind == BS_BAR) {
        bs_pen_ink(window->pen, BS_TROUBLE, 0.8);
        draw_span(window, time->started, time->finished, y, 0.12);
        return;
    }
    bs_pen_ink(window->pen, BS_LINE, 1);
    draw_span(window, time->issued, time->started, y, 0.2);
    draw_span(window, bs_clock_served(window->clock, warp, i), time->finished, y, 0.06);
    draw_passes(window, warp, i, y);
}

static void draw_warp(const struct window *window, const struct bs_launch_warp *warp, double y)
{
    const struct bs_pen *pen = window->pen;
    const bool own = warp == window->own;
    const struct bs_style name = {1.0, own ? BS_STRONG : BS_REGULAR, own ? BS_TEXT : BS_FAINT};
    const int64_t last = bs_clock_step(warp, window->until);
    const double room = window->box.x - window->panel->place->whole.x - 0.4 * pen->unit;
    char text[32];
    bs_pen_ink(pen, BS_CELL, 1);
    draw_span(window, window->from, window->until, y, 0.86);
    for (int64_t i = last; i >= 0 && warp->times[i].issued + BACK * 64 >= window->from; i--)
        draw_step(window, warp, (size_t)i, y);
    snprintf(text, sizeof text, "%u:%u", warp->cta, warp->warp);
    bs_pen_fit(pen, name, BS_RIGHT, window->box.x - 0.4 * pen->unit, y, room, text);
    if (window->words)
        bs_pen_fit(pen, name, BS_LEFT, window->box.x + window->box.width + 0.6 * pen->unit, y,
                   (words_width - 0.6) * pen->unit,
                   bs_clock_doing(window->clock, warp, window->own->times[window->step].issued));
}

/* ---- the axis -------------------------------------------------------------------------------- */

static void write_cycles(const struct window *window, double y)
{
    const struct bs_pen *pen = window->pen;
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const double pixels = window->box.width / (double)(window->until - window->from);
    const uint32_t step = bs_label_step(pixels, 4.5 * pen->unit);
    bs_pen_write(pen, style, BS_LEFT, window->panel->place->whole.x, y, "cycle");
    for (uint64_t at = (window->from + step - 1) / step * step; at < window->until; at += step) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)at);
        const double x = x_of(window, at);
        if (x + 2.2 * pen->unit < window->box.x + window->box.width && x >= window->box.x)
            bs_pen_write(pen, style, BS_LEFT, x, y, text);
    }
}

/* A line through the cycle in which the record was issued. */
static void draw_now(const struct window *window, double height)
{
    const double x = x_of(window, window->own->times[window->step].issued);
    bs_pen_ink(window->pen, BS_NOW, 1);
    bs_pen_box(window->pen, (struct bs_box){x - 0.06 * window->pen->unit, window->box.y,
                                            0.12 * window->pen->unit, height});
}

static void write_times(const struct window *window)
{
    const bool uneven = window->clock->launch.uneven_ctas > 0;
    const struct bs_style style = {1.15, BS_REGULAR, uneven ? BS_BAD_TEXT : BS_FAINT};
    const struct bs_box box = window->panel->place->remark;
    const struct bs_instruction_time *time = &window->own->times[window->step];
    char text[BS_CAPTION];
    snprintf(text, sizeof text,
             "%sissued in cycle %llu, first pass in %llu, done in %llu; the launch takes %llu",
             uneven ? "some warps end short of a barrier, as if they had returned: " : "",
             (unsigned long long)time->issued, (unsigned long long)time->started,
             (unsigned long long)time->finished,
             (unsigned long long)window->clock->launch.engine.cycle);
    const double width = box.x + box.width - window->box.x;
    char *tail = strrchr(text, ';'); /* of the launch, if there is room */
    if (tail && bs_pen_measure(window->pen, style, text) > width)
        *tail = '\0';
    bs_pen_fit(window->pen, style, BS_LEFT, window->box.x, box.y + box.height * 0.42, width, text);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void write_failure(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_style style = {1.3, BS_REGULAR, BS_BAD_TEXT};
    const struct bs_box box = panel->place->whole;
    bs_pen_fit(pen, style, BS_LEFT, box.x, box.y + box.height / 2, box.width,
               panel->clock->error.text);
}

void bs_paint_time(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_panel *place = panel->place;
    const double top = place->remark.y + first_line * pen->unit;
    const double words = place->cells.width > 40 * pen->unit ? words_width * pen->unit : 0;
    struct window window = {
        .pen = pen,
        .panel = panel,
        .clock = panel->clock,
        .box = {place->cells.x, top, place->cells.width - words,
                place->banks.y - (0.3 + legend_height) * pen->unit - top},
        .words = words > 0,
        .from = panel->cycles.from,
        .until = panel->cycles.until,
    };
    if (!panel->clock->runs) {
        write_failure(pen, panel);
        return;
    }
    window.own = bs_clock_warp(panel->clock, panel->record, &window.step);
    choose_warps(&window);
    write_times(&window);
    for (size_t i = 0; i < window.count; i++)
        draw_warp(&window, &panel->clock->launch.warps[window.warps[i]],
                  window.box.y + ((double)i + 0.5) * window.height);
    draw_now(&window, window.height * (double)window.count);
    write_cycles(&window, window.box.y + window.height * (double)window.count + 1.1 * pen->unit);
}

/* ---- the marks ------------------------------------------------------------------------------- */

enum mark { MARK_QUEUED, MARK_PASS, MARK_ABOVE, MARK_UNDER_WAY, MARK_BARRIER, MARKS };

/* As the lines of warps have it, a cycle long. */
static void draw_mark(const struct window *window, enum mark mark, double y)
{
    switch (mark) {
    case MARK_PASS:
    case MARK_ABOVE:
        draw_pass(window, 0, y, false, mark == MARK_ABOVE);
        return;
    case MARK_BARRIER:
        bs_pen_ink(window->pen, BS_TROUBLE, 0.8);
        draw_span(window, 0, 1, y, 0.12);
        return;
    default:
        bs_pen_ink(window->pen, BS_LINE, 1);
        draw_span(window, 0, 1, y, mark == MARK_QUEUED ? 0.2 : 0.06);
    }
}

void bs_paint_time_marks(const struct bs_pen *pen, const struct bs_picture *picture)
{
    static const char *const words[MARKS] = {"queued", "pass", "pass above the ideal",
                                             "result under way", "at a barrier"};
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const struct bs_panel *place = picture->panels[0].place;
    const double y = bs_box_middle(place->banks).y + 0.4 * pen->unit;
    double x = place->whole.x;
    for (enum mark mark = 0; mark < MARKS; mark++) {
        const struct window window = {
            .pen = pen, .box = {x, y, 1.3 * pen->unit, 0}, .until = 1, .height = 1.4 * pen->unit};
        draw_mark(&window, mark, y);
        x += 1.7 * pen->unit;
        x += bs_pen_write(pen, style, BS_LEFT, x, y, words[mark]) + 1.3 * pen->unit;
    }
}
