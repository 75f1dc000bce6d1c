/* See notes.h. */
#include "notes.h"

#include "bankshot-traces.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

bool bs_notes_add(struct bs_notes *notes, const char *text, size_t size)
{
    struct bs_buffer copy = {0};
    char **list = bs_grow(notes->list, &notes->room, notes->count + 1, sizeof *list);
    if (!list)
        return false;
    notes->list = list;
    bs_buffer_add(&copy, text, size);
    char *taken = bs_buffer_take(&copy);
    if (!taken)
        return false;
    list[notes->count++] = taken;
    return true;
}

/* A blank, or a control byte, which is taken as one. */
static bool is_space(char c)
{
    return (unsigned char)c <= ' ' || c == 0x7f;
}

bool bs_notes_add_foreign(struct bs_notes *notes, const char *text, size_t size)
{
    static const char more[] = "The trace has more notes than these.";
    char plain[BS_REMARK_TEXT];
    char line[BS_REMARK_TEXT];
    while (size > 0 && is_space(text[0])) {
        text++;
        size--;
    }
    while (size > 0 && is_space(text[size - 1]))
        size--;
    if (size == 0)
        return true;
    const size_t used = size < sizeof plain ? size : sizeof plain;
    for (size_t i = 0; i < used; i++)
        plain[i] = is_space(text[i]) ? ' ' : text[i];
    bs_printable(plain, used, line, sizeof line);
    for (size_t i = 0; i < notes->count; i++)
        if (strcmp(notes->list[i], line) == 0)
            return true;
    if (notes->count < BS_NOTES)
        return bs_notes_add(notes, line, strlen(line));
    return notes->count > BS_NOTES || bs_notes_add(notes, more, sizeof more - 1);
}

const char *bs_notes_at(const struct bs_notes *notes, size_t number)
{
    return number < notes->count ? notes->list[number] : NULL;
}

void bs_notes_free(struct bs_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++)
        free(notes->list[i]);
    free(notes->list);
    *notes = (struct bs_notes){0};
}
