/* Sessions of the viewer without a window. */
#include "session_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

void open_session(struct opened *opened, const struct asked *asked)
{
    struct bs_show show;
    open_show(&show, &opened->story, asked);
    bs_show_free(&show);
    opened->story.request.options.model = NULL; /* it was a path, which must not be relied on */
    assert_true(bs_session_open(&opened->session, &opened->story, 1280, 720));
}

void open_trace(struct opened *opened, const char *name)
{
    static char path[512]; /* lasts as long as the story */
    struct bs_errors errors = {0};
    snprintf(path, sizeof path, BANKSHOT_MODELS_FOLDER "/../traces/%s", name);
    const struct bs_request request = {.trace = path};
    if (!bs_story_open(&opened->story, &request, &errors) ||
        !bs_story_read(&opened->story, SIZE_MAX, &errors))
        fail_msg("%s: %s", name, errors.count ? errors.list[0].text : "no memory");
    assert_true(bs_session_open(&opened->session, &opened->story, 1280, 720));
}

void close_session(struct opened *opened)
{
    bs_session_close(&opened->session);
    bs_story_free(&opened->story);
}

void press(struct opened *opened, const char *keys)
{
    static const struct {
        const char *name;
        enum bs_key key;
    } named[] = {
        {"<return>", BS_KEY_RETURN}, {"<esc>", BS_KEY_ESCAPE},     {"<back>", BS_KEY_BACKSPACE},
        {"<tab>", BS_KEY_TAB},       {"<btab>", BS_KEY_BACKTAB},   {"<left>", BS_KEY_LEFT},
        {"<right>", BS_KEY_RIGHT},   {"<up>", BS_KEY_UP},          {"<down>", BS_KEY_DOWN},
        {"<pgup>", BS_KEY_PAGE_UP},  {"<pgdn>", BS_KEY_PAGE_DOWN}, {"<home>", BS_KEY_HOME},
        {"<end>", BS_KEY_END},       {"<del>", BS_KEY_DELETE},
    };
    while (*keys) {
        struct bs_event event = {.kind = BS_EVENT_TEXT, .text = {*keys}};
        size_t size = 1;
        for (size_t i = 0; i < sizeof named / sizeof *named; i++)
            if (strncmp(keys, named[i].name, strlen(named[i].name)) == 0) {
                event = (struct bs_event){.kind = BS_EVENT_KEY, .key = named[i].key};
                size = strlen(named[i].name);
            }
        assert_true(bs_session_take(&opened->session, &event));
        keys += size;
    }
}

void click(struct opened *opened, double x, double y)
{
    const struct bs_event event = {.kind = BS_EVENT_CLICK, .x = x, .y = y};
    assert_true(bs_session_take(&opened->session, &event));
}

void let_pass(struct opened *opened, double seconds)
{
    for (double gone = 0; gone < seconds; gone += 1 / 60.0)
        assert_true(bs_session_advance(&opened->session, 1 / 60.0));
}

void assert_text(const struct opened *opened, const char *name, const char *expected)
{
    const struct bs_values *values = opened->session.values;
    const size_t at = bs_values_find(values, name);
    assert_true(at < values->count);
    assert_string_equal(values->list[at].text, expected);
}

void assert_passes(const struct opened *opened, uint32_t scene, uint32_t expected)
{
    assert_int_equal(bs_scene_passes(&opened->session.show.scenes[scene]), expected);
    if (scene == 0)
        assert_int_equal(opened->story.told[0].passes, expected);
}

static void note_label(void *user, const struct bs_label *label)
{
    struct label_list *labels = user;
    assert_true(labels->count < sizeof labels->list / sizeof *labels->list);
    labels->list[labels->count++] = *label;
}

void collect_labels(const struct opened *opened, struct label_list *labels)
{
    const struct bs_show *show = &opened->session.show;
    const cairo_rectangle_t extent = {0, 0, show->width, show->height};
    cairo_surface_t *nothing = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extent);
    struct bs_pen pen = bs_show_pen(show, cairo_create(nothing));
    labels->count = 0;
    pen.written = note_label;
    pen.user = labels;
    bs_show_paint(show, &pen, NULL);
    bs_session_paint(&opened->session, &pen);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(nothing);
}

void check_labels(const struct opened *opened, const struct label_list *labels)
{
    const struct bs_show *show = &opened->session.show;
    for (size_t i = 0; i < labels->count; i++) {
        const struct bs_label *a = &labels->list[i];
        if (a->size < show->height / 45 - 1e-9)
            fail_msg("'%s' is smaller than 1/45 of %.0f", a->text, show->height);
        if (a->box.x < 0 || a->box.x + a->box.width > show->width ||
            a->box.y + a->box.height > show->height)
            fail_msg("'%s' leaves the picture of %.0f x %.0f", a->text, show->width, show->height);
        for (size_t k = 0; k < i; k++) {
            const struct bs_label *b = &labels->list[k];
            if (a->box.x < b->box.x + b->box.width && b->box.x < a->box.x + a->box.width &&
                a->box.y < b->box.y + b->box.height && b->box.y < a->box.y + a->box.height)
                fail_msg("'%s' lies over '%s' at %.0f x %.0f", a->text, b->text, show->width,
                         show->height);
        }
    }
}

bool says(const struct opened *opened, const char *text)
{
    static struct label_list labels;
    collect_labels(opened, &labels);
    for (size_t i = 0; i < labels.count; i++)
        if (strstr(labels.list[i].text, text))
            return true;
    return false;
}
