/* Cutting the input into lines. */
#include "lines.h"

#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* Read at a time: enough to make calls rare, little enough to stay in the cache. */
enum { BLOCK = 256 * 1024 };

bool bs_lines_open(struct bs_lines *lines, struct bs_input *input, struct bs_error *error)
{
    *lines = (struct bs_lines){.input = input};
    lines->buffer = malloc(BS_LINE_LIMIT + BLOCK + 1); /* 1: text[size] of the last line */
    if (!lines->buffer)
        return bs_fail(error, BS_INTERNAL, bs_input_name(input), 0, 0, "out of memory");
    return true;
}

struct bs_lines bs_lines_over(struct bs_input *input, char *bytes, size_t size, uint64_t number)
{
    return (struct bs_lines){.input = input,
                             .buffer = bytes,
                             .end = size,
                             .ended = true,
                             .number = number,
                             .lent = true};
}

void bs_lines_close(struct bs_lines *lines)
{
    if (!lines->lent)
        free(lines->buffer);
    *lines = (struct bs_lines){0};
}

/* Moves the begun line to the front of the buffer and reads more behind it. */
static bool refill(struct bs_lines *lines, struct bs_error *error)
{
    const size_t begun = lines->end - lines->begin;
    size_t got;
    memmove(lines->buffer, lines->buffer + lines->begin, begun);
    lines->begin = 0;
    lines->end = begun;
    if (!bs_input_read(lines->input, lines->buffer + begun, BLOCK, &got, error))
        return false;
    lines->end += got;
    lines->ended = got == 0;
    return true;
}

static void take(struct bs_lines *lines, struct bs_line *line, size_t size, bool unfinished)
{
    *line = (struct bs_line){lines->buffer + lines->begin, size, unfinished};
    lines->begin += size + (unfinished ? 0 : 1);
    lines->number++;
}

bool bs_lines_next(struct bs_lines *lines, struct bs_line *line, struct bs_error *error)
{
    size_t searched = 0; /* bytes of the begun line known to hold no line end */
    for (;;) {
        const char *start = lines->buffer + lines->begin;
        const size_t begun = lines->end - lines->begin;
        const char *stop = memchr(start + searched, '\n', begun - searched);
        const size_t size = stop ? (size_t)(stop - start) : begun;
        if (size > BS_LINE_LIMIT)
            return bs_fail(error, BS_BAD_TRACE, bs_input_name(lines->input), lines->number + 1,
                           BS_LINE_LIMIT + 1,
                           "the line is too long, expected at most %d bytes, found more",
                           BS_LINE_LIMIT);
        if (stop || (lines->ended && size > 0)) {
            take(lines, line, size, !stop);
            return true;
        }
        if (lines->ended) {
            *line = (struct bs_line){0};
            return true;
        }
        searched = begun;
        if (!refill(lines, error))
            return false;
    }
}

void bs_lines_return(struct bs_lines *lines, const struct bs_line *line)
{
    lines->begin = (size_t)(line->text - lines->buffer);
    lines->number--;
}

bool bs_lines_at_hand(struct bs_lines *lines, const char **text, size_t *size,
                      struct bs_error *error)
{
    for (;;) {
        const char *start = lines->buffer + lines->begin;
        const size_t begun = lines->end - lines->begin;
        size_t whole = begun;
        while (whole > 0 && start[whole - 1] != '\n')
            whole--;
        *text = start;
        *size = whole > 0 ? whole : begun;
        if (whole > 0 || lines->ended || begun > BS_LINE_LIMIT)
            return true;
        if (!refill(lines, error))
            return false;
    }
}

size_t bs_lines_before(const char *text, size_t size, const char *word)
{
    const char *end = text + size;
    const size_t length = strlen(word);
    for (const char *at = text; at < end && (at = memchr(at, *word, (size_t)(end - at))); at++) {
        const char *start = at;
        while (start > text && bs_is_blank(start[-1]))
            start--;
        if ((start == text || start[-1] == '\n') && (size_t)(end - at) >= length &&
            memcmp(at, word, length) == 0)
            return (size_t)(start - text);
    }
    return size;
}

void bs_lines_skip(struct bs_lines *lines, size_t size)
{
    const char *text = lines->buffer + lines->begin;
    uint64_t count = size > 0 && text[size - 1] != '\n'; /* the last may do without */
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    lines->begin += size;
    lines->number += count;
}
