/* Does the window do what is pressed? Keys come through SDL's own queue, and the picture that they
 * save has to be the one that the same place gives without a window. */
#define _XOPEN_SOURCE 700 /* setenv, mkdtemp */
#include "export.h"
#include "show_help.h"
#include "switches.h"
#include "window.h"

#include <SDL.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* A screen whose pixels are finer than the units of its windows: there are so many to one. */
static int pixels_a_unit = 1;

int __real_SDL_GetRendererOutputSize(SDL_Renderer *renderer, int *width, int *height);
int __wrap_SDL_GetRendererOutputSize(SDL_Renderer *renderer, int *width, int *height);
int __wrap_SDL_GetRendererOutputSize(SDL_Renderer *renderer, int *width, int *height)
{
    const int status = __real_SDL_GetRendererOutputSize(renderer, width, height);
    *width *= pixels_a_unit;
    *height *= pixels_a_unit;
    return status;
}

static void push_click(int x, int y)
{
    SDL_Event event = {
        .button = {.type = SDL_MOUSEBUTTONDOWN, .button = SDL_BUTTON_LEFT, .x = x, .y = y}};
    assert_int_equal(SDL_PushEvent(&event), 1);
}

static void push_key(SDL_Keycode code)
{
    SDL_Event event = {.key = {.type = SDL_KEYDOWN, .state = SDL_PRESSED, .keysym = {.sym = code}}};
    assert_int_equal(SDL_PushEvent(&event), 1);
}

static void push_text(const char *text)
{
    SDL_Event event = {.text = {.type = SDL_TEXTINPUT}};
    snprintf(event.text.text, sizeof event.text.text, "%s", text);
    assert_int_equal(SDL_PushEvent(&event), 1);
}

/* Runs a window with the events that are in the queue, which have to end with q. */
static void run_window(const struct asked *asked)
{
    struct bs_show show;
    struct bs_story story;
    struct bs_view_options options = {.width = 1280, .height = 720, .place.pass = 1};
    open_show(&show, &story, asked);
    bs_show_free(&show);
    assert_int_equal(bs_window_run(&story, &options), BS_OK);
    bs_story_free(&story);
}

static void read_file(const char *path, struct bs_buffer *bytes)
{
    char block[4096];
    size_t size;
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s was not written", path);
    while ((size = fread(block, 1, sizeof block, file)) > 0)
        bs_buffer_add(bytes, block, size);
    assert_int_equal(fclose(file), 0);
}

static void assert_same_file(const char *left, const char *right)
{
    struct bs_buffer a = {0};
    struct bs_buffer b = {0};
    read_file(left, &a);
    read_file(right, &b);
    if (a.size != b.size || memcmp(a.data, b.data, a.size) != 0)
        fail_msg("%s, of %zu bytes, is not as %s, of %zu", left, a.size, right, b.size);
    bs_buffer_free(&a);
    bs_buffer_free(&b);
}

static void keys_lead_to_the_same_picture_as_options(void **state)
{
    (void)state;
    static const struct asked column = {
        .op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32"};
    static const struct asked padded = {
        .op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=34"};
    struct bs_show show;
    struct bs_story story;
    struct bs_error error;
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
    push_key(SDLK_TAB);
    push_key(SDLK_UP);
    push_key(SDLK_UP); /* pitch 34 */
    push_key(SDLK_ESCAPE);
    push_key(SDLK_RIGHT);
    push_key(SDLK_RIGHT); /* the second pass */
    push_text("s");
    push_text("q");
    run_window(&column);

    open_show(&show, &story, &padded);
    assert_int_equal(bs_show_passes(&show), 2);
    assert_true(bs_show_seek(&show, 1 + BS_STILL));
    assert_true(bs_export_picture(&show, BS_EXPORT_PNG, "expected.png", &error));
    close_show(&show, &story);
    assert_same_file("bankshot-1.png", "expected.png");
    assert_int_equal(remove("bankshot-1.png"), 0);
    assert_int_equal(remove("expected.png"), 0);
}

/* The picture has all the pixels that there are, and the mouse meets what is drawn there. */
static void a_fine_screen_is_drawn_to_its_pixels(void **state)
{
    (void)state;
    static const struct asked column = {
        .op = "ld.b32", .addresses = "t*128", .width = 2560, .height = 1440};
    struct bs_show show;
    struct bs_story story;
    struct bs_error error;
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
    open_show(&show, &story, &column);
    assert_true(bs_show_bar(&show, true));
    const struct bs_point lane = bs_panel_lane(&show.layout.panels[0], 7); /* in pixels */
    pixels_a_unit = 2;
    push_click((int)lane.x / 2, (int)lane.y / 2);
    push_click((int)lane.x / 2, (int)lane.y / 2); /* switches it off */
    push_text("s");
    push_text("q");
    run_window(&column);
    pixels_a_unit = 1;

    assert_true(bs_story_switch(&story, 0, 0xffffff7f, &error));
    assert_true(bs_show_bar(&show, false));
    assert_true(bs_show_refresh(&show));
    assert_true(bs_show_seek(&show, -0.05));
    assert_true(bs_export_picture(&show, BS_EXPORT_PNG, "expected.png", &error));
    close_show(&show, &story);
    assert_same_file("bankshot-1.png", "expected.png");
    assert_int_equal(remove("bankshot-1.png"), 0);
    assert_int_equal(remove("expected.png"), 0);
}

static void a_window_that_is_closed_ends(void **state)
{
    (void)state;
    static const struct asked column = {.op = "ld.b32", .addresses = "t*128"};
    SDL_Event event = {.type = SDL_QUIT};
    assert_int_equal(SDL_Init(SDL_INIT_VIDEO), 0);
    assert_int_equal(SDL_PushEvent(&event), 1);
    run_window(&column);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_lead_to_the_same_picture_as_options),
        cmocka_unit_test(a_fine_screen_is_drawn_to_its_pixels),
        cmocka_unit_test(a_window_that_is_closed_ends),
    };
    char folder[] = P_tmpdir "/bankshot-XXXXXX";
    setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("SDL_RENDER_DRIVER", "software", 1);
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return rmdir(folder) != 0 || failed ? 1 : 0;
}
