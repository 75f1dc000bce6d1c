/* bankshot view: starts the viewer, a program of its own that lies beside this one. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "core/program.h"
#include "options.h"
#include "view_help.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum bs_status cannot_start(const char *path, int failure)
{
    struct bs_error error;
    if (failure == ENOENT)
        bs_fail(&error, BS_INTERNAL, path, 0, 0,
                "there is no viewer beside this program: build it (target bankshot-view)");
    else
        bs_fail(&error, BS_INTERNAL, path, 0, 0, "cannot be started: %s", strerror(failure));
    return bs_complain(&error);
}

static bool asks_for_help(char **words)
{
    while (*words && strcmp(*words, "--help") != 0 && strcmp(*words, "-h") != 0)
        words++;
    return *words != NULL;
}

/* The help as far as it is known without the viewer. */
static enum bs_status help_alone(void)
{
    static const struct bs_verb verb = {
        .name = "view",
        .usage = bs_view_usage,
        .about = bs_view_about,
        .appendix = "The viewer, a program of its own, is not beside this one: build it (target\n"
                    "bankshot-view). Its help then lists all its options.\n",
        .examples = bs_view_examples,
    };
    char name[] = "view", help[] = "--help";
    char *words[] = {name, help, NULL};
    int operand;
    enum bs_status status;
    bs_options_parse(&verb, NULL, 0, 2, words, &operand, &status);
    return status;
}

/* Returns only if the viewer cannot be started. */
static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct bs_buffer text = {0};
    (void)verb;
    (void)argc;
    const bool helps = asks_for_help(argv);
    bs_program_folder(&text);
    bs_buffer_text(&text, "bankshot-view");
    char *path = bs_buffer_take(&text);
    if (!path)
        return bs_out_of_memory();
    argv[0] = path;
    execv(path, argv);
    const int failure = errno;
    const enum bs_status status =
        failure == ENOENT && helps ? help_alone() : cannot_start(path, failure);
    free(path);
    return status;
}

const struct bs_verb bs_verb_view = {
    .name = "view",
    .summary = bs_view_summary,
    .run = run,
};
