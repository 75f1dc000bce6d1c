/* Where device models are found: the environment, the installation, the source tree. */
#define _POSIX_C_SOURCE 200809L
#include "lookup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The models' places as seen from the folder of the program. */
static const char *const from_program[] = {"../share/bankshot/models", "../../configs"};

/* Adds the folder that holds the running program, with a '/', to text. */
static void add_program_folder(struct bs_buffer *text)
{
    char path[4096];
    const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
    size_t used = size > 0 && (size_t)size < sizeof path ? (size_t)size : 0;
    while (used > 0 && path[used - 1] != '/')
        used--;
    bs_buffer_add(text, path, used);
}

static void add_folder_names(struct bs_buffer *text)
{
    const char *models = getenv("BANKSHOT_MODELS");
    if (models && *models) {
        bs_buffer_text(text, models);
        bs_buffer_text(text, ":");
    }
    for (size_t i = 0; i < sizeof from_program / sizeof *from_program; i++) {
        add_program_folder(text);
        bs_buffer_text(text, from_program[i]);
        bs_buffer_text(text, ":");
    }
}

static bool folders_add(struct bs_folders *folders, const char *name)
{
    const char **list = bs_grow(folders->list, &folders->room, folders->count + 2, sizeof *list);
    if (!list)
        return false;
    folders->list = list;
    if (name)
        list[folders->count++] = name;
    list[folders->count] = NULL;
    return true;
}

bool bs_folders_find(struct bs_folders *folders)
{
    struct bs_buffer text = {0};
    *folders = (struct bs_folders){0};
    add_folder_names(&text);
    folders->text = bs_buffer_take(&text);
    bool found = folders->text && folders_add(folders, NULL);
    for (char *name = folders->text; found && *name;) {
        char *end = strchr(name, ':');
        *end = '\0';
        if (*name)
            found = folders_add(folders, name);
        name = end + 1;
    }
    if (!found)
        bs_folders_free(folders);
    return found;
}

void bs_folders_free(struct bs_folders *folders)
{
    free(folders->list);
    free(folders->text);
    *folders = (struct bs_folders){0};
}

struct bs_model *bs_load_model(const char *name, const char *const *sets, struct bs_errors *errors)
{
    struct bs_folders folders;
    if (!bs_folders_find(&folders))
        return NULL;
    struct bs_model *model = bs_model_load(name, folders.list, sets, errors);
    bs_folders_free(&folders);
    return model;
}

struct bs_model *bs_find_model(const char *name, const char *const *sets, enum bs_status *status)
{
    struct bs_errors errors = {0};
    struct bs_model *model = bs_load_model(name, sets, &errors);
    *status = model ? BS_OK : bs_complain_all(&errors);
    bs_errors_free(&errors);
    return model;
}
