/* Where models are: names, folders and files. */
#define _POSIX_C_SOURCE 200809L
#include "model_find.h"
#include "model_near.h"
#include "shortage.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".yaml";

static bool has_suffix(const char *name)
{
    const size_t size = strlen(name);
    const size_t end = strlen(suffix);
    return size > end && strcmp(name + size - end, suffix) == 0;
}

static char *join(const char *folder, const char *name, const char *end)
{
    struct bs_buffer path = {0};
    const size_t size = strlen(folder);
    bs_buffer_printf(&path, "%s%s%s%s", folder, size && folder[size - 1] != '/' ? "/" : "", name,
                     end);
    return bs_buffer_take(&path);
}

/* Whether a file is there; whether it can be read shows when it is. Anything else, such as a pipe
 * that would keep its reader waiting, is no model that a name stands for. */
static bool exists(const char *path)
{
    struct stat status;
    if (!path)
        return false;
    return stat(path, &status) == 0 ? S_ISREG(status.st_mode) : errno == EACCES;
}

static char *join_existing(const char *folder, const char *name)
{
    char *path = join(folder, name, suffix);
    if (exists(path))
        return path;
    free(path);
    return NULL;
}

char *bs_model_find(const char *name, const char *folder, const char *const *folders)
{
    if (strchr(name, '/') || has_suffix(name))
        return join(name[0] == '/' || !folder ? "" : folder, name, "");
    char *path = folder ? join_existing(folder, name) : NULL;
    for (; !path && folders && *folders; folders++)
        path = join_existing(*folders, name);
    return path;
}

char *bs_model_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    struct bs_buffer folder = {0};
    bs_buffer_add(&folder, path, slash ? (size_t)(slash - path) + 1 : 0);
    return bs_buffer_take(&folder);
}

char *bs_model_stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    struct bs_buffer stem = {0};
    bs_buffer_add(&stem, name, strlen(name) - (has_suffix(name) ? strlen(suffix) : 0));
    return bs_buffer_take(&stem);
}

/* ---- what there is --------------------------------------------------------------------------- */

struct names {
    char **list;
    size_t count;
    size_t room;
};

static void names_add(struct names *names, const char *folder, const char *file)
{
    char *path = join(folder, file, "");
    const bool is_file = exists(path);
    free(path);
    if (!is_file)
        return;
    char **list = bs_grow(names->list, &names->room, names->count + 1, sizeof *list);
    if (!list)
        return;
    names->list = list;
    char *stem = bs_model_stem(file);
    if (stem)
        list[names->count++] = stem;
}

static void names_add_folder(struct names *names, const char *folder)
{
    DIR *dir = opendir(folder[0] ? folder : ".");
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (has_suffix(entry->d_name))
            names_add(names, folder, entry->d_name);
    if (dir)
        closedir(dir);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char *bs_model_not_found(const char *name, const char *folder, const char *const *folders)
{
    struct names names = {0};
    struct bs_near near = {0};
    struct bs_buffer known = {0};
    struct bs_buffer text = {0};
    char hint[BS_NEAR_MESSAGE];
    if (folder)
        names_add_folder(&names, folder);
    for (; folders && *folders; folders++)
        names_add_folder(&names, *folders);
    if (names.count)
        qsort(names.list, names.count, sizeof *names.list, compare_names);
    for (size_t i = 0; i < names.count; i++) {
        bs_near_offer(&near, name, strlen(name), names.list[i]);
        if (i == 0 || strcmp(names.list[i], names.list[i - 1]) != 0)
            bs_buffer_printf(&known, "%s%s", i ? ", " : "", names.list[i]);
    }
    char *list = bs_buffer_take(&known);
    bs_buffer_printf(&text, "there is no model '%s' (available: %s)%s", name,
                     list && list[0] ? list : "none", bs_near_message(&near, hint));
    for (size_t i = 0; i < names.count; i++)
        free(names.list[i]);
    free(names.list);
    free(list);
    return bs_buffer_take(&text);
}

/* ---- files ----------------------------------------------------------------------------------- */

bool bs_model_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return strcmp(a, b) == 0 || (stat(a, &first) == 0 && stat(b, &second) == 0 &&
                                 first.st_dev == second.st_dev && first.st_ino == second.st_ino);
}

const char *bs_model_file(const char *path, size_t limit, struct bs_buffer *out,
                          enum bs_status *status)
{
    errno = 0;
    FILE *file = fopen(path, "rb");
    const char *problem = NULL;
    *status = bs_status_of(errno, BS_BAD_MODEL);
    if (!file)
        return strerror(errno);
    for (size_t got = 1; got > 0 && out->size <= limit;) {
        char chunk[4096];
        got = fread(chunk, 1, sizeof chunk, file);
        bs_buffer_add(out, chunk, got);
    }
    if (ferror(file))
        problem = strerror(errno);
    fclose(file);
    if (!out->failed)
        return problem;
    *status = BS_INTERNAL;
    return "out of memory";
}
