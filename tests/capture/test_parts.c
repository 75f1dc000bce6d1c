/* Do the parts of a capture do what they say: cubins, listings, names, opcodes, the ring? */
#define _XOPEN_SOURCE 700 /* setenv */
#include "cubin.h"
#include "devices.h"
#include "feed.h"
#include "stream.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- cubins --------------------------------------------------------------------------------- */

static size_t read_cubin(char *bytes, size_t room)
{
    FILE *file = fopen(CAPTURE_FOLDER "/tiny.cubin", "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static bool gather(void *user, const char *kernel)
{
    char *names = user;
    strncat(names, kernel, 200);
    strncat(names, " ", 2);
    return true;
}

static void test_a_cubin_names_its_kernels(void **state)
{
    (void)state;
    char cubin[16384], names[512] = "";
    uint32_t symbol;
    const size_t size = read_cubin(cubin, sizeof cubin);
    assert_true(bs_cubin_kernels(cubin, size, gather, names));
    assert_string_equal(names, "_ZN4tiny5countILi8EEEvPj _ZN4tiny5shiftEPf ");
    assert_true(bs_cubin_symbol(cubin, size, shift_kernel, &symbol));
    assert_int_equal(symbol, 17);
    assert_false(bs_cubin_symbol(cubin, size, "_Z5other", &symbol));
}

static void test_cut_and_changed_cubins_do_no_harm(void **state)
{
    (void)state;
    char cubin[16384];
    const size_t size = read_cubin(cubin, sizeof cubin);
    uint32_t symbol;
    uint64_t random = 0x5eed0001;
    for (size_t cut = 0; cut < size; cut += 7) {
        char *part = malloc(cut + 1); /* of its own, so that a read beyond it is seen */
        char names[4096] = "";
        memcpy(part, cubin, cut);
        for (unsigned i = 0; cut > 64 && i < 4; i++) {
            random = random * UINT64_C(6364136223846793005) + 1;
            part[(random >> 33) % cut] = (char)(random >> 60);
        }
        bs_cubin_kernels(part, cut, gather, names);
        bs_cubin_symbol(part, cut, shift_kernel, &symbol);
        free(part);
    }
}

/* ---- listings ------------------------------------------------------------------------------- */

static void assert_instruction(const struct bs_listing *listing, uint64_t offset, const char *name,
                               const char *file, uint32_t line)
{
    const struct bs_instruction_at *at = bs_listing_find(listing, offset);
    assert_non_null(at);
    assert_int_equal(at->size, strlen(name));
    assert_memory_equal(at->name, name, at->size);
    assert_int_equal(at->line, line);
    assert_string_equal(listing->files[at->file], file);
}

static void test_a_listing_gives_opcodes_and_lines_of_one_kernel(void **state)
{
    (void)state;
    struct bs_listing listing;
    assert_true(bs_listing_read(&listing, shift_listing, shift_kernel));
    assert_instruction(&listing, 0x90, "STS", "tiny.cu", 6);
    assert_instruction(&listing, 0xa0, "BAR.SYNC.DEFER_BLOCKING", "tiny.cu", 7);
    assert_instruction(&listing, 0xb0, "LDS", "other.h", 70);
    assert_null(bs_listing_find(&listing, 0xb8));
    assert_int_equal(listing.sites[BS_SITE_TMA], 1);
    assert_int_equal(listing.sites[BS_SITE_WGMMA], 0);
    bs_listing_free(&listing);
}

static void test_odd_listings_do_no_harm(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "\n\n",
        "\t.section\t.text.k,\n/*",
        "\t.section\t.text.k,\n/*zz*/ LDS R0",
        "\t.section\t.text.k,\n//## File \"",
        "\t.section\t.text.k,\n//## File \"a\", line \n/*0*/@",
        "\t.section\t.text.k,\n/*10*/ { LDS R0 ;\n/*20*/\n/*30*/ LDS",
    };
    struct bs_listing listing;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(bs_listing_read(&listing, texts[i], "k"));
        bs_listing_free(&listing);
    }
    assert_true(bs_listing_read(&listing, texts[6], "k"));
    assert_int_equal(listing.count, 2);
    bs_listing_free(&listing);
}

/* ---- names ---------------------------------------------------------------------------------- */

static void test_patterns_fit_names_in_all_their_forms(void **state)
{
    (void)state;
    static const char *const fit[] = {"_ZN4tiny5countILi8EEEvPj",
                                      "*count*",
                                      "tiny::count<8>",
                                      "tiny::count",
                                      "count<*>",
                                      "count",
                                      "void tiny::count<8>(unsigned int*)"};
    static const char *const unfit[] = {"coun", "count<9>", "tiny", "shift", "ount"};
    struct bs_selection selection = bs_selection_everything();
    for (size_t i = 0; i < sizeof fit / sizeof *fit; i++) {
        selection.kernel = fit[i];
        if (!bs_selection_takes_kernel(&selection, count_kernel))
            fail_msg("'%s' should fit", fit[i]);
    }
    for (size_t i = 0; i < sizeof unfit / sizeof *unfit; i++) {
        selection.kernel = unfit[i];
        if (bs_selection_takes_kernel(&selection, count_kernel))
            fail_msg("'%s' should not fit", unfit[i]);
    }
    selection.kernel = "plain";
    assert_true(bs_selection_takes_kernel(&selection, "plain"));
    selection.kernel = "kernel"; /* (anonymous namespace)::kernel(int) */
    assert_true(bs_selection_takes_kernel(&selection, "_ZN12_GLOBAL__N_16kernelEi"));
}

static void test_a_selection_goes_through_the_environment(void **state)
{
    (void)state;
    const struct bs_selection asked = {
        .kernel = "a*b", .launch = {2, 5}, .cta = {7, UINT64_MAX}, .records = 1000};
    struct bs_selection told;
    assert_true(bs_selection_to_environment(&asked));
    assert_true(bs_selection_of_environment(&told));
    assert_string_equal(told.kernel, "a*b");
    assert_int_equal(told.launch.low, 2);
    assert_int_equal(told.launch.high, 5);
    assert_int_equal(told.cta.low, 7);
    assert_true(told.cta.high == UINT64_MAX);
    assert_int_equal(told.records, 1000);
}

static void test_devices_are_told_by_the_environment(void **state)
{
    (void)state;
    struct bs_item_device device;
    char name[BS_DEVICE_NAME];
    setenv("BANKSHOT_CAPTURE_DEVICES", "8.6 1024 one\n9.0 2048 the other\nnonsense", 1);
    bs_device_of_environment(1, &device, name);
    assert_int_equal(device.major, 9);
    assert_int_equal(device.reserved, 2048);
    assert_string_equal(device.name, "the other");
    for (int number = 2; number < 5; number++) {
        bs_device_of_environment(number, &device, name);
        assert_int_equal(device.major, 0);
        assert_string_equal(device.name, "");
    }
}

/* ---- opcodes -------------------------------------------------------------------------------- */

struct expectation {
    uint64_t offset;
    enum bs_event_kind kind;
    uint8_t flags;
    uint16_t count;
    uint32_t bytes;
    const char *with, *without; /* the op with a listing and without */
};

static void assert_op(const struct bs_listing *listing, const struct expectation *expected)
{
    const struct bs_join_frame frame = {.reserved = 0x400, .lanes = 64};
    struct bs_event event =
        event_at(expected->offset, expected->kind, expected->flags, expected->bytes, 0x400, 16);
    uint32_t addresses[BS_EVENT_LANES];
    uint64_t sources[BS_EVENT_LANES];
    struct bs_join_doubts doubts = {0};
    struct bs_access access;
    char name[BS_OP_NAME];
    event.count = expected->count;
    const struct bs_instruction_at *at = bs_listing_find(listing, expected->offset);
    assert_non_null(at);
    assert_int_equal(bs_join(&event, at, &frame, &access, addresses, sources, &doubts),
                     BS_JOINED_ACCESS);
    assert_string_equal(bs_op_name(access.op, name), expected->with);
    bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts);
    assert_string_equal(bs_op_name(access.op, name), expected->without);
}

static void test_the_listing_tells_what_the_event_does_not(void **state)
{
    (void)state;
    enum { ATOMIC = BS_EVENT_READS | BS_EVENT_WRITES };
    static const struct expectation expected[] = {
        {0x110, BS_EVENT_ACCESS, ATOMIC, 0, 4, "atom.inc.b32", "atom.add.b32"},
        {0x120, BS_EVENT_ACCESS, ATOMIC, 0, 4, "atom.add.b32", "atom.add.b32"},
        {0x130, BS_EVENT_ACCESS, ATOMIC, 0, 4, "atom.max.b32", "atom.add.b32"},
        {0x140, BS_EVENT_COPY, 0, 0, 16, "cp.async.cg.b128", "cp.async.b128"},
        {0x150, BS_EVENT_COPY, 0, 0, 16, "cp.async.b128", "cp.async.b128"},
        {0x160, BS_EVENT_MATRIX, BS_EVENT_READS, 4, 16, "ldmatrix.x4.trans", "ldmatrix.x4"},
        {0x170, BS_EVENT_ACCESS, BS_EVENT_READS, 0, 8, "ld.b64", "ld.b64"},
    };
    struct bs_listing listing;
    assert_true(bs_listing_read(&listing, count_listing, count_kernel));
    assert_int_equal(listing.sites[BS_SITE_WGMMA], 1);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_op(&listing, &expected[i]);
    bs_listing_free(&listing);
}

static void test_addresses_are_the_programs(void **state)
{
    (void)state;
    const struct bs_join_frame frame = {.reserved = 0x400, .lanes = 64};
    uint32_t addresses[BS_EVENT_LANES];
    uint64_t sources[BS_EVENT_LANES];
    struct bs_join_doubts doubts = {0};
    struct bs_access access;
    struct bs_event event = event_at(0, BS_EVENT_ACCESS, BS_EVENT_READS, 4, 0x3000440, 4);
    assert_int_equal(bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts),
                     BS_JOINED_ACCESS);
    assert_int_equal(access.addr[0], 0x40); /* without the rank in the cluster */
    event.address[5] = 0x3fc;
    assert_int_equal(bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts),
                     BS_JOINED_SYSTEM);
    event = event_at(0, BS_EVENT_BARRIER, 0, 32, 0, 0); /* for 32 of 64 lanes */
    assert_int_equal(bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts),
                     BS_JOINED_PARTIAL);
    event.bytes = 64;
    assert_int_equal(bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts),
                     BS_JOINED_ACCESS);
}

/* The H200 counts such copies like those from contiguous sources, as the model takes them. */
static void test_copies_of_nothing_have_no_sources(void **state)
{
    (void)state;
    const struct bs_join_frame frame = {.reserved = 0x400, .lanes = 64};
    uint32_t addresses[BS_EVENT_LANES];
    uint64_t sources[BS_EVENT_LANES];
    struct bs_join_doubts doubts = {0};
    struct bs_access access;
    struct bs_event event = event_at(0x140, BS_EVENT_COPY, 0, 16, 0x400, 16);
    bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts);
    assert_non_null(access.src);
    assert_true(access.src[31] == UINT64_C(0x7f0000000000) + 16 * 31);
    memset(event.source, 0, sizeof event.source);
    bs_join(&event, NULL, &frame, &access, addresses, sources, &doubts);
    assert_null(access.src);
}

/* ---- the ring ------------------------------------------------------------------------------- */

enum { SENT = 3 * BS_EVENT_SLOTS + 17 };

static void *read_socket(void *user)
{
    const int socket = *(int *)user;
    uint64_t *total = malloc(sizeof *total);
    char bytes[65536];
    ssize_t got;
    *total = 0;
    while ((got = read(socket, bytes, sizeof bytes)) > 0)
        *total += (uint64_t)got;
    return total;
}

/* A device that is faster than the host: it has to wait for room. */
static void test_more_events_than_slots_all_arrive(void **state)
{
    (void)state;
    int ends[2];
    pthread_t reader;
    void *total;
    uint64_t taken = 0;
    struct bs_event *slots = calloc(BS_EVENT_SLOTS, sizeof *slots);
    struct bs_ring ring = {.slots = slots, .taken = &taken};
    struct bs_event event = event_at(0, BS_EVENT_BARRIER, 0, 0, 0, 0);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    assert_int_equal(pthread_create(&reader, NULL, read_socket, &ends[1]), 0);
    struct bs_feed *feed = bs_feed_open(ends[0]);
    bs_feed_begin(feed, &ring);
    for (uint64_t i = 0; i < SENT; i++) {
        while (i >= *(const volatile uint64_t *)&taken + BS_EVENT_SLOTS)
            ;
        event.sequence = 0;
        slots[i % BS_EVENT_SLOTS] = event;
        *(volatile uint64_t *)&slots[i % BS_EVENT_SLOTS].sequence = i + 1;
    }
    bs_feed_end(feed, SENT, true);
    assert_int_equal(ring.next, SENT);
    bs_feed_close(feed);
    pthread_join(reader, &total);
    assert_true(*(uint64_t *)total >= SENT * UINT64_C(32)); /* 32 bytes each, and headers */
    free(total);
    free(slots);
    close(ends[1]);
}

static void test_a_launch_that_failed_gives_what_is_there(void **state)
{
    (void)state;
    uint64_t taken = 0;
    struct bs_event *slots = calloc(BS_EVENT_SLOTS, sizeof *slots);
    struct bs_ring ring = {.slots = slots, .taken = &taken};
    for (uint64_t i = 0; i < 5; i++) {
        slots[i] = event_at(0, BS_EVENT_BARRIER, 0, 0, 0, 0);
        slots[i].sequence = i == 3 ? 0 : i + 1; /* the fourth was never finished */
    }
    struct bs_feed *feed = bs_feed_open(-1);
    bs_feed_begin(feed, &ring);
    bs_feed_end(feed, 0, false);
    assert_int_equal(ring.next, 3);
    bs_feed_close(feed);
    free(slots);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cubin_names_its_kernels),
        cmocka_unit_test(test_cut_and_changed_cubins_do_no_harm),
        cmocka_unit_test(test_a_listing_gives_opcodes_and_lines_of_one_kernel),
        cmocka_unit_test(test_odd_listings_do_no_harm),
        cmocka_unit_test(test_patterns_fit_names_in_all_their_forms),
        cmocka_unit_test(test_a_selection_goes_through_the_environment),
        cmocka_unit_test(test_devices_are_told_by_the_environment),
        cmocka_unit_test(test_the_listing_tells_what_the_event_does_not),
        cmocka_unit_test(test_addresses_are_the_programs),
        cmocka_unit_test(test_copies_of_nothing_have_no_sources),
        cmocka_unit_test(test_more_events_than_slots_all_arrive),
        cmocka_unit_test(test_a_launch_that_failed_gives_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
