/* What a name in an expression looks like. */
#ifndef BS_NAME_H
#define BS_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static inline bool bs_is_name(const char *text, size_t size)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    static const char digits[] = "0123456789";
    for (size_t i = 0; i < size; i++)
        if (!text[i] || (!strchr(letters, text[i]) && (i == 0 || !strchr(digits, text[i]))))
            return false;
    return size > 0;
}

#endif
