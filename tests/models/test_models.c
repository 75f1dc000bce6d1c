/* Does each model say what its sources say? A row is one access and its passes, worked out by hand
 * from the source, not by this program; together they touch every rule of every model. */
#define _POSIX_C_SOURCE 200809L
#include "pattern.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ALL UINT64_MAX

/* The four lanes from 0 on and from 20 on, beside each other: one pass where they go together. */
#define SIDE "t%4*16 + t/16*64"

static const struct row {
    const char *model;
    const char *op;
    const char *addresses;
    uint64_t mask;
    int64_t passes; /* or NO_RULE */
    const char *why;
} rows[] = {
    /* Half warps are requests of their own, with one broadcast word a step. */
    {"tesla", "ld.b32", "t*4", ALL, 2, "a pass for each half warp"},
    {"tesla", "ld.b32", "0", ALL, 2, "one broadcast word"},
    {"tesla", "ld.b32", "t/8*4", ALL, 4, "two words, of which a step broadcasts one"},
    {"tesla", "ld.b32", "t%2*64", ALL, 4, "two words of one bank"},
    {"tesla", "ld.b32", "t*64", 0xffff, 16, "a column of block[16][16]"},
    {"tesla", "ld.b32", "t*68", 0xffff, 1, "the same with padding"},
    {"tesla", "ld.b8", "t", ALL, 8, "char[t]: 4-way"},
    {"tesla", "ld.b16", "t*2", ALL, 4, "short[t]: 2-way"},
    {"tesla", "ld.b64", "t*8", ALL, 8, "double[t]: two 32-bit requests, each 2-way"},
    {"tesla", "ld.b128", "t*16", ALL, 32, "four 32-bit requests, each 4-way"},
    {"tesla", "st.b32", "0", ALL, 2, "one lane of each half warp writes"},
    {"tesla", "st.b64", "t*8", ALL, 8, "double[t]: two 32-bit requests, each 2-way"},
    {"tesla", "st.b8", "t", ALL, 8, "char[t]: 4-way"},
    {"tesla", "atom.add.b32", "0", ALL, NO_RULE, "its cost is nowhere said"},

    {"fermi", "ld.b32", "t*128", ALL, 32, "32 words of one bank"},
    {"fermi", "ld.b32", "t/8*4", ALL, 1, "several words are broadcast at once"},
    {"fermi", "ld.b8", "t", ALL, 1, "bytes of one word do not conflict"},
    {"fermi", "st.b32", "0", ALL, 1, "one word"},
    {"fermi", "ld.b64", "t*8", ALL, 2, "conflicts only inside a half warp"},
    {"fermi", "ld.b64", "t*16", ALL, 4, "2-way in each half warp"},
    {"fermi", "ld.b128", "t*16", ALL, 2, "1 + 1: 2-way though each quarter is clean"},
    {"fermi", "ld.b128", "t*32", ALL, 3, "1 + 2"},
    {"fermi", "ld.b128", "t*128", ALL, 9, "1 + 8"},
    {"fermi", "ld.b128", "t<8 ? t*128 : t%8*16", ALL, 9, "1 + the worst quarter alone"},
    {"fermi", "st.b128", "t*16", ALL, 2, "1 + 1"},
    {"fermi", "atom.add.b32", "0", ALL, NO_RULE, "a loop of several instructions"},

    {"kepler-4byte", "ld.b32", "t*4", ALL, 1, "32 banks"},
    {"kepler-4byte", "ld.b32", "t%2*128", ALL, 1, "words 0 and 32 of one 64-word segment"},
    {"kepler-4byte", "ld.b32", "t%2*128 + 128", ALL, 2, "words 32 and 64: two segments"},
    {"kepler-4byte", "ld.b32", "t%2*256", ALL, 2, "words 0 and 64"},
    {"kepler-4byte", "st.b32", "t*8", ALL, 1, "every other word of a segment"},
    {"kepler-4byte", "ld.b32", "t*128", ALL, 16, "two of 32 words a row"},
    {"kepler-4byte", "ld.b64", "t*8", ALL, 1, "K80: float2 1.0 transactions"},
    {"kepler-4byte", "ld.b128", "t*16", ALL, 2, "K80: float4 2.0 transactions"},

    {"kepler-8byte", "ld.b32", "t*4", ALL, 1, "two words of 4 bytes in each bank's word"},
    {"kepler-8byte", "ld.b32", "t*128", ALL, 16, "two banks: 16 words each"},
    {"kepler-8byte", "ld.b32", "t%2*128", ALL, 1, "banks 0 and 16"},
    {"kepler-8byte", "ld.b64", "t*8", ALL, 1, "32 banks of 8 bytes"},
    {"kepler-8byte", "ld.b64", "t*16", ALL, 2, "16 banks, two words each"},
    {"kepler-8byte", "st.b8", "t", ALL, 1, "no conflict inside a word"},
    {"kepler-8byte", "ld.b128", "t*16", ALL, 2, "assumed: half warps"},

    {"maxwell", "ld.b32", "t*128", ALL, 32, "32 words of one bank"},
    {"maxwell", "st.b32", "t/2*4", ALL, 1, "the same word never conflicts"},
    {"maxwell", "ld.b64", "t*8", ALL, 2, "assumed as later"},
    {"maxwell", "ld.b128", "t/2*16", ALL, 2, "assumed as later: pairs merge"},
    {"maxwell", "st.b64", "0", ALL, 2, "assumed as later: stores never merge"},
    {"maxwell", "st.b128", "0", ALL, 4, "assumed as later: stores never merge"},
    {"maxwell", "atom.add.b32", "0", ALL, 32, "assumed as later: a pass a lane"},
    {"maxwell", "atom.inc.b32", "0", ALL, 1, "assumed as later: counted first"},
    {"maxwell", "atom.cas.b32", "0", ALL, 64, "assumed as later: twice a pass a lane"},
    {"maxwell", "atom.exch.b64", "0", ALL, 32, "assumed as later"},
    {"maxwell", "atom.cas.b64", "0", ALL, 64, "assumed as later"},
    {"maxwell", "atom.cast.b32", "0", ALL, 2, "assumed: a try reads once and writes once"},
    {"maxwell", "atom.cast.b64", "t*8", ALL, 2, "assumed"},
    {"maxwell", "ldmatrix.x1", "t*16", ALL, NO_RULE, "came with 7.5"},
    {"maxwell", "cp.async.b32", "t*4", ALL, NO_RULE, "came with 8.0"},

    {"volta", "st.b32", "t*64", ALL, 16, "V100: tile[32][16], 16.0 transactions"},
    {"volta", "ld.b64", "t/2*8", ALL, 1, "pairs merge"},
    {"volta", "ld.b128", "t/2%4*16", ALL, 2, "Turing: t xor 1 has the same address"},
    {"volta", "ld.b128", "(t/4*2 + t%2)*16", ALL, 2, "Turing: t xor 2 has the same address"},
    {"volta", "ld.b128", "t%16*16", ALL, 4, "t and t + 16 do not merge"},
    {"volta", "st.b64", "0", ALL, 2, "assumed: stores never merge"},
    {"volta", "st.b128", "0", ALL, 4, "assumed: stores never merge"},
    {"volta", "ldmatrix.x4", "t*16", ALL, 4, "assumed: a phase a matrix"},
    {"volta", "atom.add.b32", "0", ALL, 32, "assumed"},
    {"volta", "atom.inc.b32", "0", ALL, 1, "assumed"},
    {"volta", "atom.cas.b32", "0", ALL, 64, "assumed"},
    {"volta", "atom.exch.b64", "0", ALL, 32, "assumed"},
    {"volta", "atom.cas.b64", "0", ALL, 64, "assumed"},
    {"volta", "atom.cast.b32", "0", ALL, 2, "assumed: a try reads once and writes once"},
    {"volta", "atom.cast.b64", "t*8", ALL, 2, "assumed"},
    {"volta", "cp.async.b128", "t*16", ALL, NO_RULE, "came with 8.0"},
    {"volta", "stmatrix.x4", "t*16", ALL, NO_RULE, "came with 9.0"},

    {"ampere", "ld.b32", "t*128", ALL, 32, "32 words of one bank"},
    {"ampere", "st.b32", "t/16*68 + t%16*4", ALL, 2, "RTX 4090: padding that hurts"},
    {"ampere", "ld.b64", "t*8", ALL, 2, "two halves"},
    {"ampere", "st.b64", "0", ALL, 2, "stores never merge"},
    {"ampere", "ld.b128", "64", 0x18000, 2, "A100: lanes 15 and 16 are in different halves"},
    {"ampere", "st.b128", "t*16", ALL, 4, "quarters"},
    {"ampere", "ldmatrix.x2", "t*16", ALL, 2, "assumed: a phase a matrix"},
    {"ampere", "cp.async.b32", "0", ALL, 32, "assumed: nothing is shared"},
    {"ampere", "cp.async.b64", "t/2*8", ALL, 4, "assumed: nothing is shared"},
    {"ampere", "cp.async.b128", "t/2*16", ALL, 8, "assumed: nothing is shared"},
    {"ampere", "cp.async.cg.b128", "t*16", ALL, 4, "assumed: a contiguous line costs 1"},
    {"ampere", "atom.add.b32", "0", ALL, 32, "assumed"},
    {"ampere", "atom.inc.b32", "0", ALL, 1, "assumed"},
    {"ampere", "atom.cas.b32", "0", ALL, 64, "assumed"},
    {"ampere", "atom.exch.b64", "0", ALL, 32, "assumed"},
    {"ampere", "atom.cas.b64", "0", ALL, 64, "assumed"},
    {"ampere", "atom.cast.b32", "0", ALL, 2, "assumed: a try reads once and writes once"},
    {"ampere", "atom.cast.b64", "t*8", ALL, 2, "assumed"},
    {"ampere", "stmatrix.x4", "t*16", ALL, NO_RULE, "came with 9.0"},

    {"blackwell", "ld.b32", "t/2*128", ALL, 16, "RTX 5090: 16 words, two lanes each"},
    {"blackwell", "st.b32", "t/31*128", ALL, 2, "RTX 5090: 31 lanes on one word and 1"},
    {"blackwell", "ld.b64", "t%16*8", ALL, 2, "RTX 5090: t and t + 16 do not merge"},
    {"blackwell", "st.b64", "0", ALL, 2, "RTX 5090: stores never merge"},
    {"blackwell", "ld.b128", "t/2*16", ALL, 2, "RTX 5090: pairs merge"},
    {"blackwell", "st.b128", "t/2*16", ALL, 4, "stores never merge"},
    {"blackwell", "cp.async.b32", "t/31*128", ALL, 32, "RTX 5090: nothing is shared"},
    {"blackwell", "cp.async.b64", "t/2*8", ALL, 4, "RTX 5090: nothing is shared"},
    {"blackwell", "cp.async.b128", "0", ALL, 32, "RTX 5090: nothing is shared"},
    {"blackwell", "cp.async.cg.b128", "t*16", ALL, 4, "assumed: a contiguous line costs 1"},
    {"blackwell", "ldmatrix.x4", "128*t", ALL, 32, "assumed: a phase a matrix, all rows clash"},
    {"blackwell", "stmatrix.x4", "t*16", ALL, 4, "assumed: a phase a matrix"},
    {"blackwell", "atom.add.b32", "0", ALL, 32, "assumed"},
    {"blackwell", "atom.inc.b32", "0", ALL, 1, "assumed"},
    {"blackwell", "atom.cas.b32", "0", ALL, 64, "assumed"},
    {"blackwell", "atom.exch.b64", "0", ALL, 32, "assumed"},
    {"blackwell", "atom.cas.b64", "0", ALL, 64, "assumed"},
    {"blackwell", "atom.cast.b32", "0", ALL, 2, "assumed: a try reads once and writes once"},
    {"blackwell", "atom.cast.b64", "t*8", ALL, 2, "assumed"},

    {"gcn", "ld.b32", "t*4", ALL, 2, "two half wavefronts"},
    {"gcn", "ld.b32", "t*128", ALL, 64, "64 words of one bank"},
    {"gcn", "st.b32", "0", ALL, 2, "the same address is free"},
    {"gcn", "ld.b8", "t", ALL, 2, "assumed as 32 bit"},
    {"gcn", "ld.b64", "t*8", ALL, 4, "sequential float2: 512 bytes at the full 128 a pass"},
    {"gcn", "ld.b128", "t*16", ALL, 16, "sequential float4: 1024 bytes at half of 128 a pass"},

    {"cdna3", "ld.b32", "t*128", ALL, 2 + 62, "62 conflicts at full stride"},
    {"cdna3", "ld.b64", "t*128", ALL, 4 + 60, "60 conflicts at full stride"},
    {"cdna3", "ld.b128", "t*128", ALL, 8 + 56, "56 conflicts at full stride"},
    {"cdna3", "ld.b32", "t/32*4", 0x100000001, 2, "lanes 0 and 32 apart"},
    {"cdna3", "ld.b32", "t/31*4", 0x80000001, 1, "lanes 0 and 31 together"},
    {"cdna3", "ld.b16", "t*2", ALL, 2, "assumed as 32 bit"},
    {"cdna3", "ld.b64", "t/15*8", 0x8001, 1, "lanes 0 and 15 together"},
    {"cdna3", "st.b64", "t/16*8", 0x10001, 2, "lanes 0 and 16 apart"},
    {"cdna3", "st.b64", "t/15*128", 0x8001, 2, "lanes 0 and 15 conflict"},
    {"cdna3", "ld.b128", SIDE, 0x00f0000f, 1, "lanes 0-3 with 20-23"},
    {"cdna3", "ld.b128", SIDE, 0x000f00f0, 1, "lanes 4-7 with 16-19"},
    {"cdna3", "ld.b128", SIDE, 0xf0000f00, 1, "lanes 8-11 with 28-31"},
    {"cdna3", "ld.b128", SIDE, 0x0f00f000, 1, "lanes 12-15 with 24-27"},
    {"cdna3", "ld.b128", SIDE, 0x000f000f, 2, "lanes 0-3 not with 16-19"},
    {"cdna3", "ld.b128", "t*16", 0xff, 2, "lanes 0-3 not with 4-7"},
    {"cdna3", "ld.b128", "t%32%4*16 + t%32/16*64", UINT64_C(0x00f0000f00000000), 1, "and + 32"},
    {"cdna3", "ld.b128", "0", ALL, 8, "broadcasts are no conflicts"},
    {"cdna3", "ld.b96", "t/20*16", 0x100001, 1, "96 bit goes as 128: lanes 0 and 20 together"},
    {"cdna3", "ld.b96", "t/20*128", 0x100001, 2, "and conflict on one bank"},
    {"cdna3", "st.b128", "t*16", 0xff, 1, "stores by contiguous 8"},
    {"cdna3", "st.b128", "t*16", ALL, 8, "stores by contiguous 8"},
    {"cdna3", "st.b96", "t*12", ALL, 8, "assumed as 128 bit"},

    {"cdna4", "ld.b32", "t*4", ALL, 1, "64 lanes, 64 banks"},
    {"cdna4", "ld.b32", "t*128", 3, 1, "words 0 and 32 are in different banks"},
    {"cdna4", "ld.b32", "t*256", ALL, 64, "64 words of one bank"},
    {"cdna4", "ld.b8", "t", ALL, 1, "assumed as 32 bit"},
    {"cdna4", "ld.b64", "t*8", ALL, 2, "2 x 32 lanes"},
    {"cdna4", "ld.b128", "t*16", ALL, 4, "4 phases"},
    {"cdna4", "ld.b128", "t<4 ? t*16 : t<16 ? t*16-128 : t*16-192", 0x0ff0f00f, 1,
     "lanes 0-3, 12-15 and 20-27"},
    {"cdna4", "ld.b128", "t*16", 0xff, 2, "lanes 0-3 not with 4-7"},
    {"cdna4", "ld.b96", "t*16", 0xff, 2, "assumed as 128 bit"},
    {"cdna4", "st.b32", "t*4", ALL, 2, "writes: 32 banks"},
    {"cdna4", "st.b32", "t*128", 3, 2, "to a write, words 0 and 32 are in one bank"},
    {"cdna4", "st.b64", "t*8", ALL, 4, "writes: 32 banks"},
    {"cdna4", "st.b128", "t*16", ALL, 8, "writes: 32 banks"},

    {"rdna3", "ld.b32", "t*4", ALL, 1, "1 x 32 lanes"},
    {"rdna3", "ld.b8", "t", ALL, 1, "assumed as 32 bit"},
    {"rdna3", "ld.b64", "t*8", ALL, 2, "2 x 16 lanes"},
    {"rdna3", "ld.b128", SIDE, 0x00f0000f, 1, "lanes 0-3 with 20-23, as CDNA3"},
    {"rdna3", "ld.b128", "t*16", 0xff, 2, "lanes 0-3 not with 4-7"},
    {"rdna3", "st.b32", "t*4", ALL, 1, "assumed contiguous"},
    {"rdna3", "st.b64", "t*8", ALL, 2, "assumed contiguous"},
    {"rdna3", "st.b128", "t*16", 0xff, 1, "assumed contiguous"},

    {"rdna4", "ld.b32", "t*4", ALL, 1, "1 x 32 lanes"},
    {"rdna4", "ld.b8", "t", ALL, 1, "assumed as 32 bit"},
    {"rdna4", "ld.b64", "t*8", ALL, 2, "2 x 16 lanes"},
    {"rdna4", "ld.b128", "t*16", 0xff, 1, "4 x 8 contiguous"},
    {"rdna4", "ld.b128", SIDE, 0x00f0000f, 2, "lanes 0-3 not with 20-23"},
    {"rdna4", "st.b32", "t*4", ALL, 1, "assumed contiguous"},
    {"rdna4", "st.b64", "t*8", ALL, 2, "assumed contiguous"},
    {"rdna4", "st.b128", "t*16", 0xff, 1, "assumed contiguous"},

    {"intel-slm", "ld.b32", "0", ALL, 1, "reading the same address is free"},
    {"intel-slm", "ld.b32", "t*64", ALL, 16, "16 words of one bank"},
    {"intel-slm", "st.b32", "0", ALL, 16, "writes to one bank always conflict"},
    {"intel-slm", "st.b32", "t/2*4", ALL, 2, "two lanes on each address"},
    {"intel-slm", "st.b32", "t*4", ALL, 1, "16 banks"},
    {"intel-slm", "ld.b64", "t*8", ALL, NO_RULE, "not documented"},

    {"vortex", "ld.b32", "t*4", ALL, 1, "32 banks"},
    {"vortex", "ld.b32", "0", ALL, 32, "reads of the same word serialise"},
    {"vortex", "st.b32", "0", ALL, 32, "and so do writes"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static void do_the_models_give_what_their_sources_say(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct pattern pattern = {row->op, row->addresses, row->mask, NULL};
        struct bs_model *model = model_with(row->model, NULL);
        struct bs_cost cost;
        const int64_t passes = price(model, &pattern, &cost, NULL);
        if (passes != row->passes) {
            print_error("%s: %s\n  expected %lld passes, found %lld\n"
                        "  bankshot eval -m %s %s '%s' --mask %llx\n",
                        row->model, row->why, (long long)row->passes, (long long)passes, row->model,
                        row->op, row->addresses, (unsigned long long)row->mask);
            wrong++;
        }
        bs_model_free(model);
    }
    assert_int_equal(wrong, 0);
}

/* The first op that takes a rule which no row is for, or BS_OPS. */
static unsigned untouched_op(const struct bs_model *model)
{
    bool touched[BS_OPS] = {false};
    for (size_t i = 0; i < ROWS; i++) {
        struct bs_op op;
        assert_true(bs_op_parse(rows[i].op, strlen(rows[i].op), &op));
        if (strcmp(rows[i].model, model->name) == 0 && bs_model_rule(model, op))
            touched[model->rule_of[op.index]] = true;
    }
    unsigned op = 0;
    while (op < BS_OPS && (model->rule_of[op] == BS_NO_RULE || touched[model->rule_of[op]]))
        op++;
    return op;
}

/* hopper is held to thousands of measured rows elsewhere. */
static void has_every_rule_of_every_model_a_row(void **state)
{
    unsigned count = 0;
    DIR *folder = opendir(BANKSHOT_MODELS_FOLDER);
    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0 || strcmp(entry->d_name, "hopper.yaml") == 0)
            continue;
        *dot = '\0';
        struct bs_model *model = model_with(entry->d_name, NULL);
        const unsigned op = untouched_op(model);
        char name[BS_OP_NAME];
        if (op < BS_OPS)
            fail_msg("no row for the rule of %s in %s", bs_op_name(bs_op_at(op), name),
                     model->name);
        assert_string_equal(model->changes, ""); /* a rule says how sure it is as it stands */
        bs_model_free(model);
        count++;
    }
    closedir(folder);
    assert_int_equal(count, 15);
}

/* On cc 1.x a store of one word by a whole warp is two writes, one for each half warp. */
static void does_one_lane_of_each_half_warp_write(void **state)
{
    static const struct pattern store = {"st.b32", "0", 0xffffffff, NULL};
    struct bs_model *model = model_with("tesla", NULL);
    struct bs_schedule schedule = {0};
    struct bs_cost cost;
    (void)state;
    price(model, &store, &cost, &schedule);
    assert_int_equal(schedule.service_count, 2);
    assert_int_equal(schedule.services[0].lanes, 0x0000ffff);
    assert_int_equal(schedule.services[1].lanes, 0xffff0000);
    assert_int_equal(cost.undefined, 4);
    bs_schedule_free(&schedule);
    bs_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(do_the_models_give_what_their_sources_say),
        cmocka_unit_test(has_every_rule_of_every_model_a_row),
        cmocka_unit_test(does_one_lane_of_each_half_warp_write),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
