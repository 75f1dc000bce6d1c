/* Gathering output in memory, then in a temporary file, and printing it in one go. */
#define _POSIX_C_SOURCE 200809L
#include "spool.h"

#include "command.h"
#include "core/temporary.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEMORY_LIMIT = 8 << 20, PIECE = 1 << 16 };

static void fail(struct bs_spool *spool, int failure)
{
    if (!spool->failure)
        spool->failure = failure ? failure : EIO;
}

/* The file of a descriptor; NULL and nothing open if there is none, errno being why. */
static FILE *file_of(int descriptor)
{
    FILE *file = fdopen(descriptor, "w+b");
    const int why = errno;
    if (!file)
        close(descriptor);
    errno = why;
    return file;
}

/* A file without a name, so that none is left behind however this ends. */
static FILE *temporary_file(void)
{
    char *name = bs_temporary_name();
    const int descriptor = name ? mkstemp(name) : -1;
    const int why = name ? errno : ENOMEM;
    if (descriptor >= 0)
        unlink(name);
    free(name);
    errno = why;
    return descriptor >= 0 ? file_of(descriptor) : NULL;
}

/* Called after each addition: moves what is in memory to the file once it is much. */
static void settle(struct bs_spool *spool)
{
    if (spool->memory.failed)
        fail(spool, ENOMEM);
    if (spool->failure)
        spool->memory.size = 0; /* nothing will be printed: keep nothing more */
    if (spool->memory.size < MEMORY_LIMIT)
        return;
    errno = 0;
    if (!spool->file)
        spool->file = temporary_file();
    if (!spool->file ||
        fwrite(spool->memory.data, 1, spool->memory.size, spool->file) != spool->memory.size)
        fail(spool, errno);
    spool->memory.size = 0;
}

void bs_spool_add(struct bs_spool *spool, const void *bytes, size_t size)
{
    bs_buffer_add(&spool->memory, bytes, size);
    settle(spool);
}

void bs_spool_text(struct bs_spool *spool, const char *text)
{
    bs_spool_add(spool, text, strlen(text));
}

void bs_spool_printf(struct bs_spool *spool, const char *format, ...)
{
    char text[256];
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length < sizeof text) {
        bs_spool_add(spool, text, (size_t)length);
        return;
    }
    if (length < 0 || !bs_buffer_reserve(&spool->memory, (size_t)length + 1)) {
        fail(spool, ENOMEM);
        return;
    }
    va_start(args, format);
    vsnprintf(spool->memory.data + spool->memory.size, (size_t)length + 1, format, args);
    va_end(args);
    spool->memory.size += (size_t)length;
    settle(spool);
}

size_t bs_spool_printable(struct bs_spool *spool, const char *text, size_t size)
{
    const size_t room = 4 * size + 1; /* each byte may become \xNN */
    if (!bs_buffer_reserve(&spool->memory, room)) {
        fail(spool, ENOMEM);
        return 0;
    }
    char *shown = spool->memory.data + spool->memory.size;
    bs_printable(text, size, shown, room);
    const size_t added = strlen(shown);
    spool->memory.size += added;
    settle(spool);
    return added;
}

void bs_spool_repeat(struct bs_spool *spool, char c, size_t count)
{
    while (count-- > 0)
        bs_spool_add(spool, &c, 1);
}

static bool each_of_file(struct bs_spool *spool,
                         bool (*use)(void *user, const char *bytes, size_t size), void *user)
{
    char piece[PIECE];
    size_t size;
    errno = 0;
    if (fflush(spool->file) != 0 || fseek(spool->file, 0, SEEK_SET) != 0) {
        fail(spool, errno);
        return false;
    }
    while ((size = fread(piece, 1, sizeof piece, spool->file)) > 0)
        if (!use(user, piece, size))
            return false;
    if (ferror(spool->file))
        fail(spool, errno);
    return !spool->failure;
}

bool bs_spool_each(struct bs_spool *spool, bool (*use)(void *user, const char *bytes, size_t size),
                   void *user)
{
    if (spool->failure || (spool->file && !each_of_file(spool, use, user)))
        return false;
    return spool->memory.size == 0 || use(user, spool->memory.data, spool->memory.size);
}

static bool print_piece(void *user, const char *bytes, size_t size)
{
    return fwrite(bytes, 1, size, user) == size;
}

bool bs_spool_holds(const struct bs_spool *spool, struct bs_error *error)
{
    if (!spool->failure)
        return true;
    if (spool->failure == ENOMEM)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    return bs_fail(error, BS_INTERNAL, bs_temporary_folder(), 0, 0,
                   "the output could not be gathered in this folder: %s; TMPDIR chooses another",
                   strerror(spool->failure));
}

enum bs_status bs_spool_print(struct bs_spool *spool)
{
    struct bs_error error = {.status = BS_OK};
    errno = 0;
    const bool printed = bs_spool_each(spool, print_piece, stdout) && fflush(stdout) == 0;
    if (bs_spool_holds(spool, &error) && !printed)
        bs_fail(&error, BS_INTERNAL, NULL, 0, 0, "standard output: %s",
                strerror(errno ? errno : EIO));
    bs_spool_free(spool);
    return error.status == BS_OK ? BS_OK : bs_complain(&error);
}

void bs_spool_free(struct bs_spool *spool)
{
    bs_buffer_free(&spool->memory);
    if (spool->file)
        fclose(spool->file);
    *spool = (struct bs_spool){0};
}
