/*
 * What NVBit's mem_trace prints: a line a launch and a line an access, with the output of the
 * program itself in between. Masks are not written: inactive lanes have the address 0.
 */
#include "format.h"
#include "import.h"

#include "scan.h"

#include <stdlib.h>
#include <string.h>

static const char word[] = "MEMTRACE:";
enum { WORD_SIZE = sizeof word - 1, LANES = 32 };

/* Launches whose accesses may still come: more kernels than this do not run at once. */
enum { RECENT = 128 };

struct launch {
    uint64_t id;
    struct bs_kernel_copy kernel;
};

struct reader {
    struct bs_lines lines;
    struct bs_line line;
    struct bs_launches *launches;
    const struct bs_trace_options *options;
    struct bs_import *import;
    struct bs_op_cache ops;
    struct launch recent[RECENT]; /* launch n of the file is at n mod RECENT */
    uint64_t launched;
    uint32_t addr[BS_MAX_LANES];
};

enum outcome { NOTHING, LAUNCH, RECORD, BAD };

static enum outcome good(bool fine)
{
    return fine ? NOTHING : BAD;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Where text begins in the rest of the line; NULL if it does not stand there. */
static const char *find(const char *at, const char *end, const char *text)
{
    const size_t size = strlen(text);
    for (; (size_t)(end - at) >= size; at++)
        if (memcmp(at, text, size) == 0)
            return at;
    return NULL;
}

static const char *find_last(const char *at, const char *end, const char *text)
{
    const char *last = NULL;
    while ((at = find(at, end, text)))
        last = at++;
    return last;
}

/* Takes the text and the blanks behind it. */
static bool expect(struct bs_cursor *cursor, const char *text)
{
    if (!bs_starts_with(cursor->at, (size_t)(cursor->end - cursor->at), text)) {
        char quoted[64];
        snprintf(quoted, sizeof quoted, "\"%s\"", text);
        return bs_cursor_fail(cursor, cursor->at, "bad line", quoted);
    }
    cursor->at = bs_skip_blanks(cursor->at + strlen(text), cursor->end);
    return true;
}

/* ---- launches -------------------------------------------------------------------------------- */

static bool add_launch(struct reader *reader, const struct bs_cursor *cursor, uint64_t id,
                       const struct bs_kernel *kernel)
{
    struct launch *launch = &reader->recent[reader->launched++ % RECENT];
    const struct bs_kernel *begun = bs_launches_begin(reader->launches, kernel);
    launch->id = id;
    return (begun && bs_kernel_copy_fill(&launch->kernel, begun)) ||
           bs_fail(cursor->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* The launch of an id: the newest, since ids of several contexts may be alike. */
static const struct bs_kernel *find_launch(const struct reader *reader, uint64_t id)
{
    const uint64_t known = reader->launched < RECENT ? reader->launched : RECENT;
    for (uint64_t i = 1; i <= known; i++) {
        const struct launch *launch = &reader->recent[(reader->launched - i) % RECENT];
        if (launch->id == id)
            return &launch->kernel.kernel;
    }
    return NULL;
}

/* LAUNCH - Kernel pc 0x - Kernel name N - grid launch id I - grid size x,y,z - block size x,y,z -
 * nregs N - shmem B - cuda stream id S. The name may hold anything, so it ends at the last place
 * where what follows it stands. */
static bool take_launch(struct reader *reader, struct bs_cursor *cursor)
{
    static const char before[] = " - Kernel name ", after[] = " - grid launch id ";
    struct bs_kernel kernel = bs_kernel_named("");
    uint64_t id, smem, unused;
    const char *name = find(cursor->at, cursor->end, before);
    const char *stop = name ? find_last(name, cursor->end, after) : NULL;
    if (!stop || stop < name + sizeof before - 1)
        return bs_cursor_fail(cursor, cursor->at, "bad launch",
                              "\"Kernel name NAME - grid launch id N\"");
    name += sizeof before - 1;
    if (name == stop)
        return bs_cursor_fail(cursor, stop + 1, "no kernel name",
                              "the name behind \"Kernel name\"");
    if (memchr(name, '\0', (size_t)(stop - name)))
        return bs_cursor_fail(cursor, name, "a NUL byte in a name", "text");
    cursor->at = stop + sizeof after - 1;
    if (!bs_cursor_number(cursor, "grid launch id", UINT64_MAX, &id) ||
        !expect(cursor, "- grid size") || !bs_cursor_triple(cursor, "grid size", kernel.grid) ||
        !expect(cursor, "- block size") || !bs_cursor_triple(cursor, "block size", kernel.block) ||
        !expect(cursor, "- nregs") || !bs_cursor_number(cursor, "nregs", UINT64_MAX, &unused) ||
        !expect(cursor, "- shmem") ||
        !bs_cursor_number(cursor, "shmem", (uint64_t)bs_max_smem, &smem))
        return false;
    kernel.smem = (int64_t)smem;
    reader->line.text[stop - reader->line.text] = '\0';
    kernel.name = name;
    return add_launch(reader, cursor, id, &kernel);
}

/* ---- accesses -------------------------------------------------------------------------------- */

struct access {
    uint64_t id;
    uint32_t at[3];
    uint64_t warp;
    const char *name;
    size_t name_size;
    uint64_t list[LANES];
};

/* - grid_launch_id I - CTA x,y,z - warp W - OPCODE - a0 ... a31 */
static bool read_access(struct bs_cursor *cursor, struct access *access)
{
    if (!expect(cursor, "- grid_launch_id") ||
        !bs_cursor_number(cursor, "grid_launch_id", UINT64_MAX, &access->id) ||
        !expect(cursor, "- CTA") || !bs_cursor_triple(cursor, "CTA", access->at) ||
        !expect(cursor, "- warp") || !bs_cursor_number(cursor, "warp", UINT32_MAX, &access->warp) ||
        !expect(cursor, "-") ||
        !bs_cursor_word(cursor, "instruction", &access->name, &access->name_size) ||
        !expect(cursor, "-"))
        return false;
    for (unsigned lane = 0; lane < LANES; lane++)
        if (!bs_cursor_hex(cursor, "address", UINT64_MAX, &access->list[lane]))
            return false;
    return bs_cursor_end(cursor);
}

/* The active lanes, and their addresses; false if one is no offset in shared memory. */
static bool spread(struct reader *reader, const struct access *access, uint64_t *mask)
{
    uint64_t all = 0, zeros = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        all |= access->list[lane];
        zeros |= (uint64_t)(access->list[lane] == 0) << lane;
        reader->addr[lane] = (uint32_t)access->list[lane];
    }
    reader->import->zeros += zeros != 0;
    *mask = reader->options->zero_is_offset ? UINT32_MAX : UINT32_MAX & ~zeros;
    return all <= UINT32_MAX;
}

static enum outcome take_shared(struct reader *reader, struct bs_cursor *cursor,
                                const struct access *access, struct bs_record *record)
{
    struct bs_op op;
    uint64_t mask;
    uint32_t cta;
    const struct bs_kernel *kernel = find_launch(reader, access->id);
    if (!bs_op_cache_parse(&reader->ops, access->name, access->name_size, &op)) {
        bs_import_unpriced(reader->import, access->name, access->name_size);
        return NOTHING;
    }
    if (!kernel)
        return good(bs_cursor_fail(cursor, cursor->start, "an access of an unknown launch",
                                   "a LAUNCH line with its grid launch id before it"));
    if (!bs_cta_number(kernel->grid, access->at, &cta))
        return good(bs_cursor_fail(cursor, cursor->start, "a CTA outside the grid",
                                   "one within the launch's grid size"));
    if (!spread(reader, access, &mask))
        return good(bs_cursor_fail(cursor, access->name, "an address past 4 GiB",
                                   "offsets in shared memory"));
    if (mask == 0) {
        reader->import->inactive++;
        return NOTHING;
    }
    reader->import->shared++;
    *record = (struct bs_record){
        .access = {.op = op,
                   .mask = mask,
                   .addr = reader->addr,
                   .cta = cta,
                   .warp = (uint32_t)access->warp},
        .kernel = kernel,
        .line = reader->lines.number,
    };
    return RECORD;
}

static enum outcome take_access(struct reader *reader, struct bs_cursor *cursor,
                                struct bs_record *record)
{
    struct access access;
    if (!read_access(cursor, &access))
        return BAD;
    switch (bs_sass_of(access.name, access.name_size)) {
    case BS_SASS_SHARED:
        return take_shared(reader, cursor, &access, record);
    case BS_SASS_COPY:
        reader->import->unreplayable++;
        return NOTHING;
    case BS_SASS_UNPRICED:
        bs_import_unpriced(reader->import, access.name, access.name_size);
        return NOTHING;
    case BS_SASS_GENERIC: /* without the window of shared memory nothing can be told apart */
    case BS_SASS_GLOBAL:
        reader->import->global++;
        return NOTHING;
    case BS_SASS_OTHER:
        break;
    }
    reader->import->other++;
    return NOTHING;
}

static enum outcome take_line(struct reader *reader, struct bs_record *record,
                              struct bs_error *error)
{
    struct bs_cursor cursor = bs_cursor_of(&reader->lines, &reader->line, error);
    uint64_t context;
    if (!bs_starts_with(cursor.at, (size_t)(cursor.end - cursor.at), word)) {
        reader->import->other++; /* the program's own output */
        return NOTHING;
    }
    if (reader->line.unfinished) /* its last number may have lost digits */
        return good(bs_cursor_fail(&cursor, cursor.end, "the last line is cut off",
                                   "a line end behind it"));
    cursor.at = bs_skip_blanks(cursor.at + WORD_SIZE, cursor.end);
    if (!expect(&cursor, "CTX") || !bs_cursor_hex(&cursor, "context", UINT64_MAX, &context))
        return BAD;
    if (bs_starts_with(cursor.at, (size_t)(cursor.end - cursor.at), "- LAUNCH"))
        return take_launch(reader, &cursor) ? LAUNCH : BAD;
    return take_access(reader, &cursor, record);
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    for (;;) {
        if (!bs_lines_next(&reader->lines, &reader->line, error))
            return BS_TRACE_ERROR;
        if (!reader->line.text)
            return BS_TRACE_END;
        reader->import->lines++;
        const enum outcome outcome = take_line(reader, record, error);
        if (outcome == RECORD)
            return BS_TRACE_RECORD;
        if (outcome == LAUNCH)
            return BS_TRACE_LAUNCH;
        if (outcome == NOTHING)
            continue;
        if (!bs_import_skips(reader->options, reader->import, error))
            return BS_TRACE_ERROR;
    }
}

/* ---- the format ------------------------------------------------------------------------------ */

/* NVBit's banner, or a line of mem_trace's among the first. */
static bool probe(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    if (bs_starts_with(bytes, size, "------------- NVBit"))
        return true;
    for (const char *at = bytes; at < end;) {
        if (bs_starts_with(at, (size_t)(end - at), word))
            return true;
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return false;
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    bs_lines_close(&reader->lines);
    for (unsigned i = 0; i < RECENT; i++)
        bs_kernel_copy_free(&reader->recent[i].kernel);
    free(reader);
}

static void *import_from(struct bs_input *input, struct bs_launches *launches,
                         const struct bs_trace_options *options, struct bs_import *import,
                         struct bs_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
        return NULL;
    }
    reader->launches = launches;
    reader->options = options;
    reader->import = import;
    if (bs_lines_open(&reader->lines, input, error))
        return reader;
    close_reader(reader);
    return NULL;
}

const struct bs_format bs_nvbit_format = {
    .name = "NVBit mem_trace",
    .start = "MEMTRACE:",
    .probe = probe,
    .import = import_from,
    .next = next_event,
    .close = close_reader,
};
