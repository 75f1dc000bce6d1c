/* Palettes by median cut: the colours seen are divided into boxes, always the box with the most
 * pixels times its longest side, and each box is stood for by its most frequent colour, so that
 * flat areas keep theirs exactly. */
#include "palette.h"

#include <stdlib.h>
#include <string.h>

struct bs_seen {
    uint32_t colour;
    uint32_t count;  /* 0: free */
    int16_t nearest; /* in the palette; -1: not asked yet */
};

enum { FIRST_ROOM = 4096 };

/* ---- the table ------------------------------------------------------------------------------- */

static struct bs_seen *slot_of(struct bs_seen *seen, size_t room, uint32_t colour)
{
    size_t at = (colour * UINT32_C(2654435769)) % room;
    while (seen[at].count && seen[at].colour != colour)
        at = (at + 1) % room;
    return &seen[at];
}

static bool enlarge(struct bs_palette *palette)
{
    const size_t room = palette->room ? palette->room * 2 : FIRST_ROOM;
    struct bs_seen *seen = calloc(room, sizeof *seen);
    if (!seen)
        return false;
    for (size_t i = 0; i < palette->room; i++)
        if (palette->seen[i].count)
            *slot_of(seen, room, palette->seen[i].colour) = palette->seen[i];
    free(palette->seen);
    palette->seen = seen;
    palette->room = room;
    return true;
}

/* The entry of a colour, new ones with a count of 0; NULL when memory is out. */
static struct bs_seen *entry_of(struct bs_palette *palette, uint32_t colour)
{
    if (palette->used * 2 >= palette->room && !enlarge(palette))
        return NULL;
    struct bs_seen *entry = slot_of(palette->seen, palette->room, colour);
    if (!entry->count) {
        *entry = (struct bs_seen){.colour = colour, .nearest = -1};
        palette->used++;
    }
    return entry;
}

void bs_palette_row(cairo_surface_t *surface, int y, int width, uint32_t *row)
{
    const unsigned char *data = cairo_image_surface_get_data(surface);
    memcpy(row, data + (ptrdiff_t)y * cairo_image_surface_get_stride(surface),
           (size_t)width * sizeof *row);
    for (int x = 0; x < width; x++)
        row[x] &= 0xffffff;
}

static bool see_row(struct bs_palette *palette, const uint32_t *row, int width)
{
    for (int x = 0; x < width;) {
        const uint32_t colour = row[x];
        uint32_t run = 0;
        for (; x < width && row[x] == colour; x++)
            run++;
        struct bs_seen *entry = entry_of(palette, colour);
        if (!entry)
            return false;
        entry->count += run;
    }
    return true;
}

bool bs_palette_see(struct bs_palette *palette, cairo_surface_t *surface)
{
    const int width = cairo_image_surface_get_width(surface);
    const int height = cairo_image_surface_get_height(surface);
    uint32_t *row = malloc((size_t)width * sizeof *row);
    bool seen = row;
    cairo_surface_flush(surface);
    for (int y = 0; seen && y < height; y++) {
        bs_palette_row(surface, y, width, row);
        seen = see_row(palette, row, width);
    }
    free(row);
    return seen;
}

/* ---- median cut ------------------------------------------------------------------------------ */

struct box {
    size_t first, count; /* of its colours in the list */
    unsigned channel;    /* the longest side: a shift of 16, 8 or 0 */
    double worth;        /* of being divided */
};

static unsigned part(uint32_t colour, unsigned channel)
{
    return colour >> channel & 255;
}

static void measure(struct box *box, const struct bs_seen *list)
{
    double pixels = 0;
    unsigned longest = 0;
    box->channel = 0;
    for (unsigned channel = 0; channel <= 16; channel += 8) {
        unsigned least = 255;
        unsigned largest = 0;
        for (size_t i = box->first; i < box->first + box->count; i++) {
            const unsigned value = part(list[i].colour, channel);
            least = value < least ? value : least;
            largest = value > largest ? value : largest;
        }
        if (largest - least > longest) {
            longest = largest - least;
            box->channel = channel;
        }
    }
    for (size_t i = box->first; i < box->first + box->count; i++)
        pixels += list[i].count > 400 ? 400 : list[i].count; /* large areas need no more shades */
    box->worth = box->count > 1 ? pixels * longest : 0;
}

static int by_red(const void *a, const void *b)
{
    return (int)part(((const struct bs_seen *)a)->colour, 16) -
           (int)part(((const struct bs_seen *)b)->colour, 16);
}

static int by_green(const void *a, const void *b)
{
    return (int)part(((const struct bs_seen *)a)->colour, 8) -
           (int)part(((const struct bs_seen *)b)->colour, 8);
}

static int by_blue(const void *a, const void *b)
{
    return (int)part(((const struct bs_seen *)a)->colour, 0) -
           (int)part(((const struct bs_seen *)b)->colour, 0);
}

/* Divides a box at the middle of its longest side; the second half goes to other. */
static void divide(struct box *box, struct box *other, struct bs_seen *list)
{
    qsort(list + box->first, box->count, sizeof *list,
          box->channel == 16  ? by_red
          : box->channel == 8 ? by_green
                              : by_blue);
    const unsigned least = part(list[box->first].colour, box->channel);
    const unsigned largest = part(list[box->first + box->count - 1].colour, box->channel);
    size_t half = 1;
    while (half < box->count - 1 &&
           part(list[box->first + half].colour, box->channel) * 2 <= least + largest)
        half++;
    *other = (struct box){.first = box->first + half, .count = box->count - half};
    box->count = half;
    measure(box, list);
    measure(other, list);
}

static uint32_t most_frequent(const struct box *box, const struct bs_seen *list)
{
    size_t best = box->first;
    for (size_t i = box->first; i < box->first + box->count; i++)
        if (list[i].count > list[best].count)
            best = i;
    return list[best].colour;
}

static void cut(struct bs_palette *palette, struct bs_seen *list, size_t count, unsigned most)
{
    struct box boxes[BS_MAX_COLOURS] = {{.first = 0, .count = count}};
    unsigned used = 1;
    measure(&boxes[0], list);
    while (used < most) {
        unsigned best = 0;
        for (unsigned i = 1; i < used; i++)
            if (boxes[i].worth > boxes[best].worth)
                best = i;
        if (boxes[best].worth <= 0)
            break;
        divide(&boxes[best], &boxes[used++], list);
    }
    palette->count = used;
    for (unsigned i = 0; i < used; i++)
        palette->colours[i] = most_frequent(&boxes[i], list);
}

bool bs_palette_choose(struct bs_palette *palette, unsigned most)
{
    struct bs_seen *list = malloc((palette->used + 1) * sizeof *list);
    size_t count = 0;
    if (!list)
        return false;
    for (size_t i = 0; i < palette->room; i++)
        if (palette->seen[i].count)
            list[count++] = palette->seen[i];
    palette->count = 0;
    if (count)
        cut(palette, list, count, most < BS_MAX_COLOURS ? most : BS_MAX_COLOURS);
    free(list);
    return true;
}

/* ---- asking ---------------------------------------------------------------------------------- */

static unsigned distance(uint32_t a, uint32_t b)
{
    unsigned sum = 0;
    for (unsigned channel = 0; channel <= 16; channel += 8) {
        const int apart = (int)part(a, channel) - (int)part(b, channel);
        sum += (unsigned)(apart * apart);
    }
    return sum;
}

uint8_t bs_palette_nearest(struct bs_palette *palette, uint32_t colour)
{
    struct bs_seen *entry = entry_of(palette, colour);
    if (entry && entry->count && entry->nearest >= 0)
        return (uint8_t)entry->nearest;
    unsigned best = 0;
    for (unsigned i = 1; i < palette->count; i++)
        if (distance(colour, palette->colours[i]) < distance(colour, palette->colours[best]))
            best = i;
    if (entry) {
        entry->count = entry->count ? entry->count : 1;
        entry->nearest = (int16_t)best;
    }
    return (uint8_t)best;
}

void bs_palette_free(struct bs_palette *palette)
{
    free(palette->seen);
    *palette = (struct bs_palette){0};
}
