/* Reading one instruction of an Accel-Sim trace. */
#include "accelsim_line.h"

#include "core/lanes.h"
#include "scan.h"

#include <string.h>

/* A count and as many registers. */
static bool skip_registers(struct bs_cursor *cursor, const char *what)
{
    enum { MOST = 64 };
    uint64_t count;
    const char *word;
    size_t size;
    if (!bs_cursor_number(cursor, what, MOST, &count))
        return false;
    for (uint64_t i = 0; i < count; i++) {
        if (!bs_cursor_word(cursor, "register", &word, &size))
            return false;
        if (bs_digit_value(*word) < 10 || *word == '-')
            return bs_cursor_fail(cursor, word, "bad register", "a name such as R12");
    }
    return true;
}

/* 0x and digits. */
static bool read_address(struct bs_cursor *cursor, uint64_t *address)
{
    const char *at = cursor->at;
    if (cursor->end - at < 3 || at[0] != '0' || at[1] != 'x')
        return bs_cursor_fail(cursor, at, "bad address", "0x and an address for each active lane");
    return bs_cursor_hex(cursor, "address", UINT64_MAX, address);
}

/* An address for each lane. */
static bool read_list(struct bs_cursor *cursor, struct bs_accelsim_line *line)
{
    for (unsigned i = 0; i < line->lanes; i++)
        if (!read_address(cursor, &line->list[i]))
            return false;
    return true;
}

/* An address and the distance from lane to lane. */
static bool read_stride(struct bs_cursor *cursor, struct bs_accelsim_line *line)
{
    uint64_t base, stride;
    if (!read_address(cursor, &base) || !bs_cursor_signed(cursor, "stride", &stride))
        return false;
    for (unsigned i = 0; i < line->lanes; i++)
        line->list[i] = base + i * stride;
    return true;
}

/* An address, and for each further lane the distance from the active lane before it. */
static bool read_deltas(struct bs_cursor *cursor, struct bs_accelsim_line *line)
{
    uint64_t address;
    if (!read_address(cursor, &address))
        return false;
    for (unsigned i = 0; i < line->lanes; i++) {
        uint64_t delta;
        if (i > 0) {
            if (!bs_cursor_signed(cursor, "delta", &delta))
                return false;
            address += delta;
        }
        line->list[i] = address;
    }
    return true;
}

static bool read_addresses(struct bs_cursor *cursor, const struct bs_accelsim_form *form,
                           struct bs_accelsim_line *line)
{
    static bool (*const modes[])(struct bs_cursor *,
                                 struct bs_accelsim_line *) = {read_list, read_stride, read_deltas};
    uint64_t mode;
    if (!bs_cursor_number(cursor, "address mode", form->version >= 6 ? 4 : 2, &mode))
        return false;
    line->is_bulk = mode > 2;
    if (line->is_bulk || line->mask == 0) {
        cursor->at = cursor->end; /* whatever stands there, nothing is taken of it */
        return true;
    }
    return modes[mode](cursor, line);
}

/* What stands behind the addresses: nothing, an immediate, or two and lists of values. */
static bool read_rest(struct bs_cursor *cursor, const struct bs_accelsim_form *form,
                      const struct bs_accelsim_line *line)
{
    uint64_t unused;
    if (line->has_memory && (line->is_bulk || line->mask == 0))
        return true;
    if (form->version >= 5 && !bs_cursor_signed(cursor, "immediate", &unused))
        return false;
    if (form->version < 6)
        return bs_cursor_end(cursor);
    return bs_cursor_signed(cursor, "second immediate", &unused);
}

static bool is_matrix_multiply(const struct bs_accelsim_line *line)
{
    return line->name_size > 5 && memcmp(line->name + 1, "GMMA", 4) == 0;
}

bool bs_accelsim_line_read(struct bs_cursor *cursor, const struct bs_accelsim_form *form,
                           struct bs_accelsim_line *line)
{
    uint64_t number;
    if (form->lineinfo && !bs_cursor_number(cursor, "line number", UINT64_MAX, &number))
        return false;
    if (!bs_cursor_hex(cursor, "pc", UINT64_MAX, &line->pc) ||
        !bs_cursor_hex(cursor, "mask", UINT32_MAX, &line->mask) ||
        !skip_registers(cursor, "number of destinations") ||
        !bs_cursor_word(cursor, "instruction", &line->name, &line->name_size))
        return false;
    if (bs_digit_value(line->name[0]) < 10)
        return bs_cursor_fail(cursor, line->name, "bad instruction", "a name such as LDS.128");
    line->is_bulk = false;
    line->lanes = bs_lanes_count(line->mask);
    if (!skip_registers(cursor, "number of sources"))
        return false;
    if (form->version >= 6 && is_matrix_multiply(line) &&
        !bs_cursor_number(cursor, "is_commit", 1, &number))
        return false;
    if (!bs_cursor_number(cursor, "width", 4096, &number))
        return false;
    line->has_memory = number > 0;
    return (!line->has_memory || read_addresses(cursor, form, line)) &&
           read_rest(cursor, form, line);
}
