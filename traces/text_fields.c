/* See text_fields.h. */
#include "text_fields.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- faults: each fills the error of the call and returns false ------------------------------ */

bool bs_text_fail(struct bs_text_reader *reader, const char *at, const char *format, ...)
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
const char *bs_text_control(const char *at, const char *end)
{
    for (; at < end; at++)
        if ((unsigned char)*at < ' ' || *at == 0x7f)
            return at;
    return NULL;
}

bool bs_text_fail_control(struct bs_text_reader *reader, const char *at)
{
    return bs_text_fail(reader, at, "%s, expected text, found \\x%02x",
                        *at ? "a control byte" : "a NUL byte", (unsigned)(unsigned char)*at);
}

bool bs_text_fail_memory(struct bs_text_reader *reader)
{
    return bs_fail(reader->error, BS_INTERNAL, bs_input_name(reader->lines.input),
                   reader->lines.number, 0, "out of memory");
}

/* "what, expected X, found Y": Y is the token at at. */
bool bs_text_fail_token(struct bs_text_reader *reader, const char *at, const char *what,
                        const char *expected)
{
    const char *end = bs_token_end(at, bs_text_line_end(reader));
    const char *control = bs_text_control(at, end);
    char found[80];
    if (control)
        return bs_text_fail_control(reader, control);
    if (at == bs_text_line_end(reader))
        return bs_text_fail(reader, at, "%s, expected %s, found the end of the %s", what, expected,
                            reader->line.unfinished ? "file" : "line");
    return bs_text_fail(reader, at, "%s, expected %s, found \"%s\"", what, expected,
                        bs_printable(at, (size_t)(end - at), found, sizeof found));
}

/* Adds to the text of an error that has been filled. */
bool bs_text_hint(struct bs_text_reader *reader, const char *hint)
{
    const size_t used = strlen(reader->error->text);
    snprintf(reader->error->text + used, sizeof reader->error->text - used, "%s", hint);
    return false;
}

/* ---- numbers -------------------------------------------------------------------------------- */

bool bs_text_fail_number(struct bs_text_reader *reader, const char *at,
                         const struct bs_text_number *number)
{
    char what[64], expected[64];
    snprintf(what, sizeof what, "bad %s", number->what);
    if (number->hex)
        snprintf(expected, sizeof expected, "a hexadecimal number of up to 64 bits");
    else
        snprintf(expected, sizeof expected, "a number up to %" PRIu64, number->max);
    return bs_text_fail_token(reader, at, what, expected);
}

/* ---- key=value ------------------------------------------------------------------------------ */

static bool key_is(const char *name, const char *at, size_t size)
{
    return strlen(name) == size && memcmp(name, at, size) == 0;
}

static bool read_key(struct bs_text_reader *reader, const char *at, const char *end,
                     const struct bs_text_key *keys, const char *expected, unsigned *seen,
                     void *target)
{
    const char *equals = memchr(at, '=', (size_t)(end - at));
    const size_t size = equals ? (size_t)(equals - at) : 0;
    unsigned i = 0;
    while (keys[i].name && !(equals && key_is(keys[i].name, at, size)))
        i++;
    if (!keys[i].name)
        return bs_text_fail_token(reader, at, "unknown key", expected);
    if (*seen >> i & 1)
        return bs_text_fail_token(reader, at, "key given twice", "each key once");
    *seen |= 1u << i;
    return keys[i].read(reader, (struct bs_text_value){equals + 1, end}, target);
}

/* Keys up to the end of the line. The list of keys ends in a NULL name. */
bool bs_text_keys(struct bs_text_reader *reader, const char *at, const struct bs_text_key *keys,
                  const char *expected, void *target)
{
    const char *end = bs_text_line_end(reader);
    unsigned seen = 0;
    while ((at = bs_skip_blanks(at, end)) < end) {
        const char *stop = bs_token_end(at, end);
        if (!read_key(reader, at, stop, keys, expected, &seen, target))
            return false;
        at = stop < end ? stop + 1 : stop; /* a decoded name may have ended the blank */
    }
    return true;
}
