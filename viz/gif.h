/* Animations as GIF files. Each frame keeps only what has changed. */
#ifndef BS_GIF_H
#define BS_GIF_H

#include "core/buffer.h"
#include "palette.h"

#include "bankshot.h"

struct bs_gif;

/* Starts an animation whose frames are all of that size, with a palette that has chosen at most
 * BS_GIF_COLOURS; the palette stays the caller's until the end. NULL when memory is out. */
enum { BS_GIF_COLOURS = BS_MAX_COLOURS - 1 };
struct bs_gif *bs_gif_open(int width, int height, struct bs_palette *palette);

/* Adds a frame that is shown for so many hundredths of a second. One that looks like the frame
 * before makes that last longer. False when memory is out. */
bool bs_gif_frame(struct bs_gif *gif, cairo_surface_t *surface, unsigned hundredths);

/* Ends the animation, which repeats for ever, writes it to a file and frees it all. False after
 * filling error. */
bool bs_gif_finish(struct bs_gif *gif, const char *path, struct bs_error *error);

/* Frees it all without writing anything. */
void bs_gif_drop(struct bs_gif *gif);

#endif
