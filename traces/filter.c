/* Deciding which records of a trace are wanted. */
#include "filter.h"

#include "core/glob.h"
#include "kernel_name.h"

#include <string.h>

static bool in_range(struct bs_range range, uint64_t value)
{
    return value >= range.low && value <= range.high;
}

static bool is_everything(struct bs_range range)
{
    return range.low == 0 && range.high == UINT64_MAX;
}

bool bs_range_parse(const char *word, struct bs_range *range)
{
    const char *dash = strchr(word, '-');
    const size_t size = dash ? (size_t)(dash - word) : strlen(word);
    const char *high = dash ? dash + 1 : word;
    *range = (struct bs_range){0, UINT64_MAX};
    if (dash && !size && !*high)
        return false;
    return ((dash && !size) || bs_number_parse(word, size, UINT64_MAX, &range->low)) &&
           ((dash && !*high) || bs_number_parse(high, strlen(high), UINT64_MAX, &range->high)) &&
           range->low <= range->high;
}

struct bs_filter bs_filter_everything(void)
{
    const struct bs_range all = {0, UINT64_MAX};
    return (struct bs_filter){
        .cta = all, .warp = all, .pc = all, .record = all, .first = UINT64_MAX};
}

/* ---- shards --------------------------------------------------------------------------------- */

/* CTAs of the launch; 0: not known. */
static uint64_t ctas_of(const struct bs_kernel *kernel)
{
    const uint64_t layer = (uint64_t)kernel->grid[0] * kernel->grid[1];
    if (kernel->grid[2] && layer > UINT32_MAX / kernel->grid[2])
        return (uint64_t)UINT32_MAX + 1; /* more than a record can number */
    return layer * kernel->grid[2];
}

/* The shard of a CTA, counted from 0. Neighbours go together, so that a shard is found in few
 * places of the trace; where the grid is not known they take turns. */
static uint64_t shard_of(const struct bs_kernel *kernel, uint64_t cta, uint32_t shards)
{
    const uint64_t ctas = ctas_of(kernel);
    if (ctas == 0)
        return cta % shards;
    return cta < ctas ? cta * shards / ctas : shards - 1u;
}

static bool shard_may_be_in(const struct bs_filter *filter, const struct bs_filter_span *span)
{
    const uint64_t wanted = filter->shard - 1u;
    if (ctas_of(span->kernel) == 0)
        return span->cta.high - span->cta.low >= filter->shards - 1u ||
               (wanted + filter->shards - span->cta.low % filter->shards) % filter->shards <=
                   span->cta.high - span->cta.low;
    return shard_of(span->kernel, span->cta.low, filter->shards) <= wanted &&
           shard_of(span->kernel, span->cta.high, filter->shards) >= wanted;
}

/* ---- what is wanted ------------------------------------------------------------------------- */

bool bs_filter_takes_kernel(const struct bs_filter *filter, const struct bs_kernel *kernel)
{
    return !filter || !filter->kernel ||
           bs_kernel_name_fits(filter->kernel, kernel->name, kernel->demangled);
}

bool bs_filter_counts_launch(const struct bs_filter *filter, const struct bs_kernel *kernel)
{
    return bs_filter_takes_kernel(filter, kernel) &&
           (!filter || filter->shards == 0 ||
            kernel->launch % filter->shards == filter->shard - 1u);
}

bool bs_filter_takes_instruction(const struct bs_filter *filter, uint64_t pc, struct bs_op op)
{
    char name[BS_OP_NAME];
    return !filter ||
           (in_range(filter->pc, pc) &&
            (!filter->op || bs_glob_matches(filter->op, strlen(filter->op), bs_op_name(op, name))));
}

bool bs_filter_takes_access(const struct bs_filter *filter, const struct bs_record *record)
{
    const struct bs_access *access = &record->access;
    return in_range(filter->cta, access->cta) && in_range(filter->warp, access->warp) &&
           in_range(filter->record, access->record) &&
           (filter->shards == 0 ||
            shard_of(record->kernel, access->cta, filter->shards) == filter->shard - 1u) &&
           bs_filter_takes_instruction(filter, access->pc, access->op);
}

bool bs_filter_can_skip(const struct bs_filter *filter)
{
    return filter->kernel || filter->shards > 0 || !is_everything(filter->cta) ||
           !is_everything(filter->record);
}

bool bs_filter_counts(const struct bs_filter *filter)
{
    return filter->first != UINT64_MAX || !is_everything(filter->record);
}

bool bs_filter_may_take(const struct bs_filter *filter, const struct bs_filter_span *span)
{
    return span->records > 0 && bs_filter_takes_kernel(filter, span->kernel) &&
           span->cta.high >= filter->cta.low && span->cta.low <= filter->cta.high &&
           span->first <= filter->record.high &&
           span->first + (span->records - 1) >= filter->record.low &&
           (filter->shards == 0 || shard_may_be_in(filter, span));
}
