/* How many CTAs of a launch are on a multiprocessor at a time, and what keeps more away. */
#ifndef BS_RESIDENT_H
#define BS_RESIDENT_H

#include "phrases.h"

/* What is known of a launch. */
struct bs_demand {
    int64_t smem;   /* bytes of shared memory a CTA; -1: not known */
    uint32_t warps; /* of a CTA */
    uint64_t ctas;
    uint32_t wish; /* CTAs at a time that the user asks for; 0: as many as there is room for */
};

enum bs_limit {
    BS_LIMIT_LAUNCH, /* the launch has no more CTAs */
    BS_LIMIT_WISH,
    BS_LIMIT_MEMORY, /* the room of a multiprocessor: */
    BS_LIMIT_WARPS,
    BS_LIMIT_CTAS,
};

struct bs_resident {
    struct bs_demand demand;
    uint32_t ctas; /* at least 1, even if there is no room for one */
    enum bs_limit limit;
    bool too_large; /* there is no room for one, or not for the wish */
};

struct bs_resident bs_resident_of(const struct bs_model *model, const struct bs_demand *demand);

/* Says it in a sentence or two, written to and returned as text. */
const char *bs_resident_text(const struct bs_resident *resident, const struct bs_model *model,
                             char text[BS_SENTENCE]);

#endif
