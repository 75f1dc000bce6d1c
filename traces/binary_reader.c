/*
 * Reading the native binary, as docs/trace-binary.md describes it. A block is checked and taken
 * apart as a whole, so that giving out its records is little more than filling in lanes.
 */
#include "binary.h"
#include "binary_launches.h"
#include "filter.h"
#include "format.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct instruction {
    struct bs_op op;
    uint64_t mask;
    uint64_t pc;
    uint32_t dep;
};

struct pattern {
    unsigned lanes;
    bool listed;
    uint64_t step; /* from lane to lane; of a listed one the lowest offset */
    struct bs_column_view offsets;
};

struct entry {
    const struct instruction *instruction;
    const struct pattern *pattern;
    const struct pattern *sources; /* NULL: there are none */
};

enum { OF_ENTRY, OF_CTA, OF_WARP, OF_BASE, OF_SOURCE, RECORD_COLUMNS };

struct reader {
    struct bs_input *input;
    struct bs_launches *launches; /* the trace's */
    struct bs_error *error;       /* of the call being served */
    const struct bs_filter *filter;
    uint64_t offset;   /* of the input's next byte */
    uint64_t seen;     /* records of the blocks so far, those left out too */
    uint64_t left_out; /* since the last record that was given out */

    unsigned char *index; /* entries and trailer; NULL: blocks are read one after another */
    size_t index_blocks, index_at;

    struct bs_block block;
    unsigned char *payload;
    size_t payload_room;
    struct bs_cursor launch; /* the next one of the block */
    uint32_t launches_left;
    struct bs_buffer text; /* its names */
    struct instruction *instructions;
    struct pattern *patterns;
    struct entry *entries;
    size_t instruction_room, pattern_room, entry_room;
    size_t instruction_count, pattern_count, entry_count;
    struct bs_column_view columns[RECORD_COLUMNS];
    size_t at; /* the next record of the block */

    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

/* ---- faults --------------------------------------------------------------------------------- */

static bool fail(struct reader *reader, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

static bool fail(struct reader *reader, const char *format, ...)
{
    char text[sizeof reader->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bs_fail(reader->error, BS_BAD_TRACE, bs_input_name(reader->input), 0, 0, "%s", text);
}

static bool fail_memory(struct reader *reader)
{
    return bs_fail(reader->error, BS_INTERNAL, bs_input_name(reader->input), 0, 0, "out of memory");
}

/* The trace can be used, but is not whole: the error becomes a warning. */
static enum bs_trace_event end_early(struct reader *reader, uint64_t start)
{
    fail(reader,
         "the trace is not whole: no complete block stands at byte %" PRIu64
         " of it, expected one or the index; %" PRIu64 " record%s came before",
         start, reader->seen, reader->seen == 1 ? "" : "s");
    return BS_TRACE_END;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Reads size bytes, or as many as there are. */
static bool take(struct reader *reader, void *bytes, size_t size, size_t *got)
{
    const bool read = bs_input_read_all(reader->input, bytes, size, got, reader->error);
    reader->offset += *got;
    return read;
}

/* Goes on at another place of the input; false, with nothing changed, where that is impossible. */
static bool move_to(struct reader *reader, uint64_t offset)
{
    if (offset != reader->offset && !bs_input_seek(reader->input, offset))
        return false;
    reader->offset = offset;
    return true;
}

/* Room for count elements in an array of the reader's; NULL, with the error filled, if there is
 * none. */
static void *reserve(struct reader *reader, void *array, size_t *room, size_t count, size_t element)
{
    void *grown = bs_grow(array, room, count, element);
    if (!grown)
        fail_memory(reader);
    return grown;
}

/* ---- launches ------------------------------------------------------------------------------- */

static bool fail_block(struct reader *reader, const char *what)
{
    return fail(reader, "the block at byte %" PRIu64 " makes no sense as %s",
                reader->offset - reader->block.size - BS_BINARY_HEADER, what);
}

/* The next launch of the block begins. */
static enum bs_trace_event next_launch(struct reader *reader)
{
    struct bs_cursor *cursor = &reader->launch;
    const bool detailed = reader->block.kind == BS_BLOCK_DETAILED;
    if (!bs_take_launch(cursor, detailed, &reader->text, reader->launches)) {
        fail_memory(reader);
        return BS_TRACE_ERROR;
    }
    reader->launches_left--;
    if (!cursor->failed && (reader->launches_left > 0 || cursor->at == cursor->end))
        return BS_TRACE_LAUNCH;
    fail_block(reader, "launches");
    return BS_TRACE_ERROR;
}

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

static bool take_instructions(struct reader *reader, struct bs_cursor *cursor)
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
    struct instruction *instructions = reserve(
        reader, reader->instructions, &reader->instruction_room, count + 1, sizeof *instructions);
    if (!instructions)
        return false;
    reader->instructions = instructions;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        const uint64_t number = bs_column_at(&op, i);
        const uint64_t wait = bs_column_at(&dep, i);
        cursor->failed |= number >= op_count || wait > UINT32_MAX;
        if (cursor->failed)
            break;
        reader->instructions[i] = (struct instruction){ops[number], bs_column_at(&mask, i),
                                                       bs_column_at(&pc, i), (uint32_t)wait};
    }
    reader->instruction_count = count;
    return true;
}

static bool take_patterns(struct reader *reader, struct bs_cursor *cursor)
{
    struct bs_column_view lanes, listed, step;
    const size_t count = take_count(cursor, (size_t)2 * BS_BINARY_RECORDS);
    bs_take_column(cursor, count, &lanes);
    bs_take_column(cursor, count, &listed);
    bs_take_column(cursor, count, &step);
    struct pattern *patterns =
        reserve(reader, reader->patterns, &reader->pattern_room, count + 1, sizeof *patterns);
    if (!patterns)
        return false;
    reader->patterns = patterns;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        struct pattern *pattern = &reader->patterns[i];
        const uint64_t active = bs_column_at(&lanes, i);
        const uint64_t is_listed = bs_column_at(&listed, i);
        cursor->failed |= active > BS_MAX_LANES || is_listed > 1;
        *pattern = (struct pattern){.lanes = (unsigned)(active & 127), .listed = is_listed == 1};
        pattern->step =
            bs_unzigzag(pattern->listed ? bs_take_varint(cursor) : bs_column_at(&step, i));
        if (pattern->listed)
            bs_take_column(cursor, pattern->lanes, &pattern->offsets);
    }
    reader->pattern_count = count;
    return true;
}

/* Whether the patterns have an address for each lane that needs one. */
static bool entry_fits(const struct entry *entry)
{
    const struct instruction *instruction = entry->instruction;
    const unsigned lanes = bs_lanes_count(instruction->mask);
    if (entry->sources && (!bs_op_is_copy(instruction->op) || entry->sources->lanes != lanes))
        return false;
    return entry->pattern->lanes == (instruction->op.kind == BS_BAR ? 0 : lanes);
}

static bool take_entries(struct reader *reader, struct bs_cursor *cursor)
{
    struct bs_column_view instruction, pattern, sources;
    const size_t count = take_count(cursor, BS_BINARY_RECORDS);
    bs_take_column(cursor, count, &instruction);
    bs_take_column(cursor, count, &pattern);
    bs_take_column(cursor, count, &sources);
    struct entry *entries =
        reserve(reader, reader->entries, &reader->entry_room, count + 1, sizeof *entries);
    if (!entries)
        return false;
    reader->entries = entries;
    for (size_t i = 0; i < count && !cursor->failed; i++) {
        const uint64_t a = bs_column_at(&instruction, i);
        const uint64_t b = bs_column_at(&pattern, i);
        const uint64_t c = bs_column_at(&sources, i);
        cursor->failed |= a >= reader->instruction_count || b >= reader->pattern_count ||
                          c > reader->pattern_count;
        if (cursor->failed)
            break;
        reader->entries[i] = (struct entry){&reader->instructions[a], &reader->patterns[b],
                                            c ? &reader->patterns[c - 1] : NULL};
        cursor->failed |= !entry_fits(&reader->entries[i]);
    }
    reader->entry_count = count;
    return true;
}

/* Every record's entry must exist, and its numbers be of their size; a barrier's base is 0. The
 * header's CTAs must be those of the records: by them a filter leaves the block out. */
static bool records_fit(const struct reader *reader)
{
    const struct bs_block *block = &reader->block;
    uint64_t low = UINT64_MAX, high = 0;
    for (size_t i = 0; i < block->records; i++) {
        const uint64_t cta = bs_column_at(&reader->columns[OF_CTA], i);
        const uint64_t entry = bs_column_at(&reader->columns[OF_ENTRY], i);
        if (entry >= reader->entry_count ||
            bs_column_at(&reader->columns[OF_WARP], i) > UINT32_MAX ||
            (reader->entries[entry].instruction->op.kind == BS_BAR &&
             bs_column_at(&reader->columns[OF_BASE], i) != 0))
            return false;
        low = cta < low ? cta : low;
        high = cta > high ? cta : high;
    }
    return block->records == 0 || (low == block->cta_low && high == block->cta_high);
}

static bool use_records(struct reader *reader, struct bs_cursor *cursor)
{
    if (reader->launches->count == 0)
        return fail(reader, "records come before the first launch");
    if (!take_instructions(reader, cursor) || !take_patterns(reader, cursor) ||
        !take_entries(reader, cursor))
        return false;
    for (unsigned i = 0; i < RECORD_COLUMNS; i++)
        bs_take_column(cursor, reader->block.records, &reader->columns[i]);
    cursor->failed |= !cursor->failed && !records_fit(reader);
    return true;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static bool block_is_possible(const struct bs_block *block)
{
    switch (block->kind) {
    case BS_BLOCK_LAUNCHES:
    case BS_BLOCK_DETAILED:
        return block->launches <= BS_BINARY_LAUNCHES && block->records == 0 &&
               block->size <= BS_BINARY_PAYLOAD;
    case BS_BLOCK_RECORDS:
        return block->records <= BS_BINARY_RECORDS && block->cta_low <= block->cta_high &&
               block->size <= BS_BINARY_PAYLOAD;
    default:
        return block->kind == BS_BLOCK_INDEX;
    }
}

/* Reads the next header; *whole is false where the input ends before its end. */
static bool take_header(struct reader *reader, bool *whole)
{
    unsigned char header[BS_BINARY_HEADER];
    const uint64_t start = reader->offset;
    size_t got;
    if (!take(reader, header, sizeof header, &got))
        return false;
    *whole = got == sizeof header;
    if (!*whole)
        return true;
    if (!bs_get_block(header, &reader->block))
        return fail(reader,
                    "the block at byte %" PRIu64 " is damaged: the checksum of its header "
                    "is wrong",
                    start);
    return block_is_possible(&reader->block) ||
           fail(reader,
                "the block at byte %" PRIu64 " is of a kind or size that the format does "
                "not have",
                start);
}

/* Reads the payload of a block of launches or records and checks it. */
static bool take_payload(struct reader *reader, bool *whole)
{
    const uint64_t start = reader->offset - BS_BINARY_HEADER;
    const size_t size = reader->block.size;
    size_t got;
    unsigned char *payload =
        reserve(reader, reader->payload, &reader->payload_room, size + BS_BINARY_SLACK, 1);
    if (!payload)
        return false;
    reader->payload = payload;
    if (!take(reader, payload, size, &got))
        return false;
    memset(reader->payload + got, 0, BS_BINARY_SLACK);
    *whole = got == size;
    return !*whole || bs_crc(reader->payload, size) == reader->block.crc ||
           fail(reader, "the block at byte %" PRIu64 " is damaged: its checksum is wrong", start);
}

static bool use_payload(struct reader *reader)
{
    struct bs_cursor cursor = {reader->payload, reader->payload + reader->block.size, false};
    if (reader->block.kind != BS_BLOCK_RECORDS) {
        reader->launch = cursor;
        reader->launches_left = reader->block.launches;
        return reader->launches_left > 0 || cursor.at == cursor.end ||
               fail_block(reader, "launches");
    }
    if (!use_records(reader, &cursor))
        return false;
    if (cursor.failed || cursor.at != cursor.end)
        return fail_block(reader, "records");
    reader->at = 0;
    return true;
}

/* The index closes the trace. It is checked, though nobody needs it any more. */
static enum bs_trace_event close_with_index(struct reader *reader)
{
    const uint64_t start = reader->offset - BS_BINARY_HEADER;
    uint64_t left = reader->block.size;
    uint32_t crc = 0;
    unsigned char piece[4096];
    size_t got = 1;
    while (left > 0 && got > 0) {
        if (!take(reader, piece, left < sizeof piece ? (size_t)left : sizeof piece, &got))
            return BS_TRACE_ERROR;
        crc = bs_crc_more(crc, piece, got);
        left -= got;
    }
    if (left > 0)
        return end_early(reader, start);
    if (crc != reader->block.crc) {
        fail(reader, "the index at byte %" PRIu64 " is damaged: its checksum is wrong", start);
        return BS_TRACE_ERROR;
    }
    if (!take(reader, piece, 1, &got))
        return BS_TRACE_ERROR;
    if (got == 0)
        return BS_TRACE_END;
    fail(reader,
         "something stands behind the index, expected the end of the trace at byte %" PRIu64,
         reader->offset - 1);
    return BS_TRACE_ERROR;
}

/* ---- the index ------------------------------------------------------------------------------ */

static bool wants(const struct reader *reader, const struct bs_block *block)
{
    if (block->kind != BS_BLOCK_RECORDS || !reader->filter || reader->launches->count == 0)
        return true;
    const struct bs_filter_span span = {
        .kernel = &reader->launches->last.kernel,
        .first = reader->seen,
        .records = block->records,
        .cta = {block->cta_low, block->cta_high},
    };
    return bs_filter_may_take(reader->filter, &span);
}

/* Leaves the block of the header out. */
static void leave_out(struct reader *reader, const struct bs_block *block)
{
    reader->seen += block->records;
    reader->left_out += block->records;
}

/* Reads the index where the trailer says that it is. False if there is none to rely on. */
static bool take_index(struct reader *reader, uint64_t size)
{
    unsigned char trailer[BS_BINARY_TRAILER];
    size_t got;
    bool whole;
    if (!move_to(reader, size - sizeof trailer) || !take(reader, trailer, sizeof trailer, &got) ||
        got < sizeof trailer ||
        memcmp(trailer + 8, bs_binary_trailer, sizeof bs_binary_trailer) != 0)
        return false;
    const uint64_t start = bs_get64(trailer);
    if (start > size - sizeof trailer || !move_to(reader, start) || !take_header(reader, &whole) ||
        !whole || reader->block.kind != BS_BLOCK_INDEX ||
        start + BS_BINARY_HEADER + reader->block.size != size ||
        (reader->block.size - sizeof trailer) % BS_BINARY_ENTRY != 0 ||
        !take_payload(reader, &whole) || !whole)
        return false;
    reader->index = reader->payload;
    reader->index_blocks = (reader->block.size - sizeof trailer) / BS_BINARY_ENTRY;
    reader->payload = NULL;
    reader->payload_room = 0;
    return true;
}

/* Goes to the next block of the index that is wanted. False at the end, or after an error. */
static bool find_indexed(struct reader *reader, bool *failed)
{
    for (; reader->index_at < reader->index_blocks; reader->index_at++) {
        const unsigned char *entry = reader->index + reader->index_at * BS_BINARY_ENTRY;
        struct bs_block block;
        *failed = !bs_get_block(entry + 8, &block) || !block_is_possible(&block);
        if (!*failed && wants(reader, &block)) {
            reader->index_at++;
            *failed = !move_to(reader, bs_get64(entry));
            return !*failed || fail(reader, "cannot be read at another place");
        }
        if (*failed)
            return fail(reader, "the index is damaged");
        leave_out(reader, &block);
    }
    return false;
}

/* Looks for the index if that is worth it: without one, blocks are read and left out. */
static void filter_reader(void *user, const struct bs_filter *filter)
{
    struct reader *reader = user;
    struct bs_error unused;
    uint64_t done, size;
    const uint64_t start = reader->offset;
    reader->filter = filter;
    reader->error = &unused;
    bs_input_progress(reader->input, &done, &size);
    if (!bs_filter_can_skip(filter) || size < BS_BINARY_START + BS_BINARY_TRAILER ||
        !bs_input_seek(reader->input, start))
        return;
    take_index(reader, size);
    move_to(reader, start);
    reader->block = (struct bs_block){0};
}

/* ---- the format ----------------------------------------------------------------------------- */

static bool probe(const char *bytes, size_t size)
{
    return size >= sizeof bs_binary_magic &&
           memcmp(bytes, bs_binary_magic, sizeof bs_binary_magic) == 0;
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    free(reader->index);
    free(reader->payload);
    bs_buffer_free(&reader->text);
    free(reader->instructions);
    free(reader->patterns);
    free(reader->entries);
    free(reader);
}

static bool take_start(struct reader *reader)
{
    unsigned char start[BS_BINARY_START];
    size_t got;
    if (!take(reader, start, sizeof start, &got))
        return false;
    if (got < sizeof start)
        return fail(reader, "the trace is cut off, expected %d bytes at its start, found %zu",
                    BS_BINARY_START, got);
    if (bs_crc(start, 12) != bs_get32(start + 12))
        return fail(reader, "the start of the trace is damaged: its checksum is wrong");
    const uint32_t version = bs_get32(start + 8);
    return version == BS_BINARY_VERSION ||
           fail(reader, "bad version of the native binary, expected %d, found %" PRIu32,
                BS_BINARY_VERSION, version);
}

static void *open_reader(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
        return NULL;
    }
    reader->input = input;
    reader->launches = launches;
    reader->error = error;
    if (take_start(reader))
        return reader;
    close_reader(reader);
    return NULL;
}

/* Reads the next block and makes what is in it ready. BS_TRACE_RECORD: go on with its launches or
 * records, if it has any. */
static enum bs_trace_event take_block(struct reader *reader)
{
    const uint64_t start = reader->offset;
    bool whole;
    if (!take_header(reader, &whole))
        return BS_TRACE_ERROR;
    if (whole && reader->block.kind == BS_BLOCK_INDEX)
        return close_with_index(reader);
    if (whole && !take_payload(reader, &whole))
        return BS_TRACE_ERROR;
    if (!whole)
        return end_early(reader, start);
    reader->at = reader->block.records;
    if (!wants(reader, &reader->block)) {
        leave_out(reader, &reader->block);
        return BS_TRACE_RECORD;
    }
    if (!use_payload(reader))
        return BS_TRACE_ERROR;
    reader->seen += reader->block.records;
    return BS_TRACE_RECORD;
}

static enum bs_trace_event next_block(struct reader *reader)
{
    enum bs_trace_event event = BS_TRACE_RECORD;
    while (event == BS_TRACE_RECORD && reader->at >= reader->block.records &&
           reader->launches_left == 0) {
        bool failed = false;
        if (reader->index && !find_indexed(reader, &failed))
            return failed ? BS_TRACE_ERROR : BS_TRACE_END;
        event = take_block(reader);
    }
    return event;
}

/* Addresses by lane, modulo 2^32. */
static void fill_lanes(const struct pattern *pattern, uint64_t mask, uint64_t base,
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

static void fill_sources(const struct pattern *pattern, uint64_t mask, uint64_t base,
                         uint64_t src[BS_MAX_LANES])
{
    for (unsigned next = 0; mask; mask &= mask - 1, next++)
        src[bs_lanes_lowest(mask)] =
            base + (pattern->listed ? pattern->step + bs_column_at(&pattern->offsets, next)
                                    : pattern->step * next);
}

/* What follows the last record that was ready: another record of a block to come, or not. */
static enum bs_trace_event next_other(struct reader *reader, struct bs_record *record)
{
    const enum bs_trace_event event = next_block(reader);
    if (event == BS_TRACE_RECORD && reader->launches_left > 0)
        return next_launch(reader);
    record->access.record = reader->left_out;
    return event;
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    if (reader->at >= reader->block.records) {
        reader->error = error;
        const enum bs_trace_event event = next_other(reader, record);
        if (event != BS_TRACE_RECORD)
            return event;
    }
    const size_t at = reader->at++;
    const struct entry *entry = &reader->entries[bs_column_at(&reader->columns[OF_ENTRY], at)];
    const struct instruction *instruction = entry->instruction;
    *record = (struct bs_record){
        .access = {.op = instruction->op,
                   .mask = instruction->mask,
                   .addr = reader->addr,
                   .src = entry->sources ? reader->src : NULL,
                   .cta = (uint32_t)bs_column_at(&reader->columns[OF_CTA], at),
                   .warp = (uint32_t)bs_column_at(&reader->columns[OF_WARP], at),
                   .pc = instruction->pc,
                   .dep = instruction->dep,
                   .record = reader->left_out},
        .kernel = &reader->launches->last.kernel,
    };
    reader->left_out = 0;
    fill_lanes(entry->pattern, instruction->mask, bs_column_at(&reader->columns[OF_BASE], at),
               reader->addr);
    if (entry->sources)
        fill_sources(entry->sources, instruction->mask,
                     bs_column_at(&reader->columns[OF_SOURCE], at), reader->src);
    return BS_TRACE_RECORD;
}

const struct bs_format bs_binary_format = {
    .name = "native binary",
    .start = "\\x89BST",
    .probe = probe,
    .open = open_reader,
    .filter = filter_reader,
    .next = next_event,
    .close = close_reader,
};
