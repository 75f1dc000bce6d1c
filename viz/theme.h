/* The colours of the viewer: calm, told apart by the colour-blind, in a dark and a light set. What
 * a colour says, a shape or a hatch says too. */
#ifndef BS_THEME_H
#define BS_THEME_H

enum bs_ink {
    BS_PAPER,      /* the ground of everything */
    BS_TEXT,       /* what is to be read */
    BS_FAINT,      /* what is there to be looked up */
    BS_LINE,       /* thin lines, empty places */
    BS_CELL,       /* an empty cell */
    BS_WAITING,    /* a lane that waits */
    BS_ON_WAITING, /* text on it */
    BS_NOW,        /* what this pass serves */
    BS_ON_NOW,
    BS_DONE, /* what has been served */
    BS_ON_DONE,
    BS_TROUBLE, /* conflicts, undefined bytes */
    BS_ON_DEEP, /* text on the strong and on the weak colours of the ramp */
    BS_ON_PALE,
    BS_GOOD_TEXT, /* text about no conflicts */
    BS_BAD_TEXT,  /* text about conflicts */
    BS_INKS,
};

struct bs_colour {
    double red, green, blue;
};

enum { BS_RAMP = 6 };

struct bs_theme {
    const char *name;
    struct bs_colour inks[BS_INKS];
    struct bs_colour ramp[BS_RAMP]; /* from few to many, told apart by lightness alone */
};

extern const struct bs_theme bs_theme_light;
extern const struct bs_theme bs_theme_dark;

/* A colour of the ramp; part is from 0 to 1. */
struct bs_colour bs_theme_ramp(const struct bs_theme *theme, double part);

#endif
