/*
 * Writing .npy files: a structured array with the fields of records. How many there are, and how
 * wide names and lanes must be, is known at the end only, so rows wait in a temporary file.
 */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "npy_header.h"
#include "writer.h"

#include "core/buffer.h"
#include "core/lanes.h"
#include "core/temporary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { START = 10, ALIGNMENT = 64 };

/* A row as it waits. */
struct row {
    uint64_t pc, mask, launch;
    uint32_t cta, warp, dep;
    uint32_t name; /* offset in the names */
    uint8_t op;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

struct writer {
    FILE *file; /* the caller's */
    FILE *rows;
    uint64_t count;
    struct bs_buffer names; /* each launch's, ending in NUL */
    size_t name;            /* of the last launch */
    size_t longest;         /* bytes of a name */
    unsigned lanes;
    bool sources;
    uint64_t launches;
    uint64_t used_launches; /* with records */
    uint64_t last_used;
    bool lost_sizes, lost_places;
    char losses[160];
};

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static void close_writer(void *user)
{
    struct writer *writer = user;
    if (writer->rows)
        fclose(writer->rows);
    bs_buffer_free(&writer->names);
    free(writer);
}

/* A temporary file for the rows, without a name. NULL after filling error. */
static FILE *open_rows(struct bs_error *error)
{
    const char *folder = bs_temporary_folder();
    char shown[128];
    char *name = bs_temporary_name();
    if (!name) {
        out_of_memory(error);
        return NULL;
    }
    errno = 0;
    const int number = mkstemp(name);
    FILE *file = number >= 0 ? fdopen(number, "w+b") : NULL;
    if (!file)
        bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                "no temporary file can be made in %s, where TMPDIR may choose another folder: %s",
                bs_printable(folder, strlen(folder), shown, sizeof shown), strerror(errno));
    if (number >= 0)
        unlink(name);
    if (number >= 0 && !file)
        close(number);
    free(name);
    return file;
}

static void *open_writer(FILE *file, struct bs_error *error)
{
    struct writer *writer = calloc(1, sizeof *writer);
    if (!writer) {
        out_of_memory(error);
        return NULL;
    }
    *writer = (struct writer){.file = file, .lanes = 32, .longest = 1};
    writer->rows = open_rows(error);
    if (writer->rows)
        return writer;
    close_writer(writer);
    return NULL;
}

static bool put_kernel(void *user, const struct bs_kernel *kernel, struct bs_error *error)
{
    struct writer *writer = user;
    const size_t size = strlen(kernel->name);
    if (size >= BS_NPY_KERNEL)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                       "a kernel's name of %zu bytes cannot be written in an array, expected at "
                       "most %d; text and binary hold it",
                       size, BS_NPY_KERNEL - 1);
    writer->name = writer->names.size;
    bs_buffer_add(&writer->names, kernel->name, size + 1);
    writer->longest = size > writer->longest ? size : writer->longest;
    writer->launches++;
    writer->lost_sizes |= kernel->model || kernel->smem >= 0 || kernel->grid[0] ||
                          kernel->block[0] || kernel->demangled || kernel->device || kernel->cc[0];
    writer->lost_places |= kernel->place_count > 0;
    return (!writer->names.failed && writer->names.size <= UINT32_MAX) || out_of_memory(error);
}

static bool put_record(void *user, const struct bs_access *access, struct bs_error *error)
{
    struct writer *writer = user;
    struct row row = {
        .pc = access->pc,
        .mask = access->mask,
        .launch = writer->launches - 1,
        .cta = access->cta,
        .warp = access->warp,
        .dep = access->dep,
        .name = (uint32_t)writer->name,
        .op = access->op.index,
    };
    const bool copies = access->src && bs_op_is_copy(access->op);
    for (uint64_t lanes = access->mask; lanes; lanes &= lanes - 1) {
        const unsigned lane = bs_lanes_lowest(lanes);
        writer->lanes = lane >= 32 ? 64 : writer->lanes;
        if (access->op.kind != BS_BAR)
            row.addr[lane] = access->addr[lane];
        if (copies)
            row.src[lane] = access->src[lane];
    }
    writer->sources |= copies;
    writer->used_launches += writer->last_used != writer->launches;
    writer->last_used = writer->launches;
    writer->count++;
    return bs_writer_put(writer->rows, &row, sizeof row, error);
}

/* ---- the array ------------------------------------------------------------------------------ */

static void put_number(struct bs_buffer *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        bs_buffer_add(out, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
}

/* A text, with NULs up to its room. */
static void put_text(struct bs_buffer *out, const char *text, size_t room)
{
    const size_t size = strlen(text);
    bs_buffer_add(out, text, size);
    for (size_t i = size; i < room; i++)
        bs_buffer_add(out, "", 1);
}

static void put_header(const struct writer *writer, struct bs_buffer *out)
{
    struct bs_buffer text = {0};
    bs_buffer_printf(&text,
                     "{'descr': [('kernel', '|S%zu'), ('launch', '<u8'), ('cta', '<u4'), "
                     "('warp', '<u4'), ('pc', '<u8'), ('op', '|S%d'), ('mask', '<u8'), "
                     "('dep', '<u4'), ('addr', '<u4', (%u,))",
                     writer->longest, BS_OP_NAME - 1, writer->lanes);
    if (writer->sources)
        bs_buffer_printf(&text, ", ('src', '<u8', (%u,))", writer->lanes);
    bs_buffer_printf(&text, "], 'fortran_order': False, 'shape': (%llu,), }",
                     (unsigned long long)writer->count);
    while ((START + text.size + 1) % ALIGNMENT != 0 && !text.failed)
        bs_buffer_text(&text, " ");
    bs_buffer_text(&text, "\n");
    bs_buffer_add(out, bs_npy_magic, sizeof bs_npy_magic);
    put_number(out, 1, 2);
    put_number(out, text.size, 2);
    bs_buffer_add(out, text.data, text.size);
    out->failed |= text.failed;
    bs_buffer_free(&text);
}

static void put_row(const struct writer *writer, const struct row *row, struct bs_buffer *out)
{
    char op[BS_OP_NAME];
    put_text(out, writer->names.data + row->name, writer->longest);
    put_number(out, row->launch, 8);
    put_number(out, row->cta, 4);
    put_number(out, row->warp, 4);
    put_number(out, row->pc, 8);
    put_text(out, bs_op_name(bs_op_at(row->op), op), BS_OP_NAME - 1);
    put_number(out, row->mask, 8);
    put_number(out, row->dep, 4);
    for (unsigned lane = 0; lane < writer->lanes; lane++)
        put_number(out, row->addr[lane], 4);
    for (unsigned lane = 0; writer->sources && lane < writer->lanes; lane++)
        put_number(out, row->src[lane], 8);
}

/* "A", "A, and B", "A, B, and C": what the array has no room for. */
static void name_losses(struct writer *writer)
{
    const struct {
        bool lost;
        const char *what;
    } parts[] = {
        {writer->lost_sizes, "grids, blocks, shared-memory sizes and models of launches"},
        {writer->lost_places, "source places"},
        {writer->used_launches < writer->launches, "launches without records"},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    struct bs_buffer text = {0};
    unsigned left = 0;
    for (size_t i = 0; i < PARTS; i++)
        left += parts[i].lost;
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].lost) {
            bs_buffer_printf(&text, "%s%s",
                             !text.size  ? ""
                             : left == 1 ? ", and "
                                         : ", ",
                             parts[i].what);
            left--;
        }
    snprintf(writer->losses, sizeof writer->losses, "%s", text.data ? text.data : "");
    bs_buffer_free(&text);
}

static bool finish(void *user, struct bs_error *error)
{
    struct writer *writer = user;
    struct bs_buffer out = {0};
    struct row row;
    name_losses(writer);
    errno = 0;
    if (fflush(writer->rows) != 0 || fseek(writer->rows, 0, SEEK_SET) != 0)
        return bs_writer_failed(error);
    put_header(writer, &out);
    bool good = true;
    for (uint64_t i = 0; good && i < writer->count; i++) {
        good = fread(&row, sizeof row, 1, writer->rows) == 1 || bs_writer_failed(error);
        if (!good)
            break;
        put_row(writer, &row, &out);
        good = out.failed ? out_of_memory(error)
                          : bs_writer_put(writer->file, out.data, out.size, error);
        out.size = 0;
    }
    good = good && (out.failed ? out_of_memory(error)
                               : bs_writer_put(writer->file, out.data, out.size, error));
    bs_buffer_free(&out);
    return good;
}

static const char *losses(const void *user)
{
    const struct writer *writer = user;
    return writer->losses[0] ? writer->losses : NULL;
}

const struct bs_writer_format bs_npy_writer = {
    .name = "npy",
    .ending = ".npy",
    .open = open_writer,
    .kernel = put_kernel,
    .record = put_record,
    .finish = finish,
    .losses = losses,
    .close = close_writer,
};
