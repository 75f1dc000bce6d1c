/*
 * Pictures of scenes on any cairo context. A picture has two layers: what stays as it is for a
 * whole pass, which a window keeps, and what moves.
 */
#ifndef BS_PAINT_H
#define BS_PAINT_H

#include "banks.h"
#include "clock.h"
#include "motion.h"
#include "pen.h"
#include "sprites.h"

enum bs_view {
    BS_VIEW_SCENE,
    BS_VIEW_HEAT,   /* lanes by bank and pass */
    BS_VIEW_BANKS,  /* how often the whole trace asks each bank */
    BS_VIEW_KERNEL, /* how often the kernel of the instruction does */
    BS_VIEW_TIME,   /* the warps of its launch along the cycles */
    BS_VIEWS,
};
enum { BS_CAPTION = 160, BS_WORDS = 512, BS_MAX_BARS = 2048 };

/* The strip below: one bar for each pass of the only instruction, or for some instructions of a
 * trace. */
struct bs_strip {
    char caption[2 * BS_CAPTION];
    char model[BS_CAPTION]; /* what prices it */
    bool tracks;            /* bars are parts of a whole, which is drawn too */
    uint32_t count;
    uint32_t current; /* bar that is marked */
    uint32_t values[BS_MAX_BARS];
    uint32_t largest;
    double widest; /* of a bar, in units */
};

/* One scene with what is said about it. */
struct bs_painted_panel {
    const struct bs_panel *place;
    const struct bs_scene *scene;
    const struct bs_moment *moment;
    const struct bs_bank_counts *counts; /* of BS_VIEW_BANKS */
    uint64_t most_uses;                  /* of a bank, in all scenes: they share a scale */
    const struct bs_clock *clock;        /* of BS_VIEW_TIME */
    struct bs_cycles cycles;             /* that its axis shows */
    bool asks;                           /* nothing is told before all is over */
    size_t record;
    const char *caption; /* which model or layout; NULL for a lone scene */
    const char *pattern; /* where its lanes go, if that is where scenes differ; or NULL */
};

struct bs_picture {
    const struct bs_layout *layout;
    enum bs_view view;
    const char *title; /* op and pattern */
    const char *words; /* the same in words */
    struct bs_painted_panel panels[BS_MAX_PANELS];
    const struct bs_strip *strip;
};

/* Whether a scene may say what comes of it. */
static inline bool bs_panel_tells(const struct bs_painted_panel *panel)
{
    return !panel->asks || panel->moment->over;
}

void bs_paint_still(const struct bs_pen *pen, const struct bs_picture *picture);

/* sprites may be NULL: balls are then drawn as shapes, as vector formats want them. */
void bs_paint_moving(const struct bs_pen *pen, const struct bs_picture *picture,
                     struct bs_sprites *sprites);

/* The parts, each in a file of its own. */
void bs_paint_panel(const struct bs_pen *pen, const struct bs_painted_panel *panel);
/* Returns the widths that its two lines take from the right. */
struct bs_taken {
    double first, second;
};
struct bs_taken bs_paint_head(const struct bs_pen *pen, const struct bs_painted_panel *panel);
void bs_paint_lanes(const struct bs_pen *pen, const struct bs_painted_panel *panel);
void bs_paint_balls(const struct bs_pen *pen, const struct bs_painted_panel *panel,
                    struct bs_sprites *sprites);
void bs_paint_strip(const struct bs_pen *pen, struct bs_box box, const struct bs_strip *strip);
void bs_paint_legend(const struct bs_pen *pen, const struct bs_picture *picture);
void bs_paint_heat(const struct bs_pen *pen, const struct bs_painted_panel *panel);
void bs_paint_banks(const struct bs_pen *pen, const struct bs_painted_panel *panel);
void bs_paint_time(const struct bs_pen *pen, const struct bs_painted_panel *panel);
void bs_paint_time_marks(const struct bs_pen *pen, const struct bs_picture *picture);

/* The marks that a scene and its legend share: an inactive lane, and the ground of a cell. */
void bs_paint_inactive(const struct bs_pen *pen, struct bs_point middle, double diameter);
void bs_paint_cell(const struct bs_pen *pen, struct bs_box box, enum bs_cell_state state);

/* The numbers of the banks below a scene or a chart, with their middle at the height y. */
void bs_paint_bank_names(const struct bs_pen *pen, const struct bs_panel *place, uint32_t banks,
                         double y);

/* How many wait at which height of a queue, left of the queues, and lines at these heights. */
void bs_paint_queue_scale(const struct bs_pen *pen, const struct bs_panel *place);

/* The least step of 1, 2, 4, 8 ... at which names that wide do not touch. */
uint32_t bs_label_step(double pitch, double width);

/* The bar of the strip that stands at x; at least as many as there are, if none does. */
uint32_t bs_strip_bar_at(struct bs_box box, const struct bs_strip *strip, double unit, double x);

#endif
