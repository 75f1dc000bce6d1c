/* The picture of a schedule: for every pass, which lane meets which row in which bank. */
#ifndef BS_PICTURE_H
#define BS_PICTURE_H

#include "verdict.h"

/* Draws all passes; unless all is set, long stretches of passes that look alike are shortened, with
 * a line that says how many were left out. */
void bs_picture_draw(const struct bs_verdict *verdict, const struct bs_screen *screen, bool all,
                     struct bs_spool *out);

#endif
