/* See loops.h. */
#include "loops.h"

#include "rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- running --------------------------------------------------------------------------------- */

/* Room for one warp's unrolled loop. */
struct unrolled {
    struct bs_instruction steps[LOOP_LONG * LOOP_STEPS];
    struct bs_instruction_time times[LOOP_LONG * LOOP_STEPS];
};

static uint64_t cycles_of(const struct bs_timing *timing, const struct loop *loop,
                          uint32_t iterations, struct unrolled *rooms)
{
    struct bs_program programs[LOOP_WARPS];
    struct bs_engine engine;
    struct bs_error error;
    for (uint32_t w = 0; w < loop->warps; w++) {
        const uint32_t count = iterations * loop->count;
        for (uint32_t i = 0; i < count; i++) {
            rooms[w].steps[i] = loop->steps[w][i % loop->count];
            if (rooms[w].steps[i].dep > i)
                rooms[w].steps[i].dep = 0;
        }
        programs[w] = (struct bs_program){0, count, rooms[w].steps, rooms[w].times};
    }
    if (!bs_engine_init(&engine, timing, programs, loop->warps, 0, &error) ||
        !bs_engine_run(&engine, &error))
        fail_msg("%s", error.text);
    return engine.end;
}

double loop_cycles(const struct bs_timing *timing, const struct loop *loop)
{
    struct unrolled *rooms = calloc(loop->warps, sizeof *rooms);
    assert_non_null(rooms);
    const uint64_t all = cycles_of(timing, loop, LOOP_LONG, rooms);
    const uint64_t few = cycles_of(timing, loop, LOOP_SHORT, rooms);
    free(rooms);
    return (double)(all - few) / (LOOP_LONG - LOOP_SHORT);
}

struct bs_instruction loop_step(const char *name, uint32_t slots, uint32_t dep)
{
    struct bs_instruction step = {.slots = slots, .dep = dep};
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
    sequence->loop.warps = (uint32_t)row_number(rows, WARPS);
    sequence->loop.count = LOOP_STEPS;
    assert_true(sequence->loop.warps <= LOOP_WARPS);
    for (unsigned w = 0; w < sequence->loop.warps; w++)
        for (unsigned i = 0; i < LOOP_STEPS; i++)
            sequence->loop.steps[w][i] = (struct bs_instruction){
                .op = sequence->op,
                .slots = slots[(i + w * rotate) % LOOP_STEPS],
                .dep = sequence->dep,
            };
}

struct sequence *sequences_read(const struct bs_model *model, unsigned *count)
{
    enum { ROOM = 2048 };
    struct sequence *list = calloc(ROOM, sizeof *list);
    struct rows rows;
    assert_non_null(list);
    rows_open(&rows, "h200-sequences.tsv.xz");
    for (*count = 0; rows_next(&rows); ++*count) {
        assert_true(*count < ROOM);
        read_sequence(model, &rows, &list[*count]);
    }
    rows_close(&rows);
    return list;
}
