/* See loops.h. */
#include "loops.h"

#include "rows.h"

#include <stdint.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- running --------------------------------------------------------------------------------- */

/* One warp's program: its runs one after the other. */
struct warp {
    struct bs_instruction *steps;
    struct bs_instruction_time *times;
    uint32_t count;
    uint32_t barrier[2 * LOOP_RUNS]; /* steps before and after each run */
};

static void add_barrier(struct warp *warp, unsigned index, uint8_t join, uint16_t gap)
{
    struct bs_instruction bar = loop_step("bar", 0);
    bar.join = join;
    bar.gap = gap;
    warp->barrier[index] = warp->count;
    warp->steps[warp->count++] = bar;
}

static void add_run(struct warp *warp, const struct loop *loop, unsigned w, uint32_t iterations)
{
    for (uint32_t i = 0; i < iterations * loop->count; i++) {
        struct bs_instruction *step = &warp->steps[warp->count++];
        *step = loop->steps[w][i % loop->count];
        if (i % (loop->unrolled * loop->count) == 0) {
            step->join = loop->join;
            step->gap = i ? loop->gap : loop->late[w];
        }
    }
}

static void unroll(struct warp *warp, const struct loop *loop, unsigned w)
{
    uint32_t room = 2 * LOOP_RUNS;
    for (unsigned r = 0; r < LOOP_RUNS; r++)
        room += loop->runs[r].iterations * loop->count;
    *warp =
        (struct warp){calloc(room, sizeof *warp->steps), calloc(room, sizeof *warp->times), 0, {0}};
    assert_true(warp->steps && warp->times);
    for (unsigned r = 0; r < LOOP_RUNS; r++) {
        add_barrier(warp, 2 * r, loop->before, r ? loop->pause : 0);
        if (!loop->idle[w])
            add_run(warp, loop, w, loop->runs[r].iterations);
        add_barrier(warp, 2 * r + 1, loop->runs[r].join, 0);
    }
}

/* When the first warp read its clock the index-th time. */
static uint64_t clock_at(const struct loop *loop, const struct warp *warp, unsigned index)
{
    const uint32_t barrier = warp->barrier[index];
    uint64_t at = warp->times[barrier].finished;
    if (loop->clock == CLOCK_AT_BARRIER || index % 2 == 0)
        return at;
    at = warp->times[barrier].issued;
    for (uint32_t i = 0; i < barrier; i++)
        if (warp->times[i].finished > at)
            at = warp->times[i].finished;
    return at;
}

double loop_cycles(const struct bs_timing *timing, const struct loop *loop)
{
    struct warp warps[LOOP_WARPS];
    struct bs_program programs[LOOP_WARPS];
    struct bs_engine engine;
    struct bs_error error;
    for (unsigned w = 0; w < loop->warps; w++) {
        unroll(&warps[w], loop, w);
        programs[w] = (struct bs_program){0, warps[w].count, warps[w].steps, warps[w].times};
    }
    if (!bs_engine_init(&engine, timing, programs, loop->warps, 0, &error) ||
        !bs_engine_run(&engine, &error))
        fail_msg("%s", error.text);
    uint64_t clock[2 * LOOP_RUNS];
    for (unsigned i = 0; i < 2 * LOOP_RUNS; i++)
        clock[i] = clock_at(loop, &warps[0], i);
    for (unsigned w = 0; w < loop->warps; w++) {
        free(warps[w].steps);
        free(warps[w].times);
    }
    return (double)(int64_t)(clock[5] - clock[4] - (clock[3] - clock[2])) /
           (loop->runs[2].iterations - loop->runs[1].iterations);
}

struct bs_instruction loop_step(const char *name, uint32_t slots)
{
    struct bs_instruction step = {.slots = slots};
    assert_true(bs_op_parse(name, strlen(name), &step.op));
    return step;
}

/* ---- reading --------------------------------------------------------------------------------- */

static uint32_t number(const struct rows *rows, const char *text, size_t size)
{
    uint64_t value = 0;
    if (!bs_number_parse(text, size, UINT32_MAX, &value))
        fail_msg("row %u: %.*s is no number", rows->line, (int)size, text);
    return (uint32_t)value;
}

/* One part of a pattern: A, or A+S*N. Returns how many addresses it gave. */
static unsigned read_run(const struct rows *rows, const char *text, size_t size, uint32_t *addr)
{
    const char *plus = memchr(text, '+', size);
    if (!plus) {
        addr[0] = number(rows, text, size);
        return 1;
    }
    const char *star = memchr(plus, '*', size - (size_t)(plus - text));
    assert_non_null(star);
    const uint32_t base = number(rows, text, (size_t)(plus - text));
    const uint32_t stride = number(rows, plus + 1, (size_t)(star - plus - 1));
    const uint32_t lanes = number(rows, star + 1, size - (size_t)(star + 1 - text));
    assert_true(lanes <= 32);
    for (uint32_t t = 0; t < lanes; t++)
        addr[t] = base + t * stride;
    return lanes;
}

static void read_pattern(const struct rows *rows, unsigned field, uint32_t addr[32])
{
    const char *text = rows->field[field];
    unsigned lanes = 0;
    while (*text && lanes < 32) {
        const size_t size = strcspn(text, ",");
        lanes += read_run(rows, text, size, addr + lanes);
        text += size + (text[size] == ',');
    }
    assert_int_equal(lanes, 32);
}

/* How the compiler made the loop, read off its machine code. */
static struct loop sequence_code(struct bs_op op, bool dep)
{
    const bool loads = op.kind == BS_LD;
    const bool waits = loads && (dep || op.bytes == 4);
    const uint8_t end = waits || dep ? BS_JOIN_RESULTS : BS_JOIN_NONE;
    return (struct loop){.count = LOOP_STEPS,
                         .unrolled = loads ? 16 : 4,
                         .join = loads && !dep ? BS_JOIN_RESULTS : BS_JOIN_NONE,
                         .gap = LOOP_BRANCH,
                         .before = loads ? BS_JOIN_RESULTS : BS_JOIN_NONE,
                         .clock = dep && (loads || op.kind == BS_ATOM) ? CLOCK_BEFORE_BARRIER
                                                                       : CLOCK_AT_BARRIER,
                         .runs = {{16, end}, {16, end}, {48, end}}};
}

static void read_sequence(const struct bs_model *model, const struct rows *rows,
                          struct sequence *sequence)
{
    enum { OP, WARPS, DEP, ROTATE, ITERATION = 6, PATTERNS };
    uint32_t slots[LOOP_STEPS];
    *sequence = (struct sequence){.op = row_op(rows, OP),
                                  .dep = row_number(rows, DEP) != 0,
                                  .cycles = row_number(rows, ITERATION),
                                  .line = rows->line};
    for (unsigned i = 0; i < LOOP_STEPS; i++) {
        uint32_t addr[32];
        struct bs_cost cost;
        read_pattern(rows, PATTERNS + i, addr);
        const struct bs_access access = {.op = sequence->op, .mask = UINT32_MAX, .addr = addr};
        assert_true(bs_count(model, &access, &cost));
        slots[i] = cost.slots;
    }
    const unsigned rotate = (unsigned)row_number(rows, ROTATE);
    const unsigned warps = (unsigned)row_number(rows, WARPS);
    assert_true(warps <= LOOP_WARPS);
    sequence->loop = sequence_code(sequence->op, sequence->dep);
    sequence->loop.warps = warps;
    for (unsigned w = 0; w < warps; w++)
        for (unsigned i = 0; i < LOOP_STEPS; i++)
            sequence->loop.steps[w][i] = (struct bs_instruction){
                .op = sequence->op,
                .slots = slots[(i + w * rotate) % LOOP_STEPS],
                .dep = sequence->dep,
                .no_data = true,
            };
}

struct sequence *sequences_read(const struct bs_model *model, const char *file, unsigned *count)
{
    enum { ROOM = 2048 };
    struct sequence *list = calloc(ROOM, sizeof *list);
    struct rows rows;
    assert_non_null(list);
    rows_open(&rows, file);
    for (*count = 0; rows_next(&rows); ++*count) {
        assert_true(*count < ROOM);
        read_sequence(model, &rows, &list[*count]);
    }
    rows_close(&rows);
    return list;
}
