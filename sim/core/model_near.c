/* Suggestions for names that are not known, by edit distance. */
#include "model_near.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned bs_near_distance(const char *wanted, size_t size, const char *name)
{
    unsigned above[BS_NEAR_NAME];
    unsigned row[BS_NEAR_NAME];
    size_t length = strlen(name);
    length = length < BS_NEAR_NAME ? length : BS_NEAR_NAME - 1;
    size = size < BS_NEAR_NAME ? size : BS_NEAR_NAME - 1;
    for (unsigned j = 0; j <= length; j++)
        above[j] = j;
    for (size_t i = 0; i < size; i++) {
        const unsigned any = wanted[i] == '*';
        row[0] = above[0] + !any;
        for (size_t j = 0; j < length; j++) {
            const unsigned differs = !any && wanted[i] != '?' && wanted[i] != name[j];
            row[j + 1] = least(least(above[j + 1] + !any, row[j] + !any), above[j] + differs);
        }
        memcpy(above, row, sizeof row);
    }
    return above[length];
}

/* Whether the name holds the word, which is long enough to mean it: "kepler" of "kepler-4byte". */
static bool holds(const char *name, const char *word, size_t size)
{
    enum { TELLING = 4 };
    for (const char *at = name; size >= TELLING && strlen(at) >= size; at++)
        if (memcmp(at, word, size) == 0)
            return true;
    return false;
}

void bs_near_offer(struct bs_near *near, const char *wanted, size_t size, const char *name)
{
    const unsigned distance = holds(name, wanted, size) ? 1 : bs_near_distance(wanted, size, name);
    if (distance > 1 + size / 3 || (near->name[0] && near->distance <= distance))
        return;
    snprintf(near->name, sizeof near->name, "%s", name);
    near->distance = distance;
}

const char *bs_near_message(const struct bs_near *near, char out[BS_NEAR_MESSAGE])
{
    out[0] = '\0';
    if (near->name[0])
        snprintf(out, BS_NEAR_MESSAGE, "; did you mean '%s'?", near->name);
    return out;
}
