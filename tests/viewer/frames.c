/*
 * How long does a frame take? A program, not a timed test: usage: viewer-frames [--quick]
 *
 * Plays scenes at 1920x1080, 60 frames a second, as a window would, without showing them. The test
 * only sees that it works.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include "frame.h"
#include "show_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { WIDTH = 1920, HEIGHT = 1080, MAX_FRAMES = 2000 };

static const struct asked scenes[] = {
    {.op = "ld.b32", .addresses = "t*128", .width = WIDTH, .height = HEIGHT},
    {.op = "ld.b128", .addresses = "t*16", .width = WIDTH, .height = HEIGHT},
    {.op = "ld.b128", .addresses = "t*64", .model = "gcn", .width = WIDTH, .height = HEIGHT},
    {.op = "ld.b32",
     .addresses = "t*p*4",
     .let = "p=32",
     .compares = {"p=33"},
     .width = WIDTH,
     .height = HEIGHT},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* Plays a scene and prints what its frames took. */
static void play(const struct asked *asked, unsigned most)
{
    static double took[MAX_FRAMES];
    struct bs_story story;
    struct bs_show show;
    struct bs_frames frames = {0};
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    unsigned count = 0;
    double sum = 0;
    open_show(&show, &story, asked);
    for (double time = -1; time < bs_show_passes(&show) && count < most; time += 1 / 60.0) {
        const double start = now();
        assert_true(bs_show_seek(&show, time));
        assert_true(bs_frames_draw(&frames, &show, surface));
        took[count] = now() - start;
        sum += took[count++];
    }
    qsort(took, count, sizeof *took, by_size);
    printf("%-28s %5u frames  mean %6.2f ms  median %6.2f  99 %% %6.2f  most %6.2f\n",
           asked->addresses, count, sum / count, took[count / 2], took[count * 99 / 100],
           took[count - 1]);
    bs_frames_free(&frames);
    cairo_surface_destroy(surface);
    close_show(&show, &story);
}

static void frames_are_drawn(void **state)
{
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i], *(unsigned *)*state);
}

int main(int argc, char **argv)
{
    unsigned most = argc > 1 && strcmp(argv[1], "--quick") == 0 ? 70 : MAX_FRAMES;
    const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(frames_are_drawn, &most)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
