/* The cache of op names: a slot for each hash, where the newest name stays. */
#include "op_cache.h"

#include <string.h>

static unsigned slot_of(const char *text, size_t size)
{
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return (hash ^ hash >> 16) % BS_OP_CACHE_SLOTS;
}

bool bs_op_cache_parse(struct bs_op_cache *cache, const char *text, size_t size, struct bs_op *op)
{
    if (size == 0 || size > BS_OP_CACHE_TEXT)
        return bs_op_parse(text, size, op);
    struct bs_cached_op *slot = &cache->slots[slot_of(text, size)];
    if (slot->size == size && memcmp(slot->text, text, size) == 0) {
        *op = slot->op;
        return true;
    }
    if (!bs_op_parse(text, size, op))
        return false;
    memcpy(slot->text, text, size);
    slot->size = (uint8_t)size;
    slot->op = *op;
    return true;
}
