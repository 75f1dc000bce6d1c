/*
 * Is everything that is wrong with a model file reported, at its line and column, in words that say
 * what to do? And is a wrong override told from an impossible model?
 */
#include "bankshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The errors as lines, each without the name of the file. */
static char *error_lines(const struct bs_errors *errors, const char *file)
{
    enum { ROOM = 1 << 18 };
    char *text = calloc(1, ROOM);
    assert_non_null(text);
    size_t used = 0;
    for (size_t i = 0; i < errors->count; i++) {
        char line[1024];
        bs_error_line(&errors->list[i], line, sizeof line);
        const size_t skip = strncmp(line, file, strlen(file)) == 0 ? strlen(file) : 0;
        used += (size_t)snprintf(text + used, ROOM - used, "%s%s", i ? "\n" : "", line + skip);
    }
    return text;
}

static void check_text(const char *model, const char *expected, const char *found)
{
    if (strcmp(expected, found) != 0)
        fail_msg("%s\n-- expected\n%s\n-- found\n%s", model, expected, found);
}

static void fails_with(const char *text, size_t size, const char *expected)
{
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_parse(text, size, "m", NULL, NULL, &errors);
    char *found = error_lines(&errors, "m:");
    for (size_t i = 0; i < errors.count; i++)
        assert_int_equal(errors.list[i].status, BS_BAD_MODEL);
    bs_errors_free(&errors);
    bs_model_free(model);
    check_text(text, expected, model ? "a model" : found);
    free(found);
}

#define HEAD "name: m\nlanes: 32\nbanks: 32\nbank_width: 4\n"
#define RULES "rules:\n  - ops: ld.b32\n    phase_lanes: 32\n"

struct wrong {
    const char *text;
    const char *errors;
};

static void check_all(const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fails_with(cases[i].text, strlen(cases[i].text), cases[i].errors);
}

static void is_a_value_of_the_wrong_type_or_range_an_error(void **state)
{
    static const struct wrong cases[] = {
        {"name: m\nlanes: 32abc\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '32abc'"},
        {"name: m\nlanes: 1_024\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '1_024'"},
        {"name: m\nlanes: 010\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '010', whose leading zero could mean octal"},
        {"name: m\nlanes: \"32\"\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found the quoted text '32'"},
        {"name: m\nlanes: true\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found 'true'"},
        {"name: m\nlanes: ~\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found nothing"},
        {"name: m\nlanes:\nbanks: 32\nbank_width: 4\n" RULES,
         "2:7: lanes: expected integer 1 to 64, found nothing"},
        {"name: m\nlanes: -1\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '-1'"},
        {"name: m\nlanes: 3.5\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '3.5'"},
        {"name: m\nlanes: [32]\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found a list"},
        {"name: m\nlanes: {a: 1}\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found a map"},
        {"name: m\nlanes: 65\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '65'"},
        {"name: m\nlanes: 0\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '0'"},
        {"name: m\nlanes: 99999999999999999999\nbanks: 32\nbank_width: 4\n" RULES,
         "2:8: lanes: expected integer 1 to 64, found '99999999999999999999'"},
        {HEAD "winner: lowst\n" RULES, "5:9: winner: expected undefined | lowest | highest | "
                                       "random, found 'lowst'; did you mean 'lowest'?"},
        {HEAD "winner: first\n" RULES,
         "5:9: winner: expected undefined | lowest | highest | random, found 'first'"},
        {HEAD "winner: [lowest]\n" RULES,
         "5:9: winner: expected undefined | lowest | highest | random, found a list"},
        {HEAD "row_bytes: full\n" RULES,
         "5:12: row_bytes: expected auto, or integer 1 to 1048576, found 'full'"},
        {HEAD "title: null\n" RULES, "5:8: title: expected text, found nothing"},
        {HEAD "title: [a]\n" RULES, "5:8: title: expected text, found a list"},
        {HEAD "title: \"a\\nb\"\n" RULES,
         "5:8: title: expected text, found the quoted text 'a\\x0ab', which has control characters "
         "or several lines"},
        {HEAD "title: \"a\\u2028b\"\n" RULES,
         "5:8: title: expected text, found the quoted text 'a\\xe2\\x80\\xa8b', which has control "
         "characters or several lines"},
        {HEAD "title: \"a\\0b\"\n" RULES, "5:8: a NUL byte is not text"},
        {"name: ''\nlanes: 32\nbanks: 32\nbank_width: 4\n" RULES,
         "1:7: name: expected text, found the quoted text ''"},
        {"name: nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn\nlanes: "
         "32\nbanks: 32\nbank_width: 4\n" RULES,
         "1:7: name: at most 63 bytes of text fit, these are 64"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void is_a_wrong_key_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD "bank_widht: 8\n" RULES, "5:1: unknown key 'bank_widht'; did you mean 'bank_width'?"},
        {HEAD "colour: red\n" RULES,
         "5:1: unknown key 'colour'; known: name, title, source, compute_capability, "
         "changes, base, lanes, banks, bank_width, "
         "row_bytes, ports, winner, seed, mapping, timing, capacity, rules"},
        {HEAD "mapping.xor: row\n" RULES,
         "5:1: a dotted key is for --set: write 'mapping:' and on the next line, indented, "
         "'xor: ...'"},
        {HEAD "timing.queue: 4\n" RULES,
         "5:1: a dotted key is for --set: write 'timing:' and on the next line, indented, "
         "'queue: ...'"},
        {HEAD "queue: 4\n" RULES,
         "5:1: unknown key 'queue' here: it stands under timing (timing.queue)"},
        {HEAD "ctas: 4\n" RULES,
         "5:1: unknown key 'ctas' here: it stands under capacity (capacity.ctas)"},
        {HEAD "rules.ld.b32.ports: 2\n" RULES,
         "5:1: a dotted key is for --set: write an item of rules, '- ops: ld.b32' and on the next "
         "line, indented, 'ports: ...'"},
        {HEAD "rules.ports: 1\n" RULES,
         "5:1: unknown key 'rules.ports'; known: name, title, source, compute_capability, changes, "
         "base, lanes, banks, "
         "bank_width, row_bytes, ports, winner, seed, mapping, timing, capacity, rules"},
        {HEAD "xor: row\n" RULES,
         "5:1: unknown key 'xor' here: it stands under mapping (mapping.xor)"},
        {HEAD "phase_lanes: 16\n" RULES,
         "5:1: unknown key 'phase_lanes' here: it stands in an item "
         "of rules (rules.phase_lanes)"},
        {HEAD "width: 8\n" RULES, "5:1: unknown key 'width'; did you mean 'bank_width'?"},
        {HEAD "source: CUDA guide: 5.x\n" RULES,
         "5:19: not YAML: a text with a colon and a blank in it needs quotes, and keys of one map "
         "stand below each other"},
        {HEAD "lanes: 16\n" RULES, "5:1: lanes is here a second time"},
        {HEAD RULES "rules: []\n", "8:1: rules is here a second time"},
        {HEAD "mapping: {xor: none, xor: row}\n" RULES, "5:22: xor is here a second time"},
        {HEAD "mapping: {hash: row}\n" RULES, "5:11: unknown key 'hash'; known: xor"},
        {HEAD "mapping: row\n" RULES, "5:10: mapping: expected keys and values, found 'row'"},
        {HEAD "? [a]\n: b\n" RULES, "5:3: expected a key, found a list"},
        {HEAD "<<: m\n" RULES,
         "5:1: unknown key '<<'; known: name, title, source, compute_capability, changes, base, "
         "lanes, "
         "banks, bank_width, row_bytes, ports, winner, seed, mapping, timing, capacity, rules"},
        {HEAD RULES "    prots: 1\n", "8:5: unknown key 'prots'; did you mean 'ports'?"},
        {HEAD RULES "    speed: 1\n",
         "8:5: unknown key 'speed'; known: ops, phase_lanes, phases, merge, same_word, "
         "broadcast_word, combine, multiplier, extra_passes, ports, banks, request_bytes, "
         "source_line, "
         "method, sector_bytes, slots, basis, source"},
        {HEAD "rules:\n  - ops: ld.b32\n    phase_lane: 32\n",
         "7:5: unknown key 'phase_lane'; did you mean 'phase_lanes'?"},
        {HEAD RULES "    phase_lanes: 16\n", "8:5: phase_lanes is here a second time"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void is_something_missing_an_error(void **state)
{
    static const struct wrong cases[] = {
        {"{}\n", "1:1: name is missing (text)\n"
                 "1:1: lanes is missing (integer 1 to 64)\n"
                 "1:1: banks is missing (integer 1 to 256)\n"
                 "1:1: bank_width is missing (integer 1 to 256)\n"
                 "1:1: rules is missing (list of ops and their keys)"},
        {"# nothing\ntitle: t\n", "2:1: name is missing (text)\n"
                                  "2:1: lanes is missing (integer 1 to 64)\n"
                                  "2:1: banks is missing (integer 1 to 256)\n"
                                  "2:1: bank_width is missing (integer 1 to 256)\n"
                                  "2:1: rules is missing (list of ops and their keys)"},
        {HEAD, "1:1: rules is missing (list of ops and their keys)"},
        {HEAD "rules: []\n", "5:8: rules: expected a list, found an empty list"},
        {HEAD "rules: {}\n",
         "5:8: rules: expected a list, found an empty map; an item begins with '- ops: '"},
        {HEAD "rules:\n", "5:7: rules: expected a list, found nothing"},
        {HEAD "rules: [ld.b32]\n",
         "5:9: rules: expected a map of ops and their keys, found 'ld.b32'"},
        {HEAD "rules:\n  - phase_lanes: 32\n", "6:5: this item of rules does not name its ops"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void are_ops_without_sense_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD "rules:\n  - ops: ld.b33\n    phase_lanes: 32\n",
         "6:10: there is no op 'ld.b33'; the closest are ld.b32, ld.b16 and ld.b8"},
        {HEAD "rules:\n  - ops: ld.b32 lm.*\n    phase_lanes: 32\n",
         "6:10: no op matches 'lm.*'; the closest are ld.b8, ld.b16 and ld.b32"},
        {HEAD "rules:\n  - ops: bar\n    phase_lanes: 32\n",
         "6:10: bar has no rule: a barrier costs nothing"},
        {HEAD "rules:\n  - ops: []\n    phase_lanes: 32\n",
         "6:10: ops: expected text, or list of text, found an empty list"},
        {HEAD "rules:\n  - ops: ''\n    phase_lanes: 32\n",
         "6:10: ops: expected names of ops, found the quoted text ''"},
        {HEAD "rules:\n  - ops: [ld.b32, [st.b32]]\n    phase_lanes: 32\n",
         "6:19: ops: expected names of ops, found a list"},
        {HEAD RULES "  - ops: ld.b96 st.b96\n    ports: 2\n    multiplier: 2\n",
         "8:10: rule for ld.b96 sets multiplier, ports but no phases"},
        {HEAD RULES "  - ops: ld.b32\n    phases: none\n  - ops: ld.b32\n    ports: 2\n",
         "10:10: rule for ld.b32 sets ports but no phases"},
        {HEAD RULES "  - ops: ld.b96\n", "8:10: rule for ld.b96 sets no phases"},
        {HEAD RULES "  - ops: st.*\n    ports: 2\n",
         "8:10: rule for st.* sets ports but no phases"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void are_phases_that_do_not_cover_the_warp_once_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [\"0-7\", \"8-15\", \"16-23\"]\n",
         "7:13: phases of ld.b128 leave out lanes 24-31"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [\"0-3 3-7\", \"8-31\"]\n",
         "7:14: phases of ld.b128 name lane 3 twice"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-7, 7-31]\n",
         "7:19: phases of ld.b128 name lane 7 twice"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-7 9-30]\n",
         "7:13: phases of ld.b128 leave out lanes 8, 31"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-63]\n",
         "7:13: phases of ld.b128 name lanes 32-63, which the warp does not have"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-31, 40]\n",
         "7:13: phases of ld.b128 name lane 40, which the warp does not have"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-31, 64]\n",
         "7:20: phases of ld.b128 name lane 64, but no warp has it"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-x]\n",
         "7:14: phases: expected lanes such as '0-3 20-23', found '0-x'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [7-0]\n",
         "7:14: phases: expected lanes such as '0-3 20-23', found '7-0'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-31 7-0]\n",
         "7:14: phases: expected lanes such as '0-3 20-23', found '0-31 7-0'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-31, ~]\n",
         "7:20: phases: expected lanes such as '0-3 20-23', found nothing"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [[0-31]]\n",
         "7:14: phases: expected lanes such as '0-3 20-23', found a list"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: []\n",
         "7:13: phases: expected none, or list such as [0-15, 16-31], found an empty list"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: 0-31\n",
         "7:13: phases: expected none, or list such as [0-15, 16-31], found '0-31'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phases: [0-31]\n    phase_lanes: 8\n",
         "7:13: phases and phase_lanes in one item: say only one of them"},
        {HEAD "rules:\n  - ops: ld.*\n    phases: [0-15]\n",
         "7:13: phases of ld.b8 leave out lanes 16-31"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void is_a_wrong_list_of_partners_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    merge: 1\n",
         "8:12: merge: expected list of up to 6 integers 1 to 63, found '1'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    merge: [1, 1]\n",
         "8:16: merge: 1 is named twice"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    merge: [0]\n",
         "8:13: merge: expected list of up to 6 integers 1 to 63, found '0'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    merge: [1, 64]\n",
         "8:16: merge: expected list of up to 6 integers 1 to 63, found '64'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    merge: [1, 2, 3, 4, 5, 6, 7]\n",
         "8:31: merge: at most 6 partners fit, this is one more"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void are_copy_keys_without_sense_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    source_line: 100\n",
         "8:18: source_line: expected 0, or power of two 16 to 4096, found '100'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    source_line: 128\n",
         "8:18: source_line of ld.b128: only async copies have a source"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    sector_bytes: 0\n",
         "8:19: sector_bytes: expected power of two 16 to 256, found '0'"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    method: sectors\n",
         "8:13: method of ld.b128: only async copies move sectors"},
        {HEAD "rules:\n  - ops: ld.b128\n    phase_lanes: 8\n    method: queues\n",
         "8:13: method of ld.b128: only async copies queue for their source"},
        {HEAD "rules:\n  - ops: cp.async.cg.b128\n    phase_lanes: 32\n    method: sectors\n",
         "8:13: method of cp.async.cg.b128: sectors of 32 bytes need a source_line of at least "
         "that, not 0"},
        {HEAD "rules:\n  - ops: cp.async.*\n    phase_lanes: 32\n    method: sectors\n    "
              "source_line: 32\n    sector_bytes: 64\n",
         "8:13: method of cp.async.b32: sectors of 64 bytes need a source_line of at least that, "
         "not 32"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void is_impossible_geometry_an_error(void **state)
{
    static const struct wrong cases[] = {
        {HEAD RULES "    banks: 12\n",
         "8:12: banks of ld.b32: the model's 32 banks cannot answer as "
         "12, which is no divisor"},
        {HEAD "row_bytes: 100\n" RULES,
         "5:12: row_bytes 100 is not a multiple of banks x bank_width = 128"},
        {"name: m\nlanes: 32\nbanks: 48\nbank_width: 4\nmapping:\n  xor: row\n" RULES,
         "6:8: mapping.xor: row needs a power-of-two number of banks, not 48"},
        {"name: m\nlanes: 32\nbanks: 48\nbank_width: 4\nrow_bytes: 200\nmapping:\n  xor: "
         "fold\n" RULES,
         "5:12: row_bytes 200 is not a multiple of banks x bank_width = 192\n"
         "7:8: mapping.xor: fold needs a power-of-two number of banks, not 48"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void is_what_is_not_plain_yaml_an_error(void **state)
{
    static const struct wrong cases[] = {
        {"", "1:1: expected keys and values, found nothing"},
        {"# only this\n", "1:1: expected keys and values, found nothing"},
        {"---\n", "2:1: expected keys and values, found nothing"},
        {"lanes\n", "1:1: expected keys and values, found 'lanes'"},
        {"- lanes\n", "1:1: expected keys and values, found a list"},
        {HEAD "\011ports: 1\n" RULES, "5:1: not YAML: a tab: YAML is indented with blanks"},
        {HEAD "mapping:\n\011xor: row\n" RULES,
         "6:1: not YAML: a tab: YAML is indented with blanks"},
        {"\357\273\277" HEAD RULES,
         "1:1: the file begins with a byte order mark: save the file as UTF-8 without one"},
        {"\377\376n", "1:1: the file begins with UTF-16: save the file as UTF-8"},
        {HEAD "title: @home\n" RULES,
         "5:8: not YAML: a text that begins with such a character needs quotes"},
        {HEAD "title: &t x\n" RULES, "5:8: anchors (&) have no place in a model"},
        {HEAD "title: &t x\nsource: *t\n" RULES, "5:8: anchors (&) have no place in a model\n"
                                                 "6:9: a text that begins with '*' needs "
                                                 "quotes, as in ops: \"*\""},
        {HEAD "title: !!str x\n" RULES, "5:8: tags (!) have no place in a model"},
        {HEAD RULES "---\nname: n\n", "8:1: a second document starts here: a model is one"},
        {HEAD "title: [a\n" RULES,
         "5:8: title: expected text, found a list\n"
         "6:6: not YAML: did not find expected ',' or ']' (while parsing a flow sequence)"},
        {HEAD "title: a\001b\n" RULES, "5:9: not text: control characters are not allowed"},
        {HEAD "title: \303\251 \377\n" RULES, "5:10: not text: invalid leading UTF-8 octet"},
        {"[[[[[[[[[", "1:1: expected keys and values, found a list\n"
                      "1:9: lists and maps are nested more than 8 deep"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

static void are_all_errors_of_a_file_reported_at_once(void **state)
{
    static const struct wrong cases[] = {
        {"name: m\nlanes: 65\nbanks: 48\nbank_width: x\ncolour: red\nmapping:\n  xor: "
         "row\nrules:\n  - ops: ld.b33\n    phase_lanes: 0\n  - ops: ld.b96\n    ports: 2\n",
         "2:8: lanes: expected integer 1 to 64, found '65'\n"
         "4:13: bank_width: expected integer 1 to 256, found 'x'\n"
         "5:1: unknown key 'colour'; known: name, title, source, compute_capability, changes, "
         "base, lanes, banks, "
         "bank_width, "
         "row_bytes, ports, winner, seed, mapping, timing, capacity, rules\n"
         "7:8: mapping.xor: row needs a power-of-two number of banks, not 48\n"
         "9:10: there is no op 'ld.b33'; the closest are ld.b32, ld.b16 and ld.b8\n"
         "10:18: phase_lanes: expected integer 1 to 64, found '0'\n"
         "11:10: rule for ld.b96 sets ports but no phases"},
        {HEAD "row_bytes: 100\nrules:\n  - ops: ld.b32\n    phases: [0-15]\n    ports: 99\n"
              "  - ops: *\n    multiplier: 99\n  - ops: [*.b8, *b16]\n    phase_lanes: 8\n"
              "    ports: 77\n",
         "5:12: row_bytes 100 is not a multiple of banks x bank_width = 128\n"
         "8:13: phases of ld.b32 leave out lanes 16-31\n"
         "9:12: ports: expected integer 1 to 16, found '99'\n"
         "10:10: a text that begins with '*' needs quotes, as in ops: \"*\"\n"
         "11:17: multiplier: expected integer 1 to 16, found '99'\n"
         "12:11: a text that begins with '*' needs quotes, as in ops: \"*\"\n"
         "12:17: a text that begins with '*' needs quotes, as in ops: \"*\"\n"
         "14:12: ports: expected integer 1 to 16, found '77'"},
        {HEAD "colour: red\nbase: nowhere\nrules:\n  - ops: ld.b32\n   - ops: st.b32\n",
         "5:1: unknown key 'colour'; known: name, title, source, compute_capability, changes, "
         "base, lanes, banks, "
         "bank_width, row_bytes, ports, winner, seed, mapping, timing, capacity, rules\n"
         "6:7: base: there is no model 'nowhere' (available: none)\n"
         "9:4: not YAML: did not find expected '-' indicator (while parsing a block collection)"},
    };
    (void)state;
    check_all(cases, sizeof cases / sizeof *cases);
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static void are_nul_bytes_and_huge_files_errors(void **state)
{
    static const char nul[] = "name: m\nlanes: 3\0002\n";
    (void)state;
    fails_with(nul, sizeof nul - 1, "2:9: not text: control characters are not allowed");
    const size_t size = (1 << 20) + 1;
    char *huge = malloc(size + 1);
    assert_non_null(huge);
    memset(huge, '#', size);
    huge[size] = '\0';
    struct bs_errors errors = {0};
    assert_null(bs_model_parse(huge, size, "m", NULL, NULL, &errors));
    assert_int_equal(errors.count, 1);
    assert_string_equal(errors.list[0].text, "a model has at most 1048576 bytes, this has more");
    bs_errors_free(&errors);
    free(huge);
}

static void is_the_number_of_errors_limited(void **state)
{
    char text[3000] = "";
    struct bs_errors errors = {0};
    (void)state;
    for (size_t i = 0; i < 500; i++)
        memcpy(text + 5 * i, "x: 1\n", 6);
    assert_null(bs_model_parse(text, strlen(text), "m", NULL, NULL, &errors));
    assert_int_equal(errors.count, 101);
    assert_string_equal(errors.list[0].text, "more than 100 errors: the first are");
    assert_int_equal(errors.list[1].line, 1);
    assert_int_equal(errors.list[100].line, 100);
    bs_errors_free(&errors);
}

static void is_the_number_of_ops_limited(void **state)
{
    enum { WORDS = 5000 };
    static char text[WORDS * 7 + 200];
    (void)state;
    size_t used =
        (size_t)snprintf(text, sizeof text, "%s", HEAD "rules:\n- phase_lanes: 1\n  ops:");
    for (size_t i = 0; i < WORDS; i++, used += 7)
        memcpy(text + used, " ld.b32", 8);
    fails_with(text, used, "7:8: more than 4096 names of ops");
}

/* ---- overrides ------------------------------------------------------------------------------- */

static void is_a_wrong_override_told_from_an_impossible_model(void **state)
{
    static const char model[] = HEAD "row_bytes: 256\n" RULES "  - ops: ld.b128\n"
                                     "    phases: [0-15, 16-31]\n";
    static const struct {
        const char *set;
        enum bs_status status;
        const char *error;
    } cases[] = {
        {"bank_widht=8", BS_USAGE, "unknown key 'bank_widht'; did you mean 'bank_width'?"},
        {"ports_=2", BS_USAGE, "unknown key 'ports_'; did you mean 'ports'?"},
        {"same_word=serialize", BS_USAGE,
         "unknown key 'same_word' here: it stands in an item of rules (rules.OP.same_word)"},
        {"xor=row", BS_USAGE, "unknown key 'xor' here: it stands under mapping (mapping.xor)"},
        {"mapping.xr=row", BS_USAGE, "unknown key 'mapping.xr'; did you mean 'mapping.xor'?"},
        {"bank_width", BS_USAGE, "expected KEY=VALUE"},
        {"=8", BS_USAGE, "expected KEY=VALUE"},
        {"", BS_USAGE, "expected KEY=VALUE"},
        {"bank_width=", BS_USAGE, "expected a value, found nothing"},
        {"bank_width=abc", BS_USAGE, "bank_width: expected integer 1 to 256, found 'abc'"},
        {"bank_width=[8", BS_USAGE,
         "not YAML: did not find expected ',' or ']' (while parsing a flow sequence)"},
        {"bank_width=8: 8", BS_USAGE, "bank_width: expected integer 1 to 256, found a map"},
        {"base=hopper", BS_USAGE, "base can only be given in a file"},
        {"winner=lowst", BS_USAGE,
         "winner: expected undefined | lowest | highest | random, found 'lowst'; did you mean "
         "'lowest'?"},
        {"rules.ports=2", BS_USAGE, "expected rules.OP.KEY=VALUE"},
        {"rules.=2", BS_USAGE, "expected rules.OP.KEY=VALUE"},
        {"rules.ld.b32.prots=2", BS_USAGE, "unknown key 'prots'; did you mean 'ports'?"},
        {"rules.ld.b32.ops=st.b32", BS_USAGE, "ops can only be given in a file"},
        {"rules.ld.b33.ports=2", BS_USAGE,
         "there is no op 'ld.b33'; the closest are ld.b32, ld.b16 and ld.b8"},
        {"rules.lm*.ports=2", BS_USAGE,
         "no op matches 'lm*'; the closest are ld.b8, ld.b16 and ld.b32"},
        {"rules.ld.b32.ports=two", BS_USAGE, "ports: expected integer 1 to 16, found 'two'"},
        {"bank_width=-1", BS_USAGE, "bank_width: expected integer 1 to 256, found '-1'"},
        {"bank_width=0", BS_USAGE, "bank_width: expected integer 1 to 256, found '0'"},
        {"rules.ld.b32.banks=64", BS_BAD_MODEL,
         "banks of ld.b32: the model's 32 banks cannot answer as 64, which is no divisor"},
        {"banks=48", BS_BAD_MODEL, "row_bytes 256 is not a multiple of banks x bank_width = 192"},
        {"row_bytes=100", BS_BAD_MODEL,
         "row_bytes 100 is not a multiple of banks x bank_width = 128"},
        {"lanes=16", BS_BAD_MODEL,
         "phases of ld.b128 name lanes 16-31, which the warp does not have"},
        {"lanes=64", BS_BAD_MODEL, "phases of ld.b128 leave out lanes 32-63"},
        {"rules.ld.b128.phases=[0-7, 8-15, 16-23]", BS_BAD_MODEL,
         "phases of ld.b128 leave out lanes 24-31"},
        {"rules.ld.b96.ports=2", BS_BAD_MODEL, "rule for ld.b96 sets ports but no phases"},
        {"rules.ld.b32.source_line=128", BS_BAD_MODEL,
         "source_line of ld.b32: only async copies have a source"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct bs_errors errors = {0};
        char expected[1024];
        assert_null(bs_model_parse(model, strlen(model), "m", NULL, sets, &errors));
        char *found = error_lines(&errors, "");
        snprintf(expected, sizeof expected, "--set %s: %s", cases[i].set, cases[i].error);
        check_text(cases[i].set, expected, found);
        assert_int_equal(errors.list[0].status, cases[i].status);
        free(found);
        bs_errors_free(&errors);
    }
}

static void are_errors_of_file_and_overrides_reported_together(void **state)
{
    static const char model[] = "name: m\nlanes: 0\nbanks: 32\nbank_width: 4\n" RULES;
    static const char *const sets[] = {"ports=0", "speed=1", NULL};
    struct bs_errors errors = {0};
    (void)state;
    assert_null(bs_model_parse(model, strlen(model), "m", NULL, sets, &errors));
    assert_int_equal(errors.count, 3);
    assert_int_equal(errors.list[0].line, 2);
    assert_string_equal(errors.list[1].file, "--set ports=0");
    assert_string_equal(errors.list[2].file, "--set speed=1");
    bs_errors_free(&errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_a_value_of_the_wrong_type_or_range_an_error),
        cmocka_unit_test(is_a_wrong_key_an_error),
        cmocka_unit_test(is_something_missing_an_error),
        cmocka_unit_test(are_ops_without_sense_an_error),
        cmocka_unit_test(are_phases_that_do_not_cover_the_warp_once_an_error),
        cmocka_unit_test(is_a_wrong_list_of_partners_an_error),
        cmocka_unit_test(are_copy_keys_without_sense_an_error),
        cmocka_unit_test(is_impossible_geometry_an_error),
        cmocka_unit_test(is_what_is_not_plain_yaml_an_error),
        cmocka_unit_test(are_all_errors_of_a_file_reported_at_once),
        cmocka_unit_test(are_nul_bytes_and_huge_files_errors),
        cmocka_unit_test(is_the_number_of_errors_limited),
        cmocka_unit_test(is_the_number_of_ops_limited),
        cmocka_unit_test(is_a_wrong_override_told_from_an_impossible_model),
        cmocka_unit_test(are_errors_of_file_and_overrides_reported_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
