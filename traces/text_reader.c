/*
 * Reading the native text, as docs/formats.md describes it. A line is scanned once, in place, from
 * left to right; all that is slow lies on the paths that end in an error.
 */
#include "format.h"

#include "core/lanes.h"
#include "lines.h"
#include "op_cache.h"
#include "runs.h"
#include "scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char header[] = "#bankshot-trace";
enum { HEADER_SIZE = sizeof header - 1, VERSION = 1 };

struct reader {
    struct bs_lines lines;
    struct bs_launches *launches;   /* the trace's */
    const struct bs_kernel *kernel; /* the records are of; NULL before the first */
    struct bs_line line;            /* being read */
    bool begun;                     /* a launch whose source lines are being read */
    bool held;                      /* the line ended them and is yet to be read */
    bool cut;                       /* a line without its end was read: the last one */
    struct bs_error *error;         /* of the call being served */
    struct bs_op_cache ops;
    uint64_t list[BS_MAX_LANES]; /* addresses in the order of the text */
    uint32_t addr[BS_MAX_LANES]; /* by lane */
    uint64_t src[BS_MAX_LANES];  /* by lane */
};

static const char *line_end(const struct reader *reader)
{
    return reader->line.text + reader->line.size;
}

/* ---- faults: each fills the error of the call and returns false ------------------------------ */

static bool fail(struct reader *reader, const char *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

static bool fail(struct reader *reader, const char *at, const char *format, ...)
{
    char text[sizeof reader->error->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return bs_fail(reader->error, BS_BAD_TRACE, bs_input_name(reader->lines.input),
                   reader->lines.number, (uint64_t)(at - reader->line.text) + 1, "%s", text);
}

/* The first byte of a token that no text has; NULL if there is none. */
static const char *control_byte(const char *at, const char *end)
{
    for (; at < end; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return at;
    return NULL;
}

static bool fail_control(struct reader *reader, const char *at)
{
    return fail(reader, at, "%s, expected text, found \\x%02x",
                *at ? "a control byte" : "a NUL byte", (unsigned)(unsigned char)*at);
}

static bool fail_memory(struct reader *reader)
{
    return bs_fail(reader->error, BS_INTERNAL, bs_input_name(reader->lines.input),
                   reader->lines.number, 0, "out of memory");
}

/* "what, expected X, found Y": Y is the token at at. */
static bool fail_token(struct reader *reader, const char *at, const char *what,
                       const char *expected)
{
    const char *end = bs_token_end(at, line_end(reader));
    const char *control = control_byte(at, end);
    char found[80];
    if (control)
        return fail_control(reader, control);
    if (at == line_end(reader))
        return fail(reader, at, "%s, expected %s, found the end of the %s", what, expected,
                    reader->line.unfinished ? "file" : "line");
    return fail(reader, at, "%s, expected %s, found \"%s\"", what, expected,
                bs_printable(at, (size_t)(end - at), found, sizeof found));
}

/* Adds to the text of an error that has been filled; false like all of these. */
static bool add_hint(struct reader *reader, const char *hint)
{
    const size_t used = strlen(reader->error->text);
    snprintf(reader->error->text + used, sizeof reader->error->text - used, "%s", hint);
    return false;
}

/* The error that bs_runs_read found in the text at at, as an error of the file. */
static bool fail_runs(struct reader *reader, const char *at)
{
    const struct bs_error runs = *reader->error;
    const char *control = control_byte(at, bs_token_end(at, line_end(reader)));
    if (control)
        return fail_control(reader, control);
    return fail(reader, at + runs.column - 1, "%s", runs.text);
}

/* ---- numbers -------------------------------------------------------------------------------- */

struct number {
    const char *what;
    uint64_t max;
    bool hex; /* without 0x too */
};

static bool fail_number(struct reader *reader, const char *at, const struct number *number)
{
    char what[64], expected[64];
    snprintf(what, sizeof what, "bad %s", number->what);
    if (number->hex)
        snprintf(expected, sizeof expected, "a hexadecimal number of up to 64 bits");
    else
        snprintf(expected, sizeof expected, "a number up to %" PRIu64, number->max);
    return fail_token(reader, at, what, expected);
}

/* The number that ends at end or at a blank; moves *at behind it. */
static inline bool read_number(struct reader *reader, const char **at, const char *end,
                               const struct number *number, uint64_t *value)
{
    const char *start = *at;
    const char *next =
        number->hex ? bs_scan_hex(start, end, value) : bs_scan_number(start, end, value);
    if (next == start || *value > number->max || (next < end && !bs_is_blank(*next)))
        return fail_number(reader, start, number);
    *at = next;
    return true;
}

/* ---- key=value ------------------------------------------------------------------------------ */

/* A value, from at to end. */
struct value {
    const char *at;
    const char *end;
};

struct key {
    const char *name;
    bool (*read)(struct reader *reader, struct value value, void *target);
};

static bool key_is(const char *name, const char *at, size_t size)
{
    return strlen(name) == size && memcmp(name, at, size) == 0;
}

static bool read_key(struct reader *reader, const char *at, const char *end, const struct key *keys,
                     const char *expected, unsigned *seen, void *target)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    const size_t size = equals ? (size_t)(equals - at) : 0;
    unsigned i = 0;
    while (keys[i].name && !(equals && key_is(keys[i].name, at, size)))
        i++;
    if (!keys[i].name)
        return fail_token(reader, at, "unknown key", expected);
    if (*seen >> i & 1)
        return fail_token(reader, at, "key given twice", "each key once");
    *seen |= 1u << i;
    return keys[i].read(reader, (struct value){equals + 1, end}, target);
}

/* Keys up to the end of the line. The list of keys ends in a NULL name. */
static bool read_keys(struct reader *reader, const char *at, const struct key *keys,
                      const char *expected, void *target)
{
    const char *end = line_end(reader);
    unsigned seen = 0;
    while ((at = bs_skip_blanks(at, end)) < end) {
        const char *stop = bs_token_end(at, end);
        if (!read_key(reader, at, stop, keys, expected, &seen, target))
            return false;
        at = stop < end ? stop + 1 : stop; /* a decoded name may have ended the blank */
    }
    return true;
}

/* ---- kernel lines --------------------------------------------------------------------------- */

/* Undoes the \xHH of a name, in place, and ends it with NUL where its token ended. */
static bool decode_name(struct reader *reader, char *at, const char *end, const char **name)
{
    char *out = at;
    *name = at;
    while (at < end) {
        unsigned c = (unsigned char)*at;
        if (c < ' ' || c == 0x7f)
            return fail_control(reader, at);
        size_t used = 1;
        if (c == '\\') {
            const bool escape = end - at >= 4 && at[1] == 'x' && bs_digit_value(at[2]) < 16 &&
                                bs_digit_value(at[3]) < 16;
            c = escape ? bs_digit_value(at[2]) << 4 | bs_digit_value(at[3]) : 0;
            used = 4;
        }
        if (c == 0)
            return fail_token(reader, at, "bad escape in a name", "\\xHH with HH from 01 to ff");
        *out++ = (char)c;
        at += used;
    }
    *out = '\0';
    return true;
}

/* Names are decoded in place; the line is the reader's to change. */
static char *writable(struct reader *reader, const char *at)
{
    return reader->line.text + (at - reader->line.text);
}

static bool read_size(struct reader *reader, struct value value, uint32_t size[3])
{
    const char *at = value.at;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number = 0;
        const char *next = bs_scan_number(at, value.end, &number);
        const bool ends = i < 2 ? next < value.end && *next == ',' : next == value.end;
        if (next == at || !ends || number == 0 || number > UINT32_MAX)
            return fail_token(reader, at, "bad size", "X,Y,Z, each from 1 to 4294967295");
        size[i] = (uint32_t)number;
        at = next + 1;
    }
    return true;
}

static bool read_grid(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    return read_size(reader, value, kernel->grid);
}

static bool read_block(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    return read_size(reader, value, kernel->block);
}

static bool read_smem(struct reader *reader, struct value value, void *target)
{
    const struct number smem = {"smem", (uint64_t)bs_max_smem, false};
    struct bs_kernel *kernel = target;
    uint64_t number;
    if (!read_number(reader, &value.at, value.end, &smem, &number))
        return false;
    kernel->smem = (int64_t)number;
    return true;
}

static bool read_model(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return fail_token(reader, value.at, "bad model", "the name of a device model");
    kernel->model_line = kernel->line;
    kernel->model_column = (uint64_t)(value.at - reader->line.text) + 1;
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->model);
}

static bool read_demangled(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return fail_token(reader, value.at, "bad demangled name", "a name");
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->demangled);
}

static bool read_device(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return fail_token(reader, value.at, "bad device", "a name");
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->device);
}

static bool read_cc(struct reader *reader, struct value value, void *target)
{
    struct bs_kernel *kernel = target;
    uint64_t major = 0, minor = 0;
    const char *dot = bs_scan_decimal(value.at, value.end, &major);
    const char *after = dot < value.end && *dot == '.' ? dot + 1 : dot;
    const char *stop = bs_scan_decimal(after, value.end, &minor);
    if (dot == value.at || after == dot || stop == after || stop != value.end || major == 0 ||
        major > BS_MAX_CC || minor > BS_MAX_CC)
        return fail_token(reader, value.at, "bad compute capability", "MAJOR.MINOR, such as 9.0");
    kernel->cc[0] = (uint32_t)major;
    kernel->cc[1] = (uint32_t)minor;
    return true;
}

static bool read_kernel(struct reader *reader, const char *at)
{
    static const struct key keys[] = {
        {"grid", read_grid},           {"block", read_block}, {"smem", read_smem},
        {"model", read_model},         {"cc", read_cc},       {"device", read_device},
        {"demangled", read_demangled}, {NULL, NULL},
    };
    struct bs_kernel kernel = bs_kernel_named("");
    kernel.line = reader->lines.number;
    const char *end = line_end(reader);
    at = bs_skip_blanks(at, end);
    const char *stop = bs_token_end(at, end);
    if (at == end)
        return fail_token(reader, at, "a kernel without a name", "kernel NAME");
    if (!read_keys(reader, stop, keys,
                   "grid=, block=, smem=, model=, cc=, device= or demangled=", &kernel) ||
        !decode_name(reader, writable(reader, at), stop, &kernel.name))
        return false;
    reader->kernel = bs_launches_begin(reader->launches, &kernel);
    reader->begun = true;
    return reader->kernel || fail_memory(reader);
}

/* ---- source lines ------------------------------------------------------------------------- */

/* source PC TEXT: the text goes to the end of the line. */
static bool read_source(struct reader *reader, const char *at)
{
    static const struct number number = {"pc", UINT64_MAX, true};
    const struct bs_kernel_copy *last = &reader->launches->last;
    const char *end = line_end(reader);
    const char *name;
    uint64_t pc;
    at = bs_skip_blanks(at, end);
    const char *start = at;
    if (!read_number(reader, &at, end, &number, &pc))
        return false;
    if (!reader->begun)
        return fail_token(reader, start, "a source place out of place",
                          "it behind the kernel's line, before its records");
    if (last->place_count > 0 && last->places[last->place_count - 1].pc >= pc)
        return fail_token(reader, start, "a source place out of order",
                          "ascending program counters, each once");
    at = bs_skip_blanks(at, end);
    while (end > at && bs_is_blank(end[-1]))
        end--;
    if (at == end)
        return fail_token(reader, at, "no source place", "text such as FILE:LINE");
    if (!decode_name(reader, writable(reader, at), end, &name))
        return false;
    if (!bs_launches_has_room(reader->launches, strlen(name)))
        return fail(reader, at,
                    "too much source of one launch, expected at most %d bytes, each place counted "
                    "as its text and %d",
                    BS_MAX_PLACES, BS_PER_PLACE);
    return bs_launches_place(reader->launches, pc, name, strlen(name)) || fail_memory(reader);
}

/* ---- record lines --------------------------------------------------------------------------- */

static bool read_dep(struct reader *reader, struct value value, void *target)
{
    static const struct number dep = {"dep", UINT32_MAX, false};
    struct bs_record *record = target;
    uint64_t number;
    if (!read_number(reader, &value.at, value.end, &dep, &number))
        return false;
    record->access.dep = (uint32_t)number;
    return true;
}

static bool read_src(struct reader *reader, struct value value, void *target)
{
    struct bs_record *record = target;
    struct bs_access *access = &record->access;
    if (!bs_op_is_copy(access->op))
        return fail_token(reader, value.at - 4, "sources of an op that has none",
                          "src= at cp.async only");
    if (!bs_runs_read(value.at, line_end(reader), UINT64_MAX, bs_lanes_count(access->mask),
                      reader->list, reader->error))
        return fail_runs(reader, value.at);
    bs_lanes_spread64(access->mask, reader->list, reader->src);
    access->src = reader->src;
    return true;
}

static bool read_op(struct reader *reader, const char **at, struct bs_op *op)
{
    const char *stop = bs_token_end(*at, line_end(reader));
    const size_t size = (size_t)(stop - *at);
    if (!bs_op_cache_parse(&reader->ops, *at, size, op)) {
        char hint[BS_OP_HINT];
        fail_token(reader, *at, "bad op", "an op such as ld.b32, st.b64, atom.add.b32, bar");
        return !control_byte(*at, stop) && add_hint(reader, bs_op_hint(*at, size, hint));
    }
    *at = stop;
    return true;
}

static bool read_addresses(struct reader *reader, const char **at, const struct bs_access *access)
{
    const char *start = *at;
    const bool barrier = access->op.kind == BS_BAR;
    if (start == line_end(reader))
        return fail_token(reader, start, "no addresses", barrier ? "-" : "ADDRS");
    *at = bs_runs_read(start, line_end(reader), UINT32_MAX,
                       barrier ? 0 : bs_lanes_count(access->mask), reader->list, reader->error);
    if (!*at)
        return barrier ? fail_token(reader, start, "a barrier with addresses", "-")
                       : fail_runs(reader, start);
    if (*at < line_end(reader) && !bs_is_blank(**at))
        return fail_token(reader, *at, "bad addresses", "runs joined by commas");
    if (!barrier)
        bs_lanes_spread32(access->mask, reader->list, reader->addr);
    return true;
}

/* CTA WARP PC OP MASK ADDRS; moves *at behind them. */
static bool read_fields(struct reader *reader, const char **at, struct bs_record *record)
{
    static const struct number cta = {"CTA", UINT32_MAX, false};
    static const struct number warp = {"warp", UINT32_MAX, false};
    static const struct number pc = {"pc", UINT64_MAX, true};
    static const struct number mask = {"mask", UINT64_MAX, true};
    struct bs_access *access = &record->access;
    const char *end = line_end(reader);
    uint64_t value;
    if (!read_number(reader, at, end, &cta, &value))
        return false;
    access->cta = (uint32_t)value;
    *at = bs_skip_blanks(*at, end);
    if (!read_number(reader, at, end, &warp, &value))
        return false;
    access->warp = (uint32_t)value;
    *at = bs_skip_blanks(*at, end);
    if (!read_number(reader, at, end, &pc, &access->pc))
        return false;
    *at = bs_skip_blanks(*at, end);
    record->op_column = (uint32_t)(*at - reader->line.text) + 1;
    if (!read_op(reader, at, &access->op))
        return false;
    *at = bs_skip_blanks(*at, end);
    if (!read_number(reader, at, end, &mask, &access->mask))
        return false;
    *at = bs_skip_blanks(*at, end);
    record->addr_column = (uint32_t)(*at - reader->line.text) + 1;
    return read_addresses(reader, at, access);
}

static bool read_record(struct reader *reader, const char *at, struct bs_record *record)
{
    static const struct key keys[] = {
        {"dep", read_dep},
        {"src", read_src},
        {NULL, NULL},
    };
    *record = (struct bs_record){
        .access = {.addr = reader->addr},
        .kernel = reader->kernel,
        .line = reader->lines.number,
    };
    const char *start = at;
    if (!read_fields(reader, &at, record))
        return false;
    if (!reader->kernel)
        return fail_token(reader, start, "a record without a kernel",
                          "a line \"kernel NAME\" before it");
    return read_keys(reader, at, keys, "dep= or src=", record);
}

/* ---- the format ----------------------------------------------------------------------------- */

static bool probe(const char *bytes, size_t size)
{
    return size >= HEADER_SIZE && memcmp(bytes, header, HEADER_SIZE) == 0;
}

/* Lines end in LF alone. NUL bytes are looked for in comments here, elsewhere no token has one. */
static bool check_text(struct reader *reader, bool comment)
{
    const struct bs_line *line = &reader->line;
    if (line->size > 0 && line->text[line->size - 1] == '\r')
        return fail(reader, line->text + line->size - 1,
                    "the file has DOS line ends, expected LF alone, found CR LF");
    const char *nul = comment ? memchr(line->text, '\0', line->size) : NULL;
    return !nul || fail_control(reader, nul);
}

static bool take_line(struct reader *reader)
{
    const bool taken = bs_lines_next(&reader->lines, &reader->line, reader->error);
    reader->cut |= taken && reader->line.unfinished;
    return taken;
}

static bool read_header(struct reader *reader)
{
    if (!take_line(reader) || !check_text(reader, false))
        return false;
    const char *end = line_end(reader);
    const char *at = reader->line.text + HEADER_SIZE;
    uint64_t number = 0;
    if (at < end && !bs_is_blank(*at))
        return fail_token(reader, reader->line.text, "bad first line", "#bankshot-trace 1");
    at = bs_skip_blanks(at, end);
    const char *start = at;
    at = bs_scan_number(start, end, &number);
    if (number != VERSION || (at < end && !bs_is_blank(*at)))
        return fail_token(reader, start, "bad version of the format", "1");
    at = bs_skip_blanks(at, end);
    return at == end || fail_token(reader, at, "bad first line", "nothing behind the version");
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    bs_lines_close(&reader->lines);
    free(reader);
}

/* A reader of nothing yet. */
static struct reader *make_reader(struct bs_input *input, struct bs_launches *launches,
                                  struct bs_error *error)
{
    struct reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
        return NULL;
    }
    reader->lines = bs_lines_over(input, NULL, 0, 0);
    reader->launches = launches;
    reader->error = error;
    return reader;
}

static void *open_reader(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error)
{
    struct reader *reader = make_reader(input, launches, error);
    if (!reader)
        return NULL;
    if (bs_lines_open(&reader->lines, input, error) && read_header(reader))
        return reader;
    close_reader(reader);
    return NULL;
}

static bool starts_with(const char *at, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - at) >= size && memcmp(at, word, size) == 0 &&
           ((size_t)(end - at) == size || bs_is_blank(at[size]));
}

/* The next line that says something; at is its first byte that does, NULL at the end of the trace.
 */
static bool next_line(struct reader *reader, const char **at)
{
    for (;;) {
        *at = NULL;
        if (!reader->held && !take_line(reader))
            return false;
        reader->held = false;
        if (!reader->line.text)
            return true;
        const char *start = bs_skip_blanks(reader->line.text, line_end(reader));
        const bool comment = start < line_end(reader) && *start == '#';
        if (!check_text(reader, comment))
            return false;
        *at = start;
        if (start < line_end(reader) && !comment)
            return true;
    }
}

/* The launch is told when all source lines behind its own are read: another line ends them. */
static enum bs_trace_event finish_launch(struct reader *reader)
{
    reader->begun = false;
    reader->held = true;
    bs_launches_settle(reader->launches);
    return BS_TRACE_LAUNCH;
}

static enum bs_trace_event read_event(struct reader *reader, struct bs_record *record)
{
    const char *at;
    while (next_line(reader, &at)) {
        const char *end = at ? line_end(reader) : NULL;
        if (at && *at == 's' && starts_with(at, end, "source")) {
            if (!read_source(reader, at + strlen("source")))
                return BS_TRACE_ERROR;
            continue;
        }
        if (reader->begun)
            return finish_launch(reader);
        if (!at)
            return BS_TRACE_END;
        if (!starts_with(at, end, "kernel"))
            return read_record(reader, at, record) ? BS_TRACE_RECORD : BS_TRACE_ERROR;
        if (!read_kernel(reader, at + strlen("kernel")))
            return BS_TRACE_ERROR;
    }
    return BS_TRACE_ERROR;
}

/* What is left of a line that was cut off can look whole, with a number that has lost digits. */
static enum bs_trace_event warn_if_cut(struct reader *reader, enum bs_trace_event event)
{
    if (event != BS_TRACE_ERROR && reader->cut)
        bs_fail(reader->error, BS_OK, bs_input_name(reader->lines.input), reader->lines.number, 0,
                "the last line has no line feed: it may be cut short");
    return event;
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    reader->error = error;
    return warn_if_cut(reader, read_event(reader, record));
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* The lines at hand up to the next launch; none if it comes at once, or at the end. */
static bool take_piece(struct reader *reader, struct bs_buffer *bytes, struct bs_piece *piece)
{
    static const char slack[BS_PIECE_SLACK];
    struct bs_lines *lines = &reader->lines;
    const char *text;
    size_t size;
    if (!bs_lines_at_hand(lines, &text, &size, reader->error))
        return false;
    size = bs_lines_before(text, size, 'k'); /* as in kernel; no record has one there */
    *piece = (struct bs_piece){.start = bytes->size, .size = size, .at = lines->number};
    if (size == 0)
        return true;
    reader->cut |= text[size - 1] != '\n';
    bs_buffer_add(bytes, text, size);
    bs_buffer_add(bytes, slack, sizeof slack);
    bs_lines_skip(lines, size);
    return !bytes->failed || fail_memory(reader);
}

/* Launches are read here, with the lines before the first one. */
static enum bs_trace_event next_piece(void *user, struct bs_buffer *bytes, struct bs_piece *piece,
                                      struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    reader->error = error;
    if (reader->held && reader->line.text) {
        bs_lines_return(&reader->lines, &reader->line);
        reader->held = false;
    }
    piece->size = 0;
    if (reader->kernel && !reader->held && !take_piece(reader, bytes, piece))
        return BS_TRACE_ERROR;
    return warn_if_cut(reader, piece->size > 0 ? BS_TRACE_RECORD : read_event(reader, record));
}

static void *open_pieces(struct bs_input *input, struct bs_launches *launches,
                         struct bs_error *error)
{
    struct reader *reader = make_reader(input, launches, error);
    if (reader)
        reader->kernel = &launches->last.kernel;
    return reader;
}

static bool start_piece(void *user, char *bytes, const struct bs_piece *piece,
                        struct bs_error *error)
{
    struct reader *reader = user;
    reader->error = error;
    reader->lines =
        bs_lines_over(reader->lines.input, bytes + piece->start, piece->size, piece->at);
    return true;
}

const struct bs_format bs_text_format = {
    .name = "native text",
    .start = "#bankshot-trace 1",
    .probe = probe,
    .open = open_reader,
    .next = next_event,
    .next_piece = next_piece,
    .open_pieces = open_pieces,
    .start_piece = start_piece,
    .close = close_reader,
};
