/*
 * Addresses as runs, A or A+S*N or A-S*N joined by commas: what the reader and the command line
 * share below bs_runs_parse.
 */
#ifndef BS_RUNS_H
#define BS_RUNS_H

#include "bankshot.h"

/* The runs that start at text and stop at a blank or at end: want addresses of at most max each,
 * into list in their order; "-" if want is 0. Returns the byte behind them, or NULL after filling
 * error (not NULL), whose column counts from text. */
const char *bs_runs_read(const char *text, const char *end, uint64_t max, unsigned want,
                         uint64_t list[BS_MAX_LANES], struct bs_error *error);

/* Gives list, which is in ascending lane order, to the active lanes. Entries of other lanes are
 * unspecified. */
void bs_lanes_spread32(uint64_t mask, const uint64_t list[BS_MAX_LANES],
                       uint32_t by_lane[BS_MAX_LANES]);
void bs_lanes_spread64(uint64_t mask, const uint64_t list[BS_MAX_LANES],
                       uint64_t by_lane[BS_MAX_LANES]);

#endif
