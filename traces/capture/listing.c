/* Reading the listings of nvdisasm. */
#include "listing.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

/* A line of the text, without its end. */
struct line {
    const char *at;
    const char *end;
};

static bool next_line(const char **text, struct line *line)
{
    if (!**text)
        return false;
    line->at = *text;
    line->end = *text + strcspn(*text, "\n");
    *text = line->end + (*line->end == '\n');
    return true;
}

static void skip_blanks(struct line *line)
{
    while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
        line->at++;
}

static bool take(struct line *line, const char *word)
{
    const size_t size = strlen(word);
    if ((size_t)(line->end - line->at) < size || memcmp(line->at, word, size) != 0)
        return false;
    line->at += size;
    return true;
}

static bool take_up_to(struct line *line, char stop, const char **from, size_t *size)
{
    const char *found = memchr(line->at, stop, (size_t)(line->end - line->at));
    if (!found)
        return false;
    *from = line->at;
    *size = (size_t)(found - line->at);
    line->at = found + 1;
    return true;
}

/* ---- sites ---------------------------------------------------------------------------------- */

static const struct {
    const char *prefix; /* of the opcode */
    enum bs_site site;
} site_names[] = {
    {"HGMMA", BS_SITE_WGMMA},     {"IGMMA", BS_SITE_WGMMA},    {"QGMMA", BS_SITE_WGMMA},
    {"BGMMA", BS_SITE_WGMMA},     {"UTCHMMA", BS_SITE_WGMMA},  {"UTCQMMA", BS_SITE_WGMMA},
    {"UTCIMMA", BS_SITE_WGMMA},   {"UTCOMMA", BS_SITE_WGMMA},  {"UTMALDG", BS_SITE_TMA},
    {"UTMASTG", BS_SITE_TMA},     {"UTMAREDG", BS_SITE_TMA},   {"UBLKCP", BS_SITE_TMA},
    {"UBLKRED", BS_SITE_TMA},     {"ST.ASYNC", BS_SITE_ASYNC}, {"STAS", BS_SITE_ASYNC},
    {"RED.ASYNC", BS_SITE_ASYNC}, {"REDAS", BS_SITE_ASYNC},    {"STS.BULK", BS_SITE_ASYNC},
    {"SYNCS", BS_SITE_MBARRIER},  {"MAPA", BS_SITE_MAPA},
};

const char *bs_site_phrase(enum bs_site site)
{
    static const char *const phrases[BS_SITES] = {
        [BS_SITE_WGMMA] = "matrix products that read shared memory themselves (wgmma)",
        [BS_SITE_TMA] = "bulk copies (TMA)",
        [BS_SITE_ASYNC] = "asynchronous stores and reductions",
        [BS_SITE_MBARRIER] = "operations on mbarriers",
        [BS_SITE_MAPA] = "uses of another CTA's shared memory",
    };
    return phrases[site];
}

static void count_site(struct bs_listing *listing, const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof site_names / sizeof *site_names; i++) {
        const size_t prefix = strlen(site_names[i].prefix);
        if (size >= prefix && memcmp(name, site_names[i].prefix, prefix) == 0) {
            listing->sites[site_names[i].site]++;
            return;
        }
    }
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Where the reading of a function stands. */
struct reading {
    struct bs_listing *listing;
    uint32_t file;
    uint32_t line;
    bool failed; /* memory is out */
};

static bool is_file(const struct bs_listing *listing, size_t number, const char *name, size_t size)
{
    const char *known = listing->files[number];
    return strlen(known) == size && memcmp(known, name, size) == 0;
}

/* The number of a file's name, which ends at a quote that becomes a NUL. */
static bool file_number(struct bs_listing *listing, const char *name, size_t size, uint32_t *number)
{
    for (size_t i = 0; i < listing->file_count; i++) {
        if (is_file(listing, i, name, size)) {
            *number = (uint32_t)i;
            return true;
        }
    }
    const char **files =
        bs_grow(listing->files, &listing->file_room, listing->file_count + 1, sizeof *files);
    if (!files)
        return false;
    listing->files = files;
    listing->text[name + size - listing->text] = '\0';
    *number = (uint32_t)listing->file_count;
    files[listing->file_count++] = name;
    return true;
}

/* A path's last part. */
static void drop_folders(const char **name, size_t *size)
{
    for (size_t i = *size; i > 0; i--) {
        if ((*name)[i - 1] != '/')
            continue;
        *name += i;
        *size -= i;
        return;
    }
}

/* //## File "NAME", line N, and perhaps: inlined at ... */
static void read_place(struct reading *reading, struct line line)
{
    const char *name;
    size_t size;
    uint64_t number;
    if (!take_up_to(&line, '"', &name, &size) || !take(&line, ", line "))
        return;
    size_t digits = 0;
    while (line.at + digits < line.end && line.at[digits] >= '0' && line.at[digits] <= '9')
        digits++;
    if (!bs_number_parse(line.at, digits, UINT32_MAX, &number))
        return;
    reading->line = (uint32_t)number;
    drop_folders(&name, &size);
    if (!file_number(reading->listing, name, size, &reading->file))
        reading->failed = true;
}

/* Whether the opcode, up to its first dot, may reach shared memory: through its own addresses, or
 * through generic ones. */
static bool may_reach(const char *name, size_t size)
{
    static const char *const opcodes[] = {"LDS", "STS", "ATOMS", "LDSM", "STSM", "LDGSTS",
                                          "LD",  "ST",  "ATOM",  "RED",  "BAR"};
    const char *dot = memchr(name, '.', size);
    const size_t head = dot ? (size_t)(dot - name) : size;
    for (size_t i = 0; i < sizeof opcodes / sizeof *opcodes; i++)
        if (strlen(opcodes[i]) == head && memcmp(name, opcodes[i], head) == 0)
            return true;
    return false;
}

static void add_instruction(struct reading *reading, uint64_t offset, const char *name, size_t size)
{
    struct bs_listing *listing = reading->listing;
    count_site(listing, name, size);
    if (!may_reach(name, size))
        return;
    struct bs_instruction_at *list =
        bs_grow(listing->list, &listing->room, listing->count + 1, sizeof *list);
    if (!list) {
        reading->failed = true;
        return;
    }
    struct bs_op op = {0};
    const bool is_op = bs_op_parse(name, size, &op);
    listing->list = list;
    list[listing->count++] = (struct bs_instruction_at){
        .is_op = is_op,
        .op = op,
        .offset = offset,
        .name = name,
        .size = (uint32_t)size,
        .line = reading->line,
        .file = reading->file,
    };
}

/* The offset, in a comment, then perhaps a predicate, then the opcode. */
static void read_instruction(struct reading *reading, struct line line)
{
    const char *digits;
    size_t size;
    uint64_t offset;
    if (!take_up_to(&line, '*', &digits, &size) || !bs_hex_parse(digits, size, UINT64_MAX, &offset))
        return;
    if (!take(&line, "/"))
        return;
    skip_blanks(&line);
    if (line.at < line.end && *line.at == '{')
        line.at++;
    skip_blanks(&line);
    if (line.at < line.end && *line.at == '@') {
        while (line.at < line.end && *line.at != ' ')
            line.at++;
        skip_blanks(&line);
    }
    size = 0;
    while (line.at + size < line.end && !strchr(" ;\t", line.at[size]))
        size++;
    if (size > 0)
        add_instruction(reading, offset, line.at, size);
}

static void read_line(struct reading *reading, struct line line)
{
    if (take(&line, "//## File \""))
        read_place(reading, line);
    else if (take(&line, "/*"))
        read_instruction(reading, line);
}

/* Whether a line begins the section of the function, or of another. */
static bool is_section(struct line line, const char *function, bool *wanted)
{
    const char *name;
    size_t size;
    if (!take(&line, ".section") || !take_up_to(&line, '.', &name, &size))
        return false;
    *wanted = take(&line, "text.") && take(&line, function) && take(&line, ",");
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const uint64_t left = ((const struct bs_instruction_at *)a)->offset;
    const uint64_t right = ((const struct bs_instruction_at *)b)->offset;
    return (left > right) - (left < right);
}

bool bs_listing_read(struct bs_listing *listing, const char *text, const char *function)
{
    struct reading reading = {.listing = listing};
    const size_t size = strlen(text);
    bool wanted = false;
    *listing = (struct bs_listing){.text = malloc(size + 1)};
    if (!listing->text)
        return false;
    memcpy(listing->text, text, size + 1);
    const char *at = listing->text;
    struct line line;
    while (!reading.failed && next_line(&at, &line)) {
        skip_blanks(&line);
        if (!is_section(line, function, &wanted) && wanted)
            read_line(&reading, line);
    }
    if (listing->count > 0)
        qsort(listing->list, listing->count, sizeof *listing->list, by_offset);
    return !reading.failed;
}

void bs_listing_free(struct bs_listing *listing)
{
    free(listing->text);
    free(listing->list);
    free(listing->files);
    *listing = (struct bs_listing){0};
}

const struct bs_instruction_at *bs_listing_find(const struct bs_listing *listing, uint64_t offset)
{
    const struct bs_instruction_at key = {.offset = offset};
    return listing->count == 0
               ? NULL
               : bsearch(&key, listing->list, listing->count, sizeof *listing->list, by_offset);
}
