/*
 * Pictures of a showing that follow one another quickly. What stays as it is for a while is kept as
 * a picture of its own, and balls are kept as sprites, so that a frame is mostly copying.
 */
#ifndef BS_FRAME_H
#define BS_FRAME_H

#include "show.h"

/* Start with {0}, free once. */
struct bs_frames {
    cairo_surface_t *still; /* what does not move */
    uint64_t key;           /* of what it shows */
    double unit;            /* of the sprites, with their theme */
    const struct bs_theme *theme;
    struct bs_sprites sprites;
};

/* Draws the show as it is now on an image surface of its size. False when memory is out. */
bool bs_frames_draw(struct bs_frames *frames, const struct bs_show *show, cairo_surface_t *to);
void bs_frames_free(struct bs_frames *frames);

#endif
