/* See kernel_name.h. */
#include "kernel_name.h"

#include "core/glob.h"
#include "scan.h"

#include <stdio.h>
#include <string.h>

/* ---- what people write ---------------------------------------------------------------------- */

struct bs_name_parts bs_name_parts_of(const char *text)
{
    static const char anonymous[] = "(anonymous namespace)";
    struct bs_name_parts parts = {.name = text, .last = text};
    const char *at = text;
    for (int depth = 0; *at; at++) {
        if (strncmp(at, anonymous, sizeof anonymous - 1) == 0)
            at += sizeof anonymous - 2;
        else if (*at == '(' && depth == 0)
            break;
        else if (*at == '<' && depth++ == 0)
            parts.of_template = at;
        else if (*at == '>')
            depth--;
        else if (*at == ' ' && depth == 0)
            parts.name = parts.last = at + 1;
        else if (at[0] == ':' && at[1] == ':' && depth == 0)
            parts.last = at + 2;
    }
    parts.arguments = at;
    if (!parts.of_template || parts.of_template < parts.last)
        parts.of_template = at;
    return parts;
}

/* ---- what the loader's name says ------------------------------------------------------------- */

/* A name that is being put together. */
struct text {
    char *bytes;
    size_t used, room;
    bool full;
};

static void add(struct text *text, const char *bytes, size_t size)
{
    text->full |= size >= text->room - text->used;
    if (text->full)
        return;
    memcpy(text->bytes + text->used, bytes, size);
    text->used += size;
}

static void add_word(struct text *text, const char *word)
{
    add(text, word, strlen(word));
}

static bool is_decimal(const char *at, const char *end)
{
    return at < end && *at >= '0' && *at <= '9';
}

/* A namespace or the name itself: its size and its bytes, with an L before what is static. */
static const char *take_word(const char *at, const char *end, struct text *text)
{
    static const char anonymous[] = "_GLOBAL__N";
    uint64_t size = 0;
    at += at < end && *at == 'L';
    const char *bytes = is_decimal(at, end) ? bs_scan_decimal(at, end, &size) : at;
    if (bytes == at || size == 0 || size > (uint64_t)(end - bytes))
        return NULL;
    if (size >= sizeof anonymous - 1 && memcmp(bytes, anonymous, sizeof anonymous - 1) == 0)
        add_word(text, "(anonymous namespace)");
    else
        add(text, bytes, (size_t)size);
    return bytes + size;
}

/* The types that a letter stands for, and how their numbers are written. */
static const struct type {
    char letter;
    const char *name;
    const char *suffix; /* NULL: the type stands before the number */
} types[] = {
    {'i', "int", ""},
    {'j', "unsigned int", "u"},
    {'l', "long", "l"},
    {'m', "unsigned long", "ul"},
    {'x', "long long", "ll"},
    {'y', "unsigned long long", "ull"},
    {'b', "bool", NULL},
    {'a', "signed char", NULL},
    {'h', "unsigned char", NULL},
    {'c', "char", NULL},
    {'s', "short", NULL},
    {'t', "unsigned short", NULL},
    {'f', "float", NULL},
    {'d', "double", NULL},
};

static const struct type *type_of(char letter)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].letter == letter)
            return &types[i];
    return NULL;
}

/* Li0E: a number of a type. */
static const char *take_number(const char *at, const char *end, struct text *text)
{
    const struct type *type = at + 1 < end ? type_of(at[1]) : NULL;
    const char *first = at + 2, *digits = first + (first < end && *first == 'n');
    const char *stop = digits;
    while (is_decimal(stop, end))
        stop++;
    if (!type || stop == digits || stop == end || *stop != 'E')
        return NULL;
    if (type->letter == 'b') {
        add_word(text, *digits == '0' ? "false" : "true");
        return stop + 1;
    }
    if (!type->suffix) {
        add_word(text, "(");
        add_word(text, type->name);
        add_word(text, ")");
    }
    add(text, "-", digits > first);
    add(text, digits, (size_t)(stop - digits));
    add_word(text, type->suffix ? type->suffix : "");
    return stop + 1;
}

/* I...E, of numbers and plain types alone: NULL for anything else. */
static const char *take_arguments(const char *at, const char *end, struct text *text)
{
    add_word(text, "<");
    for (unsigned count = 0; at && ++at <= end; count++) {
        const struct type *type = at < end ? type_of(*at) : NULL;
        if (at < end && *at == 'E' && count > 0)
            break;
        if (count > 0)
            add_word(text, ", ");
        if (type)
            add_word(text, type->name);
        else if (at < end && *at == 'L' && (at = take_number(at, end, text)))
            at--; /* at its E */
        else
            return NULL;
    }
    add_word(text, ">");
    return at;
}

/* The name in _Z9transposeILi0EEvPfi or _ZN2ns9transposeILi0EEEvPfi: ns::transpose<0>. A kernel is
 * no member of a class, so that what stands before its name are namespaces, without arguments of
 * templates. Those of its own that are more than numbers and plain types are left out. False if the
 * name says nothing. */
static bool read_mangled(const char *name, char *out, size_t room)
{
    struct text text = {out, 0, room, false};
    const char *end = name + strlen(name);
    if (strncmp(name, "_Z", 2) != 0)
        return false;
    const bool nested = name[2] == 'N';
    const char *at = take_word(name + 2 + nested, end, &text);
    while (nested && at && (is_decimal(at, end) || *at == 'L')) {
        add_word(&text, "::");
        at = take_word(at, end, &text);
    }
    if (!at || (nested && *at != 'E' && *at != 'I'))
        return false;
    const size_t plain = text.used;
    if (*at == 'I' && !take_arguments(at, end, &text))
        text.used = plain;
    text.bytes[text.used] = '\0';
    return !text.full;
}

/* ---- patterns -------------------------------------------------------------------------------- */

static bool part_fits(const char *pattern, const char *from, const char *to)
{
    return bs_glob_matches_part(pattern, strlen(pattern), from, (size_t)(to - from));
}

static bool written_fits(const char *pattern, const char *text)
{
    const struct bs_name_parts parts = bs_name_parts_of(text);
    const char *end = text + strlen(text);
    return part_fits(pattern, text, end) || part_fits(pattern, parts.name, end) ||
           part_fits(pattern, parts.name, parts.arguments) ||
           part_fits(pattern, parts.name, parts.of_template) ||
           part_fits(pattern, parts.last, end) || part_fits(pattern, parts.last, parts.arguments) ||
           part_fits(pattern, parts.last, parts.of_template);
}

bool bs_kernel_name_fits(const char *pattern, const char *name, const char *demangled)
{
    char read[BS_TYPED_NAME];
    return written_fits(pattern, name) || (demangled && written_fits(pattern, demangled)) ||
           (read_mangled(name, read, sizeof read) && written_fits(pattern, read));
}

const char *bs_kernel_name_typed(const char *name, const char *demangled, char out[BS_TYPED_NAME])
{
    const char *text = demangled && *demangled ? demangled : name;
    if (text == name && read_mangled(name, out, BS_TYPED_NAME))
        return out;
    const struct bs_name_parts parts = bs_name_parts_of(text);
    snprintf(out, BS_TYPED_NAME, "%.*s", (int)(parts.arguments - parts.name), parts.name);
    return out;
}
