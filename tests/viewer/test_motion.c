/* Does every lane land in the bank and row that the schedule says, when it says so, and do queues,
 * merged lanes, phases and clashes look as they should? */
#include "show_help.h"

#include "core/lanes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static const struct asked scenes[] = {
    {.op = "ld.b32", .addresses = "t*4"},
    {.op = "ld.b32", .addresses = "t*8"},
    {.op = "ld.b32", .addresses = "t*128"},
    {.op = "ld.b32", .addresses = "t*132"},
    {.op = "ld.b32", .addresses = "0"},
    {.op = "ld.b32", .addresses = "t/8*4"},
    {.op = "ld.b32", .addresses = "t*t*4"},
    {.op = "ld.b64", .addresses = "t*16"},
    {.op = "ld.b128", .addresses = "t*16"},
    {.op = "ld.b128", .addresses = "t*128"},
    {.op = "ld.b8", .addresses = "t"},
    {.op = "atom.add.b32", .addresses = "t/4*4"},
    {.op = "atom.cas.b32", .addresses = "t%2*128"},
    {.op = "ldmatrix.x4", .addresses = "t*128"},
    {.op = "cp.async.cg.b128", .addresses = "t*16"},
    {.op = "ld.b32", .addresses = "t*t*4", .model = "tesla", .mask = "ffff"},
    {.op = "ld.b32", .addresses = "t*128", .model = "kepler-4byte"},
    {.op = "ld.b64", .addresses = "t*8", .model = "gcn"},
    {.op = "ld.b128", .addresses = "t*64", .model = "cdna4"},
    {.op = "ld.b32", .addresses = "t*128", .sets = {"mapping.xor=row"}},
    {.op = "ld.b32", .addresses = "t*128", .sets = {"banks=128"}},
    {.op = "ld.b32", .addresses = "t*128", .sets = {"ports=2"}},
    {.op = "ld.b32", .addresses = "t*4096"},
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- landing --------------------------------------------------------------------------------- */

/* The cell of a service, worked out from the box of all cells: its column from the left, and its
 * row by the number of the row among those shown, with the gaps above it. */
static struct bs_box cell_of(const struct bs_show *show, const struct bs_service *service)
{
    const struct bs_scene *scene = &show->scenes[0];
    const struct bs_panel *panel = &show->layout.panels[0];
    const double width = panel->cells.width / scene->banks;
    double y = panel->cells.y;
    uint32_t place = 0;
    for (; place < scene->row_count && scene->rows[place].number < service->row; place++)
        y += panel->row_pitch + scene->rows[place].apart * panel->row_gap;
    assert_true(place < scene->row_count && scene->rows[place].number == service->row);
    return (struct bs_box){panel->cells.x + service->bank * width,
                           y + scene->rows[place].apart * panel->row_gap, width, panel->row_pitch};
}

static bool is_inside(struct bs_box box, struct bs_point point)
{
    return point.x >= box.x && point.x <= box.x + box.width && point.y >= box.y &&
           point.y <= box.y + box.height;
}

/* Whether some ball of the lanes of the service lies in its cell. */
static bool has_landed(const struct bs_show *show, const struct bs_service *service)
{
    const struct bs_moment *moment = &show->moments[0];
    const struct bs_box cell = cell_of(show, service);
    for (uint32_t i = 0; i < moment->ball_count; i++) {
        const struct bs_moving *ball = &moment->balls[i];
        if (ball->stage == BS_LANDED && is_inside(cell, ball->at) &&
            ball->lane == bs_lanes_lowest(service->lanes) &&
            ball->lanes == bs_lanes_count(service->lanes))
            return true;
    }
    return false;
}

static uint32_t landed(const struct bs_moment *moment)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < moment->ball_count; i++)
        count += moment->balls[i].stage == BS_LANDED;
    return count;
}

static void every_lane_lands_where_the_schedule_says(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SCENES; s++) {
        struct bs_story story;
        struct bs_show show;
        open_show(&show, &story, &scenes[s]);
        const struct bs_schedule *schedule = &show.scenes[0].schedule;
        for (uint32_t pass = 0; pass < schedule->pass_count; pass++) {
            const struct bs_pass *now = &schedule->passes[pass];
            if (now->kind == BS_PASS_EXTRA)
                continue;
            assert_true(bs_show_seek(&show, pass + BS_STILL));
            for (uint32_t i = 0; i < now->count; i++)
                if (!has_landed(&show, &schedule->services[now->first + i]))
                    fail_msg("%s: pass %u: no ball lies in bank %u, row %u", asked_text(&scenes[s]),
                             pass + 1, schedule->services[now->first + i].bank,
                             schedule->services[now->first + i].row);
            if (landed(&show.moments[0]) != now->count)
                fail_msg("%s: pass %u: expected %u balls in cells, found %u",
                         asked_text(&scenes[s]), pass + 1, now->count, landed(&show.moments[0]));
        }
        close_show(&show, &story);
    }
}

/* Every lane is served in the end, and no ball is left over. */
static void nothing_is_left_in_the_end(void **state)
{
    (void)state;
    for (unsigned s = 0; s < SCENES; s++) {
        struct bs_story story;
        struct bs_show show;
        open_show(&show, &story, &scenes[s]);
        assert_true(bs_show_seek(&show, bs_show_passes(&show)));
        assert_true(show.moments[0].over);
        assert_int_equal(show.moments[0].ball_count, 0);
        const uint64_t active = show.scenes[0].active & ~show.scenes[0].schedule.dropped;
        for (uint32_t lane = 0; lane < BS_MAX_LANES; lane++)
            if ((active >> lane & 1) && show.moments[0].lanes[lane] != BS_LANE_SERVED)
                fail_msg("%s: lane %u is not served", asked_text(&scenes[s]), lane);
        close_show(&show, &story);
    }
}

/* Nothing jumps: a ball of the front is never far from where it was a moment before. */
static void nothing_jumps(void **state)
{
    (void)state;
    enum { STEPS = 200 };
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &scenes[2]); /* one lane a pass, all of one bank */
    const double end = bs_show_passes(&show);
    for (uint32_t lane = 1; lane < 32; lane += 10) {
        struct bs_point before = {NAN, NAN};
        for (int i = 0; i <= STEPS * (int)end; i++) {
            assert_true(bs_show_seek(&show, -1 + (double)i / STEPS));
            for (uint32_t b = 0; b < show.moments[0].ball_count; b++) {
                const struct bs_moving *ball = &show.moments[0].balls[b];
                if (ball->lane != lane)
                    continue;
                if (hypot(ball->at.x - before.x, ball->at.y - before.y) > 40)
                    fail_msg("lane %u jumps at %f from %f,%f to %f,%f", lane, show.time, before.x,
                             before.y, ball->at.x, ball->at.y);
                before = ball->at;
            }
        }
    }
    close_show(&show, &story);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void a_queue_is_as_high_as_what_waits(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &scenes[2]);
    assert_true(bs_show_seek(&show, -0.05));
    const struct bs_panel *panel = &show.layout.panels[0];
    assert_int_equal(show.moments[0].waiting[0], 32);
    const double floor = panel->queue.y + panel->queue.height;
    const double full = floor - show.moments[0].queue_top[0];
    assert_true(full > 10 * panel->ball_size / 2);
    for (uint32_t pass = 0; pass < 32; pass++) {
        assert_true(bs_show_seek(&show, pass + BS_STILL));
        assert_int_equal(show.moments[0].waiting[0], 31 - pass);
        const double height = floor - show.moments[0].queue_top[0];
        const double expected = pass == 31 ? 0 : panel->ball_size + (30 - pass) * panel->queue_step;
        assert_true(fabs(height - expected) < 0.01);
    }
    close_show(&show, &story);
}

/* The height of the middle of the ball that is highest above a bank, over the floor of all queues.
 */
static double height_of(const struct bs_show *show, uint32_t scene, uint32_t bank)
{
    const struct bs_panel *panel = &show->layout.panels[scene];
    return show->layout.panels[0].queue.y + show->layout.panels[0].queue.height -
           show->moments[scene].queue_top[bank] - panel->ball_size / 2;
}

/* Scenes that stand side by side have one scale: what waits alone is as high in each, and so is
 * every other number, whatever the size of the balls. One more waiting adds at least so many units.
 */
static void check_scale(struct asked *both, double width, double height, double least)
{
    struct bs_story story;
    struct bs_show show;
    both->width = width;
    both->height = height;
    open_show(&show, &story, both);
    assert_true(bs_show_bar(&show, true));
    assert_true(bs_show_seek(&show, -0.05));
    const struct bs_panel *first = &show.layout.panels[0];
    assert_true(first->queue_step > least * show.layout.unit);
    for (uint32_t i = 0; i < show.layout.panel_count; i++)
        for (uint32_t bank = 0; bank < show.scenes[i].banks; bank++) {
            const uint32_t waiting = show.moments[i].waiting[bank];
            const double expected = first->queue_foot + (waiting - 1.0) * first->queue_step;
            if (waiting > 0 && fabs(height_of(&show, i, bank) - expected) > 0.01)
                fail_msg("%s: %u above bank %u of scene %u are %.2f high, expected %.2f",
                         asked_text(both), waiting, bank, i, height_of(&show, i, bank), expected);
        }
    close_show(&show, &story);
}

static void queues_of_scenes_can_be_compared(void **state)
{
    (void)state;
    static const char *const compares[] = {"p=33", "p=16", "banks=64"};
    for (unsigned count = 1; count <= MAX_COMPARES; count++) {
        struct asked both = {.op = "ld.b32", .addresses = "t*p*4", .let = "p=32"};
        for (unsigned i = 0; i < count; i++)
            both.compares[i] = compares[i];
        check_scale(&both, 1280, 720, 0.1);
        check_scale(&both, 1024, 768, 0.04);
        check_scale(&both, 3840, 2160, 0.1);
    }
}

/* ---- lanes ----------------------------------------------------------------------------------- */

static void lanes_of_one_word_merge(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &scenes[4]);
    assert_true(bs_show_seek(&show, -0.5)); /* on their way, each for itself */
    assert_int_equal(show.moments[0].ball_count, 32);
    assert_int_equal(show.moments[0].balls[0].stage, BS_ARRIVING);
    assert_true(bs_show_seek(&show, -0.05));
    assert_int_equal(show.moments[0].ball_count, 1);
    assert_int_equal(show.moments[0].balls[0].lanes, 32);
    close_show(&show, &story);
}

static void inactive_lanes_stay_hollow(void **state)
{
    (void)state;
    static const struct asked half = {.op = "ld.b32", .addresses = "t*4", .mask = "f0f"};
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &half);
    for (double time = -1; time < 1; time += 0.25) {
        assert_true(bs_show_seek(&show, time));
        for (uint32_t lane = 0; lane < 32; lane++)
            assert_int_equal(show.moments[0].lanes[lane] == BS_LANE_INACTIVE,
                             !(0xf0fu >> lane & 1));
    }
    close_show(&show, &story);
}

static void a_later_phase_waits_at_home(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &scenes[8]); /* 128 bit: four phases of eight lanes */
    assert_true(bs_show_seek(&show, 1 + BS_STILL));
    assert_int_equal(show.moments[0].phase, 1);
    for (uint32_t lane = 0; lane < 32; lane++)
        assert_int_equal(show.moments[0].lanes[lane], lane < 16 ? BS_LANE_SERVED : BS_LANE_HOME);
    for (uint32_t i = 0; i < show.moments[0].ball_count; i++)
        assert_int_equal(show.moments[0].balls[i].parts, 4);
    close_show(&show, &story);
}

/* ---- clashes --------------------------------------------------------------------------------- */

static uint32_t bouncing(const struct bs_moment *moment, uint8_t lane)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < moment->ball_count; i++)
        count += moment->balls[i].stage == BS_BOUNCING && moment->balls[i].lane == lane;
    return count;
}

static void losers_bounce_and_the_cell_is_undefined(void **state)
{
    (void)state;
    static const struct asked store = {.op = "st.b32", .addresses = "t/4*4"};
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &store);
    assert_true(bs_show_seek(&show, BS_STILL));
    for (uint8_t lane = 0; lane < 32; lane++)
        assert_int_equal(bouncing(&show.moments[0], lane), 1);
    assert_int_equal(landed(&show.moments[0]), 0);
    assert_true(bs_show_seek(&show, 1));
    assert_int_equal(show.moments[0].cell_count, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(show.moments[0].cells[i].state, BS_CELL_UNDEFINED);
    close_show(&show, &story);
}

static void the_winner_of_the_model_stays(void **state)
{
    (void)state;
    static const struct asked store = {
        .op = "st.b32", .addresses = "t/4*4", .sets = {"winner=highest"}};
    struct bs_story story;
    struct bs_show show;
    open_show(&show, &story, &store);
    assert_true(bs_show_seek(&show, BS_STILL));
    for (uint8_t lane = 0; lane < 32; lane++)
        assert_int_equal(bouncing(&show.moments[0], lane), lane % 4 != 3);
    assert_int_equal(landed(&show.moments[0]), 8);
    assert_true(bs_show_seek(&show, 1));
    for (uint32_t i = 0; i < show.moments[0].cell_count; i++) {
        assert_int_equal(show.moments[0].cells[i].state, BS_CELL_WON);
        assert_int_equal(show.moments[0].cells[i].lane, 4 * i + 3);
    }
    close_show(&show, &story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lane_lands_where_the_schedule_says),
        cmocka_unit_test(nothing_is_left_in_the_end),
        cmocka_unit_test(nothing_jumps),
        cmocka_unit_test(a_queue_is_as_high_as_what_waits),
        cmocka_unit_test(queues_of_scenes_can_be_compared),
        cmocka_unit_test(lanes_of_one_word_merge),
        cmocka_unit_test(inactive_lanes_stay_hollow),
        cmocka_unit_test(a_later_phase_waits_at_home),
        cmocka_unit_test(losers_bounce_and_the_cell_is_undefined),
        cmocka_unit_test(the_winner_of_the_model_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
