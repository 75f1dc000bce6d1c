/* Finds items of an array by their keys. */
#ifndef BS_INDEX_H
#define BS_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The slots hold item + 1, or 0. Start with {0}; free slots at the end. */
struct bs_index {
    uint32_t *slots;
    size_t room; /* a power of two, or 0 */
    size_t count;
};

/* How the items of an index are hashed and compared. */
struct bs_index_items {
    const void *owner;
    uint64_t (*hash)(const void *owner, size_t item);
    bool (*same)(const void *owner, size_t item, const void *key);
};

/* Spreads the bits of a key over a hash. */
uint64_t bs_index_mix(uint64_t key);

/* Makes sure that there is a free slot for one item more. False when memory is out. */
bool bs_index_reserve(struct bs_index *index, const struct bs_index_items *items);

/* The slot of the item with that key, or the free slot where it belongs: who fills it counts it. */
uint32_t *bs_index_find(const struct bs_index *index, const struct bs_index_items *items,
                        uint64_t hash, const void *key);

#endif
