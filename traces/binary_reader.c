/*
 * Reading the native binary, as docs/trace-binary.md describes it. A block is checked and taken
 * apart as a whole, so that giving out its records is little more than filling in lanes.
 */
#include "binary.h"
#include "binary_launches.h"
#include "binary_records.h"
#include "filter.h"
#include "format.h"
#include "notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

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
    struct bs_notes notes;
    struct bs_block_records records;
    size_t at; /* the next record of the block */

    struct bs_buffer *bytes; /* where blocks of records go; NULL: they are taken apart here */
    struct bs_piece *piece;
    bool of_pieces; /* it is given blocks, and does not read the input */
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
    case BS_BLOCK_NOTES:
        return block->records == 0 && block->launches == 0 && block->size <= BS_BINARY_PAYLOAD;
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

static bool make_payload(struct reader *reader)
{
    unsigned char *payload = reserve(reader, reader->payload, &reader->payload_room,
                                     reader->block.size + BS_BINARY_SLACK, 1);
    if (!payload)
        return false;
    reader->payload = payload;
    memset(payload + reader->block.size, 0, BS_BINARY_SLACK);
    return true;
}

static bool check_payload(struct reader *reader, uint64_t start)
{
    return bs_crc(reader->payload, reader->block.size) == reader->block.crc ||
           fail(reader, "the block at byte %" PRIu64 " is damaged: its checksum is wrong", start);
}

/* Reads the payload of a block of launches or records and checks it. */
static bool take_payload(struct reader *reader, bool *whole)
{
    const uint64_t start = reader->offset - BS_BINARY_HEADER;
    size_t got;
    if (!make_payload(reader) || !take(reader, reader->payload, reader->block.size, &got))
        return false;
    *whole = got == reader->block.size;
    return !*whole || check_payload(reader, start);
}

static bool take_notes(struct reader *reader, struct bs_cursor cursor)
{
    while (!cursor.failed && cursor.at < cursor.end) {
        const uint64_t size = bs_take_varint(&cursor);
        const unsigned char *text =
            size <= BS_BINARY_PAYLOAD ? bs_take_bytes(&cursor, (size_t)size) : NULL;
        if (!text || memchr(text, '\0', (size_t)size))
            return fail_block(reader, "notes");
        if (!bs_notes_add_foreign(&reader->notes, (const char *)text, (size_t)size))
            return fail_memory(reader);
    }
    return !cursor.failed || fail_block(reader, "notes");
}

static bool use_payload(struct reader *reader)
{
    struct bs_cursor cursor = {reader->payload, reader->payload + reader->block.size, false};
    if (reader->block.kind == BS_BLOCK_NOTES)
        return take_notes(reader, cursor);
    if (reader->block.kind != BS_BLOCK_RECORDS) {
        reader->launch = cursor;
        reader->launches_left = reader->block.launches;
        return reader->launches_left > 0 || cursor.at == cursor.end ||
               fail_block(reader, "launches");
    }
    if (reader->launches->count == 0)
        return fail(reader, "records come before the first launch");
    if (!bs_take_records(&reader->records, &cursor, &reader->block))
        return fail_memory(reader);
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
    bs_block_records_free(&reader->records);
    bs_notes_free(&reader->notes);
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

static struct reader *make_reader(struct bs_input *input, struct bs_launches *launches,
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
    return reader;
}

static void *open_reader(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error)
{
    struct reader *reader = make_reader(input, launches, error);
    if (!reader || take_start(reader))
        return reader;
    close_reader(reader);
    return NULL;
}

/* Whether another reader is to take the block apart. */
static bool is_piece(const struct reader *reader)
{
    return reader->bytes && reader->block.kind == BS_BLOCK_RECORDS && reader->launches->count > 0 &&
           wants(reader, &reader->block);
}

/* The block becomes a piece as it stands, unchecked. */
static bool take_piece(struct reader *reader, bool *whole)
{
    struct bs_buffer *bytes = reader->bytes;
    const size_t size = reader->block.size;
    size_t got;
    *reader->piece = (struct bs_piece){.start = bytes->size,
                                       .at = reader->offset - BS_BINARY_HEADER,
                                       .left_out = reader->left_out};
    bs_put_block(bytes, &reader->block);
    if (!bs_buffer_reserve(bytes, size + BS_PIECE_SLACK))
        return fail_memory(reader);
    if (!take(reader, bytes->data + bytes->size, size, &got))
        return false;
    *whole = got == size;
    if (!*whole)
        return true;
    bytes->size += size + BS_PIECE_SLACK;
    reader->piece->size = BS_BINARY_HEADER + size;
    reader->left_out = 0;
    return true;
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
    const bool piece = whole && is_piece(reader);
    if (whole && !(piece ? take_piece(reader, &whole) : take_payload(reader, &whole)))
        return BS_TRACE_ERROR;
    if (!whole)
        return end_early(reader, start);
    reader->at = reader->block.records;
    if (!piece && !wants(reader, &reader->block)) {
        leave_out(reader, &reader->block);
        return BS_TRACE_RECORD;
    }
    if (!piece && !use_payload(reader))
        return BS_TRACE_ERROR;
    reader->seen += reader->block.records;
    return BS_TRACE_RECORD;
}

static bool has_piece(const struct reader *reader)
{
    return reader->bytes && reader->piece->size > 0;
}

static enum bs_trace_event next_block(struct reader *reader)
{
    enum bs_trace_event event = BS_TRACE_RECORD;
    while (event == BS_TRACE_RECORD && reader->at >= reader->block.records &&
           reader->launches_left == 0 && !has_piece(reader)) {
        bool failed = false;
        if (reader->index && !find_indexed(reader, &failed))
            return failed ? BS_TRACE_ERROR : BS_TRACE_END;
        event = take_block(reader);
    }
    return event;
}

/* What follows the last record that was ready: another record of a block to come, or not. */
static enum bs_trace_event next_other(struct reader *reader, struct bs_record *record)
{
    if (reader->of_pieces)
        return BS_TRACE_END;
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
    bs_give_record(&reader->records, reader->at++, &record->access);
    record->access.record = reader->left_out;
    record->kernel = &reader->launches->last.kernel;
    record->line = 0;
    record->op_column = record->addr_column = 0;
    reader->left_out = 0;
    return BS_TRACE_RECORD;
}

/* ---- pieces --------------------------------------------------------------------------------- */

static enum bs_trace_event next_piece(void *user, struct bs_buffer *bytes, struct bs_piece *piece,
                                      struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    reader->error = error;
    reader->bytes = bytes;
    reader->piece = piece;
    piece->size = 0;
    const enum bs_trace_event event = next_other(reader, record);
    reader->bytes = NULL;
    return event;
}

static void *open_pieces(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error)
{
    struct reader *reader = make_reader(input, launches, error);
    if (reader)
        reader->of_pieces = true;
    return reader;
}

static bool start_piece(void *user, char *bytes, const struct bs_piece *piece,
                        struct bs_error *error)
{
    struct reader *reader = user;
    const unsigned char *start = (const unsigned char *)bytes + piece->start;
    reader->error = error;
    reader->offset = piece->at + piece->size;
    bs_get_block(start, &reader->block);
    if (!make_payload(reader))
        return false;
    memcpy(reader->payload, start + BS_BINARY_HEADER, reader->block.size);
    return check_payload(reader, piece->at) && use_payload(reader);
}

static const char *remark(const void *user, enum bs_remark kind, size_t number)
{
    const struct reader *reader = user;
    return kind == BS_REMARK_MIND ? bs_notes_at(&reader->notes, number) : NULL;
}

const struct bs_format bs_binary_format = {
    .name = "native binary",
    .start = "\\x89BST",
    .probe = probe,
    .open = open_reader,
    .filter = filter_reader,
    .next = next_event,
    .next_piece = next_piece,
    .open_pieces = open_pieces,
    .start_piece = start_piece,
    .remark = remark,
    .close = close_reader,
};
