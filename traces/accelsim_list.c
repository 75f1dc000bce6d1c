/*
 * Accel-Sim's kernelslist.g: the names of trace files, which lie beside it, one a line in the order
 * of their launches, and the copies between host and device.
 */
#include "format.h"
#include "import.h"

#include "core/buffer.h"
#include "scan.h"

#include <stdlib.h>
#include <string.h>

struct reader {
    struct bs_lines lines;
    struct bs_launches *launches;
    const struct bs_trace_options *options;
    struct bs_import *import;
    struct bs_input *part; /* the file being read; NULL between files */
    const struct bs_format *format;
    void *reader; /* the format's */
};

/* ---- the files ------------------------------------------------------------------------------- */

/* PATH of the list with the file's name in place of its own. NULL when memory is out. */
static char *beside(const struct reader *reader, const char *name, size_t size, const char *suffix)
{
    const char *list = bs_input_name(reader->lines.input);
    const char *slash = strrchr(list, '/');
    struct bs_buffer path = {0};
    if (slash)
        bs_buffer_add(&path, list, (size_t)(slash + 1 - list));
    bs_buffer_add(&path, name, size);
    bs_buffer_text(&path, suffix);
    return bs_buffer_take(&path);
}

/* Opens the file, or what a compressor made of it. */
static bool open_beside(struct reader *reader, const struct bs_cursor *cursor, const char *name,
                        size_t size)
{
    static const char *const suffixes[] = {"", ".xz", ".gz", ".zst"};
    char *path = NULL;
    enum bs_source_kind found = BS_SOURCE_NONE;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && !found; i++) {
        free(path);
        path = beside(reader, name, size, suffixes[i]);
        if (!path)
            return bs_fail(cursor->error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        found = bs_source_kind(path);
    }
    if (found == BS_SOURCE_FILE)
        reader->part = bs_input_open(path, cursor->error);
    else if (found == BS_SOURCE_OTHER)
        bs_cursor_fail(cursor, name, "the list names what is no regular file",
                       "a trace file, not a directory, pipe or device");
    else
        bs_cursor_fail(cursor, name, "the list names a file that is not there",
                       "it beside the list, plain or as .xz, .gz or .zst");
    free(path);
    return reader->part != NULL;
}

static void close_part(struct reader *reader)
{
    if (reader->reader)
        reader->format->close(reader->reader);
    bs_input_close(reader->part);
    reader->part = NULL;
    reader->reader = NULL;
}

/* The format of the open file, which is no list again, and a reader of it. */
static bool read_part(struct reader *reader, struct bs_error *error)
{
    const char *head;
    size_t size;
    if (!bs_input_head(reader->part, &head, &size, error))
        return false;
    reader->format = bs_format_of(head, size);
    if (!reader->format || reader->format == &bs_accelsim_list_format || !reader->format->import)
        return bs_fail(error, BS_BAD_TRACE, bs_input_name(reader->part), 1, 1,
                       "not a trace file, expected a start with \"%s\"", bs_accelsim_format.start);
    reader->reader = reader->format->import(reader->part, reader->launches, reader->options,
                                            reader->import, error);
    return reader->reader != NULL;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* A trace may come from anywhere: what it names lies beside it or is refused. */
static bool take_file(struct reader *reader, struct bs_cursor *cursor)
{
    const char *name;
    size_t size;
    if (strcmp(bs_input_name(reader->lines.input), "-") == 0)
        return bs_cursor_fail(cursor, cursor->at, "a list of files on standard input",
                              "the path of the list, since the files lie beside it");
    if (!bs_cursor_word(cursor, "file", &name, &size) || !bs_cursor_end(cursor))
        return false;
    if (memchr(name, '/', size) || memchr(name, '\0', size))
        return bs_cursor_fail(cursor, name, "a file elsewhere", "a name without '/'");
    if (open_beside(reader, cursor, name, size) && read_part(reader, cursor->error))
        return true;
    close_part(reader);
    return false;
}

static bool take_line(struct reader *reader, const struct bs_line *line, struct bs_error *error)
{
    struct bs_cursor cursor = bs_cursor_of(&reader->lines, line, error);
    reader->import->lines++;
    if (bs_cursor_ended(&cursor) || *cursor.at == '#')
        return true;
    if (!bs_starts_with(cursor.at, (size_t)(cursor.end - cursor.at), "Memcpy"))
        return take_file(reader, &cursor);
    reader->import->transfers++;
    return true;
}

static enum bs_trace_event next_event(void *user, struct bs_record *record, struct bs_error *error)
{
    struct reader *reader = user;
    struct bs_line line;
    for (;;) {
        if (reader->part) {
            const enum bs_trace_event event = reader->format->next(reader->reader, record, error);
            if (event != BS_TRACE_END)
                return event;
            close_part(reader);
        }
        if (!bs_lines_next(&reader->lines, &line, error))
            return BS_TRACE_ERROR;
        if (!line.text)
            return BS_TRACE_END;
        if (take_line(reader, &line, error))
            continue;
        if (!bs_import_skips(reader->options, reader->import, error))
            return BS_TRACE_ERROR;
    }
}

static const char *part_name(const void *user)
{
    const struct reader *reader = user;
    return reader && reader->part ? bs_input_name(reader->part) : NULL;
}

/* ---- the format ------------------------------------------------------------------------------ */

/* The first line is a copy, or one word with .trace in it. */
static bool probe(const char *bytes, size_t size)
{
    const char *end = memchr(bytes, '\n', size);
    const size_t line = end ? (size_t)(end - bytes) : size;
    const char *stop = bs_token_end(bytes, bytes + line);
    if (bs_starts_with(bytes, line, "Memcpy"))
        return true;
    for (const char *at = bytes; at < stop; at++) {
        if ((unsigned char)*at < ' ')
            return *at == '\r' && at > bytes && at + 1 == stop;
        if (bs_starts_with(at, (size_t)(stop - at), ".trace"))
            return bytes[0] != '#' && bs_skip_blanks(stop, bytes + line) == bytes + line;
    }
    return false;
}

static void close_reader(void *user)
{
    struct reader *reader = user;
    close_part(reader);
    bs_lines_close(&reader->lines);
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

const struct bs_format bs_accelsim_list_format = {
    .name = "Accel-Sim kernelslist.g",
    .start = "kernel-1.traceg",
    .probe = probe,
    .import = import_from,
    .part = part_name,
    .next = next_event,
    .close = close_reader,
};
