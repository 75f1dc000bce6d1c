/* Where do models come from: names and paths, and files that stand on other files? */
#define _POSIX_C_SOURCE 200809L
#include "model_help.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* The first error of a load that must fail, as a line. */
static void load_fails(const char *name, const char *folder, const char *expected)
{
    const char *const folders[] = {folder, NULL};
    struct bs_errors errors = {0};
    char line[1024] = "";
    assert_null(bs_model_load(name, folders, NULL, &errors));
    assert_int_equal(errors.count, 1);
    assert_int_equal(errors.list[0].status, BS_BAD_MODEL);
    bs_error_line(&errors.list[0], line, sizeof line);
    assert_string_equal(line, expected);
    bs_errors_free(&errors);
}

static int make_folder(void **state)
{
    static char folder[] = "models-XXXXXX";
    char sub[64];
    static const char *const files[][2] = {
        {"stock.yaml",
         "name: stock\ntitle: t\nlanes: 32\nbanks: 32\nbank_width: 4\nrules:\n"
         "  - {ops: ld.b32 st.b32, phase_lanes: 16, multiplier: 2, basis: measured}\n"},
        {"half.yaml", "name: half\nbase: stock\nbanks: 16\nrules:\n  - {ops: ld.b32, ports: 2}\n"},
        {"quarter.yaml", "name: quarter\nbanks: 8\nbase: ./half.yaml\n"},
        {"nameless.yaml", "base: stock\n"},
        {"lost.yaml", "name: lost\nbase: stok\n"},
        {"a.yaml", "name: a\nbase: b\n"},
        {"b.yaml", "name: b\n\nbase: c\n"},
        {"c.yaml", "name: c\nbase: b\n"},
        {"bad-base.yaml", "name: bad-base\nbase: [stock]\n"},
        {"broken.yaml", "name: broken\nlanes: x\nbanks: 32\nbank_width: 4\nrules:\n"
                        "  - {ops: ld.b32, phase_lanes: 16}\n"},
        {"on-broken.yaml", "name: on-broken\nbase: broken\nlanes: 16\n"},
        {"self.yaml", "name: self\nbase: ././self.yaml\n"},
        {"sub/stock.yaml", "name: sub\nbase: ../half.yaml\n"},
    };
    *state = mkdtemp(folder);
    assert_non_null(*state);
    snprintf(sub, sizeof sub, "%s/sub", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_file(folder, files[i][0], files[i][1]);
    for (int i = 0; i < 12; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "deep%d.yaml", i);
        snprintf(text, sizeof text, "name: deep\nbase: deep%d\n", i + 1);
        write_file(folder, name, text);
    }
    return 0;
}

static int remove_folder(void **state)
{
    const char *const folders[] = {"/sub", ""};
    for (size_t i = 0; i < 2; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s%s", (const char *)*state, folders[i]);
        DIR *dir = opendir(path);
        for (struct dirent *entry; dir && (entry = readdir(dir));) {
            char file[800];
            snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
            unlink(file);
        }
        closedir(dir);
        rmdir(path);
    }
    return 0;
}

static void does_a_base_give_what_a_file_does_not(void **state)
{
    struct bs_model *model = load("quarter", *state);
    assert_string_equal(model->name, "quarter");
    assert_string_equal(model->title, "t");
    assert_int_equal(model->banks, 8);
    assert_int_equal(model->row_bytes, 32);
    assert_int_equal(rule_of(model, "ld.b32")->ports, 2);
    assert_int_equal(rule_of(model, "ld.b32")->multiplier, 2);
    assert_int_equal(rule_of(model, "ld.b32")->basis, BS_MEASURED);
    assert_int_equal(rule_of(model, "st.b32")->ports, 1);
    char *yaml = bs_model_yaml(model);
    assert_null(strstr(yaml, "base:"));
    free(yaml);
    check_print_loads_back(model, "quarter");
    bs_model_free(model);
}

static void is_a_path_told_from_a_name(void **state)
{
    char path[512];
    snprintf(path, sizeof path, "%s/sub/stock.yaml", (const char *)*state);
    struct bs_model *model = load(path, NULL);
    assert_string_equal(model->name, "sub");
    assert_int_equal(model->banks, 16);
    bs_model_free(model);
    model = load("stock", *state);
    assert_string_equal(model->name, "stock");
    bs_model_free(model);
}

static void are_wrong_bases_errors(void **state)
{
    const char *folder = *state;
    const struct {
        const char *name;
        const char *error; /* behind the folder */
    } cases[] = {
        {"nameless", "nameless.yaml:1:1: name is missing (text)"},
        {"lost",
         "lost.yaml:2:7: base: there is no model 'stok' (available: a, b, bad-base, broken, "
         "c, deep0, deep1, deep10, deep11, deep2, deep3, deep4, deep5, deep6, deep7, deep8, "
         "deep9, half, lost, nameless, on-broken, quarter, self, stock); did you mean 'stock'?"},
        {"a", "c.yaml:2:7: base: b -> c -> b is a circle"},
        {"self", "self.yaml:2:7: base: that is this file itself; a base is another model's name "
                 "or path"},
        {"bad-base", "bad-base.yaml:2:7: base: expected text, found a list"},
        {"deep0", "deep8.yaml:2:7: base: more than 8 models stand on each other"},
        {"on-broken", "broken.yaml:2:8: lanes: expected integer 1 to 64, found 'x'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char expected[1024];
        snprintf(expected, sizeof expected, "%s/%s", folder, cases[i].error);
        load_fails(cases[i].name, folder, expected);
    }
}

static void are_files_that_cannot_be_read_errors(void **state)
{
    const char *folder = *state;
    char path[512], expected[1024];
    snprintf(path, sizeof path, "%s/none.yaml", folder);
    snprintf(expected, sizeof expected, "%s: cannot be read: No such file or directory", path);
    load_fails(path, folder, expected);
    snprintf(path, sizeof path, "%s/sub", folder);
    snprintf(expected, sizeof expected, "%s: cannot be read: Is a directory", path);
    load_fails(path, folder, expected);
    load_fails("hopper", path, "there is no model 'hopper' (available: stock)");
    load_fails("hopper", "no-such-folder", "there is no model 'hopper' (available: none)");
}

/* The examples in the text: every block of YAML is a model. */
static void check_examples(const char *path, unsigned count)
{
    static char text[1 << 16];
    static const char fence[] = "```yaml\n";
    static const char *const folders[] = {BANKSHOT_MODELS_FOLDER, NULL};
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    const char *at = text;
    for (; (at = strstr(at, fence)); count--) {
        struct bs_errors errors = {0};
        at += strlen(fence);
        const char *end = strstr(at, "```");
        assert_non_null(end);
        struct bs_model *model =
            bs_model_parse(at, (size_t)(end - at), path, folders, NULL, &errors);
        if (!model)
            fail_msg("%s: line %llu of an example: %s", path,
                     (unsigned long long)errors.list[0].line, errors.list[0].text);
        bs_model_free(model);
        at = end;
    }
    assert_int_equal(count, 0);
}

static void do_the_examples_of_the_manual_load(void **state)
{
    (void)state;
    check_examples(BANKSHOT_MODELS_FOLDER "/../docs/model.md", 3);
    check_examples(BANKSHOT_MODELS_FOLDER "/README.md", 1);
}

/* ---- what was changed ------------------------------------------------------------------------ */

static void check_changes(const char *name, const char *folder, const char *set,
                          const char *expected)
{
    const char *const folders[] = {folder, BANKSHOT_MODELS_FOLDER, NULL};
    const char *const sets[] = {set, NULL};
    struct bs_errors errors = {0};
    struct bs_model *model = bs_model_load(name, folders, sets, &errors);
    assert_non_null(model);
    assert_string_equal(model->changes, expected);
    check_print_loads_back(model, name);
    bs_model_free(model);
}

/* A rule that says it was measured was so without the changes that came after it said that. */
static void are_changes_noted_unless_basis_is_given_anew(void **state)
{
    const char *folder = *state;
    write_file(folder, "anew.yaml",
               "name: anew\nbase: stock\nbanks: 16\nrules:\n"
               "  - {ops: '*', multiplier: 1, basis: documented}\n");
    write_file(folder, "unsure.yaml",
               "name: unsure\nbase: stock\nrules:\n"
               "  - {ops: '*', basis: assumed}\n");
    check_changes("stock", folder, NULL, "");
    check_changes("stock", folder, "banks=32", "");
    check_changes("stock", folder, "banks=64", "banks=64");
    check_changes("stock", folder, "winner=lowest", "");
    check_changes("stock", folder, "title=other", "");
    check_changes("stock", folder, "rules.ld.b32.basis=reported", "");
    check_changes("stock", folder, "rules.ld.*.ports=2", "rules.ld.*.ports=2");
    check_changes("half", folder, NULL, "banks=16, rules.ld.b32.ports");
    check_changes("half", folder, "mapping.xor=row",
                  "banks=16, mapping.xor=row, rules.ld.b32.ports");
    check_changes("anew", folder, NULL, "");
    check_changes("unsure", folder, "banks=16", "");
    check_changes("volta", folder, NULL, "");
    check_changes("hopper", folder, "bank_width=8", "bank_width=8");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(does_a_base_give_what_a_file_does_not),
        cmocka_unit_test(is_a_path_told_from_a_name),
        cmocka_unit_test(are_wrong_bases_errors),
        cmocka_unit_test(are_files_that_cannot_be_read_errors),
        cmocka_unit_test(do_the_examples_of_the_manual_load),
        cmocka_unit_test(are_changes_noted_unless_basis_is_given_anew),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
