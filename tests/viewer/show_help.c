/* Showings of one instruction. */
#include "show_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

void open_show(struct bs_show *show, struct bs_story *story, const struct asked *asked)
{
    static char path[512]; /* lasts as long as the story */
    struct bs_request request = {.op = asked->op, .addresses = asked->addresses};
    struct bs_errors errors = {0};
    snprintf(path, sizeof path, BANKSHOT_MODELS_FOLDER "/%s.yaml",
             asked->model ? asked->model : "hopper");
    request.options.model = path;
    request.options.mask = asked->mask;
    if (asked->let)
        assert_true(bs_words_add(&request.options.lets, asked->let));
    for (unsigned i = 0; i < MAX_SETS && asked->sets[i]; i++)
        assert_true(bs_words_add(&request.options.sets, asked->sets[i]));
    for (unsigned i = 0; i < MAX_COMPARES && asked->compares[i]; i++)
        assert_true(bs_words_add(&request.compares, asked->compares[i]));
    if (!bs_story_open(story, &request, &errors))
        fail_msg("%s: %s", asked_text(asked), errors.count ? errors.list[0].text : "no memory");
    assert_true(bs_show_open(show, story, asked->width > 0 ? asked->width : 1280,
                             asked->height > 0 ? asked->height : 720));
}

void close_show(struct bs_show *show, struct bs_story *story)
{
    bs_show_free(show);
    bs_story_free(story);
}

const char *asked_text(const struct asked *asked)
{
    static char text[512];
    snprintf(text, sizeof text, "%s %s on %s%s%s%s%s at %.0fx%.0f", asked->op, asked->addresses,
             asked->model ? asked->model : "hopper", asked->sets[0] ? " with " : "",
             asked->sets[0] ? asked->sets[0] : "", asked->compares[0] ? " beside " : "",
             asked->compares[0] ? asked->compares[0] : "", asked->width > 0 ? asked->width : 1280,
             asked->height > 0 ? asked->height : 720);
    return text;
}
