/* Random device models and accesses, from a seed; and the command line that replays one. */
#ifndef RANDOM_CASE_H
#define RANDOM_CASE_H

#include "bankshot.h"

#include <stdio.h>

struct random_state {
    uint64_t state;
};
uint64_t random_next(struct random_state *random);
/* A number from low to high. */
uint32_t random_in(struct random_state *random, uint32_t low, uint32_t high);

enum { MODEL_SETS = 20, SET_SIZE = 512 };

/* A model as overrides of hopper, one of them per line, and the op whose rule they set. */
struct random_model {
    struct bs_op op;
    unsigned count;
    char set[MODEL_SETS][SET_SIZE];
};
void random_model(struct random_state *random, struct random_model *model);

struct random_access {
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};
void random_access(struct random_state *random, const struct bs_model *model, struct bs_op op,
                   struct random_access *access);

/* The bankshot eval line for the case. */
void print_eval_line(FILE *file, const struct random_model *model, const struct bs_access *access);

#endif
