/* The pieces of the native binary: numbers, headers of blocks, columns. */
#include "binary.h"

#include <string.h>
#include <zlib.h>

const unsigned char bs_binary_magic[8] = {0x89, 'B', 'S', 'T', '\r', '\n', 0x1a, '\n'};
const unsigned char bs_binary_trailer[8] = {'B', 'S', 'T', 'I', 'N', 'D', 'E', 'X'};

/* ---- numbers -------------------------------------------------------------------------------- */

uint32_t bs_get32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

uint64_t bs_get64(const unsigned char *at)
{
    return bs_get32(at) | (uint64_t)bs_get32(at + 4) << 32;
}

/* The low bytes of a value. */
static void put_bytes(struct bs_buffer *out, uint64_t value, unsigned bytes)
{
    unsigned char text[8];
    for (unsigned i = 0; i < bytes; i++)
        text[i] = (unsigned char)(value >> 8 * i);
    bs_buffer_add(out, text, bytes);
}

void bs_put32(struct bs_buffer *out, uint32_t value)
{
    put_bytes(out, value, 4);
}

void bs_put64(struct bs_buffer *out, uint64_t value)
{
    put_bytes(out, value, 8);
}

void bs_put_varint(struct bs_buffer *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_bytes(out, value | 0x80, 1);
    put_bytes(out, value, 1);
}

uint32_t bs_crc_more(uint32_t crc, const void *bytes, size_t size)
{
    return (uint32_t)crc32_z(crc, bytes, size);
}

uint32_t bs_crc(const void *bytes, size_t size)
{
    return bs_crc_more(0, bytes ? bytes : "", bytes ? size : 0);
}

/* ---- headers -------------------------------------------------------------------------------- */

void bs_put_start(struct bs_buffer *out)
{
    const size_t start = out->size;
    bs_buffer_add(out, bs_binary_magic, sizeof bs_binary_magic);
    bs_put32(out, BS_BINARY_VERSION);
    if (!out->failed)
        bs_put32(out, bs_crc(out->data + start, out->size - start));
}

void bs_put_block(struct bs_buffer *out, const struct bs_block *block)
{
    const size_t start = out->size;
    bs_put32(out, block->kind);
    bs_put32(out, block->size);
    bs_put32(out, block->records);
    bs_put32(out, block->launches);
    bs_put32(out, block->cta_low);
    bs_put32(out, block->cta_high);
    bs_put32(out, block->crc);
    if (!out->failed)
        bs_put32(out, bs_crc(out->data + start, out->size - start));
}

bool bs_get_block(const unsigned char bytes[BS_BINARY_HEADER], struct bs_block *block)
{
    *block = (struct bs_block){
        .kind = bs_get32(bytes),
        .size = bs_get32(bytes + 4),
        .records = bs_get32(bytes + 8),
        .launches = bs_get32(bytes + 12),
        .cta_low = bs_get32(bytes + 16),
        .cta_high = bs_get32(bytes + 20),
        .crc = bs_get32(bytes + 24),
    };
    return bs_crc(bytes, BS_BINARY_HEADER - 4) == bs_get32(bytes + BS_BINARY_HEADER - 4);
}

/* ---- columns -------------------------------------------------------------------------------- */

static unsigned width_of(uint64_t most)
{
    if (most == 0)
        return 0;
    if (most <= UINT8_MAX)
        return 1;
    if (most <= UINT16_MAX)
        return 2;
    return most <= UINT32_MAX ? 4 : 8;
}

void bs_put_column(struct bs_buffer *out, const uint64_t *values, size_t count)
{
    uint64_t low = count ? values[0] : 0;
    uint64_t high = low;
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    for (size_t i = 0; i < count; i++)
        bits |= values[i] - low;
    unsigned shift = 0;
    while (bits && !(bits >> shift & 1))
        shift++;
    const unsigned width = width_of((high - low) >> shift);
    put_bytes(out, width, 1);
    put_bytes(out, shift, 1);
    bs_put_varint(out, low);
    for (size_t i = 0; width && i < count; i++)
        put_bytes(out, (values[i] - low) >> shift, width);
}

uint64_t bs_take_varint(struct bs_cursor *cursor)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        const unsigned char byte = *cursor->at++;
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    cursor->failed = true;
    return 0;
}

const unsigned char *bs_take_bytes(struct bs_cursor *cursor, size_t size)
{
    const unsigned char *bytes = cursor->at;
    if (cursor->failed || (size_t)(cursor->end - cursor->at) < size) {
        cursor->failed = true;
        return NULL;
    }
    cursor->at += size;
    return bytes;
}

void bs_take_column(struct bs_cursor *cursor, size_t count, struct bs_column_view *column)
{
    static const uint64_t masks[] = {0, UINT8_MAX, UINT16_MAX, 0, UINT32_MAX, 0, 0, 0, UINT64_MAX};
    const unsigned char *head = bs_take_bytes(cursor, 2);
    *column = (struct bs_column_view){0};
    if (!head || head[0] > 8 || (head[0] && !masks[head[0]]) || head[1] > 63) {
        cursor->failed = true;
        return;
    }
    column->width = head[0];
    column->shift = head[1];
    column->mask = masks[head[0]];
    column->low = bs_take_varint(cursor);
    column->numbers = bs_take_bytes(cursor, count * head[0]);
}
