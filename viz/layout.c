/* Layouts: heights are dealt out from the top; what scenes share is measured over all of them. */
#include "layout.h"

#include <math.h>

/* In units. */
static const double margin = 1.2;
static const double gutter = 4.2;             /* left of lanes and banks, for their names */
static const double title_height = 4.4;       /* two lines */
static const double short_title_height = 2.9; /* one line, where scenes have heads of their own */
static const double strip_height = 4.6;
static const double bar_height = 2.2;
static const double note_height = 1.8;
static const double legend_height = 1.5;
static const double least_step = 0.12;      /* of queues beside a legend */
static const double head_height = 4.2;      /* of a panel that has its own */
static const double tall_head_height = 6.2; /* of one that is narrow */
static const double narrow = 30;
static const double remark_height = 1.9;
static const double line_gap = 0.45;   /* between lines of lanes */
static const double least_lane = 1.65; /* pitch of lanes whose numbers can be read */
static const double largest_ball = 2.1;
static const double dense_ball =
    1.5; /* where lanes stand in many lines, which leaves little room */
static const double dense_gap = 0.25;
enum { DENSE = 3 /* lines that are many */ };
static const double least_wires = BS_WIRES + 1.5; /* and what says how long a queue is */
static const double cells_gap = 0.35;             /* above and below the cells */
static const double queue_pitch = 1.04;           /* of balls in a queue that is not too long */
static const double row_gap = 0.5;                /* of a row, above one that stands apart */
static const double wanted_row = 1.9;
static const double banks_height = 1.7;
static const double roundness = 0.86; /* of a pitch that a ball takes */

/* What the scenes of a picture need, at most. */
struct needs {
    uint32_t queue;
    uint32_t rows;
    uint32_t gaps; /* between rows that stand apart */
};

static struct needs needs_of(const struct bs_scene *const *scenes, uint32_t count)
{
    struct needs needs = {.queue = 1, .rows = 1};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t gaps = 0;
        for (uint32_t row = 0; row < scenes[i]->row_count; row++)
            gaps += scenes[i]->rows[row].apart;
        needs.queue =
            scenes[i]->longest_queue > needs.queue ? scenes[i]->longest_queue : needs.queue;
        needs.rows = scenes[i]->row_count > needs.rows ? scenes[i]->row_count : needs.rows;
        needs.gaps = gaps > needs.gaps ? gaps : needs.gaps;
    }
    return needs;
}

/* Cuts a box of that height off the top of what is left. */
static struct bs_box cut(struct bs_box *rest, double height)
{
    const struct bs_box top = {rest->x, rest->y, rest->width, height};
    rest->y += height;
    rest->height -= height;
    return top;
}

static double lines_of(const struct bs_panel *panel)
{
    return ceil((double)panel->lane_count / panel->lanes_a_line);
}

/* Lanes stand in as few lines as let their numbers be read. */
static void place_lanes(struct bs_panel *panel, const struct bs_scene *scene, double width)
{
    uint32_t lines = 1;
    panel->lane_count = scene->model->lanes;
    while (lines < 8 && width * lines / panel->lane_count < least_lane * panel->unit)
        lines *= 2;
    panel->lanes_a_line = (panel->lane_count + lines - 1) / lines;
    panel->lane_pitch = width / panel->lanes_a_line;
    const bool dense = lines >= DENSE;
    panel->lane_size =
        fmin(panel->lane_pitch * roundness, (dense ? dense_ball : largest_ball) * panel->unit);
    panel->line_pitch = panel->lane_size + (dense ? dense_gap : line_gap) * panel->unit;
}

/* Where only some banks are asked, balls may be larger than the pitch of the banks. */
static uint32_t banks_apart(const struct bs_scene *scene)
{
    uint32_t apart = scene->banks;
    uint32_t before = UINT32_MAX;
    for (uint32_t bank = 0; bank < scene->banks; bank++) {
        if (scene->first_errand[bank] == scene->first_errand[bank + 1])
            continue;
        if (before != UINT32_MAX && bank - before < apart)
            apart = bank - before;
        before = bank;
    }
    return apart;
}

static void place_banks(struct bs_panel *panel, const struct bs_scene *scene, double width)
{
    panel->bank_count = scene->banks;
    panel->bank_pitch = width / panel->bank_count;
    panel->bank_room = panel->bank_pitch * banks_apart(scene);
    panel->ball_size = fmin(panel->bank_room * roundness,
                            (lines_of(panel) >= DENSE ? dense_ball : largest_ball) * panel->unit);
    panel->row_count = scene->row_count;
}

static double share_of_cells(double wanted, double queue, double room)
{
    return queue + wanted <= room ? wanted : fmax(fmin(wanted, room * 0.42), room - queue);
}

/* Deals the height below the lanes out to queues and cells. Around the cells there is room for
 * balls that are higher than a row. */
static void share_height(struct bs_panel *panel, struct needs needs, struct bs_box rest,
                         double ball)
{
    const double unit = panel->unit;
    const double names = banks_height * unit;
    const double most_queue = ball * (queue_pitch * (needs.queue - 1) + 1);
    const double rows = needs.rows + row_gap * needs.gaps;
    const double wanted = wanted_row * unit * rows;
    double room = rest.height - names - (least_wires + 2 * cells_gap) * unit;
    double cells = share_of_cells(wanted, most_queue, room);
    const double over = fmax(0, (ball - cells / rows) / 2);
    const double gap = cells_gap * unit + over;
    room -= 2 * over;
    cells = share_of_cells(wanted, most_queue, room);
    panel->queue = cut(&rest, rest.height - cells - 2 * gap - names);
    cut(&rest, gap);
    panel->cells = cut(&rest, cells);
    cut(&rest, gap);
    panel->banks = cut(&rest, names);
    panel->row_pitch = cells / rows;
    panel->row_gap = panel->row_pitch * row_gap;
    const double queue_room = fmax(0, panel->queue.height - least_wires * unit - ball);
    panel->deepest = needs.queue;
    panel->queue_foot = ball / 2;
    panel->queue_step =
        needs.queue > 1 ? fmin(queue_pitch * ball, queue_room / (needs.queue - 1)) : ball;
}

static void place_panel(struct bs_panel *panel, struct needs needs, double ball, double lines,
                        double line_pitch)
{
    struct bs_box rest = panel->whole;
    const double left = gutter * panel->unit;
    if (panel->head.height == 0) /* no place of its own was found for it */
        panel->head = cut(&rest, (panel->narrow ? tall_head_height : head_height) * panel->unit);
    panel->remark = cut(&rest, (panel->narrow ? 0.3 : remark_height) * panel->unit);
    rest.x += left;
    rest.width -= left;
    panel->lanes = cut(&rest, lines * line_pitch);
    share_height(panel, needs, rest, ball);
}

/* Cuts a box of that height, with a gap above it, off the bottom of what is left. */
static struct bs_box cut_below(struct bs_box *rest, double height, double gap)
{
    rest->height -= height + gap;
    return (struct bs_box){rest->x, rest->y + rest->height + gap, rest->width, height};
}

/* The bar lies lowest, then the strip; where there is none, a line for notes takes its place. */
static void place_below(struct bs_layout *layout, struct bs_box *rest, unsigned below)
{
    const double unit = layout->unit;
    if (below & BS_WITH_BAR)
        layout->bar = cut_below(rest, bar_height * unit, 0.6 * unit);
    if (below & BS_WITH_STRIP)
        layout->strip = cut_below(rest, strip_height * unit, 0.8 * unit);
    if (below & BS_WITH_LEGEND)
        layout->legend = cut_below(rest, legend_height * unit, 0.2 * unit);
    if (below & BS_WITH_STRIP)
        layout->note = layout->strip;
    else if (below & BS_WITH_BAR)
        layout->note = cut_below(rest, note_height * unit, 0.4 * unit);
    layout->note.height = note_height * unit;
}

static void make(struct bs_layout *layout, double width, double height,
                 const struct bs_scene *const *scenes, uint32_t count, unsigned below)
{
    const double unit = height / BS_UNITS_HIGH;
    const struct needs needs = needs_of(scenes, count);
    *layout =
        (struct bs_layout){.width = width, .height = height, .unit = unit, .panel_count = count};
    struct bs_box rest = {margin * unit, margin * unit, width - 2 * margin * unit,
                          height - 2 * margin * unit};
    layout->title = cut(&rest, (count > 1 ? short_title_height : title_height) * unit);
    place_below(layout, &rest, below);
    const double between = 2 * unit;
    const double each = (rest.width - between * (count - 1)) / count;
    double ball = 0;
    double lines = 1;
    double line_pitch = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct bs_panel *panel = &layout->panels[i];
        panel->unit = unit;
        panel->whole = (struct bs_box){rest.x + i * (each + between), rest.y, each, rest.height};
        panel->narrow = each < narrow * unit;
        place_lanes(panel, scenes[i], each - gutter * unit);
        place_banks(panel, scenes[i], each - gutter * unit);
        ball = fmax(ball, panel->ball_size);
        lines = fmax(lines, lines_of(panel));
        line_pitch = fmax(line_pitch, panel->line_pitch);
    }
    if (count == 1) /* beside the title, which leaves it room */
        layout->panels[0].head = layout->title;
    for (uint32_t i = 0; i < count; i++)
        place_panel(&layout->panels[i], needs, ball, lines, line_pitch);
}

void bs_layout_make(struct bs_layout *layout, double width, double height,
                    const struct bs_scene *const *scenes, uint32_t count, unsigned below)
{
    make(layout, width, height, scenes, count, below);
    if (below & BS_WITH_LEGEND && layout->panels[0].queue_step < least_step * layout->unit)
        make(layout, width, height, scenes, count, below & ~(unsigned)BS_WITH_LEGEND);
}

struct bs_point bs_panel_lane(const struct bs_panel *panel, uint32_t lane)
{
    const uint32_t line = lane / panel->lanes_a_line;
    const uint32_t column = lane % panel->lanes_a_line;
    return (struct bs_point){panel->lanes.x + (column + 0.5) * panel->lane_pitch,
                             panel->lanes.y + line * panel->line_pitch + panel->lane_size / 2};
}

struct bs_point bs_panel_queue(const struct bs_panel *panel, uint32_t bank, double place)
{
    return (struct bs_point){panel->queue.x + (bank + 0.5) * panel->bank_pitch,
                             panel->queue.y + panel->queue.height - panel->queue_foot -
                                 place * panel->queue_step};
}

struct bs_box bs_panel_cell(const struct bs_panel *panel, const struct bs_scene *scene,
                            uint32_t bank, uint32_t place)
{
    uint32_t gaps = 0;
    for (uint32_t i = 0; i <= place; i++)
        gaps += scene->rows[i].apart;
    return (struct bs_box){panel->cells.x + bank * panel->bank_pitch,
                           panel->cells.y + place * panel->row_pitch + gaps * panel->row_gap,
                           panel->bank_pitch, panel->row_pitch};
}
