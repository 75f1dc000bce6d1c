/*
 * One instruction as a scene: its balls, what they wait for, and the rows of words that they go to.
 * All is read off a schedule; nothing is decided here, and nothing here knows how it is drawn.
 *
 * A *ball* is one lane's wish for one word of one bank, so a lane of a wide access has several. The
 * balls of one service travel together: they share a word and are served at once.
 */
#ifndef BS_SCENE_H
#define BS_SCENE_H

#include "bankshot.h"

/* What one bank does for some lanes at one time, with its place in the bank's queue. */
struct bs_errand {
    uint16_t bank;
    uint16_t phase;
    uint32_t row;   /* number of the row */
    uint32_t place; /* of the row in bs_scene.rows */
    uint64_t lanes;
    uint32_t arrives; /* pass before which its phase comes to the queues */
    uint32_t pass;    /* in which it is served */
    uint32_t last;    /* pass that repeats it last; the same if passes are not repeated */
    uint32_t turn;    /* how many errands the bank has before it */
    uint64_t losers;  /* lanes whose bytes do not stay, or nobody knows whether they do */
    bool undefined;   /* nobody knows which of them stay */
};

struct bs_ball {
    uint8_t lane;
    uint8_t part;    /* which of the lane's words it is, from 0 */
    uint32_t errand; /* index in bs_scene.errands */
};

/* A row that is shown. */
struct bs_scene_row {
    uint32_t number;
    bool wanted; /* by some lane; others are shown for company */
    bool apart;  /* rows between this one and the one above are not shown */
};

/* Start with {0}, build it as often as you like, free it once. It keeps no pointer to the access;
 * the model must stay. */
struct bs_scene {
    const struct bs_model *model;
    const struct bs_rule *rule; /* NULL for a barrier */
    struct bs_op op;
    uint64_t mask;   /* active lanes */
    uint64_t active; /* those whose addresses the op uses */
    uint32_t addr[BS_MAX_LANES];
    struct bs_schedule schedule;
    uint32_t banks; /* that the op reaches */
    uint32_t parts; /* the most balls that a lane has */
    uint8_t parts_of[BS_MAX_LANES];
    struct bs_errand *errands; /* by bank, then in the order of service */
    uint32_t errand_count;
    uint32_t first_errand[BS_MAX_BANKS + 1]; /* of each bank, in errands */
    struct bs_ball *balls;                   /* by errand, then by lane */
    uint32_t ball_count;
    uint32_t *first_ball;      /* of each errand, in balls; one more than there are errands */
    struct bs_scene_row *rows; /* ascending */
    uint32_t row_count;
    uint32_t longest_queue; /* errands that wait for one bank at a time */
    size_t errand_room, ball_room, first_room, row_room;
};

/* False when the model has no rule for the op or memory is out. The access is one that
 * bs_access_check accepts. */
bool bs_scene_build(struct bs_scene *scene, const struct bs_model *model,
                    const struct bs_access *access);
void bs_scene_free(struct bs_scene *scene);

/* Passes of the instruction, counting those that serve nothing. */
static inline uint32_t bs_scene_passes(const struct bs_scene *scene)
{
    return scene->schedule.cost.passes;
}

/* Errands that wait for a bank before a pass, and those that are left behind when it is over. */
uint32_t bs_scene_waiting(const struct bs_scene *scene, uint32_t bank, uint32_t pass);

/* The phase that a pass serves; of several, the first. */
uint32_t bs_scene_phase_at(const struct bs_scene *scene, uint32_t pass);

#endif
