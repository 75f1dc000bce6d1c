/* Reading the blocks of records of a native binary. */
#ifndef BS_BINARY_RECORDS_H
#define BS_BINARY_RECORDS_H

#include "binary.h"

struct bs_block_instruction {
    struct bs_op op;
    uint64_t mask;
    uint64_t pc;
    uint32_t dep;
};

struct bs_block_pattern {
    unsigned lanes;
    bool listed;
    uint64_t step; /* from lane to lane; of a listed one the lowest offset */
    struct bs_column_view offsets;
};

struct bs_block_entry {
    const struct bs_block_instruction *instruction;
    const struct bs_block_pattern *pattern;
    const struct bs_block_pattern *sources; /* NULL: there are none */
};

enum { BS_OF_ENTRY, BS_OF_CTA, BS_OF_WARP, BS_OF_BASE, BS_OF_SOURCE, BS_RECORD_COLUMNS };

/* A block taken apart, so that giving out its records is little more than filling in lanes. It
 * points into the payload. {0} holds none yet; taking another one reuses the memory. */
struct bs_block_records {

    struct bs_block_instruction *instructions;
    struct bs_block_pattern *patterns;
    struct bs_block_entry *entries;
    size_t instruction_room, pattern_room, entry_room;
    size_t instruction_count, pattern_count, entry_count;
    struct bs_column_view columns[BS_RECORD_COLUMNS];

    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

/* Takes a block's payload apart and checks it. If it makes no sense, the cursor fails. False when
 * memory is out. */
bool bs_take_records(struct bs_block_records *records, struct bs_cursor *cursor,
                     const struct bs_block *block);

/* The record at a place that the block has, but for its number. Its addresses hold until the next
 * call. */
void bs_give_record(struct bs_block_records *records, size_t at, struct bs_access *access);

void bs_block_records_free(struct bs_block_records *records);

#endif
