/* bankshot view: starts the viewer, a program of its own that lies beside this one. */
#define _POSIX_C_SOURCE 200809L
#include "command.h"
#include "core/program.h"

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

/* Returns only if the viewer cannot be started. */
static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct bs_buffer text = {0};
    (void)verb;
    (void)argc;
    bs_program_folder(&text);
    bs_buffer_text(&text, "bankshot-view");
    char *path = bs_buffer_take(&text);
    if (!path)
        return bs_out_of_memory();
    argv[0] = path;
    execv(path, argv);
    const enum bs_status status = cannot_start(path, errno);
    free(path);
    return status;
}

const struct bs_verb bs_verb_view = {
    .name = "view",
    .summary = "watch lanes land on banks",
    .run = run,
};
