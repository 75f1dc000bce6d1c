/* Does the search for layouts try what it says, price it as a sketch of that layout is priced, and
 * find what going through all combinations finds? */
#include "command/layout_search.h"
#include "sketch_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- helpers --------------------------------------------------------------------------------- */

static const char two_tiles[] = "sketch: two\nblock: 32\narrays:\n"
                                "  a: {element: float, size: [8, 16], %s}\n"
                                "  b: {element: half, size: [16, 24], %s}\n"
                                "steps:\n"
                                "  - for: j = 0; j < 4; j++\n"
                                "    do:\n"
                                "      - st: a[tx / 4][tx % 4 * 4]\n"
                                "        vector: 4\n"
                                "      - ld: a[tx % 8][j * 4 + tx / 8]\n"
                                "      - ld: b[tx / 2][tx % 2 * 8 + j * 2]\n"
                                "        vector: 2\n"
                                "      - st: b[tx % 16][j * 2 + tx / 16]\n";
static const char one_line[] = "sketch: line\nblock: 32\narrays:\n"
                               "  a: {element: float, size: 512, %s}\n"
                               "steps:\n"
                               "  - for: d = 1; d <= 16; d *= 2\n"
                               "    do:\n"
                               "      - ld: a[d * tx]\n";

/* Neither a padding nor a swizzle alone makes all three accesses cheap. */
static const char patches[] = "sketch: patches\nblock: 32\narrays:\n"
                              "  a: {element: float, size: [32, 32], %s}\n"
                              "steps:\n"
                              "  - st: a[0][tx]\n"
                              "  - ld: a[tx][0]\n"
                              "  - ld: a[tx / 8][tx % 8]\n";

static struct bs_model *load_model(void)
{
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load("hopper", folders, NULL, &errors);
    bs_errors_free(&errors);
    assert_non_null(model);
    return model;
}

/* A search of everything, done. */
struct fixture {
    struct bs_sketch *sketch;
    struct bs_model *model;
    struct bs_work work;
    struct bs_search search;
};

static void set_up(struct fixture *fixture, const char *form)
{
    char text[2048];
    struct bs_error error;
    snprintf(text, sizeof text, form, "align: 16", "align: 16");
    *fixture = (struct fixture){.sketch = good_sketch(text, NULL, 0), .model = load_model()};
    assert_true(bs_work_of_sketch(&fixture->work, fixture->sketch, &error));
    fixture->search.work = &fixture->work;
    fixture->search.model = fixture->model;
    fixture->search.space = (struct bs_space){.schemes = (1u << BS_SCHEMES) - 1, .period = 128};
}

static void run(struct fixture *fixture)
{
    struct bs_error error = {.text = ""};
    if (!bs_search_run(&fixture->search, NULL, &error))
        fail_msg("expected a search, found the error '%s'", error.text);
}

static void tear_down(struct fixture *fixture)
{
    bs_search_free(&fixture->search);
    bs_work_free(&fixture->work);
    bs_sketch_free(fixture->sketch);
    bs_model_free(fixture->model);
}

/* ---- the space ------------------------------------------------------------------------------- */

/* Where a layout puts all elements, one behind the other. */
static void places(const struct bs_layout *layout, uint32_t *out)
{
    for (uint32_t row = 0; row < layout->rows; row++)
        for (uint32_t column = 0; column < layout->columns; column++)
            *out++ = bs_layout_offset(layout, row, column);
}

static void check_space(uint32_t rows, uint32_t columns, uint32_t element)
{
    const struct bs_space space = {.schemes = (1u << BS_SCHEMES) - 1, .period = 128};
    const struct bs_layout given = {
        .element = element, .align = 16, .rows = rows, .columns = columns, .pitch = columns};
    const size_t size = (size_t)rows * columns;
    struct bs_candidates candidates = {0};
    uint32_t *spot = calloc(size, sizeof *spot), row, column;
    assert_true(bs_space_list(&space, &given, &candidates));
    for (size_t i = 0; i < 40; i += 3) { /* some of the pitches, as pitches differ in any case */
        const uint32_t pitch = bs_space_padded_pitch(&space, &given, i);
        assert_true(pitch == 0 || bs_space_list_padded(&space, &given, pitch, &candidates));
    }
    uint32_t *all = calloc(candidates.count * size, sizeof *all);
    assert_true(spot && all && candidates.count > 1);
    for (size_t i = 0; i < candidates.count; i++) {
        const struct bs_layout layout = bs_candidate_lay(&candidates.list[i], &given, spot);
        if (!bs_layout_is_sound(&layout, &row, &column))
            fail_msg("candidate %zu of %ux%u: found two elements in one place", i, rows, columns);
        places(&layout, all + i * size);
        for (size_t j = 0; j < i; j++)
            if (layout.pitch == candidates.list[j].pitch &&
                memcmp(all + i * size, all + j * size, size * sizeof *all) == 0)
                fail_msg("%ux%u of %u bytes: expected different layouts, found %zu (%s) as %zu "
                         "(%s)",
                         rows, columns, element, i, bs_scheme_name(candidates.list[i].scheme), j,
                         bs_scheme_name(candidates.list[j].scheme));
    }
    free(all);
    free(spot);
    free(candidates.list);
}

static void is_every_candidate_sound_and_unlike_all_others(void **state)
{
    (void)state;
    check_space(32, 32, 4);
    check_space(8, 64, 2);
    check_space(16, 24, 2);
    check_space(7, 12, 4);
    check_space(4, 8, 16);
    check_space(1, 300, 4);
    check_space(3, 128, 1);
}

static void are_constraints_kept(void **state)
{
    const struct bs_space aligned = {.keep_align = 16};
    const struct bs_space power = {.power_of_two_pitch = true};
    uint32_t spot[8 * 8];
    struct bs_layout given = {.element = 4, .rows = 8, .columns = 8, .pitch = 8};
    const struct bs_candidate pad_1 = {.scheme = BS_SCHEME_PITCH, .pitch = 9};
    const struct bs_candidate pad_4 = {.scheme = BS_SCHEME_PITCH, .pitch = 12};
    const struct bs_candidate by_4 = {
        .scheme = BS_SCHEME_XOR, .pitch = 8, .every = 1, .count = 2, .step = 4};
    const struct bs_candidate by_1 = {
        .scheme = BS_SCHEME_XOR, .pitch = 8, .every = 1, .count = 8, .step = 1};
    (void)state;
    struct bs_layout layout = bs_candidate_lay(&pad_1, &given, spot);
    assert_false(bs_space_allows(&aligned, &layout));
    assert_false(bs_space_allows(&power, &layout));
    layout = bs_candidate_lay(&pad_4, &given, spot);
    assert_true(bs_space_allows(&aligned, &layout));
    assert_false(bs_space_allows(&power, &layout));
    layout = bs_candidate_lay(&by_4, &given, spot);
    assert_true(bs_space_allows(&aligned, &layout));
    assert_true(bs_space_allows(&power, &layout));
    layout = bs_candidate_lay(&by_1, &given, spot);
    assert_false(bs_space_allows(&aligned, &layout));
}

/* CUTLASS's swizzle of an element's number. */
static uint32_t swizzled(uint32_t number, uint32_t bits, uint32_t base, uint32_t shift)
{
    return number ^ (number & ((1u << bits) - 1) << (base + shift)) >> shift;
}

static bool is_swizzle(const struct bs_layout *layout, uint32_t bits, uint32_t base, uint32_t shift)
{
    for (uint32_t row = 0; row < layout->rows; row++)
        for (uint32_t column = 0; column < layout->columns; column++)
            if (bs_layout_offset(layout, row, column) !=
                layout->element * swizzled(row * layout->pitch + column, bits, base, shift))
                return false;
    return true;
}

/* Whether the name that a layout is declared with is that of a swizzle that it is. */
static void check_name(const struct bs_candidate *candidate, const struct bs_sketch_array *array)
{
    uint32_t spot[16 * 32];
    const struct bs_layout layout = bs_candidate_lay(candidate, &array->layout, spot);
    struct bs_buffer buffer = {0};
    bool named = false;
    bs_candidate_declare(candidate, array, "", "", &buffer);
    char *text = bs_buffer_take(&buffer);
    assert_non_null(text);
    for (uint32_t bits = 1; bits < 6; bits++)
        for (uint32_t base = 0; base < 6; base++)
            for (uint32_t shift = bits; shift < 10; shift++) {
                char name[64];
                snprintf(name, sizeof name, "// Swizzle<%u,%u,%u>\n", bits, base, shift);
                if (!strstr(text, name))
                    continue;
                named = true;
                if (!is_swizzle(&layout, bits, base, shift))
                    fail_msg("expected %sfound a layout that is no such swizzle in\n%s", name,
                             text);
            }
    if (!named)
        fail_msg("expected the name of a swizzle, found\n%s", text);
    free(text);
}

static void are_swizzles_declared_by_their_names(void **state)
{
    const struct bs_space space = {.schemes = 1u << BS_SCHEME_XOR | 1u << BS_SCHEME_SWIZZLE,
                                   .period = 128};
    const struct bs_sketch_array array = {
        .name = "a",
        .type = "float",
        .dims = {16, 32},
        .dim_count = 2,
        .layout = {.element = 4, .align = 16, .rows = 16, .columns = 32, .pitch = 32}};
    struct bs_candidates candidates = {0};
    (void)state;
    assert_true(bs_space_list(&space, &array.layout, &candidates));
    assert_true(candidates.count > 40);
    for (size_t i = 1; i < candidates.count; i++)
        check_name(&candidates.list[i], &array);
    free(candidates.list);
}

/* ---- prices ---------------------------------------------------------------------------------- */

/* What the records of a sketch cost on an array; false if it cannot be issued. */
static bool price_records(const struct bs_sketch *sketch, const struct bs_model *model,
                          size_t array, struct bs_rank *rank)
{
    struct bs_walk walk;
    struct bs_visit visit;
    struct bs_error error;
    uint32_t addr[BS_MAX_LANES];
    bool issued = true;
    assert_true(bs_walk_start(&walk, sketch));
    while (bs_walk_next(&walk, &visit, &error) == BS_WALK_VISIT) {
        if (!visit.access || visit.access->array != array)
            continue;
        const struct bs_issue *issue = &visit.access->issue;
        issued &= issue->count > 0;
        for (unsigned i = 0; i < issue->count; i++) {
            const struct bs_access access = {.op = issue->op, .mask = visit.mask, .addr = addr};
            struct bs_cost cost;
            bs_issue_addresses(issue, &sketch->arrays[array].layout, &visit, i, addr);
            assert_true(bs_count(model, &access, &cost));
            rank->slots += cost.slots;
            rank->instructions++;
        }
    }
    bs_walk_end(&walk);
    return issued;
}

/* Writes the layout of one trial into the sketch's text and prices that. */
static void check_trial(const struct fixture *fixture, const char *form, size_t number,
                        const struct bs_trial *trial)
{
    struct bs_buffer keys = {0};
    char text[4096];
    struct bs_rank rank = {0};
    bs_candidate_keys(&trial->candidate, &fixture->work.arrays[number], &keys);
    char *mine = bs_buffer_take(&keys);
    assert_non_null(mine);
    snprintf(text, sizeof text, form, number == 0 ? mine : "pad: 0", number == 1 ? mine : "pad: 0");
    struct bs_sketch *sketch = good_sketch(text, NULL, 0);
    assert_true(price_records(sketch, fixture->model, number, &rank));
    if (rank.slots != trial->rank.slots || rank.instructions != trial->rank.instructions ||
        bs_layout_bytes(&sketch->arrays[number].layout) != trial->rank.bytes)
        fail_msg("array %zu with %s: expected %llu slots of %llu instructions, found %llu of %llu",
                 number, mine, (unsigned long long)rank.slots,
                 (unsigned long long)rank.instructions, (unsigned long long)trial->rank.slots,
                 (unsigned long long)trial->rank.instructions);
    bs_sketch_free(sketch);
    free(mine);
}

static void check_trials(const char *form)
{
    struct fixture fixture;
    set_up(&fixture, form);
    run(&fixture);
    for (size_t number = 0; number < fixture.search.count; number++)
        for (size_t i = 1; i < fixture.search.trials[number].count; i++)
            check_trial(&fixture, form, number, &fixture.search.trials[number].list[i]);
    tear_down(&fixture);
}

static void is_a_trial_priced_as_a_sketch_of_that_layout(void **state)
{
    (void)state;
    check_trials(two_tiles);
    check_trials(one_line);
    check_trials(patches);
}

/* ---- the best -------------------------------------------------------------------------------- */

static int by_rank(const void *left, const void *right)
{
    const struct bs_rank *a = left, *b = right;
    const uint64_t of_a[] = {a->slots, a->instructions, a->bytes, a->passes, a->simple};
    const uint64_t of_b[] = {b->slots, b->instructions, b->bytes, b->passes, b->simple};
    for (unsigned i = 0; i < 5; i++)
        if (of_a[i] != of_b[i])
            return of_a[i] < of_b[i] ? -1 : 1;
    return 0;
}

/* The ranks of all combinations of two arrays, sorted. */
static size_t all_ranks(const struct bs_search *search, struct bs_rank *out)
{
    const struct bs_trials *a = &search->trials[0], *b = &search->trials[1];
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++) {
            const struct bs_rank *x = &a->list[i].rank, *y = &b->list[j].rank;
            if (a->list[i].verdict != BS_TRIAL_FITS || b->list[j].verdict != BS_TRIAL_FITS ||
                (search->max_bytes && x->bytes + y->bytes > search->max_bytes))
                continue;
            out[count++] =
                (struct bs_rank){x->slots + y->slots, x->instructions + y->instructions,
                                 x->bytes + y->bytes, x->passes + y->passes, x->simple + y->simple};
        }
    qsort(out, count, sizeof *out, by_rank);
    return count;
}

static void check_best(unsigned schemes, uint64_t max_bytes, size_t most)
{
    struct fixture fixture;
    struct bs_combination best[BS_SEARCH_BEST];
    set_up(&fixture, two_tiles);
    fixture.search.space.schemes = schemes;
    fixture.search.max_bytes = max_bytes;
    run(&fixture);
    struct bs_rank *ranks = calloc(bs_search_size(&fixture.search), sizeof *ranks);
    assert_non_null(ranks);
    const size_t all = all_ranks(&fixture.search, ranks);
    const size_t count = bs_search_best(&fixture.search, (1u << BS_SCHEMES) - 1, most, best);
    assert_int_equal(count, all < most ? all : most);
    for (size_t i = 0; i < count; i++)
        if (by_rank(&best[i].rank, &ranks[i]) != 0)
            fail_msg("number %zu of at most %zu, %llu bytes: expected %llu slots, %llu bytes, "
                     "found %llu, %llu",
                     i, most, (unsigned long long)max_bytes, (unsigned long long)ranks[i].slots,
                     (unsigned long long)ranks[i].bytes, (unsigned long long)best[i].rank.slots,
                     (unsigned long long)best[i].rank.bytes);
    free(ranks);
    tear_down(&fixture);
}

static void are_the_best_those_of_all_combinations(void **state)
{
    enum { BARE = 8 * 16 * 4 + 16 * 24 * 2 };
    const unsigned all = (1u << BS_SCHEMES) - 1;
    (void)state;
    check_best(all, 0, 1);
    check_best(all, 0, 7);
    check_best(all, 0, BS_SEARCH_BEST);
    check_best(all, BARE, 5);
    check_best(all, BARE + 64, 40);
    check_best(all, BARE + 150, BS_SEARCH_BEST);
    check_best(all, BARE - 1, 3);                   /* none */
    for (uint64_t more = 0; more < 800; more += 50) /* memory is what keeps pitches apart */
        check_best(1u << BS_SCHEME_PITCH, BARE + more, 2);
}

/* ---- padding and swizzle at once ------------------------------------------------------------- */

static void add_padded(const struct fixture *fixture, struct bs_candidates *all)
{
    const struct bs_layout *given = &fixture->work.arrays[0].layout;
    uint32_t pitch;
    for (size_t i = 0; (pitch = bs_space_padded_pitch(&fixture->search.space, given, i)) > 0; i++)
        assert_true(bs_space_list_padded(&fixture->search.space, given, pitch, all));
}

/* The best rank of an only array among all candidates of the space, but for simplicity. */
static struct bs_rank best_of_space(const struct fixture *fixture)
{
    static uint32_t spot[64 * 64];
    const struct bs_layout *given = &fixture->work.arrays[0].layout;
    struct bs_rank best = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0};
    struct bs_candidates all = {0};
    assert_true(given->rows * given->columns <= sizeof spot / sizeof *spot);
    assert_true(bs_space_list(&fixture->search.space, given, &all));
    add_padded(fixture, &all);
    for (size_t i = 0; i < all.count; i++) {
        const struct bs_layout layout = bs_candidate_lay(&all.list[i], given, spot);
        struct bs_rank rank = {.bytes = bs_layout_bytes(&layout)};
        struct bs_work_cost cost = {0};
        bool issued = true;
        for (size_t access = 0; access < fixture->work.access_count; access++) {
            issued &= bs_work_price(&fixture->work, fixture->model, access, &layout, &cost);
            rank.slots += cost.slots;
            rank.instructions += cost.instructions;
        }
        if (issued && by_rank(&rank, &best) < 0)
            best = rank;
    }
    free(all.list);
    return best;
}

/* Searches all schemes or, without unpadded swizzles, those where padding costs memory. */
static enum bs_padded check_padded(const char *form, unsigned without)
{
    struct fixture fixture;
    struct bs_combination best;
    set_up(&fixture, form);
    fixture.search.space.schemes &= ~without;
    run(&fixture);
    const struct bs_rank expected = best_of_space(&fixture);
    assert_int_equal(bs_search_best(&fixture.search, (1u << BS_SCHEMES) - 1, 1, &best), 1);
    if (best.rank.slots != expected.slots || best.rank.instructions != expected.instructions ||
        best.rank.bytes != expected.bytes)
        fail_msg("expected %llu slots of %llu instructions in %llu bytes, found %llu of %llu in "
                 "%llu, without schemes 0x%x, for\n%s",
                 (unsigned long long)expected.slots, (unsigned long long)expected.instructions,
                 (unsigned long long)expected.bytes, (unsigned long long)best.rank.slots,
                 (unsigned long long)best.rank.instructions, (unsigned long long)best.rank.bytes,
                 without, form);
    const enum bs_padded padded = fixture.search.trials[0].padded;
    tear_down(&fixture);
    return padded;
}

enum { UNPADDED = 1u << BS_SCHEME_XOR | 1u << BS_SCHEME_SKEW | 1u << BS_SCHEME_SWIZZLE };

static uint32_t random_below(uint32_t *state, uint32_t end)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % end;
}

/* Some accesses to an array of 16 rows, each lanes in lines of its own length. */
static void make_form(uint32_t *seed, char *form, size_t size)
{
    static const char *const vectors[] = {"", ", vector: 2", ", vector: 4"};
    int used = snprintf(form, size,
                        "sketch: random\nblock: 32\narrays:\n"
                        "  a: {element: float, size: [16, 16], %%s}\nsteps:\n");
    for (uint32_t left = 1 + random_below(seed, 3); left > 0; left--) {
        const uint32_t line = 1u << random_below(seed, 5), vector = random_below(seed, 3);
        used += snprintf(form + used, size - (size_t)used,
                         "  - {ld: 'a[(tx / %u * %u + %u) %% 16][tx %% %u * %u %% 16]'%s}\n", line,
                         1 + random_below(seed, 3), random_below(seed, 16), line, 1u << vector,
                         vectors[vector]);
    }
}

static void does_stopping_at_the_least_lose_nothing(void **state)
{
    enum { FORMS = 24 };
    uint32_t seed = 20, stopped = 0;
    char form[1024];
    (void)state;
    for (int i = 0; i < FORMS; i++) {
        make_form(&seed, form, sizeof form);
        check_padded(form, 0);
        stopped += check_padded(form, UNPADDED) == BS_PADDED_NOT_NEEDED;
    }
    if (stopped == 0 || stopped == FORMS)
        fail_msg("expected searches that stop and others, found %u of %d that stop", stopped,
                 FORMS);
}

static void are_padding_and_swizzle_tried_at_once_where_neither_does(void **state)
{
    (void)state;
    assert_int_equal(check_padded(patches, 0), BS_PADDED_NOT_NEEDED);
    /* columns as vectors and as words, which want other strides */
    assert_int_equal(check_padded("sketch: mixed\nblock: 32\narrays:\n"
                                  "  a: {element: float, size: [32, 24], %s}\n"
                                  "steps:\n  - {ld: 'a[tx][0]', vector: 4}\n  - ld: a[tx][1]\n",
                                  0),
                     BS_PADDED_ALL);
    assert_int_equal(check_padded(patches, 1u << BS_SCHEME_PAD_XOR | 1u << BS_SCHEME_PAD_SKEW),
                     BS_PADDED_NOT_ASKED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_every_candidate_sound_and_unlike_all_others),
        cmocka_unit_test(are_constraints_kept),
        cmocka_unit_test(are_swizzles_declared_by_their_names),
        cmocka_unit_test(is_a_trial_priced_as_a_sketch_of_that_layout),
        cmocka_unit_test(are_the_best_those_of_all_combinations),
        cmocka_unit_test(does_stopping_at_the_least_lose_nothing),
        cmocka_unit_test(are_padding_and_swizzle_tried_at_once_where_neither_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
