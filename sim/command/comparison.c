/* Matching launches in order, kernel by kernel, and adding up both sides. */
#include "comparison.h"

#include "core/buffer.h"
#include "core/lanes.h"
#include "kernel_name.h"
#include "kernel_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

/* Whether both are the same function: without types, templates and arguments, which every tool
 * spells in its own way. */
static bool same_base(const char *a, const char *b)
{
    const struct bs_name_parts left = bs_name_parts_of(a);
    const struct bs_name_parts right = bs_name_parts_of(b);
    const size_t size = (size_t)(left.of_template - left.last);
    return size == (size_t)(right.of_template - right.last) &&
           memcmp(left.last, right.last, size) == 0;
}

/* How well a kernel's name fits one of the profile: exactly, or as the same function. */
enum fit { FIT_NOT, FIT_BASE, FIT_EXACT };

static enum fit fit_of(const struct bs_kernel *kernel, const char *name)
{
    if (strcmp(kernel->name, name) == 0)
        return FIT_EXACT;
    if (!kernel->demangled || strncmp(name, "_Z", 2) == 0)
        return FIT_NOT;
    if (strcmp(kernel->demangled, name) == 0)
        return FIT_EXACT;
    return same_base(kernel->demangled, name) ? FIT_BASE : FIT_NOT;
}

/* ---- the source page's blocks ---------------------------------------------------------------- */

/* Nsight Compute prints the source page of many launches twice: of equal blocks in a row every
 * second repeats the one before. */
static void take_repeats(struct bs_comparison *comparison)
{
    const struct bs_profile_block *blocks = comparison->profile->blocks;
    for (size_t i = 1; i < comparison->profile->block_count; i++)
        comparison->block_taken[i] = !comparison->block_taken[i - 1] &&
                                     blocks[i].digest == blocks[i - 1].digest &&
                                     strcmp(blocks[i].kernel, blocks[i - 1].kernel) == 0;
}

bool bs_comparison_begin(struct bs_comparison *comparison, const struct bs_profile *profile)
{
    *comparison = (struct bs_comparison){
        .profile = profile,
        .launch_taken = calloc(profile->launch_count + 1, sizeof(bool)),
        .block_taken = calloc(profile->block_count + 1, sizeof(bool)),
    };
    if (!comparison->launch_taken || !comparison->block_taken)
        return false;
    take_repeats(comparison);
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static size_t line_hash(uint32_t kernel, uint64_t pc)
{
    return (size_t)((pc ^ (uint64_t)kernel << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 16);
}

/* The slot of a line in the index: its own or a free one. */
static size_t line_slot(const struct bs_comparison *comparison, uint32_t kernel, uint64_t pc)
{
    const struct bs_index *index = &comparison->index;
    size_t at = line_hash(kernel, pc) & (index->room - 1);
    while (index->slots[at]) {
        const struct bs_compared_line *line = &comparison->lines[index->slots[at] - 1];
        if (line->kernel == kernel && line->pc == pc)
            break;
        at = (at + 1) & (index->room - 1);
    }
    return at;
}

static bool grow_index(struct bs_comparison *comparison)
{
    struct bs_index *index = &comparison->index;
    const size_t room = index->room ? 2 * index->room : 1024;
    uint32_t *slots = calloc(room, sizeof *slots);
    if (!slots)
        return false;
    free(index->slots);
    index->slots = slots;
    index->room = room;
    for (size_t i = 0; i < comparison->line_count; i++)
        slots[line_slot(comparison, comparison->lines[i].kernel, comparison->lines[i].pc)] =
            (uint32_t)i + 1;
    return true;
}

/* The line of an instruction, which is added when it is new. NULL when memory is out. */
static struct bs_compared_line *find_line(struct bs_comparison *comparison, uint32_t kernel,
                                          uint64_t pc)
{
    if (2 * (comparison->line_count + 1) > comparison->index.room && !grow_index(comparison))
        return NULL;
    const size_t slot = line_slot(comparison, kernel, pc);
    if (comparison->index.slots[slot])
        return &comparison->lines[comparison->index.slots[slot] - 1];
    struct bs_compared_line *lines = bs_grow(comparison->lines, &comparison->line_room,
                                             comparison->line_count + 1, sizeof *lines);
    if (!lines)
        return NULL;
    comparison->lines = lines;
    lines[comparison->line_count] = (struct bs_compared_line){.kernel = kernel, .pc = pc};
    comparison->index.slots[slot] = (uint32_t)++comparison->line_count;
    return &lines[comparison->line_count - 1];
}

static bool add_block(struct bs_comparison *comparison, const struct bs_profile_block *block)
{
    for (size_t i = 0; i < block->count; i++) {
        const struct bs_profile_line *from = &comparison->profile->lines[block->first + i];
        struct bs_compared_line *line = find_line(comparison, comparison->number, from->pc);
        if (!line)
            return false;
        line->in_profile = true;
        line->source = from->source;
        line->measured += from->wavefronts;
        line->profile_lanes += from->lanes;
    }
    return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

static void add_launch(struct bs_compared_kernel *kernel, const struct bs_profile_launch *launch)
{
    for (unsigned i = 0; i < BS_COUNTERS; i++) {
        kernel->has[i] = kernel->has[i] || launch->has[i];
        kernel->measured[i] += launch->value[i];
        kernel->has_by_instruction[i] =
            kernel->has_by_instruction[i] || launch->has_by_instruction[i];
        kernel->by_instruction[i] += launch->by_instruction[i];
    }
}

/* The first of the profile's launches that is free and fits best; launch_count if none fits. */
static size_t find_launch(const struct bs_comparison *comparison, const struct bs_kernel *kernel)
{
    const struct bs_profile *profile = comparison->profile;
    size_t found = profile->launch_count;
    for (size_t i = 0; i < profile->launch_count; i++) {
        const enum fit fit =
            comparison->launch_taken[i] ? FIT_NOT : fit_of(kernel, profile->launches[i].kernel);
        if (fit == FIT_EXACT)
            return i;
        if (fit == FIT_BASE && found == profile->launch_count)
            found = i;
    }
    return found;
}

static size_t find_block(const struct bs_comparison *comparison, const struct bs_kernel *kernel)
{
    const struct bs_profile *profile = comparison->profile;
    size_t found = profile->block_count;
    for (size_t i = 0; i < profile->block_count; i++) {
        const enum fit fit =
            comparison->block_taken[i] ? FIT_NOT : fit_of(kernel, profile->blocks[i].kernel);
        if (fit == FIT_EXACT)
            return i;
        if (fit == FIT_BASE && found == profile->block_count)
            found = i;
    }
    return found;
}

static bool has_kernel(const struct bs_profile *profile, const struct bs_kernel *kernel)
{
    for (size_t i = 0; i < profile->launch_count; i++)
        if (fit_of(kernel, profile->launches[i].kernel) != FIT_NOT)
            return true;
    return false;
}

/* The number of a kernel, which is added when it is new. */
static bool find_kernel(struct bs_comparison *comparison, const struct bs_kernel *kernel,
                        uint32_t *number)
{
    struct bs_compared_kernel *kernels = bs_grow(comparison->kernels, &comparison->kernel_room,
                                                 comparison->kernel_count + 1, sizeof *kernels);
    if (!kernels)
        return false;
    comparison->kernels = kernels;
    if (!bs_names_intern_kernel(&comparison->names, kernel, number))
        return false;
    if (*number == comparison->kernel_count)
        kernels[comparison->kernel_count++] = (struct bs_compared_kernel){0};
    return true;
}

bool bs_comparison_launch(struct bs_comparison *comparison, const struct bs_kernel *kernel)
{
    const struct bs_profile *profile = comparison->profile;
    const size_t launch = find_launch(comparison, kernel);
    const size_t block = find_block(comparison, kernel);
    comparison->launch = launch < profile->launch_count ? &profile->launches[launch] : NULL;
    comparison->in_blocks = block < profile->block_count;
    comparison->matched = comparison->launch || comparison->in_blocks;
    if (!comparison->matched) {
        comparison->unmatched++;
        comparison->uneven = comparison->uneven || has_kernel(profile, kernel);
        return true;
    }
    if (!find_kernel(comparison, kernel, &comparison->number))
        return false;
    if (comparison->launch) {
        comparison->launch_taken[launch] = true;
        add_launch(&comparison->kernels[comparison->number], comparison->launch);
    }
    if (!comparison->in_blocks)
        return true;
    comparison->block_taken[block] = true;
    return add_block(comparison, &profile->blocks[block]);
}

/* ---- records --------------------------------------------------------------------------------- */

/* The counters that an op's wavefronts go to: one, or two. */
static unsigned counters_of(struct bs_op op, enum bs_counter counters[2])
{
    switch ((enum bs_kind)op.kind) {
    case BS_LDMATRIX:
        counters[1] = BS_COUNTER_LDMATRIX;
        counters[0] = BS_COUNTER_LD;
        return 2;
    case BS_STMATRIX:
        counters[1] = BS_COUNTER_STMATRIX;
        counters[0] = BS_COUNTER_ST;
        return 2;
    case BS_LD:
        counters[0] = BS_COUNTER_LD;
        return 1;
    case BS_ST:
        counters[0] = BS_COUNTER_ST;
        return 1;
    case BS_ATOM:
    case BS_RED:
        counters[0] = BS_COUNTER_ATOM;
        return 1;
    case BS_CP_ASYNC:
        counters[0] = BS_COUNTER_COPY;
        return 1;
    case BS_CP_ASYNC_CG:
        counters[0] = BS_COUNTER_COPY_CG;
        return 1;
    case BS_BAR:
    case BS_KINDS:
        break;
    }
    return 0;
}

/* Adds a record to the counters of the profile's launch that it goes to. */
static void add_record(struct bs_compared_kernel *kernel, const struct bs_profile_launch *launch,
                       struct bs_op op, uint64_t passes)
{
    enum bs_counter counters[2];
    const unsigned count = counters_of(op, counters);
    bool counted = false;
    for (unsigned i = 0; i < count; i++) {
        if (!launch || !launch->has[counters[i]])
            continue;
        counted = true;
        kernel->records[counters[i]]++;
        kernel->predicted[counters[i]] += passes;
    }
    if (count > 0 && !counted)
        kernel->uncounted[counters[count - 1]]++;
}

bool bs_comparison_record(struct bs_comparison *comparison, const struct bs_access *access,
                          const struct bs_cost *cost)
{
    if (!comparison->matched || access->op.kind == BS_BAR)
        return true;
    struct bs_compared_kernel *kernel = &comparison->kernels[comparison->number];
    kernel->tries |=
        (access->op.kind == BS_ATOM || access->op.kind == BS_RED) && access->op.fn == BS_CAST;
    add_record(kernel, comparison->launch, access->op, cost->passes);
    if (!comparison->in_blocks)
        return true;
    struct bs_compared_line *line = find_line(comparison, comparison->number, access->pc);
    if (!line)
        return false;
    line->op = access->op;
    line->in_trace = true;
    line->predicted += cost->passes;
    line->trace_lanes += bs_lanes_count(access->mask);
    return true;
}

/* ---- the end --------------------------------------------------------------------------------- */

uint64_t bs_comparison_left(const struct bs_comparison *comparison)
{
    uint64_t left = 0;
    for (size_t i = 0; i < comparison->profile->launch_count; i++)
        left += !comparison->launch_taken[i];
    return left;
}

bool bs_comparison_is_uneven(const struct bs_comparison *comparison)
{
    const struct bs_profile_launch *launches = comparison->profile->launches;
    const size_t count = comparison->profile->launch_count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; !comparison->launch_taken[i] && j < count; j++)
            if (comparison->launch_taken[j] && strcmp(launches[i].kernel, launches[j].kernel) == 0)
                return true;
    return comparison->uneven;
}

bool bs_comparison_ran_differently(const struct bs_comparison *comparison, uint32_t kernel)
{
    for (size_t i = 0; i < comparison->line_count; i++) {
        const struct bs_compared_line *line = &comparison->lines[i];
        if (line->kernel == kernel && line->in_trace && line->in_profile &&
            line->trace_lanes != line->profile_lanes)
            return true;
    }
    return false;
}

void bs_comparison_free(struct bs_comparison *comparison)
{
    bs_names_free(&comparison->names);
    free(comparison->kernels);
    free(comparison->launch_taken);
    free(comparison->block_taken);
    free(comparison->lines);
    free(comparison->index.slots);
    *comparison = (struct bs_comparison){0};
}
