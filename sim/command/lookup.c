/* See lookup.h. */
#include "lookup.h"

#include <stdlib.h>

bool bs_folders_find(struct bs_folders *folders)
{
    *folders = (struct bs_folders){.list = bs_model_folders(NULL)};
    while (folders->list && folders->list[folders->count])
        folders->count++;
    return folders->list != NULL;
}

void bs_folders_free(struct bs_folders *folders)
{
    free(folders->list);
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
