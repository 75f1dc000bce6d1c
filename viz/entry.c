/* Typing. */
#include "entry.h"

#include <string.h>

static bool is_inside(char byte) /* of a character of several bytes */
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static size_t before(const struct bs_entry *entry, size_t at)
{
    while (at > 0 && is_inside(entry->text[--at]))
        ;
    return at;
}

static size_t after(const struct bs_entry *entry, size_t at)
{
    if (at < entry->size)
        at++;
    while (at < entry->size && is_inside(entry->text[at]))
        at++;
    return at;
}

void bs_entry_begin(struct bs_entry *entry, const char *text)
{
    *entry = (struct bs_entry){0};
    bs_entry_type(entry, text);
}

void bs_entry_type(struct bs_entry *entry, const char *text)
{
    const size_t size = strlen(text);
    if (size >= sizeof entry->text - entry->size)
        return;
    for (size_t i = 0; i < size; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return;
    char *at = entry->text + entry->cursor;
    memmove(at + size, at, entry->size - entry->cursor + 1);
    memcpy(at, text, size);
    entry->size += size;
    entry->cursor += size;
}

static void take_away(struct bs_entry *entry, size_t from, size_t to)
{
    memmove(entry->text + from, entry->text + to, entry->size - to + 1);
    entry->size -= to - from;
    entry->cursor = from;
}

bool bs_entry_press(struct bs_entry *entry, enum bs_key key)
{
    switch (key) {
    case BS_KEY_LEFT:
        entry->cursor = before(entry, entry->cursor);
        return true;
    case BS_KEY_RIGHT:
        entry->cursor = after(entry, entry->cursor);
        return true;
    case BS_KEY_HOME:
        entry->cursor = 0;
        return true;
    case BS_KEY_END:
        entry->cursor = entry->size;
        return true;
    case BS_KEY_BACKSPACE:
        take_away(entry, before(entry, entry->cursor), entry->cursor);
        return true;
    case BS_KEY_DELETE:
        take_away(entry, entry->cursor, after(entry, entry->cursor));
        return true;
    default:
        return false;
    }
}
