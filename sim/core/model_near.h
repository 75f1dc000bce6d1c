/* Suggestions: which known name is nearest to one that is not known. */
#ifndef BS_MODEL_NEAR_H
#define BS_MODEL_NEAR_H

#include <stddef.h>

enum { BS_NEAR_NAME = 64, BS_NEAR_MESSAGE = BS_NEAR_NAME + 24 };

/* Edits (a byte put in, left out or changed, or two neighbours swapped) between two names; both are
 * cut at 63 bytes. In wanted, * stands for any bytes and ? for any one. */
unsigned bs_near_distance(const char *wanted, size_t size, const char *name);

/* The best of the names offered so far, of those that are near for their length. Start with {0}.
 */
struct bs_near {
    char name[BS_NEAR_NAME];
    unsigned distance;
};
void bs_near_offer(struct bs_near *near, const char *wanted, size_t size, const char *name);

/* "; did you mean 'NAME'?", or nothing if no name was near. Written to and returned as out. */
const char *bs_near_message(const struct bs_near *near, char out[BS_NEAR_MESSAGE]);

#endif
