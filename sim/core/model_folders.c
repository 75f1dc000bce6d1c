/* Where device models are looked for: the environment, the installation, the source tree. */
#define _POSIX_C_SOURCE 200809L /* readlink */
#include "bankshot.h"

#include "buffer.h"

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

/* All names, each with a NUL behind it. */
static void add_names(struct bs_buffer *text, const char *installed)
{
    const char *models = getenv("BANKSHOT_MODELS");
    bs_buffer_text(text, models ? models : "");
    for (size_t i = 0; !text->failed && i < text->size; i++)
        if (text->data[i] == ':')
            text->data[i] = '\0';
    bs_buffer_add(text, "", 1);
    bs_buffer_text(text, installed ? installed : "");
    bs_buffer_add(text, "", 1);
    for (size_t i = 0; i < sizeof from_program / sizeof *from_program; i++) {
        add_program_folder(text);
        bs_buffer_text(text, from_program[i]);
        bs_buffer_add(text, "", 1);
    }
}

/* A list whose names lie behind it. */
static const char **make_list(const struct bs_buffer *text)
{
    const size_t most = text->size + 1; /* a name has at least a byte of the text */
    const char **list = malloc(most * sizeof *list + text->size);
    if (!list)
        return NULL;
    const char *name = memcpy(list + most, text->data, text->size);
    const char *end = name + text->size;
    size_t count = 0;
    for (; name < end; name += strlen(name) + 1)
        if (*name)
            list[count++] = name;
    list[count] = NULL;
    return list;
}

const char **bs_model_folders(const char *installed)
{
    struct bs_buffer text = {0};
    add_names(&text, installed);
    const char **list = text.failed ? NULL : make_list(&text);
    bs_buffer_free(&text);
    return list;
}
