/* Do pictures and animations hold what was drawn? They are read back by other people's code. */
#define _XOPEN_SOURCE 700 /* mkstemp, P_tmpdir */
#include "export.h"
#include "show_help.h"

#include <gif_lib.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { WIDTH = 640, HEIGHT = 360 };

static const struct asked column = {
    .op = "ld.b32", .addresses = "t*128", .mask = "f", .width = WIDTH, .height = HEIGHT};

static void name_file(char path[64])
{
    snprintf(path, 64, "%s/viewer-XXXXXX", P_tmpdir);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

/* What the show looks like now. */
static cairo_surface_t *drawn(const struct bs_show *show)
{
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    const struct bs_pen pen = bs_show_pen(show, cairo_create(surface));
    bs_show_paint(show, &pen, NULL);
    cairo_destroy(pen.cairo);
    cairo_surface_flush(surface);
    return surface;
}

static uint32_t pixel(cairo_surface_t *surface, int x, int y)
{
    uint32_t value;
    memcpy(&value,
           cairo_image_surface_get_data(surface) +
               (ptrdiff_t)y * cairo_image_surface_get_stride(surface) + 4 * (ptrdiff_t)x,
           sizeof value);
    return value & 0xffffff;
}

/* The largest difference of one colour in one pixel. */
static int apart(uint32_t a, uint32_t b)
{
    int most = 0;
    for (int shift = 0; shift < 24; shift += 8) {
        const int difference = abs((int)(a >> shift & 255) - (int)(b >> shift & 255));
        most = difference > most ? difference : most;
    }
    return most;
}

static void a_shot_is_what_was_drawn(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_show show;
    struct bs_error error;
    char path[64];
    open_show(&show, &story, &column);
    assert_true(bs_show_seek(&show, BS_STILL));
    name_file(path);
    assert_true(bs_export_picture(&show, BS_EXPORT_PNG, path, &error));
    cairo_surface_t *read = cairo_image_surface_create_from_png(path);
    unlink(path);
    assert_int_equal(cairo_surface_status(read), CAIRO_STATUS_SUCCESS);
    cairo_surface_t *same = drawn(&show);
    int most = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int difference = apart(pixel(read, x, y), pixel(same, x, y));
            most = difference > most ? difference : most;
        }
    assert_true(most < 40); /* a palette of 256 colours */
    cairo_surface_destroy(read);
    cairo_surface_destroy(same);
    close_show(&show, &story);
}

static void vector_graphics_say_what_they_are(void **state)
{
    (void)state;
    static const struct {
        enum bs_export format;
        const char *start;
    } formats[] = {{BS_EXPORT_SVG, "<?xml"}, {BS_EXPORT_PDF, "%PDF-"}};
    for (unsigned i = 0; i < 2; i++) {
        struct bs_story story;
        struct bs_show show;
        struct bs_error error;
        char path[64];
        char start[8] = "";
        open_show(&show, &story, &column);
        name_file(path);
        assert_true(bs_export_picture(&show, formats[i].format, path, &error));
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_int_equal(fread(start, 1, 5, file), 5);
        fclose(file);
        unlink(path);
        assert_string_equal(start, formats[i].start);
        close_show(&show, &story);
    }
}

/* Puts the pixels of a frame over what was there before. */
static void put_frame(const GifFileType *gif, const SavedImage *frame, uint32_t *canvas)
{
    const GifImageDesc *place = &frame->ImageDesc;
    for (int y = 0; y < place->Height; y++)
        for (int x = 0; x < place->Width; x++) {
            const unsigned number = frame->RasterBits[y * place->Width + x];
            if (number == 255) /* transparent */
                continue;
            const GifColorType c = gif->SColorMap->Colors[number];
            canvas[(place->Top + y) * WIDTH + place->Left + x] =
                (uint32_t)c.Red << 16 | (uint32_t)c.Green << 8 | c.Blue;
        }
}

static void an_animation_ends_as_the_show_does(void **state)
{
    (void)state;
    static uint32_t canvas[WIDTH * HEIGHT];
    struct bs_story story;
    struct bs_show show;
    struct bs_error error;
    char path[64];
    int failure = 0;
    open_show(&show, &story, &column);
    name_file(path);
    const struct bs_film_options options = {10, 2};
    assert_true(bs_export_film(&show, &options, path, &error));
    GifFileType *gif = DGifOpenFileName(path, &failure);
    assert_non_null(gif);
    assert_int_equal(DGifSlurp(gif), GIF_OK);
    assert_int_equal(gif->SWidth, WIDTH);
    assert_int_equal(gif->SHeight, HEIGHT);
    assert_true(gif->ImageCount > 15 && gif->ImageCount <= 27);
    for (int i = 0; i < gif->ImageCount; i++)
        put_frame(gif, &gif->SavedImages[i], canvas);
    cairo_surface_t *last = drawn(&show);
    int most = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            const int difference = apart(canvas[y * WIDTH + x], pixel(last, x, y));
            most = difference > most ? difference : most;
        }
    assert_true(most < 60);
    cairo_surface_destroy(last);
    DGifCloseFile(gif, &failure);
    unlink(path);
    close_show(&show, &story);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_show show;
    struct bs_error error = {0};
    const struct bs_film_options options = {10, 10};
    open_show(&show, &story, &column);
    assert_false(bs_export_picture(&show, BS_EXPORT_PNG, "/no/such/folder/x.png", &error));
    assert_string_equal(error.file, "/no/such/folder/x.png");
    assert_false(bs_export_film(&show, &options, "/no/such/folder/x.gif", &error));
    assert_string_equal(error.file, "/no/such/folder/x.gif");
    close_show(&show, &story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_shot_is_what_was_drawn),
        cmocka_unit_test(vector_graphics_say_what_they_are),
        cmocka_unit_test(an_animation_ends_as_the_show_does),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
