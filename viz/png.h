/* Pictures as PNG files with a palette, which are small. */
#ifndef BS_PNG_H
#define BS_PNG_H

#include "core/buffer.h"

#include <cairo.h>

/* Adds the image surface as a PNG file of at most 256 colours. False when memory is out. */
bool bs_png_add(struct bs_buffer *file, cairo_surface_t *surface);

#endif
