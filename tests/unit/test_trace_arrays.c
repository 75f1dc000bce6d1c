/* What arrays does a search take the addresses of a trace for? */
#include "command/trace_arrays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers --------------------------------------------------------------------------------- */

static struct bs_trace_arrays *make(void)
{
    struct bs_trace_arrays *arrays = calloc(1, sizeof *arrays);
    assert_non_null(arrays);
    return arrays;
}

static void end(struct bs_trace_arrays *arrays)
{
    bs_trace_arrays_free(arrays);
    free(arrays);
}

/* Adds a warp whose lane t goes to base + t % wrap * step + t / wrap * next. */
static void add(struct bs_trace_arrays *arrays, uint64_t pc, const char *op, uint32_t base,
                uint32_t wrap, uint32_t step, uint32_t next)
{
    uint32_t addr[BS_MAX_LANES];
    struct bs_access access = {.mask = UINT32_MAX, .addr = addr, .pc = pc};
    struct bs_error error = {.text = ""};
    assert_true(bs_op_parse(op, strlen(op), &access.op));
    for (uint32_t t = 0; t < 32; t++)
        addr[t] = base + t % wrap * step + t / wrap * next;
    if (!bs_trace_arrays_add(arrays, &access, NULL, &error))
        fail_msg("expected the record to be taken, found '%s'", error.text);
}

static void finish(struct bs_trace_arrays *arrays, uint32_t pitch)
{
    struct bs_error error = {.text = ""};
    if (!bs_trace_arrays_finish(arrays, pitch, &error))
        fail_msg("expected arrays, found '%s'", error.text);
}

static void check(const struct bs_trace_arrays *arrays, size_t number, uint32_t base,
                  uint32_t element, uint32_t rows, uint32_t columns, uint32_t pitch)
{
    const struct bs_layout *layout = &arrays->arrays[number].layout;
    char found[512];
    bs_trace_arrays_text(arrays, number, found, sizeof found);
    if (layout->base != base || layout->element != element || layout->rows != rows ||
        layout->columns != columns || layout->pitch != pitch)
        fail_msg("array %zu: expected %u rows of %u elements of %u bytes from 0x%x on, pitch %u; "
                 "found %u of %u of %u from 0x%x on, pitch %u (%s)",
                 number, rows, columns, element, base, pitch, layout->rows, layout->columns,
                 layout->element, layout->base, layout->pitch, found);
}

/* Whether pricing under the recovered layout sends each lane where the record sent it. */
static void check_addresses(const struct bs_trace_arrays *arrays, size_t access, uint32_t base,
                            uint32_t step)
{
    const struct bs_work *work = &arrays->work;
    const struct bs_layout *layout = &arrays->arrays[arrays->accesses[access].array].layout;
    const struct bs_visit *visit = &work->visits[work->first[access]].visit;
    const struct bs_issue issue = {.op = arrays->accesses[access].wish, .count = 1};
    uint32_t addr[BS_MAX_LANES];
    bs_issue_addresses(&issue, layout, visit, 0, addr);
    for (uint32_t t = 0; t < 32; t++)
        assert_int_equal(addr[t], base + t * step);
}

/* ---- tests ----------------------------------------------------------------------------------- */

static void is_a_padded_tile_told_from_a_flat_one(void **state)
{
    (void)state;
    for (uint32_t pitch = 128; pitch <= 144; pitch += 4) {
        struct bs_trace_arrays *arrays = make();
        for (uint32_t j = 0; j < 32; j++) {
            add(arrays, 0x10, "st.b32", 0x400 + j * pitch, 32, 4, 0);
            add(arrays, 0x20, "ld.b32", 0x400 + j * 4, 32, pitch, 0);
        }
        finish(arrays, 0);
        assert_int_equal(arrays->work.array_count, 1);
        check(arrays, 0, 0x400, 4, 32, 32, pitch / 4);
        check_addresses(arrays, 1, 0x400, pitch);
        end(arrays);
    }
}

static void are_ranges_that_no_instruction_shares_arrays_of_their_own(void **state)
{
    struct bs_trace_arrays *arrays = make();
    (void)state;
    add(arrays, 0x10, "st.b32", 0x400, 16, 4, 64);
    add(arrays, 0x20, "st.b32", 0x480, 16, 4, 64);
    add(arrays, 0x30, "st.b64", 0x500, 32, 8, 0);
    add(arrays, 0x40, "ld.b32", 0x440, 16, 4, 64); /* joins the first two */
    add(arrays, 0x50, "ld.b32", 0x504, 32, 8, 0);
    finish(arrays, 0);
    assert_int_equal(arrays->work.array_count, 2);
    assert_int_equal(arrays->accesses[0].array, 0);
    assert_int_equal(arrays->accesses[1].array, 0);
    assert_int_equal(arrays->accesses[3].array, 0);
    assert_int_equal(arrays->accesses[2].array, 1);
    assert_int_equal(arrays->arrays[1].layout.element, 4);
    assert_int_equal(arrays->accesses[2].vector, 2);
    end(arrays);
}

static void are_rows_found_where_lanes_wrap(void **state)
{
    struct bs_trace_arrays *arrays = make();
    (void)state;
    for (uint32_t i = 0; i < 16; i++)
        add(arrays, 0x10, "ld.b32", i * 4, 16, 80, 0); /* 16 rows, each twice */
    finish(arrays, 0);
    check(arrays, 0, 0, 4, 16, 16, 20);
    end(arrays);
}

static void are_rows_of_a_block_narrower_than_a_warp_found(void **state)
{
    static const uint32_t first[] = {76, 72, 80, 4, 148}; /* of a stencil: t[18][18], 16 x 16 */
    (void)state;
    struct bs_trace_arrays *arrays = make();
    arrays->block_x = 16;
    for (uint32_t i = 0; i < 5; i++)
        for (uint32_t warp = 0; warp < 8; warp++)
            add(arrays, i, "ld.b32", 0x400 + warp * 144 + first[i], 16, 4, 72);
    finish(arrays, 0);
    check(arrays, 0, 0x404, 4, 18, 18, 18);
    end(arrays);
    arrays = make(); /* a product of tiles: [ty][k] and [k][tx] */
    arrays->block_x = 16;
    for (uint32_t k = 0; k < 16; k++)
        for (uint32_t warp = 0; warp < 8; warp++) {
            add(arrays, 0x10, "ld.b32", k * 4 + warp * 128, 16, 0, 64);
            add(arrays, 0x20, "ld.b32", 0x400 + k * 64, 16, 4, 0);
        }
    finish(arrays, 0);
    check(arrays, 0, 0, 4, 16, 16, 16);
    check(arrays, 1, 0x400, 4, 1, 256, 256);
    end(arrays);
}

static void is_nothing_recovered_where_lanes_contradict_each_other(void **state)
{
    struct bs_trace_arrays *arrays = make();
    (void)state;
    for (uint32_t i = 0; i < 8; i++)
        add(arrays, 0x10, "ld.b32", 0, 16, 4, 72);
    add(arrays, 0x20, "ld.b32", 0, 16, 4, 100);
    finish(arrays, 0);
    assert_true(arrays->rows[0].in_doubt);
    assert_int_equal(arrays->arrays[0].layout.rows, 1);
    end(arrays);
}

static void is_an_array_without_a_common_distance_one_row(void **state)
{
    struct bs_trace_arrays *arrays = make();
    (void)state;
    for (uint32_t d = 8; d <= 32; d *= 2)
        add(arrays, d, "ld.b32", 0, 32, d, 0);
    finish(arrays, 0);
    check(arrays, 0, 0, 4, 1, 249, 249);
    end(arrays);
}

static void does_a_given_pitch_win_if_accesses_stay_whole(void **state)
{
    struct bs_trace_arrays *arrays = make();
    struct bs_error error;
    (void)state;
    add(arrays, 0x10, "ld.b32", 0, 32, 128, 0);
    finish(arrays, 256);
    check(arrays, 0, 0, 4, 16, 33, 64);
    end(arrays);
    arrays = make();
    add(arrays, 0x10, "ld.b64", 0, 32, 8, 0);
    add(arrays, 0x20, "ld.b32", 0, 32, 4, 0);
    assert_false(bs_trace_arrays_finish(arrays, 12, &error));
    assert_int_equal(error.status, BS_USAGE);
    end(arrays);
}

static void is_a_record_that_cannot_be_moved_refused(void **state)
{
    struct bs_trace_arrays *arrays = make();
    struct bs_error error;
    const uint32_t addr[BS_MAX_LANES] = {2};
    struct bs_access access = {.mask = 1, .addr = addr};
    (void)state;
    assert_true(bs_op_parse("ld.b32", 6, &access.op));
    assert_false(bs_trace_arrays_add(arrays, &access, NULL, &error));
    assert_int_equal(error.status, BS_BAD_TRACE);
    assert_true(bs_op_parse("ld.b96", 6, &access.op));
    assert_false(bs_trace_arrays_add(arrays, &access, NULL, &error));
    assert_true(bs_op_parse("bar", 3, &access.op));
    assert_true(bs_trace_arrays_add(arrays, &access, NULL, &error));
    end(arrays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_a_padded_tile_told_from_a_flat_one),
        cmocka_unit_test(are_ranges_that_no_instruction_shares_arrays_of_their_own),
        cmocka_unit_test(are_rows_found_where_lanes_wrap),
        cmocka_unit_test(are_rows_of_a_block_narrower_than_a_warp_found),
        cmocka_unit_test(is_nothing_recovered_where_lanes_contradict_each_other),
        cmocka_unit_test(is_an_array_without_a_common_distance_one_row),
        cmocka_unit_test(does_a_given_pitch_win_if_accesses_stay_whole),
        cmocka_unit_test(is_a_record_that_cannot_be_moved_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
