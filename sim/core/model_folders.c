/* Where device models are looked for: the environment, the installation, the source tree. */
#include "bankshot.h"

#include "buffer.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>

/* The models' places as seen from the folder of the program. */
static const char *const from_program[] = {"../share/bankshot/models", "../../configs"};

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
        bs_program_folder(text);
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
