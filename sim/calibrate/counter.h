/* Passes by the profiler's counter: Nsight Compute around this program, which makes the accesses
 * of a file, a launch each. */
#ifndef BS_COUNTER_H
#define BS_COUNTER_H

#include "bankshot.h"
#include "kernels.h"

/* The passes of each access. False after filling error, where there is no profiler too. */
bool bs_count_plays(const struct gpu_pattern *patterns, size_t count, double *passes,
                    struct bs_error *error);

/* The launches that an access takes: one of GPU_PLAYS plays, and for a copy through the cache
 * another of twice as many, since its first play finds the cache empty. */
unsigned bs_play_launches(const struct gpu_pattern *pattern);

/* The accesses of such a file. NULL after filling error; the caller frees them. */
struct gpu_pattern *bs_plays_read(const char *path, size_t *count, struct bs_error *error);

#endif
