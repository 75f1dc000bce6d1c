/* Pictures in files. */
#include "export.h"

#include "core/buffer.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <errno.h>
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
        status = cairo_surface_write_to_png_stream(surface, take_bytes, file);
    cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status;
}

static bool write_file(const struct bs_buffer *bytes, const char *path, struct bs_error *error)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(bytes->data, 1, bytes->size, file) == bytes->size;
    int failure = errno;
    if (file && fclose(file) != 0) {
        written = false;
        failure = errno;
    }
    return written || bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be written: %s",
                              strerror(failure ? failure : EIO));
}

bool bs_export_picture(const struct bs_show *show, enum bs_export format, const char *path,
                       struct bs_error *error)
{
    struct bs_buffer file = {0};
    const cairo_status_t status = draw(show, format, &file);
    const bool written = status == CAIRO_STATUS_SUCCESS
                             ? write_file(&file, path, error)
                             : bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be drawn: %s",
                                       cairo_status_to_string(status));
    bs_buffer_free(&file);
    return written;
}
