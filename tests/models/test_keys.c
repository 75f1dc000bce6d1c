/* Does each key of a model matter? For every key there is an access whose result it changes. */
#include "pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define ALL UINT64_MAX

static const char small[] = "name: small\n"
                            "lanes: 32\n"
                            "banks: 32\n"
                            "bank_width: 4\n"
                            "rules:\n"
                            "  - ops: ld.* st.* cp.async.b128 cp.async.cg.b128\n"
                            "    phase_lanes: 16\n";
static const char broadcast[] = "name: broadcast\n"
                                "lanes: 32\n"
                                "banks: 32\n"
                                "bank_width: 4\n"
                                "rules:\n"
                                "  - {ops: ld.b32, phase_lanes: 32, same_word: broadcast}\n";
static const char shuffled[] = "name: shuffled\n"
                               "lanes: 32\n"
                               "banks: 32\n"
                               "bank_width: 4\n"
                               "winner: random\n"
                               "rules:\n"
                               "  - {ops: st.b32, phase_lanes: 32}\n";
static const char sectors[] = "name: sectors\n"
                              "lanes: 32\n"
                              "banks: 32\n"
                              "bank_width: 4\n"
                              "rules:\n"
                              "  - ops: cp.async.cg.b128\n"
                              "    phase_lanes: 32\n"
                              "    source_line: 128\n"
                              "    method: sectors\n";
/* The text of a whole model stands in the place of an override where a key can have none. */
static const char on_hopper[] = "name: m\nbase: hopper\n";
static const char on_tesla[] = "name: m\nbase: tesla\n";
static const char for_loads[] = "name: m\nbase: vortex\nrules: [{ops: ld.*, multiplier: 2}]\n";
static const char for_stores[] = "name: m\nbase: vortex\nrules: [{ops: st.*, multiplier: 2}]\n";

/* What of the result is looked at. */
enum result { PASSES, SLOTS, IDEAL, UNDEFINED, WINNER, ASSUMED };

static const struct effect {
    const char *key;
    const char *model;
    const char *set; /* an override, or another model */
    struct pattern pattern;
    enum result result;
    int64_t before, after;
} effects[] = {
    {"base", on_hopper, on_tesla, {"ld.b32", "t*4", ALL, NULL}, PASSES, 1, 2},
    {"lanes", small, "lanes=64", {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 4},
    {"banks", small, "banks=8", {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 4},
    {"banks", small, "banks=12", {"ld.b32", "t*48", ALL, NULL}, PASSES, 4, 32},
    {"bank_width", small, "bank_width=8", {"ld.b64", "t*16", ALL, NULL}, PASSES, 4, 2},
    {"row_bytes", small, "row_bytes=256", {"ld.b32", "t%2*128", ALL, NULL}, PASSES, 4, 2},
    {"row_bytes", small, "row_bytes=256", {"ld.b64", "t*8", ALL, NULL}, IDEAL, 2, 1},
    {"ports", small, "ports=2", {"ld.b32", "t*128", ALL, NULL}, PASSES, 32, 16},
    {"winner", small, "winner=lowest", {"st.b32", "0", ALL, NULL}, UNDEFINED, 4, 0},
    {"winner", small, "winner=highest", {"st.b32", "0", 0xf0, NULL}, WINNER, -1, 7},
    {"seed", shuffled, "seed=2", {"st.b32", "0", ALL, NULL}, WINNER, 15, 20},
    {"mapping.xor", small, "mapping.xor=row", {"ld.b32", "t*128", ALL, NULL}, PASSES, 32, 2},
    {"mapping.xor", small, "mapping.xor=fold", {"ld.b32", "t*4096", ALL, NULL}, PASSES, 32, 2},
    {"rules.ops", for_loads, for_stores, {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 1},
    {"rules.phase_lanes", small, "rules.*.phase_lanes=8", {"ld.b32", "0", ALL, NULL}, PASSES, 2, 4},
    {"rules.phases",
     small,
     "rules.*.phases=[0-7, 8-31]",
     {"ld.b32", "0", 0xff80, NULL},
     PASSES,
     1,
     2},
    {"rules.phases",
     small,
     "rules.ld.b32.phases=none",
     {"ld.b32", "0", ALL, NULL},
     PASSES,
     2,
     NO_RULE},
    {"rules.merge", small, "rules.*.merge=[1]", {"ld.b32", "t/2*4", ALL, NULL}, PASSES, 2, 1},
    {"rules.same_word",
     small,
     "rules.*.same_word=serialize",
     {"ld.b32", "0", ALL, NULL},
     PASSES,
     2,
     32},
    {"rules.same_word",
     small,
     "rules.*.same_word=broadcast",
     {"ld.b32", "t/8%2*4", ALL, NULL},
     PASSES,
     2,
     4},
    /* Lane 0 wants one word, the others another. */
    {"rules.broadcast_word",
     broadcast,
     "rules.*.broadcast_word=lowest_lane",
     {"ld.b32", "t<1 ? 0 : 4", 0xf, NULL},
     PASSES,
     1,
     2},
    {"rules.combine", small, "rules.*.combine=largest", {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 1},
    {"rules.multiplier", small, "rules.*.multiplier=3", {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 6},
    {"rules.extra_passes",
     small,
     "rules.*.extra_passes=2",
     {"ld.b32", "t*4", ALL, NULL},
     PASSES,
     2,
     4},
    {"rules.ports", small, "rules.ld.*.ports=2", {"ld.b32", "t*128", ALL, NULL}, PASSES, 32, 16},
    {"rules.banks", small, "rules.ld.*.banks=8", {"ld.b32", "t*4", ALL, NULL}, PASSES, 2, 4},
    {"rules.request_bytes",
     small,
     "rules.*.request_bytes=4",
     {"ld.b64", "t*8", ALL, NULL},
     PASSES,
     2,
     4},
    {"rules.source_line",
     small,
     "rules.cp.*.source_line=64",
     {"cp.async.b128", "t*16", 0xff, "t*64"},
     PASSES,
     1,
     8},
    {"rules.method",
     sectors,
     "rules.*.method=banks",
     {"cp.async.cg.b128", "0", ALL, "t*16"},
     PASSES,
     1,
     4},
    {"rules.method",
     small,
     "rules.cp.*.method=queues",
     {"cp.async.b128", "t*16", 0xff, "t*64"},
     PASSES,
     1,
     4},
    {"rules.sector_bytes",
     sectors,
     "rules.*.sector_bytes=64",
     {"cp.async.cg.b128", "t/8*144 + t%8*16", ALL, "t*16"},
     PASSES,
     10,
     13},
    {"rules.slots", small, "rules.*.slots=1", {"ld.b32", "t*128", ALL, NULL}, SLOTS, 32, 1},
    {"rules.basis", small, "rules.*.basis=measured", {"ld.b32", "t*4", ALL, NULL}, ASSUMED, 1, 0},
};

enum { EFFECTS = sizeof effects / sizeof *effects };

static int64_t result_of(const struct effect *effect, const char *model_text, const char *set)
{
    struct bs_model *model = model_with(model_text, set);
    struct bs_schedule schedule = {0};
    struct bs_cost cost;
    int64_t result = price(model, &effect->pattern, &cost, &schedule);
    switch (effect->result) {
    case PASSES:
        break;
    case SLOTS:
        result = cost.slots;
        break;
    case IDEAL:
        result = cost.ideal;
        break;
    case UNDEFINED:
        result = cost.undefined;
        break;
    case WINNER:
        result = schedule.clash_count ? schedule.clashes[0].winner : NO_RULE;
        break;
    case ASSUMED:
        result = cost.notes & BS_NOTE_ASSUMED_RULE;
        break;
    }
    bs_schedule_free(&schedule);
    bs_model_free(model);
    return result;
}

static void does_every_key_change_a_result(void **state)
{
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < EFFECTS; i++) {
        const struct effect *effect = &effects[i];
        const bool other = strchr(effect->set, '\n') != NULL;
        const int64_t before = result_of(effect, effect->model, NULL);
        const int64_t after =
            result_of(effect, other ? effect->set : effect->model, other ? NULL : effect->set);
        assert_true(effect->before != effect->after);
        if (before != effect->before || after != effect->after) {
            print_error("%s: expected %lld, then %lld with %s; found %lld, then %lld\n",
                        effect->key, (long long)effect->before, (long long)effect->after,
                        effect->set, (long long)before, (long long)after);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* A new key needs a row, unless it is a label that only people read. The keys of timing and
 * capacity change no cost, but cycles: tests/unit/test_engine.c and test_resident.c show theirs;
 * that of compute_capability is in tests/unit/test_model.c. */
static void has_every_key_a_row(void **state)
{
    static const char *const labels[] = {"name",    "title",       "source", "compute_capability",
                                         "changes", "rules.source"};
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    (void)state;
    for (size_t k = 0; k < count; k++) {
        bool found = strncmp(keys[k].path, "timing.", strlen("timing.")) == 0 ||
                     strncmp(keys[k].path, "capacity.", strlen("capacity.")) == 0;
        for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
            found = found || strcmp(labels[i], keys[k].path) == 0;
        for (size_t i = 0; i < EFFECTS; i++)
            found = found || strcmp(effects[i].key, keys[k].path) == 0;
        if (!found)
            fail_msg("no row shows that %s changes a result", keys[k].path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_every_key_change_a_result),
        cmocka_unit_test(has_every_key_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
