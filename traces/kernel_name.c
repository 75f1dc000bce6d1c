/* See kernel_name.h. */
#include "kernel_name.h"

#include <stddef.h>
#include <string.h>

struct bs_name_parts bs_name_parts_of(const char *text)
{
    static const char anonymous[] = "(anonymous namespace)";
    struct bs_name_parts parts = {.name = text, .last = text};
    const char *at = text;
    for (int depth = 0; *at; at++) {
        if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
            at += sizeof anonymous - 2;
        else if (*at == '(' && depth == 0)
            break;
        else if (*at == '<' && depth++ == 0)
            parts.of_template = at;
        else if (*at == '>')
            depth--;
        else if (*at == ' ' && depth == 0)
            parts.name = parts.last = at + 1;
        else if (at[0] == ':' && at[1] == ':' && depth == 0)
            parts.last = at + 2;
    }
    parts.arguments = at;
    if (!parts.of_template || parts.of_template < parts.last)
        parts.of_template = at;
    return parts;
}
