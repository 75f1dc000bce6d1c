/*
 * Whether two pictures look the same: usage: picture-difference EXPECTED.png CAME.png DIFF.png
 *
 * Fonts are drawn a little differently by other versions of a library, so pixels are compared as
 * means of 4 by 4 blocks, and a few blocks may differ. A picture that shows where they do is
 * written if they do. Exit 0: the same; 1: not; 2: a picture cannot be read or written.
 */
#include <cairo.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4, TOLERANCE = 28, FEW = 12 };

static cairo_surface_t *read_picture(const char *path)
{
    cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
    if (cairo_surface_status(picture) == CAIRO_STATUS_SUCCESS)
        return picture;
    fprintf(stderr, "%s: %s\n", path, cairo_status_to_string(cairo_surface_status(picture)));
    exit(2);
}

static uint32_t pixel(cairo_surface_t *picture, int x, int y)
{
    uint32_t value;
    const unsigned char *data = cairo_image_surface_get_data(picture);
    memcpy(&value, data + (ptrdiff_t)y * cairo_image_surface_get_stride(picture) + 4 * (ptrdiff_t)x,
           sizeof value);
    return value;
}

static void mean(cairo_surface_t *picture, int left, int top, int sums[3])
{
    sums[0] = sums[1] = sums[2] = 0;
    for (int y = top; y < top + BLOCK; y++)
        for (int x = left; x < left + BLOCK; x++)
            for (int channel = 0; channel < 3; channel++)
                sums[channel] += (int)(pixel(picture, x, y) >> (8 * channel) & 255);
    for (int channel = 0; channel < 3; channel++)
        sums[channel] /= BLOCK * BLOCK;
}

static bool block_differs(cairo_surface_t *a, cairo_surface_t *b, int x, int y)
{
    int one[3];
    int other[3];
    mean(a, x, y, one);
    mean(b, x, y, other);
    for (int channel = 0; channel < 3; channel++)
        if (abs(one[channel] - other[channel]) > TOLERANCE)
            return true;
    return false;
}

/* Compares all whole blocks; those that differ are marked on cairo. */
static unsigned compare(cairo_surface_t *a, cairo_surface_t *b, cairo_t *cairo)
{
    unsigned count = 0;
    for (int y = 0; y + BLOCK <= cairo_image_surface_get_height(a); y += BLOCK)
        for (int x = 0; x + BLOCK <= cairo_image_surface_get_width(a); x += BLOCK) {
            if (!block_differs(a, b, x, y))
                continue;
            cairo_rectangle(cairo, x, y, BLOCK, BLOCK);
            count++;
        }
    return count;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: picture-difference EXPECTED.png CAME.png DIFF.png\n");
        return 2;
    }
    cairo_surface_t *expected = read_picture(argv[1]);
    cairo_surface_t *came = read_picture(argv[2]);
    const int width = cairo_image_surface_get_width(expected);
    const int height = cairo_image_surface_get_height(expected);
    if (width != cairo_image_surface_get_width(came) ||
        height != cairo_image_surface_get_height(came)) {
        printf("expected %d x %d pixels, came %d x %d\n", width, height,
               cairo_image_surface_get_width(came), cairo_image_surface_get_height(came));
        return 1;
    }
    cairo_surface_t *marked = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_t *cairo = cairo_create(marked);
    cairo_set_source_surface(cairo, came, 0, 0);
    cairo_paint(cairo);
    cairo_set_source_rgba(cairo, 1, 1, 1, 0.6); /* pale, so that the marks stand out */
    cairo_paint(cairo);
    const unsigned count = compare(expected, came, cairo);
    cairo_set_source_rgb(cairo, 0.9, 0, 0);
    cairo_fill(cairo);
    if (count > FEW) {
        printf("%u blocks of %d x %d pixels differ, more than %d\n", count, BLOCK, BLOCK, FEW);
        if (cairo_surface_write_to_png(marked, argv[3]) != CAIRO_STATUS_SUCCESS)
            return 2;
    }
    cairo_destroy(cairo);
    cairo_surface_destroy(marked);
    cairo_surface_destroy(came);
    cairo_surface_destroy(expected);
    return count > FEW;
}
