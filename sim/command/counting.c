/* Pricing records and adding them up. */
#include "counting.h"

#include "core/lanes.h"
#include "subject.h"

/* ---- findings -------------------------------------------------------------------------------- */

static void note_findings(struct bs_findings *findings, const struct bs_entry *entry)
{
    const struct bs_access *access = entry->access;
    const uint32_t notes = entry->cost->notes;
    if (notes & BS_NOTE_ASSUMED_RULE)
        findings->assumed[access->op.index] = true;
    findings->assumed_sources += (notes & BS_NOTE_ASSUMED_SOURCE) != 0;
    findings->misaligned += (notes & BS_NOTE_MISALIGNED) != 0;
    if (entry->cost->undefined && findings->undefined++ == 0) {
        findings->first_undefined.kernel = entry->kernel;
        findings->first_undefined.pc = access->pc;
        findings->first_undefined.op = access->op;
        findings->first_undefined.trace = entry->trace;
        findings->first_undefined.record = access->record;
    }
}

static bool is_earlier(const struct bs_findings *a, const struct bs_findings *b)
{
    return a->first_undefined.trace < b->first_undefined.trace ||
           (a->first_undefined.trace == b->first_undefined.trace &&
            a->first_undefined.record < b->first_undefined.record);
}

/* Counts may come from JSON and have at most 63 bits; two of them fit. */
static bool add_count(uint64_t *sum, uint64_t part)
{
    *sum += part;
    return *sum <= INT64_MAX;
}

bool bs_findings_merge(struct bs_findings *findings, const struct bs_findings *part)
{
    if (part->undefined && (!findings->undefined || is_earlier(part, findings)))
        findings->first_undefined = part->first_undefined;
    for (size_t i = 0; i < BS_OPS; i++)
        findings->assumed[i] |= part->assumed[i];
    return add_count(&findings->undefined, part->undefined) &&
           add_count(&findings->misaligned, part->misaligned) &&
           add_count(&findings->assumed_sources, part->assumed_sources);
}

/* ---- counts ---------------------------------------------------------------------------------- */

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

bool bs_counts_launch(const struct bs_counts *counts, const struct bs_tally_launch *launch)
{
    counts->totals->launches++;
    for (size_t i = 0; i < counts->tally_count; i++)
        if (!bs_tally_launch(&counts->tallies[i], launch))
            return false;
    return true;
}

bool bs_counts_append(const struct bs_counts *counts, const struct bs_counts *part, uint64_t base,
                      struct bs_error *error)
{
    for (size_t i = 0; i < counts->tally_count; i++)
        bs_tally_shift(&part->tallies[i], base);
    part->findings->first_undefined.record += base;
    for (size_t i = 0; i < counts->tally_count; i++)
        if (!bs_tally_merge(&counts->tallies[i], &part->tallies[i], error))
            return false;
    return (bs_sums_merge(counts->totals, part->totals) &&
            bs_findings_merge(counts->findings, part->findings)) ||
           bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "a sum has more than 63 bits");
}

/* ---- records --------------------------------------------------------------------------------- */

/* What struct bs_entry says of the place of an instruction. */
static uint32_t place_of(const struct bs_pricing *pricing, const struct bs_record *record)
{
    const struct bs_source_place *place = bs_kernel_place(record->kernel, record->access.pc);
    return place ? pricing->places[place - record->kernel->places] : 0;
}

bool bs_count_record(const struct bs_counts *counts, const struct bs_pricing *pricing,
                     const struct bs_record *record, const char *file, struct bs_cost *cost,
                     struct bs_entry *entry, struct bs_error *error)
{
    const struct bs_access *access = &record->access;
    if (!bs_access_check(pricing->model, access, pricing->allow_misaligned, NULL))
        return bs_record_fail(pricing->model, record, pricing->allow_misaligned, true, file, error);
    bs_count(pricing->model, access, cost);
    *entry = (struct bs_entry){
        .access = access,
        .cost = cost,
        .active = bs_lanes_count(access->mask),
        .kernel = pricing->kernel,
        .place = place_of(pricing, record),
        .launch = record->kernel->launch,
        .trace = pricing->trace,
    };
    bs_sums_add(counts->totals, entry);
    for (size_t i = 0; i < counts->tally_count; i++)
        if (!bs_tally_add(&counts->tallies[i], entry))
            return out_of_memory(error);
    if (cost->notes || cost->undefined)
        note_findings(counts->findings, entry);
    return true;
}
