/* The views that count: lanes by bank and pass as a heat map, and how often each bank is asked. */
#include "paint.h"

#include "core/lanes.h"

#include <math.h>
#include <stdio.h>

/* Where a chart stands: from above the lanes to below the cells of the scene. */
struct chart {
    const struct bs_pen *pen;
    const struct bs_painted_panel *panel;
    struct bs_box box;
    double pitch; /* of the banks */
    uint32_t banks;
};

static const double head = 1.9; /* of what a chart says first, in units */

static struct chart chart_of(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                             uint32_t banks)
{
    const struct bs_panel *place = panel->place;
    const double top = place->remark.y + head * place->unit;
    const struct bs_box box = {place->cells.x, top, place->cells.width,
                               place->banks.y - 0.3 * place->unit - top};
    return (struct chart){pen, panel, box, box.width / banks, banks};
}

static void write_first(const struct chart *chart, const char *text)
{
    const struct bs_style style = {1.15, BS_REGULAR, BS_FAINT};
    const struct bs_box box = chart->panel->place->remark;
    bs_pen_fit(chart->pen, style, BS_LEFT, chart->box.x, box.y + box.height * 0.42,
               chart->box.width, text);
}

static void write_passes(const struct chart *chart, uint32_t passes, double height)
{
    const struct bs_pen *pen = chart->pen;
    const uint32_t step = bs_label_step(height, 1.25 * pen->unit);
    for (uint32_t pass = 0; pass < passes; pass += step) {
        const bool now = pass == chart->panel->moment->pass;
        const struct bs_style style = {1.0, now ? BS_STRONG : BS_REGULAR, now ? BS_TEXT : BS_FAINT};
        char text[24];
        snprintf(text, sizeof text, pass ? "%u" : "pass %u", pass + 1);
        bs_pen_write(pen, style, BS_RIGHT, chart->box.x - 0.5 * pen->unit,
                     chart->box.y + (pass + 0.5) * height, text);
    }
}

/* ---- the heat map ---------------------------------------------------------------------------- */

static uint32_t most_lanes(const struct bs_schedule *schedule)
{
    uint32_t most = 1;
    for (size_t i = 0; i < schedule->service_count; i++) {
        const uint32_t lanes = bs_lanes_count(schedule->services[i].lanes);
        most = lanes > most ? lanes : most;
    }
    return most;
}

/* How far up the ramp a cell of some lanes is: one lane is well apart from none. */
static double heat(uint32_t lanes, uint32_t most)
{
    return most < 2 ? 0.7 : 0.35 + 0.65 * log(lanes) / log(most);
}

static void draw_cell(const struct chart *chart, struct bs_box cell, uint32_t lanes, uint32_t most)
{
    const struct bs_pen *pen = chart->pen;
    const double part = heat(lanes, most);
    const bool deep = pen->theme == &bs_theme_light ? part > 0.5 : part < 0.5;
    const struct bs_style style = {1.0, BS_REGULAR, deep ? BS_ON_DEEP : BS_ON_PALE};
    char text[16];
    bs_pen_colour(pen, bs_theme_ramp(pen->theme, part), 1);
    bs_pen_box(pen, cell);
    snprintf(text, sizeof text, "%u", lanes);
    const struct bs_point middle = bs_box_middle(cell);
    if (cell.height >= 1.15 * pen->unit && bs_pen_measure(pen, style, text) < cell.width)
        bs_pen_write(pen, style, BS_CENTRE, middle.x, middle.y, text);
}

static struct bs_box heat_cell(const struct chart *chart, uint32_t bank, uint32_t pass,
                               double height)
{
    const double gap = fmin(0.06 * chart->pen->unit, 0.06 * fmin(chart->pitch, height));
    return (struct bs_box){chart->box.x + bank * chart->pitch + gap,
                           chart->box.y + pass * height + gap, chart->pitch - 2 * gap,
                           height - 2 * gap};
}

/* The lanes that each bank serves in a pass, whatever their rows. */
static void draw_pass(const struct chart *chart, uint32_t pass, double height, uint32_t most)
{
    const struct bs_schedule *schedule = &chart->panel->scene->schedule;
    const struct bs_pass *now = &schedule->passes[pass];
    uint32_t lanes[BS_MAX_BANKS] = {0};
    for (uint32_t i = 0; i < now->count; i++) {
        const struct bs_service *service = &schedule->services[now->first + i];
        lanes[service->bank] += bs_lanes_count(service->lanes);
    }
    bs_pen_ink(chart->pen, BS_CELL, 1);
    for (uint32_t bank = 0; bank < chart->banks; bank++)
        if (!lanes[bank])
            bs_pen_box(chart->pen, heat_cell(chart, bank, pass, height));
    for (uint32_t bank = 0; bank < chart->banks; bank++)
        if (lanes[bank])
            draw_cell(chart, heat_cell(chart, bank, pass, height), lanes[bank], most);
}

/* A mark beside the pass that plays. */
static void draw_marker(const struct chart *chart, uint32_t pass, double height)
{
    const struct bs_pen *pen = chart->pen;
    const double thick = fmax(0.14 * pen->unit, 1.5);
    bs_pen_ink(pen, BS_NOW, 1);
    cairo_rectangle(pen->cairo, chart->box.x - thick / 2, chart->box.y + pass * height - thick / 2,
                    chart->box.width + thick, height + thick);
    cairo_set_line_width(pen->cairo, thick);
    cairo_stroke(pen->cairo);
}

void bs_paint_heat(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const uint32_t passes = bs_scene_passes(panel->scene);
    const struct chart chart = chart_of(pen, panel, panel->scene->banks);
    const double height = fmin(chart.box.height / (passes ? passes : 1), 2.2 * pen->unit);
    const uint32_t most = most_lanes(&panel->scene->schedule);
    char text[BS_CAPTION];
    snprintf(text, sizeof text, "lanes that each bank serves in each pass%s",
             most == 1                       ? ": one, or none"
             : pen->theme == &bs_theme_light ? "; darker is more"
                                             : "; brighter is more");
    write_first(&chart, text);
    for (uint32_t pass = 0; pass < passes; pass++)
        draw_pass(&chart, pass, height, most);
    if (panel->moment->time >= 0 && !panel->moment->over)
        draw_marker(&chart, panel->moment->pass, height);
    bs_paint_bank_names(pen, panel->place, chart.banks,
                        chart.box.y + passes * height + 1.1 * pen->unit);
    write_passes(&chart, passes, height);
}

/* ---- banks ----------------------------------------------------------------------------------- */

/* A line where all bars would end if the banks shared the work. */
static void draw_even(const struct chart *chart, double even, double height)
{
    char text[32];
    const struct bs_pen *pen = chart->pen;
    const double dash = 0.4 * pen->unit;
    const double y = chart->box.y + chart->box.height - height;
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    snprintf(text, sizeof text, even < 10 && even != floor(even) ? "even %.1f" : "even %.0f", even);
    if (bs_pen_measure(pen, style, text) >
        chart->box.x - 0.4 * pen->unit - chart->panel->place->whole.x)
        snprintf(text, sizeof text, "even");
    bs_pen_ink(pen, BS_FAINT, 1);
    cairo_set_dash(pen->cairo, &dash, 1, 0);
    cairo_move_to(pen->cairo, chart->box.x, y);
    cairo_line_to(pen->cairo, chart->box.x + chart->box.width, y);
    cairo_set_line_width(pen->cairo, fmax(1, 0.08 * pen->unit));
    cairo_stroke(pen->cairo);
    cairo_set_dash(pen->cairo, NULL, 0, 0);
    bs_pen_write(pen, style, BS_RIGHT, chart->box.x - 0.4 * pen->unit, y, text);
}

static void draw_bar(const struct chart *chart, uint32_t bank, double height, bool over)
{
    const struct bs_pen *pen = chart->pen;
    const double gap = 0.1 * chart->pitch;
    const struct bs_box bar = {chart->box.x + bank * chart->pitch + gap,
                               chart->box.y + chart->box.height - height, chart->pitch - 2 * gap,
                               height};
    bs_pen_ink(pen, over ? BS_NOW : BS_DONE, 1);
    bs_pen_box(pen, bar);
    if (over) { /* what colour says, hatch says too */
        bs_pen_ink(pen, BS_ON_NOW, 0.35);
        bs_pen_hatch(pen, bar, 0.6);
    }
}

/* The numbers of the scale, of which the even share keeps its place. */
static void write_uses(const struct chart *chart, double even)
{
    const struct bs_pen *pen = chart->pen;
    const struct bs_style style = {1.0, BS_REGULAR, BS_FAINT};
    const uint64_t most = chart->panel->most_uses;
    const double scale = most ? chart->box.height / (double)most : 0;
    const double apart = 1.4 * pen->unit;
    const uint64_t uses[] = {most, most / 2, 0};
    for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)uses[i]);
        if (fabs((double)uses[i] - even) * scale >= apart && (!i || uses[i] < uses[i - 1]))
            bs_pen_write(pen, style, BS_RIGHT, chart->box.x - 0.4 * pen->unit,
                         chart->box.y + chart->box.height - (double)uses[i] * scale, text);
    }
}

/* What is counted and what came of it, in as many words as there is room for. */
static void write_banks(const struct chart *chart, const struct bs_bank_range *range, double even)
{
    const struct bs_style style = {1.15, BS_REGULAR, BS_FAINT};
    const struct bs_bank_counts *counts = chart->panel->counts;
    const double times = even > 0 ? (double)range->most / even : 0;
    char text[BS_CAPTION];
    snprintf(text, sizeof text,
             "passes that use each bank, over %zu instruction%s%s; bank %u most, "
             "%.1f times the even share",
             counts->records, counts->records == 1 ? "" : "s",
             counts->kernel == BS_ALL_KERNELS ? "" : " of this kernel", range->most_bank, times);
    if (bs_pen_measure(chart->pen, style, text) > chart->box.width)
        snprintf(text, sizeof text, "passes of each bank; bank %u most, %.1f times even",
                 range->most_bank, times);
    if (bs_pen_measure(chart->pen, style, text) > chart->box.width)
        snprintf(text, sizeof text, "bank %u: %llu passes", range->most_bank,
                 (unsigned long long)range->most);
    write_first(chart, text);
}

void bs_paint_banks(const struct bs_pen *pen, const struct bs_painted_panel *panel)
{
    const struct bs_bank_counts *counts = panel->counts;
    const uint32_t banks = counts->model->banks;
    const struct bs_bank_range range = bs_bank_use_range(&counts->use, counts->model);
    const struct chart chart = chart_of(pen, panel, banks);
    const double even = (double)range.all / banks;
    const double scale = panel->most_uses ? chart.box.height / (double)panel->most_uses : 0;
    write_banks(&chart, &range, even);
    write_uses(&chart, even);
    for (uint32_t bank = 0; bank < banks; bank++) {
        const double uses = (double)counts->use.uses[bank];
        draw_bar(&chart, bank, uses * scale, uses > 1.05 * even);
    }
    if (range.all)
        draw_even(&chart, even, even * scale);
    bs_paint_bank_names(pen, panel->place, banks, bs_box_middle(panel->place->banks).y);
}
