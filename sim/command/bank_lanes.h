/* How many lanes go to each bank, whatever word they want there. */
#ifndef BS_BANK_LANES_H
#define BS_BANK_LANES_H

#include "json.h"
#include "screen.h"

struct bs_bank_lanes {
    uint32_t lanes[BS_MAX_BANKS];
    uint32_t banks;
    uint32_t most, hit; /* the largest number of lanes, and banks with any */
};
struct bs_bank_lanes bs_bank_lanes_of(const struct bs_model *model, const struct bs_access *access);

/* Rows of 16 banks. */
void bs_bank_lanes_text(const struct bs_bank_lanes *lanes, const struct bs_screen *screen,
                        struct bs_spool *out);
void bs_bank_lanes_json(const struct bs_bank_lanes *lanes, struct bs_json *json);

#endif
