/* The account of traces of other tools: one table of counters makes the sum, the text and the JSON.
 */
#include "imports.h"

#include "screen.h"

#include <stddef.h>
#include <string.h>

struct counter {
    const char *name; /* in JSON */
    const char *text;
    size_t offset;
    bool always; /* in text also when it is 0 */
};

#define WHAT(member, text, always)                                                                 \
    {                                                                                              \
#member, text, offsetof(struct bs_import, member), always                                  \
    }

static const struct counter counters[] = {
    WHAT(lines, "lines read", true),
    WHAT(shared, "accesses to shared memory: replayed", true),
    WHAT(barriers, "barriers: replayed", false),
    WHAT(global, "accesses to global or local memory: left out", true),
    WHAT(inactive, "instructions without an active lane: left out, they cost nothing", true),
    WHAT(unreplayable,
         "async copies (LDGSTS) that cannot be replayed: their shared-memory addresses are not in "
         "the trace",
         true),
    WHAT(skipped, "malformed lines: skipped", true),
    WHAT(other, "other instructions and lines: left out", false),
    WHAT(transfers, "copies between host and device: left out", false),
    WHAT(mixed, "replayed accesses of which some lanes went to global memory and were left out",
         false),
    WHAT(zeros,
         "replayed or inactive accesses with addresses 0, which may be inactive lanes or the "
         "offset 0: see --zero-is-offset",
         false),
    WHAT(odd_headers, "launches with sizes in their header that cannot be right: taken as unknown",
         false),
};
enum { COUNTERS = sizeof counters / sizeof *counters };

static uint64_t counter_of(const struct bs_import *import, const struct counter *counter)
{
    uint64_t value;
    memcpy(&value, (const char *)import + counter->offset, sizeof value);
    return value;
}

const char *bs_import_counter_name(size_t number)
{
    return number < COUNTERS ? counters[number].name : NULL;
}

void bs_import_set_counter(struct bs_import *import, size_t number, uint64_t value)
{
    memcpy((char *)import + counters[number].offset, &value, sizeof value);
}

/* ---- options --------------------------------------------------------------------------------- */

size_t bs_import_option_table(struct bs_trace_options *options, struct bs_option *table)
{
    size_t count = 0;
    table[count++] = (struct bs_option){
        .name = "skip-bad",
        .help = "in traces of other tools, count malformed lines instead of stopping at the first",
        .kind = BS_OPTION_FLAG,
        .target = &options->skip_bad,
    };
    table[count++] = (struct bs_option){
        .name = "zero-is-offset",
        .help = "in NVBit's output, take the address 0 as the offset 0, not as an inactive lane",
        .kind = BS_OPTION_FLAG,
        .target = &options->zero_is_offset,
    };
    return count;
}

/* ---- sums ------------------------------------------------------------------------------------ */

static void add_unpriced(struct bs_import *sum, const struct bs_unpriced *unpriced)
{
    for (size_t i = 0; i < sum->unpriced_count; i++) {
        if (strcmp(sum->unpriced[i].name, unpriced->name) == 0) {
            sum->unpriced[i].count += unpriced->count;
            return;
        }
    }
    if (sum->unpriced_count < BS_MAX_UNPRICED)
        sum->unpriced[sum->unpriced_count++] = *unpriced;
    else
        sum->unpriced_rest += unpriced->count;
}

void bs_imports_add(struct bs_import *sum, const struct bs_import *import)
{
    if (!import->format)
        return;
    sum->format = !sum->format || sum->format == import->format ? import->format : "other tools";
    for (size_t i = 0; i < COUNTERS; i++) {
        const uint64_t value = counter_of(sum, &counters[i]) + counter_of(import, &counters[i]);
        memcpy((char *)sum + counters[i].offset, &value, sizeof value);
    }
    for (size_t i = 0; i < import->unpriced_count; i++)
        add_unpriced(sum, &import->unpriced[i]);
    sum->unpriced_rest += import->unpriced_rest;
}

/* ---- output ---------------------------------------------------------------------------------- */

static void write_count(const struct bs_screen *screen, struct bs_spool *out, uint64_t count,
                        const char *text)
{
    enum { INDENT = 13 };
    bs_spool_printf(out, "%11llu  ", (unsigned long long)count);
    bs_screen_wrap(screen, out, INDENT, text);
}

static void write_account(const struct bs_import *import, struct bs_spool *out, enum bs_tone tone)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    char text[sizeof import->unpriced->name + 64];
    if (!import->format)
        return;
    bs_spool_text(out, "\n");
    bs_screen_tone(&screen, out, tone, "What was taken from the trace");
    bs_spool_text(out, " (");
    bs_spool_printable(out, import->format, strlen(import->format));
    bs_spool_text(out, ")\n");
    for (size_t i = 0; i < COUNTERS; i++)
        if (counters[i].always || counter_of(import, &counters[i]))
            write_count(&screen, out, counter_of(import, &counters[i]), counters[i].text);
    for (size_t i = 0; i < import->unpriced_count; i++) {
        snprintf(text, sizeof text, "%s: not priced, there is no op for it",
                 import->unpriced[i].name);
        write_count(&screen, out, import->unpriced[i].count, text);
    }
    if (import->unpriced_rest)
        write_count(&screen, out, import->unpriced_rest, "further instructions: not priced");
}

void bs_imports_text(const struct bs_import *import, struct bs_spool *out)
{
    write_account(import, out, BS_BOLD);
}

void bs_imports_json(const struct bs_import *import, struct bs_json *json)
{
    if (!import->format)
        return;
    bs_json_map(json, "import", BS_JSON_TALL);
    bs_json_text(json, "format", import->format);
    for (size_t i = 0; i < COUNTERS; i++)
        bs_json_number(json, counters[i].name, counter_of(import, &counters[i]));
    bs_json_map(json, "not_priced", BS_JSON_TALL);
    for (size_t i = 0; i < import->unpriced_count; i++)
        bs_json_number(json, import->unpriced[i].name, import->unpriced[i].count);
    if (import->unpriced_rest)
        bs_json_number(json, "others", import->unpriced_rest);
    bs_json_close(json);
    bs_json_close(json);
}

void bs_imports_tell(const struct bs_import *import)
{
    struct bs_spool out = {0};
    write_account(import, &out, BS_PLAIN);
    if (out.memory.size > 0)
        fwrite(out.memory.data, 1, out.memory.size, stderr);
    bs_spool_free(&out);
}
