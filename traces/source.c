/* Bytes from files, standard input and memory. The only part of the traces that knows POSIX. */
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "source.h"

#include "core/shortage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- files ---------------------------------------------------------------------------------- */

struct file {
    int descriptor;
    bool standard; /* it is standard input, and stays open */
};

static bool file_read(void *user, void *bytes, size_t room, size_t *got, const char **why)
{
    const struct file *file = user;
    ssize_t count;
    do
        count = read(file->descriptor, bytes, room);
    while (count < 0 && errno == EINTR);
    if (count < 0) {
        *why = strerror(errno);
        return false;
    }
    *got = (size_t)count;
    return true;
}

static bool file_seek(void *user, uint64_t offset)
{
    const struct file *file = user;
    return offset <= INT64_MAX && lseek(file->descriptor, (off_t)offset, SEEK_SET) >= 0;
}

static void file_close(void *user)
{
    struct file *file = user;
    if (!file->standard)
        close(file->descriptor);
    free(file);
}

/* The size of a regular file; 0 for pipes and what else has none. False if nothing can be read. */
static bool file_size(int descriptor, const char *path, uint64_t *size, struct bs_error *error)
{
    struct stat status;
    if (fstat(descriptor, &status) != 0)
        return bs_fail(error, BS_BAD_TRACE, path, 0, 0, "cannot be read: %s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return bs_fail(error, BS_BAD_TRACE, path, 0, 0, "expected a trace file, found a directory");
    *size = S_ISREG(status.st_mode) && status.st_size > 0 ? (uint64_t)status.st_size : 0;
    return true;
}

static bool file_take(struct bs_source *source, int descriptor, bool standard, const char *path,
                      struct bs_error *error)
{
    uint64_t size = 0;
    if (!file_size(descriptor, path, &size, error))
        return false;
    struct file *file = malloc(sizeof *file);
    if (!file)
        return bs_fail(error, BS_INTERNAL, path, 0, 0, "out of memory");
    *file = (struct file){descriptor, standard};
    *source = (struct bs_source){file, file_read, size > 0 ? file_seek : NULL, file_close, size};
    return true;
}

static bool is_readable(int descriptor)
{
    const int flags = fcntl(descriptor, F_GETFL);
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY;
}

bool bs_source_open(struct bs_source *source, const char *path, struct bs_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    const int descriptor = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (descriptor < 0)
        return bs_fail(error, bs_status_of(errno, BS_BAD_TRACE), path, 0, 0, "cannot be opened: %s",
                       strerror(errno));
    if (standard && !is_readable(descriptor))
        return bs_fail(error, BS_BAD_TRACE, path, 0, 0,
                       "standard input is closed, or not open for reading; expected a trace on it");
    if (file_take(source, descriptor, standard, path, error))
        return true;
    if (!standard)
        close(descriptor);
    return false;
}

enum bs_source_kind bs_source_kind(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return BS_SOURCE_NONE;
    return S_ISREG(status.st_mode) ? BS_SOURCE_FILE : BS_SOURCE_OTHER;
}

/* ---- memory --------------------------------------------------------------------------------- */

struct memory {
    const char *bytes;
    size_t size;
    size_t at;
};

static bool memory_read(void *user, void *bytes, size_t room, size_t *got, const char **why)
{
    (void)why;
    struct memory *memory = user;
    const size_t left = memory->size - memory->at;
    *got = room < left ? room : left;
    if (*got > 0)
        memcpy(bytes, memory->bytes + memory->at, *got);
    memory->at += *got;
    return true;
}

static bool memory_seek(void *user, uint64_t offset)
{
    struct memory *memory = user;
    if (offset > memory->size)
        return false;
    memory->at = (size_t)offset;
    return true;
}

bool bs_source_memory(struct bs_source *source, const void *bytes, size_t size,
                      struct bs_error *error)
{
    static const char nothing[1];
    struct memory *memory = malloc(sizeof *memory);
    if (!memory)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    *memory = (struct memory){size > 0 ? bytes : nothing, size, 0};
    *source = (struct bs_source){memory, memory_read, memory_seek, free, size};
    return true;
}

void bs_source_close(struct bs_source *source)
{
    if (source->close)
        source->close(source->user);
    *source = (struct bs_source){0};
}
