/*
 * Op names already read. A trace spells a handful of ops over and over, and bs_op_parse, which
 * knows every dialect, takes longer than the rest of a line.
 */
#ifndef BS_OP_CACHE_H
#define BS_OP_CACHE_H

#include "bankshot.h"

enum { BS_OP_CACHE_SLOTS = 256, BS_OP_CACHE_TEXT = 31 };

struct bs_op_cache {
    struct bs_cached_op {
        char text[BS_OP_CACHE_TEXT];
        uint8_t size; /* 0: the slot is free */
        struct bs_op op;
    } slots[BS_OP_CACHE_SLOTS];
};

/* bs_op_parse through the cache, which starts as {0}. */
bool bs_op_cache_parse(struct bs_op_cache *cache, const char *text, size_t size, struct bs_op *op);

#endif
