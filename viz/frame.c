/* Keeping what does not move. */
#include "frame.h"

#include <math.h>

/* ---- what the still picture depends on ------------------------------------------------------- */

static uint64_t mix(uint64_t key, uint64_t value)
{
    return (key ^ value) * UINT64_C(0x100000001b3);
}

static uint64_t mix_cell(uint64_t key, const struct bs_cell_mark *mark)
{
    key = mix(key, (uint64_t)mark->bank << 32 | mark->place);
    return mix(key, (uint64_t)mark->lane << 24 | (uint64_t)mark->lanes << 16 |
                        (uint64_t)mark->covered << 8 | mark->state);
}

static uint64_t mix_moment(uint64_t key, const struct bs_moment *moment)
{
    key = mix(key, (uint64_t)moment->pass << 8 | (uint64_t)(moment->time < 0) << 1 | moment->over);
    for (uint32_t i = 0; i < moment->cell_count; i++)
        key = mix_cell(key, &moment->cells[i]);
    for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++)
        key = mix(key, (uint64_t)moment->lanes[lane] << 8 | moment->parts_served[lane]);
    return key;
}

static uint64_t key_of(const struct bs_show *show)
{
    uint64_t key = mix(UINT64_C(0xcbf29ce484222325), show->version);
    key = mix(key, (uint64_t)show->view << 1 | (show->theme == &bs_theme_dark));
    for (uint32_t i = 0; i < show->story->variant_count; i++)
        key = mix_moment(key, &show->moments[i]);
    return key;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static bool same_size(cairo_surface_t *surface, int width, int height)
{
    return surface && cairo_image_surface_get_width(surface) == width &&
           cairo_image_surface_get_height(surface) == height;
}

static bool draw_still(struct bs_frames *frames, const struct bs_show *show, int width, int height)
{
    const uint64_t key = key_of(show);
    const bool fits = same_size(frames->still, width, height);
    if (fits && key == frames->key)
        return true;
    if (!fits) {
        cairo_surface_destroy(frames->still);
        frames->still = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    }
    const struct bs_pen pen = bs_show_pen(show, cairo_create(frames->still));
    bs_paint_still(&pen, &show->picture);
    const bool drawn = cairo_status(pen.cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(pen.cairo);
    frames->key = key;
    return drawn;
}

bool bs_frames_draw(struct bs_frames *frames, const struct bs_show *show, cairo_surface_t *to)
{
    const struct bs_pen pen = bs_show_pen(show, cairo_create(to));
    if (frames->theme != show->theme || fabs(frames->unit - pen.unit) > 1e-9)
        bs_sprites_forget(&frames->sprites);
    frames->theme = show->theme;
    frames->unit = pen.unit;
    bool drawn = draw_still(frames, show, cairo_image_surface_get_width(to),
                            cairo_image_surface_get_height(to));
    cairo_set_operator(pen.cairo, CAIRO_OPERATOR_SOURCE);
    cairo_set_source_surface(pen.cairo, frames->still, 0, 0);
    cairo_paint(pen.cairo);
    cairo_set_operator(pen.cairo, CAIRO_OPERATOR_OVER);
    bs_paint_moving(&pen, &show->picture, &frames->sprites);
    drawn = drawn && cairo_status(pen.cairo) == CAIRO_STATUS_SUCCESS;
    cairo_destroy(pen.cairo);
    return drawn;
}

void bs_frames_free(struct bs_frames *frames)
{
    cairo_surface_destroy(frames->still);
    bs_sprites_forget(&frames->sprites);
    *frames = (struct bs_frames){0};
}
