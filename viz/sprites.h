/* How balls look, and pictures of them that are kept so that a ball is drawn once and then only
 * copied. */
#ifndef BS_SPRITES_H
#define BS_SPRITES_H

#include "pen.h"

/* What a ball looks like at rest. */
struct bs_ball_look {
    uint8_t ink; /* enum bs_ink of its body */
    uint8_t lane;
    uint8_t lanes; /* merged into it */
    uint8_t part, parts;
    bool numbered;
};

/* Draws a ball as a shape. widest: what it may take from side to side when it is merged. */
void bs_ball_draw(const struct bs_pen *pen, const struct bs_ball_look *look, struct bs_point middle,
                  double diameter, double widest, double alpha);

/* Start with {0}; forget them when the size or the theme changes. */
struct bs_sprites {
    struct bs_sprite *list;
    size_t count;
    size_t room;
};
void bs_sprites_forget(struct bs_sprites *sprites);

/* Copies the ball's picture, which is drawn when it is not there yet. */
void bs_sprites_draw(struct bs_sprites *sprites, const struct bs_pen *pen,
                     const struct bs_ball_look *look, struct bs_point middle, double diameter,
                     double widest, double alpha);

#endif
