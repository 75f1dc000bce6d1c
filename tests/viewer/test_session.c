/* Do keys, the wheel and clicks do what the help says of them? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session.h"
#include "show_help.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32"};
static const struct asked copy = {.op = "cp.async.b128", .addresses = "t*16"};
static const struct asked two = {
    .op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32", .compares = {"pitch=33"}};

struct opened {
    struct bs_story story;
    struct bs_session session;
};

static void open_session(struct opened *opened, const struct asked *asked)
{
    struct bs_show show;
    open_show(&show, &opened->story, asked);
    bs_show_free(&show);
    opened->story.request.options.model = NULL; /* it was a path, which must not be relied on */
    assert_true(bs_session_open(&opened->session, &opened->story, 1280, 720));
}

static void close_session(struct opened *opened)
{
    bs_session_close(&opened->session);
    bs_story_free(&opened->story);
}

/* Letters are typed; names in <> are keys. */
static void press(struct opened *opened, const char *keys)
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

static void let_pass(struct opened *opened, double seconds)
{
    for (double gone = 0; gone < seconds; gone += 1 / 60.0)
        assert_true(bs_session_advance(&opened->session, 1 / 60.0));
}

static void assert_text(const struct opened *opened, const char *name, const char *expected)
{
    const struct bs_values *values = opened->session.values;
    const size_t at = bs_values_find(values, name);
    assert_true(at < values->count);
    assert_string_equal(values->list[at].text, expected);
}

static void assert_passes(const struct opened *opened, uint32_t scene, uint32_t expected)
{
    assert_int_equal(bs_scene_passes(&opened->session.show.scenes[scene]), expected);
    if (scene == 0)
        assert_int_equal(opened->story.told[0].passes, expected);
}

static void keys_move_and_play(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    let_pass(&opened, 2);
    assert_true(opened.session.show.time == -1);
    press(&opened, " ");
    assert_true(opened.session.player.playing);
    press(&opened, " ");
    assert_false(opened.session.player.playing);
    press(&opened, "<right><right>");
    let_pass(&opened, 2);
    assert_true(fabs(opened.session.show.time - BS_STILL) < 1e-6);
    press(&opened, "..,");
    assert_int_equal(opened.session.player.speed, 1);
    assert_string_equal(opened.session.note, "2 passes a second");
    let_pass(&opened, 7);
    assert_string_equal(opened.session.note, "");
    press(&opened, " ");
    const uint64_t playing = opened.session.version;
    let_pass(&opened, 60);
    assert_false(bs_session_moves(&opened.session));
    assert_true(opened.session.version > playing); /* the rest is shown */
    press(&opened, "?");
    assert_int_equal(opened.session.mode, BS_MODE_HELP);
    press(&opened, "q"); /* closes the keys alone */
    assert_false(opened.session.quit);
    assert_int_equal(opened.session.mode, BS_MODE_PLAY);
    press(&opened, "q");
    assert_true(opened.session.quit);
    close_session(&opened);
}

static void the_selected_value_is_changed_at_once(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    assert_passes(&opened, 0, 32);
    press(&opened, "<tab><up>");
    assert_text(&opened, "pitch", "33");
    assert_passes(&opened, 0, 1);
    assert_string_equal(opened.session.show.words, "lane t reads 4 bytes at 132 t");
    press(&opened, "<down><pgdn>");
    assert_text(&opened, "pitch", "16");
    assert_passes(&opened, 0, 16);
    press(&opened, "<esc><up>"); /* is for instructions again */
    assert_text(&opened, "pitch", "16");
    close_session(&opened);
}

static void model_keys_and_the_width_are_values_too(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "<tab><right><right><up>");
    assert_text(&opened, "banks", "64");
    assert_int_equal(opened.session.show.scenes[0].banks, 64);
    assert_passes(&opened, 0, 16);
    press(&opened, "<down><right><right><up>");
    assert_text(&opened, "mapping.xor", "row");
    assert_passes(&opened, 0, 1);
    press(&opened, "<btab><btab><btab><btab><btab><left><up>");
    assert_text(&opened, "op", "ld.b64");
    assert_int_equal(opened.session.show.scenes[0].op.bytes, 8);
    close_session(&opened);
}

/* What is wrong is said, and the scene stays as it was. */
static void a_wrong_expression_changes_nothing(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "e");
    assert_string_equal(opened.session.entry.text, "t*pitch*4");
    press(&opened, "*<return>");
    assert_true(opened.session.bad_note);
    assert_non_null(strstr(opened.session.note, "ADDRS"));
    assert_int_equal(opened.session.mode, BS_MODE_TYPE); /* to be corrected */
    assert_passes(&opened, 0, 32);
    assert_text(&opened, "addrs", "t*pitch*4");
    press(&opened, "<back><home><del>32*t-t<left><left><right><return>");
    assert_string_equal(opened.session.note,
                        "lane 1: negative address -96 \u00b7 ADDRS '32*t-t*pitch*4'");
    press(&opened, "<esc>");
    assert_int_equal(opened.session.mode, BS_MODE_PLAY);
    assert_passes(&opened, 0, 32);
    press(&opened, "e+t*4<return>");
    assert_string_equal(opened.session.note, "");
    assert_passes(&opened, 0, 1);
    close_session(&opened);
}

static void what_cannot_be_edited_is_said(void **state)
{
    (void)state;
    struct opened opened;
    struct bs_errors errors = {0};
    struct bs_request request = {.trace =
                                     BANKSHOT_MODELS_FOLDER "/../traces/cuda-classics.trace.xz"};
    open_session(&opened, &column);
    press(&opened, "e");
    for (unsigned i = 0; i < 9; i++)
        press(&opened, "<back>");
    press(&opened, "<return>");
    assert_string_equal(opened.session.note, "nothing was typed; escape leaves the value as it is");
    assert_int_equal(opened.session.mode, BS_MODE_TYPE);
    close_session(&opened);
    assert_true(bs_story_open(&opened.story, &request, &errors));
    assert_true(bs_session_open(&opened.session, &opened.story, 1280, 720));
    press(&opened, "e");
    assert_string_equal(opened.session.note, "addresses of a trace cannot be edited");
    close_session(&opened);
}

static void models_without_a_rule_are_passed_over(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &copy);
    press(&opened, "m");
    assert_string_not_equal(opened.session.show.scenes[0].model->name, "hopper");
    assert_non_null(opened.session.show.scenes[0].rule);
    assert_non_null(strstr(opened.session.note, "has no rule for cp.async.b128"));
    press(&opened, "M");
    assert_string_equal(opened.session.show.scenes[0].model->name, "hopper");
    close_session(&opened);
}

static void comparisons_come_and_go(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "c");
    assert_int_equal(opened.session.show.layout.panel_count, 2);
    assert_passes(&opened, 0, 32);
    assert_passes(&opened, 1, 1);
    press(&opened, "<tab><up>"); /* of the second scene */
    assert_passes(&opened, 0, 32);
    assert_passes(&opened, 1, 2);
    press(&opened, "1<up>"); /* of the first */
    assert_passes(&opened, 0, 1);
    assert_passes(&opened, 1, 2);
    press(&opened, "c");
    assert_int_equal(opened.session.show.layout.panel_count, 1);
    press(&opened, "c");
    assert_int_equal(opened.session.show.layout.panel_count, 2);
    assert_passes(&opened, 1, 2);
    press(&opened, "CCC");
    assert_int_equal(opened.session.show.layout.panel_count, 4);
    assert_string_equal(opened.session.note, "more scenes do not fit side by side");
    close_session(&opened);
}

static void a_comparison_from_the_command_line_can_be_changed(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &two);
    press(&opened, "<tab><down>");
    assert_passes(&opened, 0, 32);
    assert_passes(&opened, 1, 32);
    assert_string_equal(opened.story.variants[1].caption, "pitch=32");
    close_session(&opened);
}

static void what_scenes_differ_in_is_changed_first(void **state)
{
    (void)state;
    static const struct asked models = {
        .op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32", .compares = {"banks=64"}};
    struct opened opened;
    open_session(&opened, &models);
    press(&opened, "<tab><down>");
    assert_string_equal(opened.story.variants[1].caption, "banks=32");
    assert_string_equal(opened.story.variants[0].caption, "banks=32");
    press(&opened, "1<down>");
    assert_string_equal(opened.story.variants[0].caption, "banks=16");
    close_session(&opened);
}

static void a_record_is_gone_to_by_number(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "g1<return>");
    assert_string_equal(opened.session.note, "expected a record from 0 to 0, or RECORD:PASS");
    press(&opened, "<back>0:7<return>");
    assert_int_equal(opened.session.mode, BS_MODE_PLAY);
    assert_true(fabs(opened.session.show.time - 6 - BS_STILL) < 1e-6);
    press(&opened, "g<esc>");
    assert_int_equal(opened.session.mode, BS_MODE_PLAY);
    close_session(&opened);
}

static void lanes_and_banks_say_where_they_go(void **state)
{
    (void)state;
    char words[BS_WORDS];
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "lll");
    bs_pick_words(&opened.session.show, opened.session.pick, words);
    assert_string_equal(words, "lane 2: 4 bytes at 256 \u00b7 bank 0, row 2 \u00b7 pass 3 of 32");
    press(&opened, "b");
    bs_pick_words(&opened.session.show, opened.session.pick, words);
    assert_string_equal(words, "bank 0: 32 lanes, served 32 times, one word at a time \u00b7 done "
                               "after pass 32 of 32");
    press(&opened, "B");
    bs_pick_words(&opened.session.show, opened.session.pick, words);
    assert_string_equal(words, "bank 31: no lane asks for it");
    const struct bs_point lane = bs_panel_lane(&opened.session.show.layout.panels[0], 7);
    const struct bs_event event = {.kind = BS_EVENT_CLICK, .x = lane.x, .y = lane.y};
    assert_true(bs_session_take(&opened.session, &event));
    assert_int_equal(opened.session.pick.kind, BS_PICK_LANE);
    assert_int_equal(opened.session.pick.number, 7);
    press(&opened, "<esc>");
    assert_int_equal(opened.session.pick.kind, BS_PICK_NOTHING);
    close_session(&opened);
}

/* Where the value of that number is drawn. */
static struct bs_event at_value(const struct opened *opened, size_t number)
{
    const struct bs_box bar = opened->session.show.layout.bar;
    struct bs_event event = {.y = bar.y + bar.height / 2};
    for (event.x = bar.x; event.x < bar.x + bar.width; event.x++)
        if (bs_session_value_at(&opened->session, event.x, event.y) == number)
            return event;
    fail_msg("value %zu is not in the bar", number);
    return event;
}

static void the_mouse_changes_values_and_passes(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    const size_t pitch = bs_values_find(opened.session.values, "pitch");
    struct bs_event event = at_value(&opened, pitch);
    event.kind = BS_EVENT_WHEEL;
    event.steps = 1;
    assert_true(bs_session_take(&opened.session, &event));
    assert_text(&opened, "pitch", "33");
    event = at_value(&opened, 1);
    event.kind = BS_EVENT_CLICK;
    assert_true(bs_session_take(&opened.session, &event));
    assert_true(bs_session_take(&opened.session, &event));
    assert_int_equal(opened.session.mode, BS_MODE_TYPE);
    assert_string_equal(opened.session.entry.text, "t*pitch*4");
    press(&opened, "<esc>");
    const struct bs_event wheel = {.kind = BS_EVENT_WHEEL, .x = 640, .y = 300, .steps = -1};
    assert_true(bs_session_take(&opened.session, &wheel));
    let_pass(&opened, 2);
    assert_true(fabs(opened.session.show.time - BS_STILL) < 1e-6); /* from all in the queues */
    close_session(&opened);
}

/* The parameters of a sketch are values too, and scenes with different ones stand side by side. */
static void a_sketch_is_changed_and_compared(void **state)
{
    (void)state;
    struct opened opened;
    struct bs_errors errors = {0};
    struct bs_request request = {.trace = BANKSHOT_MODELS_FOLDER
                                 "/../traces/sketches/transpose-padded.yaml"};
    assert_true(bs_story_open(&opened.story, &request, &errors));
    assert_true(bs_story_read(&opened.story, SIZE_MAX, &errors));
    assert_true(bs_session_open(&opened.session, &opened.story, 1280, 720));
    assert_int_equal(opened.story.count, 72);
    press(&opened, "g40<return><tab><right>");
    assert_text(&opened, "pad", "1");
    assert_int_equal(bs_scene_passes(&opened.session.show.scenes[0]), 1);
    press(&opened, "<down>");
    assert_int_equal(opened.session.show.record, 40);
    assert_int_equal(opened.story.told[40].passes, 32);
    assert_int_equal(bs_scene_passes(&opened.session.show.scenes[0]), 32);
    press(&opened, "c");
    assert_int_equal(bs_scene_passes(&opened.session.show.scenes[1]), 1);
    assert_string_equal(opened.story.variants[0].caption, "pad=0");
    assert_string_equal(opened.story.variants[1].caption, "pad=1");
    press(&opened, "1<left><up>"); /* two CTAs in both */
    assert_int_equal(opened.story.count, 144);
    press(&opened, "<return>nonsense<return>");
    assert_true(opened.session.bad_note);
    assert_int_equal(opened.story.count, 144);
    press(&opened, "<esc><esc><end>");
    assert_int_equal(opened.session.show.record, 143);
    press(&opened, "<tab><down>");
    assert_int_equal(opened.story.count, 72);
    assert_int_equal(opened.session.show.record, 0);
    close_session(&opened);
}

static void plus_and_minus_change_the_size(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "+");
    assert_true(fabs(opened.session.height - 900) < 1e-6);
    assert_true(fabs(opened.session.width - 1600) < 1e-6);
    press(&opened, "---------");
    assert_true(fabs(opened.session.height - 360) < 1e-6);
    close_session(&opened);
}

static void a_picture_never_takes_the_name_of_another(void **state)
{
    (void)state;
    struct opened opened;
    char folder[] = P_tmpdir "/bankshot-XXXXXX";
    char before[1024];
    assert_non_null(getcwd(before, sizeof before));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    FILE *taken = fopen("bankshot-1.png", "w");
    assert_non_null(taken);
    assert_int_equal(fclose(taken), 0);
    open_session(&opened, &column);
    press(&opened, "s");
    assert_string_equal(opened.session.note, "saved as bankshot-2.png");
    assert_true(opened.session.show.bar);
    press(&opened, "s");
    assert_string_equal(opened.session.note, "saved as bankshot-3.png");
    press(&opened, "r");
    assert_true(bs_session_moves(&opened.session));
    assert_true(bs_session_advance(&opened.session, 0));
    assert_string_equal(opened.session.note, "saved as bankshot-1.gif");
    assert_false(bs_session_moves(&opened.session));
    assert_int_equal(remove("bankshot-1.gif"), 0);
    close_session(&opened);
    for (unsigned i = 1; i <= 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "bankshot-%u.png", i);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(chdir(before), 0);
    assert_int_equal(rmdir(folder), 0);
}

struct label_list {
    struct bs_label list[1024];
    size_t count;
};

static void note_label(void *user, const struct bs_label *label)
{
    struct label_list *labels = user;
    assert_true(labels->count < sizeof labels->list / sizeof *labels->list);
    labels->list[labels->count++] = *label;
}

/* Paints the show and what lies over it, on nothing. */
static void collect_labels(const struct opened *opened, struct label_list *labels)
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

static void check_labels(const struct opened *opened, const struct label_list *labels)
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

static bool says(const struct opened *opened, const char *text)
{
    static struct label_list labels;
    collect_labels(opened, &labels);
    for (size_t i = 0; i < labels.count; i++)
        if (strstr(labels.list[i].text, text))
            return true;
    return false;
}

static void scenes_share_a_scale_and_an_axis(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &two);
    const struct bs_painted_panel *panels = opened.session.show.picture.panels;
    press(&opened, "vv");
    assert_int_equal(opened.session.show.view, BS_VIEW_BANKS);
    assert_int_equal(panels[0].most_uses, 32);
    assert_int_equal(panels[1].most_uses, 32);
    press(&opened, "vv");
    assert_int_equal(opened.session.show.view, BS_VIEW_TIME);
    assert_true(panels[0].cycles.until > panels[0].cycles.from);
    assert_int_equal(panels[0].cycles.from, panels[1].cycles.from);
    assert_int_equal(panels[0].cycles.until, panels[1].cycles.until);
    assert_true(says(&opened, "pass above the ideal"));
    close_session(&opened);
}

static void models_that_differ_in_lanes_say_so(void **state)
{
    (void)state;
    static const struct asked row = {.op = "ld.b32", .addresses = "t*4"};
    struct opened opened;
    bool said = false;
    open_session(&opened, &row);
    uint32_t before = opened.session.show.scenes[0].model->lanes;
    for (size_t i = 0; i < opened.session.models.count; i++) {
        press(&opened, "m");
        const uint32_t lanes = opened.session.show.scenes[0].model->lanes;
        char note[48];
        snprintf(note, sizeof note, "%u lanes instead of %u", lanes, before);
        assert_int_equal(lanes != before, strncmp(opened.session.note, note, strlen(note)) == 0);
        said = said || lanes != before;
        before = lanes;
    }
    assert_true(said);
    close_session(&opened);
}

static void a_scene_is_never_of_a_model_without_a_rule(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &copy);
    press(&opened, "mMc"); /* the model is selected */
    assert_int_equal(opened.session.show.layout.panel_count, 2);
    assert_false(opened.session.bad_note);
    assert_non_null(opened.session.show.scenes[1].rule);
    close_session(&opened);
}

static void ops_that_cannot_take_the_addresses_are_passed_over(void **state)
{
    (void)state;
    static const struct asked row = {.op = "ld.b32", .addresses = "t*4"};
    struct opened opened;
    open_session(&opened, &row);
    press(&opened, "<tab>");
    while (opened.session.selected != 0)
        press(&opened, "<tab>");
    press(&opened, "<up>"); /* eight and sixteen bytes would be misaligned */
    assert_text(&opened, "op", "ld.b8");
    assert_false(opened.session.bad_note);
    assert_non_null(strstr(opened.session.note, "passed over: "));
    close_session(&opened);
}

static void clicks_play_and_list_the_keys(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    const struct bs_box bar = opened.session.show.layout.bar;
    struct bs_event event = {
        .kind = BS_EVENT_CLICK, .x = bar.x + bar.width - 1, .y = bar.y + bar.height / 2};
    assert_true(bs_session_take(&opened.session, &event));
    assert_int_equal(opened.session.mode, BS_MODE_HELP);
    press(&opened, "?");
    while (bs_session_key_at(&opened.session, event.x, event.y) == '?')
        event.x--;
    assert_true(bs_session_take(&opened.session, &event));
    assert_true(opened.session.player.playing);
    close_session(&opened);
}

static void the_answer_is_kept_until_the_end(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    assert_true(says(&opened, "32-way"));
    press(&opened, "a");
    assert_true(says(&opened, "how many passes?"));
    press(&opened, "<right><right>");
    let_pass(&opened, 2);
    assert_true(says(&opened, "pass 1"));
    assert_false(says(&opened, "of 32"));
    assert_false(says(&opened, "32-way"));
    assert_false(says(&opened, "bank 0 is asked"));
    assert_false(says(&opened, "banks busy"));
    press(&opened, "a");
    assert_true(says(&opened, "pass 1 of 32"));
    assert_true(says(&opened, "bank 0 is asked"));
    press(&opened, "a .... ");
    assert_false(says(&opened, "32-way"));
    press(&opened, " ");
    let_pass(&opened, 4);
    assert_true(says(&opened, "done in 32 passes"));
    assert_true(says(&opened, "32-way"));
    close_session(&opened);
}

static void the_bar_leaves_room_for_all_labels(void **state)
{
    (void)state;
    static const double sizes[][2] = {{1280, 720}, {3840, 2160}, {1024, 768}, {800, 900}};
    static const struct asked *const asked[] = {&column, &two, &copy};
    static struct label_list labels;
    for (unsigned i = 0; i < sizeof asked / sizeof *asked; i++) {
        struct opened opened;
        open_session(&opened, asked[i]);
        press(&opened, "<right><right>");
        let_pass(&opened, 2);
        for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++) {
            assert_true(bs_session_resize(&opened.session, sizes[k][0], sizes[k][1]));
            collect_labels(&opened, &labels);
            check_labels(&opened, &labels);
        }
        close_session(&opened);
    }
}

/* Whatever is pressed and clicked, the session goes on: what cannot be shown is refused, and what
 * is shown is whole. */
static void nothing_that_is_pressed_breaks_it(void **state)
{
    (void)state;
    static const char *const keys[] = {
        " ", "<left>", "<right>", "<up>",   "<down>", "<home>", "<end>", "<pgup>", "<pgdn>",
        "f", "g",      "<tab>",   "<btab>", "e",      "m",      "M",     "c",      "C",
        "1", "2",      "3",       "4",      "l",      "L",      "b",     "B",      "v",
        "d", "+",      "-",       "<esc>",  "<del>",  "<back>", "?",     "t*4",    "<return>"};
    enum { EVENTS = 1200 };
    uint32_t seed = 20261130;
    static struct label_list labels;
    struct opened opened;
    open_session(&opened, &two);
    for (unsigned i = 0; i < EVENTS; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t dice = seed >> 8;
        const struct bs_event event = {.kind = dice & 1 ? BS_EVENT_CLICK : BS_EVENT_WHEEL,
                                       .x = (dice >> 1) % 1280,
                                       .y = (dice >> 5) % 720,
                                       .steps = dice & 2 ? 1 : -1};
        if (dice % 8 == 0)
            assert_true(bs_session_take(&opened.session, &event));
        else
            press(&opened, keys[(dice >> 4) % (sizeof keys / sizeof *keys)]);
        assert_true(bs_session_advance(&opened.session, 0.05));
        assert_true(opened.session.show.record < opened.story.count);
        assert_true(opened.session.scene <= opened.session.values->compare_count);
        assert_int_equal(opened.story.variant_count, opened.session.values->compare_count + 1);
        collect_labels(&opened, &labels);
        assert_true(labels.count > 0);
    }
    close_session(&opened);
}

static void the_help_fits_on_the_screen(void **state)
{
    (void)state;
    size_t count;
    bs_key_words(&count);
    assert_true(1.75 * (double)count + 5 < BS_UNITS_HIGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_move_and_play),
        cmocka_unit_test(the_selected_value_is_changed_at_once),
        cmocka_unit_test(model_keys_and_the_width_are_values_too),
        cmocka_unit_test(a_wrong_expression_changes_nothing),
        cmocka_unit_test(what_cannot_be_edited_is_said),
        cmocka_unit_test(scenes_share_a_scale_and_an_axis),
        cmocka_unit_test(models_that_differ_in_lanes_say_so),
        cmocka_unit_test(a_scene_is_never_of_a_model_without_a_rule),
        cmocka_unit_test(ops_that_cannot_take_the_addresses_are_passed_over),
        cmocka_unit_test(clicks_play_and_list_the_keys),
        cmocka_unit_test(the_answer_is_kept_until_the_end),
        cmocka_unit_test(models_without_a_rule_are_passed_over),
        cmocka_unit_test(comparisons_come_and_go),
        cmocka_unit_test(a_comparison_from_the_command_line_can_be_changed),
        cmocka_unit_test(what_scenes_differ_in_is_changed_first),
        cmocka_unit_test(a_record_is_gone_to_by_number),
        cmocka_unit_test(lanes_and_banks_say_where_they_go),
        cmocka_unit_test(the_mouse_changes_values_and_passes),
        cmocka_unit_test(a_sketch_is_changed_and_compared),
        cmocka_unit_test(plus_and_minus_change_the_size),
        cmocka_unit_test(a_picture_never_takes_the_name_of_another),
        cmocka_unit_test(the_bar_leaves_room_for_all_labels),
        cmocka_unit_test(nothing_that_is_pressed_breaks_it),
        cmocka_unit_test(the_help_fits_on_the_screen),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
