/* Open addressing; at most half of the slots are taken. */
#include "index.h"

#include <stdlib.h>

uint64_t bs_index_mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

uint32_t *bs_index_find(const struct bs_index *index, const struct bs_index_items *items,
                        uint64_t hash, const void *key)
{
    size_t at = (size_t)hash & (index->room - 1);
    while (index->slots[at] && !items->same(items->owner, index->slots[at] - 1, key))
        at = (at + 1) & (index->room - 1);
    return &index->slots[at];
}

bool bs_index_reserve(struct bs_index *index, const struct bs_index_items *items)
{
    if (2 * (index->count + 1) <= index->room)
        return true;
    struct bs_index larger = {.room = index->room ? 2 * index->room : 64, .count = index->count};
    larger.slots = calloc(larger.room, sizeof *larger.slots);
    if (!larger.slots || larger.room > UINT32_MAX) {
        free(larger.slots);
        return false;
    }
    for (size_t i = 0; i < index->room; i++) {
        if (!index->slots[i])
            continue;
        size_t at = (size_t)items->hash(items->owner, index->slots[i] - 1) & (larger.room - 1);
        while (larger.slots[at])
            at = (at + 1) & (larger.room - 1);
        larger.slots[at] = index->slots[i];
    }
    free(index->slots);
    *index = larger;
    return true;
}
