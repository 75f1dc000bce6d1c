/* Do keys, the wheel and clicks do what the help says of them? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session_help.h"

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
        " ",      "<left>", "<right>", "<up>",  "<down>", "<home>", "<end>", "<pgup>",
        "<pgdn>", "f",      "g",       "<tab>", "<btab>", "e",      "m",     "M",
        "c",      "C",      "1",       "2",     "3",      "4",      "l",     "L",
        "b",      "B",      "v",       "d",     "k",      "o",      "h",     "u",
        "+",      "-",      "<esc>",   "<del>", "<back>", "?",      "t*4",   "<return>"};
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
    assert_true(BS_HELP_LINE * (double)count + BS_HELP_REST < BS_UNITS_HIGH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_move_and_play),
        cmocka_unit_test(a_record_is_gone_to_by_number),
        cmocka_unit_test(lanes_and_banks_say_where_they_go),
        cmocka_unit_test(plus_and_minus_change_the_size),
        cmocka_unit_test(a_picture_never_takes_the_name_of_another),
        cmocka_unit_test(clicks_play_and_list_the_keys),
        cmocka_unit_test(the_answer_is_kept_until_the_end),
        cmocka_unit_test(the_bar_leaves_room_for_all_labels),
        cmocka_unit_test(nothing_that_is_pressed_breaks_it),
        cmocka_unit_test(the_help_fits_on_the_screen),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
