/*
 * What the readers of other tools' traces share: faults with their place, the numbers of such
 * lines, and what the name of an instruction says.
 */
#ifndef BS_IMPORT_H
#define BS_IMPORT_H

#include "bankshot-traces.h"
#include "lines.h"
#include "op_cache.h"
#include "scan.h"

/* A line being read from left to right. at == end: nothing is left. */
struct bs_cursor {
    const struct bs_lines *lines;
    const char *start; /* of the line */
    const char *at;
    const char *end;
    struct bs_error *error;
};

struct bs_cursor bs_cursor_of(const struct bs_lines *lines, const struct bs_line *line,
                              struct bs_error *error);

/* Fills the error with "what, expected X, found Y", Y being the token at at. Always false. */
bool bs_cursor_fail(const struct bs_cursor *cursor, const char *at, const char *what,
                    const char *expected);

/* The next token, and the blanks before it, are taken. */
bool bs_cursor_word(struct bs_cursor *cursor, const char *what, const char **word, size_t *size);

/* What the numbers below end in when they do not fit. */
bool bs_cursor_fail_number(const struct bs_cursor *cursor, const char *what, uint64_t max);
bool bs_cursor_fail_hex(const struct bs_cursor *cursor, const char *what, uint64_t max);
bool bs_cursor_fail_signed(const struct bs_cursor *cursor, const char *at, const char *what);

/* Accepts the number that was scanned up to next, if it fits and its token ends there. */
static inline bool bs_cursor_take(struct bs_cursor *cursor, const char *next, bool fits)
{
    if (next == cursor->at || !fits || (next < cursor->end && !bs_is_blank(*next)))
        return false;
    cursor->at = bs_skip_blanks(next, cursor->end);
    return true;
}

static inline bool bs_cursor_number(struct bs_cursor *cursor, const char *what, uint64_t max,
                                    uint64_t *value)
{
    *value = 0;
    const char *next = bs_scan_decimal(cursor->at, cursor->end, value);
    return bs_cursor_take(cursor, next, *value <= max) || bs_cursor_fail_number(cursor, what, max);
}

static inline bool bs_cursor_hex(struct bs_cursor *cursor, const char *what, uint64_t max,
                                 uint64_t *value)
{
    *value = 0;
    const char *next = bs_scan_hex(cursor->at, cursor->end, value);
    return bs_cursor_take(cursor, next, *value <= max) || bs_cursor_fail_hex(cursor, what, max);
}

/* Decimal, or hexadecimal with 0x in front, with a sign or without. */
static inline bool bs_cursor_signed(struct bs_cursor *cursor, const char *what, uint64_t *value)
{
    const char *start = cursor->at;
    const bool minus = start < cursor->end && *start == '-';
    cursor->at += minus;
    *value = 0;
    if (!bs_cursor_take(cursor, bs_scan_number(cursor->at, cursor->end, value), true))
        return bs_cursor_fail_signed(cursor, start, what);
    *value = minus ? 0 - *value : *value;
    return true;
}

/* X,Y,Z, with parentheses round them or without. */
bool bs_cursor_triple(struct bs_cursor *cursor, const char *what, uint32_t value[3]);
bool bs_cursor_end(struct bs_cursor *cursor);
bool bs_cursor_ended(struct bs_cursor *cursor);

bool bs_starts_with(const char *text, size_t size, const char *prefix);

/* What an instruction does to memory, by its SASS name. */
enum bs_sass {
    BS_SASS_OTHER,
    BS_SASS_SHARED,   /* an access to shared memory, or a barrier */
    BS_SASS_COPY,     /* LDGSTS: from global to shared */
    BS_SASS_GENERIC,  /* LD, ST, ATOM: the address decides */
    BS_SASS_GLOBAL,   /* or local */
    BS_SASS_UNPRICED, /* reaches shared memory past the load-store unit */
};
enum bs_sass bs_sass_of(const char *name, size_t size);

/* The op of a generic instruction that went to shared memory. */
bool bs_sass_generic_op(struct bs_op_cache *ops, const char *name, size_t size, struct bs_op *op);

void bs_import_unpriced(struct bs_import *import, const char *name, size_t size);

/* The number of a CTA in its grid; false if it lies outside, or y or z are used and the grid is
 * not known. */
bool bs_cta_number(const uint32_t grid[3], const uint32_t at[3], uint32_t *number);

/* Whether a fault may be skipped, as the user asked for bad lines; it is then counted and cleared,
 * or it would be a warning at the end. */
bool bs_import_skips(const struct bs_trace_options *options, struct bs_import *import,
                     struct bs_error *error);

#endif
