/* Does a chart show what it is given? Pictures are read back, and their colours counted. */
#define _XOPEN_SOURCE 700 /* mkstemp, P_tmpdir */
#include "command/chart.h"

#include <cairo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum {
    PALEST = 0xfff7cc,
    DARKEST = 0x0d215e,
    BAR = 0x265ea6,
    UNKNOWN = 0xe6e6e8,
    BEST = 0xd65e00,
};

static char *labels[] = {"a", "b"};

/* Draws the chart to a file of its own, whose name goes to path. */
static void draw(const struct bs_chart *chart, enum bs_chart_format format, char path[32])
{
    struct bs_error error = {0};
    snprintf(path, 32, "%s/chart-XXXXXX", P_tmpdir);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    if (!bs_chart_write(chart, format, path, &error))
        fail_msg("%s", error.text);
}

static cairo_surface_t *picture_of(const struct bs_chart *chart)
{
    char path[32];
    draw(chart, BS_CHART_PNG, path);
    cairo_surface_t *picture = cairo_image_surface_create_from_png(path);
    unlink(path);
    assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    return picture;
}

/* Whether two colours are the same but for rounding. */
static bool is_near(uint32_t a, uint32_t b)
{
    for (unsigned shift = 0; shift < 24; shift += 8)
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > 2)
            return false;
    return true;
}

/* The pixels that have that colour. */
static unsigned count(cairo_surface_t *picture, uint32_t colour)
{
    const unsigned char *rows = cairo_image_surface_get_data(picture);
    const int stride = cairo_image_surface_get_stride(picture);
    unsigned found = 0;
    for (int y = 0; y < cairo_image_surface_get_height(picture); y++)
        for (int x = 0; x < cairo_image_surface_get_width(picture); x++) {
            uint32_t pixel;
            memcpy(&pixel, rows + y * stride + 4 * x, sizeof pixel);
            found += is_near(pixel, colour);
        }
    return found;
}

static void a_heat_map_is_dark_where_much_is_paid(void **state)
{
    (void)state;
    const double values[] = {1, 8, 4, -1};
    cairo_surface_t *picture = picture_of(&(struct bs_chart){.title = "title",
                                                             .value_title = "passes",
                                                             .rows = {"rows", labels, 2},
                                                             .columns = {"columns", labels, 2},
                                                             .values = values});
    assert_true(count(picture, PALEST) > 2000);
    assert_true(count(picture, DARKEST) > 2000);
    assert_true(count(picture, UNKNOWN) > 2000);
    assert_true(count(picture, BEST) > 500);
    cairo_surface_destroy(picture);
}

static void nothing_is_best_where_all_is_the_same(void **state)
{
    (void)state;
    const double values[] = {3, 3, 3, 3};
    cairo_surface_t *picture = picture_of(&(struct bs_chart){.title = "title",
                                                             .value_title = "passes",
                                                             .rows = {"rows", labels, 2},
                                                             .columns = {"columns", labels, 2},
                                                             .values = values});
    assert_int_equal(count(picture, BEST), 0);
    assert_true(count(picture, PALEST) > 8000);
    cairo_surface_destroy(picture);
}

static void bars_are_as_long_as_their_values(void **state)
{
    (void)state;
    const double values[] = {2, 8};
    cairo_surface_t *picture = picture_of(&(struct bs_chart){
        .title = "title", .value_title = "passes", .rows = {"rows", labels, 2}, .values = values});
    const double ratio = (double)count(picture, BAR) / count(picture, BEST);
    assert_true(ratio > 3.8 && ratio < 4.2);
    cairo_surface_destroy(picture);
}

static void text_that_is_no_utf8_is_drawn(void **state)
{
    (void)state;
    const double values[] = {1};
    cairo_surface_t *picture = picture_of(&(struct bs_chart){
        .title = "\xff\xfe", .value_title = "", .rows = {"", labels, 1}, .values = values});
    assert_true(count(picture, BAR) > 1000);
    cairo_surface_destroy(picture);
}

static void vector_graphics_say_what_they_are(void **state)
{
    (void)state;
    char path[32];
    char start[8] = "";
    const double values[] = {1, 2};
    draw(&(struct bs_chart){.title = "title",
                            .value_title = "passes",
                            .rows = {"rows", labels, 2},
                            .values = values},
         BS_CHART_SVG, path);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(start, 1, 5, file), 5);
    fclose(file);
    unlink(path);
    assert_string_equal(start, "<?xml");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heat_map_is_dark_where_much_is_paid),
        cmocka_unit_test(nothing_is_best_where_all_is_the_same),
        cmocka_unit_test(bars_are_as_long_as_their_values),
        cmocka_unit_test(text_that_is_no_utf8_is_drawn),
        cmocka_unit_test(vector_graphics_say_what_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
