/* The window: events become actions, frames become pictures on the screen. */
#include "window.h"

#include "frame.h"
#include "headless.h"
#include "paint_help.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE = 20000, /* records that are read between two frames */
    IDLE = 250,    /* milliseconds that nothing happens until the window looks again */
};

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int width, height; /* in pixels */
    struct bs_frames frames;
    struct bs_show show;
    struct bs_player player;
    bool opened; /* the last key opened a line, of which its text is no part */
    bool stale;  /* the picture on the screen is not the one to be seen */
};

static const char ways_out[] =
    "--shot, --svg, --pdf and --record write to files what it would show";

static enum bs_status fail(const char *what, const char *why)
{
    struct bs_error error;
    bs_fail(&error, BS_INTERNAL, NULL, 0, 0, "%s%s%s; %s", what, *why ? ": " : "", why, ways_out);
    return bs_complain(&error);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* Whether there is a display at all. Without one SDL would ask around, loudly, and then take a
 * driver that shows nothing, silently. A driver that the user names is tried. */
static bool has_display(void)
{
    static const char *const signs[] = {"DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *value = getenv(signs[i]);
        if (value && *value)
            return true;
    }
    return false;
}

/* Whether SDL took a driver that shows nothing though nobody asked for it. */
static bool shows_nothing(void)
{
    static const char *const blind[] = {"offscreen", "dummy", "evdev"};
    const char *driver = SDL_GetCurrentVideoDriver();
    for (size_t i = 0; driver && i < sizeof blind / sizeof *blind; i++)
        if (strcmp(driver, blind[i]) == 0)
            return !getenv("SDL_VIDEODRIVER");
    return !driver;
}

static enum bs_status open_window(struct window *window, const struct bs_view_options *options)
{
    if (!has_display())
        return fail("there is no display", "");
    if (SDL_Init(SDL_INIT_VIDEO) != 0)
        return fail("no window can be opened", SDL_GetError());
    if (shows_nothing())
        return fail("there is no display", "");
    window->window = SDL_CreateWindow("bankshot", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                      (int)options->width, (int)options->height,
                                      SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
    if (window->window)
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_PRESENTVSYNC);
    if (window->window && !window->renderer)
        window->renderer = SDL_CreateRenderer(window->window, -1, SDL_RENDERER_SOFTWARE);
    return window->renderer ? BS_OK : fail("no window can be opened", SDL_GetError());
}

static void close_window(struct window *window)
{
    bs_frames_free(&window->frames);
    if (window->texture)
        SDL_DestroyTexture(window->texture);
    if (window->renderer)
        SDL_DestroyRenderer(window->renderer);
    if (window->window)
        SDL_DestroyWindow(window->window);
    SDL_Quit();
}

/* Fits the texture and the show to the size of the window, in pixels of the screen. */
static bool fit(struct window *window)
{
    int width;
    int height;
    if (SDL_GetRendererOutputSize(window->renderer, &width, &height) != 0)
        return false;
    if (width == window->width && height == window->height)
        return true;
    if (window->texture)
        SDL_DestroyTexture(window->texture);
    window->texture = SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_RGB888,
                                        SDL_TEXTUREACCESS_STREAMING, width, height);
    window->width = width;
    window->height = height;
    window->stale = true;
    return window->texture && bs_show_resize(&window->show, width, height);
}

/* ---- drawing --------------------------------------------------------------------------------- */

static bool draw(struct window *window)
{
    void *pixels;
    int pitch;
    if (SDL_LockTexture(window->texture, NULL, &pixels, &pitch) != 0)
        return false;
    cairo_surface_t *surface = cairo_image_surface_create_for_data(
        pixels, CAIRO_FORMAT_RGB24, window->width, window->height, pitch);
    const bool drawn = bs_frames_draw(&window->frames, &window->show, surface);
    const struct bs_pen pen = bs_show_pen(&window->show, cairo_create(surface));
    if (window->player.help)
        bs_paint_help(&pen, &window->show.layout);
    else if (window->player.asking != BS_DO_NOTHING)
        bs_paint_line(&pen, &window->show.layout, bs_player_question(&window->player),
                      window->player.line);
    else if (window->player.note[0])
        bs_paint_note(&pen, &window->show.layout, window->player.note);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(surface);
    SDL_UnlockTexture(window->texture);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
    window->stale = false;
    return drawn;
}

/* ---- events ---------------------------------------------------------------------------------- */

static enum bs_action action_of(SDL_Keycode key)
{
    static const struct {
        SDL_Keycode key;
        enum bs_action action;
    } keys[] = {
        {SDLK_SPACE, BS_DO_PLAY},
        {SDLK_RIGHT, BS_DO_NEXT_PASS},
        {SDLK_LEFT, BS_DO_PREVIOUS_PASS},
        {SDLK_DOWN, BS_DO_NEXT},
        {SDLK_UP, BS_DO_PREVIOUS},
        {SDLK_HOME, BS_DO_FIRST},
        {SDLK_END, BS_DO_LAST},
        {SDLK_f, BS_DO_NEXT_CONFLICT},
        {SDLK_PERIOD, BS_DO_FASTER},
        {SDLK_COMMA, BS_DO_SLOWER},
        {SDLK_v, BS_DO_VIEW},
        {SDLK_d, BS_DO_THEME},
        {SDLK_s, BS_DO_SHOT},
        {SDLK_F11, BS_DO_FULL_SCREEN},
        {SDLK_F1, BS_DO_HELP},
        {SDLK_QUESTION, BS_DO_HELP},
        {SDLK_q, BS_DO_QUIT},
        {SDLK_g, BS_DO_ASK_RECORD},
        {SDLK_e, BS_DO_ASK_CHANGE},
        {SDLK_c, BS_DO_ASK_COMPARE},
        {SDLK_m, BS_DO_MODEL},
        {SDLK_r, BS_DO_FILM},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].key == key)
            return keys[i].action;
    return BS_DO_NOTHING;
}

/* A key while a line is typed; its text comes as events of its own. */
static bool press_in_line(struct window *window, SDL_Keycode key)
{
    switch (key) {
    case SDLK_RETURN:
    case SDLK_KP_ENTER:
        return bs_player_enter(&window->player);
    case SDLK_ESCAPE:
        bs_player_cancel(&window->player);
        return true;
    case SDLK_BACKSPACE:
        bs_player_erase(&window->player);
        return true;
    default:
        return true;
    }
}

static bool press(struct window *window, const SDL_KeyboardEvent *event)
{
    if (window->player.asking != BS_DO_NOTHING)
        return press_in_line(window, event->keysym.sym);
    const bool full = window->player.full_screen;
    enum bs_action action = action_of(event->keysym.sym);
    if (event->keysym.sym == SDLK_SLASH && (event->keysym.mod & KMOD_SHIFT))
        action = BS_DO_HELP;
    if (!bs_player_do(&window->player, action))
        return false;
    if (window->player.full_screen != full)
        SDL_SetWindowFullscreen(window->window, full ? 0 : SDL_WINDOW_FULLSCREEN_DESKTOP);
    return true;
}

static bool click(struct window *window, const SDL_MouseButtonEvent *event)
{
    int width;
    int height;
    SDL_GetWindowSize(window->window, &width, &height);
    if (width <= 0 || height <= 0)
        return true;
    return bs_player_click(&window->player, (double)event->x * window->width / width,
                           (double)event->y * window->height / height);
}

static bool handle(struct window *window, const SDL_Event *event)
{
    switch (event->type) {
    case SDL_QUIT:
        return bs_player_do(&window->player, BS_DO_QUIT);
    case SDL_KEYDOWN:
        window->stale = true;
        window->opened = window->player.asking == BS_DO_NOTHING;
        return press(window, &event->key);
    case SDL_TEXTINPUT:
        if (window->player.asking != BS_DO_NOTHING && !window->opened)
            bs_player_type(&window->player, event->text.text);
        window->opened = false;
        window->stale = true;
        return true;
    case SDL_MOUSEBUTTONDOWN:
        window->stale = true;
        return click(window, &event->button);
    case SDL_WINDOWEVENT:
        window->stale = true;
        return true;
    default:
        return true;
    }
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* Reads on in the trace. */
static bool read_on(struct window *window, struct bs_errors *errors)
{
    struct bs_story *story = window->show.story;
    if (story->whole)
        return true;
    if (!bs_story_read(story, SLICE, errors))
        return false;
    bs_show_more(&window->show);
    window->stale = true;
    return true;
}

/* Waits until there is something to do, and does it. */
static bool turn(struct window *window, double seconds)
{
    SDL_Event event;
    const bool busy =
        window->stale || bs_player_moves(&window->player) || !window->show.story->whole;
    if (!busy && SDL_WaitEventTimeout(&event, IDLE) && !handle(window, &event))
        return false;
    while (SDL_PollEvent(&event))
        if (!handle(window, &event))
            return false;
    if (!fit(window) || !bs_player_advance(&window->player, busy ? seconds : 0))
        return false;
    return !(window->stale || bs_player_moves(&window->player)) || draw(window);
}

static enum bs_status loop(struct window *window)
{
    struct bs_errors errors = {0};
    enum bs_status status = BS_OK;
    uint64_t before = SDL_GetPerformanceCounter();
    while (status == BS_OK && !window->player.quit) {
        const uint64_t now = SDL_GetPerformanceCounter();
        const double seconds = (double)(now - before) / (double)SDL_GetPerformanceFrequency();
        before = now;
        if (!turn(window, seconds < 0.1 ? seconds : 0.1))
            status = fail("cannot go on", SDL_GetError());
        else if (!read_on(window, &errors))
            status = bs_complain_all(&errors);
    }
    bs_errors_free(&errors);
    return status;
}

/* Reads as far as the place that is asked for. */
static enum bs_status begin(struct window *window, struct bs_story *story,
                            const struct bs_view_options *options)
{
    struct bs_errors errors = {0};
    while (!story->whole && story->count <= options->place.record)
        if (!bs_story_read(story, SLICE, &errors)) {
            const enum bs_status status = bs_complain_all(&errors);
            bs_errors_free(&errors);
            return status;
        }
    if (!bs_show_open(&window->show, story, options->width, options->height))
        return bs_out_of_memory();
    window->show.theme = options->dark ? &bs_theme_dark : &bs_theme_light;
    window->show.view = (enum bs_view)options->view;
    bs_player_start(&window->player, &window->show);
    return bs_view_begin(&window->show, &options->place);
}

enum bs_status bs_window_run(struct bs_story *story, const struct bs_view_options *options)
{
    struct window window = {.stale = true};
    enum bs_status status = open_window(&window, options);
    if (status == BS_OK)
        status = begin(&window, story, options);
    if (status == BS_OK)
        status = loop(&window);
    bs_show_free(&window.show);
    close_window(&window);
    return status;
}
