/* See lookup.h. */
#include "lookup.h"

#include "bankshot-traces.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>

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

/* Where what stands for a model is a trace, that is all there is to say. */
static void teach_model(const char *name, struct bs_errors *errors)
{
    struct bs_error error;
    char shown[80];
    const char *kind = bs_is_plain_file(name) ? bs_trace_kind(name) : NULL;
    if (!kind)
        return;
    bs_errors_free(errors);
    bs_fail(
        &error, BS_BAD_MODEL, name, 0, 0,
        "this is a trace (%s), expected a device model; -m is for models, and a trace stands by "
        "itself: 'bankshot run %s'",
        kind, bs_printable(name, strlen(name), shown, sizeof shown));
    bs_errors_add(errors, &error);
}

struct bs_model *bs_load_model(const char *name, const char *const *sets, struct bs_errors *errors)
{
    struct bs_folders folders;
    if (!bs_folders_find(&folders))
        return NULL;
    struct bs_model *model = bs_model_load(name, folders.list, sets, errors);
    if (!model)
        teach_model(name, errors);
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
