/* Can every label be read? None is smaller than 1/45 of the picture's height, no two overlap, and
 * none leaves the picture, for narrow and wide memories and warps, in all views. Labels are taken
 * from the drawing itself. */
#include "show_help.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MAX_LABELS = 4096 };

struct labels {
    struct bs_label list[MAX_LABELS];
    uint32_t count;
};

static void note(void *user, const struct bs_label *label)
{
    struct labels *labels = user;
    assert_true(labels->count < MAX_LABELS);
    labels->list[labels->count++] = *label;
}

/* Draws the show, on nothing, and collects its labels. */
static void collect(const struct bs_show *show, struct labels *labels)
{
    const cairo_rectangle_t extent = {0, 0, show->width, show->height};
    cairo_surface_t *nothing = cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, &extent);
    struct bs_pen pen = bs_show_pen(show, cairo_create(nothing));
    labels->count = 0;
    pen.written = note;
    pen.user = labels;
    bs_show_paint(show, &pen, NULL);
    assert_int_equal(cairo_status(pen.cairo), CAIRO_STATUS_SUCCESS);
    cairo_destroy(pen.cairo);
    cairo_surface_destroy(nothing);
}

static bool overlap(struct bs_box a, struct bs_box b)
{
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height &&
           b.y < a.y + a.height;
}

static void check(const struct bs_show *show, const struct asked *asked, struct labels *labels)
{
    collect(show, labels);
    assert_true(labels->count > 10);
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct bs_label *a = &labels->list[i];
        if (a->size < show->height / 45 - 1e-9)
            fail_msg("%s, view %d, at %.2f: '%s' is %.1f pixels large, less than 1/45 of %.0f",
                     asked_text(asked), show->view, show->time, a->text, a->size, show->height);
        if (a->box.x < 0 || a->box.y < 0 || a->box.x + a->box.width > show->width ||
            a->box.y + a->box.height > show->height)
            fail_msg("%s, view %d, at %.2f: '%s' leaves the picture", asked_text(asked), show->view,
                     show->time, a->text);
        for (uint32_t k = 0; k < i; k++)
            if (overlap(a->box, labels->list[k].box))
                fail_msg("%s, view %d, at %.2f: '%s' at %.0f,%.0f lies on '%s' at %.0f,%.0f",
                         asked_text(asked), show->view, show->time, a->text, a->box.x, a->box.y,
                         labels->list[k].text, labels->list[k].box.x, labels->list[k].box.y);
    }
}

/* The stills of some passes, in every view. */
static void check_views(struct bs_show *show, const struct asked *asked, struct labels *labels)
{
    const uint32_t passes = bs_show_passes(show);
    for (unsigned view = 0; view < BS_VIEWS; view++) {
        assert_true(bs_show_view(show, (enum bs_view)view));
        const double times[] = {
            -1,    -0.05, BS_STILL, 1 + BS_STILL, passes / 2 + BS_STILL, passes - 1 + BS_STILL,
            passes};
        for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
            assert_true(bs_show_seek(show, times[i]));
            check(show, asked, labels);
        }
    }
}

static void check_patterns(struct asked *asked, struct labels *labels)
{
    static const struct {
        const char *op, *addresses;
    } patterns[] = {
        {"ld.b32", "t*4"},    {"ld.b32", "t*128"},   {"ld.b32", "t*132"},   {"ld.b32", "t/8*4"},
        {"ld.b32", "t*t*4"},  {"st.b32", "t/4*4"},   {"ld.b128", "t*16"},   {"ld.b128", "t*64"},
        {"ld.b32", "t*4096"}, {"ld.b32", "t%3*128"}, {"ld.b32", "t/2*128"}, {"st.b32", "0"},
    };
    for (unsigned i = 0; i < sizeof patterns / sizeof *patterns; i++) {
        struct bs_story story;
        struct bs_show show;
        asked->op = patterns[i].op;
        asked->addresses = patterns[i].addresses;
        open_show(&show, &story, asked);
        check_views(&show, asked, labels);
        close_show(&show, &story);
    }
}

static void check_size(double width, double height)
{
    static const char *const banks[] = {"banks=16", "banks=32", "banks=64", "banks=128"};
    struct labels *labels = test_malloc(sizeof *labels);
    for (unsigned i = 0; i < sizeof banks / sizeof *banks; i++) {
        check_patterns(&(struct asked){.sets = {banks[i]}, .width = width, .height = height},
                       labels);
        check_patterns(
            &(struct asked){.model = "gcn", .sets = {banks[i]}, .width = width, .height = height},
            labels);
    }
    test_free(labels);
}

static void labels_can_be_read_at_1280x720(void **state)
{
    (void)state;
    check_size(1280, 720);
}

static void labels_can_be_read_at_3840x2160(void **state)
{
    (void)state;
    check_size(3840, 2160);
}

static void labels_can_be_read_side_by_side(void **state)
{
    (void)state;
    static const char *const compares[] = {"bank_width=8", "banks=64", "mapping.xor=row"};
    struct labels *labels = test_malloc(sizeof *labels);
    for (unsigned count = 1; count <= MAX_COMPARES; count++) {
        struct asked asked = {0};
        for (unsigned i = 0; i < count; i++)
            asked.compares[i] = compares[i];
        check_patterns(&asked, labels);
        asked.model = "gcn";
        check_patterns(&asked, labels);
    }
    test_free(labels);
}

static void labels_can_be_read_in_odd_windows(void **state)
{
    (void)state;
    static const double sizes[][2] = {{1024, 768}, {2560, 1080}, {800, 600}, {1920, 1200}};
    struct labels *labels = test_malloc(sizeof *labels);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        check_patterns(&(struct asked){.width = sizes[i][0], .height = sizes[i][1]}, labels);
    test_free(labels);
}

static void scenes_with_other_models_are_told_apart(void **state)
{
    (void)state;
    static const struct asked banks = {
        .op = "ld.b32", .addresses = "t*4", .compares = {"banks=64"}};
    static const struct asked set = {.op = "ld.b32", .addresses = "t*4", .sets = {"banks=64"}};
    struct bs_show show;
    struct bs_story story;
    open_show(&show, &story, &banks);
    assert_string_equal(show.strip.model, "hopper: 32 banks of 4 bytes | 64 banks of 4 bytes");
    close_show(&show, &story);
    open_show(&show, &story, &set);
    assert_string_equal(show.strip.model, "hopper, banks=64: 64 banks of 4 bytes");
    close_show(&show, &story);
}

static void addresses_beside_others_need_not_use_the_names(void **state)
{
    (void)state;
    static const struct asked three = {.op = "ld.b32",
                                       .addresses = "t*pitch*4",
                                       .let = "pitch=32",
                                       .compares = {"pitch=33", "addrs=(t*32+(5^t))*4"}};
    struct bs_show show;
    struct bs_story story;
    open_show(&show, &story, &three);
    assert_int_equal(bs_scene_passes(&show.scenes[0]), 32);
    assert_int_equal(bs_scene_passes(&show.scenes[2]), 1);
    close_show(&show, &story);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_with_other_models_are_told_apart),
        cmocka_unit_test(addresses_beside_others_need_not_use_the_names),
        cmocka_unit_test(labels_can_be_read_at_1280x720),
        cmocka_unit_test(labels_can_be_read_at_3840x2160),
        cmocka_unit_test(labels_can_be_read_side_by_side),
        cmocka_unit_test(labels_can_be_read_in_odd_windows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
