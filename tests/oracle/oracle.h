/*
 * The oracle: what an access costs, worked out the slow way. It plays every pass, byte by byte,
 * over plain arrays, and shares no code with the simulator but the structs and the op's properties.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include "bankshot.h"

/* passes, slots, ideal and undefined of an access with a rule; notes stay 0. */
struct bs_cost oracle_cost(const struct bs_model *model, const struct bs_access *access);

#endif
