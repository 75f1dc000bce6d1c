/*
 * Reading the native text, as docs/formats.md describes it. A line is scanned once, in place, from
 * left to right; all that is slow lies on the paths that end in an error.
 */
#include "format.h"

#include "core/lanes.h"
#include "runs.h"
#include "text_fields.h"

#include <stdlib.h>
#include <string.h>

static const char header[] = "#bankshot-trace";
enum { HEADER_SIZE = sizeof header - 1, VERSION = 1 };

/* ---- kernel lines --------------------------------------------------------------------------- */

/* Undoes the \xHH of a name, in place, and ends it with NUL where its token ended. */
static bool decode_name(struct bs_text_reader *reader, char *at, const char *end, const char **name)
{
    char *out = at;
    *name = at;
    while (at < end) {
        unsigned c = (unsigned char)*at;
        if (c < ' ' || c == 0x7f)
            return bs_text_fail_control(reader, at);
        size_t used = 1;
        if (c == '\\') {
            const bool escape = end - at >= 4 && at[1] == 'x' && bs_digit_value(at[2]) < 16 &&
                                bs_digit_value(at[3]) < 16;
            c = escape ? bs_digit_value(at[2]) << 4 | bs_digit_value(at[3]) : 0;
            used = 4;
        }
        if (c == 0)
            return bs_text_fail_token(reader, at, "bad escape in a name",
                                      "\\xHH with HH from 01 to ff");
        *out++ = (char)c;
        at += used;
    }
    *out = '\0';
    return true;
}

/* Names are decoded in place; the line is the reader's to change. */
static char *writable(struct bs_text_reader *reader, const char *at)
{
    return reader->line.text + (at - reader->line.text);
}

static bool read_size(struct bs_text_reader *reader, struct bs_text_value value, uint32_t size[3])
{
    const char *at = value.at;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number = 0;
        const char *next = bs_scan_number(at, value.end, &number);
        const bool ends = i < 2 ? next < value.end && *next == ',' : next == value.end;
        if (next == at || !ends || number == 0 || number > UINT32_MAX)
            return bs_text_fail_token(reader, at, "bad size", "X,Y,Z, each from 1 to 4294967295");
        size[i] = (uint32_t)number;
        at = next + 1;
    }
    return true;
}

static bool read_grid(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    return read_size(reader, value, kernel->grid);
}

static bool read_block(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    return read_size(reader, value, kernel->block);
}

static bool read_smem(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    const struct bs_text_number smem = {"smem", (uint64_t)bs_max_smem, false};
    struct bs_kernel *kernel = target;
    uint64_t number;
    if (!bs_text_number(reader, &value.at, value.end, &smem, &number))
        return false;
    kernel->smem = (int64_t)number;
    return true;
}

static bool read_model(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return bs_text_fail_token(reader, value.at, "bad model", "the name of a device model");
    kernel->model_line = kernel->line;
    kernel->model_column = (uint64_t)(value.at - reader->line.text) + 1;
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->model);
}

static bool read_demangled(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return bs_text_fail_token(reader, value.at, "bad demangled name", "a name");
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->demangled);
}

static bool read_device(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    if (value.at == value.end)
        return bs_text_fail_token(reader, value.at, "bad device", "a name");
    return decode_name(reader, writable(reader, value.at), value.end, &kernel->device);
}

static bool read_cc(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_kernel *kernel = target;
    uint64_t major = 0, minor = 0;
    const char *dot = bs_scan_decimal(value.at, value.end, &major);
    const char *after = dot < value.end && *dot == '.' ? dot + 1 : dot;
    const char *stop = bs_scan_decimal(after, value.end, &minor);
    if (dot == value.at || after == dot || stop == after || stop != value.end || major == 0 ||
        major > BS_MAX_CC || minor > BS_MAX_CC)
        return bs_text_fail_token(reader, value.at, "bad compute capability",
                                  "MAJOR.MINOR, such as 9.0");
    kernel->cc[0] = (uint32_t)major;
    kernel->cc[1] = (uint32_t)minor;
    return true;
}

static bool read_kernel(struct bs_text_reader *reader, const char *at)
{
    static const struct bs_text_key keys[] = {
        {"grid", read_grid},           {"block", read_block}, {"smem", read_smem},
        {"model", read_model},         {"cc", read_cc},       {"device", read_device},
        {"demangled", read_demangled}, {NULL, NULL},
    };
    struct bs_kernel kernel = bs_kernel_named("");
    kernel.line = reader->lines.number;
    const char *end = bs_text_line_end(reader);
    at = bs_skip_blanks(at, end);
    const char *stop = bs_token_end(at, end);
    if (at == end)
        return bs_text_fail_token(reader, at, "a kernel without a name", "kernel NAME");
    if (!bs_text_keys(reader, stop, keys,
                      "grid=, block=, smem=, model=, cc=, device= or demangled=", &kernel) ||
        !decode_name(reader, writable(reader, at), stop, &kernel.name))
        return false;
    reader->kernel = bs_launches_begin(reader->launches, &kernel);
    reader->begun = true;
    return reader->kernel || bs_text_fail_memory(reader);
}

/* ---- source lines ------------------------------------------------------------------------- */

/* source PC TEXT: the text goes to the end of the line. */
static bool read_source(struct bs_text_reader *reader, const char *at)
{
    static const struct bs_text_number number = {"pc", UINT64_MAX, true};
    const struct bs_kernel_copy *last = &reader->launches->last;
    const char *end = bs_text_line_end(reader);
    const char *name;
    uint64_t pc;
    at = bs_skip_blanks(at, end);
    const char *start = at;
    if (!bs_text_number(reader, &at, end, &number, &pc))
        return false;
    if (!reader->begun)
        return bs_text_fail_token(reader, start, "a source place out of place",
                                  "it behind the kernel's line, before its records");
    if (last->place_count > 0 && last->places[last->place_count - 1].pc >= pc)
        return bs_text_fail_token(reader, start, "a source place out of order",
                                  "ascending program counters, each once");
    at = bs_skip_blanks(at, end);
    while (end > at && bs_is_blank(end[-1]))
        end--;
    if (at == end)
        return bs_text_fail_token(reader, at, "no source place", "text such as FILE:LINE");
    if (!decode_name(reader, writable(reader, at), end, &name))
        return false;
    if (!bs_launches_has_room(reader->launches, strlen(name)))
        return bs_text_fail(
            reader, at,
            "too much source of one launch, expected at most %d bytes, each place counted "
            "as its text and %d",
            BS_MAX_PLACES, BS_PER_PLACE);
    return bs_launches_place(reader->launches, pc, name, strlen(name)) ||
           bs_text_fail_memory(reader);
}

/* ---- record lines --------------------------------------------------------------------------- */

/* The error that bs_runs_read found in the text at at, as an error of the file. */
static bool fail_runs(struct bs_text_reader *reader, const char *at)
{
    const struct bs_error runs = *reader->error;
    const char *control = bs_text_control(at, bs_token_end(at, bs_text_line_end(reader)));
    if (control)
        return bs_text_fail_control(reader, control);
    return bs_text_fail(reader, at + runs.column - 1, "%s", runs.text);
}

static bool read_dep(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    static const struct bs_text_number dep = {"dep", UINT32_MAX, false};
    struct bs_record *record = target;
    uint64_t number;
    if (!bs_text_number(reader, &value.at, value.end, &dep, &number))
        return false;
    record->access.dep = (uint32_t)number;
    return true;
}

static bool read_src(struct bs_text_reader *reader, struct bs_text_value value, void *target)
{
    struct bs_record *record = target;
    struct bs_access *access = &record->access;
    if (!bs_op_is_copy(access->op))
        return bs_text_fail_token(reader, value.at - 4, "sources of an op that has none",
                                  "src= at cp.async only");
    if (!bs_runs_read(value.at, bs_text_line_end(reader), UINT64_MAX, bs_lanes_count(access->mask),
                      reader->list, reader->error))
        return fail_runs(reader, value.at);
    bs_lanes_spread64(access->mask, reader->list, reader->src);
    access->src = reader->src;
    return true;
}

static bool read_op(struct bs_text_reader *reader, const char **at, struct bs_op *op)
{
    const char *stop = bs_token_end(*at, bs_text_line_end(reader));
    const size_t size = (size_t)(stop - *at);
    if (!bs_op_cache_parse(&reader->ops, *at, size, op)) {
        char hint[BS_OP_HINT];
        bs_text_fail_token(reader, *at, "bad op",
                           "an op such as ld.b32, st.b64, atom.add.b32, bar");
        return !bs_text_control(*at, stop) && bs_text_hint(reader, bs_op_hint(*at, size, hint));
    }
    *at = stop;
    return true;
}

static bool read_addresses(struct bs_text_reader *reader, const char **at,
                           const struct bs_access *access)
{
    const char *start = *at;
    const bool barrier = access->op.kind == BS_BAR;
    if (start == bs_text_line_end(reader))
        return bs_text_fail_token(reader, start, "no addresses", barrier ? "-" : "ADDRS");
    *at = bs_runs_read(start, bs_text_line_end(reader), UINT32_MAX,
                       barrier ? 0 : bs_lanes_count(access->mask), reader->list, reader->error);
    if (!*at)
        return barrier ? bs_text_fail_token(reader, start, "a barrier with addresses", "-")
                       : fail_runs(reader, start);
    if (*at < bs_text_line_end(reader) && !bs_is_blank(**at))
        return bs_text_fail_token(reader, *at, "bad addresses", "runs joined by commas");
    if (!barrier)
        bs_lanes_spread32(access->mask, reader->list, reader->addr);
    return true;
}

/* CTA WARP PC OP MASK ADDRS; moves *at behind them. */
static bool read_fields(struct bs_text_reader *reader, const char **at, struct bs_record *record)
{
    static const struct bs_text_number cta = {"CTA", UINT32_MAX, false};
    static const struct bs_text_number warp = {"warp", UINT32_MAX, false};
    static const struct bs_text_number pc = {"pc", UINT64_MAX, true};
    static const struct bs_text_number mask = {"mask", UINT64_MAX, true};
    struct bs_access *access = &record->access;
    const char *end = bs_text_line_end(reader);
    uint64_t value;
    if (!bs_text_number(reader, at, end, &cta, &value))
        return false;
    access->cta = (uint32_t)value;
    *at = bs_skip_blanks(*at, end);
    if (!bs_text_number(reader, at, end, &warp, &value))
        return false;
    access->warp = (uint32_t)value;
    *at = bs_skip_blanks(*at, end);
    if (!bs_text_number(reader, at, end, &pc, &access->pc))
        return false;
    *at = bs_skip_blanks(*at, end);
    record->op_column = (uint32_t)(*at - reader->line.text) + 1;
    if (!read_op(reader, at, &access->op))
        return false;
    *at = bs_skip_blanks(*at, end);
    if (!bs_text_number(reader, at, end, &mask, &access->mask))
        return false;
    *at = bs_skip_blanks(*at, end);
    record->addr_column = (uint32_t)(*at - reader->line.text) + 1;
    return read_addresses(reader, at, access);
}

static bool read_record(struct bs_text_reader *reader, const char *at, struct bs_record *record)
{
    static const struct bs_text_key keys[] = {
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
        return bs_text_fail_token(reader, start, "a record without a kernel",
                                  "a line \"kernel NAME\" before it");
    return bs_text_keys(reader, at, keys, "dep= or src=", record);
}

/* ---- the format ----------------------------------------------------------------------------- */

static bool probe(const char *bytes, size_t size)
{
    return size >= HEADER_SIZE && memcmp(bytes, header, HEADER_SIZE) == 0;
}

/* Lines end in LF alone. NUL bytes are looked for in comments here, elsewhere no token has one. */
static bool check_text(struct bs_text_reader *reader, bool comment)
{
    const struct bs_line *line = &reader->line;
    if (line->size > 0 && line->text[line->size - 1] == '\r')
        return bs_text_fail(reader, line->text + line->size - 1,
                            "the file has DOS line ends, expected LF alone, found CR LF");
    const char *nul = comment ? memchr(line->text, '\0', line->size) : NULL;
    return !nul || bs_text_fail_control(reader, nul);
}

static bool take_line(struct bs_text_reader *reader)
{
    const bool taken = bs_lines_next(&reader->lines, &reader->line, reader->error);
    reader->cut |= taken && reader->line.unfinished;
    return taken;
}

static bool read_header(struct bs_text_reader *reader)
{
    if (!take_line(reader) || !check_text(reader, false))
        return false;
    const char *end = bs_text_line_end(reader);
    const char *at = reader->line.text + HEADER_SIZE;
    uint64_t number = 0;
    if (at < end && !bs_is_blank(*at))
        return bs_text_fail_token(reader, reader->line.text, "bad first line", "#bankshot-trace 1");
    at = bs_skip_blanks(at, end);
    const char *start = at;
    at = bs_scan_number(start, end, &number);
    if (number != VERSION || (at < end && !bs_is_blank(*at)))
        return bs_text_fail_token(reader, start, "bad version of the format", "1");
    at = bs_skip_blanks(at, end);
    return at == end ||
           bs_text_fail_token(reader, at, "bad first line", "nothing behind the version");
}

static void close_reader(void *user)
{
    struct bs_text_reader *reader = user;
    bs_lines_close(&reader->lines);
    bs_notes_free(&reader->notes);
    free(reader);
}

/* A reader of nothing yet. */
static struct bs_text_reader *make_reader(struct bs_input *input, struct bs_launches *launches,
                                          struct bs_error *error)
{
    struct bs_text_reader *reader = calloc(1, sizeof *reader);
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
    struct bs_text_reader *reader = make_reader(input, launches, error);
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

/* A comment that is a note: what is to be minded of the trace. */
static const char note_start[] = "# note: ";
enum { NOTE_START = sizeof note_start - 1 };

static bool take_note(struct bs_text_reader *reader, const char *comment)
{
    const size_t size = (size_t)(bs_text_line_end(reader) - comment);
    if (size < NOTE_START || memcmp(comment, note_start, NOTE_START) != 0)
        return true;
    return bs_notes_add_foreign(&reader->notes, comment + NOTE_START, size - NOTE_START) ||
           bs_text_fail_memory(reader);
}

/* The next line that says something; at is its first byte that does, NULL at the end of the trace.
 */
static bool next_line(struct bs_text_reader *reader, const char **at)
{
    for (;;) {
        *at = NULL;
        if (!reader->held && !take_line(reader))
            return false;
        reader->held = false;
        if (!reader->line.text)
            return true;
        const char *start = bs_skip_blanks(reader->line.text, bs_text_line_end(reader));
        const bool comment = start < bs_text_line_end(reader) && *start == '#';
        if (!check_text(reader, comment) || (comment && !take_note(reader, start)))
            return false;
        *at = start;
        if (start < bs_text_line_end(reader) && !comment)
            return true;
    }
}

/* The launch is told when all source lines behind its own are read: another line ends them. */
static enum bs_trace_event finish_launch(struct bs_text_reader *reader)
{
    reader->begun = false;
    reader->held = true;
    bs_launches_settle(reader->launches);
    return BS_TRACE_LAUNCH;
}

static enum bs_trace_event read_event(struct bs_text_reader *reader, struct bs_record *record)
{
    const char *at;
    while (next_line(reader, &at)) {
        const char *end = at ? bs_text_line_end(reader) : NULL;
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
static enum bs_trace_event warn_if_cut(struct bs_text_reader *reader, enum bs_trace_event event)
{
    if (event != BS_TRACE_ERROR && reader->cut)
        bs_fail(reader->error, BS_OK, bs_input_name(reader->lines.input), reader->lines.number, 0,
                "the last line has no line feed: it may be cut short");
    return event;
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct bs_text_reader *reader = user;
    reader->error = error;
    return warn_if_cut(reader, read_event(reader, record));
}

/* ---- pieces --------------------------------------------------------------------------------- */

/* Takes the notes that come next; then the lines at hand are others. */
static bool take_notes(struct bs_text_reader *reader, const char **text, size_t *size)
{
    while (bs_lines_at_hand(&reader->lines, text, size, reader->error)) {
        if (*size == 0 || bs_lines_before(*text, *size, note_start) > 0)
            return true;
        if (!take_line(reader) || !check_text(reader, true) ||
            !take_note(reader, bs_skip_blanks(reader->line.text, bs_text_line_end(reader))))
            return false;
    }
    return false;
}

/* The lines at hand up to the next launch or note; none if a launch comes at once, or at the end.
 */
static bool take_piece(struct bs_text_reader *reader, struct bs_buffer *bytes,
                       struct bs_piece *piece)
{
    static const char slack[BS_PIECE_SLACK];
    struct bs_lines *lines = &reader->lines;
    const char *text;
    size_t size;
    if (!take_notes(reader, &text, &size))
        return false;
    size = bs_lines_before(text, size, "k"); /* as in kernel; no record has one there */
    size = bs_lines_before(text, size, note_start);
    *piece = (struct bs_piece){.start = bytes->size, .size = size, .at = lines->number};
    if (size == 0)
        return true;
    reader->cut |= text[size - 1] != '\n';
    bs_buffer_add(bytes, text, size);
    bs_buffer_add(bytes, slack, sizeof slack);
    bs_lines_skip(lines, size);
    return !bytes->failed || bs_text_fail_memory(reader);
}

/* Launches are read here, with the lines before the first one. */
static enum bs_trace_event next_piece(void *user, struct bs_buffer *bytes, struct bs_piece *piece,
                                      struct bs_record *record, struct bs_error *error)
{
    struct bs_text_reader *reader = user;
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
    struct bs_text_reader *reader = make_reader(input, launches, error);
    if (reader)
        reader->kernel = &launches->last.kernel;
    return reader;
}

static bool start_piece(void *user, char *bytes, const struct bs_piece *piece,
                        struct bs_error *error)
{
    struct bs_text_reader *reader = user;
    reader->error = error;
    reader->lines =
        bs_lines_over(reader->lines.input, bytes + piece->start, piece->size, piece->at);
    return true;
}

static const char *remark(const void *user, enum bs_remark kind, size_t number)
{
    const struct bs_text_reader *reader = user;
    return kind == BS_REMARK_MIND ? bs_notes_at(&reader->notes, number) : NULL;
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
    .remark = remark,
    .close = close_reader,
};
