/*
 * The layout of the native binary: what its writer and its reader share. docs/trace-binary.md has
 * it byte for byte. All numbers are little-endian.
 */
#ifndef BS_BINARY_H
#define BS_BINARY_H

#include "bankshot.h"

#include "core/buffer.h"

enum {
    BS_BINARY_VERSION = 1,
    BS_BINARY_START = 16,                 /* bytes before the first block */
    BS_BINARY_HEADER = 32,                /* bytes of a block's header */
    BS_BINARY_ENTRY = 40,                 /* bytes of a block's entry in the index */
    BS_BINARY_TRAILER = 16,               /* bytes at the end of the index */
    BS_BINARY_RECORDS = 16384,            /* in a block at most */
    BS_BINARY_LAUNCHES = 4096,            /* likewise */
    BS_BINARY_PAYLOAD = 16 * 1024 * 1024, /* bytes of a block but the index at most */
    BS_BINARY_SLACK = 8,                  /* a reader may load so many bytes behind a payload */
};

extern const unsigned char bs_binary_magic[8];   /* the file's first bytes */
extern const unsigned char bs_binary_trailer[8]; /* and its last */

/* Names of kinds as numbers: their four letters, the first lowest. */
enum bs_block_kind {
    BS_BLOCK_LAUNCHES = 0x4c4e4c42, /* "BLNL" */
    BS_BLOCK_DETAILED = 0x444e4c42, /* "BLND": launches with all that a kernel can say */
    BS_BLOCK_RECORDS = 0x52434c42,  /* "BLCR" */
    BS_BLOCK_NOTES = 0x544e4c42,    /* "BLNT" */
    BS_BLOCK_INDEX = 0x58494c42,    /* "BLIX" */
};

struct bs_block {
    uint32_t kind;    /* enum bs_block_kind */
    uint32_t size;    /* bytes of the payload */
    uint32_t records; /* in it */
    uint32_t launches;
    uint32_t cta_low, cta_high; /* of the records */
    uint32_t crc;               /* of the payload */
};

uint32_t bs_get32(const unsigned char *at);
uint64_t bs_get64(const unsigned char *at);
void bs_put32(struct bs_buffer *out, uint32_t value);
void bs_put64(struct bs_buffer *out, uint64_t value);
void bs_put_varint(struct bs_buffer *out, uint64_t value); /* LEB128 */

uint32_t bs_crc(const void *bytes, size_t size);
/* The checksum of what has the checksum crc with more bytes behind it. */
uint32_t bs_crc_more(uint32_t crc, const void *bytes, size_t size);

void bs_put_start(struct bs_buffer *out);

void bs_put_block(struct bs_buffer *out, const struct bs_block *block);
/* False if the header's checksum is wrong. */
bool bs_get_block(const unsigned char bytes[BS_BINARY_HEADER], struct bs_block *block);

/* A column: numbers of 0, 1, 2, 4 or 8 bytes each, from which the values are low + (number <<
 * shift), modulo 2^64. */
struct bs_column_view {
    const unsigned char *numbers;
    uint64_t mask; /* of the bits that belong to a number */
    uint64_t low;
    uint8_t width;
    uint8_t shift;
};

/* Writes values as the narrowest column that there is for them. */
void bs_put_column(struct bs_buffer *out, const uint64_t *values, size_t count);

/* The value at a place that the column has. */
static inline uint64_t bs_column_at(const struct bs_column_view *column, size_t at)
{
    const unsigned char *bytes = column->numbers + at * column->width;
    const uint64_t number =
        (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
        (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
        (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56; /* one load on the machines of today */
    return column->low + ((number & column->mask) << column->shift);
}

/* A payload being taken apart. */
struct bs_cursor {
    const unsigned char *at;
    const unsigned char *end; /* BS_BINARY_SLACK bytes behind it can be loaded */
    bool failed;              /* something did not fit; stays set */
};

uint64_t bs_take_varint(struct bs_cursor *cursor);
/* The next size bytes; NULL if there are fewer. */
const unsigned char *bs_take_bytes(struct bs_cursor *cursor, size_t size);
void bs_take_column(struct bs_cursor *cursor, size_t count, struct bs_column_view *column);

/* Signed numbers as unsigned ones, small for small: 0, -1, 1, -2, ... */
static inline uint64_t bs_zigzag(uint64_t value)
{
    return value << 1 ^ (0 - (value >> 63));
}

static inline uint64_t bs_unzigzag(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
}

#endif
