/* Reading the header of an .npy file: the one dict that NumPy writes, not all of Python. */
#include "npy_header.h"

#include <inttypes.h>
#include <string.h>

const unsigned char bs_npy_magic[6] = {0x93, 'N', 'U', 'M', 'P', 'Y'};

struct scanner {
    const char *text, *at, *end;
    struct bs_error *error;
};

/* ---- tokens --------------------------------------------------------------------------------- */

static bool fail(const struct scanner *scanner, const char *expected)
{
    const size_t left = (size_t)(scanner->end - scanner->at);
    char found[48];
    if (left == 0)
        return bs_fail(scanner->error, BS_BAD_TRACE, NULL, 0,
                       (uint64_t)(scanner->at - scanner->text) + 1,
                       "bad header of an .npy file, expected %s, found its end", expected);
    return bs_fail(scanner->error, BS_BAD_TRACE, NULL, 0,
                   (uint64_t)(scanner->at - scanner->text) + 1,
                   "bad header of an .npy file, expected %s, found \"%s\"", expected,
                   bs_printable(scanner->at, left < 16 ? left : 16, found, sizeof found));
}

static void skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->end && (*scanner->at == ' ' || *scanner->at == '\n'))
        scanner->at++;
}

static bool take(struct scanner *scanner, char c)
{
    skip_blanks(scanner);
    if (scanner->at == scanner->end || *scanner->at != c)
        return false;
    scanner->at++;
    return true;
}

static bool stands(struct scanner *scanner, char c)
{
    skip_blanks(scanner);
    return scanner->at < scanner->end && *scanner->at == c;
}

static bool expect(struct scanner *scanner, char c)
{
    const char expected[] = {c, '\0'};
    return take(scanner, c) || fail(scanner, expected);
}

/* What may stand behind an element: a comma, or what closes the list. */
static bool expect_more(struct scanner *scanner, char closing)
{
    return take(scanner, ',') || stands(scanner, closing) || fail(scanner, "a comma");
}

static bool take_text(struct scanner *scanner, char *out, size_t room)
{
    skip_blanks(scanner);
    const char quote = scanner->at < scanner->end ? *scanner->at : '\0';
    const char *start = scanner->at + 1;
    const char *stop =
        quote == '\'' || quote == '"' ? memchr(start, quote, (size_t)(scanner->end - start)) : NULL;
    if (!stop || (size_t)(stop - start) >= room)
        return fail(scanner, "a short text in quotes");
    memcpy(out, start, (size_t)(stop - start));
    out[stop - start] = '\0';
    scanner->at = stop + 1;
    return true;
}

/* (), (N,), (N, M) or N; *count is how many, of at most 2. */
static bool take_shape(struct scanner *scanner, uint64_t shape[2], unsigned *count)
{
    const bool tuple = take(scanner, '(');
    for (*count = 0; !(tuple && take(scanner, ')'));) {
        skip_blanks(scanner);
        const char *start = scanner->at;
        while (scanner->at < scanner->end && *scanner->at >= '0' && *scanner->at <= '9')
            scanner->at++;
        if (*count == 2 ||
            !bs_number_parse(start, (size_t)(scanner->at - start), INT64_MAX, &shape[*count])) {
            scanner->at = start;
            return fail(scanner, "a shape of at most 2 dimensions");
        }
        ++*count;
        if (!tuple)
            return true;
        if (!expect_more(scanner, ')'))
            return false;
    }
    return true;
}

/* ---- the array's type ----------------------------------------------------------------------- */

/* '<u4', '|S7' and the like. */
static bool take_type(struct scanner *scanner, struct bs_npy_field *field)
{
    static const char expected[] = "a type of integers (u or i) or bytes (S), little-endian";
    const char *start = scanner->at;
    char text[24];
    uint64_t bytes;
    if (!take_text(scanner, text, sizeof text))
        return false;
    field->type = text[0] ? text[1] : '\0';
    const bool order = text[0] == '<' || text[0] == '|';
    const bool known = field->type == 'u' || field->type == 'i' || field->type == 'S';
    if (!order || !known || !bs_number_parse(text + 2, strlen(text + 2), 1 << 20, &bytes) ||
        (field->type != 'S' && bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)) {
        scanner->at = start;
        return fail(scanner, expected);
    }
    field->bytes = (uint32_t)bytes;
    field->items = 1;
    return true;
}

/* ('name', '<u4') or ('name', '<u4', (32,)). */
static bool take_field(struct scanner *scanner, struct bs_npy *npy)
{
    uint64_t shape[2] = {1, 1};
    unsigned count;
    if (npy->fields == BS_NPY_FIELDS)
        return fail(scanner, "fewer fields");
    struct bs_npy_field *field = &npy->field[npy->fields++];
    if (!expect(scanner, '(') || !take_text(scanner, field->name, sizeof field->name) ||
        !expect(scanner, ',') || !take_type(scanner, field))
        return false;
    if (take(scanner, ',') && !stands(scanner, ')')) {
        if (!take_shape(scanner, shape, &count))
            return false;
        if (count > 1 || shape[0] > UINT16_MAX)
            return fail(scanner, "a field of one dimension");
    }
    if (!expect(scanner, ')'))
        return false;
    field->items = (uint32_t)shape[0];
    field->at = npy->row_bytes;
    npy->row_bytes += (uint64_t)field->bytes * field->items;
    return true;
}

static bool take_descr(struct scanner *scanner, struct bs_npy *npy)
{
    if (!take(scanner, '[')) {
        npy->fields = 1;
        return take_type(scanner, &npy->field[0]);
    }
    npy->structured = true;
    while (!take(scanner, ']'))
        if (!take_field(scanner, npy) || !expect_more(scanner, ']'))
            return false;
    return true;
}

static bool take_order(struct scanner *scanner)
{
    static const char word[] = "False";
    skip_blanks(scanner);
    if ((size_t)(scanner->end - scanner->at) < sizeof word - 1 ||
        memcmp(scanner->at, word, sizeof word - 1) != 0)
        return fail(scanner, "False: an array in C order");
    scanner->at += sizeof word - 1;
    return true;
}

/* What the keys say is wrong, as a whole. */
static bool fail_whole(const struct scanner *scanner, const char *expected, uint64_t found,
                       const char *what)
{
    return bs_fail(scanner->error, BS_BAD_TRACE, NULL, 0,
                   (uint64_t)(scanner->at - scanner->text) + 1,
                   "bad header of an .npy file, expected %s, found %" PRIu64 " %s%s", expected,
                   found, what, found == 1 ? "" : "s");
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool fit_shape(struct scanner *scanner, struct bs_npy *npy, const uint64_t shape[2],
                      unsigned dimensions)
{
    if (npy->fields == 0)
        return fail_whole(scanner, "at least one field", 0, "field");
    if (dimensions != (npy->structured ? 1u : 2u))
        return fail_whole(scanner,
                          npy->structured ? "a structured array of one dimension"
                                          : "an array of the shape (records, lanes)",
                          dimensions, "dimension");
    npy->rows = shape[0];
    if (npy->structured)
        return true;
    if (shape[1] > UINT16_MAX)
        return fail_whole(scanner, "at most 65535 lanes", shape[1], "lane");
    npy->field[0].items = (uint32_t)shape[1];
    npy->row_bytes = npy->field[0].bytes * shape[1];
    return true;
}

bool bs_npy_parse(const char *text, size_t size, struct bs_npy *npy, struct bs_error *error)
{
    struct scanner scanner = {text, text, text + size, error};
    uint64_t shape[2] = {0, 0};
    unsigned dimensions = 0, seen = 0;
    *npy = (struct bs_npy){0};
    if (!expect(&scanner, '{'))
        return false;
    while (!take(&scanner, '}')) {
        char key[24];
        if (!take_text(&scanner, key, sizeof key) || !expect(&scanner, ':'))
            return false;
        const unsigned bit = strcmp(key, "descr") == 0           ? 1
                             : strcmp(key, "fortran_order") == 0 ? 2
                             : strcmp(key, "shape") == 0         ? 4
                                                                 : 0;
        if (!bit || (seen & bit))
            return fail(&scanner, "descr, fortran_order and shape, each once");
        seen |= bit;
        if (!(bit == 1   ? take_descr(&scanner, npy)
              : bit == 2 ? take_order(&scanner)
                         : take_shape(&scanner, shape, &dimensions)))
            return false;
        if (!expect_more(&scanner, '}'))
            return false;
    }
    if (seen != 7)
        return fail(&scanner, "descr, fortran_order and shape, each once");
    const char *end = scanner.at;
    skip_blanks(&scanner);
    if (scanner.at < scanner.end)
        return fail(&scanner, "nothing behind the closing }");
    scanner.at = end;
    return fit_shape(&scanner, npy, shape, dimensions);
}
