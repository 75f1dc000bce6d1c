/* Suggestions for names that are not known, by edit distance. */
#include "model_near.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Whether the bytes before these two places and at them are the same, but swapped. */
static bool swapped(const char *wanted, size_t i, const char *name, size_t j)
{
    return i > 0 && j > 0 && wanted[i] == name[j - 1] && wanted[i - 1] == name[j];
}

unsigned bs_near_distance(const char *wanted, size_t size, const char *name)
{
    unsigned rows[3][BS_NEAR_NAME]; /* this one, the one above and that above it, in turn */
    size_t length = strlen(name);
    length = length < BS_NEAR_NAME ? length : BS_NEAR_NAME - 1;
    size = size < BS_NEAR_NAME ? size : BS_NEAR_NAME - 1;
    for (unsigned j = 0; j <= length; j++)
        rows[0][j] = j;
    for (size_t i = 0; i < size; i++) {
        const unsigned any = wanted[i] == '*';
        const unsigned *above = rows[i % 3];
        unsigned *row = rows[(i + 1) % 3];
        row[0] = above[0] + !any;
        for (size_t j = 0; j < length; j++) {
            const unsigned differs = !any && wanted[i] != '?' && wanted[i] != name[j];
            row[j + 1] = least(least(above[j + 1] + !any, row[j] + !any), above[j] + differs);
            if (swapped(wanted, i, name, j))
                row[j + 1] = least(row[j + 1], rows[(i + 2) % 3][j - 1] + 1);
        }
    }
    return rows[size % 3][length];
}

/* Whether the text holds the word, which is long enough to mean it: "kepler" of "kepler-4byte". */
static bool holds(const char *text, size_t length, const char *word, size_t size)
{
    enum { TELLING = 4 };
    for (size_t at = 0; size >= TELLING && at + size <= length; at++)
        if (memcmp(text + at, word, size) == 0)
            return true;
    return false;
}

/* Whether they are the same but for capitals. */
static bool same_letters(const char *name, const char *word, size_t size)
{
    size_t at = 0;
    while (at < size && name[at] &&
           tolower((unsigned char)name[at]) == tolower((unsigned char)word[at]))
        at++;
    return at == size && name[at] == '\0';
}

/* The most edits at which two words of which the shorter has so many bytes are alike: one of a
 * short word, a quarter of a long one, and never all of it. */
static unsigned most_edits(size_t shorter)
{
    return shorter < 2 ? 0 : shorter < 6 ? 1 : (unsigned)(shorter + 2) / 4;
}

void bs_near_offer(struct bs_near *near, const char *wanted, size_t size, const char *name)
{
    const size_t length = strlen(name);
    const bool more = length > size / 2 && holds(wanted, size, name, length);
    const bool sure = more || holds(name, length, wanted, size) || same_letters(name, wanted, size);
    const unsigned distance = sure ? 1 : bs_near_distance(wanted, size, name);
    if ((!sure && distance > most_edits(size < length ? size : length)) ||
        (near->name[0] && near->distance <= distance))
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
