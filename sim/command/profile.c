/* Reading Nsight Compute's CSV with libcsv. */
#define _POSIX_C_SOURCE 200809L
#include "profile.h"

#include "core/buffer.h"
#include "input.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    NO_COLUMN = -1,
    FIELD_STEP = 1 << 18, /* bytes by which room for a long field grows */
};

/* Bytes of a row at most, whose quoted fields may go over many lines. */
enum { MOST_ROW = 16 * 1024 * 1024 };

/* The columns of the raw page, by counter: as the hardware counts, and by instruction. Newer names
 * come first. */
struct metric {
    enum bs_counter counter;
    bool by_instruction;
    const char *name;
};

#define PIPE "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_"
#define SASS "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_"

static const struct metric metrics[] = {
    {BS_COUNTER_ALL, false, "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"},
    {BS_COUNTER_LD, false, PIPE "ld.sum"},
    {BS_COUNTER_ST, false, PIPE "st.sum"},
    {BS_COUNTER_ATOM, false, PIPE "atom.sum"},
    {BS_COUNTER_ATOM, true, SASS "atom.sum"},
    {BS_COUNTER_LDMATRIX, false, SASS "ldsm.sum"},
    {BS_COUNTER_STMATRIX, false, SASS "stsm.sum"},
    {BS_COUNTER_COPY, false, SASS "ldgsts_cache_access.sum"},
    {BS_COUNTER_COPY_CG, false, SASS "ldgsts_cache_bypass.sum"},
};
enum { METRICS = sizeof metrics / sizeof *metrics };

/* ---- the state of the reading ---------------------------------------------------------------- */

enum page { PAGE_NONE, PAGE_RAW, PAGE_SOURCE };

struct reading {
    struct bs_profile *profile;
    const char *path;
    uint64_t line;
    size_t row_bytes;      /* of the row so far */
    struct bs_buffer text; /* the fields of the row so far, each with a NUL */
    size_t *fields;        /* where they start */
    size_t count, room;
    size_t columns_count; /* of the head of the raw page */
    char complaint[256];  /* the first error that ncu printed; empty: none */
    enum page page;
    bool expects_head; /* the next row names the columns of a block */
    int kernel;        /* columns */
    int columns[METRICS];
    int address, source, wavefronts, lanes;
    uint64_t start; /* the address of a block's first instruction */
    bool started;
    bool failed;
    struct bs_error error;
};

static void fail(struct reading *reading, const char *what)
{
    if (!reading->failed)
        bs_fail(&reading->error, BS_BAD_TRACE, reading->path, reading->line, 0, "%s", what);
    reading->failed = true;
}

static void fail_memory(struct reading *reading)
{
    if (!reading->failed)
        bs_fail(&reading->error, BS_INTERNAL, reading->path, 0, 0, "out of memory");
    reading->failed = true;
}

static const char *field(const struct reading *reading, int column)
{
    return column >= 0 && (size_t)column < reading->count
               ? reading->text.data + reading->fields[column]
               : "";
}

static int find_column(const struct reading *reading, const char *name)
{
    for (size_t i = 0; i < reading->count; i++)
        if (strcmp(field(reading, (int)i), name) == 0)
            return (int)i;
    return NO_COLUMN;
}

/* A number with commas between its thousands. False where there is none, such as "n/a". */
static bool number_of(const char *text, uint64_t *number)
{
    char digits[32];
    size_t size = 0;
    for (; *text; text++)
        if (*text != ',' && size < sizeof digits)
            digits[size++] = *text;
    return bs_number_parse(digits, size, UINT64_MAX, number);
}

static char *copy_of(struct reading *reading, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    if (copy)
        memcpy(copy, text, strlen(text) + 1);
    else
        fail_memory(reading);
    return copy;
}

/* ---- the raw page ---------------------------------------------------------------------------- */

static void take_raw_head(struct reading *reading)
{
    reading->page = PAGE_RAW;
    reading->kernel = find_column(reading, "Kernel Name");
    reading->columns_count = reading->count;
    bool any = false;
    for (size_t i = 0; i < METRICS; i++) {
        reading->columns[i] = find_column(reading, metrics[i].name);
        any = any || reading->columns[i] != NO_COLUMN;
    }
    if (reading->kernel == NO_COLUMN)
        fail(reading, "no column 'Kernel Name', expected a raw page of Nsight Compute");
    else if (!any && find_column(reading, "Metric Name") != NO_COLUMN)
        fail(reading, "a details page, expected a raw page: give --page raw to ncu");
    else if (!any)
        fail(reading, "no column counts shared memory, expected such as " PIPE
                      "ld.sum (see 'bankshot compare --help')");
}

/* A count of the row; false where the profiler has none for this launch. */
static bool take_count(struct reading *reading, int column, uint64_t *value)
{
    const char *text = field(reading, column);
    char sentence[160];
    char shown[64];
    if (number_of(text, value))
        return true;
    if (*text && strcmp(text, "n/a") != 0) {
        snprintf(sentence, sizeof sentence, "expected a count of wavefronts, found '%s'",
                 bs_printable(text, strlen(text), shown, sizeof shown));
        fail(reading, sentence);
    }
    return false;
}

static void take_raw_row(struct reading *reading)
{
    struct bs_profile *profile = reading->profile;
    struct bs_profile_launch launch = {0};
    uint64_t id;
    if (!number_of(field(reading, 0), &id))
        return; /* the row of units */
    if (reading->count < reading->columns_count) {
        fail(reading, "the row has fewer fields than the head: the file is cut off");
        return;
    }
    for (size_t i = 0; i < METRICS; i++) {
        uint64_t value;
        if (!take_count(reading, reading->columns[i], &value))
            continue;
        (metrics[i].by_instruction ? launch.has_by_instruction : launch.has)[metrics[i].counter] =
            true;
        (metrics[i].by_instruction ? launch.by_instruction : launch.value)[metrics[i].counter] =
            value;
    }
    struct bs_profile_launch *launches = bs_grow(profile->launches, &profile->launch_room,
                                                 profile->launch_count + 1, sizeof *launches);
    if (!launches) {
        fail_memory(reading);
        return;
    }
    profile->launches = launches;
    launch.kernel = copy_of(reading, field(reading, reading->kernel));
    if (launch.kernel)
        launches[profile->launch_count++] = launch;
}

/* ---- the source page ------------------------------------------------------------------------- */

static void take_block(struct reading *reading)
{
    struct bs_profile *profile = reading->profile;
    struct bs_profile_block *blocks =
        bs_grow(profile->blocks, &profile->block_room, profile->block_count + 1, sizeof *blocks);
    reading->page = PAGE_SOURCE;
    reading->expects_head = true;
    reading->started = false;
    if (!blocks) {
        fail_memory(reading);
        return;
    }
    profile->blocks = blocks;
    char *kernel = copy_of(reading, field(reading, 1));
    if (kernel)
        blocks[profile->block_count++] = (struct bs_profile_block){
            .kernel = kernel, .first = profile->line_count, .digest = UINT64_C(0xcbf29ce484222325)};
}

static void take_source_head(struct reading *reading)
{
    reading->expects_head = false;
    reading->address = find_column(reading, "Address");
    reading->source = find_column(reading, "Source");
    reading->wavefronts = find_column(reading, "L1 Wavefronts Shared");
    reading->lanes = find_column(reading, "Predicated-On Thread Instructions Executed");
    if (reading->address == NO_COLUMN || reading->source == NO_COLUMN ||
        reading->lanes == NO_COLUMN) /* without wavefronts the kernel has no shared memory */
        fail(reading, "columns of the source page are missing, expected it of the view of SASS "
                      "with the section SourceCounters");
}

/* The text without the blanks around it; changed in place. */
static const char *trimmed(char *text)
{
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ')
        text[--size] = '\0';
    return text + strspn(text, " ");
}

static void add_line(struct reading *reading, const struct bs_profile_line *line)
{
    struct bs_profile *profile = reading->profile;
    struct bs_profile_line *lines =
        bs_grow(profile->lines, &profile->line_room, profile->line_count + 1, sizeof *lines);
    if (!lines) {
        fail_memory(reading);
        return;
    }
    profile->lines = lines;
    lines[profile->line_count] = *line;
    lines[profile->line_count].source =
        copy_of(reading, trimmed(reading->text.data + reading->fields[reading->source]));
    if (!reading->failed) {
        profile->line_count++;
        profile->blocks[profile->block_count - 1].count++;
    }
}

/* FNV-1a over the row. */
static void digest_row(struct reading *reading)
{
    uint64_t *digest = &reading->profile->blocks[reading->profile->block_count - 1].digest;
    for (size_t i = 0; i < reading->text.size; i++)
        *digest = (*digest ^ (unsigned char)reading->text.data[i]) * UINT64_C(0x100000001b3);
}

static void take_source_row(struct reading *reading)
{
    uint64_t address;
    struct bs_profile_line line = {0};
    digest_row(reading);
    if (!number_of(field(reading, reading->address), &address)) {
        fail(reading, "expected the address of an instruction");
        return;
    }
    if (!reading->started)
        reading->start = address;
    reading->started = true;
    line.pc = address - reading->start;
    number_of(field(reading, reading->lanes), &line.lanes);
    if (number_of(field(reading, reading->wavefronts), &line.wavefronts) && line.wavefronts > 0 &&
        (size_t)reading->source < reading->count)
        add_line(reading, &line);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void take_field(void *bytes, size_t size, void *user)
{
    struct reading *reading = user;
    size_t *fields = bs_grow(reading->fields, &reading->room, reading->count + 1, sizeof *fields);
    if (!fields) {
        fail_memory(reading);
        return;
    }
    reading->fields = fields;
    fields[reading->count++] = reading->text.size;
    bs_buffer_add(&reading->text, bytes, size);
    bs_buffer_add(&reading->text, "", 1);
    if (reading->text.failed)
        fail_memory(reading);
}

static void take_row(int end, void *user)
{
    struct reading *reading = user;
    (void)end;
    reading->row_bytes = 0;
    if (reading->failed)
        return;
    if (strcmp(field(reading, 0), "ID") == 0)
        take_raw_head(reading);
    else if (strcmp(field(reading, 0), "Kernel Name") == 0)
        take_block(reading);
    else if (reading->page == PAGE_SOURCE && reading->expects_head)
        take_source_head(reading);
    else if (reading->page == PAGE_SOURCE)
        take_source_row(reading);
    else if (reading->page == PAGE_RAW)
        take_raw_row(reading);
    reading->count = 0;
    reading->text.size = 0;
}

static bool fail_long(struct reading *reading)
{
    fail(reading, "the row is too long, expected the CSV of Nsight Compute with rows of at most 16 "
                  "MiB");
    return false;
}

/* Lines that do not begin with a quote are of the program, or of ncu itself. */
static bool parse_line(struct reading *reading, struct csv_parser *parser, const char *line,
                       size_t size)
{
    static const char error[] = "==ERROR== ";
    reading->line++;
    if (!reading->complaint[0] && size > sizeof error && memcmp(line, error, sizeof error - 1) == 0)
        bs_printable(line + sizeof error - 1, size - sizeof error, reading->complaint,
                     sizeof reading->complaint);
    if (size == 0 || line[0] != '"')
        return true;
    reading->row_bytes += size;
    if (reading->row_bytes > MOST_ROW)
        return fail_long(reading);
    if (csv_parse(parser, line, size, take_field, take_row, reading) != size)
        fail(reading, csv_error(parser) == CSV_ENOMEM
                          ? "out of memory"
                          : "no CSV, expected a profile: quotes stand around a field, and twice "
                            "inside one");
    return !reading->failed;
}

/* Feeds the parser line by line; what is left of the last piece goes before the next. */
static bool parse(struct reading *reading, struct csv_parser *parser, struct bs_input *input)
{
    struct bs_buffer pending = {0};
    char piece[65536];
    size_t got = 1;
    bool good = true;
    while (good && got > 0) {
        size_t at = 0;
        good = bs_input_read(input, piece, sizeof piece, &got, &reading->error);
        bs_buffer_add(&pending, got > 0 ? piece : "\n", got > 0 ? got : 1);
        for (const char *end; good && at < pending.size &&
                              (end = memchr(pending.data + at, '\n', pending.size - at));) {
            const size_t size = (size_t)(end - pending.data) + 1 - at;
            good = parse_line(reading, parser, pending.data + at, size);
            at += size;
        }
        if (at > 0)
            memmove(pending.data, pending.data + at, pending.size - at);
        pending.size -= at;
        if (pending.failed)
            fail_memory(reading);
        else if (good && pending.size > MOST_ROW) {
            reading->line++;
            good = fail_long(reading);
        }
    }
    bs_buffer_free(&pending);
    return good && !reading->failed;
}

/* Says why nothing was profiled, if ncu said so; else the sentence. Returns false. */
static bool fail_empty(struct reading *reading, uint64_t at, const char *sentence)
{
    const bool told = reading->complaint[0] != '\0';
    return bs_fail(&reading->error, BS_BAD_TRACE, reading->path, told ? 0 : at, told ? 0 : at,
                   "%s%s", told ? "no profile, for ncu failed: " : sentence, reading->complaint);
}

bool bs_profile_read(struct bs_profile *profile, const char *path, struct bs_error *error)
{
    struct reading reading = {.profile = profile, .path = path};
    const size_t before = profile->launch_count + profile->block_count;
    struct csv_parser parser;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return bs_fail(error, BS_BAD_TRACE, path, 0, 0, "expected a profile, found a directory");
    struct bs_input *input = bs_input_open(path, error);
    if (!input)
        return false;
    bool good = csv_init(&parser, CSV_STRICT | CSV_APPEND_NULL) == 0;
    csv_set_blk_size(&parser, FIELD_STEP);
    good = good && parse(&reading, &parser, input);
    csv_fini(&parser, take_field, take_row, &reading);
    good = good && !reading.failed; /* by the last row, which may have no end */
    csv_free(&parser);
    bs_input_close(input);
    bs_buffer_free(&reading.text);
    free(reading.fields);
    if (good && reading.page == PAGE_NONE)
        good = fail_empty(&reading, 1,
                          "no profile, expected the CSV of a raw or source page of "
                          "Nsight Compute");
    else if (good && profile->launch_count + profile->block_count == before)
        good = fail_empty(&reading, 0, "no launch was profiled");
    if (!good && error)
        *error = reading.error;
    return good;
}

void bs_profile_free(struct bs_profile *profile)
{
    for (size_t i = 0; i < profile->launch_count; i++)
        free(profile->launches[i].kernel);
    for (size_t i = 0; i < profile->block_count; i++)
        free(profile->blocks[i].kernel);
    for (size_t i = 0; i < profile->line_count; i++)
        free(profile->lines[i].source);
    free(profile->launches);
    free(profile->blocks);
    free(profile->lines);
    *profile = (struct bs_profile){0};
}
