/* Can scenes beside one another be changed, put away and compared? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session_help.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32"};
static const struct asked copy = {.op = "cp.async.b128", .addresses = "t*16"};
static const struct asked two = {
    .op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32", .compares = {"pitch=33"}};

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

/* The parameters of a sketch are values too, and scenes with different ones stand side by side. */
static void a_sketch_is_changed_and_compared(void **state)
{
    (void)state;
    struct opened opened;
    open_trace(&opened, "sketches/transpose-padded.yaml");
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

/* Where a label of that text stands left of the queues of a scene; below all if nowhere. */
static double height_of_tick(const struct label_list *labels, const struct bs_panel *panel,
                             const char *text)
{
    for (size_t i = 0; i < labels->count; i++) {
        const struct bs_box box = labels->list[i].box;
        if (strcmp(labels->list[i].text, text) == 0 && box.y > panel->queue.y &&
            box.x > panel->whole.x && box.x + box.width < panel->queue.x)
            return box.y + box.height / 2;
    }
    return INFINITY;
}

static void the_scale_of_the_queues_is_said(void **state)
{
    (void)state;
    static const struct asked four = {.op = "ld.b32",
                                      .addresses = "t*pitch*4",
                                      .let = "pitch=32",
                                      .compares = {"pitch=33", "pitch=16", "banks=64"}};
    static struct label_list labels;
    struct opened opened;
    open_session(&opened, &four);
    collect_labels(&opened, &labels);
    for (uint32_t i = 0; i < 4; i++) {
        const struct bs_panel *panel = &opened.session.show.layout.panels[i];
        const double y = bs_panel_queue(panel, 0, 15).y; /* of the sixteenth */
        assert_true(fabs(height_of_tick(&labels, panel, "16") - y) < 1);
    }
    press(&opened, "c"); /* a lone scene has none: its queues say how many wait */
    collect_labels(&opened, &labels);
    assert_true(isinf(height_of_tick(&labels, &opened.session.show.layout.panels[0], "16")));
    close_session(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_come_and_go),
        cmocka_unit_test(a_comparison_from_the_command_line_can_be_changed),
        cmocka_unit_test(what_scenes_differ_in_is_changed_first),
        cmocka_unit_test(a_sketch_is_changed_and_compared),
        cmocka_unit_test(scenes_share_a_scale_and_an_axis),
        cmocka_unit_test(a_scene_is_never_of_a_model_without_a_rule),
        cmocka_unit_test(the_scale_of_the_queues_is_said),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
