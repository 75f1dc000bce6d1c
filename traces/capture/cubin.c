/* Reading the section and symbol tables of cubins: 64-bit, little-endian ELF. */
#include "cubin.h"

#include <string.h>

enum {
    SECTION_TABLE = 0x28, /* places in the header of the file */
    SECTION_BYTES = 0x3a,
    SECTION_COUNT = 0x3c,
    SECTION_NAMES = 0x3e,
    HEADER_BYTES = 0x40,
    SYMBOL_BYTES = 24,
    SYMBOL_TABLE = 2, /* a type of section */
    FUNCTION = 2,     /* a type of symbol */
};

struct bytes {
    const unsigned char *data;
    size_t size;
};

static bool is_inside(struct bytes bytes, uint64_t at, uint64_t size)
{
    return size <= bytes.size && at <= bytes.size - size;
}

/* A number of the file; 0 where there is none. */
static uint64_t number_at(struct bytes bytes, uint64_t at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; is_inside(bytes, at, size) && i < size; i++)
        value |= (uint64_t)bytes.data[at + i] << 8 * i;
    return value;
}

struct section {
    uint32_t name; /* place in the table of names */
    uint32_t type;
    uint32_t link;
    struct bytes content;
};

static bool get_section(struct bytes file, uint64_t number, struct section *section)
{
    const uint64_t each = number_at(file, SECTION_BYTES, 2);
    const uint64_t at = number_at(file, SECTION_TABLE, 8) + number * each;
    if (number >= number_at(file, SECTION_COUNT, 2) || !is_inside(file, at, 64))
        return false;
    section->name = (uint32_t)number_at(file, at, 4);
    section->type = (uint32_t)number_at(file, at + 4, 4);
    section->link = (uint32_t)number_at(file, at + 0x28, 4);
    const uint64_t offset = number_at(file, at + 0x18, 8);
    const uint64_t size = number_at(file, at + 0x20, 8);
    const bool has_bytes =
        section->type != 0 && section->type != 8 && is_inside(file, offset, size);
    section->content = (struct bytes){has_bytes ? file.data + offset : NULL, has_bytes ? size : 0};
    return true;
}

/* The text at a place of a table of names; NULL if it does not end in it. */
static const char *name_at(struct bytes names, uint32_t at)
{
    if (at >= names.size || !memchr(names.data + at, '\0', names.size - at))
        return NULL;
    return (const char *)names.data + at;
}

static bool is_elf(struct bytes file)
{
    return file.size >= HEADER_BYTES && memcmp(file.data,
                                               "\x7f"
                                               "ELF\x02\x01",
                                               6) == 0;
}

bool bs_cubin_kernels(const void *cubin, size_t size, bool (*see)(void *user, const char *kernel),
                      void *user)
{
    static const char code[] = ".text.";
    const struct bytes file = {cubin, size};
    struct section names, section;
    if (!is_elf(file) || !get_section(file, number_at(file, SECTION_NAMES, 2), &names))
        return false;
    for (uint64_t i = 1; get_section(file, i, &section); i++) {
        const char *name = name_at(names.content, section.name);
        if (name && strncmp(name, code, sizeof code - 1) == 0 && !see(user, name + sizeof code - 1))
            return false;
    }
    return true;
}

bool bs_cubin_symbol(const void *cubin, size_t size, const char *kernel, uint32_t *symbol)
{
    const struct bytes file = {cubin, size};
    struct section symbols, names;
    uint64_t at = 1;
    if (!is_elf(file))
        return false;
    while (get_section(file, at, &symbols) && symbols.type != SYMBOL_TABLE)
        at++;
    if (!get_section(file, at, &symbols) || !get_section(file, symbols.link, &names))
        return false;
    for (uint32_t i = 0; i < symbols.content.size / SYMBOL_BYTES; i++) {
        const uint64_t entry = (uint64_t)i * SYMBOL_BYTES;
        const char *name = name_at(names.content, (uint32_t)number_at(symbols.content, entry, 4));
        const bool is_function = (number_at(symbols.content, entry + 4, 1) & 15) == FUNCTION;
        if (is_function && name && strcmp(name, kernel) == 0) {
            *symbol = i;
            return true;
        }
    }
    return false;
}
