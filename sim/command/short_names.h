/* Names that are too long for a column: shortened, and still told apart. Those that would look
 * alike get a number, under which they are listed in full. */
#ifndef BS_SHORT_NAMES_H
#define BS_SHORT_NAMES_H

#include "screen.h"
#include "tally.h"

/* Start with {0}, add all names, fit them once, free it. */
struct bs_short_names {
    struct bs_names names;
    uint32_t *numbers; /* by name, from 1; 0: nothing looks like it */
    uint32_t numbered;
    size_t width;
};

/* Both return false when memory is out. */
bool bs_short_names_add(struct bs_short_names *names, const char *name);
bool bs_short_names_fit(struct bs_short_names *names, size_t width);

/* A name that was added, at most as wide as said, written to and returned as out. */
const char *bs_short_name(struct bs_short_names *names, const char *name, char *out, size_t room);

/* Lists the numbered names in full. */
void bs_short_names_list(const struct bs_short_names *names, const struct bs_screen *screen,
                         struct bs_spool *out);
void bs_short_names_free(struct bs_short_names *names);

#endif
