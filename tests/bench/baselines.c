/* See baselines.h. POSIX's tsearch is a red-black tree, as a C++ map is. */
#define _GNU_SOURCE /* tdestroy */
#include "baselines.h"

#include <search.h>
#include <stdlib.h>

struct node {
    uint32_t key; /* first, so that a key alone can be compared with an entry */
    uint32_t lanes;
    void *words; /* of a bank: its own map */
};

static int by_key(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* map[key], made if it is not there. */
static struct node *node_of(void **map, uint32_t key)
{
    struct node **found = tfind(&key, map, by_key);
    if (found)
        return *found;
    struct node *entry = calloc(1, sizeof *entry);
    if (!entry)
        abort();
    entry->key = key;
    if (!tsearch(entry, map, by_key))
        abort();
    return entry;
}

static void free_bank(void *entry)
{
    tdestroy(((struct node *)entry)->words, free);
    free(entry);
}

uint32_t passes_by_map_of_maps(uint64_t mask, const uint32_t addr[32])
{
    void *banks = NULL;
    uint32_t distinct[32] = {0};
    uint32_t most = 0;
    for (unsigned t = 0; t < 32; t++) {
        if (!(mask >> t & 1))
            continue;
        const uint32_t word = addr[t] / 4;
        struct node *bank = node_of(&banks, word % 32);
        struct node *lanes = node_of(&bank->words, word);
        if (lanes->lanes++ == 0 && ++distinct[word % 32] > most)
            most = distinct[word % 32];
    }
    tdestroy(banks, free_bank);
    return most;
}

uint32_t passes_by_lane_array(uint64_t mask, const uint32_t addr[32])
{
    uint32_t distinct[32] = {0};
    uint32_t most = 0;
    for (unsigned t = 0; t < 32; t++) {
        if (!(mask >> t & 1))
            continue;
        const uint32_t word = addr[t] / 4;
        unsigned other = 0;
        while (other < t && !((mask >> other & 1) && addr[other] / 4 == word))
            other++;
        if (other == t && ++distinct[word % 32] > most)
            most = distinct[word % 32];
    }
    return most;
}
