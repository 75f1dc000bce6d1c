/*
 * What reading the native text consists of: the reader, its faults, and the fields of a line.
 */
#ifndef BS_TEXT_FIELDS_H
#define BS_TEXT_FIELDS_H

#include "launches.h"
#include "lines.h"
#include "notes.h"
#include "op_cache.h"
#include "scan.h"

struct bs_text_reader {
    struct bs_lines lines;
    struct bs_launches *launches;   /* the trace's */
    const struct bs_kernel *kernel; /* the records are of; NULL before the first */
    struct bs_line line;            /* being read */
    bool begun;                     /* a launch whose source lines are being read */
    bool held;                      /* the line ended them and is yet to be read */
    bool cut;                       /* a line without its end was read: the last one */
    struct bs_error *error;         /* of the call being served */
    struct bs_notes notes;
    struct bs_op_cache ops;
    uint64_t list[BS_MAX_LANES]; /* addresses in the order of the text */
    uint32_t addr[BS_MAX_LANES]; /* by lane */
    uint64_t src[BS_MAX_LANES];  /* by lane */
};

static inline const char *bs_text_line_end(const struct bs_text_reader *reader)
{
    return reader->line.text + reader->line.size;
}

/* ---- faults: each fills the error of the call and returns false ------------------------------ */

/* Of the line, at one of its bytes. */
bool bs_text_fail(struct bs_text_reader *reader, const char *at, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
bool bs_text_fail_control(struct bs_text_reader *reader, const char *at);
bool bs_text_fail_memory(struct bs_text_reader *reader);

/* "what, expected X, found Y": Y is the token at at. */
bool bs_text_fail_token(struct bs_text_reader *reader, const char *at, const char *what,
                        const char *expected);

/* Adds to the text of an error that has been filled. */
bool bs_text_hint(struct bs_text_reader *reader, const char *hint);

/* The first byte of a token that no text has; NULL if there is none. */
const char *bs_text_control(const char *at, const char *end);

/* ---- numbers -------------------------------------------------------------------------------- */

struct bs_text_number {
    const char *what;
    uint64_t max;
    bool hex; /* without 0x too */
};

bool bs_text_fail_number(struct bs_text_reader *reader, const char *at,
                         const struct bs_text_number *number);

/* The number that ends at end or at a blank; moves *at behind it. */
static inline bool bs_text_number(struct bs_text_reader *reader, const char **at, const char *end,
                                  const struct bs_text_number *number, uint64_t *value)
{
    const char *start = *at;
    const char *next =
        number->hex ? bs_scan_hex(start, end, value) : bs_scan_number(start, end, value);
    if (next == start || *value > number->max || (next < end && !bs_is_blank(*next)))
        return bs_text_fail_number(reader, start, number);
    *at = next;
    return true;
}

/* ---- key=value ------------------------------------------------------------------------------ */

/* A value, from at to end. */
struct bs_text_value {
    const char *at;
    const char *end;
};

struct bs_text_key {
    const char *name;
    bool (*read)(struct bs_text_reader *reader, struct bs_text_value value, void *target);
};

/* Keys up to the end of the line. The list of keys ends in a NULL name. */
bool bs_text_keys(struct bs_text_reader *reader, const char *at, const struct bs_text_key *keys,
                  const char *expected, void *target);

#endif
