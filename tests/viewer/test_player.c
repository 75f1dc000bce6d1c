/* Do keys do what the help says of them? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "paint_help.h"
#include "player.h"
#include "show_help.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*128"};

struct opened {
    struct bs_story story;
    struct bs_show show;
    struct bs_player player;
};

static void open_player(struct opened *opened)
{
    open_show(&opened->show, &opened->story, &column);
    bs_player_start(&opened->player, &opened->show);
}

static void play(struct opened *opened, double seconds)
{
    for (double gone = 0; gone < seconds; gone += 1 / 60.0)
        assert_true(bs_player_advance(&opened->player, 1 / 60.0));
}

static void assert_time(const struct opened *opened, double expected)
{
    if (fabs(opened->show.time - expected) > 0.05)
        fail_msg("expected the time %f, came %f", expected, opened->show.time);
}

static void a_pass_takes_a_second_and_the_end_is_kept(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    play(&opened, 5);
    assert_time(&opened, 4);
    assert_true(bs_player_do(&opened.player, BS_DO_PLAY)); /* pause */
    play(&opened, 2);
    assert_time(&opened, 4);
    assert_true(bs_player_do(&opened.player, BS_DO_PLAY));
    play(&opened, 40);
    assert_time(&opened, 32);
    assert_false(bs_player_moves(&opened.player));
    assert_true(bs_player_do(&opened.player, BS_DO_PLAY)); /* again */
    play(&opened, 1);
    assert_time(&opened, 0);
    close_show(&opened.show, &opened.story);
}

static void steps_stop_at_the_stills(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    static const double forth[] = {-0.05, BS_STILL, 1 + BS_STILL, 2 + BS_STILL};
    for (unsigned i = 0; i < 4; i++) {
        assert_true(bs_player_do(&opened.player, BS_DO_NEXT_PASS));
        play(&opened, 2);
        assert_time(&opened, forth[i]);
    }
    for (unsigned i = 3; i-- > 0;) {
        assert_true(bs_player_do(&opened.player, BS_DO_PREVIOUS_PASS));
        play(&opened, 2);
        assert_time(&opened, forth[i]);
    }
    assert_true(bs_player_do(&opened.player, BS_DO_PREVIOUS_PASS));
    play(&opened, 2);
    assert_time(&opened, -1);
    close_show(&opened.show, &opened.story);
}

static void speed_has_limits(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    for (unsigned i = 0; i < 20; i++)
        assert_true(bs_player_do(&opened.player, BS_DO_FASTER));
    assert_int_equal(opened.player.speed, BS_FASTEST);
    for (unsigned i = 0; i < 20; i++)
        assert_true(bs_player_do(&opened.player, BS_DO_SLOWER));
    assert_int_equal(opened.player.speed, BS_SLOWEST);
    close_show(&opened.show, &opened.story);
}

static void a_click_on_the_strip_goes_there(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    const struct bs_box strip = opened.show.layout.strip;
    assert_true(bs_player_click(&opened.player, strip.x + strip.width * 0.5, strip.y + 10));
    assert_time(&opened, 16 + BS_STILL);
    assert_true(bs_player_click(&opened.player, strip.x + 5, 5)); /* elsewhere */
    assert_time(&opened, 16 + BS_STILL);
    close_show(&opened.show, &opened.story);
}

static void changes_are_followed_at_once(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    assert_int_equal(bs_show_passes(&opened.show), 32);
    assert_true(bs_player_change(&opened.player, "addrs=t*132"));
    assert_int_equal(bs_show_passes(&opened.show), 1);
    assert_string_equal(opened.show.words, "lane t reads 4 bytes at 132 t");
    assert_true(bs_player_change(&opened.player, "banks=64"));
    assert_int_equal(opened.show.scenes[0].banks, 64);
    assert_true(bs_player_change(&opened.player, "banks=16"));
    assert_int_equal(opened.show.scenes[0].banks, 16);
    assert_string_equal(opened.player.note, "");
    assert_int_equal(opened.story.told[0].passes, bs_show_passes(&opened.show));
    close_show(&opened.show, &opened.story);
}

/* What is wrong is said, and the scene stays as it was. */
static void a_wrong_change_changes_nothing(void **state)
{
    (void)state;
    static const char *const wrong[] = {"addrs=t*", "addrs=t*3", "banks=0", "nothing=1", "model=x"};
    struct opened opened;
    open_player(&opened);
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        opened.player.note[0] = '\0';
        assert_true(bs_player_change(&opened.player, wrong[i]));
        if (!opened.player.note[0])
            fail_msg("nothing is said of %s", wrong[i]);
        assert_int_equal(bs_show_passes(&opened.show), 32);
        assert_int_equal(opened.story.told[0].passes, 32);
    }
    assert_true(bs_player_change(&opened.player, "addrs=t*4"));
    assert_int_equal(bs_show_passes(&opened.show), 1);
    close_show(&opened.show, &opened.story);
}

static void models_without_a_rule_are_passed_over(void **state)
{
    (void)state;
    static const struct asked copy = {.op = "cp.async.b128", .addresses = "t*16"};
    struct opened opened;
    open_show(&opened.show, &opened.story, &copy);
    bs_player_start(&opened.player, &opened.show);
    assert_true(bs_player_do(&opened.player, BS_DO_MODEL));
    assert_string_not_equal(opened.show.scenes[0].model->name, "hopper");
    assert_non_null(opened.show.scenes[0].rule);
    assert_non_null(strstr(opened.player.note, "has no rule for cp.async.b128"));
    close_show(&opened.show, &opened.story);
}

static void lines_are_typed_and_done(void **state)
{
    (void)state;
    struct opened opened;
    open_player(&opened);
    assert_true(bs_player_do(&opened.player, BS_DO_ASK_CHANGE));
    assert_string_equal(opened.player.line, "addrs=t*128");
    bs_player_erase(&opened.player);
    bs_player_type(&opened.player, "4");
    assert_string_equal(opened.player.line, "addrs=t*124");
    assert_true(bs_player_enter(&opened.player));
    assert_string_equal(opened.show.words, "lane t reads 4 bytes at 124 t");

    assert_true(bs_player_do(&opened.player, BS_DO_ASK_COMPARE));
    bs_player_type(&opened.player, "addrs=t*4");
    assert_true(bs_player_enter(&opened.player));
    assert_int_equal(opened.show.layout.panel_count, 2);
    assert_int_equal(bs_scene_passes(&opened.show.scenes[1]), 1);
    assert_true(bs_player_do(&opened.player, BS_DO_ASK_COMPARE));
    bs_player_type(&opened.player, "banks=0");
    assert_true(bs_player_enter(&opened.player));
    assert_int_equal(opened.show.layout.panel_count, 2);
    assert_string_not_equal(opened.player.note, "");

    assert_true(bs_player_do(&opened.player, BS_DO_ASK_RECORD));
    bs_player_type(&opened.player, "1");
    assert_true(bs_player_enter(&opened.player));
    assert_string_equal(opened.player.note, "a record is a number from 0 to 0");
    assert_true(bs_player_do(&opened.player, BS_DO_ASK_RECORD));
    bs_player_cancel(&opened.player);
    assert_int_equal(opened.player.asking, BS_DO_NOTHING);
    close_show(&opened.show, &opened.story);
}

/* Each action can be had by a key, and the list fits on the screen. */
static void the_help_lists_every_action(void **state)
{
    (void)state;
    bool listed[BS_DO_QUIT + 1] = {[BS_DO_NOTHING] = true};
    size_t count;
    const struct bs_key_words *words = bs_key_words(&count);
    for (size_t i = 0; i < count; i++)
        listed[words[i].action] = true;
    for (unsigned i = 0; i <= BS_DO_QUIT; i++)
        if (!listed[i])
            fail_msg("action %u has no key", i);
    assert_true(1.75 * (double)count + 5.5 < BS_UNITS_HIGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_takes_a_second_and_the_end_is_kept),
        cmocka_unit_test(steps_stop_at_the_stills),
        cmocka_unit_test(speed_has_limits),
        cmocka_unit_test(a_click_on_the_strip_goes_there),
        cmocka_unit_test(changes_are_followed_at_once),
        cmocka_unit_test(a_wrong_change_changes_nothing),
        cmocka_unit_test(models_without_a_rule_are_passed_over),
        cmocka_unit_test(lines_are_typed_and_done),
        cmocka_unit_test(the_help_lists_every_action),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
