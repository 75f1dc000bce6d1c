/* Does a sketch give the warps that its threads form, and the instructions that its layout allows?
 */
#include "sketch.h"
#include "sketch_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers --------------------------------------------------------------------------------- */

/* The visits of a sketch, all in memory. */
struct visits {
    struct bs_visit *list;
    size_t count;
};

static struct visits walk_all(const struct bs_sketch *sketch)
{
    enum { MOST = 4096 };
    struct visits visits = {calloc(MOST, sizeof *visits.list), 0};
    struct bs_walk walk;
    struct bs_error error;
    enum bs_walk_event event;
    assert_non_null(visits.list);
    assert_true(bs_walk_start(&walk, sketch));
    while ((event = bs_walk_next(&walk, &visits.list[visits.count], &error)) == BS_WALK_VISIT) {
        visits.count++;
        assert_true(visits.count < MOST);
    }
    bs_walk_end(&walk);
    assert_int_equal(event, BS_WALK_END);
    return visits;
}

/* A sketch of one access in loops over a line of words. */
static char *one_access(const char *steps)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "sketch: one\nblock: 32\nparams: {n: 8}\n"
             "arrays: {s: {element: 4, size: 4096}}\nsteps:\n%s",
             steps);
    return text;
}

/* ---- warps ----------------------------------------------------------------------------------- */

/* Whatever the shape of a block, its threads are numbered x first, and every 32 are a warp. */
static void test_warps_are_runs_of_threads_in_blocks_of_any_shape(void **state)
{
    static const uint32_t shapes[][3] = {{32, 1, 1},  {100, 1, 1}, {32, 8, 1},
                                         {16, 16, 1}, {8, 32, 1},  {5, 7, 3},
                                         {1, 1, 64},  {3, 1, 33},  {1024, 1, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const uint32_t *b = shapes[i];
        char text[512];
        snprintf(text, sizeof text,
                 "sketch: shape\nblock: [%u, %u, %u]\narrays:\n  s: {element: 4, size: [%u, %u, "
                 "%u]}\nsteps:\n  - ld: s[tz][ty][tx]\n",
                 b[0], b[1], b[2], b[2], b[1], b[0]);
        struct bs_sketch *sketch = good_sketch(text, NULL, 0);
        struct visits visits = walk_all(sketch);
        const uint32_t threads = b[0] * b[1] * b[2];
        assert_int_equal(visits.count, (threads + 31) / 32);
        for (uint32_t t = 0; t < threads; t++) {
            const struct bs_visit *visit = &visits.list[t / 32];
            assert_int_equal(visit->warp, t / 32);
            assert_true(visit->mask >> t % 32 & 1);
            assert_int_equal(visit->row[t % 32], t / b[0]);
            assert_int_equal(visit->column[t % 32], t % b[0]);
        }
        const uint64_t last = visits.list[visits.count - 1].mask;
        assert_int_equal(last, threads % 32 ? (1u << threads % 32) - 1 : UINT32_MAX);
        free(visits.list);
        bs_sketch_free(sketch);
    }
}

/* ---- loops, guards and lets ------------------------------------------------------------------ */

static void test_loops_run_as_in_c(void **state)
{
    static const struct {
        const char *head;
        size_t count;
        uint32_t columns[8];
    } loops[] = {
        {"j = 0; j < 3; j++", 3, {0, 1, 2}},
        {"j = 3; j > 0; j--", 3, {3, 2, 1}},
        {"j = 0; j < 3; ++j", 3, {0, 1, 2}},
        {"j = 3; j > 0; --j", 3, {3, 2, 1}},
        {"j = 1; j < 9; j *= 2", 4, {1, 2, 4, 8}},
        {"j = n; j > 0; j >>= 1", 4, {8, 4, 2, 1}},
        {"j = 1; j < n; j <<= 1 + 1", 2, {1, 4}},
        {"j = 9; j; j /= 2", 4, {9, 4, 2, 1}},
        {"j = 5; j >= 0; j -= 2", 3, {5, 3, 1}},
        {"j = 0; j < 5; j = j * 2 + 1", 3, {0, 1, 3}},
        {"j = 1; j < 8; j |= j << 1", 3, {1, 3, 7}},
        {"j = 7; j != 0; j &= j - 1", 3, {7, 6, 4}},
        {"j = 5; j > 5; j++", 0, {0}},
        {"j=0;j<2;j+=1", 2, {0, 1}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        char steps[256];
        snprintf(steps, sizeof steps, "  - for: %s\n    do:\n      - ld: s[j]\n", loops[i].head);
        struct bs_sketch *sketch = good_sketch(one_access(steps), NULL, 0);
        struct visits visits = walk_all(sketch);
        if (visits.count != loops[i].count)
            fprintf(stderr, "of       %s\n", loops[i].head);
        assert_int_equal(visits.count, loops[i].count);
        for (size_t j = 0; j < visits.count; j++)
            assert_int_equal(visits.list[j].column[0], loops[i].columns[j]);
        free(visits.list);
        bs_sketch_free(sketch);
    }
}

/* Guards and lets are done in their order, each lane by itself: what a guard keeps out is neither
 * divided nor looked up. */
static void test_guards_keep_lanes_from_what_follows(void **state)
{
    (void)state;
    struct bs_sketch *sketch = good_sketch(one_access("  - when: tx != 3\n"
                                                      "    do:\n"
                                                      "      - let: q = 12 / (tx - 3)\n"
                                                      "      - ld: s[q + 12]\n"
                                                      "        when: tx < 5\n"
                                                      "  - ld: s[4096 - n + tx]\n"
                                                      "    when: tx < n\n"
                                                      "  - ld: s[0]\n"
                                                      "    when: tx > 99\n"),
                                           NULL, 0);
    struct visits visits = walk_all(sketch);
    static const uint32_t columns[] = {8, 6, 0, 0, 24};
    assert_int_equal(visits.count, 2);
    assert_int_equal(visits.list[0].mask, 0x17);
    for (unsigned lane = 0; lane < 5; lane++)
        if (lane != 3)
            assert_int_equal(visits.list[0].column[lane], columns[lane]);
    assert_int_equal(visits.list[1].mask, 0xff);
    assert_int_equal(visits.list[1].column[7], 4095);
    free(visits.list);
    bs_sketch_free(sketch);
}

static void test_lets_set_parameters_before_others_use_them(void **state)
{
    static const char text[] = "sketch: params\nblock: n\nparams: {n: 8, m: n * 2, k: m + 1}\n"
                               "arrays: {s: {element: 4, size: k}}\nsteps: [{ld: 's[m]'}]\n";
    const struct bs_let lets[] = {{"n", 4}, {"k", 100}};
    (void)state;
    struct bs_sketch *plain = good_sketch(text, NULL, 0);
    struct bs_sketch *set = good_sketch(text, lets, 2);
    assert_int_equal(plain->params[2].value, 17);
    assert_false(plain->params[2].given);
    assert_int_equal(set->params[1].value, 8);
    assert_int_equal(set->params[2].value, 100);
    assert_true(set->params[0].given && !set->params[1].given && set->params[2].given);
    assert_int_equal(set->bytes, 400);
    bs_sketch_free(plain);
    bs_sketch_free(set);
}

static void test_every_cta_takes_all_steps(void **state)
{
    (void)state;
    struct bs_sketch *sketch = good_sketch("sketch: ctas\nblock: 33\ngrid: [2, 2]\n"
                                           "arrays: {s: {element: 4, size: 64}}\n"
                                           "steps:\n  - ld: s[cta * 2 + warp]\n  - barrier\n",
                                           NULL, 0);
    struct visits visits = walk_all(sketch);
    assert_int_equal(visits.count, 16);
    assert_int_equal(sketch->records, 16);
    for (uint32_t i = 0; i < 16; i++) {
        const struct bs_visit *visit = &visits.list[i];
        assert_int_equal(visit->cta, i / 4);
        assert_int_equal(visit->warp, i % 2);
        assert_int_equal(visit->mask, i % 2 ? 1 : UINT32_MAX);
        assert_true((visit->access != NULL) == (i % 4 < 2));
        if (visit->access)
            assert_int_equal(visit->column[0], i / 4 * 2 + i % 2);
        else
            assert_int_equal(visit->pc, BS_SKETCH_PC);
    }
    free(visits.list);
    bs_sketch_free(sketch);
}

/* ---- layouts --------------------------------------------------------------------------------- */

static void test_arrays_lie_one_behind_the_other_as_aligned(void **state)
{
    (void)state;
    struct bs_sketch *sketch = good_sketch("sketch: arrays\nblock: 1\narrays:\n"
                                           "  a: {element: char, size: 3, align: 1}\n"
                                           "  b: {element: float, size: [2, 3], pad: 1, align: 4}\n"
                                           "  c: {element: half, size: [2, 2, 3], pitch: 5}\n"
                                           "  d: {element: double, size: 1, align: 128}\n"
                                           "steps: [barrier]\n",
                                           NULL, 0);
    static const uint32_t bases[] = {0, 4, 48, 128}, bytes[] = {3, 32, 40, 8};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(sketch->arrays[i].layout.base, bases[i]);
        assert_int_equal(bs_layout_bytes(&sketch->arrays[i].layout), bytes[i]);
    }
    assert_int_equal(sketch->bytes, 136);
    assert_int_equal(bs_layout_offset(&sketch->arrays[2].layout, 3, 2), (3 * 5 + 2) * 2);
    bs_sketch_free(sketch);
}

static void test_a_layout_is_sound_if_no_two_elements_meet(void **state)
{
    static const uint32_t good[] = {1, 0, 3, 2, 0, 2}, twice[] = {0, 1, 2, 3, 1, 1},
                          outside[] = {0, 1, 2, 3, 4, 0};
    struct bs_layout layout = {.element = 4, .rows = 3, .columns = 2, .pitch = 4, .spot = good};
    uint32_t row = 9, column = 9;
    (void)state;
    assert_true(bs_layout_is_sound(&layout, &row, &column));
    layout.spot = twice;
    assert_false(bs_layout_is_sound(&layout, &row, &column));
    assert_int_equal(row, 2);
    assert_int_equal(column, 1);
    layout.spot = outside;
    assert_false(bs_layout_is_sound(&layout, &row, &column));
    assert_int_equal(column, 0);
}

/* ---- widths ---------------------------------------------------------------------------------- */

/* Whether an access of so many bytes can be one instruction after another, each on bytes that lie
 * together at a multiple of their width: the slow and simple way. */
static bool can_issue(const struct bs_layout *layout, const struct visits *visits, unsigned vector,
                      unsigned bytes)
{
    const unsigned all = vector * layout->element;
    for (size_t i = 0; i < visits->count; i++) {
        for (unsigned lane = 0; lane < 32; lane++) {
            uint32_t at[16];
            if (!(visits->list[i].mask >> lane & 1))
                continue;
            for (unsigned b = 0; b < all; b++)
                at[b] = bs_layout_offset(layout, visits->list[i].row[lane],
                                         visits->list[i].column[lane] + b / layout->element) +
                        b % layout->element;
            for (unsigned b = 0; b < all; b++)
                if (at[b] != at[b / bytes * bytes] + b % bytes ||
                    (b % bytes == 0 && (at[b] % bytes != 0 || layout->align % bytes != 0)))
                    return false;
        }
    }
    return true;
}

/* Every element size, vector, pad and alignment, and swizzles that keep pieces together or not. */
static void test_the_widest_instruction_that_can_be_proven_is_issued(void **state)
{
    static const char *const swizzles[] = {"col",           "col ^ row % 4 * 4",
                                           "col ^ row % 2", "col ^ row % 4 * 2",
                                           "col + row % 2", "col ^ 8"};
    (void)state;
    for (unsigned element = 1; element <= 16; element *= 2)
        for (unsigned vector = 1; vector * element <= 16; vector *= 2)
            for (unsigned pad = 1; pad < 9; pad++)
                for (unsigned align = 1; align <= 32; align *= 2)
                    for (unsigned s = 0; s < sizeof swizzles / sizeof *swizzles; s++) {
                        char text[512];
                        snprintf(text, sizeof text,
                                 "sketch: w\nblock: 32\narrays:\n  s: {element: %u, size: [32, "
                                 "16], pad: %u, align: %u%s%s}\nsteps:\n  - {ld: 's[tx][0]', "
                                 "vector: %u}\n",
                                 element, pad, align, s ? ", swizzle: " : "", s ? swizzles[s] : "",
                                 vector);
                        struct bs_sketch *sketch = good_sketch(text, NULL, 0);
                        struct visits visits = walk_all(sketch);
                        const struct bs_layout *layout = &sketch->arrays[0].layout;
                        const struct bs_issue *issue = &sketch->accesses[0].issue;
                        unsigned widest = vector * element;
                        while (!can_issue(layout, &visits, vector, widest))
                            widest /= 2;
                        if (issue->op.bytes != widest)
                            fprintf(stderr, "expected %u bytes, found %u, for\n%s", widest,
                                    issue->op.bytes, text);
                        assert_int_equal(issue->op.bytes, widest);
                        assert_int_equal(issue->count * widest, vector * element);
                        free(visits.list);
                        bs_sketch_free(sketch);
                    }
}

/* The instructions of an access together touch the bytes of its elements, each once. */
static void test_a_split_access_touches_all_its_bytes_once(void **state)
{
    (void)state;
    struct bs_sketch *sketch = good_sketch("sketch: split\nblock: 32\narrays:\n"
                                           "  s: {element: half, size: [32, 16], pad: 2}\n"
                                           "steps:\n  - {ld: 's[tx][8]', vector: 8}\n",
                                           NULL, 0);
    struct visits visits = walk_all(sketch);
    const struct bs_issue *issue = &sketch->accesses[0].issue;
    assert_int_equal(issue->count, 4);
    for (unsigned i = 0; i < issue->count; i++) {
        uint32_t addr[BS_MAX_LANES];
        bs_issue_addresses(issue, &sketch->arrays[0].layout, visits.list, i, addr);
        for (unsigned lane = 0; lane < 32; lane++)
            assert_int_equal(addr[lane], lane * 36 + 16 + 4 * i);
    }
    free(visits.list);
    bs_sketch_free(sketch);
}

/* Rows of matrices and copies are not split: an access that cannot be is no error before it is to
 * be issued, so that another layout can be looked for. */
static void test_what_cannot_be_split_is_not_issued(void **state)
{
    (void)state;
    struct bs_sketch *sketch = good_sketch("sketch: whole\nblock: 32\nparams: {pad: 4}\narrays:\n"
                                           "  s: {element: half, size: [16, 64], pad: pad}\n"
                                           "steps:\n  - ldmatrix.x4: s[lane % 16][lane / 16 * 8]\n"
                                           "  - {cp.async: 's[lane / 2][0]', vector: 8}\n",
                                           NULL, 0);
    char text[256];
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(sketch->accesses[i].issue.count, 0);
        assert_int_equal(sketch->accesses[i].issue.proven, 8);
        assert_true(bs_issue_sentence(sketch, &sketch->accesses[i], text, sizeof text));
    }
    bs_sketch_free(sketch);
}

/* ---- telling one ----------------------------------------------------------------------------- */

static void test_a_sketch_is_told_by_its_first_key(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } starts[] = {
        {"sketch: a", true},      {"# x\n\n---\n  \r\nsketch:", true}, {"sketch", false},
        {" sketch: a", false},    {"name: a\nsketch: b", false},       {"", false},
        {"# only a word", false}, {"#bankshot-trace 1\n", false},      {"sketches: 1", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (bs_sketch_starts(starts[i].text, strlen(starts[i].text)) != starts[i].is)
            fprintf(stderr, "of       %s\n", starts[i].text);
        assert_int_equal(bs_sketch_starts(starts[i].text, strlen(starts[i].text)), starts[i].is);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_warps_are_runs_of_threads_in_blocks_of_any_shape),
        cmocka_unit_test(test_loops_run_as_in_c),
        cmocka_unit_test(test_guards_keep_lanes_from_what_follows),
        cmocka_unit_test(test_lets_set_parameters_before_others_use_them),
        cmocka_unit_test(test_every_cta_takes_all_steps),
        cmocka_unit_test(test_arrays_lie_one_behind_the_other_as_aligned),
        cmocka_unit_test(test_a_layout_is_sound_if_no_two_elements_meet),
        cmocka_unit_test(test_the_widest_instruction_that_can_be_proven_is_issued),
        cmocka_unit_test(test_a_split_access_touches_all_its_bytes_once),
        cmocka_unit_test(test_what_cannot_be_split_is_not_issued),
        cmocka_unit_test(test_a_sketch_is_told_by_its_first_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
