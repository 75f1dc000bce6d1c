/*
 * Runs a fuzz target over files and over the files of folders: the corpus as an ordinary test.
 * Fails if a path cannot be read or a folder has no file; a target that finds a fault aborts.
 */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { PATH_ROOM = 4096 };

static bool fail(const char *path, const char *why)
{
    fprintf(stderr, "%s: %s\n", path, why);
    return false;
}

/* All bytes of the file in a block of exactly that size, so that a sanitizer sees reads past it. */
static uint8_t *load(FILE *file, size_t *size)
{
    if (fseek(file, 0, SEEK_END) != 0)
        return NULL;
    const long end = ftell(file);
    rewind(file);
    uint8_t *bytes = end < 0 ? NULL : malloc(end > 0 ? (size_t)end : 1);
    if (bytes && fread(bytes, 1, (size_t)end, file) != (size_t)end) {
        free(bytes);
        return NULL;
    }
    *size = end < 0 ? 0 : (size_t)end;
    return bytes;
}

static bool replay_file(const char *path)
{
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(path, strerror(errno));
    uint8_t *bytes = load(file, &size);
    fclose(file);
    if (!bytes)
        return fail(path, "cannot be read");
    fprintf(stderr, "%s\n", path); /* before: the last line names the file that a crash is at */
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
    return true;
}

static bool replay_entry(const char *folder, const char *name, unsigned *count)
{
    char path[PATH_ROOM];
    if (name[0] == '.')
        return true;
    const int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        return fail(folder, "a path in it is too long");
    *count += 1;
    return replay_file(path);
}

static bool replay_folder(const char *path)
{
    unsigned count = 0;
    bool good = true;
    DIR *folder = opendir(path);
    if (!folder)
        return fail(path, strerror(errno));
    for (struct dirent *entry; (entry = readdir(folder));)
        good = replay_entry(path, entry->d_name, &count) && good;
    closedir(folder);
    return count > 0 ? good : fail(path, "expected at least one file in it, found none");
}

static bool replay(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return fail(path, strerror(errno));
    return S_ISDIR(status.st_mode) ? replay_folder(path) : replay_file(path);
}

int main(int argc, char **argv)
{
    bool good = argc > 1 || fail(argv[0], "expected files or folders to replay");
    for (int i = 1; i < argc; i++)
        good = replay(argv[i]) && good;
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
