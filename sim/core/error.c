/* Errors as values: making one, printing one, and a list in order of position. */
#include "bankshot.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool bs_fail(struct bs_error *error, enum bs_status status, const char *file, uint64_t line,
             uint64_t column, const char *format, ...)
{
    if (!error)
        return false;
    va_list args;
    va_start(args, format);
    char text[sizeof error->text]; /* the arguments may point into *error */
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    char name[sizeof error->file];
    bs_printable(file ? file : "", file ? strlen(file) : 0, name, sizeof name);
    bs_printable(text, strlen(text), error->text, sizeof error->text);
    memcpy(error->file, name, sizeof name);
    error->status = status;
    error->line = line;
    error->column = column;
    return false;
}

int bs_error_line(const struct bs_error *error, char *out, size_t size)
{
    char place[sizeof error->file + 64] = "";
    if (error->file[0] && error->line && error->column)
        snprintf(place, sizeof place, "%s:%llu:%llu: ", error->file,
                 (unsigned long long)error->line, (unsigned long long)error->column);
    else if (error->file[0] && error->line)
        snprintf(place, sizeof place, "%s:%llu: ", error->file, (unsigned long long)error->line);
    else if (error->file[0])
        snprintf(place, sizeof place, "%s: ", error->file);
    return snprintf(out, size, "%s%s", place, error->text);
}

/* Whether a character of three bytes ends a line or turns the direction of the text after it:
 * U+2028 to U+202E, U+2066 to U+2069. */
static bool moves_text(const unsigned char *text)
{
    return text[0] == 0xe2 && ((text[1] == 0x80 && text[2] >= 0xa8 && text[2] <= 0xae) ||
                               (text[1] == 0x81 && text[2] >= 0xa6 && text[2] <= 0xa9));
}

/* The bytes of the UTF-8 character at text that may be shown as it is; 0 for a control character,
 * for one that moves other text, and for what is no UTF-8. */
static size_t printable_bytes(const unsigned char *text, size_t size)
{
    const unsigned char c = text[0];
    const size_t bytes = c < 0x80   ? 1
                         : c < 0xc2 ? 0
                         : c < 0xe0 ? 2
                         : c < 0xf0 ? 3
                         : c < 0xf5 ? 4
                                    : 0;
    if (c < 0x20 || c == 0x7f || bytes > size)
        return 0;
    for (size_t i = 1; i < bytes; i++)
        if ((text[i] & 0xc0) != 0x80)
            return 0;
    const bool control = c == 0xc2 && text[1] < 0xa0;
    const bool overlong = (c == 0xe0 && text[1] < 0xa0) || (c == 0xf0 && text[1] < 0x90);
    const bool out_of_range = (c == 0xed && text[1] > 0x9f) || (c == 0xf4 && text[1] > 0x8f);
    return control || overlong || out_of_range || moves_text(text) ? 0 : bytes;
}

const char *bs_printable(const char *text, size_t size, char *out, size_t room)
{
    static const char hex[] = "0123456789abcdef";
    static const char cut[] = "...";
    size_t used = 0;
    size_t mark = 0; /* where "..." still fits */
    size_t bytes;
    for (size_t i = 0; i < size; i += bytes) {
        const unsigned char *at = (const unsigned char *)text + i;
        char escaped[] = {'\\', 'x', hex[*at >> 4], hex[*at & 15]};
        bytes = printable_bytes(at, size - i);
        const size_t need = bytes ? bytes : sizeof escaped;
        if (used + need + 1 > room) {
            if (room >= sizeof cut)
                memcpy(out + mark, cut, sizeof cut);
            else if (room > 0)
                out[0] = '\0';
            return out;
        }
        memcpy(out + used, bytes ? text + i : escaped, need);
        bytes = bytes ? bytes : 1;
        used += need;
        if (used + sizeof cut <= room)
            mark = used;
    }
    if (room > 0)
        out[used] = '\0';
    return out;
}

static bool stands_before(const struct bs_error *a, const struct bs_error *b)
{
    return a->line != b->line ? a->line < b->line : a->column < b->column;
}

void bs_errors_add(struct bs_errors *errors, const struct bs_error *error)
{
    /* A list that cannot grow keeps what it has: every error in it is true. */
    struct bs_error *list = realloc(errors->list, (errors->count + 1) * sizeof *list);
    if (!list)
        return;
    errors->list = list;
    size_t at = errors->count++;
    while (at > 0 && strcmp(list[at - 1].file, error->file) == 0 &&
           stands_before(error, &list[at - 1])) {
        list[at] = list[at - 1];
        at--;
    }
    list[at] = *error;
}

void bs_errors_free(struct bs_errors *errors)
{
    free(errors->list);
    *errors = (struct bs_errors){0};
}
