/* Do the words say what the addresses are? */
#include "show_help.h"
#include "words.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void accesses_are_said_in_words(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        const char *words;
    } cases[] = {
        {{.op = "ld.b32", .addresses = "t*128"}, "lane t reads 4 bytes at 128 t"},
        {{.op = "st.b64", .addresses = "t*8+64"}, "lane t writes 8 bytes at 8 t + 64"},
        {{.op = "ld.b8", .addresses = "t"}, "lane t reads 1 byte at t"},
        {{.op = "ld.b32", .addresses = "124-t*4"}, "lane t reads 4 bytes at 124 \u2212 4 t"},
        {{.op = "ld.b32", .addresses = "64"}, "all lanes read the same 4 bytes, at 64"},
        {{.op = "ld.b32", .addresses = "t/8*4"}, "lane t reads 4 bytes at 4 \u230at/8\u230b"},
        {{.op = "ld.b32", .addresses = "t%8*132+t/8*4"},
         "lane t reads 4 bytes at 132 (t mod 8) + 4 \u230at/8\u230b"},
        {{.op = "ld.b32", .addresses = "t%8*132+t/8*4", .mask = "ffffff00"},
         "lane t reads 4 bytes at 132 (t mod 8) + 4 \u230at/8\u230b; 24 of 32 lanes are active"},
        {{.op = "ld.b32", .addresses = "t*t*4"}, "lanes read 4 bytes each, between 0 and 3847"},
        {{.op = "ld.b32", .addresses = "t*4", .mask = "100"}, "lane 8 reads 4 bytes at 32"},
        {{.op = "ld.b32", .addresses = "t*4", .mask = "ff0"},
         "lane t reads 4 bytes at 4 t; 8 of 32 lanes are active"},
        {{.op = "ld.b32", .addresses = "t*4", .mask = "0"}, "no lane is active"},
        {{.op = "atom.add.b32", .addresses = "t*4"}, "lane t updates 4 bytes at 4 t"},
        {{.op = "ld.b32", .addresses = "(t^5)*4"}, "lane t reads 4 bytes at 4 (t xor 5)"},
        {{.op = "st.b32", .addresses = "(t^1)*4+640"},
         "lane t writes 4 bytes at 4 (t xor 1) + 640"},
        {{.op = "ld.b32", .addresses = "(t*32+(5^t))*4"},
         "lanes read 4 bytes each: row-XOR swizzle, 32 rows of 128 bytes"},
        {{.op = "ld.b128", .addresses = "t%8*128+(t/8^t%8)*16"},
         "lanes read 16 bytes each: row-XOR swizzle, 8 rows of 128 bytes"},
        {{.op = "ld.b128", .addresses = "(t/8+4)*128+(t%8^t/8+4)*16", .mask = "ffffff00"},
         "lanes read 16 bytes each: row-XOR swizzle, 4 rows of 128 bytes; 24 of 32 "
         "lanes are active"},
        {{.op = "ld.b64", .addresses = "t%4*64+(t/4^t%4)*8+512", .mask = "ff"},
         "lanes read 8 bytes each: row-XOR swizzle, 4 rows of 64 bytes; 8 of 32 lanes "
         "are active"},
        {{.op = "ld.b32", .addresses = "(t*32+(t+5)%32)*4"}, /* rotated, not xor-ed */
         "lanes read 4 bytes each, between 20 and 3987"},
        {{.op = "ld.b32", .addresses = "t%4*132+t/4%2*2048+t/8*16"}, /* a sum of three strides */
         "lanes read 4 bytes each, between 0 and 2495"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_story story;
        struct bs_show show;
        open_show(&show, &story, &cases[i].asked);
        if (strcmp(show.words, cases[i].words) != 0)
            fail_msg("%s: expected '%s', came '%s'", asked_text(&cases[i].asked), cases[i].words,
                     show.words);
        close_show(&show, &story);
    }
}

static void scenes_are_called_by_what_differs(void **state)
{
    (void)state;
    static const struct {
        struct asked asked;
        const char *first, *second;
    } cases[] = {
        {{.op = "ld.b32", .addresses = "t*p", .let = "p=4", .compares = {"p=8"}}, "p=4", "p=8"},
        {{.op = "ld.b32", .addresses = "t*4", .compares = {"bank_width=8"}},
         "bank_width=4",
         "bank_width=8"},
        {{.op = "ld.b32", .addresses = "t*4", .compares = {"mapping.xor=row"}},
         "mapping.xor=none",
         "mapping.xor=row"},
        {{.op = "ld.b32", .addresses = "t*4", .sets = {"banks=16"}, .compares = {"banks=64"}},
         "banks=16",
         "banks=64"},
        {{.op = "ld.b32", .addresses = "t*4", .compares = {"addrs=t*8"}}, "t*4", "t*8"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_story story;
        struct bs_show show;
        open_show(&show, &story, &cases[i].asked);
        assert_string_equal(story.variants[0].caption, cases[i].first);
        assert_string_equal(story.variants[1].caption, cases[i].second);
        close_show(&show, &story);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses_are_said_in_words),
        cmocka_unit_test(scenes_are_called_by_what_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
