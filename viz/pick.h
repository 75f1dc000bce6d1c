/* A lane or a bank that the user points at: its path, on the picture and in words. */
#ifndef BS_PICK_H
#define BS_PICK_H

#include "show.h"

enum bs_pick_kind { BS_PICK_NOTHING, BS_PICK_LANE, BS_PICK_BANK };

struct bs_pick {
    enum bs_pick_kind kind;
    uint32_t panel;
    uint32_t number; /* of the lane or the bank */
};

/* What stands at a place of the picture; BS_PICK_NOTHING where there is nothing to point at. */
struct bs_pick bs_pick_at(const struct bs_show *show, double x, double y);

/* The lane or bank that comes a step after it, round and round. From another kind it begins with
 * the lowest active lane, or with the bank that has the most to do. */
struct bs_pick bs_pick_step(const struct bs_show *show, struct bs_pick from, enum bs_pick_kind kind,
                            int step);

/* Whether the show still has what was picked. */
bool bs_pick_holds(const struct bs_show *show, struct bs_pick pick);

/* "lane 5: 4 bytes at 640 · bank 0, row 5 · pass 6 of 32". Written to and returned as out. */
const char *bs_pick_words(const struct bs_show *show, struct bs_pick pick, char out[BS_WORDS]);

/* Draws the path over the scene. */
void bs_pick_paint(const struct bs_pen *pen, const struct bs_show *show, struct bs_pick pick);

#endif
