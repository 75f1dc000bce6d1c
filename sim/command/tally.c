/* Adding up costs: the index, the names and the groups. */
#include "tally.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static uint64_t text_hash(const char *text)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return bs_index_mix(hash);
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
    const struct bs_index_items items = {names, name_hash, name_same};
    if (!bs_index_reserve(&names->index, &items))
        return false;
    uint32_t *slot = bs_index_find(&names->index, &items, text_hash(name), name);
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
    for (size_t i = 0; i < names->shown_count; i++)
        free(names->shown[i].text);
    free(names->list);
    free(names->shown);
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

/* Sums come from JSON and go back to it, and have at most 63 bits; two of them fit. */
static bool sum(uint64_t *value, uint64_t more)
{
    *value += more;
    return *value <= INT64_MAX;
}

bool bs_sums_merge(struct bs_sums *sums, const struct bs_sums *part)
{
    bool fits = sum(&sums->records, part->records) && sum(&sums->active, part->active) &&
                sum(&sums->passes, part->passes) && sum(&sums->slots, part->slots) &&
                sum(&sums->ideal, part->ideal) && sum(&sums->undefined, part->undefined) &&
                sum(&sums->excess, part->excess) && sum(&sums->launches, part->launches);
    for (unsigned i = 0; i < BS_CLASSES; i++)
        fits = fits && sum(&sums->class_passes[i], part->class_passes[i]);
    if (part->max_passes > sums->max_passes)
        sums->max_passes = part->max_passes;
    return fits;
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* The parts of an instruction's key that the grouping uses. */
static struct bs_group_key key_by(enum bs_by by, const struct bs_group_key *instruction)
{
    struct bs_group_key key = {0};
    if (by == BS_BY_PC || by == BS_BY_LINE || by == BS_BY_KERNEL)
        key.kernel = instruction->kernel;
    if (by == BS_BY_LINE)
        key.place = instruction->place;
    if (by == BS_BY_PC || (by == BS_BY_LINE && !instruction->place))
        key.pc = instruction->pc;
    if (by == BS_BY_PC || by == BS_BY_OP)
        key.op = instruction->op;
    return key;
}

static uint64_t key_hash(const struct bs_group_key *key)
{
    return bs_index_mix(bs_index_mix(key->pc + key->place) +
                        ((uint64_t)key->kernel << 32 | key->op));
}

static uint64_t group_hash(const void *owner, size_t item)
{
    return key_hash(&((const struct bs_tally *)owner)->groups[item].key);
}

static bool group_same(const void *owner, size_t item, const void *key)
{
    const struct bs_group_key *a = &((const struct bs_tally *)owner)->groups[item].key;
    const struct bs_group_key *b = key;
    return a->pc == b->pc && a->kernel == b->kernel && a->op == b->op && a->place == b->place;
}

/* The group of that key, or it becomes one; NULL when memory is out. */
static struct bs_group *find_group(struct bs_tally *tally, const struct bs_group *group)
{
    const struct bs_index_items items = {tally, group_hash, group_same};
    const struct bs_group_key *key = &group->key;
    if (!bs_index_reserve(&tally->index, &items))
        return NULL;
    uint32_t *slot = bs_index_find(&tally->index, &items, key_hash(key), key);
    if (*slot)
        return &tally->groups[*slot - 1];
    struct bs_group *groups =
        bs_grow(tally->groups, &tally->room, tally->count + 1, sizeof *groups);
    if (!groups)
        return NULL;
    tally->groups = groups;
    groups[tally->count] = *group;
    *slot = (uint32_t)++tally->count;
    tally->index.count++;
    return &groups[tally->count - 1];
}

bool bs_tally_add(struct bs_tally *tally, const struct bs_entry *entry)
{
    const struct bs_group_key instruction = {
        .pc = entry->access->pc,
        .kernel = entry->kernel,
        .op = entry->access->op.index,
        .place = entry->place,
    };
    const struct bs_group fresh = {
        .key = key_by(tally->by, &instruction),
        .place = tally->by == BS_BY_PC || tally->by == BS_BY_LINE ? entry->place : 0,
        .first_trace = entry->trace,
        .first = tally->by == BS_BY_KERNEL ? entry->launch : entry->access->record,
    };
    struct bs_group *group = find_group(tally, &fresh);
    if (!group)
        return false;
    if (entry->cost->passes > group->sums.max_passes || group->sums.records == 0) {
        group->worst_trace = entry->trace;
        group->worst_record = entry->access->record;
    }
    bs_sums_add(&group->sums, entry);
    tally->last = (size_t)(group - tally->groups);
    return true;
}

struct bs_group *bs_tally_group(const struct bs_tally *tally, const struct bs_group *by_pc)
{
    const struct bs_index_items items = {tally, group_hash, group_same};
    struct bs_group_key instruction = by_pc->key;
    instruction.place = by_pc->place;
    const struct bs_group_key key = key_by(tally->by, &instruction);
    const uint32_t *slot =
        tally->count > 0 ? bs_index_find(&tally->index, &items, key_hash(&key), &key) : NULL;
    return slot && *slot ? &tally->groups[*slot - 1] : NULL;
}

bool bs_tally_launch(struct bs_tally *tally, const struct bs_tally_launch *launch)
{
    if (tally->by != BS_BY_KERNEL && tally->by != BS_BY_TOTAL)
        return true;
    const struct bs_group fresh = {
        .key = {.kernel = tally->by == BS_BY_KERNEL ? launch->kernel : 0},
        .first_trace = launch->trace,
        .first = launch->launch,
    };
    struct bs_group *group = find_group(tally, &fresh);
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

/* ---- parts of a run -------------------------------------------------------------------------- */

static bool is_earlier(uint64_t a_trace, uint64_t a, uint64_t b_trace, uint64_t b)
{
    return a_trace < b_trace || (a_trace == b_trace && a < b);
}

static bool merge_group(struct bs_group *group, const struct bs_group *part)
{
    const uint64_t most = group->sums.max_passes;
    const uint64_t others = part->sums.max_passes;
    const bool records = group->sums.records > 0;
    if (part->sums.records > 0 &&
        (!records || others > most ||
         (others == most && is_earlier(part->worst_trace, part->worst_record, group->worst_trace,
                                       group->worst_record)))) {
        group->worst_trace = part->worst_trace;
        group->worst_record = part->worst_record;
    }
    if (is_earlier(part->first_trace, part->first, group->first_trace, group->first)) {
        group->place = part->place;
        group->first_trace = part->first_trace;
        group->first = part->first;
    }
    return bs_sums_merge(&group->sums, &part->sums);
}

static int earlier_first(const void *a, const void *b)
{
    const struct bs_group *x = a;
    const struct bs_group *y = b;
    if (is_earlier(x->first_trace, x->first, y->first_trace, y->first))
        return -1;
    return is_earlier(y->first_trace, y->first, x->first_trace, x->first);
}

void bs_tally_sort(struct bs_tally *tally)
{
    if (tally->count > 0)
        qsort(tally->groups, tally->count, sizeof *tally->groups, earlier_first);
    free(tally->index.slots); /* the groups have changed places */
    tally->index = (struct bs_index){0};
}

bool bs_tally_merge(struct bs_tally *tally, const struct bs_tally *part, struct bs_error *error)
{
    for (size_t i = 0; i < part->count; i++) {
        const size_t known = tally->count;
        struct bs_group *group = find_group(tally, &part->groups[i]);
        if (!group)
            return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        if (tally->count == known && !merge_group(group, &part->groups[i]))
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "a sum has more than 63 bits");
    }
    return true;
}

void bs_tally_shift(struct bs_tally *tally, uint64_t records)
{
    for (size_t i = 0; i < tally->count; i++) {
        if (tally->by != BS_BY_KERNEL) /* whose first is a launch */
            tally->groups[i].first += records;
        tally->groups[i].worst_record += records;
    }
}

void bs_tally_clear(struct bs_tally *tally)
{
    tally->count = tally->index.count = tally->last = 0;
    if (tally->index.room > 0)
        memset(tally->index.slots, 0, tally->index.room * sizeof *tally->index.slots);
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
