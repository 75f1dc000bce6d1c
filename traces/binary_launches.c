/* See binary_launches.h. */
#include "binary_launches.h"

#include <string.h>

static void take_size(struct bs_cursor *cursor, uint32_t size[3])
{
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t number = bs_take_varint(cursor);
        cursor->failed |= number > UINT32_MAX;
        size[i] = (uint32_t)number;
    }
}

/* A text without NUL, to which a NUL is added. */
static void take_text(struct bs_cursor *cursor, struct bs_buffer *text)
{
    const uint64_t size = bs_take_varint(cursor);
    const unsigned char *bytes =
        size <= BS_BINARY_PAYLOAD ? bs_take_bytes(cursor, (size_t)size) : NULL;
    cursor->failed |= !bytes || (size > 0 && memchr(bytes, '\0', (size_t)size));
    if (!cursor->failed)
        bs_buffer_add(text, bytes, (size_t)size);
    bs_buffer_add(text, "", 1);
}

/* The names of a launch, in their order; the last ones only if it is detailed. */
enum { NAME, MODEL, DEMANGLED, DEVICE, NAMES };

static const char *name_at(const struct bs_buffer *text, size_t start)
{
    return text->data[start] ? text->data + start : NULL;
}

static void take_cc(struct bs_cursor *cursor, uint32_t cc[2])
{
    for (unsigned i = 0; i < 2; i++) {
        const uint64_t number = bs_take_varint(cursor);
        cursor->failed |= number > BS_MAX_CC;
        cc[i] = (uint32_t)number;
    }
    cursor->failed |= cc[0] == 0 && cc[1] > 0;
}

/* The places of the launch that has just begun; false when memory is out. */
static bool take_places(struct bs_cursor *cursor, struct bs_launches *launches)
{
    const uint64_t count = bs_take_varint(cursor);
    uint64_t pc = 0;
    for (uint64_t i = 0; i < count && !cursor->failed; i++) {
        const uint64_t step = bs_take_varint(cursor);
        const uint64_t size = bs_take_varint(cursor);
        const unsigned char *text =
            size <= BS_BINARY_PAYLOAD ? bs_take_bytes(cursor, (size_t)size) : NULL;
        cursor->failed |= !text || size == 0 || memchr(text, '\0', (size_t)size) ||
                          pc + step < pc || (step == 0 && i > 0);
        if (cursor->failed)
            break;
        pc += step;
        if (!bs_launches_place(launches, pc, (const char *)text, (size_t)size))
            return false;
    }
    bs_launches_settle(launches);
    return true;
}

bool bs_take_launch(struct bs_cursor *cursor, bool detailed, struct bs_buffer *text,
                    struct bs_launches *launches)
{
    struct bs_kernel kernel = {0};
    size_t names[NAMES] = {0};
    text->size = 0;
    take_text(cursor, text);
    take_size(cursor, kernel.grid);
    take_size(cursor, kernel.block);
    const uint64_t smem = bs_take_varint(cursor);
    cursor->failed |= smem > (uint64_t)bs_max_smem + 1;
    kernel.smem = (int64_t)smem - 1;
    for (unsigned i = MODEL; i < (detailed ? NAMES : DEMANGLED); i++) {
        names[i] = text->size;
        take_text(cursor, text);
    }
    if (detailed)
        take_cc(cursor, kernel.cc);
    if (text->failed)
        return false;
    cursor->failed |= !text->data[0];
    if (cursor->failed)
        return true;
    kernel.name = text->data;
    kernel.model = name_at(text, names[MODEL]);
    kernel.demangled = detailed ? name_at(text, names[DEMANGLED]) : NULL;
    kernel.device = detailed ? name_at(text, names[DEVICE]) : NULL;
    return bs_launches_begin(launches, &kernel) && (!detailed || take_places(cursor, launches));
}
