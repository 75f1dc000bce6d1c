/* See output_file.h. */
#define _XOPEN_SOURCE 700 /* realpath, mkstemp, fdopen */
#include "output_file.h"

#include "core/buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path, int failure, struct bs_error *error)
{
    if (strcmp(path, "-") == 0)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "standard output: %s",
                       strerror(failure ? failure : EIO));
    return bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be written: %s",
                   strerror(failure ? failure : EIO));
}

static void forget(struct bs_output_file *output)
{
    free(output->target);
    free(output->part);
    *output = (struct bs_output_file){0};
}

static char *name_with(const char *path, const char *end)
{
    struct bs_buffer name = {0};
    bs_buffer_printf(&name, "%s%s", path, end);
    return bs_buffer_take(&name);
}

/* A name in the same folder, short whatever the file's is: the two together may be too long. */
static char *name_beside(const char *path)
{
    struct bs_buffer name = {0};
    const char *slash = strrchr(path, '/');
    bs_buffer_add(&name, path, slash ? (size_t)(slash + 1 - path) : 0);
    bs_buffer_text(&name, ".bankshot-XXXXXX");
    return bs_buffer_take(&name);
}

static bool is_stdout(const struct stat *status)
{
    struct stat out;
    return fstat(STDOUT_FILENO, &out) == 0 && out.st_dev == status->st_dev &&
           out.st_ino == status->st_ino;
}

/* The rights that the file has, or that a new one would get. */
static mode_t rights(bool exists, const struct stat *status)
{
    const mode_t mask = umask(0);
    umask(mask);
    return exists ? status->st_mode & 07777 : 0666 & ~mask;
}

static bool open_part(struct bs_output_file *output, mode_t mode)
{
    output->part = name_beside(output->target);
    const int descriptor = output->part ? mkstemp(output->part) : -1;
    if (descriptor < 0)
        return false;
    output->file = fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "wb") : NULL;
    if (output->file)
        return true;
    const int failure = errno;
    close(descriptor);
    remove(output->part);
    errno = failure;
    return false;
}

bool bs_output_is_stdout(const char *path)
{
    struct stat status;
    return strcmp(path, "-") == 0 || (stat(path, &status) == 0 && is_stdout(&status));
}

bool bs_output_is_same(const char *a, const char *b)
{
    struct stat left, right;
    if (!a || !b)
        return false;
    if (stat(a, &left) != 0 || stat(b, &right) != 0)
        return strcmp(a, b) == 0;
    return S_ISREG(left.st_mode) && left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

bool bs_output_open(struct bs_output_file *output, const char *path, struct bs_error *error)
{
    struct stat status;
    *output = (struct bs_output_file){.path = path};
    const bool exists = stat(path, &status) == 0;
    if (strcmp(path, "-") == 0 || (exists && is_stdout(&status))) {
        output->file = stdout;
        return true;
    }
    errno = 0;
    output->target = exists ? realpath(path, NULL) : name_with(path, "");
    if (!output->target)
        return fail(path, errno, error);
    bool opened = !exists || access(path, W_OK) == 0;
    if (opened && exists && !S_ISREG(status.st_mode))
        opened = (output->file = fopen(path, "wb")) != NULL;
    else if (opened)
        opened = open_part(output, rights(exists, &status));
    if (opened)
        return true;
    fail(path, errno, error);
    forget(output);
    return false;
}

bool bs_output_write(struct bs_output_file *output, const void *bytes, size_t size,
                     struct bs_error *error)
{
    errno = 0;
    return fwrite(bytes, 1, size, output->file) == size || fail(output->path, errno, error);
}

bool bs_output_failed(const struct bs_output_file *output, int failure, struct bs_error *error)
{
    return fail(output->path, failure, error);
}

bool bs_output_close(struct bs_output_file *output, bool keep, struct bs_error *error)
{
    errno = 0;
    bool good = output->file == stdout ? fflush(stdout) == 0 : fclose(output->file) == 0;
    if (good && keep && output->part)
        good = rename(output->part, output->target) == 0;
    const int failure = errno;
    if (output->part && !(good && keep))
        remove(output->part);
    const char *path = output->path;
    forget(output);
    return good || !keep || fail(path, failure, error);
}

bool bs_output_check(const char *path, struct bs_error *error)
{
    struct stat status;
    struct bs_output_file output;
    const bool is_special =
        stat(path, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
    if (is_special)
        return access(path, W_OK) == 0 || fail(path, errno, error);
    return bs_output_open(&output, path, error) && bs_output_close(&output, false, error);
}
