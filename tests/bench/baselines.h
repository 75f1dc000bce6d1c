/* Other ways to count the passes of a warp-wide 4-byte access on 32 banks, to measure against. */
#ifndef BASELINES_H
#define BASELINES_H

#include <stdint.h>

/* A map from bank to a map from word to lanes, made anew for each access: how the best known GPU
 * simulator counts. Both maps are balanced trees with a node allocated per entry. */
uint32_t passes_by_map_of_maps(uint64_t mask, const uint32_t addr[32]);

/* Each lane compares its word with those of the lanes before it, and counts its bank if none is the
 * same. */
uint32_t passes_by_lane_array(uint64_t mask, const uint32_t addr[32]);

#endif
