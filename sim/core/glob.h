/* Patterns of names: * stands for any bytes, ? for one. */
#ifndef BS_GLOB_H
#define BS_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole name fits the pattern, which has that size and need not end in NUL. */
bool bs_glob_matches(const char *pattern, size_t size, const char *name);

#endif
