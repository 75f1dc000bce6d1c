/*
 * Calibration: a device is asked, and what it answers becomes a device model.
 *
 *     gauge ──geometry──> banks ──search, op by op──> rules ──loops──> timing ──> model
 */
#ifndef BS_CALIBRATE_H
#define BS_CALIBRATE_H

#include "core/buffer.h"
#include "geometry.h"
#include "search.h"
#include "timing.h"

struct bs_calibration {
    /* What to do: set by the caller. */
    struct bs_gauge *gauge; /* open; stays the caller's */
    const char *name;       /* of the model */
    const char *ops;        /* pattern of the ops to look at; NULL: all */
    size_t patterns;        /* fresh ones that each rule has to predict */
    uint64_t seed;
    /* Called before each step, with what it is about, how many are done and how many there may be;
     * may be NULL. */
    void (*step)(void *user, const char *what, size_t done, size_t all);
    void *user;

    /* What came of it. */
    struct bs_geometry_finding geometry;
    struct bs_finding findings[BS_OPS]; /* of the ops that the device offers */
    size_t finding_count;
    bool timed;
    struct bs_timing_finding timing; /* the caller frees it */
    struct bs_model model;
    struct bs_rule rules[BS_OPS]; /* those of the model */
};

/* False after filling error if the device could not be asked, or has no banks that the model
 * language can describe. */
bool bs_calibrate(struct bs_calibration *calibration, struct bs_error *error);

/* The model as a file, with a head that says how it was made. NULL when memory is out; the caller
 * frees it. */
char *bs_calibration_yaml(const struct bs_calibration *calibration);

/* The loops that were timed, as tab-separated columns: kind, body, warps, rotate, iterations of a
 * body, slots of the eight accesses, measured cycles, those of the engine. */
void bs_calibration_loops(const struct bs_calibration *calibration, struct bs_buffer *out);

/* In which ops, and whether in the geometry, the calibrated rules differ from a model's: how many
 * ops were compared, and those that differ. */
struct bs_comparison {
    bool geometry_differs;
    size_t compared;
    struct bs_op differing[BS_OPS];
    size_t differing_count;
};
void bs_calibration_compare(const struct bs_calibration *calibration, const struct bs_model *model,
                            struct bs_comparison *comparison);

#endif
