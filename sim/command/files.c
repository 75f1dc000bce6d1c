/* Writing files whole or not at all. */
#define _POSIX_C_SOURCE 200809L /* stat */
#include "files.h"

#include "output_file.h"

#include <sys/stat.h>

bool bs_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

bool bs_is_plain_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

/* A file while it is written, and what went wrong. */
struct saving {
    struct bs_output_file output;
    struct bs_error *error;
};

static bool write_piece(void *user, const char *bytes, size_t size)
{
    struct saving *saving = user;
    return bs_output_write(&saving->output, bytes, size, saving->error);
}

bool bs_spool_save(struct bs_spool *spool, const char *path, struct bs_error *error)
{
    struct saving saving = {.error = error};
    if (!bs_output_open(&saving.output, path, error))
        return false;
    const bool written = bs_spool_each(spool, write_piece, &saving);
    const bool closed = bs_output_close(&saving.output, written, error);
    return bs_spool_holds(spool, error) && written && closed;
}
