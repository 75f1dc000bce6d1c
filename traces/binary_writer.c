/*
 * Writing the native binary. A block of records is gathered in memory and then written column by
 * column; what its records have in common stands once, in tables: instructions, patterns of
 * addresses, and the pairs of them that occur.
 */
#include "binary.h"
#include "launches.h"
#include "writer.h"

#include "core/lanes.h"

#include <stdlib.h>
#include <string.h>

/* ---- tables of what was seen ---------------------------------------------------------------- */

enum { ITEMS = 2 * BS_BINARY_RECORDS, SLOTS = 2 * ITEMS };

/* Items are lists of words, numbered in the order of first sight. */
struct items {
    uint64_t *words;
    size_t used, room;
    size_t start[ITEMS + 1]; /* of each item in words; that of the next one too */
    uint32_t slot_of[ITEMS];
    uint32_t slots[SLOTS]; /* item + 1, or 0 */
    size_t count;
};

static size_t hash_of(const uint64_t *words, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; i++) {
        hash = (hash ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (size_t)(hash & (SLOTS - 1));
}

static bool item_is(const struct items *items, size_t item, const uint64_t *words, size_t count)
{
    const size_t start = items->start[item];
    return items->start[item + 1] - start == count &&
           memcmp(items->words + start, words, count * sizeof *words) == 0;
}

/* The number of an item, which is new perhaps; false when memory is out. */
static bool find_item(struct items *items, const uint64_t *words, size_t count, uint64_t *number)
{
    size_t at = hash_of(words, count);
    while (items->slots[at] && !item_is(items, items->slots[at] - 1, words, count))
        at = (at + 1) & (SLOTS - 1);
    if (items->slots[at]) {
        *number = items->slots[at] - 1;
        return true;
    }
    uint64_t *grown = bs_grow(items->words, &items->room, items->used + count, sizeof *grown);
    if (!grown)
        return false;
    items->words = grown;
    memcpy(grown + items->used, words, count * sizeof *words);
    items->used += count;
    *number = items->count;
    items->slot_of[items->count] = (uint32_t)at;
    items->slots[at] = (uint32_t)++items->count;
    items->start[items->count] = items->used;
    return true;
}

static void forget_items(struct items *items)
{
    for (size_t i = 0; i < items->count; i++)
        items->slots[items->slot_of[i]] = 0;
    items->count = items->used = 0;
}

/* ---- the writer ----------------------------------------------------------------------------- */

/* The words of an instruction and of an entry, the pairs that records refer to. */
enum { OP, MASK, PC, DEP, INSTRUCTION_WORDS };
enum { INSTRUCTION, PATTERN, SOURCES, ENTRY_WORDS };
/* A pattern is its number of lanes, whether it is listed, and its step or all of its offsets. */
enum { LANES, LISTED, STEP, PATTERN_WORDS };

enum { OF_ENTRY, OF_CTA, OF_WARP, OF_BASE, OF_SOURCE, RECORD_COLUMNS };

struct writer {
    FILE *file; /* the caller's */
    uint64_t offset;
    struct bs_buffer launches; /* the payload of a block that is begun */
    uint32_t launch_count;
    bool detailed; /* it says all that kernels can say */
    struct items instructions, patterns, entries;
    uint64_t column[RECORD_COLUMNS][BS_BINARY_RECORDS];
    size_t records;
    uint64_t scratch[ITEMS]; /* a column being made */
    struct bs_buffer payload, listed;
    struct bs_buffer index;
};

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* Writes a block, flushed so that others can read it, and notes it in the index. */
static bool write_block(struct writer *writer, struct bs_block *block,
                        const struct bs_buffer *payload, struct bs_error *error)
{
    struct bs_buffer header = {0};
    block->size = (uint32_t)payload->size;
    block->crc = bs_crc(payload->data, payload->size);
    bs_put_block(&header, block);
    bs_put64(&writer->index, writer->offset);
    bs_buffer_add(&writer->index, header.data, header.size);
    if (payload->failed || header.failed || writer->index.failed) {
        bs_buffer_free(&header);
        return out_of_memory(error);
    }
    const bool written = bs_writer_put(writer->file, header.data, header.size, error) &&
                         bs_writer_put(writer->file, payload->data, payload->size, error);
    writer->offset += header.size + payload->size;
    bs_buffer_free(&header);
    return written && (fflush(writer->file) == 0 || bs_writer_failed(error));
}

/* ---- launches ------------------------------------------------------------------------------- */

static void put_text(struct bs_buffer *out, const char *text)
{
    const size_t size = strlen(text);
    bs_put_varint(out, size);
    bs_buffer_add(out, text, size);
}

/* Whether the kernel says more than the plain block of launches has room for. */
static bool is_detailed(const struct bs_kernel *kernel)
{
    return kernel->demangled || kernel->device || kernel->cc[0] || kernel->place_count > 0;
}

static void put_details(struct bs_buffer *out, const struct bs_kernel *kernel)
{
    uint64_t before = 0;
    put_text(out, kernel->demangled ? kernel->demangled : "");
    put_text(out, kernel->device ? kernel->device : "");
    bs_put_varint(out, kernel->cc[0]);
    bs_put_varint(out, kernel->cc[1]);
    bs_put_varint(out, kernel->place_count);
    for (size_t i = 0; i < kernel->place_count; i++) {
        bs_put_varint(out, kernel->places[i].pc - before);
        put_text(out, kernel->places[i].text);
        before = kernel->places[i].pc;
    }
}

static void put_launch(struct bs_buffer *out, const struct bs_kernel *kernel, bool detailed)
{
    put_text(out, kernel->name);
    for (unsigned i = 0; i < 3; i++)
        bs_put_varint(out, kernel->grid[i]);
    for (unsigned i = 0; i < 3; i++)
        bs_put_varint(out, kernel->block[i]);
    bs_put_varint(out, kernel->smem < 0 ? 0 : (uint64_t)kernel->smem + 1);
    put_text(out, kernel->model ? kernel->model : "");
    if (detailed)
        put_details(out, kernel);
}

static bool flush_launches(struct writer *writer, struct bs_error *error)
{
    struct bs_block block = {.kind = writer->detailed ? BS_BLOCK_DETAILED : BS_BLOCK_LAUNCHES,
                             .launches = writer->launch_count};
    if (writer->launch_count == 0)
        return true;
    const bool written = write_block(writer, &block, &writer->launches, error);
    writer->launches.size = 0;
    writer->launch_count = 0;
    return written;
}

/* ---- tables on paper ------------------------------------------------------------------------ */

/* One word of each item as a column. */
static void put_words(struct writer *writer, const struct items *items, unsigned word)
{
    for (size_t i = 0; i < items->count; i++)
        writer->scratch[i] = items->words[items->start[i] + word];
    bs_put_column(&writer->payload, writer->scratch, items->count);
}

/* The names of the ops, and each instruction's op as a number among them. */
static void put_ops(struct writer *writer)
{
    const struct items *items = &writer->instructions;
    uint8_t number[BS_OPS] = {0};
    struct bs_buffer names = {0};
    unsigned count = 0;
    for (size_t i = 0; i < items->count; i++) {
        const uint64_t op = items->words[items->start[i] + OP];
        char name[BS_OP_NAME];
        if (!number[op]) {
            number[op] = (uint8_t)++count;
            put_text(&names, bs_op_name(bs_op_at((unsigned)op), name));
        }
        writer->scratch[i] = number[op] - 1u;
    }
    bs_put_varint(&writer->payload, count);
    bs_buffer_add(&writer->payload, names.data, names.size);
    writer->payload.failed |= names.failed;
    bs_buffer_free(&names);
    bs_put_column(&writer->payload, writer->scratch, items->count);
}

static void put_instructions(struct writer *writer)
{
    bs_put_varint(&writer->payload, writer->instructions.count);
    put_ops(writer);
    put_words(writer, &writer->instructions, MASK);
    put_words(writer, &writer->instructions, PC);
    put_words(writer, &writer->instructions, DEP);
}

/* A listed pattern as a column of its own. It lies behind the tables, as all of them do. */
static void put_listed(struct writer *writer, const uint64_t *words)
{
    const uint64_t *offsets = words + STEP;
    uint64_t above[BS_MAX_LANES];
    uint64_t low = 0;
    for (size_t i = 0; i < words[LANES]; i++)
        low = (int64_t)offsets[i] < (int64_t)low ? offsets[i] : low;
    for (size_t i = 0; i < words[LANES]; i++)
        above[i] = offsets[i] - low;
    bs_put_varint(&writer->listed, bs_zigzag(low));
    bs_put_column(&writer->listed, above, words[LANES]);
}

static void put_patterns(struct writer *writer)
{
    const struct items *items = &writer->patterns;
    bs_put_varint(&writer->payload, items->count);
    put_words(writer, items, LANES);
    put_words(writer, items, LISTED);
    writer->listed.size = 0;
    for (size_t i = 0; i < items->count; i++) {
        const uint64_t *words = items->words + items->start[i];
        writer->scratch[i] = words[LISTED] ? 0 : bs_zigzag(words[STEP]);
        if (words[LISTED])
            put_listed(writer, words);
    }
    bs_put_column(&writer->payload, writer->scratch, items->count);
    bs_buffer_add(&writer->payload, writer->listed.data, writer->listed.size);
    writer->payload.failed |= writer->listed.failed;
}

static void put_entries(struct writer *writer)
{
    bs_put_varint(&writer->payload, writer->entries.count);
    put_words(writer, &writer->entries, INSTRUCTION);
    put_words(writer, &writer->entries, PATTERN);
    put_words(writer, &writer->entries, SOURCES);
}

static bool flush_records(struct writer *writer, struct bs_error *error)
{
    struct bs_block block = {.kind = BS_BLOCK_RECORDS, .records = (uint32_t)writer->records};
    if (writer->records == 0)
        return true;
    block.cta_low = UINT32_MAX;
    for (size_t i = 0; i < writer->records; i++) {
        const uint32_t cta = (uint32_t)writer->column[OF_CTA][i];
        block.cta_low = cta < block.cta_low ? cta : block.cta_low;
        block.cta_high = cta > block.cta_high ? cta : block.cta_high;
    }
    writer->payload.size = 0;
    put_instructions(writer);
    put_patterns(writer);
    put_entries(writer);
    for (unsigned i = 0; i < RECORD_COLUMNS; i++)
        bs_put_column(&writer->payload, writer->column[i], writer->records);
    writer->records = 0;
    forget_items(&writer->instructions);
    forget_items(&writer->patterns);
    forget_items(&writer->entries);
    return write_block(writer, &block, &writer->payload, error);
}

/* ---- records -------------------------------------------------------------------------------- */

/* The pattern of a list of addresses: their offsets from the first, if they are not evenly spaced.
 * All of it is modulo 2^64. */
static bool find_pattern(struct items *patterns, const uint64_t *list, unsigned count,
                         uint64_t *number)
{
    uint64_t words[STEP + BS_MAX_LANES] = {[LANES] = count};
    const uint64_t step = count > 1 ? list[1] - list[0] : 0;
    for (unsigned i = 2; i < count; i++)
        if (list[i] - list[i - 1] != step)
            words[LISTED] = 1;
    if (!words[LISTED]) {
        words[STEP] = step;
        return find_item(patterns, words, PATTERN_WORDS, number);
    }
    for (unsigned i = 0; i < count; i++)
        words[STEP + i] = list[i] - list[0];
    return find_item(patterns, words, STEP + count, number);
}

static bool add_sources(struct writer *writer, const struct bs_access *access, uint64_t *entry)
{
    uint64_t list[BS_MAX_LANES] = {0};
    unsigned count = 0;
    writer->column[OF_SOURCE][writer->records] = 0;
    entry[SOURCES] = 0;
    if (!access->src || !bs_op_is_copy(access->op))
        return true;
    for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1)
        list[count++] = access->src[bs_lanes_lowest(lanes)];
    if (!find_pattern(&writer->patterns, list, count, &entry[SOURCES]))
        return false;
    entry[SOURCES]++;
    writer->column[OF_SOURCE][writer->records] = count ? list[0] : 0;
    return true;
}

static bool add_addresses(struct writer *writer, const struct bs_access *access, uint64_t *entry)
{
    uint64_t list[BS_MAX_LANES] = {0};
    unsigned count = 0;
    for (uint64_t lanes = access->op.kind == BS_BAR ? 0 : access->mask; lanes; lanes &= lanes - 1)
        list[count++] = access->addr[bs_lanes_lowest(lanes)];
    writer->column[OF_BASE][writer->records] = count ? list[0] : 0;
    return find_pattern(&writer->patterns, list, count, &entry[PATTERN]);
}

static bool add_record(struct writer *writer, const struct bs_access *access)
{
    const uint64_t instruction[INSTRUCTION_WORDS] = {
        [OP] = access->op.index, [MASK] = access->mask, [PC] = access->pc, [DEP] = access->dep};
    uint64_t entry[ENTRY_WORDS];
    const size_t at = writer->records;
    if (!find_item(&writer->instructions, instruction, INSTRUCTION_WORDS, &entry[INSTRUCTION]) ||
        !add_addresses(writer, access, entry) || !add_sources(writer, access, entry) ||
        !find_item(&writer->entries, entry, ENTRY_WORDS, &writer->column[OF_ENTRY][at]))
        return false;
    writer->column[OF_CTA][at] = access->cta;
    writer->column[OF_WARP][at] = access->warp;
    writer->records++;
    return true;
}

/* ---- the format ----------------------------------------------------------------------------- */

/* Bytes of launches that are enough for a block. */
enum { ENOUGH = 1024 * 1024 };

/* A launch fits in a block: each name has at most a sixteenth of it, the places a half. */
static bool kernel_fits(const struct bs_kernel *kernel, struct bs_error *error)
{
    const char *const names[] = {kernel->name, kernel->model, kernel->demangled, kernel->device};
    size_t places = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i] && strlen(names[i]) > ENOUGH)
            return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                           "a name of over %d bytes cannot be written in the native binary",
                           ENOUGH);
    for (size_t i = 0; i < kernel->place_count && places <= BS_MAX_PLACES; i++)
        places += strlen(kernel->places[i].text) + BS_PER_PLACE;
    return places <= BS_MAX_PLACES ||
           bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                   "over %d bytes of source places of a launch cannot be written in the native "
                   "binary",
                   BS_MAX_PLACES);
}

static bool put_kernel(void *user, const struct bs_kernel *kernel, struct bs_error *error)
{
    struct writer *writer = user;
    const bool detailed = is_detailed(kernel);
    if (!kernel_fits(kernel, error) || !flush_records(writer, error))
        return false;
    if (detailed != writer->detailed && !flush_launches(writer, error))
        return false;
    writer->detailed = detailed;
    put_launch(&writer->launches, kernel, detailed);
    writer->launch_count++;
    if (writer->launch_count < BS_BINARY_LAUNCHES && writer->launches.size < ENOUGH)
        return true;
    return flush_launches(writer, error);
}

static bool put_record(void *user, const struct bs_access *access, struct bs_error *error)
{
    struct writer *writer = user;
    if (!flush_launches(writer, error))
        return false;
    if (!add_record(writer, access))
        return out_of_memory(error);
    return writer->records < BS_BINARY_RECORDS || flush_records(writer, error);
}

static bool put_note(void *user, const char *text, struct bs_error *error)
{
    struct writer *writer = user;
    struct bs_block block = {.kind = BS_BLOCK_NOTES};
    struct bs_buffer note = {0};
    put_text(&note, text);
    const bool written = flush_records(writer, error) && flush_launches(writer, error) &&
                         write_block(writer, &block, &note, error);
    bs_buffer_free(&note);
    return written;
}

/* The index: all headers with their places, and where it starts itself. */
static bool finish(void *user, struct bs_error *error)
{
    struct writer *writer = user;
    struct bs_block block = {.kind = BS_BLOCK_INDEX};
    if (!flush_records(writer, error) || !flush_launches(writer, error))
        return false;
    struct bs_buffer index = writer->index;
    writer->index = (struct bs_buffer){0};
    bs_put64(&index, writer->offset);
    bs_buffer_add(&index, bs_binary_trailer, sizeof bs_binary_trailer);
    const bool written = write_block(writer, &block, &index, error);
    bs_buffer_free(&index);
    return written;
}

static void close_writer(void *user)
{
    struct writer *writer = user;
    free(writer->instructions.words);
    free(writer->patterns.words);
    free(writer->entries.words);
    bs_buffer_free(&writer->launches);
    bs_buffer_free(&writer->payload);
    bs_buffer_free(&writer->listed);
    bs_buffer_free(&writer->index);
    free(writer);
}

static void *open_writer(FILE *file, struct bs_error *error)
{
    struct writer *writer = calloc(1, sizeof *writer);
    struct bs_buffer start = {0};
    bs_put_start(&start);
    if (!writer || start.failed) {
        out_of_memory(error);
        free(writer);
        bs_buffer_free(&start);
        return NULL;
    }
    writer->file = file;
    writer->offset = BS_BINARY_START;
    const bool written = bs_writer_put(file, start.data, start.size, error);
    bs_buffer_free(&start);
    if (written)
        return writer;
    close_writer(writer);
    return NULL;
}

const struct bs_writer_format bs_binary_writer = {
    .name = "binary",
    .ending = ".bst",
    .open = open_writer,
    .kernel = put_kernel,
    .record = put_record,
    .note = put_note,
    .finish = finish,
    .close = close_writer,
};
