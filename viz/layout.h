/*
 * Where everything stands in a picture of a given size: the rectangles of the whole, and the places
 * of lanes, queues and cells in each scene. Scenes that stand side by side share one measure, so
 * that the heights of their queues can be compared.
 *
 * Sizes are given in units: a unit is 1/45 of the picture's height, the smallest text there is.
 */
#ifndef BS_LAYOUT_H
#define BS_LAYOUT_H

#include "scene.h"

enum { BS_MAX_PANELS = 4, BS_UNITS_HIGH = 45 };

/* Height of the wires from the lanes to their banks, in units. */
#define BS_WIRES 2.4

struct bs_point {
    double x, y;
};

struct bs_box {
    double x, y, width, height;
};

/* The place of one scene. */
struct bs_panel {
    struct bs_box whole;
    struct bs_box head;   /* pass counter and numbers */
    struct bs_box remark; /* the phase, and why it takes its passes */
    struct bs_box lanes;
    struct bs_box queue; /* its bottom is where queues stand */
    struct bs_box cells;
    struct bs_box banks; /* their numbers */
    double unit;
    bool narrow; /* its head takes three lines, and there is no remark */
    uint32_t lane_count;
    uint32_t lanes_a_line;
    double lane_pitch, line_pitch;
    double lane_size; /* diameter of a ball in the row of lanes */
    uint32_t bank_count;
    double bank_pitch;
    double bank_room;  /* from one bank that is asked to the next, at least a pitch */
    double ball_size;  /* diameter of a ball above and in the banks */
    double queue_foot; /* middle of the lowest place of a queue above its floor; as all scenes */
    double queue_step; /* from one place of a queue to the next; as all scenes */
    uint32_t deepest;  /* the longest queue of all scenes */
    uint32_t row_count;
    double row_pitch;
    double row_gap; /* above rows that stand apart */
};

struct bs_layout {
    double width, height;
    double unit;
    struct bs_box title;  /* op and pattern, and the same in words */
    struct bs_box legend; /* what the marks mean; without height if there is no room or no wish */
    struct bs_box strip;  /* time line; without height if there is none */
    struct bs_box bar;    /* the values below it that a window lets one change; likewise */
    struct bs_box
        note; /* where a window says something: over the strip's words, or above the bar */
    uint32_t panel_count;
    struct bs_panel panels[BS_MAX_PANELS];
};

/* What stands below the scenes: bits. */
enum { BS_WITH_STRIP = 1, BS_WITH_BAR = 2, BS_WITH_LEGEND = 4 };

/* For 1 to BS_MAX_PANELS scenes that are shown side by side. A legend that would take the room of
 * the queues is left out. */
void bs_layout_make(struct bs_layout *layout, double width, double height,
                    const struct bs_scene *const *scenes, uint32_t count, unsigned below);

/* The middle of a lane's place in the row of lanes. */
struct bs_point bs_panel_lane(const struct bs_panel *panel, uint32_t lane);

/* The middle of a ball at a place in the queue of a bank; 0 is next to be served. */
struct bs_point bs_panel_queue(const struct bs_panel *panel, uint32_t bank, double place);

/* The cell of a bank in the scene's row of that place. */
struct bs_box bs_panel_cell(const struct bs_panel *panel, const struct bs_scene *scene,
                            uint32_t bank, uint32_t place);

static inline struct bs_point bs_box_middle(struct bs_box box)
{
    return (struct bs_point){box.x + box.width / 2, box.y + box.height / 2};
}

#endif
