/*
 * Pricing a stream of records with several threads: while one block of records is being read the
 * threads price the block before it, and one of them takes the priced records of the block before
 * that, in their order. Nothing grows with the stream.
 */
#ifndef BS_PRICING_H
#define BS_PRICING_H

#include "bankshot-traces.h"

/* A record and what it costs. */
struct bs_priced {
    struct bs_record record;
    bool fits; /* the model can price it; if not, bs_access_check says why */
    struct bs_cost cost;
};

void bs_price(struct bs_priced *priced, const struct bs_model *model, bool allow_misaligned);

/* Where priced records go, in the order of the stream. False, after filling error, ends it. */
struct bs_price_taker {
    bool (*take)(void *user, const struct bs_priced *priced, struct bs_error *error);
    void *user;
};

struct bs_pricing;

/* threads is at least 2, the caller's among them; they are started when there is enough to do. NULL
 * when memory is out. */
struct bs_pricing *bs_pricing_open(unsigned threads, bool allow_misaligned,
                                   struct bs_price_taker taker);

/* Adds a record to be priced by that model, the same for all until a drain. What the record points
 * to is copied, but for its kernel. False, after filling error, if the taker did not take one that
 * came before. */
bool bs_pricing_add(struct bs_pricing *pricing, const struct bs_model *model,
                    const struct bs_record *record, struct bs_error *error);

/* Sees to it that all records have been taken; what they point to is not needed any more. */
bool bs_pricing_drain(struct bs_pricing *pricing, struct bs_error *error);

/* pricing may be NULL. Records that were not taken yet are dropped. */
void bs_pricing_close(struct bs_pricing *pricing);

#endif
