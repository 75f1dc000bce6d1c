/*
 * What no layout can save. Where elements lie decides which banks they meet, but not how many bytes
 * the lanes ask for, nor the phases that an op goes by, nor which lanes ask for the same element:
 * from those follow the fewest slots and passes that an access takes under any layout, of the
 * searched spaces or not.
 */
#ifndef BS_LAYOUT_LEAST_H
#define BS_LAYOUT_LEAST_H

#include "layout_work.h"

/* The fewest slots of all visits together, whichever of the instructions that can do the access
 * are issued. 0 if the model has no rule for any. */
uint64_t bs_work_least(const struct bs_work *work, const struct bs_model *model, size_t access);

#endif
