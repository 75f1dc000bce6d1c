/* The program bankshot-view: which of its forms is wanted. */
#include "command/view_help.h"
#include "headless.h"
#include "window.h"

#include <stdio.h>
#include <string.h>

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct bs_view_options options;
    struct bs_story story;
    struct bs_errors errors = {0};
    enum bs_status status;
    if (!bs_view_options_read(&options, verb, argc, argv, &status))
        return status;
    if (bs_story_open(&story, &options.request, &errors))
        status = bs_view_is_headless(&options) ? bs_view_write(&story, &options)
                                               : bs_window_run(&story, &options);
    else
        status = bs_complain_all(&errors);
    bs_errors_free(&errors);
    bs_story_free(&story);
    return status;
}

static const struct bs_verb view = {
    .name = "view",
    .summary = bs_view_summary,
    .usage = bs_view_usage,
    .about = bs_view_about,
    .examples = bs_view_examples,
    .run = run,
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("bankshot-view " BS_VERSION "\n") > 0 ? 0 : BS_INTERNAL;
    return (int)view.run(&view, argc, argv);
}
