/* The program bankshot-view: which of its forms is wanted. */
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
    .summary = "watch lanes land on banks",
    .usage = "[OPTION]... TRACE\n[OPTION]... --eval OP ADDRS",
    .about = "Shows how the lanes of a warp land on the banks of shared memory, pass by pass, in a "
             "window; the key ? lists its keys. With --shot, --svg, --pdf or --record it writes "
             "files instead and needs no display.\n",
    .examples = "  bankshot view --eval ld.b32 't*128'\n"
                "  bankshot view --eval ld.b32 't*pitch*4' --let pitch=32 --compare pitch=33\n"
                "  bankshot view kernel.trace --at 42\n"
                "  bankshot view kernel.trace --at 42:7 --shot pass7.png\n",
    .run = run,
};

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return printf("bankshot-view " BS_VERSION "\n") > 0 ? 0 : BS_INTERNAL;
    return (int)view.run(&view, argc, argv);
}
