/* Does the view of time show each pass in the cycle in which the engine made it, and say what warps
 * are doing? */
#define _XOPEN_SOURCE 700 /* mkstemp, P_tmpdir */
#include "show_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Two warps: one with a conflict, one that waits for its value and then at a barrier. */
static const char two_warps[] = "#bankshot-trace 1\n"
                                "kernel k model=hopper\n"
                                "0 0 0x0 ld.b32 ffffffff 0+128*32\n"
                                "0 1 0x0 ld.b32 ffffffff 0+4*32\n"
                                "0 1 0x10 st.b32 ffffffff 0+4*32 dep=1\n"
                                "0 0 0x20 bar ffffffff -\n"
                                "0 1 0x20 bar ffffffff -\n"
                                "0 1 0x30 ld.b32 ffffffff 0+8*32\n";
enum { RECORDS = 6 };

/* The first waits at its barrier for a warp that has ended, or whose other records are not read. */
static const char an_early_end[] = "#bankshot-trace 1\n"
                                   "kernel k model=hopper\n"
                                   "0 0 0x0 bar ffffffff -\n"
                                   "0 1 0x0 ld.b32 ffffffff 0+4*32\n"
                                   "0 0 0x20 ld.b32 ffffffff 0+128*32\n";

static void open_trace(struct bs_story *story, const char *trace, size_t records, char path[64])
{
    struct bs_errors errors = {0};
    static const char *const model = BANKSHOT_MODELS_FOLDER "/hopper.yaml";
    snprintf(path, 64, "%s/clock-XXXXXX", P_tmpdir);
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, trace, strlen(trace)), strlen(trace));
    close(file);
    const struct bs_request request = {.trace = path, .options.model = model};
    if (!bs_story_open(story, &request, &errors) || !bs_story_read(story, SIZE_MAX, &errors))
        fail_msg("%s", errors.count ? errors.list[0].text : "no memory");
    assert_int_equal(story->count, records);
}

static uint32_t passes_of(const struct bs_clock *clock, size_t record)
{
    uint32_t step;
    const struct bs_launch_warp *warp = bs_clock_warp(clock, record, &step);
    const uint32_t owner = bs_clock_owner(clock, warp, step);
    uint32_t count = 0;
    for (size_t cycle = 0; cycle < clock->cycles; cycle++)
        count += clock->passes[cycle] == owner;
    return count;
}

static void each_pass_has_a_cycle(void **state)
{
    (void)state;
    static const uint32_t expected[RECORDS] = {32, 1, 1, 0, 0, 2};
    struct bs_story story;
    struct bs_clock clock = {0};
    char path[64];
    open_trace(&story, two_warps, RECORDS, path);
    assert_true(bs_clock_run(&clock, &story, 0, 0));
    assert_true(clock.runs);
    for (size_t i = 0; i < RECORDS; i++)
        assert_int_equal(passes_of(&clock, i), expected[i]);
    uint32_t step;
    const struct bs_launch_warp *warp = bs_clock_warp(&clock, 0, &step);
    assert_int_equal(clock.passes[warp->times[step].started], bs_clock_owner(&clock, warp, step));
    const uint64_t end = bs_clock_served(&clock, warp, step);
    assert_int_equal(clock.passes[end - 1], bs_clock_owner(&clock, warp, step));
    bs_clock_free(&clock);
    bs_story_free(&story);
    unlink(path);
}

static void warps_say_what_they_do(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_clock clock = {0};
    char path[64];
    uint32_t step;
    open_trace(&story, two_warps, RECORDS, path);
    assert_true(bs_clock_run(&clock, &story, 0, 0));
    const struct bs_launch_warp *first = bs_clock_warp(&clock, 0, &step);
    const struct bs_launch_warp *second = bs_clock_warp(&clock, 1, &step);
    const struct bs_instruction_time *load = &first->times[0];
    assert_string_equal(bs_clock_doing(&clock, first, load->issued), "issues");
    assert_string_equal(bs_clock_doing(&clock, first, load->started), "in its passes");
    assert_string_equal(bs_clock_doing(&clock, first, load->finished - 1), "result on its way");
    assert_string_equal(bs_clock_doing(&clock, second, second->times[0].finished - 1),
                        "result on its way");
    assert_string_equal(bs_clock_doing(&clock, second, second->times[2].started + 1),
                        "at a barrier");
    assert_string_equal(bs_clock_doing(&clock, first, clock.launch.engine.cycle + 100), "done");
    bs_clock_free(&clock);
    bs_story_free(&story);
    unlink(path);
}

static void a_warp_that_has_ended_holds_up_no_barrier(void **state)
{
    (void)state;
    struct bs_story story;
    struct bs_clock clock = {0};
    char path[64];
    open_trace(&story, an_early_end, 3, path);
    assert_true(bs_clock_run(&clock, &story, 0, 2));
    assert_true(clock.runs);
    assert_int_equal(passes_of(&clock, 2), 32);
    assert_int_equal(clock.launch.uneven_ctas, 1);
    bs_clock_free(&clock);
    bs_story_free(&story);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pass_has_a_cycle),
        cmocka_unit_test(warps_say_what_they_do),
        cmocka_unit_test(a_warp_that_has_ended_holds_up_no_barrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
