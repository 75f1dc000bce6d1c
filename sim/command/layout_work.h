/*
 * What a search prices again and again: arrays, the accesses to them, and the visits, each kept
 * once with how often it comes. Layouts change neither.
 */
#ifndef BS_LAYOUT_WORK_H
#define BS_LAYOUT_WORK_H

#include "bankshot.h"
#include "sketch.h"

enum { BS_WORK_VISITS = 1 << 16 }; /* different ones, at most */

struct bs_work_visit {
    struct bs_visit visit; /* of no CTA and no warp; lanes that are not active are 0 */
    uint64_t times;
};

/* Start with {0}. arrays and accesses are the caller's and stay. */
struct bs_work {
    const struct bs_sketch_array *arrays;
    size_t array_count;
    const struct bs_sketch_access *accesses;
    size_t access_count;
    struct bs_work_visit *visits; /* once closed: those of an access together */
    size_t visit_count, visit_room;
    size_t *first;   /* by access: its first visit; one more at the end */
    uint32_t *table; /* of hashes: number of a visit from 1 */
    size_t table_room;
};

/* False, after filling error, if memory is out or there are too many different visits. */
bool bs_work_add(struct bs_work *work, const struct bs_visit *visit, struct bs_error *error);

/* All visits have been added. */
bool bs_work_close(struct bs_work *work, struct bs_error *error);

/* All visits of a sketch: closes the work. */
bool bs_work_of_sketch(struct bs_work *work, const struct bs_sketch *sketch,
                       struct bs_error *error);
void bs_work_free(struct bs_work *work);

/* What an access costs under a layout, all visits together. */
struct bs_work_cost {
    struct bs_issue issue; /* count 0: it cannot be issued, and the rest is 0 */
    uint64_t instructions, passes, slots, ideal;
    uint64_t excess; /* passes above the ideal, of the instructions that have any */
    uint32_t notes;  /* BS_NOTE_... */
};

/* False if no instruction can do the access under the layout, or the model has no rule for the one
 * that would. */
bool bs_work_price(const struct bs_work *work, const struct bs_model *model, size_t access,
                   const struct bs_layout *layout, struct bs_work_cost *cost);

/* The most different steps from one active lane's element to the next's that a visit of the access
 * has: 1 of a constant stride, a few of a swizzle, nearly as many as lanes where data decide. */
uint32_t bs_work_steps(const struct bs_work *work, size_t access);

/* The different visits to an array. */
uint64_t bs_work_effort(const struct bs_work *work, size_t array);

#endif
