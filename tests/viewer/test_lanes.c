/* Do lanes that are switched off take no part, is that said, and is there a way back? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session_help.h"
#include "switches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*128"};

static void click_lane(struct opened *opened, uint32_t lane)
{
    const struct bs_point at = bs_panel_lane(&opened->session.show.layout.panels[0], lane);
    click(opened, at.x, at.y);
}

static void assert_active(const struct opened *opened, uint64_t expected)
{
    const struct bs_show *show = &opened->session.show;
    assert_true(bs_story_active(&opened->story, show->record) == expected);
    for (uint32_t i = 0; i < opened->story.variant_count; i++)
        assert_true(show->scenes[i].active == expected);
}

static bool is_changed(const struct opened *opened)
{
    return strncmp(opened->session.show.title, "changed: ", 9) == 0;
}

static void a_second_click_switches_a_lane(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    click_lane(&opened, 7); /* shows its path */
    assert_passes(&opened, 0, 32);
    assert_false(is_changed(&opened));
    click_lane(&opened, 7);
    assert_active(&opened, 0xffffff7f);
    assert_passes(&opened, 0, 31);
    assert_true(is_changed(&opened));
    assert_true(says(&opened, "changed: ld.b32"));
    assert_true(says(&opened, "31 of 32 lanes are active"));
    click_lane(&opened, 7);
    assert_active(&opened, 0xffffffff);
    assert_false(is_changed(&opened));
    assert_passes(&opened, 0, 32);
    close_session(&opened);
}

static void keys_switch_lanes_and_there_is_a_way_back(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    press(&opened, "o");
    assert_non_null(strstr(opened.session.note, "chooses a lane"));
    press(&opened, "h");
    assert_active(&opened, 0xffff);
    assert_passes(&opened, 0, 16);
    press(&opened, "h");
    assert_active(&opened, 0);
    assert_passes(&opened, 0, 0);
    press(&opened, "h");
    assert_active(&opened, 0xffffffff);
    assert_false(is_changed(&opened));
    press(&opened, "llo<esc>");
    assert_active(&opened, 0xfffffffd);
    press(&opened, "u");
    assert_active(&opened, 0xffffffff);
    assert_string_equal(opened.session.note, "the lanes are as they were");
    close_session(&opened);
}

/* Only a lane that was active has an address. */
static void lanes_without_addresses_stay_inactive(void **state)
{
    (void)state;
    static const struct asked few = {.op = "ld.b32", .addresses = "t*128", .mask = "ff"};
    struct opened opened;
    open_session(&opened, &few);
    click_lane(&opened, 8);
    click_lane(&opened, 8);
    assert_true(opened.session.bad_note);
    assert_string_equal(opened.session.note,
                        "lane 8 has no address to go to: it was inactive from the start");
    assert_active(&opened, 0xff);
    press(&opened, "h");
    assert_active(&opened, 0); /* all of them are in the first half */
    press(&opened, "h");
    assert_active(&opened, 0xff);
    close_session(&opened);
}

static void all_scenes_have_the_same_lanes(void **state)
{
    (void)state;
    static const struct asked two = {
        .op = "ld.b32", .addresses = "t*p*4", .let = "p=32", .compares = {"p=16"}};
    struct opened opened;
    open_session(&opened, &two);
    press(&opened, "h");
    assert_active(&opened, 0xffff);
    assert_passes(&opened, 0, 16);
    assert_passes(&opened, 1, 8);
    press(&opened, "<tab><up>"); /* a value can be changed meanwhile */
    assert_active(&opened, 0xffff);
    assert_passes(&opened, 1, 1);
    close_session(&opened);
}

static void a_record_of_a_trace_is_changed_until_it_is_left(void **state)
{
    (void)state;
    struct opened opened;
    open_trace(&opened, "transpose-pitch32.trace");
    press(&opened, "f");
    const size_t record = opened.session.show.record;
    const uint16_t before = opened.story.told[record].passes;
    assert_int_equal(before, 32);
    press(&opened, "h");
    assert_active(&opened, 0xffff);
    assert_int_equal(opened.story.told[record].passes, 16);
    assert_true(is_changed(&opened));
    press(&opened, "m"); /* another model prices the same lanes */
    assert_active(&opened, 0xffff);
    press(&opened, "M<up>");
    assert_false(is_changed(&opened));
    press(&opened, "<down>");
    assert_false(is_changed(&opened));
    assert_active(&opened, 0xffffffff);
    assert_int_equal(opened.story.told[record].passes, before);
    press(&opened, "hvv"); /* the banks of the whole trace count what is changed */
    assert_int_equal(opened.session.show.view, BS_VIEW_BANKS);
    const uint64_t uses = opened.session.show.counts[0].use.uses[0];
    press(&opened, "u");
    assert_true(opened.session.show.counts[0].use.uses[0] == uses + 16);
    close_session(&opened);
}

static void a_barrier_has_no_lanes(void **state)
{
    (void)state;
    struct opened opened;
    open_trace(&opened, "transpose-pitch32.trace");
    while (opened.session.show.scenes[0].rule)
        press(&opened, "<down>");
    press(&opened, "h");
    assert_string_equal(opened.session.note, "a barrier has no lanes to switch");
    assert_false(is_changed(&opened));
    close_session(&opened);
}

static void the_source_of_a_record_is_said(void **state)
{
    (void)state;
    struct opened opened;
    open_trace(&opened, "sketches/transpose-padded.yaml");
    press(&opened, "g40<return>");
    assert_string_equal(opened.session.show.strip.caption,
                        "record 40 (0 to 71) \u00b7 ld tile[tx][ty + j] \u00b7 "
                        "transpose-padded.yaml:21 \u00b7 CTA 0, warp 0");
    close_session(&opened);
    open_trace(&opened, "transpose-pitch32.trace");
    assert_non_null(strstr(opened.session.show.strip.caption, "CTA 0, warp 0, pc 0x10 \u00b7 "));
    close_session(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_click_switches_a_lane),
        cmocka_unit_test(keys_switch_lanes_and_there_is_a_way_back),
        cmocka_unit_test(lanes_without_addresses_stay_inactive),
        cmocka_unit_test(all_scenes_have_the_same_lanes),
        cmocka_unit_test(a_record_of_a_trace_is_changed_until_it_is_left),
        cmocka_unit_test(a_barrier_has_no_lanes),
        cmocka_unit_test(the_source_of_a_record_is_said),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
