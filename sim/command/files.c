/* Writing files whole or not at all. */
#define _POSIX_C_SOURCE 200809L /* lstat */
#include "files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool bs_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

static bool write_piece(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

static bool write_to(struct bs_spool *spool, const char *path)
{
    errno = 0;
    FILE *file = fopen(path, "wb");
    bool written = file && bs_spool_each(spool, write_piece, file);
    const int failure = errno;
    if (file && fclose(file) != 0)
        return false;
    errno = failure;
    return written;
}

/* A device or a pipe is written as it is; a file under another name first. */
static char *part_name(const char *path)
{
    struct stat status;
    struct bs_buffer part = {0};
    if (lstat(path, &status) != 0 || S_ISREG(status.st_mode))
        bs_buffer_printf(&part, "%s.part", path);
    else
        bs_buffer_text(&part, path);
    return bs_buffer_take(&part);
}

bool bs_spool_save(struct bs_spool *spool, const char *path, struct bs_error *error)
{
    char *part = part_name(path);
    if (!part)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    const bool apart = strcmp(part, path) != 0;
    const bool written = write_to(spool, part) && (!apart || rename(part, path) == 0);
    const int failure = errno;
    if (!written && apart)
        remove(part);
    free(part);
    if (!bs_spool_holds(spool, error))
        return false;
    return written || bs_fail(error, BS_INTERNAL, path, 0, 0, "cannot be written: %s",
                              strerror(failure ? failure : EIO));
}
