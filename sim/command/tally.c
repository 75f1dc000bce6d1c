/* Adding up costs: the index, the names and the groups. */
#include "tally.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

/* ---- the index ------------------------------------------------------------------------------- */

/* How the items of an index are hashed and compared. */
struct items {
    const void *owner;
    uint64_t (*hash)(const void *owner, size_t item);
    bool (*same)(const void *owner, size_t item, const void *key);
};

static uint64_t mix(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The slot of the item with that key, or the free slot where it belongs. */
static uint32_t *find_slot(const struct bs_index *index, const struct items *items, uint64_t hash,
                           const void *key)
{
    size_t at = (size_t)hash & (index->room - 1);
    while (index->slots[at] && !items->same(items->owner, index->slots[at] - 1, key))
        at = (at + 1) & (index->room - 1);
    return &index->slots[at];
}

/* Keeps at least half of the slots free for one item more. */
static bool index_reserve(struct bs_index *index, const struct items *items)
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

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t text_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return mix(hash);
}

static uint64_t name_hash(const void *owner, size_t item)
{
    return text_hash(((const struct bs_names *)owner)->list[item]);
}

static bool name_same(const void *owner, size_t item, const void *key)
{
    return strcmp(((const struct bs_names *)owner)->list[item], key) == 0;
}

static char *copy_text(const char *text)
{
    struct bs_buffer copy = {0};
    bs_buffer_text(&copy, text);
    return bs_buffer_take(&copy);
}

bool bs_names_intern(struct bs_names *names, const char *name, uint32_t *number)
{
    const struct items items = {names, name_hash, name_same};
    if (!index_reserve(&names->index, &items))
        return false;
    uint32_t *slot = find_slot(&names->index, &items, text_hash(name), name);
    if (*slot) {
        *number = *slot - 1;
        return true;
    }
    char **list = bs_grow(names->list, &names->room, names->count + 1, sizeof *list);
    char *copy = list ? copy_text(name) : NULL;
    if (list)
        names->list = list;
    if (!copy)
        return false;
    list[names->count] = copy;
    *number = (uint32_t)names->count++;
    *slot = *number + 1;
    names->index.count++;
    return true;
}

void bs_names_free(struct bs_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
    free(names->index.slots);
    *names = (struct bs_names){0};
}

/* ---- sums ------------------------------------------------------------------------------------ */

static enum bs_class class_of(struct bs_op op)
{
    static const enum bs_class classes[BS_KINDS] = {
        [BS_LD] = BS_CLASS_LD,           [BS_ST] = BS_CLASS_ST,
        [BS_ATOM] = BS_CLASS_ATOM,       [BS_RED] = BS_CLASS_ATOM,
        [BS_LDMATRIX] = BS_CLASS_MATRIX, [BS_STMATRIX] = BS_CLASS_MATRIX,
        [BS_CP_ASYNC] = BS_CLASS_COPY,   [BS_CP_ASYNC_CG] = BS_CLASS_COPY,
        [BS_BAR] = BS_CLASS_LD, /* it has no passes to add */
    };
    return classes[op.kind];
}

void bs_sums_add(struct bs_sums *sums, const struct bs_entry *entry)
{
    const struct bs_cost *cost = entry->cost;
    sums->records++;
    sums->active += entry->active;
    sums->passes += cost->passes;
    sums->slots += cost->slots;
    sums->ideal += cost->ideal;
    sums->undefined += cost->undefined;
    sums->excess += cost->passes > cost->ideal ? cost->passes - cost->ideal : 0;
    if (cost->passes > sums->max_passes)
        sums->max_passes = cost->passes;
    sums->class_passes[class_of(entry->access->op)] += cost->passes;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static struct bs_group_key key_of(enum bs_by by, const struct bs_entry *entry)
{
    struct bs_group_key key = {0};
    if (by == BS_BY_PC || by == BS_BY_KERNEL)
        key.kernel = entry->kernel;
    if (by == BS_BY_PC)
        key.pc = entry->access->pc;
    if (by == BS_BY_PC || by == BS_BY_OP)
        key.op = entry->access->op.index;
    return key;
}

static uint64_t key_hash(const struct bs_group_key *key)
{
    return mix(mix(key->pc) + ((uint64_t)key->kernel << 32 | key->op));
}

static uint64_t group_hash(const void *owner, size_t item)
{
    return key_hash(&((const struct bs_tally *)owner)->groups[item].key);
}

static bool group_same(const void *owner, size_t item, const void *key)
{
    const struct bs_group_key *a = &((const struct bs_tally *)owner)->groups[item].key;
    const struct bs_group_key *b = key;
    return a->pc == b->pc && a->kernel == b->kernel && a->op == b->op;
}

/* The group of a key, a new one perhaps; NULL when memory is out. */
static struct bs_group *find_group(struct bs_tally *tally, const struct bs_group_key *key)
{
    const struct items items = {tally, group_hash, group_same};
    if (!index_reserve(&tally->index, &items))
        return NULL;
    uint32_t *slot = find_slot(&tally->index, &items, key_hash(key), key);
    if (*slot)
        return &tally->groups[*slot - 1];
    struct bs_group *groups =
        bs_grow(tally->groups, &tally->room, tally->count + 1, sizeof *groups);
    if (!groups)
        return NULL;
    tally->groups = groups;
    groups[tally->count] = (struct bs_group){.key = *key};
    *slot = (uint32_t)++tally->count;
    tally->index.count++;
    return &groups[tally->count - 1];
}

bool bs_tally_add(struct bs_tally *tally, const struct bs_entry *entry)
{
    const struct bs_group_key key = key_of(tally->by, entry);
    struct bs_group *group = find_group(tally, &key);
    if (!group)
        return false;
    if (entry->cost->passes > group->sums.max_passes || group->sums.records == 0) {
        group->worst_trace = entry->trace;
        group->worst_record = entry->access->record;
    }
    bs_sums_add(&group->sums, entry);
    return true;
}

bool bs_tally_launch(struct bs_tally *tally, uint32_t kernel)
{
    if (tally->by != BS_BY_KERNEL && tally->by != BS_BY_TOTAL)
        return true;
    const struct bs_group_key key = {.kernel = tally->by == BS_BY_KERNEL ? kernel : 0};
    struct bs_group *group = find_group(tally, &key);
    if (group)
        group->sums.launches++;
    return group != NULL;
}

void bs_tally_free(struct bs_tally *tally)
{
    free(tally->groups);
    free(tally->index.slots);
    *tally = (struct bs_tally){0};
}

/* ---- order ----------------------------------------------------------------------------------- */

struct ranked {
    uint64_t excess;
    uint64_t passes;
    size_t number;
};

static int worse_first(const void *a, const void *b)
{
    const struct ranked *x = a;
    const struct ranked *y = b;
    if (x->excess != y->excess)
        return x->excess > y->excess ? -1 : 1;
    if (x->passes != y->passes)
        return x->passes > y->passes ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

size_t *bs_tally_worst_first(const struct bs_tally *tally)
{
    const size_t count = tally->count;
    struct ranked *ranked = malloc((count + 1) * sizeof *ranked);
    size_t *order = malloc((count + 1) * sizeof *order);
    if (!ranked || !order) {
        free(ranked);
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        const struct bs_sums *sums = &tally->groups[i].sums;
        ranked[i] = (struct ranked){sums->excess, sums->passes, i};
    }
    qsort(ranked, count, sizeof *ranked, worse_first);
    for (size_t i = 0; i < count; i++)
        order[i] = ranked[i].number;
    free(ranked);
    return order;
}
