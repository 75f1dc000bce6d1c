/*
 * How long does a frame take, in a window? A program, not a timed test: usage:
 * viewer-window-frames [FRAMES [HEIGHT]]
 *
 * Plays scenes at 1920x1080, or in another height, on whatever display there is; SDL_VIDEODRIVER
 * and SDL_RENDER_DRIVER choose. The test only sees that it works. 216000 frames are an hour, at
 * whose end the memory is to be what it was after a minute.
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "show_help.h"
#include "window.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

static const struct asked scenes[] = {
    {.op = "ld.b32", .addresses = "t*128"},
    {.op = "ld.b128", .addresses = "t*16"},
    {.op = "ld.b128", .addresses = "t*64", .model = "gcn"},
    {.op = "ld.b32", .addresses = "t*p*4", .let = "p=32", .compares = {"p=33"}},
};

struct plan {
    unsigned frames;
    unsigned height;
};

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left;
    const double b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static long most_memory(void) /* so far, in KiB */
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

static void print(const char *what, double *took, unsigned frames)
{
    double sum = 0;
    for (unsigned i = 0; i < frames; i++)
        sum += took[i];
    qsort(took, frames, sizeof *took, by_size);
    printf("%-12s %7u frames  mean %6.2f ms  median %6.2f  99 %% %6.2f  most %6.2f  %ld KiB\n",
           what, frames, 1e3 * sum / frames, 1e3 * took[frames / 2], 1e3 * took[frames * 99 / 100],
           1e3 * took[frames - 1], most_memory());
}

static void play(struct bs_story *story, const char *what, const struct plan *plan)
{
    struct bs_view_options options = {
        .width = plan->height * 16 / 9, .height = plan->height, .place.pass = 1};
    double *took = calloc(plan->frames, sizeof *took);
    assert_non_null(took);
    assert_int_equal(bs_window_measure(story, &options, plan->frames, took), BS_OK);
    print(what, took, plan->frames);
    free(took);
}

static void frames_are_shown(void **state)
{
    for (unsigned i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        struct bs_show show;
        struct bs_story story;
        open_show(&show, &story, &scenes[i]);
        bs_show_free(&show);
        play(&story, scenes[i].addresses, *state);
        bs_story_free(&story);
    }
}

/* One instruction after another. */
static void a_trace_is_played(void **state)
{
    struct bs_story story;
    struct bs_errors errors = {0};
    struct bs_request request = {.trace =
                                     BANKSHOT_MODELS_FOLDER "/../traces/cuda-classics.trace.xz"};
    assert_true(bs_story_open(&story, &request, &errors));
    assert_true(bs_story_read(&story, SIZE_MAX, &errors));
    play(&story, "a trace", *state);
    bs_story_free(&story);
}

int main(int argc, char **argv)
{
    uint64_t frames = 10;
    uint64_t height = 1080;
    if ((argc > 1 && !bs_number_parse(argv[1], strlen(argv[1]), 1u << 24, &frames)) ||
        (argc > 2 && !bs_number_parse(argv[2], strlen(argv[2]), 4320, &height)))
        return 2;
    struct plan plan = {(unsigned)frames, (unsigned)height};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(frames_are_shown, &plan),
        cmocka_unit_test_prestate(a_trace_is_played, &plan),
    };
    setenv("SDL_VIDEODRIVER", "dummy", 0);
    setenv("SDL_RENDER_DRIVER", "software", 0);
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
