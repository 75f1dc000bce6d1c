/* The window: events become actions, frames become pictures on the screen. */
#include "window.h"

#include "frame.h"
#include "headless.h"
#include "session_change.h"

#include <SDL.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLICE = 4096, /* records that are read at once */
    IDLE = 250,   /* milliseconds that nothing happens until the window looks again */
    FRAMES = 60,  /* a second, at most */
};

struct window {
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_Texture *texture;
    int width, height; /* in pixels */
    struct bs_frames frames;
    struct bs_session session;
    bool full_screen;
    uint64_t before;  /* when time went by last */
    uint64_t version; /* of the session, as it is on the screen */
    bool stale;       /* the picture on the screen is not the one to be seen */
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
    return window->texture && bs_session_resize(&window->session, width, height);
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
    const struct bs_show *show = &window->session.show;
    const bool drawn = bs_frames_draw(&window->frames, show, surface);
    const struct bs_pen pen = bs_show_pen(show, cairo_create(surface));
    bs_session_paint(&window->session, &pen);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(surface);
    SDL_UnlockTexture(window->texture);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
    window->stale = false;
    window->version = window->session.version;
    return drawn;
}

/* ---- events ---------------------------------------------------------------------------------- */

static enum bs_key key_of(const SDL_Keysym *keysym)
{
    static const struct {
        SDL_Keycode code;
        enum bs_key key;
    } keys[] = {
        {SDLK_RETURN, BS_KEY_RETURN},  {SDLK_KP_ENTER, BS_KEY_RETURN},
        {SDLK_ESCAPE, BS_KEY_ESCAPE},  {SDLK_BACKSPACE, BS_KEY_BACKSPACE},
        {SDLK_DELETE, BS_KEY_DELETE},  {SDLK_TAB, BS_KEY_TAB},
        {SDLK_LEFT, BS_KEY_LEFT},      {SDLK_RIGHT, BS_KEY_RIGHT},
        {SDLK_UP, BS_KEY_UP},          {SDLK_DOWN, BS_KEY_DOWN},
        {SDLK_PAGEUP, BS_KEY_PAGE_UP}, {SDLK_PAGEDOWN, BS_KEY_PAGE_DOWN},
        {SDLK_HOME, BS_KEY_HOME},      {SDLK_END, BS_KEY_END},
        {SDLK_F1, BS_KEY_F1},          {SDLK_F11, BS_KEY_F11},
    };
    if (keysym->sym == SDLK_TAB && (keysym->mod & KMOD_SHIFT))
        return BS_KEY_BACKTAB;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i].code == keysym->sym)
            return keys[i].key;
    return BS_KEY_NONE;
}

/* From a place in the window to one in the picture, which may have more pixels. */
static void place_mouse(const struct window *window, int x, int y, struct bs_event *event)
{
    int width;
    int height;
    SDL_GetWindowSize(window->window, &width, &height);
    event->x = width > 0 ? (double)x * window->width / width : 0;
    event->y = height > 0 ? (double)y * window->height / height : 0;
}

/* False if the event is none of the session's. */
static bool translate(const struct window *window, const SDL_Event *from, struct bs_event *to)
{
    int x;
    int y;
    *to = (struct bs_event){0};
    switch (from->type) {
    case SDL_KEYDOWN:
        to->kind = BS_EVENT_KEY;
        to->key = key_of(&from->key.keysym);
        return to->key != BS_KEY_NONE;
    case SDL_TEXTINPUT:
        to->kind = BS_EVENT_TEXT;
        memcpy(to->text, from->text.text, sizeof to->text);
        to->text[sizeof to->text - 1] = '\0';
        return true;
    case SDL_MOUSEBUTTONDOWN:
        to->kind = BS_EVENT_CLICK;
        place_mouse(window, from->button.x, from->button.y, to);
        return from->button.button == SDL_BUTTON_LEFT;
    case SDL_MOUSEWHEEL:
        SDL_GetMouseState(&x, &y);
        to->kind = BS_EVENT_WHEEL;
        to->steps =
            from->wheel.direction == SDL_MOUSEWHEEL_FLIPPED ? -from->wheel.y : from->wheel.y;
        place_mouse(window, x, y, to);
        return true;
    default:
        return false;
    }
}

/* Whether a window of that size fits on its screen; where that is not known, it does. */
static bool fits_screen(const struct window *window, double width, double height)
{
    SDL_Rect screen;
    const int display = SDL_GetWindowDisplayIndex(window->window);
    return display < 0 || SDL_GetDisplayUsableBounds(display, &screen) != 0 ||
           (width <= screen.w && height <= screen.h);
}

/* Gives the window the size and the form that the session wants, unless it would leave the screen;
 * width and height are what it had before. */
static void follow(struct window *window, double width, double height)
{
    struct bs_session *session = &window->session;
    if (session->height > height && !fits_screen(window, session->width, session->height)) {
        session->width = width;
        session->height = height;
    }
    if (session->full_screen != window->full_screen) {
        window->full_screen = session->full_screen;
        SDL_SetWindowFullscreen(window->window,
                                window->full_screen ? SDL_WINDOW_FULLSCREEN_DESKTOP : 0);
    }
    if (width != session->width || height != session->height) /* exact: it was set or it was not */
        SDL_SetWindowSize(window->window, (int)session->width, (int)session->height);
}

static bool handle(struct window *window, const SDL_Event *from)
{
    struct bs_event event;
    struct bs_session *session = &window->session;
    const double width = session->width;
    const double height = session->height;
    if (from->type == SDL_QUIT)
        session->quit = true;
    if (from->type == SDL_WINDOWEVENT)
        window->stale = true;
    if (from->type == SDL_WINDOWEVENT && from->window.event == SDL_WINDOWEVENT_SIZE_CHANGED &&
        !window->full_screen) {
        session->width = from->window.data1;
        session->height = from->window.data2;
    }
    if (!translate(window, from, &event))
        return true;
    const bool good = bs_session_take(session, &event);
    follow(window, width, height);
    return good;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static double seconds_since(uint64_t before)
{
    return (double)(SDL_GetPerformanceCounter() - before) / (double)SDL_GetPerformanceFrequency();
}

/* Reads on in the trace, for as long as that does not hold up the next frame. */
static bool read_on(struct window *window, double seconds, struct bs_errors *errors)
{
    const uint64_t start = SDL_GetPerformanceCounter();
    do {
        if (!bs_session_read(&window->session, SLICE, seconds, errors))
            return false;
        seconds = 0;
    } while (!window->session.story->whole && seconds_since(start) < 0.5 / FRAMES);
    return true;
}

static bool is_busy(const struct window *window)
{
    return window->stale || window->version != window->session.version ||
           bs_session_moves(&window->session);
}

/* Waits until there is something to do, lets the time go by that this took, and takes what has
 * come. */
static bool take_events(struct window *window, double *seconds)
{
    SDL_Event event;
    const bool waits = !is_busy(window) && window->session.story->whole;
    const bool came = waits && SDL_WaitEventTimeout(&event, IDLE);
    *seconds = seconds_since(window->before);
    window->before = SDL_GetPerformanceCounter();
    if (!bs_session_advance(&window->session, *seconds < 0.3 ? *seconds : 0.3) ||
        (came && !handle(window, &event)))
        return false;
    while (SDL_PollEvent(&event))
        if (!handle(window, &event))
            return false;
    return true;
}

/* A frame that was soon drawn waits for its time, as not every screen makes it wait. */
static void keep_pace(uint64_t start)
{
    const double rest = 1.0 / FRAMES - seconds_since(start);
    if (rest > 0.001)
        SDL_Delay((uint32_t)(rest * 1000));
}

/* One round: what has come, a frame if it looks different, and some of the trace. */
static enum bs_status turn(struct window *window, struct bs_errors *errors)
{
    double seconds;
    if (!take_events(window, &seconds))
        return bs_out_of_memory();
    if (!fit(window) || (is_busy(window) && !draw(window)))
        return fail("cannot go on", SDL_GetError());
    if (!read_on(window, seconds, errors))
        return errors->count ? bs_complain_all(errors) : bs_out_of_memory();
    return BS_OK;
}

static enum bs_status loop(struct window *window)
{
    struct bs_errors errors = {0};
    enum bs_status status = BS_OK;
    window->before = SDL_GetPerformanceCounter();
    while (status == BS_OK && !window->session.quit) {
        status = turn(window, &errors);
        if (is_busy(window))
            keep_pace(window->before);
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
    struct bs_session *session = &window->session;
    if (!bs_session_open(session, story, options->width, options->height))
        return bs_out_of_memory();
    session->show.theme = options->dark ? &bs_theme_dark : &bs_theme_light;
    session->show.asks = options->ask;
    session->show.legend = !options->no_legend;
    bs_session_say(session, options->ask ? "space plays; a shows the answer" : "space plays");
    const enum bs_status status = bs_view_begin(&session->show, &options->place);
    if (status == BS_OK && !bs_show_view(&session->show, (enum bs_view)options->view))
        return bs_out_of_memory();
    if (status == BS_OK && !fit(window)) /* before the mouse is asked where it is in the picture */
        return fail("cannot go on", SDL_GetError());
    return status;
}

/* Draws frames one after another, as if each were due, and counts how long that takes. */
static enum bs_status play(struct window *window, unsigned frames, double *took)
{
    SDL_Event event;
    for (unsigned i = 0; i < frames; i++) {
        while (SDL_PollEvent(&event))
            if (!handle(window, &event))
                return bs_out_of_memory();
        if (!bs_session_moves(&window->session) && !bs_player_restart(&window->session.player))
            return bs_out_of_memory();
        const uint64_t start = SDL_GetPerformanceCounter();
        if (!bs_session_advance(&window->session, 1.0 / FRAMES))
            return bs_out_of_memory();
        if (!fit(window) || !draw(window))
            return fail("cannot go on", SDL_GetError());
        took[i] = seconds_since(start);
    }
    return BS_OK;
}

enum bs_status bs_window_measure(struct bs_story *story, const struct bs_view_options *options,
                                 unsigned frames, double *took)
{
    struct window window = {.stale = true};
    enum bs_status status = open_window(&window, options);
    if (status == BS_OK)
        status = begin(&window, story, options);
    if (status == BS_OK)
        status = play(&window, frames, took);
    bs_session_close(&window.session);
    close_window(&window);
    return status;
}

enum bs_status bs_window_run(struct bs_story *story, const struct bs_view_options *options)
{
    struct window window = {.stale = true};
    enum bs_status status = open_window(&window, options);
    if (status == BS_OK)
        status = begin(&window, story, options);
    if (status == BS_OK)
        status = loop(&window);
    bs_session_close(&window.session);
    close_window(&window);
    return status;
}
