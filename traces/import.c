/* What the readers of other tools' traces share. */
#include "import.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- the cursor ------------------------------------------------------------------------------ */

struct bs_cursor bs_cursor_of(const struct bs_lines *lines, const struct bs_line *line,
                              struct bs_error *error)
{
    const char *end = line->text + line->size;
    if (end > line->text && end[-1] == '\r')
        end--;
    return (struct bs_cursor){lines, line->text, bs_skip_blanks(line->text, end), end, error};
}

bool bs_cursor_fail(const struct bs_cursor *cursor, const char *at, const char *what,
                    const char *expected)
{
    char found[80];
    const char *stop = bs_token_end(at, cursor->end);
    const char *file = bs_input_name(cursor->lines->input);
    const uint64_t line = cursor->lines->number;
    const uint64_t column = (uint64_t)(at - cursor->start) + 1;
    if (at == cursor->end)
        return bs_fail(cursor->error, BS_BAD_TRACE, file, line, column,
                       "%s, expected %s, found the end of the line", what, expected);
    return bs_fail(cursor->error, BS_BAD_TRACE, file, line, column, "%s, expected %s, found \"%s\"",
                   what, expected, bs_printable(at, (size_t)(stop - at), found, sizeof found));
}

static bool fail_number(const struct bs_cursor *cursor, const char *at, const char *name,
                        const char *expected)
{
    char what[64];
    snprintf(what, sizeof what, "bad %s", name);
    return bs_cursor_fail(cursor, at, what, expected);
}

bool bs_cursor_word(struct bs_cursor *cursor, const char *what, const char **word, size_t *size)
{
    const char *stop = bs_token_end(cursor->at, cursor->end);
    *word = cursor->at;
    *size = (size_t)(stop - cursor->at);
    if (*size == 0)
        return fail_number(cursor, cursor->at, what, "a name");
    cursor->at = bs_skip_blanks(stop, cursor->end);
    return true;
}

bool bs_cursor_fail_number(const struct bs_cursor *cursor, const char *what, uint64_t max)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a number up to %" PRIu64, max);
    return fail_number(cursor, cursor->at, what, expected);
}

bool bs_cursor_fail_hex(const struct bs_cursor *cursor, const char *what, uint64_t max)
{
    char expected[64];
    snprintf(expected, sizeof expected, "a hexadecimal number up to %" PRIx64, max);
    return fail_number(cursor, cursor->at, what, expected);
}

bool bs_cursor_fail_signed(const struct bs_cursor *cursor, const char *at, const char *what)
{
    return fail_number(cursor, at, what, "a number, with a sign or without");
}

bool bs_cursor_triple(struct bs_cursor *cursor, const char *what, uint32_t value[3])
{
    const char *at = cursor->at;
    const bool open = at < cursor->end && *at == '(';
    at += open;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t number = 0;
        const char *next = bs_scan_decimal(at, cursor->end, &number);
        const char *after = i < 2 ? "," : open ? ")" : "";
        if (next == at || number > UINT32_MAX ||
            (*after && (next == cursor->end || *next != *after)))
            return fail_number(cursor, cursor->at, what, "X,Y,Z");
        value[i] = (uint32_t)number;
        at = next + (*after != '\0');
    }
    return bs_cursor_take(cursor, at, true) || fail_number(cursor, cursor->at, what, "X,Y,Z");
}

bool bs_cursor_ended(struct bs_cursor *cursor)
{
    return cursor->at == cursor->end;
}

bool bs_cursor_end(struct bs_cursor *cursor)
{
    return bs_cursor_ended(cursor) ||
           bs_cursor_fail(cursor, cursor->at, "too much on the line", "its end");
}

/* ---- instructions ---------------------------------------------------------------------------- */

bool bs_starts_with(const char *text, size_t size, const char *prefix)
{
    const size_t length = strlen(prefix);
    return size >= length && memcmp(text, prefix, length) == 0;
}

/* Names up to the first dot. */
static const struct {
    char name[9];
    uint8_t size;
    enum bs_sass what;
} instructions[] = {
    {"LDS", 3, BS_SASS_SHARED},       {"STS", 3, BS_SASS_SHARED},
    {"LDSM", 4, BS_SASS_SHARED},      {"STSM", 4, BS_SASS_SHARED},
    {"ATOMS", 5, BS_SASS_SHARED},     {"BAR", 3, BS_SASS_SHARED},
    {"LDGSTS", 6, BS_SASS_COPY},      {"LD", 2, BS_SASS_GENERIC},
    {"ST", 2, BS_SASS_GENERIC},       {"ATOM", 4, BS_SASS_GENERIC},
    {"RED", 3, BS_SASS_GLOBAL},       {"LDG", 3, BS_SASS_GLOBAL},
    {"STG", 3, BS_SASS_GLOBAL},       {"ATOMG", 5, BS_SASS_GLOBAL},
    {"REDG", 4, BS_SASS_GLOBAL},      {"LDL", 3, BS_SASS_GLOBAL},
    {"STL", 3, BS_SASS_GLOBAL},       {"UTMALDG", 7, BS_SASS_UNPRICED},
    {"UTMASTG", 7, BS_SASS_UNPRICED}, {"UTMAREDG", 8, BS_SASS_UNPRICED},
    {"UBLKCP", 6, BS_SASS_UNPRICED},  {"UBLKRED", 7, BS_SASS_UNPRICED},
    {"SYNCS", 5, BS_SASS_UNPRICED},   {"HGMMA", 5, BS_SASS_UNPRICED},
    {"IGMMA", 5, BS_SASS_UNPRICED},   {"QGMMA", 5, BS_SASS_UNPRICED},
    {"BGMMA", 5, BS_SASS_UNPRICED},
};

enum bs_sass bs_sass_of(const char *name, size_t size)
{
    const char *dot = memchr(name, '.', size);
    const size_t stem = dot ? (size_t)(dot - name) : size;
    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        if (instructions[i].size == stem && memcmp(instructions[i].name, name, stem) == 0)
            return instructions[i].what;
    return BS_SASS_OTHER;
}

/* Parts of a generic instruction's name that say nothing about what it costs in shared memory. */
static bool is_scope(const char *part, size_t size)
{
    static const char *const scopes[] = {"E", "STRONG", "WEAK", "CTA", "SM", "GPU", "SYS"};
    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (strlen(scopes[i]) == size && memcmp(scopes[i], part, size) == 0)
            return true;
    return false;
}

bool bs_sass_generic_op(struct bs_op_cache *ops, const char *name, size_t size, struct bs_op *op)
{
    char shared[64];
    size_t used = 0;
    const char *end = name + size;
    for (const char *part = name; part < end;) {
        const char *dot = memchr(part, '.', (size_t)(end - part));
        const size_t length = (size_t)((dot ? dot : end) - part);
        if (used + length + 3 > sizeof shared)
            return false;
        if (part == name || !is_scope(part, length)) {
            if (part != name)
                shared[used++] = '.';
            memcpy(shared + used, part, length);
            used += length;
            if (part == name)
                shared[used++] = 'S';
        }
        part = dot ? dot + 1 : end;
    }
    return bs_op_cache_parse(ops, shared, used, op);
}

void bs_import_unpriced(struct bs_import *import, const char *name, size_t size)
{
    struct bs_unpriced entry = {.count = 1};
    bs_printable(name, size, entry.name, sizeof entry.name);
    for (size_t i = 0; i < import->unpriced_count; i++) {
        if (strcmp(import->unpriced[i].name, entry.name) == 0) {
            import->unpriced[i].count++;
            return;
        }
    }
    if (import->unpriced_count < BS_MAX_UNPRICED)
        import->unpriced[import->unpriced_count++] = entry;
    else
        import->unpriced_rest++;
}

bool bs_cta_number(const uint32_t grid[3], const uint32_t at[3], uint32_t *number)
{
    if (grid[0] == 0) {
        *number = at[0];
        return at[1] == 0 && at[2] == 0;
    }
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return false;
    const uint64_t row = (uint64_t)at[2] * grid[1] + at[1];
    if (row > UINT32_MAX)
        return false;
    const uint64_t cta = row * grid[0] + at[0];
    *number = (uint32_t)cta;
    return cta <= UINT32_MAX;
}

bool bs_import_skips(const struct bs_trace_options *options, struct bs_import *import,
                     struct bs_error *error)
{
    if (!options->skip_bad || error->status != BS_BAD_TRACE)
        return false;
    import->skipped++;
    *error = (struct bs_error){0};
    return true;
}
