/* Patterns of names: * stands for any bytes, ? for one. */
#ifndef BS_GLOB_H
#define BS_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the whole name fits the pattern, which has that size and need not end in NUL. */
bool bs_glob_matches(const char *pattern, size_t size, const char *name);

/* The same of a name that need not end in NUL either. */
bool bs_glob_matches_part(const char *pattern, size_t size, const char *name, size_t name_size);

#endif
