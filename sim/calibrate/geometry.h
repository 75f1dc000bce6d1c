/* Finding banks, their width, their rows and their mapping. */
#ifndef BS_GEOMETRY_H
#define BS_GEOMETRY_H

#include "gauge.h"

struct bs_geometry_finding {
    bool found;
    size_t asked, misses; /* pairs of addresses, and those that the geometry does not explain */
};

/* Sets the geometry of a model: lanes, banks, bank_width, row_bytes, mapping. Two lanes read two
 * addresses: a conflict costs one pass more. */
bool bs_find_geometry(struct bs_gauge *gauge, uint64_t seed, struct bs_model *model,
                      struct bs_geometry_finding *finding, struct bs_error *error);

#endif
