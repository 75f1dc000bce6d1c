/* bankshot merge: adds the reports of shards up to the report of the whole. */
#include "options.h"
#include "report.h"
#include "run_output.h"
#include "shard.h"

#include "core/shortage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

struct merge_options {
    unsigned format; /* enum bs_format */
    const char *top;
    bool partial;
};

struct merge {
    const struct bs_verb *verb;
    struct merge_options options;
    uint64_t top;
    char **files;
    size_t count;
    uint32_t *numbers; /* of the shards, by file */
    struct bs_shard sum;
    struct bs_range *gaps; /* shards that are missing */
    struct bs_missing missing;
};

/* ---- reading --------------------------------------------------------------------------------- */

/* A report is an object of JSON and no longer than this: anything else is not read to its end,
 * which it may not have. */
enum { MOST_TEXT = 1024 * 1024 * 1024 };

static bool check_text(const struct bs_buffer *text, const char *path, struct bs_error *error)
{
    size_t blanks = 0;
    while (blanks < text->size && text->data[blanks] && strchr(" \t\r\n", text->data[blanks]))
        blanks++;
    if (blanks < text->size && text->data[blanks] != '{')
        return bs_shard_fail_schema(path, error);
    return text->size <= MOST_TEXT ||
           bs_fail(error, BS_BAD_TRACE, path, 0, 0,
                   "the report is too long, expected at most %d bytes, found more", MOST_TEXT);
}

static bool read_stream(FILE *stream, const char *path, struct bs_buffer *text,
                        struct bs_error *error)
{
    size_t size = 1;
    bool good = true;
    errno = 0;
    while (good && size > 0) {
        if (!bs_buffer_reserve(text, PIECE))
            return bs_fail(error, BS_INTERNAL, path, 0, 0, "out of memory");
        size = fread(text->data + text->size, 1, PIECE, stream);
        const bool first = text->size == 0;
        text->size += size;
        good = (!first && text->size <= MOST_TEXT) || check_text(text, path, error);
    }
    return good && (!ferror(stream) || bs_fail(error, BS_BAD_TRACE, path, 0, 0,
                                               "cannot be read: %s", strerror(errno)));
}

static bool read_file(const char *path, struct bs_buffer *text, struct bs_error *error)
{
    const bool standard = strcmp(path, "-") == 0;
    errno = 0;
    FILE *file = standard ? stdin : fopen(path, "rb");
    if (!file)
        return bs_fail(error, bs_status_of(errno, BS_BAD_TRACE), path, 0, 0, "cannot be opened: %s",
                       strerror(errno));
    const bool read = read_stream(file, path, text, error);
    if (!standard)
        fclose(file);
    return read;
}

static enum bs_status read_shard(struct bs_shard *shard, const char *path)
{
    struct bs_buffer text = {0};
    struct bs_error error;
    *shard = (struct bs_shard){0};
    const bool read =
        read_file(path, &text, &error) && bs_shard_read(shard, text.data, text.size, path, &error);
    bs_buffer_free(&text);
    return read ? BS_OK : bs_complain(&error);
}

/* ---- do they make a whole? ------------------------------------------------------------------- */

/* Each shard counts once. */
static enum bs_status check_number(const struct merge *merge, size_t at)
{
    struct bs_error error;
    for (size_t i = 0; i < at; i++) {
        if (merge->numbers[i] != merge->numbers[at])
            continue;
        bs_fail(&error, BS_BAD_TRACE, merge->files[at], 0, 0,
                "is shard %u of %u, and so is %s: each counts once", merge->numbers[at],
                merge->sum.of, merge->files[i]);
        return bs_complain(&error);
    }
    return BS_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* The numbers up to shards that are not in the list, which is sorted, as ranges. */
static size_t find_gaps(const uint32_t *numbers, size_t count, uint32_t shards,
                        struct bs_range *gaps)
{
    size_t found = 0;
    uint64_t next = 1;
    for (size_t i = 0; i <= count; i++) {
        const uint64_t number = i < count ? numbers[i] : (uint64_t)shards + 1;
        if (number > next)
            gaps[found++] = (struct bs_range){next, number - 1};
        next = number + 1;
    }
    return found;
}

static enum bs_status find_missing(struct merge *merge)
{
    merge->gaps = calloc(merge->count + 1, sizeof *merge->gaps);
    if (!merge->gaps)
        return bs_out_of_memory();
    qsort(merge->numbers, merge->count, sizeof *merge->numbers, by_number);
    merge->missing = (struct bs_missing){
        .shards = merge->sum.of,
        .ranges = merge->gaps,
        .count = find_gaps(merge->numbers, merge->count, merge->sum.of, merge->gaps),
    };
    return BS_OK;
}

/* Missing shards are an error, or something that the report says. */
static enum bs_status tell_missing(struct merge *merge)
{
    struct bs_error error;
    char phrase[BS_SENTENCE];
    if (merge->missing.count == 0)
        return BS_OK;
    bs_fail(&error, BS_BAD_TRACE, NULL, 0, 0, "%s%s", bs_missing_phrase(&merge->missing, phrase),
            merge->options.partial ? "" : "; --partial merges the others");
    if (!merge->options.partial)
        return bs_complain(&error);
    merge->sum.replay.missing = &merge->missing;
    return BS_OK;
}

/* ---- merging --------------------------------------------------------------------------------- */

static enum bs_status add_shard(struct merge *merge, struct bs_shard *shard, size_t at)
{
    struct bs_error error;
    if (!bs_shard_goes_with(&merge->sum, shard, &error))
        return bs_complain_at(&error, merge->files[at], 0);
    merge->numbers[at] = shard->number;
    if (check_number(merge, at) != BS_OK)
        return BS_BAD_TRACE;
    return bs_shard_add(&merge->sum, shard, &error) ? BS_OK
                                                    : bs_complain_at(&error, merge->files[at], 0);
}

/* The first report becomes the sum. */
static enum bs_status add_up(struct merge *merge)
{
    enum bs_status status = read_shard(&merge->sum, merge->files[0]);
    merge->numbers[0] = merge->sum.number;
    for (size_t i = 1; status == BS_OK && i < merge->count; i++) {
        struct bs_shard shard;
        status = read_shard(&shard, merge->files[i]);
        if (status == BS_OK)
            status = add_shard(merge, &shard, i);
        bs_shard_free(&shard);
    }
    bs_shard_sort(&merge->sum);
    return status;
}

static enum bs_status write_merged(const struct merge *merge)
{
    const struct bs_shard *sum = &merge->sum;
    struct bs_error error;
    struct bs_run_output output = {
        .by = sum->by,
        .format = (enum bs_format)merge->options.format,
        .is_report = merge->options.format == BS_TEXT && sum->by == BS_BY_PC,
        .top = merge->top,
    };
    enum bs_status status = BS_OK;
    if (merge->options.top && !output.is_report)
        return bs_usage_error(merge->verb, "--top is for the report: text, by instruction");
    bs_run_output_start(&output, &sum->replay);
    for (size_t i = 0; status == BS_OK && i < sum->row_count; i++)
        if (!bs_run_output_record(&output, &sum->rows[i], &error))
            status = bs_complain(&error);
    if (status == BS_OK)
        status = bs_run_output_end(&output);
    bs_run_output_free(&output);
    return status;
}

static enum bs_status merge_files(struct merge *merge)
{
    merge->numbers = calloc(merge->count, sizeof *merge->numbers);
    if (!merge->numbers)
        return bs_out_of_memory();
    enum bs_status status = add_up(merge);
    if (status == BS_OK)
        status = find_missing(merge);
    if (status == BS_OK)
        status = tell_missing(merge);
    if (status == BS_OK)
        status = write_merged(merge);
    bs_shard_free(&merge->sum);
    free(merge->numbers);
    free(merge->gaps);
    return status;
}

/* ---- the verb -------------------------------------------------------------------------------- */

static size_t option_table(struct merge_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = bs_option_table_format(&options->format);
    table[count++] = bs_option_top(&options->top);
    table[count++] = (struct bs_option){
        .name = "partial",
        .help = "merge although shards are missing; the report says which",
        .kind = BS_OPTION_FLAG,
        .target = &options->partial,
    };
    return count;
}

static size_t count_streams(const struct merge *merge)
{
    size_t streams = 0;
    for (size_t i = 0; i < merge->count; i++)
        streams += strcmp(merge->files[i], "-") == 0;
    return streams;
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct merge merge = {.verb = verb};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    const size_t count = option_table(&merge.options, table);
    if (!bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        return status;
    merge.files = argv + operand;
    merge.count = (size_t)(argc - operand);
    merge.top = BS_DEFAULT_TOP;
    if (merge.count == 0)
        return bs_usage_error(verb, "expected reports, one of each shard");
    if (count_streams(&merge) > 1)
        return bs_usage_error(verb, "standard input can be read only once");
    if (merge.options.top)
        status = bs_top_of_word(verb, merge.options.top, &merge.top);
    return status == BS_OK ? merge_files(&merge) : status;
}

const struct bs_verb bs_verb_merge = {
    .name = "merge",
    .summary = "add the reports of shards up",
    .usage = "[OPTION]... REPORT...",
    .about = "Adds the reports of all shards of one run, made by 'bankshot run --format json "
             "--shard I/N', up to the report that the run without --shard would have given, byte "
             "for byte. - is standard input.\n"
             "\n"
             "All must be of the same traces, model, grouping and filters, and each shard must be "
             "there once.\n",
    .examples = "  bankshot run --shard 1/2 --format json kernel.bst > 1.json\n"
                "  bankshot run --shard 2/2 --format json kernel.bst > 2.json\n"
                "  bankshot merge 1.json 2.json\n"
                "  bankshot merge --format csv *.json > passes.csv\n"
                "  bankshot merge --partial 2.json\n",
    .run = run,
};
