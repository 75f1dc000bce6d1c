/* What the tests of the viewer share: showings of one instruction. */
#ifndef SHOW_HELP_H
#define SHOW_HELP_H

#include "show.h"

enum { MAX_SETS = 4, MAX_COMPARES = 3 };

/* What is shown; parts that are NULL or 0 are left to their defaults. */
struct asked {
    const char *op;
    const char *addresses;
    const char *model; /* hopper */
    const char *mask;
    const char *let;
    const char *sets[MAX_SETS];
    const char *compares[MAX_COMPARES];
    double width, height; /* 1280 x 720 */
};

/* Opens it; fails the test if that does not work. Both are to be freed by close_show. */
void open_show(struct bs_show *show, struct bs_story *story, const struct asked *asked);
void close_show(struct bs_show *show, struct bs_story *story);

/* "ld.b32 t*4 on hopper", for messages. Returns a text that holds until the next call. */
const char *asked_text(const struct asked *asked);

#endif
