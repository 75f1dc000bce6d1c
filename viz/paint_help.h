/* What lies over the picture. */
#ifndef BS_PAINT_HELP_H
#define BS_PAINT_HELP_H

#include "pen.h"
#include "player.h"

/* All keys, on one screen. */
void bs_paint_help(const struct bs_pen *pen, const struct bs_layout *layout);

/* A line in the middle. */
void bs_paint_note(const struct bs_pen *pen, const struct bs_layout *layout, const char *note);

/* A question and the line that is being typed. */
void bs_paint_line(const struct bs_pen *pen, const struct bs_layout *layout, const char *question,
                   const char *line);

#endif
