/* Pictures in files. */
#include "export.h"

#include "frame.h"
#include "gif.h"
#include "png.h"
#include "save.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static cairo_status_t take_bytes(void *user, const unsigned char *bytes, unsigned size)
{
    struct bs_buffer *file = user;
    bs_buffer_add(file, bytes, size);
    return file->failed ? CAIRO_STATUS_NO_MEMORY : CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *open_surface(const struct bs_show *show, enum bs_export format,
                                     struct bs_buffer *file)
{
    switch (format) {
    case BS_EXPORT_SVG:
        return cairo_svg_surface_create_for_stream(take_bytes, file, show->width, show->height);
    case BS_EXPORT_PDF:
        return cairo_pdf_surface_create_for_stream(take_bytes, file, show->width, show->height);
    case BS_EXPORT_PNG:
        break;
    }
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(show->width),
                                      (int)lround(show->height));
}

static cairo_status_t draw(const struct bs_show *show, enum bs_export format,
                           struct bs_buffer *file)
{
    cairo_surface_t *surface = open_surface(show, format, file);
    const struct bs_pen pen = bs_show_pen(show, cairo_create(surface));
    bs_show_paint(show, &pen, NULL);
    cairo_status_t status = cairo_status(pen.cairo);
    cairo_destroy(pen.cairo);
    if (status == CAIRO_STATUS_SUCCESS && format == BS_EXPORT_PNG)
        status = bs_png_add(file, surface) ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_NO_MEMORY;
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

bool bs_export_picture(const struct bs_show *show, enum bs_export format, const char *path,
                       struct bs_error *error)
{
    struct bs_buffer file = {0};
    const cairo_status_t status = draw(show, format, &file);
    const bool written = status == CAIRO_STATUS_SUCCESS
                             ? bs_save(&file, path, error)
                             : bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be drawn: %s",
                                       cairo_status_to_string(status));
    bs_buffer_free(&file);
    return written;
}

/* ---- animations ------------------------------------------------------------------------------ */

enum { SAMPLES = 12 /* pictures whose colours make the palette */ };

/* An animation being made. */
struct film {
    struct bs_show *show;
    cairo_surface_t *surface;
    struct bs_frames frames;
    struct bs_palette palette;
};

static bool draw_at(struct film *film, double time)
{
    return bs_show_seek(film->show, time) &&
           bs_frames_draw(&film->frames, film->show, film->surface);
}

static bool choose_colours(struct film *film, double end)
{
    for (int i = 0; i <= SAMPLES; i++)
        if (!draw_at(film, -1 + (end + 1) * i / SAMPLES) ||
            !bs_palette_see(&film->palette, film->surface))
            return false;
    return bs_palette_choose(&film->palette, BS_GIF_COLOURS);
}

static bool add_frames(struct film *film, struct bs_gif *gif, const struct bs_film_options *options,
                       double end)
{
    const double step = options->speed / options->frames_per_second;
    const unsigned hundredths = (unsigned)lround(100 / options->frames_per_second);
    bool good = true;
    for (double time = -1; good && time < end; time += step)
        good = draw_at(film, time) && bs_gif_frame(gif, film->surface, hundredths);
    return good && draw_at(film, end) && bs_gif_frame(gif, film->surface, 250);
}

bool bs_export_film(struct bs_show *show, const struct bs_film_options *options, const char *path,
                    struct bs_error *error)
{
    const int width = (int)lround(show->width);
    const int height = (int)lround(show->height);
    const double end = bs_show_passes(show);
    struct film film = {.show = show};
    film.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    struct bs_gif *gif =
        choose_colours(&film, end) ? bs_gif_open(width, height, &film.palette) : NULL;
    const bool drawn = gif && add_frames(&film, gif, options, end);
    const bool good =
        drawn ? bs_gif_finish(gif, path, error)
              : bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be drawn: out of memory");
    if (gif && !drawn)
        bs_gif_drop(gif);
    bs_frames_free(&film.frames);
    bs_palette_free(&film.palette);
    cairo_surface_destroy(film.surface);
    return good;
}
