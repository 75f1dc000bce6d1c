/*
 * Accel-Sim's traces of one kernel: a header of "-key = value", then the instructions, either warp
 * by warp inside thread blocks (.traceg) or in the order of their arrival (raw .trace).
 */
#include "accelsim_line.h"
#include "format.h"

#include "core/buffer.h"
#include "core/lanes.h"
#include "scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy to shared memory whose global side has not come yet. */
struct pending {
    uint64_t pc;
    uint64_t mask;
    uint32_t cta, warp;
    uint32_t addr[32];
};
enum { MOST_PENDING = 16384, NO_LAYOUT = 0 };

struct reader {
    struct bs_lines lines;
    struct bs_line line;
    bool held; /* the line began the launch, and has more to say */
    struct bs_launches *launches;
    const struct bs_trace_options *options;
    struct bs_import *import;
    struct bs_op_cache ops;

    /* From the header. */
    char *name;
    struct bs_kernel header;
    struct bs_accelsim_form form;
    uint64_t shared_base, local_base; /* generic addresses in between are shared memory */
    bool odd;                         /* a value that cannot be right was met */
    const struct bs_kernel *kernel;   /* NULL while the header lasts */

    /* Where a processed file stands. */
    bool in_block, has_cta, has_warp;
    uint64_t left; /* instructions of the warp to come */
    uint32_t cta, warp;

    /* Of a raw file. */
    bool is_raw, is_processed;
    unsigned layout; /* numbers before the instruction; 0: not known yet */
    struct pending *pending;
    size_t pending_count, pending_room;

    struct bs_accelsim_line found;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

/* What a line came to. */
enum outcome { NOTHING, LAUNCH, RECORD, BAD };

static enum outcome good(bool fine)
{
    return fine ? NOTHING : BAD;
}

/* ---- the header ------------------------------------------------------------------------------ */

static bool text_is(const char *text, size_t size, const char *word)
{
    return strlen(word) == size && memcmp(text, word, size) == 0;
}

static bool take_name(struct reader *reader, struct bs_cursor *value)
{
    const char *end = value->end;
    while (end > value->at && bs_is_blank(end[-1]))
        end--;
    if (end == value->at)
        return bs_cursor_fail(value, end, "no kernel name", "the name on the same line");
    struct bs_buffer copy = {0};
    const char *nul = memchr(value->at, '\0', (size_t)(end - value->at));
    if (nul)
        return bs_cursor_fail(value, nul, "a NUL byte in a name", "text");
    bs_buffer_add(&copy, value->at, (size_t)(end - value->at));
    free(reader->name);
    reader->name = bs_buffer_take(&copy);
    return reader->name || bs_fail(value->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

/* Real files have garbage in these: it is noted, and the value is then not known. */
static void take_size(struct reader *reader, struct bs_cursor value, uint32_t size[3])
{
    struct bs_error unused;
    value.error = &unused;
    if (!bs_cursor_triple(&value, "size", size) || !size[0] || !size[1] || !size[2]) {
        memset(size, 0, 3 * sizeof *size);
        reader->odd = true;
    }
}

static void take_smem(struct reader *reader, struct bs_cursor value)
{
    struct bs_error unused;
    uint64_t bytes;
    value.error = &unused;
    if (bs_cursor_number(&value, "shmem", (uint64_t)bs_max_smem, &bytes) && bytes % 4 == 0) {
        reader->header.smem = (int64_t)bytes;
        return;
    }
    reader->header.smem = -1;
    reader->odd = true;
}

static bool take_version(struct reader *reader, struct bs_cursor *value)
{
    uint64_t version;
    const char *at = value->at;
    if (!bs_cursor_number(value, "tracer version", UINT64_MAX, &version))
        return false;
    if (version > 6 || version == 4)
        return bs_cursor_fail(value, at, "unknown tracer version", "one up to 3, 5 or 6");
    reader->form.version = version < 3 ? 2 : version;
    return true;
}

static bool take_lineinfo(struct reader *reader, struct bs_cursor *value)
{
    uint64_t flag;
    if (!bs_cursor_number(value, "enable lineinfo", 1, &flag))
        return false;
    reader->form.lineinfo = flag != 0;
    return true;
}

static enum outcome take_header(struct reader *reader, struct bs_cursor *cursor)
{
    const char *key = cursor->at + 1;
    const char *equals = memchr(key, '=', (size_t)(cursor->end - key));
    if (!equals)
        return good(bs_cursor_fail(cursor, cursor->at, "bad header", "-key = value"));
    const char *stop = equals;
    while (stop > key && bs_is_blank(stop[-1]))
        stop--;
    const size_t size = (size_t)(stop - key);
    cursor->at = bs_skip_blanks(equals + 1, cursor->end);
    if (reader->kernel)
        return good(bs_cursor_fail(cursor, cursor->start, "a header between instructions",
                                   "one kernel a file"));
    if (text_is(key, size, "kernel name"))
        return good(take_name(reader, cursor));
    if (text_is(key, size, "accelsim tracer version"))
        return good(take_version(reader, cursor));
    if (text_is(key, size, "enable lineinfo"))
        return good(take_lineinfo(reader, cursor));
    if (text_is(key, size, "shmem base_addr"))
        return good(bs_cursor_hex(cursor, "address", UINT64_MAX, &reader->shared_base));
    if (text_is(key, size, "local mem base_addr"))
        return good(bs_cursor_hex(cursor, "address", UINT64_MAX, &reader->local_base));
    if (text_is(key, size, "grid dim"))
        take_size(reader, *cursor, reader->header.grid);
    else if (text_is(key, size, "block dim"))
        take_size(reader, *cursor, reader->header.block);
    else if (text_is(key, size, "shmem"))
        take_smem(reader, *cursor);
    return NOTHING; /* other keys say nothing about shared memory */
}

/* The header is over: the launch begins. */
static enum outcome begin_kernel(struct reader *reader, const struct bs_cursor *cursor)
{
    if (!reader->name)
        return good(
            bs_cursor_fail(cursor, cursor->at, "no kernel", "-kernel name = NAME before it"));
    reader->header.name = reader->name;
    reader->import->odd_headers += reader->odd;
    reader->kernel = bs_launches_begin(reader->launches, &reader->header);
    if (reader->kernel)
        return LAUNCH;
    return good(bs_fail(cursor->error, BS_INTERNAL, NULL, 0, 0, "out of memory"));
}

/* ---- records --------------------------------------------------------------------------------- */

static enum outcome make_record(struct reader *reader, struct bs_op op, uint64_t mask,
                                struct bs_record *record)
{
    *record = (struct bs_record){
        .access = {.op = op,
                   .mask = mask,
                   .addr = reader->addr,
                   .cta = reader->cta,
                   .warp = reader->warp,
                   .pc = reader->found.pc},
        .kernel = reader->kernel,
        .line = reader->lines.number,
    };
    return RECORD;
}

/* Gives the addresses to the lanes; false if one is no offset in shared memory. */
static bool spread(struct reader *reader)
{
    const struct bs_accelsim_line *found = &reader->found;
    uint64_t mask = found->mask;
    uint64_t all = 0;
    for (unsigned i = 0; i < found->lanes; i++) {
        const unsigned lane = bs_lanes_lowest(mask);
        mask &= mask - 1;
        all |= found->list[i];
        reader->addr[lane] = (uint32_t)found->list[i];
    }
    return all <= UINT32_MAX;
}

static enum outcome unpriced(struct reader *reader)
{
    bs_import_unpriced(reader->import, reader->found.name, reader->found.name_size);
    return NOTHING;
}

static enum outcome take_shared(struct reader *reader, struct bs_cursor *cursor,
                                struct bs_record *record)
{
    const struct bs_accelsim_line *found = &reader->found;
    struct bs_op op;
    if (!bs_op_cache_parse(&reader->ops, found->name, found->name_size, &op) || found->is_bulk)
        return unpriced(reader);
    if (op.kind == BS_BAR) {
        reader->import->barriers++;
        return make_record(reader, op, found->mask, record);
    }
    if (!found->has_memory)
        return good(bs_cursor_fail(cursor, cursor->end, "no addresses", "those of the access"));
    if (!spread(reader))
        return good(bs_cursor_fail(cursor, found->name, "an address past 4 GiB",
                                   "offsets in shared memory"));
    reader->import->shared++;
    return make_record(reader, op, found->mask, record);
}

/* The lanes whose address lies in the window of shared memory, moved to offsets. */
static enum outcome take_generic(struct reader *reader, struct bs_record *record)
{
    const struct bs_accelsim_line *found = &reader->found;
    struct bs_op op;
    uint64_t mask = found->mask, inside = 0;
    for (unsigned i = 0; i < found->lanes; i++) {
        const unsigned lane = bs_lanes_lowest(mask);
        mask &= mask - 1;
        if (found->list[i] < reader->shared_base || found->list[i] >= reader->local_base ||
            found->list[i] - reader->shared_base > UINT32_MAX)
            continue;
        inside |= UINT64_C(1) << lane;
        reader->addr[lane] = (uint32_t)(found->list[i] - reader->shared_base);
    }
    if (!inside) {
        reader->import->global++;
        return NOTHING;
    }
    if (!bs_sass_generic_op(&reader->ops, found->name, found->name_size, &op))
        return unpriced(reader);
    reader->import->shared++;
    reader->import->mixed += inside != found->mask;
    return make_record(reader, op, inside, record);
}

/* ---- async copies ---------------------------------------------------------------------------- */

static struct pending *find_pending(struct reader *reader)
{
    for (size_t i = reader->pending_count; i-- > 0;) {
        struct pending *pending = &reader->pending[i];
        if (pending->cta == reader->cta && pending->warp == reader->warp &&
            pending->pc == reader->found.pc && pending->mask == reader->found.mask)
            return pending;
    }
    return NULL;
}

/* The shared side of a copy: it waits for the global one. */
static bool await(struct reader *reader, const struct bs_cursor *cursor)
{
    if (!spread(reader) || reader->pending_count == MOST_PENDING) {
        reader->import->unreplayable++;
        return true;
    }
    struct pending *list =
        bs_grow(reader->pending, &reader->pending_room, reader->pending_count + 1, sizeof *list);
    if (!list)
        return bs_fail(cursor->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    reader->pending = list;
    struct pending *pending = &list[reader->pending_count++];
    *pending = (struct pending){.pc = reader->found.pc,
                                .mask = reader->found.mask,
                                .cta = reader->cta,
                                .warp = reader->warp};
    memcpy(pending->addr, reader->addr, sizeof pending->addr);
    return true;
}

/* In raw files a copy stands twice, with its shared and then with its global addresses; processed
 * ones have lost the first. */
static enum outcome take_copy(struct reader *reader, const struct bs_cursor *cursor,
                              struct bs_record *record)
{
    const struct bs_accelsim_line *found = &reader->found;
    struct bs_op op;
    if (!bs_op_cache_parse(&reader->ops, found->name, found->name_size, &op))
        return unpriced(reader);
    if (!reader->is_raw || !found->has_memory || found->is_bulk) {
        reader->import->unreplayable++;
        return NOTHING;
    }
    struct pending *pending = find_pending(reader);
    if (!pending)
        return good(await(reader, cursor));
    memcpy(reader->addr, pending->addr, sizeof pending->addr);
    *pending = reader->pending[--reader->pending_count];
    uint64_t mask = found->mask;
    for (unsigned i = 0; i < found->lanes; i++) {
        reader->src[bs_lanes_lowest(mask)] = found->list[i];
        mask &= mask - 1;
    }
    reader->import->shared++;
    make_record(reader, op, found->mask, record);
    record->access.src = reader->src;
    return RECORD;
}

/* ---- instructions ---------------------------------------------------------------------------- */

static enum outcome take_found(struct reader *reader, struct bs_cursor *cursor,
                               struct bs_record *record)
{
    const struct bs_accelsim_line *found = &reader->found;
    if (found->mask == 0) {
        reader->import->inactive++;
        return NOTHING;
    }
    switch (bs_sass_of(found->name, found->name_size)) {
    case BS_SASS_SHARED:
        return take_shared(reader, cursor, record);
    case BS_SASS_COPY:
        return take_copy(reader, cursor, record);
    case BS_SASS_GENERIC:
        if (found->has_memory && !found->is_bulk)
            return take_generic(reader, record);
        return unpriced(reader);
    case BS_SASS_GLOBAL:
        reader->import->global++;
        return NOTHING;
    case BS_SASS_UNPRICED:
        return unpriced(reader);
    case BS_SASS_OTHER:
        break;
    }
    if (found->is_bulk)
        return unpriced(reader);
    reader->import->other++;
    return NOTHING;
}

static bool set_cta(struct reader *reader, const struct bs_cursor *cursor, const char *place,
                    const uint32_t at[3])
{
    return bs_cta_number(reader->header.grid, at, &reader->cta) ||
           bs_cursor_fail(cursor, place, "a thread block outside the grid",
                          "one within the header's grid dim");
}

/* x y z warp */
static bool read_prefix(struct bs_cursor *cursor, uint32_t at[3], uint32_t *warp)
{
    uint64_t value;
    for (unsigned i = 0; i < 3; i++) {
        if (!bs_cursor_number(cursor, "thread block", UINT32_MAX, &value))
            return false;
        at[i] = (uint32_t)value;
    }
    if (!bs_cursor_number(cursor, "warp", UINT32_MAX, &value))
        return false;
    *warp = (uint32_t)value;
    return true;
}

static bool read_raw(struct reader *reader, struct bs_cursor *cursor, unsigned layout,
                     uint32_t at[3], uint32_t *warp)
{
    uint64_t unused;
    if (!read_prefix(cursor, at, warp))
        return false;
    for (unsigned i = 4; i < layout; i++)
        if (!bs_cursor_number(cursor, "number of the core or cluster", UINT64_MAX, &unused))
            return false;
    return bs_accelsim_line_read(cursor, &reader->form, &reader->found);
}

/* The tracer's options add columns that no header announces: the first line tells by fitting. */
static void choose_layout(struct reader *reader, struct bs_cursor cursor)
{
    static const unsigned old[] = {4, 6, 0};
    static const unsigned with_clusters[] = {11, 13, 4, 6, 0};
    struct bs_error unused;
    uint32_t at[3], warp;
    cursor.error = &unused;
    const unsigned *layout = reader->form.version >= 6 ? with_clusters : old;
    for (; *layout && reader->layout == NO_LAYOUT; layout++) {
        struct bs_cursor trial = cursor;
        if (read_raw(reader, &trial, *layout, at, &warp) &&
            bs_digit_value(reader->found.name[0]) >= 10)
            reader->layout = *layout;
    }
}

static enum outcome take_raw(struct reader *reader, struct bs_cursor *cursor,
                             struct bs_record *record)
{
    const char *start = cursor->at;
    uint32_t at[3];
    if (!reader->kernel)
        return begin_kernel(reader, cursor);
    reader->is_raw = true;
    if (reader->layout == NO_LAYOUT)
        choose_layout(reader, *cursor);
    const unsigned layout = reader->layout ? reader->layout : 4;
    if (!read_raw(reader, cursor, layout, at, &reader->warp) || !set_cta(reader, cursor, start, at))
        return BAD;
    return take_found(reader, cursor, record);
}

static enum outcome take_instruction(struct reader *reader, struct bs_cursor *cursor,
                                     struct bs_record *record)
{
    uint32_t at[3], warp;
    if (reader->line.unfinished) /* its last number may have lost digits */
        return good(bs_cursor_fail(cursor, cursor->end, "the last instruction is cut off",
                                   "a line end behind it"));
    if (!reader->is_processed)
        return take_raw(reader, cursor, record);
    if (reader->left == 0)
        return good(bs_cursor_fail(cursor, cursor->at, "an instruction too many",
                                   "as many as insts says, after warp and insts"));
    reader->left--;
    if (reader->form.version < 3 && !read_prefix(cursor, at, &warp))
        return BAD;
    if (!bs_accelsim_line_read(cursor, &reader->form, &reader->found))
        return BAD;
    return take_found(reader, cursor, record);
}

/* ---- the frame of a processed file ----------------------------------------------------------- */

/* Whether the warp before has all its instructions. */
static bool warp_is_whole(struct reader *reader, const struct bs_cursor *cursor)
{
    const bool whole = reader->left == 0;
    reader->left = 0; /* with skip_bad it is said once */
    return whole || bs_cursor_fail(cursor, cursor->start, "instructions are missing",
                                   "as many as insts says");
}

static bool after_equals(struct bs_cursor *cursor)
{
    const char *equals = memchr(cursor->at, '=', (size_t)(cursor->end - cursor->at));
    if (!equals)
        return bs_cursor_fail(cursor, cursor->at, "bad line", "name = value");
    cursor->at = bs_skip_blanks(equals + 1, cursor->end);
    return true;
}

static enum outcome take_block(struct reader *reader, struct bs_cursor *cursor)
{
    uint32_t at[3];
    if (!after_equals(cursor))
        return BAD;
    const char *place = cursor->at;
    reader->has_cta = reader->in_block && bs_cursor_triple(cursor, "thread block", at) &&
                      set_cta(reader, cursor, place, at);
    if (!reader->in_block)
        return good(bs_cursor_fail(cursor, cursor->start, "a thread block out of place",
                                   "#BEGIN_TB before it"));
    return good(reader->has_cta);
}

static enum outcome take_warp(struct reader *reader, struct bs_cursor *cursor)
{
    uint64_t warp;
    if (!warp_is_whole(reader, cursor) || !after_equals(cursor))
        return BAD;
    reader->has_warp = false;
    if (!reader->has_cta)
        return good(bs_cursor_fail(cursor, cursor->start, "a warp without a thread block",
                                   "thread block = x,y,z before it"));
    if (!bs_cursor_number(cursor, "warp", UINT32_MAX, &warp))
        return BAD;
    reader->warp = (uint32_t)warp;
    reader->has_warp = true;
    return good(bs_cursor_end(cursor));
}

static enum outcome take_count(struct reader *reader, struct bs_cursor *cursor)
{
    if (!after_equals(cursor))
        return BAD;
    if (!reader->has_warp)
        return good(
            bs_cursor_fail(cursor, cursor->start, "insts without a warp", "warp = N before it"));
    reader->has_warp = false;
    if (!bs_cursor_number(cursor, "insts", UINT64_MAX, &reader->left)) {
        reader->left = 0;
        return BAD;
    }
    return good(bs_cursor_end(cursor));
}

static enum outcome take_frame(struct reader *reader, struct bs_cursor *cursor)
{
    const size_t size = (size_t)(cursor->end - cursor->at);
    if (bs_starts_with(cursor->at, size, "#BEGIN_TB")) {
        if (!reader->kernel)
            return begin_kernel(reader, cursor);
        const bool nested = reader->in_block;
        reader->is_processed = reader->in_block = true;
        reader->has_cta = reader->has_warp = false;
        if (!warp_is_whole(reader, cursor))
            return BAD;
        return good(!nested || bs_cursor_fail(cursor, cursor->at, "a thread block in another",
                                              "#END_TB before it"));
    }
    if (bs_starts_with(cursor->at, size, "#END_TB")) {
        const bool open = reader->in_block;
        reader->in_block = reader->has_cta = reader->has_warp = false;
        if (!warp_is_whole(reader, cursor))
            return BAD;
        return good(open || bs_cursor_fail(cursor, cursor->at, "an end without a beginning",
                                           "#BEGIN_TB before it"));
    }
    return NOTHING; /* #traces format = ..., or a comment */
}

/* ---- lines ----------------------------------------------------------------------------------- */

static enum outcome take_line(struct reader *reader, struct bs_record *record,
                              struct bs_error *error)
{
    struct bs_cursor cursor = bs_cursor_of(&reader->lines, &reader->line, error);
    const size_t size = (size_t)(cursor.end - cursor.at);
    if (size == 0)
        return NOTHING;
    if (bs_digit_value(*cursor.at) < 16)
        return take_instruction(reader, &cursor, record);
    switch (*cursor.at) {
    case '-':
        return take_header(reader, &cursor);
    case '#':
        return take_frame(reader, &cursor);
    case 't':
        if (bs_starts_with(cursor.at, size, "thread block"))
            return take_block(reader, &cursor);
        break;
    case 'w':
        if (bs_starts_with(cursor.at, size, "warp"))
            return take_warp(reader, &cursor);
        break;
    case 'i':
        if (bs_starts_with(cursor.at, size, "insts"))
            return take_count(reader, &cursor);
        break;
    default:
        break;
    }
    return take_instruction(reader, &cursor, record);
}

/* "cluster id = ", "cluster cta = " and "cluster rank = " say nothing that is needed. */
static bool is_cluster(const struct reader *reader)
{
    return reader->form.version >= 6 &&
           bs_starts_with(reader->line.text, reader->line.size, "cluster ");
}

/* The file ends: nothing may be open. A launch without instructions begins here. */
static enum bs_trace_event finish(struct reader *reader, struct bs_error *error)
{
    const bool whole = !reader->in_block && reader->left == 0;
    reader->import->unreplayable += reader->pending_count;
    reader->pending_count = 0;
    if (!reader->kernel && reader->name) {
        const struct bs_line nothing = {.text = reader->lines.buffer};
        const struct bs_cursor cursor = bs_cursor_of(&reader->lines, &nothing, error);
        return begin_kernel(reader, &cursor) == LAUNCH ? BS_TRACE_LAUNCH : BS_TRACE_ERROR;
    }
    if (whole)
        return BS_TRACE_END;
    bs_fail(error, BS_BAD_TRACE, bs_input_name(reader->lines.input), reader->lines.number, 1,
            "the trace is cut off, expected #END_TB, found the end of the file");
    return bs_import_skips(reader->options, reader->import, error) ? BS_TRACE_END : BS_TRACE_ERROR;
}

static bool next_line(struct reader *reader, struct bs_error *error)
{
    const bool good = bs_lines_next(&reader->lines, &reader->line, error);
    reader->import->lines += good && reader->line.text;
    return good;
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    for (;;) {
        if (!reader->held && !next_line(reader, error))
            return BS_TRACE_ERROR;
        if (!reader->line.text)
            return finish(reader, error);
        if (is_cluster(reader))
            continue;
        const enum outcome outcome = take_line(reader, record, error);
        reader->held = outcome == LAUNCH;
        if (outcome == LAUNCH)
            return BS_TRACE_LAUNCH;
        if (outcome == RECORD)
            return BS_TRACE_RECORD;
        if (outcome == NOTHING)
            continue;
        if (!bs_import_skips(reader->options, reader->import, error))
            return BS_TRACE_ERROR;
    }
}

/* ---- the format ------------------------------------------------------------------------------ */

/* A header line, after blank lines perhaps. */
static bool probe(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    while (bytes < end && (bs_is_blank(*bytes) || *bytes == '\n' || *bytes == '\r'))
        bytes++;
    return bs_starts_with(bytes, (size_t)(end - bytes), "-kernel name =");
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    bs_lines_close(&reader->lines);
    free(reader->name);
    free(reader->pending);
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
    reader->header.smem = -1;
    reader->form.version = 2;
    if (bs_lines_open(&reader->lines, input, error))
        return reader;
    close_reader(reader);
    return NULL;
}

const struct bs_format bs_accelsim_format = {
    .name = "Accel-Sim",
    .start = "-kernel name =",
    .probe = probe,
    .import = import_from,
    .next = next_event,
    .close = close_reader,
};
