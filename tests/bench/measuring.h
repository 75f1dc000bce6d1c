/* What every measurement needs: the clock, the median of several rounds, and a plain run of a trace
 * to measure against. */
#ifndef MEASURING_H
#define MEASURING_H

#include "bankshot.h"

enum { ROUNDS = 5 };

double seconds(void);

/* The median; the values change their order. */
double median(double *values, unsigned count);

/* Reads a trace from memory, counting too if model is given. Returns the records, 0 on an error. */
uint64_t read_trace(const char *text, size_t size, const struct bs_model *model, uint64_t *passes);

#endif
