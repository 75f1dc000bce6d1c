/* See program.h. */
#define _POSIX_C_SOURCE 200809L /* readlink, stat */
#include "program.h"

#include "core/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char name[] = "bankshot";

static bool same_file(const char *path, const struct stat *program)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_dev == program->st_dev &&
           status.st_ino == program->st_ino;
}

/* Whether the first program of the name that a shell would find is this one. */
static bool shell_finds(const struct stat *program)
{
    const char *folders = getenv("PATH");
    for (const char *at = folders ? folders : ""; *at;) {
        const size_t size = strcspn(at, ":");
        struct bs_buffer path = {0};
        bs_buffer_add(&path, at, size);
        bs_buffer_printf(&path, "%s%s", size ? "/" : "", name);
        char *text = bs_buffer_take(&path);
        const bool there = text && access(text, X_OK) == 0;
        const bool same = there && same_file(text, program);
        free(text);
        if (there)
            return same;
        at += size + (at[size] == ':');
    }
    return false;
}

const char *bs_program_word(char *out, size_t room)
{
    char path[4096], folder[4096];
    struct stat program;
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);
    snprintf(out, room, "%s", name);
    if (size <= 0 || (size_t)size >= sizeof path - 1)
        return out;
    path[size] = '\0';
    if (stat(path, &program) != 0 || shell_finds(&program))
        return out;
    const size_t below = getcwd(folder, sizeof folder) ? strlen(folder) : 0;
    const bool inside = below > 1 && strncmp(path, folder, below) == 0 && path[below] == '/';
    snprintf(out, room, "%s", inside ? path + below + 1 : path);
    return out;
}
