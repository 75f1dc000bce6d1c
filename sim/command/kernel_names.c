/* See kernel_names.h. */
#include "kernel_names.h"

#include "core/buffer.h"
#include "kernel_name.h"

#include <string.h>

/* Compares a kernel's name with all others. */
static void tell_apart(const struct bs_names *names, struct bs_shown_name *shown)
{
    for (size_t i = 0; i < names->shown_count; i++) {
        struct bs_shown_name *other = &names->shown[i];
        if (other == shown || !other->text)
            continue;
        if (strcmp(other->text + other->last, shown->text + shown->last) == 0)
            other->last_shared = shown->last_shared = true;
        if (strcmp(other->text, shown->text) == 0)
            other->shared = shown->shared = true;
    }
}

bool bs_names_show(struct bs_names *names, uint32_t number, const char *typed)
{
    struct bs_buffer copy = {0};
    struct bs_shown_name *shown =
        bs_grow(names->shown, &names->shown_room, number + (size_t)1, sizeof *shown);
    if (!shown)
        return false;
    names->shown = shown;
    while (names->shown_count <= number)
        shown[names->shown_count++] = (struct bs_shown_name){0};
    bs_buffer_text(&copy, typed);
    shown[number].text = bs_buffer_take(&copy);
    if (!shown[number].text)
        return false;
    shown[number].last = (size_t)(bs_name_parts_of(typed).last - typed);
    tell_apart(names, &shown[number]);
    return true;
}

bool bs_names_intern_kernel(struct bs_names *names, const struct bs_kernel *kernel,
                            uint32_t *number)
{
    char typed[BS_TYPED_NAME];
    const size_t known = names->count;
    if (!bs_names_intern(names, kernel->name, number))
        return false;
    if (names->count == known || !bs_kernel_name_typed(kernel->name, kernel->demangled, typed)[0])
        return true;
    return bs_names_show(names, *number, typed);
}

const char *bs_names_shown(const struct bs_names *names, uint32_t number)
{
    const struct bs_shown_name *shown =
        number < names->shown_count ? &names->shown[number] : &(struct bs_shown_name){0};
    if (shown->text && !shown->last_shared && shown->text[shown->last])
        return shown->text + shown->last;
    return shown->text && !shown->shared ? shown->text : names->list[number];
}
