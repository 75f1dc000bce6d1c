/*
 * Does a model file mean what its reference says: every key, overrides, bases, the order of rules?
 * Does a model come back the same from its own print?
 */
#define _POSIX_C_SOURCE 200809L
#include "model_help.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char small[] = "name: small\n"
                            "lanes: 32\n"
                            "banks: 32\n"
                            "bank_width: 4\n"
                            "rules:\n"
                            "  - ops: ld.b32 cp.async.b128\n"
                            "    phase_lanes: 8\n";

/* ---- the models there are -------------------------------------------------------------------- */

static void do_all_models_load_and_print_and_load_back(void **state)
{
    unsigned count = 0;
    DIR *folder = opendir(BANKSHOT_MODELS_FOLDER);
    (void)state;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0)
            continue;
        *strrchr(entry->d_name, '.') = '\0';
        struct bs_model *model = load(entry->d_name, BANKSHOT_MODELS_FOLDER);
        assert_string_equal(model->name, entry->d_name);
        assert_true(model->title[0] && model->source[0]);
        for (uint32_t i = 0; i < model->rule_count; i++)
            assert_true(model->rules[i].source[0]);
        check_print_loads_back(model, entry->d_name);
        bs_model_free(model);
        count++;
    }
    closedir(folder);
    assert_true(count >= 1);
}

/* What was measured on an H200. */
static void does_hopper_have_the_measured_rules_and_no_others(void **state)
{
    static const struct {
        const char *ops;
        uint32_t phases, merges, same_word, multiplier, source_line, method, slots;
    } expected[] = {
        {"ld.b8 ld.b16 ld.b32", 1, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"ld.b64", 2, 2, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"ld.b128", 4, 2, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"st.b8 st.b16 st.b32", 1, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"st.b64", 2, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"st.b128", 4, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"atom.add.b32 atom.max.b32 atom.min.b32 atom.and.b32 atom.or.b32 atom.xor.b32 "
         "atom.exch.b32 red.add.b32 red.max.b32 red.min.b32 red.and.b32 red.or.b32 red.xor.b32 "
         "red.exch.b32",
         1, 0, BS_SERIALIZE, 1, 0, BS_BY_BANKS, 0},
        {"atom.inc.b32 red.inc.b32", 1, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"atom.cas.b32 red.cas.b32", 1, 0, BS_SERIALIZE, 2, 0, BS_BY_BANKS, 0},
        {"atom.cast.b32 red.cast.b32 atom.cast.b64 red.cast.b64", 32, 0, BS_MULTICAST, 2, 0,
         BS_BY_BANKS, 2},
        {"atom.exch.b64 red.exch.b64", 2, 0, BS_SERIALIZE, 1, 0, BS_BY_BANKS, 0},
        {"atom.cas.b64 red.cas.b64", 2, 0, BS_SERIALIZE, 2, 0, BS_BY_BANKS, 0},
        {"ldmatrix.x1 ldmatrix.x2 ldmatrix.x4 ldmatrix.x1.trans ldmatrix.x2.trans "
         "ldmatrix.x4.trans stmatrix.x1 stmatrix.x2 stmatrix.x4 stmatrix.x1.trans "
         "stmatrix.x2.trans stmatrix.x4.trans",
         4, 0, BS_MULTICAST, 1, 0, BS_BY_BANKS, 0},
        {"cp.async.b32", 1, 0, BS_SERIALIZE, 1, 0, BS_BY_QUEUES, 0},
        {"cp.async.b64", 2, 0, BS_SERIALIZE, 1, 0, BS_BY_QUEUES, 0},
        {"cp.async.b128", 4, 0, BS_SERIALIZE, 1, 0, BS_BY_QUEUES, 0},
        {"cp.async.cg.b128", 1, 0, BS_MULTICAST, 1, 128, BS_BY_SECTORS, 1},
    };
    unsigned left = 0;
    (void)state;
    struct bs_model *model = load("hopper", BANKSHOT_MODELS_FOLDER);
    for (unsigned op = 0; op < BS_OPS; op++)
        left += bs_model_rule(model, bs_op_at(op)) != NULL;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        for (const char *op = expected[i].ops; *op; op += strspn(op, " ")) {
            char name[BS_OP_NAME] = "";
            memcpy(name, op, strcspn(op, " "));
            op += strlen(name);
            const struct bs_rule *rule = rule_of(model, name);
            if (!rule || rule->phases != expected[i].phases || rule->merges != expected[i].merges ||
                rule->same_word != expected[i].same_word ||
                rule->multiplier != expected[i].multiplier ||
                rule->source_line != expected[i].source_line ||
                rule->method != expected[i].method || rule->slots != expected[i].slots)
                fail_msg("the rule of %s is not the measured one", name);
            left--;
        }
    }
    assert_int_equal(left, 0); /* rules that the table does not name */
    assert_int_equal(model->row_bytes, 128);
    bs_model_free(model);
}

/* ---- keys ------------------------------------------------------------------------------------ */

/* For each key an override, and the line of the model's print that it must make. */
static const struct {
    const char *key;
    const char *set;
    const char *line;
} effects[] = {
    {"name", "name=other", "name: other\n"},
    {"compute_capability", "compute_capability=8.x 9.0", "compute_capability: \"8.x 9.0\"\n"},
    {"title", "title=\"A title: with 'all' \\\\ of \\\"it\\\"\"",
     "title: \"A title: with 'all' \\\\ of \\\"it\\\"\"\n"},
    {"source", "source=somewhere", "source: somewhere\n"},
    {"changes", "changes=banks=16", "changes: \"banks=16\"\n"},
    {"lanes", "lanes=0x40", "lanes: 64\n"},
    {"banks", "banks=48", "banks: 48\n"},
    {"bank_width", "bank_width=8", "bank_width: 8\n"},
    {"row_bytes", "row_bytes=256", "row_bytes: 256\n"},
    {"ports", "ports=2", "\nports: 2\n"},
    {"winner", "winner=random", "winner: random\n"},
    {"seed", "seed=7", "seed: 7\n"},
    {"mapping.xor", "mapping.xor=fold", "mapping:\n  xor: fold\n"},
    {"timing.basis", "timing.basis=measured", "timing:\n  basis: measured\n"},
    {"timing.source", "timing.source=a clock", "  source: a clock\n"},
    {"timing.schedulers", "timing.schedulers=2", "timing:\n  schedulers: 2\n"},
    {"timing.scheduler_interval", "timing.scheduler_interval=2",
     "timing:\n  scheduler_interval: 2\n"},
    {"timing.data_interval", "timing.data_interval=3", "timing:\n  data_interval: 3\n"},
    {"timing.warp_interval", "timing.warp_interval=415", "timing:\n  warp_interval: 415\n"},
    {"timing.pass_interval", "timing.pass_interval=3", "timing:\n  pass_interval: 3\n"},
    {"timing.queue", "timing.queue=3", "timing:\n  queue: 3\n"},
    {"timing.in_flight", "timing.in_flight=9", "timing:\n  in_flight: 9\n"},
    {"timing.lookahead", "timing.lookahead=3", "timing:\n  lookahead: 3\n"},
    {"timing.latency_32", "timing.latency_32=3", "timing:\n  latency_32: 3\n"},
    {"timing.latency_64", "timing.latency_64=3", "timing:\n  latency_64: 3\n"},
    {"timing.latency_128", "timing.latency_128=3", "timing:\n  latency_128: 3\n"},
    {"timing.latency_atom", "timing.latency_atom=3", "timing:\n  latency_atom: 3\n"},
    {"timing.latency_add", "timing.latency_add=3", "timing:\n  latency_add: 3\n"},
    {"timing.barrier_latency", "timing.barrier_latency=3", "timing:\n  barrier_latency: 3\n"},
    {"timing.barrier_interval", "timing.barrier_interval=3", "timing:\n  barrier_interval: 3\n"},
    {"capacity.basis", "capacity.basis=measured", "capacity:\n  basis: measured\n"},
    {"capacity.source", "capacity.source=a table", "  source: a table\n"},
    {"capacity.shared_memory", "capacity.shared_memory=3", "capacity:\n  shared_memory: 3\n"},
    {"capacity.reserved_memory", "capacity.reserved_memory=3", "capacity:\n  reserved_memory: 3\n"},
    {"capacity.ctas", "capacity.ctas=3", "capacity:\n  ctas: 3\n"},
    {"capacity.warps", "capacity.warps=3", "capacity:\n  warps: 3\n"},
    {"rules.phase_lanes", "rules.*.phase_lanes=16", "    phase_lanes: 16\n"},
    {"rules.phases", "rules.*.phases=[0-3 20-23, 4-19, 24 26-31, 25]",
     "    phases: [\"0-3 20-23\", \"4-19\", \"24 26-31\", \"25\"]\n"},
    {"rules.merge", "rules.*.merge=[2, 1]", "    merge: [2, 1]\n"},
    {"rules.same_word", "rules.*.same_word=broadcast", "    same_word: broadcast\n"},
    {"rules.broadcast_word", "rules.*.broadcast_word=lowest_lane",
     "    broadcast_word: lowest_lane\n"},
    {"rules.combine", "rules.*.combine=largest", "    combine: largest\n"},
    {"rules.multiplier", "rules.*.multiplier=2", "    multiplier: 2\n"},
    {"rules.extra_passes", "rules.*.extra_passes=1", "    extra_passes: 1\n"},
    {"rules.ports", "rules.*.ports=2", "    ports: 2\n"},
    {"rules.banks", "rules.*.banks=16", "    banks: 16\n"},
    {"rules.request_bytes", "rules.*.request_bytes=4", "    request_bytes: 4\n"},
    {"rules.source_line", "rules.cp.async.b128.source_line=128", "    source_line: 128\n"},
    {"rules.sector_bytes", "rules.*.sector_bytes=64", "    sector_bytes: 64\n"},
    {"rules.slots", "rules.*.slots=1", "    slots: 1\n"},
    {"rules.basis", "rules.*.basis=measured", "    basis: measured\n"},
    {"rules.source", "rules.*.source=a book", "    source: a book\n"},
};

static void does_every_key_change_the_model(void **state)
{
    (void)state;
    struct bs_model *plain = parse(small, NULL);
    char *plain_yaml = bs_model_yaml(plain);
    for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
        struct bs_model *model = parse(small, effects[i].set);
        char *yaml = bs_model_yaml(model);
        if (same_model(plain, model) || strstr(plain_yaml, effects[i].line) ||
            !strstr(yaml, effects[i].line))
            fail_msg("%s has no effect:\n%s", effects[i].set, yaml);
        check_print_loads_back(model, effects[i].set);
        free(yaml);
        bs_model_free(model);
    }
    free(plain_yaml);
    bs_model_free(plain);
}

static void is_a_model_for_the_devices_that_it_lists(void **state)
{
    (void)state;
    struct bs_model *model = parse(small, "compute_capability=8.x 9.0 12.1");
    assert_true(bs_model_is_for(model, 8, 0) && bs_model_is_for(model, 8, 9));
    assert_true(bs_model_is_for(model, 9, 0) && bs_model_is_for(model, 12, 1));
    assert_false(bs_model_is_for(model, 9, 1) || bs_model_is_for(model, 12, 0));
    assert_false(bs_model_is_for(model, 80, 0) || bs_model_is_for(model, 1, 2));
    bs_model_free(model);
    static const char *const wrong[] = {"9", "9.", ".0", "x.0", "9.xx", "0.1", "8.x,9.0", "1000.0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct bs_errors errors = {0};
        char set[64];
        snprintf(set, sizeof set, "compute_capability=8.x %s", wrong[i]);
        const char *const sets[] = {set, NULL};
        assert_null(bs_model_parse(small, strlen(small), "small", NULL, sets, &errors));
        assert_int_equal(errors.count, 1);
        bs_errors_free(&errors);
    }
}

static void does_a_base_keep_its_devices_to_itself(void **state)
{
    (void)state;
    static const char text[] = "name: m\nbase: hopper\n";
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_parse(text, strlen(text), "m", folders, NULL, &errors);
    assert_non_null(model);
    assert_false(bs_model_is_for(model, 9, 0));
    bs_model_free(model);
    model = bs_model_load("hopper", folders, NULL, &errors);
    assert_true(bs_model_is_for(model, 9, 0));
    bs_model_free(model);
}

/* method needs other keys with it; ops and base cannot be overridden. */
static void is_every_key_of_the_reference_tested(void **state)
{
    static const char *const elsewhere[] = {"base", "rules.ops", "rules.method"};
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    (void)state;
    for (size_t k = 0; k < count; k++) {
        bool found = false;
        for (size_t i = 0; i < sizeof effects / sizeof *effects; i++)
            found = found || strcmp(effects[i].key, keys[k].path) == 0;
        for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
            found = found || strcmp(elsewhere[i], keys[k].path) == 0;
        if (!found)
            fail_msg("no test shows that %s matters", keys[k].path);
        assert_true(keys[k].type[0] && keys[k].text[0]);
    }
}

static void does_method_change_the_model(void **state)
{
    (void)state;
    struct bs_model *model =
        parse("{name: m, lanes: 32, banks: 32, bank_width: 4, rules: [{ops: cp.async.cg.b128, "
              "phase_lanes: 32, method: sectors, source_line: 128, slots: 1}]}",
              NULL);
    const struct bs_rule *rule = rule_of(model, "cp.async.cg.b128");
    assert_int_equal(rule->method, BS_BY_SECTORS);
    assert_int_equal(rule->sector_bytes, 32);
    check_print_loads_back(model, "method");
    bs_model_free(model);
}

static bool takes(const char *path, uint64_t value)
{
    char set[96];
    const bool of_rule = strncmp(path, "rules.", 6) == 0;
    snprintf(set, sizeof set, "%s%s=%llu", of_rule ? "rules.cp.async.b128." : "",
             of_rule ? path + 6 : path, (unsigned long long)value);
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_parse(small, strlen(small), "m", NULL, sets, &errors);
    const bool fine = model != NULL;
    bs_model_free(model);
    bs_errors_free(&errors);
    return fine;
}

/* The types that the reference names are the ones that the loader takes. */
static void are_the_ranges_of_the_reference_those_of_the_loader(void **state)
{
    size_t count;
    unsigned ranges = 0;
    const struct bs_model_key *keys = bs_model_keys(&count);
    (void)state;
    for (size_t k = 0; k < count; k++) {
        const char *range = strstr(keys[k].type, "integer ");
        const char *to = range ? strstr(range, " to ") : NULL;
        uint64_t low, high;
        if (!to || strstr(keys[k].type, "list") || strstr(keys[k].type, "auto, ") ||
            strcmp(keys[k].path, "rules.banks") == 0)
            continue;
        assert_true(bs_number_parse(range + 8, (size_t)(to - range) - 8, UINT64_MAX, &low));
        assert_true(bs_number_parse(to + 4, strlen(to + 4), UINT64_MAX, &high));
        if (!takes(keys[k].path, low) || !takes(keys[k].path, high) ||
            (low > 0 && takes(keys[k].path, low - 1)) || takes(keys[k].path, high + 1))
            fail_msg("%s is not: %s", keys[k].path, keys[k].type);
        ranges++;
    }
    assert_int_equal(ranges, 29);
    assert_true(takes("rules.banks", 1) && takes("rules.banks", 32) && !takes("rules.banks", 0) &&
                !takes("rules.banks", 5) && !takes("rules.banks", 64));
    assert_true(takes("row_bytes", 1048576) && !takes("row_bytes", 1048704));
    assert_true(takes("rules.slots", 4096) && !takes("rules.slots", 4097));
    assert_true(takes("rules.source_line", 0) && takes("rules.source_line", 16) &&
                takes("rules.source_line", 4096) && !takes("rules.source_line", 8) &&
                !takes("rules.source_line", 8192) && !takes("rules.source_line", 48));
    assert_true(takes("rules.sector_bytes", 16) && takes("rules.sector_bytes", 256) &&
                !takes("rules.sector_bytes", 8) && !takes("rules.sector_bytes", 512));
}

static void are_the_defaults_those_of_the_reference(void **state)
{
    (void)state;
    struct bs_model *model = parse(small, NULL);
    const struct bs_rule *rule = rule_of(model, "ld.b32");
    assert_int_equal(model->row_bytes, 128);
    assert_int_equal(model->ports, 1);
    assert_int_equal(model->winner, BS_UNDEFINED);
    assert_int_equal(model->seed, 1);
    assert_int_equal(model->mapping.hash, BS_XOR_NONE);
    assert_int_equal(rule->merges, 0);
    assert_int_equal(rule->same_word, BS_MULTICAST);
    assert_int_equal(rule->broadcast_word, BS_MOST_LANES);
    assert_int_equal(rule->combine, BS_SUM);
    assert_int_equal(rule->multiplier, 1);
    assert_int_equal(rule->extra_passes, 0);
    assert_int_equal(rule->ports, 1);
    assert_int_equal(rule->banks, 32);
    assert_int_equal(rule->request_bytes, 0);
    assert_int_equal(rule->source_line, 0);
    assert_int_equal(rule->method, BS_BY_BANKS);
    assert_int_equal(rule->sector_bytes, 32);
    assert_int_equal(rule->slots, 0);
    assert_int_equal(rule->basis, BS_ASSUMED);
    assert_string_equal(rule->source, "");
    bs_model_free(model);
}

static void does_auto_stand_for_the_default(void **state)
{
    (void)state;
    struct bs_model *model = parse(small, NULL);
    struct bs_model *row = parse(small, "row_bytes=auto");
    struct bs_model *slots = parse(small, "rules.*.slots=auto");
    assert_true(same_model(model, row) && same_model(model, slots));
    bs_model_free(model);
    bs_model_free(row);
    bs_model_free(slots);
}

static void have_enums_their_names_in_files(void **state)
{
    (void)state;
    assert_string_equal(bs_basis_name(BS_MEASURED), "measured");
    assert_string_equal(bs_basis_name(BS_REPORTED), "reported");
    assert_string_equal(bs_basis_name(BS_DOCUMENTED), "documented");
    assert_string_equal(bs_basis_name(BS_ASSUMED), "assumed");
    assert_string_equal(bs_winner_name(BS_UNDEFINED), "undefined");
    assert_string_equal(bs_winner_name(BS_LOWEST), "lowest");
    assert_string_equal(bs_winner_name(BS_HIGHEST), "highest");
    assert_string_equal(bs_winner_name(BS_RANDOM), "random");
    assert_string_equal(bs_same_word_name(BS_MULTICAST), "multicast");
    assert_string_equal(bs_same_word_name(BS_BROADCAST), "broadcast");
    assert_string_equal(bs_same_word_name(BS_SERIALIZE), "serialize");
}

/* ---- rules ----------------------------------------------------------------------------------- */

#define HEAD "name: m\nlanes: 32\nbanks: 32\nbank_width: 4\n"

static void do_later_items_override_earlier_ones_key_by_key(void **state)
{
    (void)state;
    struct bs_model *model = parse(HEAD "ports: 3\n"
                                        "rules:\n"
                                        "  - ops: '*'\n"
                                        "    multiplier: 2\n"
                                        "    combine: largest\n"
                                        "  - ops: [ld.b32 LDS.128, ds_write_b64, cp.async.b?2]\n"
                                        "    phase_lanes: 16\n"
                                        "    multiplier: 4\n"
                                        "  - ops: ld.*\n"
                                        "    ports: 1\n"
                                        "  - ops: ld.b128\n"
                                        "    phases: [0-15 17, 16 18-31]\n",
                                   NULL);
    const struct bs_rule *rule = rule_of(model, "ld.b128");
    assert_int_equal(rule->phases, 2);
    assert_int_equal(rule->phase[0], 0x2ffff);
    assert_int_equal(rule->phase[1], 0xfffd0000);
    assert_int_equal(rule->multiplier, 4);
    assert_int_equal(rule->combine, BS_LARGEST);
    assert_int_equal(rule->ports, 1);
    rule = rule_of(model, "ld.b32");
    assert_int_equal(rule->phase[1], 0xffff0000);
    assert_int_equal(rule_of(model, "st.b64")->ports, 3);
    assert_ptr_equal(rule_of(model, "st.b64"), rule_of(model, "cp.async.b32"));
    assert_null(rule_of(model, "ld.b64"));
    assert_null(rule_of(model, "bar"));
    assert_int_equal(model->rule_count, 3);
    bs_model_free(model);
}

static void do_phases_none_take_a_rule_away(void **state)
{
    (void)state;
    struct bs_model *model = parse(HEAD "rules:\n"
                                        "  - {ops: 'ld.*', phase_lanes: 32, multiplier: 2}\n"
                                        "  - {ops: ld.b64 ld.b128, phases: none}\n"
                                        "  - {ops: ld.b128, phase_lanes: 8}\n",
                                   "rules.ld.b96.phases=none");
    assert_non_null(rule_of(model, "ld.b32"));
    assert_null(rule_of(model, "ld.b64"));
    assert_null(rule_of(model, "ld.b96"));
    assert_int_equal(rule_of(model, "ld.b128")->phases, 4);
    assert_int_equal(rule_of(model, "ld.b128")->multiplier, 2);
    check_print_loads_back(model, "a model with phases: none");
    bs_model_free(model);
}

static void do_phases_and_phase_lanes_replace_each_other(void **state)
{
    static const char text[] = HEAD "rules:\n  - {ops: ld.b32, phases: [0-15, 16-31]}\n"
                                    "  - {ops: ld.b32, phase_lanes: 8}\n";
    (void)state;
    struct bs_model *model = parse(text, NULL);
    assert_int_equal(rule_of(model, "ld.b32")->phases, 4);
    bs_model_free(model);
    model = parse(text, "rules.ld.b32.phases=[0-31]");
    assert_int_equal(rule_of(model, "ld.b32")->phases, 1);
    bs_model_free(model);
}

static void do_phase_lanes_follow_the_lanes(void **state)
{
    static const struct {
        const char *set;
        uint32_t phases;
        uint64_t last;
    } cases[] = {{"lanes=64", 8, UINT64_C(0xff00000000000000)},
                 {"lanes=12", 2, 0xf00},
                 {"lanes=4", 1, 0xf},
                 {"rules.*.phase_lanes=1", 32, 0x80000000},
                 {"rules.*.phase_lanes=64", 1, 0xffffffff}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bs_model *model = parse(small, cases[i].set);
        const struct bs_rule *rule = rule_of(model, "ld.b32");
        assert_int_equal(rule->phases, cases[i].phases);
        assert_true(rule->phase[rule->phases - 1] == cases[i].last);
        check_print_loads_back(model, cases[i].set);
        bs_model_free(model);
    }
}

static void does_auto_row_follow_the_geometry(void **state)
{
    (void)state;
    struct bs_model *model = parse(small, "bank_width=8");
    char *yaml = bs_model_yaml(model);
    assert_int_equal(model->row_bytes, 256);
    assert_null(strstr(yaml, "row_bytes"));
    free(yaml);
    bs_model_free(model);
}

static void is_a_text_block_one_line(void **state)
{
    (void)state;
    struct bs_model *model = parse("title: >\n  two\n  lines\n" HEAD "rules: [{ops: ld.b32, "
                                   "phase_lanes: 32}]\n",
                                   NULL);
    assert_string_equal(model->title, "two lines");
    bs_model_free(model);
}

/* ---- random models --------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t low, uint32_t high)
{
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return low + (uint32_t)((x ^ x >> 31) % ((uint64_t)high - low + 1));
}

/* Any text but a first or last blank that a plain reader would lose. */
static void draw_text(uint64_t *state, char *text, uint32_t room)
{
    static const char *const odd[] = {"true", "~", "- a", "# no", "a: b", "12", "[x", "\xc3\xa9"};
    uint32_t size = draw(state, 1, room - 1);
    memset(text, 0, room);
    if (draw(state, 0, 3) == 0) {
        const char *chosen = odd[draw(state, 0, 7)];
        memcpy(text, chosen, strlen(chosen));
        return;
    }
    for (uint32_t i = 0; i < size; i++)
        text[i] = (char)draw(state, i + 1 == size ? '!' : ' ', '~');
}

static void draw_phases(uint64_t *state, uint32_t lanes, struct bs_rule *rule)
{
    const uint32_t groups = draw(state, 1, draw(state, 1, lanes));
    const bool mixed = draw(state, 0, 1);
    for (uint32_t t = 0; t < lanes; t++) {
        const uint32_t group = mixed ? draw(state, 0, groups - 1) : t / groups;
        rule->phase[group] |= UINT64_C(1) << t;
    }
    for (uint32_t group = 0; group < BS_MAX_PHASES; group++)
        if (rule->phase[group])
            rule->phase[rule->phases++] = rule->phase[group];
}

static void draw_rule(uint64_t *state, const struct bs_model *model, struct bs_rule *rule)
{
    *rule = (struct bs_rule){
        .same_word = draw(state, 0, 2),
        .broadcast_word = draw(state, 0, 1),
        .combine = draw(state, 0, 1),
        .multiplier = draw(state, 1, 3),
        .extra_passes = draw(state, 0, 2),
        .ports = draw(state, 1, 3),
        .banks = model->banks,
        .request_bytes = draw(state, 0, 16),
        .sector_bytes = 16u << draw(state, 0, 4),
        .slots = draw(state, 0, 2),
        .basis = draw(state, 0, 3),
        .merges = draw(state, 0, BS_MAX_MERGE),
    };
    draw_phases(state, model->lanes, rule);
    for (uint32_t i = 0; i < rule->merges; i++)
        rule->merge[i] = 10 * i + draw(state, 1, 9);
    if (draw(state, 0, 1))
        draw_text(state, rule->source, sizeof rule->source);
}

static void draw_model(uint64_t *state, struct bs_model *model, struct bs_rule rules[BS_OPS])
{
    *model = (struct bs_model){
        .lanes = draw(state, 1, 64),
        .banks = draw(state, 1, 256),
        .bank_width = draw(state, 1, 256),
        .ports = draw(state, 1, 3),
        .winner = draw(state, 0, 3),
        .seed = draw(state, 0, UINT32_MAX),
        .rules = rules,
    };
    draw_text(state, model->name, sizeof model->name);
    draw_text(state, model->title, sizeof model->title);
    draw_text(state, model->source, sizeof model->source);
    model->row_bytes = model->banks * model->bank_width * draw(state, 1, 3);
    if ((model->banks & (model->banks - 1)) == 0)
        model->mapping.hash = draw(state, 0, 2);
    model->timing = (struct bs_timing){.basis = draw(state, 0, 3),
                                       .schedulers = draw(state, 1, 16),
                                       .scheduler_interval = draw(state, 1, 64),
                                       .warp_interval = draw(state, 100, 100000),
                                       .pass_interval = draw(state, 1, 64),
                                       .queue = draw(state, 1, 64),
                                       .in_flight = draw(state, 1, BS_MAX_IN_FLIGHT),
                                       .data_interval = draw(state, 0, 64),
                                       .lookahead = draw(state, 1, 64),
                                       .latency_add = draw(state, 0, 100000),
                                       .latency_32 = draw(state, 0, 100000),
                                       .latency_64 = draw(state, 0, 100000),
                                       .latency_128 = draw(state, 0, 100000),
                                       .latency_atom = draw(state, 0, 100000),
                                       .barrier_latency = draw(state, 1, 100000),
                                       .barrier_interval = draw(state, 1, 1000)};
    draw_text(state, model->timing.source, sizeof model->timing.source);
    model->capacity = (struct bs_capacity){.basis = draw(state, 0, 3),
                                           .shared_memory = draw(state, 0, 1u << 30),
                                           .reserved_memory = draw(state, 0, 1u << 20),
                                           .ctas = draw(state, 0, 1024),
                                           .warps = draw(state, 0, BS_MAX_RESIDENT)};
    draw_text(state, model->capacity.source, sizeof model->capacity.source);
    const uint32_t count = draw(state, 1, 12);
    memset(model->rule_of, BS_NO_RULE, sizeof model->rule_of);
    for (; model->rule_count < count; model->rule_count++) {
        draw_rule(state, model, &rules[model->rule_count]);
        model->rule_of[model->rule_count * 11] = (uint8_t)model->rule_count;
        model->rule_of[model->rule_count * 11 + draw(state, 1, 9)] = (uint8_t)model->rule_count;
    }
}

static void do_random_models_print_and_load_back(void **state)
{
    static struct bs_rule rules[BS_OPS];
    (void)state;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        char what[40];
        uint64_t random = seed;
        struct bs_model model;
        draw_model(&random, &model, rules);
        snprintf(what, sizeof what, "random model %llu", (unsigned long long)seed);
        check_print_loads_back(&model, what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(do_all_models_load_and_print_and_load_back),
        cmocka_unit_test(does_hopper_have_the_measured_rules_and_no_others),
        cmocka_unit_test(does_every_key_change_the_model),
        cmocka_unit_test(is_every_key_of_the_reference_tested),
        cmocka_unit_test(is_a_model_for_the_devices_that_it_lists),
        cmocka_unit_test(does_a_base_keep_its_devices_to_itself),
        cmocka_unit_test(does_method_change_the_model),
        cmocka_unit_test(are_the_ranges_of_the_reference_those_of_the_loader),
        cmocka_unit_test(are_the_defaults_those_of_the_reference),
        cmocka_unit_test(does_auto_stand_for_the_default),
        cmocka_unit_test(have_enums_their_names_in_files),
        cmocka_unit_test(do_later_items_override_earlier_ones_key_by_key),
        cmocka_unit_test(do_phases_none_take_a_rule_away),
        cmocka_unit_test(do_phases_and_phase_lanes_replace_each_other),
        cmocka_unit_test(do_phase_lanes_follow_the_lanes),
        cmocka_unit_test(does_auto_row_follow_the_geometry),
        cmocka_unit_test(is_a_text_block_one_line),
        cmocka_unit_test(do_random_models_print_and_load_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
