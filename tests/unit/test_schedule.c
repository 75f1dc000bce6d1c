/*
 * Are schedules of small accesses those that one works out by hand? Each case is drawn as text: the
 * passes between bars, in a pass "bank.row:lanes" for each service ("again" and "extra" for passes
 * that serve nobody anew).
 */
#include "bankshot.h"

#include "buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
enum { SETS = 4 };

static struct bs_model *hopper_with(const char *const sets[SETS])
{
    const char *list[SETS + 1] = {NULL};
    struct bs_errors errors = {0};
    for (unsigned i = 0; i < SETS; i++)
        list[i] = sets[i];
    struct bs_model *model = bs_model_load("hopper", folders, list, &errors);
    if (!model)
        fail_msg("hopper: %s", errors.count ? errors.list[0].text : "no memory");
    return model;
}

/* One address per active lane, from an expression in t. */
static void fill(const char *text, uint64_t mask, uint64_t addr[BS_MAX_LANES])
{
    static const char *const names[] = {"t"};
    struct bs_error error;
    struct bs_expr *expr = bs_expr_parse(text, names, 1, &error);
    if (!expr)
        fail_msg("%s: %s", text, error.text);
    for (int64_t t = 0; t < BS_MAX_LANES; t++) {
        int64_t value = 0;
        if (mask >> t & 1 && !bs_expr_eval(expr, &t, &value, &error))
            fail_msg("%s: %s", text, error.text);
        addr[t] = (uint64_t)value;
    }
    bs_expr_free(expr);
}

struct drawn_access {
    struct bs_access access;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
};

static void make_access(struct drawn_access *made, const char *op, uint64_t mask, const char *addr,
                        const char *src)
{
    uint64_t values[BS_MAX_LANES];
    *made = (struct drawn_access){.access = {.mask = mask, .addr = made->addr}};
    assert_true(bs_op_parse(op, strlen(op), &made->access.op));
    fill(addr, mask, values);
    for (unsigned t = 0; t < BS_MAX_LANES; t++)
        made->addr[t] = (uint32_t)values[t];
    if (src) {
        fill(src, mask, made->src);
        made->access.src = made->src;
    }
}

/* ---- drawing ----------------------------------------------------------------------------------
 */

static void draw_lanes(struct bs_buffer *out, uint64_t lanes)
{
    const char *comma = "";
    for (unsigned t = 0; t < BS_MAX_LANES; t++) {
        if (!(lanes >> t & 1))
            continue;
        unsigned last = t;
        while (last + 1 < BS_MAX_LANES && lanes >> (last + 1) & 1)
            last++;
        bs_buffer_printf(out, last > t ? "%s%u-%u" : "%s%u", comma, t, last);
        comma = ",";
        t = last;
    }
}

static void draw_passes(struct bs_buffer *out, const struct bs_schedule *schedule)
{
    for (size_t p = 0; p < schedule->pass_count; p++) {
        const struct bs_pass pass = schedule->passes[p];
        const char *gap = p ? " | " : "";
        if (pass.kind != BS_PASS_SERVE) {
            bs_buffer_printf(out, "%s%s", gap, pass.kind == BS_PASS_REPEAT ? "again" : "extra");
            continue;
        }
        for (uint32_t i = 0; i < pass.count; i++) {
            const struct bs_service *service = &schedule->services[pass.first + i];
            bs_buffer_printf(out, "%s%u.%u:", gap, service->bank, service->row);
            draw_lanes(out, service->lanes);
            gap = " ";
        }
    }
}

static void draw_clashes(struct bs_buffer *out, const struct bs_schedule *schedule)
{
    for (size_t i = 0; i < schedule->clash_count; i++) {
        const struct bs_clash *clash = &schedule->clashes[i];
        bs_buffer_printf(out, " ; %u+%u by ", clash->address, clash->bytes);
        draw_lanes(out, clash->lanes);
        bs_buffer_printf(out, clash->winner < 0 ? " undefined" : " won by %d", clash->winner);
    }
    if (schedule->dropped) {
        bs_buffer_text(out, " ; dropped ");
        draw_lanes(out, schedule->dropped);
    }
}

/* ---- cases ------------------------------------------------------------------------------------
 */

struct schedule_case {
    const char *sets[SETS];
    const char *op;
    uint64_t mask;
    const char *addr;
    const char *src;
    const char *drawing;
};

static void check(const struct schedule_case *expected)
{
    struct bs_schedule schedule = {0};
    struct bs_buffer out = {0};
    struct drawn_access made;
    struct bs_model *model = hopper_with(expected->sets);
    make_access(&made, expected->op, expected->mask, expected->addr, expected->src);
    assert_true(bs_schedule_build(&schedule, model, &made.access));
    draw_passes(&out, &schedule);
    draw_clashes(&out, &schedule);
    char *drawing = bs_buffer_take(&out);
    if (strcmp(drawing, expected->drawing) != 0)
        fail_msg("%s %s mask %llx\n  expected %s\n  came     %s", expected->op, expected->addr,
                 (unsigned long long)expected->mask, expected->drawing, drawing);
    free(drawing);
    bs_schedule_free(&schedule);
    bs_model_free(model);
}

static void check_all(const struct schedule_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check(&cases[i]);
}

static void rows_of_a_bank_take_turns_in_the_order_of_lanes(void **state)
{
    (void)state;
    static const struct schedule_case cases[] = {
        {{0}, "ld.b32", 0xf, "t*4", NULL, "0.0:0 1.0:1 2.0:2 3.0:3"},
        {{0}, "ld.b32", 0xf, "t*128", NULL, "0.0:0 | 0.1:1 | 0.2:2 | 0.3:3"},
        {{0}, "ld.b32", 0xf, "(3-t)*128", NULL, "0.3:0 | 0.2:1 | 0.1:2 | 0.0:3"},
        {{0}, "ld.b32", 0xf, "t%2*128+t/2*4", NULL, "0.0:0 1.0:2 | 0.1:1 1.1:3"},
        {{"rules.ld.b32.ports=2"},
         "ld.b32",
         0x1f,
         "t*128",
         NULL,
         "0.0:0 0.1:1 | 0.2:2 0.3:3 | 0.4:4"},
        {{"row_bytes=256"}, "ld.b32", 0xf, "t*128", NULL, "0.0:0-1 | 0.1:2-3"},
        {{"banks=3"}, "ld.b32", 0x1f, "t*4", NULL, "0.0:0 1.0:1 2.0:2 | 0.1:3 1.1:4"},
        {{"mapping.xor=row"}, "ld.b32", 0xf, "t*128", NULL, "0.0:0 1.1:1 2.2:2 3.3:3"},
        {{"bank_width=8"}, "ld.b32", 0xf, "t*4", NULL, "0.0:0-1 1.0:2-3"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void lanes_that_share_a_word_share_its_pass_or_not(void **state)
{
    (void)state;
    static const struct schedule_case cases[] = {
        {{0}, "ld.b32", 0xff, "t/4*4", NULL, "0.0:0-3 1.0:4-7"},
        {{0}, "ld.b8", 0xff, "t", NULL, "0.0:0-3 1.0:4-7"},
        {{"rules.ld.b32.same_word=serialize"}, "ld.b32", 0x7, "0", NULL, "0.0:0 | 0.0:1 | 0.0:2"},
        {{0}, "atom.add.b32", 0x7, "t/2*4", NULL, "0.0:0 1.0:2 | 0.0:1"},
        {{0}, "atom.inc.b32", 0x7, "t/2*4", NULL, "0.0:0-1 1.0:2"},
        {{0}, "atom.cas.b32", 0x3, "0", NULL, "0.0:0 | again | 0.0:1 | again"},
        {{"rules.ld.b32.extra_passes=1"}, "ld.b32", 0x1, "0", NULL, "0.0:0 | extra"},
        /* one word is broadcast: lanes 2 to 4 want the most wanted one */
        {{"rules.ld.b32.same_word=broadcast"},
         "ld.b32",
         0x1f,
         "t<2?0:4",
         NULL,
         "0.0:0 1.0:2-4 | 0.0:1"},
        {{"rules.ld.b32.same_word=broadcast", "rules.ld.b32.broadcast_word=lowest_lane"},
         "ld.b32",
         0x1f,
         "t<2?0:4",
         NULL,
         "0.0:0-1 1.0:2 | 1.0:3-4"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void phases_follow_one_another_unless_they_merge(void **state)
{
    (void)state;
    static const struct schedule_case cases[] = {
        {{0}, "ld.b64", 0x10001, "t/16*8", NULL, "0.0:0 1.0:0 2.0:16 3.0:16"},
        {{0},
         "ld.b64",
         0x30003,
         "t*8",
         NULL,
         "0.0:0 1.0:0 2.0:1 3.0:1 | 0.1:16 1.1:16 2.1:17 3.1:17"},
        {{0}, "ld.b64", 0x30003, "t/2*8", NULL, "0.0:0-1 1.0:0-1 16.0:16-17 17.0:16-17"},
        {{0}, "ld.b64", 0x50005, "t/16*8", NULL, "0.0:0,2 1.0:0,2 2.0:16,18 3.0:16,18"},
        {{0}, "st.b64", 0x10001, "t/16*8", NULL, "0.0:0 1.0:0 | 2.0:16 3.0:16"},
        {{"rules.ld.b32.phases=[0 2, 1 3-31]"},
         "ld.b32",
         0xf,
         "t*4",
         NULL,
         "0.0:0 2.0:2 | 1.0:1 3.0:3"},
        {{"rules.ld.b32.phase_lanes=16", "rules.ld.b32.combine=largest"},
         "ld.b32",
         0x30001,
         "t*128",
         NULL,
         "0.0:0 0.16:16 | 0.17:17"},
        {{"rules.ld.b64.request_bytes=4", "rules.ld.b64.merge=[]"},
         "ld.b64",
         0x3,
         "t*8",
         NULL,
         "0.0:0 2.0:1 | 1.0:0 3.0:1"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void async_copies_go_by_their_sources(void **state)
{
    (void)state;
    static const struct schedule_case cases[] = {
        {{0}, "cp.async.b32", 0x7, "t*4", NULL, "0.0:0 1.0:1 2.0:2"},
        {{0}, "cp.async.b32", 0x7, "t*4", "t*128", "0.0:0 | 1.0:1 | 2.0:2"},
        {{0}, "cp.async.b32", 0x7, "0", "t*4", "0.0:0 | 0.0:1 | 0.0:2 ; 0+4 by 0-2 undefined"},
        {{0},
         "cp.async.cg.b128",
         0x3,
         "t*16",
         "t*16",
         "0.0:0 1.0:0 2.0:0 3.0:0 4.0:1 5.0:1 6.0:1 7.0:1"},
        {{0},
         "cp.async.cg.b128",
         0x3,
         "0",
         "t*16",
         "0.0:0 1.0:0 2.0:0 3.0:0 ; 0+16 by 0-1 undefined ; dropped 1"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void stores_to_one_byte_have_the_winner_of_the_policy(void **state)
{
    (void)state;
    static const struct schedule_case cases[] = {
        {{0}, "st.b32", 0x7, "t/2*4", NULL, "0.0:0-1 1.0:2 ; 0+4 by 0-1 undefined"},
        {{"winner=lowest"}, "st.b32", 0x6, "0", NULL, "0.0:1-2 ; 0+4 by 1-2 won by 1"},
        {{"winner=highest"}, "st.b32", 0x6, "0", NULL, "0.0:1-2 ; 0+4 by 1-2 won by 2"},
        /* bytes 2 and 3 of a misaligned pair of words */
        {{0}, "st.b32", 0x3, "t*2", NULL, "0.0:0-1 1.0:1 ; 2+2 by 0-1 undefined"},
        {{0}, "st.b8", 0x3, "t", NULL, "0.0:0-1"},
        {{0}, "atom.exch.b32", 0x3, "0", NULL, "0.0:0 | 0.0:1"},
    };
    check_all(cases, sizeof cases / sizeof *cases);
}

static void a_random_winner_depends_on_the_seed_and_on_nothing_else(void **state)
{
    (void)state;
    uint64_t winners = 0;
    for (unsigned seed = 0; seed < 40; seed++) {
        char set[32];
        int32_t winner[2];
        snprintf(set, sizeof set, "seed=%u", seed);
        for (unsigned again = 0; again < 2; again++) {
            struct bs_schedule schedule = {0};
            struct drawn_access made;
            const char *const sets[SETS] = {"winner=random", set};
            struct bs_model *model = hopper_with(sets);
            make_access(&made, "st.b32", 0xf0, "0", NULL);
            assert_true(bs_schedule_build(&schedule, model, &made.access));
            assert_int_equal(schedule.clash_count, 1);
            assert_int_equal(schedule.cost.undefined, 0);
            winner[again] = schedule.clashes[0].winner;
            bs_schedule_free(&schedule);
            bs_model_free(model);
        }
        assert_int_equal(winner[0], winner[1]);
        winners |= UINT64_C(1) << winner[0];
    }
    assert_int_equal(winners, 0xf0); /* each of the four writers wins for some seed */
}

/* ---- checks -----------------------------------------------------------------------------------
 */

static void an_access_that_does_not_fit_is_explained(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint64_t mask;
        const char *addr;
        enum bs_status status;
        const char *text;
    } cases[] = {
        {"ld.b32", 0x7, "t*4+(t==1)", BS_BAD_TRACE,
         "lane 1: the address 0x5 of ld.b32 is not a multiple of 4"},
        {"ld.b64", 0x2, "t*12", BS_BAD_TRACE,
         "lane 1: the address 0xc of ld.b64 is not a multiple of 8"},
        {"ldmatrix.x1", 0x1ff, "t*8", BS_BAD_TRACE,
         "lane 1: the address 0x8 of ldmatrix.x1 is not a multiple of 16"},
        {"ld.b128", 0x1, "0xfffffff8", BS_BAD_TRACE,
         "lane 0: ld.b128 at address 0xfffffff8 reaches beyond 4 GiB"},
        {"ld.b96", 0x1, "0", BS_BAD_MODEL, "model 'hopper' has no rule for ld.b96"},
        {"ld.b32", UINT64_C(0x100000001), "0", BS_BAD_TRACE,
         "the mask 100000001 has lanes beyond the 32 of a warp of model 'hopper'"},
    };
    struct bs_model *model = hopper_with((const char *const[SETS]){NULL});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn_access made;
        struct bs_error error;
        make_access(&made, cases[i].op, cases[i].mask, cases[i].addr, NULL);
        assert_false(bs_access_check(model, &made.access, false, &error));
        assert_string_equal(error.text, cases[i].text);
        assert_int_equal(error.status, cases[i].status);
    }
    struct drawn_access made;
    make_access(&made, "ldmatrix.x1", 0xffff, "t<8?t*16:1", NULL); /* lanes 8 on are not used */
    assert_true(bs_access_check(model, &made.access, false, NULL));
    make_access(&made, "ld.b32", 0x1, "1", NULL);
    assert_true(bs_access_check(model, &made.access, true, NULL));
    make_access(&made, "cp.async.b32", 0x1, "0", "2");
    assert_false(bs_access_check(model, &made.access, false, NULL));
    bs_model_free(model);
}

static void what_makes_a_cost_less_than_certain_is_noted(void **state)
{
    (void)state;
    static const struct {
        const char *op, *addr, *src;
        uint32_t notes;
    } cases[] = {
        {"ld.b32", "t*4", NULL, 0},
        {"ld.b32", "t*4+1", NULL, BS_NOTE_MISALIGNED},
        {"red.exch.b32", "t*4", NULL, BS_NOTE_ASSUMED_RULE},
        {"cp.async.b32", "t*4", NULL, BS_NOTE_ASSUMED_SOURCE},
        {"cp.async.b32", "t*4", "t*4", 0},
        {"cp.async.cg.b128", "t*16", NULL, BS_NOTE_ASSUMED_SOURCE},
    };
    struct bs_model *model = hopper_with((const char *const[SETS]){NULL});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn_access made;
        struct bs_cost cost;
        make_access(&made, cases[i].op, 0xf, cases[i].addr, cases[i].src);
        assert_true(bs_count(model, &made.access, &cost));
        assert_int_equal(cost.notes, cases[i].notes);
    }
    bs_model_free(model);
}

/* 50 lanes in phases of 2, which merge to twelve of 4 and leave one of 2. */
static void a_last_phase_that_finds_no_other_to_merge_with_stays_small(void **state)
{
    (void)state;
    struct bs_model *model = hopper_with((const char *const[SETS]){
        "lanes=50", "rules.atom.add.b32.phase_lanes=2", "rules.atom.add.b32.merge=[1]"});
    struct drawn_access made;
    struct bs_cost cost;
    make_access(&made, "atom.add.b32", (UINT64_C(1) << 50) - 1, "32", NULL);
    assert_true(bs_count(model, &made.access, &cost));
    assert_int_equal(cost.passes, 50);
    bs_model_free(model);
}

static void no_active_lane_and_a_barrier_cost_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *op;
        uint64_t mask;
    } cases[] = {{"ld.b128", 0}, {"bar", 0xffffffff}, {"ldmatrix.x1", 0xff00}};
    struct bs_model *model = hopper_with((const char *const[SETS]){NULL});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct drawn_access made;
        struct bs_cost cost;
        struct bs_schedule schedule = {0};
        make_access(&made, cases[i].op, cases[i].mask, "t*16", NULL);
        assert_true(bs_count(model, &made.access, &cost));
        assert_true(bs_schedule_build(&schedule, model, &made.access));
        assert_memory_equal(&cost, &(struct bs_cost){0}, sizeof cost);
        assert_memory_equal(&schedule.cost, &cost, sizeof cost);
        assert_int_equal(schedule.pass_count, 0);
        bs_schedule_free(&schedule);
    }
    struct drawn_access made;
    struct bs_cost cost;
    make_access(&made, "ld.b96", 1, "0", NULL);
    assert_false(bs_count(model, &made.access, &cost));
    bs_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_bank_take_turns_in_the_order_of_lanes),
        cmocka_unit_test(lanes_that_share_a_word_share_its_pass_or_not),
        cmocka_unit_test(phases_follow_one_another_unless_they_merge),
        cmocka_unit_test(async_copies_go_by_their_sources),
        cmocka_unit_test(stores_to_one_byte_have_the_winner_of_the_policy),
        cmocka_unit_test(a_random_winner_depends_on_the_seed_and_on_nothing_else),
        cmocka_unit_test(an_access_that_does_not_fit_is_explained),
        cmocka_unit_test(what_makes_a_cost_less_than_certain_is_noted),
        cmocka_unit_test(a_last_phase_that_finds_no_other_to_merge_with_stays_small),
        cmocka_unit_test(no_active_lane_and_a_barrier_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
