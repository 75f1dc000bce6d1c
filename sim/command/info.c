/* bankshot info: what a trace holds. */
#include "filters.h"
#include "imports.h"
#include "kernel_names.h"
#include "progress.h"
#include "reading.h"
#include "table.h"
#include "tally.h"

#include "core/lanes.h"

#include <stdlib.h>
#include <string.h>

struct info_options {
    struct bs_filter_words words;
    struct bs_filter filter;
    struct bs_trace_options reading;
    struct bs_words lets;
    struct bs_let_list bound;
    unsigned format; /* enum bs_tree_format */
};

/* What records of one kind have in them. */
struct holding {
    uint64_t launches;
    uint64_t records;
    uint64_t active;        /* lanes */
    uint64_t full, partial; /* records whose mask has its lowest 32 lanes, or fewer than those */
    uint64_t none;          /* records with no lane active */
    uint64_t low, high;     /* bytes of shared memory; nothing if low is above high */
    uint64_t ctas;          /* the highest one plus 1 */
    uint64_t warps;         /* likewise */
};

struct info {
    const struct info_options *options;
    struct bs_trace *trace;
    struct bs_names names;
    struct holding *kernels; /* by the number of the name */
    size_t room;
    struct holding ops[BS_OPS];
    struct holding all;
    uint64_t launch; /* of the last record; UINT64_MAX before the first */
    uint32_t number; /* of its kernel's name */
    struct bs_filter_met met;
    struct bs_progress progress;
};

static const struct holding nothing = {.low = UINT64_MAX};

/* ---- counting ------------------------------------------------------------------------------- */

static uint64_t more(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void add_record(struct holding *holding, const struct bs_access *access)
{
    const bool barrier = access->op.kind == BS_BAR;
    const uint64_t lanes = barrier ? 0 : access->mask;
    holding->records++;
    holding->active += bs_lanes_count(lanes);
    holding->none += access->mask == 0;
    holding->full += (access->mask & UINT32_MAX) == UINT32_MAX;
    holding->partial += access->mask != 0 && (access->mask & UINT32_MAX) != UINT32_MAX;
    holding->ctas = more(holding->ctas, access->cta + UINT64_C(1));
    holding->warps = more(holding->warps, access->warp + UINT64_C(1));
    for (uint64_t left = lanes; left; left &= left - 1) {
        const uint64_t address = access->addr[bs_lanes_lowest(left)];
        holding->low = address < holding->low ? address : holding->low;
        holding->high = more(holding->high, address + access->op.bytes - 1);
    }
}

static bool find_kernel(struct info *info, const struct bs_kernel *kernel, uint32_t *number)
{
    const size_t known = info->names.count;
    if (!bs_names_intern_kernel(&info->names, kernel, number))
        return false;
    if (info->names.count == known)
        return true;
    struct holding *kernels =
        bs_grow(info->kernels, &info->room, info->names.count, sizeof *kernels);
    if (!kernels)
        return false;
    info->kernels = kernels;
    kernels[*number] = nothing;
    return true;
}

static bool count_launch(struct info *info, const struct bs_kernel *kernel)
{
    uint32_t number;
    bs_filter_meet(&info->met, &info->options->filter, kernel);
    if (!bs_filter_takes_kernel(&info->options->filter, kernel))
        return true;
    if (!find_kernel(info, kernel, &number))
        return false;
    const uint64_t counts = bs_filter_counts_launch(&info->options->filter, kernel);
    info->kernels[number].launches += counts;
    info->all.launches += counts;
    return true;
}

static bool count_record(struct info *info, const struct bs_record *record)
{
    if (record->kernel->launch != info->launch) {
        if (!find_kernel(info, record->kernel, &info->number))
            return false;
        info->launch = record->kernel->launch;
    }
    add_record(&info->kernels[info->number], &record->access);
    add_record(&info->ops[record->access.op.index], &record->access);
    add_record(&info->all, &record->access);
    return true;
}

static void show_progress(struct info *info)
{
    uint64_t done, size;
    if (!bs_progress_is_due(&info->progress, 1))
        return;
    bs_trace_progress(info->trace, &done, &size);
    bs_progress_draw(&info->progress, bs_trace_name(info->trace), done, size);
}

static enum bs_status count_all(struct info *info)
{
    struct bs_error error;
    struct bs_record record;
    enum bs_trace_event event = bs_trace_next(info->trace, &record, &error);
    bool counted = true;
    bs_progress_start(&info->progress);
    for (; counted && (event == BS_TRACE_RECORD || event == BS_TRACE_LAUNCH);
         event = bs_trace_next(info->trace, &record, &error)) {
        counted = event == BS_TRACE_LAUNCH ? count_launch(info, record.kernel)
                                           : count_record(info, &record);
        show_progress(info);
    }
    bs_progress_end(&info->progress);
    if (!counted)
        return bs_out_of_memory();
    if (event == BS_TRACE_ERROR)
        return bs_complain(&error);
    if (bs_trace_warning(info->trace))
        bs_warn(bs_trace_warning(info->trace));
    bs_filter_warn(&info->met, &info->options->filter, &info->options->words, info->all.records);
    return BS_OK;
}

/* ---- output --------------------------------------------------------------------------------- */

#define HOLDING_COLUMNS                                                                            \
    {.name = "records", .title = "records"}, {.name = "active", .title = "active", .drop = 5},     \
        {.name = "full", .title = "full"}, {.name = "partial", .title = "partial"},                \
        {.name = "none", .title = "none", .drop = 6}, {.name = "low", .title = "low"},             \
        {.name = "high", .title = "high"}, {.name = "ctas", .title = "ctas", .drop = 4},           \
    {                                                                                              \
        .name = "warps", .title = "warps", .drop = 3                                               \
    }

static const struct bs_column kernel_columns[] = {
    {.name = "kernel", .title = "kernel", .left = true, .shrink = 16},
    {.name = "launches", .title = "launches", .drop = 7},
    HOLDING_COLUMNS,
};

static const struct bs_column op_columns[] = {
    {.name = "op", .title = "op", .left = true},
    {.name = "bits", .title = "bits"},
    HOLDING_COLUMNS,
};

enum { COLUMNS = sizeof kernel_columns / sizeof *kernel_columns };
_Static_assert(sizeof op_columns == sizeof kernel_columns, "both tables have as many columns");

static void write_holding(struct bs_table *table, const struct holding *holding)
{
    bs_table_number(table, holding->records);
    bs_table_number(table, holding->active);
    bs_table_number(table, holding->full);
    bs_table_number(table, holding->partial);
    bs_table_number(table, holding->none);
    if (holding->low <= holding->high) {
        bs_table_hex(table, holding->low);
        bs_table_hex(table, holding->high);
    } else {
        bs_table_text(table, "-");
        bs_table_text(table, "-");
    }
    bs_table_number(table, holding->ctas);
    bs_table_number(table, holding->warps);
}

static void write_kernels(const struct info *info, struct bs_table *table)
{
    for (size_t i = 0; i < info->names.count; i++) {
        bs_table_kernel(table, &info->names, (uint32_t)i);
        bs_table_number(table, info->kernels[i].launches);
        write_holding(table, &info->kernels[i]);
    }
    bs_table_end(table);
}

static void write_ops(const struct info *info, struct bs_table *table)
{
    for (unsigned i = 0; i < BS_OPS; i++) {
        char name[BS_OP_NAME];
        if (info->ops[i].records == 0)
            continue;
        bs_table_text(table, bs_op_name(bs_op_at(i), name));
        bs_table_number(table, 8u * bs_op_at(i).bytes);
        write_holding(table, &info->ops[i]);
    }
    bs_table_end(table);
}

static uint64_t left_out(const struct info *info)
{
    return bs_trace_records(info->trace) - info->all.records;
}

static void json_remarks(const struct info *info, enum bs_remark kind, const char *key,
                         struct bs_json *json)
{
    const char *text;
    if (!bs_trace_remark(info->trace, kind, 0))
        return;
    bs_json_list(json, key, BS_JSON_TALL);
    for (size_t i = 0; (text = bs_trace_remark(info->trace, kind, i)); i++)
        bs_json_text(json, NULL, text);
    bs_json_close(json);
}

static void write_json(const struct info *info, struct bs_spool *out)
{
    struct bs_json json = {.out = out};
    struct bs_table table;
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-info-1");
    bs_json_text(&json, "trace", bs_trace_name(info->trace));
    bs_json_number(&json, "launches", info->all.launches);
    bs_json_number(&json, "records", info->all.records);
    bs_json_number(&json, "left_out", left_out(info));
    json_remarks(info, BS_REMARK_ABOUT, "about", &json);
    json_remarks(info, BS_REMARK_HOLDS, "holds", &json);
    json_remarks(info, BS_REMARK_MIND, "notes", &json);
    bs_table_begin_json(&table, kernel_columns, COLUMNS, &json, "kernels");
    write_kernels(info, &table);
    bs_table_begin_json(&table, op_columns, COLUMNS, &json, "ops");
    write_ops(info, &table);
    bs_imports_json(bs_trace_import(info->trace), &json);
    bs_json_close(&json);
}

/* The author's words, which keep their lines. */
static void write_about(const struct bs_screen *screen, struct bs_spool *out, const char *text)
{
    char line[BS_REMARK_TEXT];
    for (;;) {
        const size_t size = strcspn(text, "\n");
        snprintf(line, sizeof line, "%.*s", (int)size, text);
        bs_screen_wrap(screen, out, 0, line);
        if (!text[size])
            return;
        text += size + 1;
    }
}

/* What a sketch shows, what it has, and what to mind about it. */
static void write_remarks(const struct info *info, const struct bs_screen *screen,
                          struct bs_spool *out)
{
    static const char *const leads[] = {
        [BS_REMARK_ABOUT] = "", [BS_REMARK_HOLDS] = "", [BS_REMARK_MIND] = "* "};
    for (unsigned kind = 0; kind < sizeof leads / sizeof *leads; kind++) {
        const char *text;
        for (size_t i = 0; (text = bs_trace_remark(info->trace, kind, i)); i++) {
            bs_spool_printf(out, "%s%s", i == 0 ? "\n" : "", leads[kind]);
            if (kind == BS_REMARK_ABOUT)
                write_about(screen, out, text);
            else
                bs_screen_wrap(screen, out, (unsigned)strlen(leads[kind]), text);
        }
    }
}

static void write_text(const struct info *info, struct bs_spool *out)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bs_table table;
    char name[256];
    bs_spool_printf(
        out, "trace     %s\n",
        bs_screen_shorten(bs_trace_name(info->trace), screen.width - 10, name, sizeof name));
    bs_spool_printf(out, "launches  %llu\n", (unsigned long long)info->all.launches);
    bs_spool_printf(out, "records   %llu\n", (unsigned long long)info->all.records);
    if (left_out(info))
        bs_spool_printf(out, "left out  %llu by the filters\n", (unsigned long long)left_out(info));
    write_remarks(info, &screen, out);
    bs_spool_text(out, "\n");
    bs_table_begin(&table, BS_TEXT, kernel_columns, COLUMNS, out);
    write_kernels(info, &table);
    bs_spool_free(&table.cells);
    bs_spool_text(out, "\n");
    bs_table_begin(&table, BS_TEXT, op_columns, COLUMNS, out);
    write_ops(info, &table);
    bs_spool_free(&table.cells);
    bs_spool_text(out, "\n");
    bs_screen_wrap(&screen, out, 0,
                   "full: records in which the lanes 0 to 31 are all active, or more; partial: "
                   "some lanes. low, high: the bytes of shared memory between which the "
                   "addresses lie.");
    bs_imports_text(bs_trace_import(info->trace), out);
}

static enum bs_status inform(const struct info_options *options, const char *path)
{
    enum bs_status status;
    struct bs_spool out = {0};
    struct info info = {.options = options, .all = nothing, .launch = UINT64_MAX};
    info.trace = bs_reading_open(path, &options->reading, &status);
    if (!info.trace)
        return status;
    for (unsigned i = 0; i < BS_OPS; i++)
        info.ops[i] = nothing;
    bs_trace_filter(info.trace, &options->filter);
    status = count_all(&info);
    if (status == BS_OK) {
        if (options->format == BS_TREE_JSON)
            write_json(&info, &out);
        else
            write_text(&info, &out);
        status = bs_spool_print(&out);
    }
    bs_names_free(&info.names);
    free(info.kernels);
    bs_trace_close(info.trace);
    return status;
}

/* ---- the verb ------------------------------------------------------------------------------- */

static enum bs_status start(const struct bs_verb *verb, struct info_options *options, int count,
                            char **words)
{
    struct bs_error error;
    if (count != 1)
        return bs_usage_error(verb, "expected one trace, found %d", count);
    if (!bs_filter_of_words(verb, &options->words, &options->filter))
        return BS_USAGE;
    if (!bs_reading_bind(&options->bound, &options->lets, &options->reading, &error))
        return bs_complain(&error);
    return inform(options, words[0]);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct info_options options = {0};
    struct bs_option table[BS_MAX_OPTIONS];
    int operand;
    enum bs_status status;
    size_t count = 0;
    table[count++] = bs_option_tree_format(&options.format);
    count += bs_filter_option_table(&options.words, table + count);
    table[count++] = bs_option_let(&options.lets);
    count += bs_import_option_table(&options.reading, table + count);
    if (bs_options_parse(verb, table, count, argc, argv, &operand, &status))
        status = start(verb, &options, argc - operand, argv + operand);
    bs_words_free(&options.lets);
    return status;
}

const struct bs_verb bs_verb_info = {
    .name = "info",
    .summary = "what a trace holds",
    .usage = "[OPTION]... TRACE|-",
    .about = "Reads a trace and says which kernels and ops are in it: how many records, which "
             "lanes are active, and where in shared memory they go. No device model is needed.\n",
    .examples = "  bankshot info kernel.trace.xz\n"
                "  bankshot info --op 'atom.*' kernel.bst\n"
                "  bankshot info --format json kernel.bst | jq '.ops[].op'\n",
    .run = run,
};
