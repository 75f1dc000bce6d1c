/* For which devices a model is: lists of compute capabilities such as "8.x 9.0". */
#include "model_keys.h"

#include <string.h>

enum { MOST = 999 };

/* One word of a list. */
struct version {
    uint64_t major;
    uint64_t minor;
    bool any_minor;
};

/* Takes the next word off the list. False at the end or, with *list not at it, at a wrong word. */
static bool take(const char **list, struct version *version)
{
    const char *word = *list + strspn(*list, " ");
    const size_t size = strcspn(word, " ");
    const char *dot = memchr(word, '.', size);
    const size_t before = dot ? (size_t)(dot - word) : 0;
    const size_t after = dot ? size - before - 1 : 0;
    *list = word;
    *version = (struct version){.any_minor = after == 1 && dot[1] == 'x'};
    if (!dot || !bs_number_parse(word, before, MOST, &version->major) || version->major == 0 ||
        (!version->any_minor && !bs_number_parse(dot + 1, after, MOST, &version->minor)))
        return false;
    *list = word + size;
    return true;
}

bool bs_cc_list_fits(const char *list)
{
    struct version version;
    while (take(&list, &version))
        ;
    return *list == '\0';
}

bool bs_model_is_for(const struct bs_model *model, uint32_t major, uint32_t minor)
{
    const char *list = model->compute_capability;
    struct version version;
    while (take(&list, &version))
        if (version.major == major && (version.any_minor || version.minor == minor))
            return true;
    return false;
}
