/* Does the legend say what the marks of the scene mean, those and no others? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "session_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct asked column = {.op = "ld.b32", .addresses = "t*128"};
static const struct asked four = {
    .op = "ld.b32", .addresses = "t*p*4", .let = "p=32", .compares = {"p=33", "p=16", "banks=64"}};

enum { MOST_WORDS = 4 };

static void the_marks_of_a_scene_are_explained(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        const char *there[MOST_WORDS], *missing[MOST_WORDS];
    } cases[] = {
        {{.op = "ld.b32", .addresses = "t*4"},
         {"in this pass", "waits", "served"},
         {"conflict", "inactive", "lanes of one word", "scale"}},
        {{.op = "ld.b32", .addresses = "t*128"},
         {"conflict: a pass each"},
         {"lanes of the phase", "which word"}},
        {{.op = "ld.b32", .addresses = "0"}, {"broadcast: lanes of one word"}, {"conflict"}},
        {{.op = "ld.b32", .addresses = "t*4", .mask = "ff"}, {"inactive lane"}, {"conflict"}},
        {{.op = "st.b32", .addresses = "t/4*4"},
         {"undefined write", "its write may be lost", "lanes of one word"},
         {"one write stays", "broadcast"}},
        {{.op = "st.b32", .addresses = "t/4*4", .sets = {"winner=lowest"}},
         {"one write stays", "its write may be lost"},
         {"undefined write"}},
        {{.op = "ld.b128", .addresses = "t*16"},
         {"which word of a lane", "lanes of the phase"},
         {"conflict"}},
        {{.op = "ld.b32", .addresses = "t*128", .compares = {"addrs=t*4"}},
         {"one scale for all queues", "conflict: a pass each"},
         {"broadcast"}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct opened opened;
        open_session(&opened, &cases[i].asked);
        for (unsigned k = 0; k < MOST_WORDS && cases[i].there[k]; k++)
            if (!says(&opened, cases[i].there[k]))
                fail_msg("%s: '%s' is not said", asked_text(&cases[i].asked), cases[i].there[k]);
        for (unsigned k = 0; k < MOST_WORDS && cases[i].missing[k]; k++)
            if (says(&opened, cases[i].missing[k]))
                fail_msg("%s: '%s' is said", asked_text(&cases[i].asked), cases[i].missing[k]);
        close_session(&opened);
    }
}

static void a_key_puts_it_away_and_brings_it_back(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &column);
    const double queue = opened.session.show.layout.panels[0].queue.height;
    press(&opened, "k");
    assert_false(says(&opened, "in this pass"));
    assert_true(opened.session.show.layout.panels[0].queue.height > queue); /* has its room */
    press(&opened, "k");
    assert_true(says(&opened, "in this pass"));
    press(&opened, "v"); /* other views have other marks */
    assert_false(says(&opened, "in this pass"));
    press(&opened, "vvvv");
    assert_int_equal(opened.session.show.view, BS_VIEW_SCENE);
    assert_true(says(&opened, "in this pass"));
    press(&opened, "?");
    assert_true(says(&opened, "legend of the marks"));
    close_session(&opened);
}

static void it_keeps_the_answer_back(void **state)
{
    (void)state;
    static const struct asked write = {.op = "st.b32", .addresses = "t/4*4"};
    struct opened opened;
    open_session(&opened, &write);
    press(&opened, "a");
    assert_true(says(&opened, "in this pass"));
    assert_false(says(&opened, "undefined write"));
    press(&opened, "....  ");
    press(&opened, " ");
    let_pass(&opened, 4);
    assert_true(says(&opened, "undefined write"));
    close_session(&opened);
}

static void queues_come_before_it(void **state)
{
    (void)state;
    struct opened opened;
    open_session(&opened, &four);
    assert_true(says(&opened, "one scale for all queues"));
    assert_true(bs_session_resize(&opened.session, 1024, 768));
    assert_false(says(&opened, "one scale for all queues"));
    close_session(&opened);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_marks_of_a_scene_are_explained),
        cmocka_unit_test(a_key_puts_it_away_and_brings_it_back),
        cmocka_unit_test(it_keeps_the_answer_back),
        cmocka_unit_test(queues_come_before_it),
    };
    setenv("BANKSHOT_MODELS", BANKSHOT_MODELS_FOLDER, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
