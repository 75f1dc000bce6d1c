/* Taking the blocks of records of a native binary apart: tables, columns, addresses. */
#include "binary_records.h"

#include "core/lanes.h"

#include <stdlib.h>

/* ---- tables --------------------------------------------------------------------------------- */

/* How many items a table has: at most those that the format allows. */
static size_t take_count(struct bs_cursor *cursor, size_t most)
{
    const uint64_t count = bs_take_varint(cursor);
    if (count <= most)
        return (size_t)count;
    cursor->failed = true;
    return 0;
}

static void take_ops(struct bs_cursor *cursor, struct bs_op ops[BS_OPS], size_t *count)
{
    *count = take_count(cursor, BS_OPS);
    for (size_t i = 0; i < *count && !cursor->failed; i++) {
        const size_t size = take_count(cursor, BS_OP_NAME);
        const unsigned char *name = bs_take_bytes(cursor, size);
        cursor->failed |= !name || !bs_op_parse((const char *)name, size, &ops[i]);
    }
}

static bool take_instructions(struct bs_block_records *records, struct bs_cursor *cursor)
{
    struct bs_op ops[BS_OPS];
    struct bs_column_view op, mask, pc, dep;
    size_t op_count;
    const size_t count = take_count(cursor, BS_BINARY_RECORDS);
    take_ops(cursor, ops, &op_count);
    bs_take_column(cursor, count, &op);
    bs_take_column(cursor, count, &mask);
    bs_take_column(cursor, count, &pc);
    bs_take_column(cursor, count, &dep);
    struct bs_block_instruction *instructions =
        bs_grow(records->instructions, &records->instruction_room, count + 1, sizeof *instructions);
    if (!instructions)
        return false;
    records->instructions = instructions;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        const uint64_t number = bs_column_at(&op, i);
        const uint64_t wait = bs_column_at(&dep, i);
        cursor->failed |= number >= op_count || wait > UINT32_MAX;
        if (cursor->failed)
            break;
        records->instructions[i] = (struct bs_block_instruction){
            ops[number], bs_column_at(&mask, i), bs_column_at(&pc, i), (uint32_t)wait};
    }
    records->instruction_count = count;
    return true;
}

static bool take_patterns(struct bs_block_records *records, struct bs_cursor *cursor)
{
    struct bs_column_view lanes, listed, step;
    const size_t count = take_count(cursor, (size_t)2 * BS_BINARY_RECORDS);
    bs_take_column(cursor, count, &lanes);
    bs_take_column(cursor, count, &listed);
    bs_take_column(cursor, count, &step);
    struct bs_block_pattern *patterns =
        bs_grow(records->patterns, &records->pattern_room, count + 1, sizeof *patterns);
    if (!patterns)
        return false;
    records->patterns = patterns;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        struct bs_block_pattern *pattern = &records->patterns[i];
        const uint64_t active = bs_column_at(&lanes, i);
        const uint64_t is_listed = bs_column_at(&listed, i);
        cursor->failed |= active > BS_MAX_LANES || is_listed > 1;
        *pattern =
            (struct bs_block_pattern){.lanes = (unsigned)(active & 127), .listed = is_listed == 1};
        pattern->step =
            bs_unzigzag(pattern->listed ? bs_take_varint(cursor) : bs_column_at(&step, i));
        if (pattern->listed)
            bs_take_column(cursor, pattern->lanes, &pattern->offsets);
    }
    records->pattern_count = count;
    return true;
}

/* Whether the patterns have an address for each lane that needs one. */
static bool entry_fits(const struct bs_block_entry *entry)
{
    const struct bs_block_instruction *instruction = entry->instruction;
    const unsigned lanes = bs_lanes_count(instruction->mask);
    if (entry->sources && (!bs_op_is_copy(instruction->op) || entry->sources->lanes != lanes))
        return false;
    return entry->pattern->lanes == (instruction->op.kind == BS_BAR ? 0 : lanes);
}

static bool take_entries(struct bs_block_records *records, struct bs_cursor *cursor)
{
    struct bs_column_view instruction, pattern, sources;
    const size_t count = take_count(cursor, BS_BINARY_RECORDS);
    bs_take_column(cursor, count, &instruction);
    bs_take_column(cursor, count, &pattern);
    bs_take_column(cursor, count, &sources);
    struct bs_block_entry *entries =
        bs_grow(records->entries, &records->entry_room, count + 1, sizeof *entries);
    if (!entries)
        return false;
    records->entries = entries;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        const uint64_t a = bs_column_at(&instruction, i);
        const uint64_t b = bs_column_at(&pattern, i);
        const uint64_t c = bs_column_at(&sources, i);
        cursor->failed |= a >= records->instruction_count || b >= records->pattern_count ||
                          c > records->pattern_count;
        if (cursor->failed)
            break;
        records->entries[i] = (struct bs_block_entry){
            &records->instructions[a], &records->patterns[b], c ? &records->patterns[c - 1] : NULL};
        cursor->failed |= !entry_fits(&records->entries[i]);
    }
    records->entry_count = count;
    return true;
}

/* Every record's entry must exist, and its numbers be of their size; a barrier's base is 0. The
 * header's CTAs must be those of the records: by them a filter leaves the block out. */
static bool records_fit(const struct bs_block_records *records, const struct bs_block *block)
{
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < block->records; i++) {
        const uint64_t cta = bs_column_at(&records->columns[BS_OF_CTA], i);
        const uint64_t entry = bs_column_at(&records->columns[BS_OF_ENTRY], i);
        if (entry >= records->entry_count ||
            bs_column_at(&records->columns[BS_OF_WARP], i) > UINT32_MAX ||
            (records->entries[entry].instruction->op.kind == BS_BAR &&
             bs_column_at(&records->columns[BS_OF_BASE], i) != 0))
            return false;
        low = cta < low ? cta : low;
        high = cta > high ? cta : high;
    }
    return block->records == 0 || (low == block->cta_low && high == block->cta_high);
}

bool bs_take_records(struct bs_block_records *records, struct bs_cursor *cursor,
                     const struct bs_block *block)
{
    if (!take_instructions(records, cursor) || !take_patterns(records, cursor) ||
        !take_entries(records, cursor))
        return false;
    for (unsigned i = 0; i < BS_RECORD_COLUMNS; i++)
        bs_take_column(cursor, block->records, &records->columns[i]);
    cursor->failed |= !cursor->failed && !records_fit(records, block);
    return true;
}

/* ---- records -------------------------------------------------------------------------------- */

/* Addresses by lane, modulo 2^32. */
static void fill_lanes(const struct bs_block_pattern *pattern, uint64_t mask, uint64_t base,
                       uint32_t addr[BS_MAX_LANES])
{
    const uint32_t step = (uint32_t)pattern->step;
    uint32_t at = (uint32_t)base;
    unsigned next = 0;
    if (!pattern->listed && (mask & (mask + 1)) == 0) {
        for (unsigned lane = 0; lane < pattern->lanes; lane++)
            addr[lane] = at + lane * step;
        return;
    }
    for (; pattern->lanes && mask; mask &= mask - 1, at += step) {
        const unsigned lane = bs_lanes_lowest(mask);
        addr[lane] = pattern->listed
                         ? (uint32_t)(base + step + bs_column_at(&pattern->offsets, next++))
                         : at;
    }
}

static void fill_sources(const struct bs_block_pattern *pattern, uint64_t mask, uint64_t base,
                         uint64_t src[BS_MAX_LANES])
{
    for (unsigned next = 0; mask; mask &= mask - 1, next++)
        src[bs_lanes_lowest(mask)] =
            base + (pattern->listed ? pattern->step + bs_column_at(&pattern->offsets, next)
                                    : pattern->step * next);
}

void bs_give_record(struct bs_block_records *records, size_t at, struct bs_access *access)
{
    const struct bs_block_entry *entry =
        &records->entries[bs_column_at(&records->columns[BS_OF_ENTRY], at)];
    const struct bs_block_instruction *instruction = entry->instruction;
    *access = (struct bs_access){
        .op = instruction->op,
        .mask = instruction->mask,
        .addr = records->addr,
        .src = entry->sources ? records->src : NULL,
        .cta = (uint32_t)bs_column_at(&records->columns[BS_OF_CTA], at),
        .warp = (uint32_t)bs_column_at(&records->columns[BS_OF_WARP], at),
        .pc = instruction->pc,
        .dep = instruction->dep,
    };
    fill_lanes(entry->pattern, instruction->mask, bs_column_at(&records->columns[BS_OF_BASE], at),
               records->addr);
    if (entry->sources)
        fill_sources(entry->sources, instruction->mask,
                     bs_column_at(&records->columns[BS_OF_SOURCE], at), records->src);
}

void bs_block_records_free(struct bs_block_records *records)
{
    free(records->instructions);
    free(records->patterns);
    free(records->entries);
}
