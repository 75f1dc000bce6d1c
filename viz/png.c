/* Writing PNG: a header, the palette, the rows deflated, an end. */
#include "png.h"

#include "palette.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void put32(unsigned char out[4], uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (24 - 8 * i));
}

static void add_chunk(struct bs_buffer *file, const char *name, const unsigned char *data,
                      size_t size)
{
    unsigned char word[4];
    put32(word, (uint32_t)size);
    bs_buffer_add(file, word, sizeof word);
    bs_buffer_add(file, name, 4);
    bs_buffer_add(file, data, size);
    uLong sum = crc32(0, (const Bytef *)name, 4);
    if (size)
        sum = crc32(sum, data, (uInt)size);
    put32(word, (uint32_t)sum);
    bs_buffer_add(file, word, sizeof word);
}

/* The rows as numbers of colours, each after the number of its filter, which is none. */
static unsigned char *rows_of(cairo_surface_t *surface, struct bs_palette *palette, int width,
                              int height)
{
    unsigned char *rows = malloc(((size_t)width + 1) * (size_t)height);
    uint32_t *row = malloc((size_t)width * sizeof *row);
    unsigned char *at = rows;
    for (int y = 0; rows && row && y < height; y++) {
        bs_palette_row(surface, y, width, row);
        *at++ = 0;
        for (int x = 0; x < width; x++)
            *at++ = bs_palette_nearest(palette, row[x]);
    }
    free(row);
    if (!row) {
        free(rows);
        return NULL;
    }
    return rows;
}

static bool add_rows(struct bs_buffer *file, cairo_surface_t *surface, struct bs_palette *palette,
                     int width, int height)
{
    const uLong size = ((uLong)width + 1) * (uLong)height;
    uLongf packed_size = compressBound(size);
    unsigned char *rows = rows_of(surface, palette, width, height);
    unsigned char *packed = malloc(packed_size);
    const bool good =
        rows && packed && compress2(packed, &packed_size, rows, size, Z_BEST_COMPRESSION) == Z_OK;
    if (good)
        add_chunk(file, "IDAT", packed, packed_size);
    free(rows);
    free(packed);
    return good;
}

static void add_head(struct bs_buffer *file, const struct bs_palette *palette, int width,
                     int height)
{
    unsigned char head[13] = {[8] = 8, [9] = 3}; /* 8 bits that choose from a palette */
    unsigned char colours[3 * BS_MAX_COLOURS];
    put32(head, (uint32_t)width);
    put32(head + 4, (uint32_t)height);
    for (unsigned i = 0; i < palette->count; i++)
        for (unsigned channel = 0; channel < 3; channel++)
            colours[3 * i + channel] = (unsigned char)(palette->colours[i] >> (16 - 8 * channel));
    bs_buffer_add(file, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(file, "IHDR", head, sizeof head);
    add_chunk(file, "PLTE", colours, 3 * (size_t)palette->count);
}

bool bs_png_add(struct bs_buffer *file, cairo_surface_t *surface)
{
    const int width = cairo_image_surface_get_width(surface);
    const int height = cairo_image_surface_get_height(surface);
    struct bs_palette palette = {0};
    bool good = bs_palette_see(&palette, surface) && bs_palette_choose(&palette, BS_MAX_COLOURS);
    if (good) {
        add_head(file, &palette, width, height);
        good = add_rows(file, surface, &palette, width, height);
        add_chunk(file, "IEND", NULL, 0);
    }
    bs_palette_free(&palette);
    return good && !file->failed;
}
