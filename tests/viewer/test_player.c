/* Does a show play as it should? */
#include "player.h"
#include "show_help.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

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
    assert_false(bs_player_moves(&opened->player)); /* time to ask what will come */
    assert_true(bs_player_do(&opened->player, BS_MOVE_PLAY));
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
    assert_true(bs_player_do(&opened.player, BS_MOVE_PLAY)); /* pause */
    play(&opened, 2);
    assert_time(&opened, 4);
    assert_true(bs_player_do(&opened.player, BS_MOVE_PLAY));
    play(&opened, 40);
    assert_time(&opened, 32);
    assert_false(bs_player_moves(&opened.player));
    assert_true(bs_player_do(&opened.player, BS_MOVE_PLAY)); /* again */
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
        assert_true(bs_player_do(&opened.player, BS_MOVE_NEXT_PASS));
        play(&opened, 2);
        assert_time(&opened, forth[i]);
    }
    for (unsigned i = 3; i-- > 0;) {
        assert_true(bs_player_do(&opened.player, BS_MOVE_PREVIOUS_PASS));
        play(&opened, 2);
        assert_time(&opened, forth[i]);
    }
    assert_true(bs_player_do(&opened.player, BS_MOVE_PREVIOUS_PASS));
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
        assert_true(bs_player_do(&opened.player, BS_MOVE_FASTER));
    assert_int_equal(opened.player.speed, BS_FASTEST);
    for (unsigned i = 0; i < 20; i++)
        assert_true(bs_player_do(&opened.player, BS_MOVE_SLOWER));
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_takes_a_second_and_the_end_is_kept),
        cmocka_unit_test(steps_stop_at_the_stills),
        cmocka_unit_test(speed_has_limits),
        cmocka_unit_test(a_click_on_the_strip_goes_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
