/* Running nvdisasm on a kernel of a cubin. */
#define _XOPEN_SOURCE 700 /* mkstemp, posix_spawn */
#include "cubin.h"
#include "listing.h"

#include "core/buffer.h"
#include "core/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool system_failed(const char *what, struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "%s: %s", what, strerror(errno));
}

/* ---- finding it ----------------------------------------------------------------------------- */

/* FOLDER/middle/nvdisasm, if it can be run. */
static char *tool_in(const char *folder, size_t size, const char *middle)
{
    struct bs_buffer path = {0};
    bs_buffer_add(&path, folder, size);
    bs_buffer_printf(&path, "%s/nvdisasm", middle);
    char *name = bs_buffer_take(&path);
    if (name && access(name, X_OK) == 0)
        return name;
    free(name);
    return NULL;
}

char *bs_find_disassembler(void)
{
    static const char usual[] = "/usr/local/cuda";
    const char *home = getenv("CUDA_HOME");
    const char *path = getenv("PATH");
    char *found = home ? tool_in(home, strlen(home), "/bin") : NULL;
    while (!found && path && *path) {
        const size_t size = strcspn(path, ":");
        if (size > 0)
            found = tool_in(path, size, "");
        path += size;
        path += *path == ':';
    }
    return found ? found : tool_in(usual, sizeof usual - 1, "/bin");
}

/* ---- running it ----------------------------------------------------------------------------- */

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR)
            return false;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

static bool read_to_end(int file, struct bs_buffer *text)
{
    for (;;) {
        char piece[65536];
        const ssize_t got = read(file, piece, sizeof piece);
        if (got < 0 && errno != EINTR)
            return false;
        if (got == 0)
            return true;
        bs_buffer_add(text, piece, got > 0 ? (size_t)got : 0);
    }
}

/* Starts the tool with its output in a pipe, whose other end is *output. */
static bool start(char *const arguments[], pid_t *child, int *output, struct bs_error *error)
{
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (pipe(ends) != 0)
        return system_failed("a pipe to nvdisasm", error);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    errno = posix_spawn(child, arguments[0], &actions, NULL, arguments, environ);
    const bool started = errno == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = ends[0];
    if (started)
        return true;
    close(ends[0]);
    return system_failed(arguments[0], error);
}

static bool run(const char *tool, const char *file, uint32_t symbol, struct bs_buffer *text,
                struct bs_error *error)
{
    char path[4096], cubin[64], number[16];
    char code[] = "-c", lines[] = "-g", only[] = "-fun";
    char *const arguments[] = {path, code, lines, only, number, cubin, NULL};
    pid_t child;
    int output = -1, status = 0;
    snprintf(path, sizeof path, "%s", tool);
    snprintf(cubin, sizeof cubin, "%s", file);
    snprintf(number, sizeof number, "%u", symbol);
    if (!start(arguments, &child, &output, error))
        return false;
    const bool read = read_to_end(output, text);
    close(output);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (read && !text->failed && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return true;
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "%s failed", path);
}

char *bs_disassemble(const char *tool, const void *cubin, size_t size, const char *kernel,
                     struct bs_error *error)
{
    struct bs_buffer text = {0};
    uint32_t symbol;
    if (!bs_cubin_symbol(cubin, size, kernel, &symbol)) {
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "its module does not name it");
        return NULL;
    }
    char *name = bs_temporary_name();
    const int file = name ? mkstemp(name) : -1;
    if (file < 0) {
        system_failed(name ? name : "temporary file", error);
        free(name);
        return NULL;
    }
    const bool written = write_all(file, cubin, size);
    close(file);
    const bool done = written ? run(tool, name, symbol, &text, error) : system_failed(name, error);
    unlink(name);
    free(name);
    char *listing = bs_buffer_take(&text);
    if (done && listing)
        return listing;
    free(listing);
    return NULL;
}
