/* The few colours that a picture or an animation is reduced to, for small files. */
#ifndef BS_PALETTE_H
#define BS_PALETTE_H

#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BS_MAX_COLOURS = 256 };

/* Start with {0}, see some pictures, choose once, then ask; free it in the end. Colours are
 * 0xrrggbb. */
struct bs_palette {
    uint32_t colours[BS_MAX_COLOURS];
    unsigned count;
    struct bs_seen *seen; /* a hash table */
    size_t room, used;
};

/* Counts the colours of an image surface. False when memory is out. */
bool bs_palette_see(struct bs_palette *palette, cairo_surface_t *surface);

/* Chooses at most so many of the colours seen. False when memory is out. */
bool bs_palette_choose(struct bs_palette *palette, unsigned most);

/* The number of the nearest colour in the palette. */
uint8_t bs_palette_nearest(struct bs_palette *palette, uint32_t colour);
void bs_palette_free(struct bs_palette *palette);

/* One row of an image surface as 0xrrggbb. */
void bs_palette_row(cairo_surface_t *surface, int y, int width, uint32_t *row);

#endif
