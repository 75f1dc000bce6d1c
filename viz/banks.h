/* How often the instructions of a story use each bank. */
#ifndef BS_BANKS_H
#define BS_BANKS_H

#include "command/bank_use.h"
#include "story.h"

enum { BS_ALL_KERNELS = INT32_MAX };

/* Start with {0}, free once. */
struct bs_bank_counts {
    const struct bs_model *model;
    uint32_t kernel; /* whose records count; BS_ALL_KERNELS: all */
    size_t until;    /* records looked at so far */
    size_t records;  /* those that count */
    struct bs_bank_use use;
};

/* Counts the records read so far that have not been counted, from the start if another model or
 * kernel is wanted than before. False when memory is out. */
bool bs_banks_count(struct bs_bank_counts *counts, const struct bs_story *story, uint32_t variant,
                    uint32_t kernel);
void bs_banks_free(struct bs_bank_counts *counts);

#endif
