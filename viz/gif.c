/* GIF animations with giflib: a frame is the box that has changed, and what has not changed in it
 * is transparent, which packs well. */
#include "gif.h"

#include "save.h"

#include <gif_lib.h>
#include <stdlib.h>
#include <string.h>

enum { CLEAR = BS_MAX_COLOURS - 1 /* the number that stands for transparent */ };

struct bs_gif {
    int width, height;
    struct bs_palette *palette;
    GifFileType *file;
    struct bs_buffer bytes;
    uint32_t *row;
    uint8_t *shown;   /* what is to be seen, as numbers of colours */
    uint8_t *pending; /* the frame that is next to be written, */
    unsigned delay;   /* and for how long it is to be seen */
    bool has_pending, has_shown;
    bool failed;
};

static int take_bytes(GifFileType *file, const GifByteType *bytes, int size)
{
    struct bs_gif *gif = file->UserData;
    bs_buffer_add(&gif->bytes, bytes, (size_t)size);
    return gif->bytes.failed ? 0 : size;
}

void bs_gif_drop(struct bs_gif *gif)
{
    int ignored;
    if (gif->file)
        EGifCloseFile(gif->file, &ignored);
    bs_buffer_free(&gif->bytes);
    free(gif->row);
    free(gif->shown);
    free(gif->pending);
    free(gif);
}

/* ---- starting -------------------------------------------------------------------------------- */

static ColorMapObject *colour_map(const struct bs_palette *palette)
{
    GifColorType colours[BS_MAX_COLOURS] = {{0, 0, 0}};
    for (unsigned i = 0; i < palette->count && i < CLEAR; i++)
        colours[i] = (GifColorType){(GifByteType)(palette->colours[i] >> 16),
                                    (GifByteType)(palette->colours[i] >> 8),
                                    (GifByteType)palette->colours[i]};
    return GifMakeMapObject(BS_MAX_COLOURS, colours);
}

/* The extension that every reader knows for "again and again". */
static bool put_loop(GifFileType *file)
{
    static const unsigned char forever[] = {1, 0, 0};
    return EGifPutExtensionLeader(file, APPLICATION_EXT_FUNC_CODE) == GIF_OK &&
           EGifPutExtensionBlock(file, 11, "NETSCAPE2.0") == GIF_OK &&
           EGifPutExtensionBlock(file, sizeof forever, forever) == GIF_OK &&
           EGifPutExtensionTrailer(file) == GIF_OK;
}

static bool start(struct bs_gif *gif)
{
    int ignored;
    ColorMapObject *map = colour_map(gif->palette);
    gif->file = EGifOpen(gif, take_bytes, &ignored);
    if (gif->file)
        EGifSetGifVersion(gif->file, true);
    const bool started =
        map && gif->file &&
        EGifPutScreenDesc(gif->file, gif->width, gif->height, 8, 0, map) == GIF_OK &&
        put_loop(gif->file);
    GifFreeMapObject(map);
    return started;
}

struct bs_gif *bs_gif_open(int width, int height, struct bs_palette *palette)
{
    const size_t pixels = (size_t)width * (size_t)height;
    struct bs_gif *gif = calloc(1, sizeof *gif);
    if (!gif)
        return NULL;
    *gif = (struct bs_gif){.width = width, .height = height, .palette = palette};
    gif->row = malloc((size_t)width * sizeof *gif->row);
    gif->shown = calloc(pixels, 1);
    gif->pending = calloc(pixels, 1);
    if (gif->row && gif->shown && gif->pending && start(gif))
        return gif;
    bs_gif_drop(gif);
    return NULL;
}

/* ---- frames ---------------------------------------------------------------------------------- */

struct area {
    int left, top, right, bottom; /* the last two are one past it */
};

/* The box that holds all pixels in which the pending frame differs from what is to be seen. */
static struct area changed_area(const struct bs_gif *gif)
{
    struct area area = {gif->width, gif->height, 0, 0};
    if (!gif->has_shown)
        return (struct area){0, 0, gif->width, gif->height};
    for (int y = 0; y < gif->height; y++) {
        const uint8_t *now = gif->pending + (size_t)y * (size_t)gif->width;
        const uint8_t *before = gif->shown + (size_t)y * (size_t)gif->width;
        if (memcmp(now, before, (size_t)gif->width) == 0)
            continue;
        area.top = y < area.top ? y : area.top;
        area.bottom = y + 1;
        for (int x = 0; x < gif->width; x++) {
            if (now[x] == before[x])
                continue;
            area.left = x < area.left ? x : area.left;
            area.right = x + 1 > area.right ? x + 1 : area.right;
        }
    }
    return area;
}

static bool put_control(struct bs_gif *gif)
{
    const GraphicsControlBlock control = {
        .DisposalMode = DISPOSE_DO_NOT,
        .DelayTime = (int)gif->delay,
        .TransparentColor = CLEAR,
    };
    GifByteType bytes[4];
    EGifGCBToExtension(&control, bytes);
    return EGifPutExtension(gif->file, GRAPHICS_EXT_FUNC_CODE, sizeof bytes, bytes) == GIF_OK;
}

static bool put_rows(struct bs_gif *gif, struct area area)
{
    GifPixelType *line = (GifPixelType *)gif->row;
    bool good = true;
    for (int y = area.top; good && y < area.bottom; y++) {
        const size_t at = (size_t)y * (size_t)gif->width + (size_t)area.left;
        for (int x = 0; x < area.right - area.left; x++) {
            const uint8_t now = gif->pending[at + (size_t)x];
            line[x] = gif->has_shown && now == gif->shown[at + (size_t)x] ? CLEAR : now;
        }
        good = EGifPutLine(gif->file, line, area.right - area.left) == GIF_OK;
    }
    return good;
}

static bool flush(struct bs_gif *gif)
{
    struct area area = changed_area(gif);
    if (!gif->has_pending)
        return true;
    if (area.right <= area.left)
        area = (struct area){0, 0, 1, 1};
    const bool good = put_control(gif) &&
                      EGifPutImageDesc(gif->file, area.left, area.top, area.right - area.left,
                                       area.bottom - area.top, false, NULL) == GIF_OK &&
                      put_rows(gif, area);
    memcpy(gif->shown, gif->pending, (size_t)gif->width * (size_t)gif->height);
    gif->has_shown = true;
    gif->has_pending = false;
    return good;
}

/* Turns a picture into numbers of colours. Returns whether it differs from the pending frame. */
static bool reduce(struct bs_gif *gif, cairo_surface_t *surface, uint8_t *numbers)
{
    bool differs = false;
    cairo_surface_flush(surface);
    for (int y = 0; y < gif->height; y++) {
        uint8_t *line = numbers + (size_t)y * (size_t)gif->width;
        bs_palette_row(surface, y, gif->width, gif->row);
        for (int x = 0; x < gif->width; x++)
            line[x] = x && gif->row[x] == gif->row[x - 1]
                          ? line[x - 1]
                          : bs_palette_nearest(gif->palette, gif->row[x]);
        differs = differs || memcmp(line, gif->pending + (line - numbers), (size_t)gif->width) != 0;
    }
    return differs;
}

bool bs_gif_frame(struct bs_gif *gif, cairo_surface_t *surface, unsigned hundredths)
{
    uint8_t *numbers = malloc((size_t)gif->width * (size_t)gif->height);
    if (!numbers)
        gif->failed = true;
    else if (reduce(gif, surface, numbers) || !gif->has_pending) {
        gif->failed = !flush(gif) || gif->failed;
        memcpy(gif->pending, numbers, (size_t)gif->width * (size_t)gif->height);
        gif->has_pending = true;
        gif->delay = hundredths;
    } else {
        gif->delay += hundredths;
    }
    free(numbers);
    return !gif->failed;
}

bool bs_gif_finish(struct bs_gif *gif, const char *path, struct bs_error *error)
{
    int ignored;
    bool good = flush(gif) && !gif->failed;
    good = EGifCloseFile(gif->file, &ignored) == GIF_OK && good;
    gif->file = NULL;
    good = good && !gif->bytes.failed ? bs_save(&gif->bytes, path, error)
                                      : bs_fail(error, BS_INTERNAL, path, 0, 0, "out of memory");
    bs_gif_drop(gif);
    return good;
}
