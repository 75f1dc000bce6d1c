/* Matching names with patterns. */
#include "glob.h"

#include <string.h>

/* A star first takes nothing; when the rest does not fit,
 * the last star takes one byte more. */
bool bs_glob_matches_part(const char *pattern, size_t size, const char *name, size_t name_size)
{
    size_t p = 0, n = 0;
    size_t star = size, resume = 0;
    while (n < name_size) {
        if (p < size && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (p < size && (pattern[p] == '?' || pattern[p] == name[n])) {
            p++;
            n++;
        } else if (star < size) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    while (p < size && pattern[p] == '*')
        p++;
    return p == size;
}

bool bs_glob_matches(const char *pattern, size_t size, const char *name)
{
    return bs_glob_matches_part(pattern, size, name, strlen(name));
}
