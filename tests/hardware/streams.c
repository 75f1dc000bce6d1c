/* See streams.h. */
#include "streams.h"

#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROOM = 2048 };

/* ---- code ------------------------------------------------------------------------------------ */

/* h200-streams.txt: three runs, each in code of its own that ran for the first time. All results
 * were there when the clock of the second was read, those of the first warp at that of the third.
 */
static struct loop cold_code(void)
{
    return (struct loop){.unrolled = 16,
                         .join = BS_JOIN_RESULTS,
                         .gap = LOOP_BRANCH,
                         .before = BS_JOIN_NONE,
                         .pause = LOOP_PAUSE,
                         .runs = {{64, BS_JOIN_NONE}, {64, BS_JOIN_RESULTS}, {128, BS_JOIN_NONE}},
                         .clock = CLOCK_BEFORE_BARRIER};
}

/* h200-warm-streams.tsv: the same code for all runs, nothing in the queues before and after. */
static struct loop warm_code(bool loads)
{
    return (struct loop){
        .unrolled = 16,
        .join = loads ? BS_JOIN_RESULTS : BS_JOIN_NONE,
        .gap = LOOP_BRANCH,
        .before = BS_JOIN_RESULTS,
        .runs = {{16, BS_JOIN_RESULTS}, {64, BS_JOIN_RESULTS}, {192, BS_JOIN_RESULTS}},
        .clock = CLOCK_AT_BARRIER};
}

/* Lets the warps of a mask run. */
static void choose(struct stream *stream, uint32_t mask)
{
    assert_true(mask > 0 && mask <= 0xffff);
    stream->mask = mask;
    for (uint32_t w = 0; w < LOOP_WARPS; w++) {
        stream->loop.idle[w] = !(mask >> w & 1);
        if (mask >> w & 1)
            stream->loop.warps = w + 1;
    }
}

/* Adds a step to the loop of every warp, so many times. */
static void add(struct loop *loop, struct bs_instruction step, unsigned times)
{
    for (unsigned i = 0; i < times; i++, loop->count++) {
        assert_true(loop->count < LOOP_STEPS);
        for (unsigned w = 0; w < LOOP_WARPS; w++)
            loop->steps[w][loop->count] = step;
    }
}

/* Adds stores, the first so many of which write the zero register. */
static void add_stores(struct loop *loop, struct bs_instruction step, unsigned times,
                       unsigned without_data)
{
    struct bs_instruction zero = step;
    zero.no_data = true;
    add(loop, zero, without_data);
    add(loop, step, times - without_data);
}

/* ---- h200-streams.txt ------------------------------------------------------------------------ */

/* The number behind a word of the line. */
static double number_after(const char *line, const char *word)
{
    const char *at = strstr(line, word);
    char *end;
    if (!at)
        fail_msg("no '%s' in: %s", word, line);
    const double value = strtod(at + strlen(word), &end);
    assert_true(end > at + strlen(word));
    return value;
}

static unsigned count_after(const char *line, const char *word)
{
    return (unsigned)number_after(line, word);
}

/* "mix 6ld2st warps 1 ls 1 ss 8 cycles_per_iter_warp 44.66": the i-th store wrote the number i. */
static void read_mixed(const char *line, struct stream *stream)
{
    const unsigned warps = count_after(line, " warps ");
    stream->kind = STREAM_MIXED;
    stream->cycles = number_after(line, " cycles_per_iter_warp ") * warps;
    choose(stream, UINT32_MAX >> (32 - warps));
    add(&stream->loop, loop_step("ld.b32", count_after(line, " ls ")), count_after(line, "mix "));
    add_stores(&stream->loop, loop_step("st.b32", count_after(line, " ss ")),
               count_after(line, "ld"), 1);
}

/* "sched mask 5 stride 2 cycles_per_instr_all 2.090" */
static void read_chosen(const char *line, struct stream *stream)
{
    uint64_t mask;
    const char *text = strstr(line, " mask ") + strlen(" mask ");
    if (!bs_hex_parse(text, strcspn(text, " "), 0xffff, &mask))
        fail_msg("no mask in: %s", line);
    stream->kind = STREAM_CHOSEN;
    choose(stream, (uint32_t)mask);
    add(&stream->loop, loop_step("ld.b32", count_after(line, " stride ")), LOOP_STEPS);
    stream->cycles = 0;
    for (unsigned w = 0; w < LOOP_WARPS; w++)
        stream->cycles += stream->loop.idle[w] ? 0 : LOOP_STEPS;
    stream->cycles *= number_after(line, " cycles_per_instr_all ");
}

/* "bar threads 64 ls 8 ss 1 cycles_per_iter 73.64" */
static void read_barrier(const char *line, struct stream *stream)
{
    stream->kind = STREAM_BARRIER;
    stream->cycles = number_after(line, " cycles_per_iter ");
    stream->loop.join = BS_JOIN_NONE;
    choose(stream, UINT32_MAX >> (32 - count_after(line, " threads ") / 32));
    add(&stream->loop, loop_step("st.b32", count_after(line, " ss ")), 1);
    add(&stream->loop, loop_step("bar", 0), 1);
    add(&stream->loop, loop_step("ld.b32", count_after(line, " ls ")), 1);
    add(&stream->loop, loop_step("bar", 0), 1);
}

static void read_cold(struct stream *list, unsigned *count)
{
    static const struct {
        const char *word;
        void (*read)(const char *line, struct stream *stream);
    } kinds[] = {{"mix ", read_mixed}, {"sched ", read_chosen}, {"bar ", read_barrier}};
    char line[128];
    FILE *file = fopen(BANKSHOT_HARDWARE_FOLDER "/h200-streams.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if (strncmp(line, kinds[k].word, strlen(kinds[k].word)) != 0)
                continue;
            assert_true(*count < ROOM);
            struct stream *stream = &list[(*count)++];
            *stream = (struct stream){.loop = cold_code()};
            line[strcspn(line, "\n")] = '\0';
            snprintf(stream->text, sizeof stream->text, "%s", line);
            kinds[k].read(line, stream);
        }
    fclose(file);
}

/* ---- h200-warm-streams.tsv ------------------------------------------------------------------- */

static void read_warm(const struct rows *rows, struct stream *stream)
{
    enum { MASK, OP, TIMES, SLOTS, THEN, THEN_TIMES, THEN_SLOTS, WITHOUT_DATA, CYCLES };
    const bool two = strcmp(rows->field[THEN], "-") != 0;
    const unsigned without_data = (unsigned)row_number(rows, WITHOUT_DATA);
    *stream = (struct stream){.kind = STREAM_WARM,
                              .cycles = row_number(rows, CYCLES),
                              .loop = warm_code(row_op(rows, OP).kind == BS_LD)};
    for (unsigned f = 0; f < CYCLES; f++) {
        const size_t used = strlen(stream->text);
        snprintf(stream->text + used, sizeof stream->text - used, "%s ", rows->field[f]);
    }
    choose(stream, (uint32_t)row_mask(rows, MASK));
    add_stores(&stream->loop, loop_step(rows->field[OP], (uint32_t)row_number(rows, SLOTS)),
               (unsigned)row_number(rows, TIMES), two ? 0 : without_data);
    if (two)
        add_stores(&stream->loop,
                   loop_step(rows->field[THEN], (uint32_t)row_number(rows, THEN_SLOTS)),
                   (unsigned)row_number(rows, THEN_TIMES), without_data);
}

/* ---- h200-long-streams.tsv ------------------------------------------------------------------- */

/* Whether the warps of two streams repeat the same accesses. */
static bool repeat_the_same(const struct stream *a, const struct stream *b)
{
    bool same = a->mask == b->mask && a->loop.count == b->loop.count;
    for (uint32_t i = 0; same && i < a->loop.count; i++)
        same = a->loop.steps[0][i].op.kind == b->loop.steps[0][i].op.kind &&
               a->loop.steps[0][i].slots == b->loop.steps[0][i].slots;
    return same;
}

/* The engine's warps are in their rhythm sooner, or in one that lasts: it needs fewer iterations
 * than the machine made. */
static uint32_t enough_iterations(uint32_t warps)
{
    return warps > 4 ? 64 : 256;
}

/* A row holds the time of the long runs, and the range of all times of the short ones, which
 * belongs to the mixed stream of list. */
static void read_long(const struct rows *rows, struct stream *stream, struct stream *list)
{
    enum { LOADS, STORES, WARPS, LOAD_SLOTS, STORE_SLOTS, LOWEST, HIGHEST, LONG };
    struct stream *mixed = list;
    *stream =
        (struct stream){.kind = STREAM_LONG, .cycles = row_number(rows, LONG), .loop = cold_code()};
    snprintf(stream->text, sizeof stream->text, "%s loads %s stores %s warps slots %s %s",
             rows->field[LOADS], rows->field[STORES], rows->field[WARPS], rows->field[LOAD_SLOTS],
             rows->field[STORE_SLOTS]);
    choose(stream, UINT32_MAX >> (32 - (unsigned)row_number(rows, WARPS)));
    add(&stream->loop, loop_step("ld.b32", (uint32_t)row_number(rows, LOAD_SLOTS)),
        (unsigned)row_number(rows, LOADS));
    add_stores(&stream->loop, loop_step("st.b32", (uint32_t)row_number(rows, STORE_SLOTS)),
               (unsigned)row_number(rows, STORES), 1);
    for (unsigned r = 0; r < LOOP_RUNS; r++)
        stream->loop.runs[r].iterations =
            enough_iterations(stream->loop.warps) * (r == LOOP_RUNS - 1 ? 2 : 1);
    while (mixed < stream && !(mixed->kind == STREAM_MIXED && repeat_the_same(mixed, stream)))
        mixed++;
    assert_true(mixed < stream);
    mixed->lowest = row_number(rows, LOWEST);
    mixed->highest = row_number(rows, HIGHEST);
}

/* ---- h200-mixed-lengths.tsv ------------------------------------------------------------------ */

/* Warp w's long load is the one at -w * rotate. */
static void read_lengths(const struct rows *rows, struct stream *stream)
{
    enum { MASK, LONG, SHORT, ROTATE, CYCLES };
    const uint32_t rotate = (uint32_t)row_number(rows, ROTATE);
    *stream = (struct stream){
        .kind = STREAM_LENGTHS, .cycles = row_number(rows, CYCLES), .loop = warm_code(true)};
    snprintf(stream->text, sizeof stream->text, "%s %s among %s rotate %s", rows->field[MASK],
             rows->field[LONG], rows->field[SHORT], rows->field[ROTATE]);
    choose(stream, (uint32_t)row_mask(rows, MASK));
    add(&stream->loop, loop_step("ld.b32", (uint32_t)row_number(rows, SHORT)), LOOP_STEPS);
    for (uint32_t w = 0; w < stream->loop.warps; w++)
        stream->loop.steps[w][(LOOP_STEPS * w - w * rotate) % LOOP_STEPS].slots =
            (uint32_t)row_number(rows, LONG);
}

/* ---- h200-late-starts.tsv -------------------------------------------------------------------- */

static void read_late(const struct rows *rows, struct stream *stream)
{
    enum { SLOTS, TOGETHER, LOWEST, HIGHEST };
    *stream = (struct stream){.kind = STREAM_LATE,
                              .cycles = row_number(rows, TOGETHER),
                              .lowest = row_number(rows, LOWEST),
                              .highest = row_number(rows, HIGHEST),
                              .loop = warm_code(true)};
    snprintf(stream->text, sizeof stream->text, "8 loads of %s", rows->field[SLOTS]);
    choose(stream, 0x11);
    add(&stream->loop, loop_step("ld.b32", (uint32_t)row_number(rows, SLOTS)), LOOP_STEPS);
}

struct stream *streams_read(unsigned *count)
{
    struct stream *list = calloc(ROOM, sizeof *list);
    struct rows rows;
    assert_non_null(list);
    *count = 0;
    read_cold(list, count);
    rows_open(&rows, "h200-warm-streams.tsv.xz");
    while (rows_next(&rows)) {
        assert_true(*count < ROOM);
        read_warm(&rows, &list[(*count)++]);
    }
    rows_close(&rows);
    rows_open(&rows, "h200-long-streams.tsv");
    while (rows_next(&rows)) {
        assert_true(*count < ROOM);
        read_long(&rows, &list[*count], list);
        ++*count;
    }
    rows_close(&rows);
    rows_open(&rows, "h200-mixed-lengths.tsv");
    while (rows_next(&rows)) {
        assert_true(*count < ROOM);
        read_lengths(&rows, &list[(*count)++]);
    }
    rows_close(&rows);
    rows_open(&rows, "h200-late-starts.tsv");
    while (rows_next(&rows)) {
        assert_true(*count < ROOM);
        read_late(&rows, &list[(*count)++]);
    }
    rows_close(&rows);
    return list;
}

bool stream_falls_out_of_step(const struct stream *stream)
{
    static const uint32_t masks[] = {0x7, 0xb, 0xd, 0xe, 0x11};
    for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++)
        if (stream->mask == masks[i])
            return true;
    return false;
}
