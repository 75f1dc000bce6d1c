/* Does a stream become the trace of what it says, whatever is asked for and however it ends? */
#include "stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ATOMIC = BS_EVENT_READS | BS_EVENT_WRITES };

/* Two launches of shift and one of count, with a CTA more in each event. */
static void make_stream(struct bs_buffer *stream)
{
    struct bs_event shift[] = {event_at(0x90, BS_EVENT_ACCESS, BS_EVENT_WRITES, 4, 0x400, 4),
                               event_at(0xa0, BS_EVENT_BARRIER, 0, 0, 0, 0),
                               event_at(0xb0, BS_EVENT_ACCESS, BS_EVENT_READS, 4, 0x404, 4)};
    struct bs_event count[] = {event_at(0x110, BS_EVENT_ACCESS, ATOMIC, 4, 0x400, 0),
                               event_at(0x140, BS_EVENT_COPY, 0, 16, 0x400, 16)};
    const struct bs_item_end end = {.recorded = 2, .unseen = {[BS_UNSEEN_WGMMA] = 12}};
    shift[1].cta = 1;
    shift[2].cta = 2;
    add_start(stream);
    add_listing(stream, shift_kernel, shift_listing);
    add_listing(stream, count_kernel, count_listing);
    add_launch(stream, shift_kernel, 0);
    add_events(stream, shift, 3);
    add_end(stream, NULL);
    add_launch(stream, count_kernel, 1);
    add_events(stream, count, 2);
    add_end(stream, &end);
    add_launch(stream, shift_kernel, 2);
    add_events(stream, shift, 1);
    add_events(stream, shift + 1, 2);
    add_end(stream, NULL);
}

static const char first_lines[] =
    "#bankshot-trace 1\n"
    "kernel _ZN4tiny5shiftEPf grid=4,1,1 block=64,1,1 smem=256 cc=9.0 "
    "device=a\\x20GPU demangled=tiny::shift(float*)\n"
    "source 0x90 tiny.cu:6\n"
    "source 0xa0 tiny.cu:7\n"
    "source 0xb0 other.h:70\n"
    "0 0 0x90 st.b32 ffffffff 0x0+4*32\n"
    "1 0 0xa0 bar ffffffff -\n"
    "2 0 0xb0 ld.b32 ffffffff 0x4+4*32\n"
    "# the code has 1 bulk copies (TMA), which no trace of lanes can show\n"
    "kernel _ZN4tiny5countILi8EEEvPj grid=4,1,1 block=64,1,1 smem=256 cc=9.0 "
    "device=a\\x20GPU demangled=void\\x20tiny::count<8>(unsigned\\x20int*)\n"
    "0 0 0x110 atom.inc.b32 ffffffff 0x0+0*32\n"
    "0 0 0x140 cp.async.cg.b128 ffffffff 0x0+16*32 src=0x7f0000000000+16*32\n"
    "# not in the trace: 12 parts of matrix products that read shared memory themselves (wgmma)\n";

static void test_a_stream_becomes_a_trace(void **state)
{
    (void)state;
    struct bs_buffer stream = {0};
    struct bs_capture_account account;
    struct bs_error error = {0};
    make_stream(&stream);
    char *text = trace_of(&stream, NULL, &account, &error);
    assert_string_equal(error.text, "");
    assert_non_null(text);
    if (strncmp(text, first_lines, sizeof first_lines - 1) != 0)
        fail_msg("expected\n%s\nto begin\n%s", first_lines, text);
    assert_int_equal(account.launches, 3);
    assert_int_equal(account.records, 8);
    assert_int_equal(account.unseen[BS_UNSEEN_WGMMA], 12);
    assert_int_equal(account.doubts.atomics + account.doubts.copies, 0);
    free(text);
    bs_buffer_free(&stream);
}

struct asked {
    const char *kernel;
    struct bs_range launch, cta;
    uint64_t records;
    uint64_t launches, got, outside, over;
};

static void test_what_is_asked_for_is_what_comes(void **state)
{
    (void)state;
    const struct bs_range all = {0, UINT64_MAX};
    const struct asked asked[] = {
        {NULL, all, all, UINT64_MAX, 3, 8, 0, 0},       {"shift", all, all, UINT64_MAX, 2, 6, 0, 0},
        {"shift", {1, 1}, all, UINT64_MAX, 1, 3, 0, 0}, {NULL, {1, 9}, all, UINT64_MAX, 2, 5, 0, 0},
        {"shift", all, {1, 2}, UINT64_MAX, 2, 4, 2, 0}, {NULL, all, all, 4, 3, 4, 0, 4},
        {"shift", all, {0, 1}, 3, 2, 3, 2, 1},          {"none", all, all, UINT64_MAX, 0, 0, 0, 0},
    };
    struct bs_buffer stream = {0};
    make_stream(&stream);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct bs_selection selection = {asked[i].kernel, asked[i].launch, asked[i].cta,
                                               asked[i].records};
        struct bs_capture_account account;
        struct bs_error error = {0};
        free(trace_of(&stream, &selection, &account, &error));
        print_message("case %zu\n", i);
        assert_string_equal(error.text, "");
        assert_int_equal(account.launches, asked[i].launches);
        assert_int_equal(account.records, asked[i].got);
        assert_int_equal(account.outside, asked[i].outside);
        assert_int_equal(account.over, asked[i].over);
    }
    bs_buffer_free(&stream);
}

static void remember(void *user, const char *sentence)
{
    bs_buffer_printf(user, "%s\n", sentence);
}

static void assert_told(const struct bs_capture_account *account, const char *part)
{
    struct bs_buffer told = {0};
    bs_capture_tell(account, remember, &told);
    char *text = bs_buffer_take(&told);
    assert_non_null(text);
    if (!strstr(text, part))
        fail_msg("expected '%s' in\n%s", part, text);
    free(text);
}

static void test_what_is_missing_is_told(void **state)
{
    (void)state;
    struct bs_buffer stream = {0};
    struct bs_capture_account account;
    struct bs_error error = {0};
    const struct bs_event atomic = event_at(0x110, BS_EVENT_ACCESS, ATOMIC, 4, 0x400, 0);
    const struct bs_event system = event_at(0x90, BS_EVENT_ACCESS, BS_EVENT_READS, 4, 0, 4);
    const struct bs_item_end end = {
        .over = 7, .outside = 8, .unseen = {[BS_UNSEEN_REMOTE] = 9}, .failure = "it went wrong"};
    add_start(&stream);
    add_launch(&stream, count_kernel, 0); /* without a listing */
    add_events(&stream, &atomic, 1);
    add_events(&stream, &system, 1);
    add_end(&stream, &end);
    bs_item_put_missed(&stream, 5, "they are part of a CUDA graph");
    add_launch(&stream, count_kernel, 1); /* that does not end */
    char *text = trace_of(&stream, NULL, &account, &error);
    assert_non_null(text);
    assert_told(&account, "7 accesses beyond the number asked for");
    assert_told(&account, "8 accesses of CTAs that were not asked for");
    assert_told(&account, "9 accesses to the shared memory of other CTAs");
    assert_told(&account, "1 accesses to the part of shared memory that is the system's");
    assert_told(&account, "1 atomics are taken as additions");
    assert_told(&account, "1 kernels without a listing");
    assert_told(&account, "5 launches not captured: they are part of a CUDA graph");
    assert_told(&account, "1 launches failed: it went wrong");
    assert_told(&account, "the program ended within a launch");
    free(text);
    bs_buffer_free(&stream);
}

/* Cut anywhere, a stream is an error or a shorter trace, and never anything worse; what came before
 * is written. */
static void test_streams_cut_anywhere(void **state)
{
    (void)state;
    struct bs_buffer stream = {0};
    size_t good = 0;
    make_stream(&stream);
    for (size_t size = 0; size < stream.size; size++) {
        struct bs_buffer cut = {.data = malloc(size + 1), .size = size};
        struct bs_capture_account account;
        struct bs_error error = {0};
        memcpy(cut.data, stream.data, size);
        char *text = trace_of(&cut, NULL, &account, &error);
        good += error.text[0] == '\0';
        free(text);
        free(cut.data);
    }
    assert_int_equal(good, 13); /* after the start and each item but the last */
    bs_buffer_free(&stream);
}

static void test_damaged_streams(void **state)
{
    (void)state;
    struct bs_buffer stream = {0};
    uint64_t random = 0x5eed0002;
    make_stream(&stream);
    for (unsigned i = 0; i < 3000; i++) {
        struct bs_buffer changed = {.data = malloc(stream.size), .size = stream.size};
        struct bs_capture_account account;
        struct bs_error error = {0};
        memcpy(changed.data, stream.data, stream.size);
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const size_t at = (random >> 33) % stream.size;
        changed.data[at] = (char)(changed.data[at] ^ (char)(1u << (random >> 61)));
        free(trace_of(&changed, NULL, &account, &error));
        free(changed.data);
    }
    bs_buffer_free(&stream);
}

static void test_items_out_of_order_are_errors(void **state)
{
    (void)state;
    const struct bs_event event = event_at(0x90, BS_EVENT_ACCESS, BS_EVENT_WRITES, 4, 0x400, 4);
    for (unsigned order = 0; order < 3; order++) {
        struct bs_buffer stream = {0};
        struct bs_capture_account account;
        struct bs_error error = {0};
        add_start(&stream);
        if (order == 0)
            add_events(&stream, &event, 1);
        else if (order == 1)
            add_end(&stream, NULL);
        else
            add_launch(&stream, shift_kernel, 0);
        add_launch(&stream, shift_kernel, 0);
        assert_null(trace_of(&stream, NULL, &account, &error));
        assert_int_equal(error.status, BS_BAD_TRACE);
        bs_buffer_free(&stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_stream_becomes_a_trace),
        cmocka_unit_test(test_what_is_asked_for_is_what_comes),
        cmocka_unit_test(test_what_is_missing_is_told),
        cmocka_unit_test(test_streams_cut_anywhere),
        cmocka_unit_test(test_damaged_streams),
        cmocka_unit_test(test_items_out_of_order_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
