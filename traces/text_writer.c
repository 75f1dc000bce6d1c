/*
 * Writing the native text. Addresses become the longest runs that there are, from left to right;
 * two addresses make a run only if there are no more, since longer runs may start at the second.
 */
#include "writer.h"

#include "core/buffer.h"

#include <stdlib.h>

struct text {
    FILE *file; /* the caller's */
    struct bs_buffer line;
};

/* ---- pieces --------------------------------------------------------------------------------- */

static const char hex_digits[] = "0123456789abcdef";

static void put_char(struct bs_buffer *line, char c)
{
    bs_buffer_add(line, &c, 1);
}

static void put_decimal(struct bs_buffer *line, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    bs_buffer_add(line, digits + at, sizeof digits - at);
}

static void put_hex(struct bs_buffer *line, uint64_t value, unsigned at_least)
{
    char digits[16];
    size_t at = sizeof digits;
    do
        digits[--at] = hex_digits[value & 15];
    while ((value >>= 4) || sizeof digits - at < at_least);
    bs_buffer_add(line, digits + at, sizeof digits - at);
}

static void put_address(struct bs_buffer *line, uint64_t address)
{
    bs_buffer_text(line, "0x");
    put_hex(line, address, 1);
}

/* Everything but visible ASCII, and the backslash itself, as \xHH; blanks too unless they stand
 * between other bytes of a text that goes to the end of the line. */
static void put_escaped(struct bs_buffer *line, const char *name, bool to_the_end)
{
    const char *start = name;
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        const bool inner = to_the_end && c == ' ' && name > start && name[1];
        if (inner || (c > ' ' && c < 0x7f && c != '\\')) {
            put_char(line, *name);
        } else {
            bs_buffer_text(line, "\\x");
            put_hex(line, c, 2);
        }
    }
}

static void put_name(struct bs_buffer *line, const char *name)
{
    put_escaped(line, name, false);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* How many of the addresses are evenly spaced from the first on. */
static unsigned run_length(const uint64_t *list, unsigned count)
{
    if (count < 2)
        return count;
    const uint64_t step = list[1] - list[0];
    const bool down = list[1] < list[0];
    unsigned length = 2;
    /* The second condition tells a true step from one that wraps around 2^64. */
    while (length < count && list[length] - list[length - 1] == step &&
           (list[length] < list[length - 1]) == down)
        length++;
    return length;
}

static void put_run(struct bs_buffer *line, const uint64_t *list, unsigned length)
{
    put_address(line, list[0]);
    if (length < 2)
        return;
    const bool down = list[1] < list[0];
    put_char(line, down ? '-' : '+');
    put_decimal(line, down ? list[0] - list[1] : list[1] - list[0]);
    put_char(line, '*');
    put_decimal(line, length);
}

static void put_runs(struct bs_buffer *line, const uint64_t *list, unsigned count)
{
    if (count == 0)
        put_char(line, '-');
    for (unsigned at = 0; at < count;) {
        unsigned length = run_length(list + at, count - at);
        if (length == 2 && count > 2)
            length = 1;
        if (at > 0)
            put_char(line, ',');
        put_run(line, list + at, length);
        at += length;
    }
}

static void put_addresses(struct bs_buffer *line, const struct bs_access *access)
{
    uint64_t list[BS_MAX_LANES];
    unsigned count = 0;
    for (unsigned lane = 0; lane < BS_MAX_LANES && access->op.kind != BS_BAR; lane++)
        if (access->mask >> lane & 1)
            list[count++] = access->addr[lane];
    put_runs(line, list, count);
}

static void put_sources(struct bs_buffer *line, const struct bs_access *access)
{
    uint64_t list[BS_MAX_LANES];
    unsigned count = 0;
    if (!access->src || !bs_op_is_copy(access->op))
        return;
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++)
        if (access->mask >> lane & 1)
            list[count++] = access->src[lane];
    bs_buffer_text(line, " src=");
    put_runs(line, list, count);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool finish_line(struct text *writer, struct bs_error *error)
{
    put_char(&writer->line, '\n');
    if (writer->line.failed)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    const size_t size = writer->line.size;
    writer->line.size = 0;
    return bs_writer_put(writer->file, writer->line.data, size, error);
}

static void put_size(struct bs_buffer *line, const char *key, const uint32_t size[3])
{
    if (size[0] == 0 || size[1] == 0 || size[2] == 0)
        return;
    bs_buffer_text(line, key);
    for (unsigned i = 0; i < 3; i++) {
        put_char(line, i == 0 ? '=' : ',');
        put_decimal(line, size[i]);
    }
}

static void put_key(struct bs_buffer *line, const char *key, const char *name)
{
    if (!name)
        return;
    bs_buffer_text(line, key);
    put_name(line, name);
}

static bool put_place(struct text *writer, const struct bs_source_place *place,
                      struct bs_error *error)
{
    bs_buffer_text(&writer->line, "source ");
    put_address(&writer->line, place->pc);
    put_char(&writer->line, ' ');
    put_escaped(&writer->line, place->text, true);
    return finish_line(writer, error);
}

static void close_text(void *user)
{
    struct text *writer = user;
    bs_buffer_free(&writer->line);
    free(writer);
}

static void *open_text(FILE *file, struct bs_error *error)
{
    struct text *writer = calloc(1, sizeof *writer);
    if (!writer) {
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        return NULL;
    }
    writer->file = file;
    bs_buffer_text(&writer->line, "#bankshot-trace 1");
    if (finish_line(writer, error))
        return writer;
    close_text(writer);
    return NULL;
}

static bool put_kernel(void *user, const struct bs_kernel *kernel, struct bs_error *error)
{
    struct text *writer = user;
    struct bs_buffer *line = &writer->line;
    bs_buffer_text(line, "kernel ");
    put_name(line, kernel->name);
    put_size(line, " grid", kernel->grid);
    put_size(line, " block", kernel->block);
    if (kernel->smem >= 0) {
        bs_buffer_text(line, " smem=");
        put_decimal(line, (uint64_t)kernel->smem);
    }
    put_key(line, " model=", kernel->model);
    if (kernel->cc[0]) {
        bs_buffer_text(line, " cc=");
        put_decimal(line, kernel->cc[0]);
        put_char(line, '.');
        put_decimal(line, kernel->cc[1]);
    }
    put_key(line, " device=", kernel->device);
    put_key(line, " demangled=", kernel->demangled);
    bool good = finish_line(writer, error);
    for (size_t i = 0; good && i < kernel->place_count; i++)
        good = put_place(writer, &kernel->places[i], error);
    return good;
}

static bool put_record(void *user, const struct bs_access *access, struct bs_error *error)
{
    struct text *writer = user;
    struct bs_buffer *line = &writer->line;
    char name[BS_OP_NAME];
    put_decimal(line, access->cta);
    put_char(line, ' ');
    put_decimal(line, access->warp);
    put_char(line, ' ');
    put_address(line, access->pc);
    put_char(line, ' ');
    bs_buffer_text(line, bs_op_name(access->op, name));
    put_char(line, ' ');
    put_hex(line, access->mask, 8);
    put_char(line, ' ');
    put_addresses(line, access);
    if (access->dep > 0) {
        bs_buffer_text(line, " dep=");
        put_decimal(line, access->dep);
    }
    put_sources(line, access);
    return finish_line(writer, error);
}

/* Whatever the text is, it stays one line that a reader takes. */
static bool put_behind(struct text *writer, const char *start, const char *text,
                       struct bs_error *error)
{
    bs_buffer_text(&writer->line, start);
    for (; *text; text++)
        put_char(&writer->line, (unsigned char)*text < ' ' ? ' ' : *text);
    return finish_line(writer, error);
}

static bool put_comment(void *user, const char *text, struct bs_error *error)
{
    return put_behind(user, "# ", text, error);
}

static bool put_note(void *user, const char *text, struct bs_error *error)
{
    return put_behind(user, "# note: ", text, error);
}

/* Every line is written when it is complete. */
static bool finish(void *user, struct bs_error *error)
{
    (void)user;
    (void)error;
    return true;
}

const struct bs_writer_format bs_text_writer = {
    .name = "text",
    .open = open_text,
    .kernel = put_kernel,
    .record = put_record,
    .comment = put_comment,
    .note = put_note,
    .finish = finish,
    .close = close_text,
};
