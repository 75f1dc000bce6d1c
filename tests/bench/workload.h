/* The accesses and traces that the benchmark measures with. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "bankshot.h"

/* Accesses with all lanes active. */
struct workload {
    struct bs_op op;
    unsigned count;
    uint32_t (*addr)[32];
};

/* Addresses at random over 32 KiB, or base + stride x lane with random base and stride. */
struct workload workload_random(const char *op, unsigned count);
struct workload workload_affine(const char *op, unsigned count);
void workload_free(struct workload *workload);

/* The text of a bundled trace, decompressed, its records repeated until it has at least that many
 * bytes. NULL, with a message printed, if it cannot be had. */
char *workload_text(const char *trace, size_t bytes, size_t *size);

/* The text of a trace of so many records, each with evenly spaced addresses. */
char *workload_affine_text(unsigned records, size_t *size);

/* A text trace as one of Accel-Sim's (processed, tracer version 5), with other instructions between
 * the accesses; frees the text. All records are of one kernel and warp. */
char *workload_accelsim(char *text, size_t *size);

/* A text trace as the output of NVBit's mem_trace; frees the text. All records are of one kernel.
 */
char *workload_nvbit(char *text, size_t *size);

/* A text trace as native binary; frees the text. */
char *workload_binary(char *text, size_t *size);

#endif
