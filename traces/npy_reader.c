/*
 * Reading .npy files of NumPy: an array of addresses, (records, lanes), or a structured array whose
 * fields are those of records. docs/formats.md says which.
 */
#include "binary.h"
#include "filter.h"
#include "format.h"
#include "npy_header.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROW_LIMIT = 1 << 20, HEADER_LIMIT = 1 << 16 };

/* The fields that are known. Only addr must be there. */
enum role { KERNEL, LAUNCH, CTA, WARP, PC, OP, MASK, DEP, ADDR, SRC, ROLES };

static const struct known {
    const char *name;
    bool text, lanes;
    uint64_t max;
} known[ROLES] = {
    {"kernel", true, false, 0},         {"launch", false, false, UINT64_MAX},
    {"cta", false, false, UINT32_MAX},  {"warp", false, false, UINT32_MAX},
    {"pc", false, false, UINT64_MAX},   {"op", true, false, 0},
    {"mask", false, false, UINT64_MAX}, {"dep", false, false, UINT32_MAX},
    {"addr", false, true, UINT32_MAX},  {"src", false, true, UINT64_MAX},
};

struct reader {
    struct bs_input *input;
    struct bs_launches *launches; /* the trace's */
    struct bs_error *error;       /* of the call being served */
    struct bs_npy npy;
    const struct bs_npy_field *field[ROLES];
    unsigned char *row;
    uint64_t rows; /* read so far */
    bool held;     /* the row has been read, and its launch is what came last */
    uint64_t launch;
    bool has_op; /* one for all records */
    struct bs_op op;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

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

/* ---- the header ----------------------------------------------------------------------------- */

static bool find_fields(struct reader *reader)
{
    const struct bs_npy *npy = &reader->npy;
    if (!npy->structured)
        reader->field[ADDR] = &npy->field[0];
    for (unsigned i = 0; npy->structured && i < npy->fields; i++) {
        const struct bs_npy_field *field = &npy->field[i];
        unsigned role = 0;
        char shown[64];
        while (role < ROLES && strcmp(known[role].name, field->name) != 0)
            role++;
        bs_printable(field->name, strlen(field->name), shown, sizeof shown);
        if (role == ROLES)
            return fail(reader,
                        "unknown field '%s', expected kernel, launch, cta, warp, pc, op, "
                        "mask, dep, addr or src",
                        shown);
        if (reader->field[role])
            return fail(reader, "the field '%s' is there twice", shown);
        if (known[role].text != (field->type == 'S') || (!known[role].lanes && field->items != 1))
            return fail(reader, "the field '%s' should be %s", shown,
                        known[role].text    ? "bytes (S)"
                        : known[role].lanes ? "integers, one for each lane"
                                            : "one integer");
        reader->field[role] = field;
    }
    const struct bs_npy_field *addr = reader->field[ADDR];
    if (!addr || addr->type == 'S')
        return fail(reader, "the array has no addresses, expected integers%s",
                    npy->structured ? " in a field 'addr'" : "");
    for (unsigned role = ADDR; role <= SRC; role++)
        if (reader->field[role] &&
            (reader->field[role]->items < 1 || reader->field[role]->items > BS_MAX_LANES ||
             reader->field[role]->items != addr->items))
            return fail(reader, "%" PRIu32 " lanes, expected 1 to %d, as many for addr as for src",
                        reader->field[role]->items, BS_MAX_LANES);
    return npy->row_bytes <= ROW_LIMIT || fail(reader, "the rows are too long");
}

static bool take_header(struct reader *reader)
{
    unsigned char head[BS_NPY_MAGIC + 4];
    size_t got;
    if (!bs_input_read_all(reader->input, head, BS_NPY_MAGIC, &got, reader->error))
        return false;
    const unsigned length = got == BS_NPY_MAGIC && head[6] == 1 ? 2 : 4;
    if (got < BS_NPY_MAGIC)
        return fail(reader, "the header of the .npy file is cut off");
    if (head[6] < 1 || head[6] > 3)
        return fail(reader, "bad version of .npy, expected 1, 2 or 3, found %u", head[6]);
    memset(head + BS_NPY_MAGIC, 0, 4);
    if (!bs_input_read_all(reader->input, head + BS_NPY_MAGIC, length, &got, reader->error))
        return false;
    const uint32_t size = bs_get32(head + BS_NPY_MAGIC);
    if (got < length)
        return fail(reader, "the header of the .npy file is cut off");
    if (size > HEADER_LIMIT)
        return fail(reader, "bad header of an .npy file, expected at most %d bytes, found %" PRIu32,
                    HEADER_LIMIT, size);
    unsigned char *text = malloc(size + 1);
    if (!text)
        return bs_fail(reader->error, BS_INTERNAL, bs_input_name(reader->input), 0, 0,
                       "out of memory");
    bool good = bs_input_read_all(reader->input, text, size, &got, reader->error);
    if (good && got < size)
        good = fail(reader, "the header of the .npy file is cut off");
    if (good && !bs_npy_parse((char *)text, size, &reader->npy, reader->error)) {
        const struct bs_error error = *reader->error;
        good = fail(reader, "%s at byte %" PRIu64 " of it", error.text, error.column);
    }
    free(text);
    return good && find_fields(reader);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* An item; *negative where it is signed and below 0. */
static uint64_t item_of(const struct reader *reader, enum role role, unsigned item, bool *negative)
{
    const struct bs_npy_field *field = reader->field[role];
    const unsigned char *at = reader->row + field->at + (size_t)item * field->bytes;
    uint64_t value = 0;
    for (unsigned i = 0; i < field->bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    *negative = field->type == 'i' && (at[field->bytes - 1] & 0x80);
    if (*negative && field->bytes < 8)
        value |= UINT64_MAX << 8 * field->bytes;
    return value;
}

static bool number_of(struct reader *reader, enum role role, uint64_t otherwise, uint64_t *value)
{
    bool negative;
    *value = otherwise;
    if (!reader->field[role])
        return true;
    *value = item_of(reader, role, 0, &negative);
    /* A mask of a signed type uses its sign as a lane. */
    if (role == MASK && negative && reader->field[role]->bytes < 8)
        *value &= ~(UINT64_MAX << 8 * reader->field[role]->bytes);
    else if ((negative && role != MASK) || *value > known[role].max)
        return fail(reader, "row %" PRIu64 ": %s should be a number up to %" PRIu64, reader->rows,
                    known[role].name, known[role].max);
    return true;
}

/* The bytes of a text field up to its NULs. */
static size_t text_of(const struct reader *reader, enum role role, const char **text)
{
    size_t size = reader->field[role]->bytes;
    *text = (const char *)reader->row + reader->field[role]->at;
    while (size > 0 && (*text)[size - 1] == '\0')
        size--;
    return size;
}

static bool take_op(struct reader *reader, struct bs_op *op)
{
    const char *text;
    char shown[64];
    *op = reader->op;
    if (reader->has_op)
        return true;
    if (!reader->field[OP])
        return fail(reader,
                    "the array does not say which op its records are, expected --op OP with "
                    "the name of one, such as ld.b32");
    const size_t size = text_of(reader, OP, &text);
    return bs_op_parse(text, size, op) ||
           fail(reader, "row %" PRIu64 ": unknown op \"%s\"", reader->rows,
                bs_printable(text, size, shown, sizeof shown));
}

/* A new launch begins where the number or the name differs from the row before. */
static bool take_kernel(struct reader *reader, bool *begins)
{
    struct bs_kernel kernel = bs_kernel_named("array");
    const char *text;
    char name[BS_NPY_KERNEL];
    uint64_t launch;
    if (!number_of(reader, LAUNCH, 0, &launch))
        return false;
    if (reader->field[KERNEL]) {
        const size_t size = text_of(reader, KERNEL, &text);
        if (size == 0 || size >= sizeof name || memchr(text, '\0', size))
            return fail(reader, "row %" PRIu64 ": the kernel should be a name of 1 to %zu bytes",
                        reader->rows, sizeof name - 1);
        memcpy(name, text, size);
        name[size] = '\0';
        kernel.name = name;
    }
    struct bs_launches *launches = reader->launches;
    *begins = launches->count == 0 || launch != reader->launch ||
              strcmp(launches->last.kernel.name, kernel.name) != 0;
    reader->launch = launch;
    return !*begins || bs_launches_begin(launches, &kernel) ||
           bs_fail(reader->error, BS_INTERNAL, bs_input_name(reader->input), 0, 0, "out of memory");
}

/* The addresses, and the mask: without a field of its own, -1 stands for an inactive lane. */
static bool take_lanes(struct reader *reader, struct bs_access *access)
{
    const unsigned lanes = reader->field[ADDR]->items;
    const uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    if (!number_of(reader, MASK, all, &access->mask))
        return false;
    if (access->op.kind == BS_BAR)
        return true;
    if (access->mask & ~all)
        return fail(reader, "row %" PRIu64 ": the mask has lanes beyond the %u of addr",
                    reader->rows, lanes);
    for (unsigned lane = 0; lane < lanes; lane++) {
        bool negative;
        const uint64_t address = item_of(reader, ADDR, lane, &negative);
        if (negative && address == UINT64_MAX && !reader->field[MASK])
            access->mask &= ~(UINT64_C(1) << lane);
        if (!(access->mask >> lane & 1))
            continue;
        if (negative || address > UINT32_MAX)
            return fail(reader,
                        "row %" PRIu64 ": the address of lane %u should be at most %" PRIu32,
                        reader->rows, lane, UINT32_MAX);
        reader->addr[lane] = (uint32_t)address;
    }
    return true;
}

/* Sources that are all 0 are not known. */
static void take_sources(struct reader *reader, struct bs_access *access)
{
    uint64_t any = 0;
    bool negative;
    if (!reader->field[SRC] || !bs_op_is_copy(access->op))
        return;
    for (unsigned lane = 0; lane < reader->field[SRC]->items; lane++)
        any |= reader->src[lane] = item_of(reader, SRC, lane, &negative);
    access->src = any ? reader->src : NULL;
}

static bool take_record(struct reader *reader, struct bs_op op, struct bs_record *record)
{
    struct bs_access *access = &record->access;
    uint64_t cta, warp, dep;
    *record = (struct bs_record){
        .access = {.op = op, .addr = reader->addr},
        .kernel = &reader->launches->last.kernel,
    };
    if (!take_lanes(reader, access) || !number_of(reader, CTA, 0, &cta) ||
        !number_of(reader, WARP, 0, &warp) || !number_of(reader, PC, 0, &access->pc) ||
        !number_of(reader, DEP, 0, &dep))
        return false;
    access->cta = (uint32_t)cta;
    access->warp = (uint32_t)warp;
    access->dep = (uint32_t)dep;
    take_sources(reader, access);
    return true;
}

/* ---- the format ----------------------------------------------------------------------------- */

static bool probe(const char *bytes, size_t size)
{
    return size >= sizeof bs_npy_magic && memcmp(bytes, bs_npy_magic, sizeof bs_npy_magic) == 0;
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    free(reader->row);
    free(reader);
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
    if (take_header(reader) && (reader->row = malloc((size_t)reader->npy.row_bytes + 1)))
        return reader;
    close_reader(reader);
    return NULL;
}

/* An array without ops gets the one that is asked for. */
static void filter_reader(void *user, const struct bs_filter *filter)
{
    struct reader *reader = user;
    if (!reader->field[OP] && filter->op)
        reader->has_op = bs_op_parse(filter->op, strlen(filter->op), &reader->op);
}

/* Reads the next row; BS_TRACE_RECORD: there was one. */
static enum bs_trace_event read_row(struct reader *reader)
{
    unsigned char byte;
    size_t got;
    if (reader->rows == reader->npy.rows) {
        if (!bs_input_read_all(reader->input, &byte, 1, &got, reader->error))
            return BS_TRACE_ERROR;
        if (got == 0)
            return BS_TRACE_END;
        fail(reader, "something stands behind the %" PRIu64 " rows of the array", reader->rows);
        return BS_TRACE_ERROR;
    }
    const size_t size = (size_t)reader->npy.row_bytes;
    if (!bs_input_read_all(reader->input, reader->row, size, &got, reader->error))
        return BS_TRACE_ERROR;
    if (got == size)
        return BS_TRACE_RECORD;
    fail(reader, "the array is cut off, expected %" PRIu64 " rows, found %" PRIu64,
         reader->npy.rows, reader->rows);
    return BS_TRACE_ERROR;
}

/* A row whose launch is new is held until the launch has been told. */
static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    struct bs_op op;
    reader->error = error;
    const enum bs_trace_event event = reader->held ? BS_TRACE_RECORD : read_row(reader);
    if (event != BS_TRACE_RECORD)
        return event;
    if (!take_op(reader, &op) || !take_kernel(reader, &reader->held))
        return BS_TRACE_ERROR;
    if (reader->held)
        return BS_TRACE_LAUNCH;
    if (!take_record(reader, op, record))
        return BS_TRACE_ERROR;
    reader->rows++;
    return BS_TRACE_RECORD;
}

const struct bs_format bs_npy_format = {
    .name = "array of NumPy",
    .start = "\\x93NUMPY",
    .probe = probe,
    .open = open_reader,
    .filter = filter_reader,
    .next = next_event,
    .close = close_reader,
};
