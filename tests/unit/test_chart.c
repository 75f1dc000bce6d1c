/* Does a chart show what it is given? Pictures are read back, and their colours counted. */
#include "command/chart.h"

#include <cairo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum {
    PALEST = 0xfff7cc,
    DARKEST = 0x0d215e,
    BAR = 0x265ea6,
    UNKNOWN = 0xe6e6e8,
    BEST = 0xd65e00,
};

static char *labels[] = {"a", "b"};

/* The bytes of the chart's file; the caller frees them. */
static struct bs_buffer draw(const struct bs_chart *chart, enum bs_chart_format format)
{
    struct bs_error error = {0};
    struct bs_buffer file = {0};
    if (!bs_chart_draw(chart, format, &file, &error))
        fail_msg("%s", error.text);
    return file;
}

struct reader {
    const struct bs_buffer *file;
    size_t at;
};

static cairo_status_t read_bytes(void *user, unsigned char *out, unsigned size)
{
    struct reader *reader = user;
    if (size > reader->file->size - reader->at)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(out, reader->file->data + reader->at, size);
    reader->at += size;
    return CAIRO_STATUS_SUCCESS;
}

static cairo_surface_t *picture_of(const struct bs_chart *chart)
{
    struct bs_buffer file = draw(chart, BS_CHART_PNG);
    struct reader reader = {&file, 0};
    cairo_surface_t *picture = cairo_image_surface_create_from_png_stream(read_bytes, &reader);
    assert_int_equal(cairo_surface_status(picture), CAIRO_STATUS_SUCCESS);
    bs_buffer_free(&file);
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
                                                             .values = values,
                                                             .marks_best = true});
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
                                                             .values = values,
                                                             .marks_best = true});
    assert_int_equal(count(picture, BEST), 0);
    assert_true(count(picture, PALEST) > 8000);
    cairo_surface_destroy(picture);
}

static void bars_are_as_long_as_their_values(void **state)
{
    (void)state;
    const double values[] = {2, 8};
    cairo_surface_t *picture = picture_of(&(struct bs_chart){.title = "title",
                                                             .value_title = "passes",
                                                             .rows = {"rows", labels, 2},
                                                             .values = values,
                                                             .marks_best = true});
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
    const double values[] = {1, 2};
    struct bs_buffer file = draw(&(struct bs_chart){.title = "title",
                                                    .value_title = "passes",
                                                    .rows = {"rows", labels, 2},
                                                    .values = values},
                                 BS_CHART_SVG);
    assert_true(file.size > 5);
    assert_memory_equal(file.data, "<?xml", 5);
    bs_buffer_free(&file);
}

/* A map of so many rows and columns whose values and labels are numbers from 0 on. */
static cairo_surface_t *grid(size_t rows, size_t columns, const char *title)
{
    enum { MOST = 128 };
    static char texts[MOST][12];
    static char *names[MOST];
    static double values[MOST * MOST];
    for (int i = 0; i < MOST; i++) {
        snprintf(texts[i], sizeof texts[i], "%d", i);
        names[i] = texts[i];
    }
    for (size_t i = 0; i < rows * columns; i++)
        values[i] = (double)i;
    return picture_of(&(struct bs_chart){.title = title,
                                         .value_title = "passes",
                                         .rows = {"rows", names, rows},
                                         .columns = {"columns", names, columns},
                                         .values = values,
                                         .marks_best = true});
}

/* At twice the size, as pictures are: a cell is at least 12 high and wide, and the page as large as
 * that takes. */
static void large_maps_stay_legible_and_on_a_page(void **state)
{
    (void)state;
    static const size_t sizes[][2] = {{3, 3}, {16, 16}, {64, 64}, {1, 128}, {128, 1}, {128, 128}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cairo_surface_t *picture = grid(sizes[i][0], sizes[i][1], "title");
        const int width = cairo_image_surface_get_width(picture);
        const int height = cairo_image_surface_get_height(picture);
        assert_in_range(width, 2 * 12 * sizes[i][1], 2 * 2000);
        assert_in_range(height, 2 * 12 * sizes[i][0], 2 * 2000);
        cairo_surface_destroy(picture);
    }
}

/* A title that is wider than the map makes the picture higher, not wider. */
static void long_titles_are_wrapped(void **state)
{
    (void)state;
    char words[600];
    memset(words, 'w', sizeof words);
    for (size_t i = 9; i < sizeof words; i += 10)
        words[i] = ' ';
    words[sizeof words - 1] = '\0';
    cairo_surface_t *small = grid(3, 3, "title");
    cairo_surface_t *large = grid(3, 3, words);
    assert_int_equal(cairo_image_surface_get_width(small), cairo_image_surface_get_width(large));
    assert_true(cairo_image_surface_get_height(large) >
                cairo_image_surface_get_height(small) + 2 * 50);
    for (size_t i = 9; i < sizeof words; i += 10)
        words[i] = 'x'; /* one word */
    words[sizeof words - 1] = '\0';
    cairo_surface_t *word = grid(3, 3, words);
    assert_int_equal(cairo_image_surface_get_width(small), cairo_image_surface_get_width(word));
    cairo_surface_destroy(small);
    cairo_surface_destroy(large);
    cairo_surface_destroy(word);
}

static void nothing_is_marked_that_cannot_be_ranked(void **state)
{
    (void)state;
    const double values[] = {1, 8};
    struct bs_chart chart = {.title = "title",
                             .value_title = "passes",
                             .rows = {"rows", labels, 2},
                             .values = values,
                             .marks_best = true};
    cairo_surface_t *ranked = picture_of(&chart);
    chart.marks_best = false;
    cairo_surface_t *unranked = picture_of(&chart);
    assert_true(count(ranked, BEST) > 100);
    assert_int_equal(count(unranked, BEST), 0);
    cairo_surface_destroy(ranked);
    cairo_surface_destroy(unranked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heat_map_is_dark_where_much_is_paid),
        cmocka_unit_test(nothing_is_best_where_all_is_the_same),
        cmocka_unit_test(bars_are_as_long_as_their_values),
        cmocka_unit_test(text_that_is_no_utf8_is_drawn),
        cmocka_unit_test(vector_graphics_say_what_they_are),
        cmocka_unit_test(large_maps_stay_legible_and_on_a_page),
        cmocka_unit_test(long_titles_are_wrapped),
        cmocka_unit_test(nothing_is_marked_that_cannot_be_ranked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
