/*
 * A scene at one time: where every ball is, how far the queues have sunk, what the cells show.
 *
 * Time counts in passes. Pass p plays from p to p + 1: the balls of the pass fall, lie in their
 * cells, and are taken in, while the queues sink by a place. Before pass 0, from -1 on, the first
 * phase comes down from the row of lanes; a later phase does so just before its first pass.
 */
#ifndef BS_MOTION_H
#define BS_MOTION_H

#include "layout.h"

/* The part of a pass at which its balls lie in their cells and nothing moves: for stills. */
#define BS_STILL 0.66

enum bs_stage {
    BS_AT_HOME,  /* in the row of lanes: its phase is still to come */
    BS_ARRIVING, /* on its way to the queue */
    BS_QUEUED,
    BS_FALLING,
    BS_LANDED,
    BS_BOUNCING, /* thrown out by another lane that writes the same bytes */
};

/* A ball to be drawn, or several that have merged. */
struct bs_moving {
    struct bs_point at;
    double size;   /* diameter */
    double alpha;  /* 1: solid */
    uint8_t stage; /* enum bs_stage */
    uint8_t lane;  /* the lowest, where several are merged */
    uint8_t lanes; /* how many are merged into it */
    uint8_t part;  /* the word of a wide access */
    uint8_t parts; /* how many that lane has */
    bool numbered; /* whether its number can be seen */
};

enum bs_cell_state {
    BS_CELL_OPEN,      /* its row is being opened: a ball falls or has landed there */
    BS_CELL_SERVED,    /* in an earlier pass, or a moment ago */
    BS_CELL_UNDEFINED, /* and nobody knows what is in it now */
    BS_CELL_WON,       /* several wrote it, one by the model's policy stays */
};

struct bs_cell_mark {
    uint16_t bank;
    uint32_t place; /* of the row, in bs_scene.rows */
    uint8_t state;  /* enum bs_cell_state */
    uint8_t lane;   /* served last, or the winner */
    uint8_t lanes;  /* how many that service served */
    bool covered;   /* a ball lies on it */
};

enum bs_lane_state {
    BS_LANE_INACTIVE,
    BS_LANE_HOME, /* its phase is still to come */
    BS_LANE_OUT,  /* some of its balls are on their way or wait */
    BS_LANE_SERVED,
    BS_LANE_LOST,    /* its bytes do not stay, or nobody knows whether they do */
    BS_LANE_DROPPED, /* an async copy that is not made */
};

/* Start with {0}, fill it as often as you like, free it once. */
struct bs_moment {
    double time;
    uint32_t pass; /* the one that plays, from 0; the number of passes when all is over */
    bool over;
    uint32_t phase;
    struct bs_moving *balls; /* to be drawn in this order */
    uint32_t ball_count;
    struct bs_cell_mark *cells;
    uint32_t cell_count;
    uint8_t lanes[BS_MAX_LANES]; /* enum bs_lane_state */
    uint8_t parts_served[BS_MAX_LANES];
    uint32_t waiting[BS_MAX_BANKS]; /* errands in each queue, those that fall not counted */
    double queue_top[BS_MAX_BANKS]; /* height at which each queue ends above */
    size_t ball_room, cell_room;
};

/* False when memory is out. time is at least -1; after the last pass all is over. */
bool bs_moment_make(struct bs_moment *moment, const struct bs_scene *scene,
                    const struct bs_panel *panel, double time);
void bs_moment_free(struct bs_moment *moment);

/* 0 to 1 with a slow start and a slow end. */
double bs_ease(double part);

#endif
