/*
 * The one place that draws shapes and text on a cairo context. All text of the viewer goes through
 * it, so that a test can be told of every label: where it stands and how large it is.
 */
#ifndef BS_PEN_H
#define BS_PEN_H

#include "layout.h"
#include "theme.h"

#include <cairo.h>

/* A label as it was written. */
struct bs_label {
    struct bs_box box; /* the ink of its letters, as high as a capital */
    double size;       /* of the font */
    char text[48];     /* its beginning */
};

struct bs_pen {
    cairo_t *cairo;
    const struct bs_theme *theme;
    double unit;
    /* Called for every label, unless NULL. */
    void (*written)(void *user, const struct bs_label *label);
    void *user;
};

enum bs_weight { BS_REGULAR, BS_STRONG };
enum bs_align { BS_LEFT, BS_CENTRE, BS_RIGHT };

/* How text looks; the size is in units. */
struct bs_style {
    double size;
    enum bs_weight weight;
    enum bs_ink ink;
};

void bs_pen_ink(const struct bs_pen *pen, enum bs_ink ink, double alpha);
void bs_pen_colour(const struct bs_pen *pen, struct bs_colour colour, double alpha);

/* The width of a text. */
double bs_pen_measure(const struct bs_pen *pen, struct bs_style style, const char *text);

/* Writes a text whose capitals have their middle at the height y. Returns its width. */
double bs_pen_write(const struct bs_pen *pen, struct bs_style style, enum bs_align align, double x,
                    double y, const char *text);

/* The same, and a text that is wider than width ends with an ellipsis. */
double bs_pen_fit(const struct bs_pen *pen, struct bs_style style, enum bs_align align, double x,
                  double y, double width, const char *text);

/* Shapes; they are filled with what was set last. */
void bs_pen_box(const struct bs_pen *pen, struct bs_box box);
void bs_pen_circle(const struct bs_pen *pen, struct bs_point middle, double diameter);

/* Slanting lines over a box, so many units apart. */
void bs_pen_hatch(const struct bs_pen *pen, struct bs_box box, double apart);

#endif
