/* Is what the user changes shown at once, and what cannot be shown refused in words? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session_help.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*pitch*4", .let = "pitch=32"};
static const struct asked copy = {.op = "cp.async.b128", .addresses = "t*16"};

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
    open_session(&opened, &column);
    press(&opened, "e");
    for (unsigned i = 0; i < 9; i++)
        press(&opened, "<back>");
    press(&opened, "<return>");
    assert_string_equal(opened.session.note, "nothing was typed; escape leaves the value as it is");
    assert_int_equal(opened.session.mode, BS_MODE_TYPE);
    close_session(&opened);
    open_trace(&opened, "transpose-pitch32.trace");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_selected_value_is_changed_at_once),
        cmocka_unit_test(model_keys_and_the_width_are_values_too),
        cmocka_unit_test(a_wrong_expression_changes_nothing),
        cmocka_unit_test(what_cannot_be_edited_is_said),
        cmocka_unit_test(models_without_a_rule_are_passed_over),
        cmocka_unit_test(models_that_differ_in_lanes_say_so),
        cmocka_unit_test(ops_that_cannot_take_the_addresses_are_passed_over),
        cmocka_unit_test(the_mouse_changes_values_and_passes),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
