/* How often each bank is used: the passes in which it opens a row. */
#ifndef BS_BANK_USE_H
#define BS_BANK_USE_H

#include "bankshot.h"

struct bs_bank_shape;

/* Start with zero, free once. It belongs to one model. */
struct bs_bank_use {
    uint64_t uses[BS_MAX_BANKS]; /* passes in which each bank worked */
    struct bs_bank_shape *shapes;
    struct bs_schedule schedule;
};

/* Adds an access that bs_access_check accepts. Passes that go round the data stage do not count.
 * False when memory is out. */
bool bs_bank_use_add(struct bs_bank_use *use, const struct bs_model *model,
                     const struct bs_access *access);

/* How evenly it is spread. */
struct bs_bank_range {
    uint64_t least, most, all;
    uint32_t least_bank, most_bank; /* the first of those */
};
struct bs_bank_range bs_bank_use_range(const struct bs_bank_use *use, const struct bs_model *model);

void bs_bank_use_free(struct bs_bank_use *use);

#endif
