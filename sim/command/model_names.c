/* See model_names.h. */
#define _POSIX_C_SOURCE 200809L
#include "model_names.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void bs_model_names_free(struct bs_model_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    *names = (struct bs_model_names){0};
}

static bool names_have(const struct bs_model_names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0)
            return true;
    return false;
}

static bool names_add(struct bs_model_names *names, const char *file)
{
    static const char suffix[] = ".yaml";
    struct bs_buffer stem = {0};
    const size_t size = strlen(file);
    if (size < sizeof suffix || strcmp(file + size - strlen(suffix), suffix) != 0)
        return true;
    bs_buffer_add(&stem, file, size - strlen(suffix));
    char *name = bs_buffer_take(&stem);
    if (!name || names_have(names, name)) {
        free(name);
        return name != NULL;
    }
    char **list = bs_grow(names->list, &names->room, names->count + 1, sizeof *list);
    if (!list) {
        free(name);
        return false;
    }
    names->list = list;
    names->list[names->count++] = name;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Opening anything but a file, such as a pipe, might wait for ever. */
static bool is_file(DIR *directory, const char *name)
{
    struct stat status;
    return fstatat(dirfd(directory), name, &status, 0) == 0 && S_ISREG(status.st_mode);
}

/* A folder that does not exist holds no models. */
static bool add_folder(struct bs_model_names *names, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return true;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(directory));)
        good = !is_file(directory, entry->d_name) || names_add(names, entry->d_name);
    closedir(directory);
    return good;
}

bool bs_model_names_find(struct bs_model_names *names, const struct bs_folders *folders)
{
    bool good = true;
    *names = (struct bs_model_names){0};
    for (size_t i = 0; good && i < folders->count; i++)
        good = add_folder(names, folders->list[i]);
    if (names->count > 0)
        qsort(names->list, names->count, sizeof *names->list, by_name);
    return good;
}

/* A model that does not load is for nothing: whoever asks for it hears why. */
static bool is_for(const char *name, const struct bs_folders *folders, const uint32_t cc[2])
{
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load(name, folders->list, NULL, &errors);
    const bool fits = model && bs_model_is_for(model, cc[0], cc[1]);
    bs_model_free(model);
    bs_errors_free(&errors);
    return fits;
}

const char *bs_model_name_for(const uint32_t cc[2], char *out, size_t room, struct bs_error *error)
{
    struct bs_folders folders;
    struct bs_model_names names = {0};
    const bool good = bs_folders_find(&folders) && bs_model_names_find(&names, &folders);
    size_t found = 0;
    while (found < names.count && !is_for(names.list[found], &folders, cc))
        found++;
    if (found < names.count)
        snprintf(out, room, "%s", names.list[found]);
    else
        bs_fail(error, good ? BS_BAD_TRACE : BS_INTERNAL, NULL, 0, 0,
                good ? "no model is for devices of compute capability %u.%u, on which the trace "
                       "was made; choose one with -m"
                     : "out of memory",
                cc[0], cc[1]);
    const char *name = found < names.count ? out : NULL;
    bs_model_names_free(&names);
    bs_folders_free(&folders);
    return name;
}
