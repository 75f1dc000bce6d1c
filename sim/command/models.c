/* bankshot models: which device models there are, and what one says in full. */
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "lookup.h"
#include "model_json.h"
#include "options.h"
#include "subject.h"
#include "table.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the list -------------------------------------------------------------------------------- */

static const struct bs_column columns[] = {
    {.name = "name", .title = "name", .left = true},
    {.name = "title", .title = "title", .left = true, .shrink = 40},
    {.name = "lanes", .title = "lanes", .drop = 1},
    {.name = "banks", .title = "banks"},
    {.name = "bank_width", .title = "width", .drop = 2},
    {.name = "basis", .title = "rules", .left = true},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

/* The names of the models in all folders, each once: {name, name, ...}, in buffers of their own. */
struct names {
    char **list;
    size_t count;
    size_t room;
};

static void names_free(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i]);
    free(names->list);
}

static bool names_have(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->count; i++)
        if (strcmp(names->list[i], name) == 0)
            return true;
    return false;
}

static bool names_add(struct names *names, const char *file)
{
    static const char suffix[] = ".yaml";
    struct bs_buffer stem = {0};
    const size_t size = strlen(file);
    if (size < sizeof suffix || strcmp(file + size - strlen(suffix), suffix) != 0)
        return true;
    bs_buffer_add(&stem, file, size - strlen(suffix));
    char *name = bs_buffer_take(&stem);
    if (!name || names_have(names, name)) {
        free(name);
        return name != NULL;
    }
    char **list = bs_grow(names->list, &names->room, names->count + 1, sizeof *list);
    if (!list) {
        free(name);
        return false;
    }
    names->list = list;
    names->list[names->count++] = name;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Opening anything but a file, such as a pipe, might wait for ever. */
static bool is_file(DIR *directory, const char *name)
{
    struct stat status;
    return fstatat(dirfd(directory), name, &status, 0) == 0 && S_ISREG(status.st_mode);
}

/* A folder that does not exist holds no models. */
static bool add_folder(struct names *names, const char *folder)
{
    DIR *directory = opendir(folder);
    if (!directory)
        return true;
    bool good = true;
    for (struct dirent *entry; good && (entry = readdir(directory));)
        good = !is_file(directory, entry->d_name) || names_add(names, entry->d_name);
    closedir(directory);
    return good;
}

/* "measured, 3 assumed": how sure the rules are. */
static char *basis_summary(const struct bs_model *model)
{
    struct bs_buffer text = {0};
    for (unsigned basis = BS_MEASURED; basis <= BS_ASSUMED; basis++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < model->rule_count; i++)
            count += model->rules[i].basis == basis;
        if (count)
            bs_buffer_text(&text, text.size ? ", " : "");
        if (count && basis == BS_ASSUMED)
            bs_buffer_printf(&text, "%u ", count);
        if (count)
            bs_buffer_text(&text, bs_basis_name((enum bs_basis)basis));
    }
    return bs_buffer_take(&text);
}

static void write_row(struct bs_table *table, const char *name, const struct bs_model *model)
{
    char *basis = basis_summary(model);
    bs_table_text(table, name);
    bs_table_text(table, model->title);
    bs_table_number(table, model->lanes);
    bs_table_number(table, model->banks);
    bs_table_number(table, model->bank_width);
    bs_table_text(table, basis ? basis : "");
    free(basis);
}

/* Every model that does not load is complained about. */
static enum bs_status write_rows(struct bs_table *table, const struct names *names)
{
    enum bs_status worst = BS_OK;
    for (size_t i = 0; i < names->count; i++) {
        enum bs_status status;
        struct bs_model *model = bs_find_model(names->list[i], NULL, &status);
        if (model)
            write_row(table, names->list[i], model);
        else
            worst = status;
        bs_model_free(model);
    }
    return worst;
}

static enum bs_status print_list(const struct names *names, unsigned format)
{
    struct bs_spool out = {0};
    struct bs_table table;
    struct bs_json json = {.out = &out};
    if (format == BS_TREE_JSON) {
        bs_json_map(&json, NULL, BS_JSON_TALL);
        bs_json_text(&json, "schema", "bankshot-models-1");
        bs_table_begin_json(&table, columns, COLUMNS, &json, "models");
    } else {
        bs_table_begin(&table, BS_TEXT, columns, COLUMNS, &out);
    }
    const enum bs_status status = write_rows(&table, names);
    bs_table_end(&table);
    if (format == BS_TREE_JSON)
        bs_json_close(&json);
    if (status == BS_OK)
        return bs_spool_print(&out);
    bs_spool_free(&out); /* a list that lacks models would look whole */
    return status;
}

static enum bs_status list_models(unsigned format)
{
    struct bs_folders folders;
    struct names names = {0};
    enum bs_status status;
    if (!bs_folders_find(&folders))
        return bs_out_of_memory();
    bool good = true;
    for (size_t i = 0; good && i < folders.count; i++)
        good = add_folder(&names, folders.list[i]);
    if (names.count > 0)
        qsort(names.list, names.count, sizeof *names.list, by_name);
    status = good ? print_list(&names, format) : bs_out_of_memory();
    names_free(&names);
    bs_folders_free(&folders);
    return status;
}

/* ---- one model, and the keys ----------------------------------------------------------------- */

static enum bs_status print_model(const char *name, const char *const *sets, unsigned format)
{
    struct bs_spool out = {0};
    enum bs_status status;
    struct bs_model *model = bs_find_model(name, sets, &status);
    if (!model)
        return status;
    if (format == BS_TREE_JSON) {
        struct bs_json json = {.out = &out};
        bs_model_json(&json, NULL, model);
    } else {
        char *yaml = bs_model_yaml(model);
        if (!yaml) {
            bs_model_free(model);
            return bs_out_of_memory();
        }
        bs_spool_text(&out, yaml);
        free(yaml);
    }
    bs_model_free(model);
    return bs_spool_print(&out);
}

/* A cell of a markdown table: '|' would end it. */
static void markdown_cell(struct bs_spool *out, const char *text, const char *quote)
{
    bs_spool_printf(out, "| %s", quote);
    for (; *text; text++)
        bs_spool_add(out, *text == '|' ? "\\|" : text, *text == '|' ? 2 : 1);
    bs_spool_printf(out, "%s ", quote);
}

static enum bs_status print_keys(void)
{
    struct bs_spool out = {0};
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    bs_spool_text(&out, "| key | values | default | meaning |\n|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        markdown_cell(&out, keys[i].path, "`");
        markdown_cell(&out, keys[i].type, "");
        markdown_cell(&out, keys[i].value, keys[i].value[0] ? "`" : "");
        markdown_cell(&out, keys[i].text, "");
        bs_spool_text(&out, "|\n");
    }
    return bs_spool_print(&out);
}

/* ---------------------------------------------------------------------------------------------- */

struct models_options {
    struct bs_words sets;
    unsigned format;
    bool keys;
};

static enum bs_status choose(const struct bs_verb *verb, const struct models_options *options,
                             int count, char **words)
{
    if (count > 1)
        return bs_usage_error(verb, "expected at most one model, found %d", count);
    if (options->keys && (count > 0 || options->sets.count > 0 || options->format != BS_TREE_TEXT))
        return bs_usage_error(verb, "--keys stands alone");
    if (options->keys)
        return print_keys();
    if (count == 0 && options->sets.count > 0)
        return bs_usage_error(verb, "--set needs the name of a model");
    return count == 0 ? list_models(options->format)
                      : print_model(words[0], options->sets.list, options->format);
}

static enum bs_status run(const struct bs_verb *verb, int argc, char **argv)
{
    struct models_options options = {.format = BS_TREE_TEXT};
    int operand;
    enum bs_status status;
    const struct bs_option table[] = {
        bs_option_set(&options.sets),
        bs_option_tree_format(&options.format),
        {
            .name = "keys",
            .help = "print the keys of a model file as a markdown table",
            .kind = BS_OPTION_FLAG,
            .target = &options.keys,
        },
    };
    if (bs_options_parse(verb, table, sizeof table / sizeof *table, argc, argv, &operand, &status))
        status = choose(verb, &options, argc - operand, argv + operand);
    bs_words_free(&options.sets);
    return status;
}

const struct bs_verb bs_verb_models = {
    .name = "models",
    .summary = "the device models there are, and what one says in full",
    .usage = "[OPTION]... [MODEL]",
    .about = "Lists the device models, and how sure their rules are. With a "
             "model, prints it resolved: as YAML that loads back to the same model, or as "
             "JSON.\n"
             "\n"
             "Models are looked for in the folders of $BANKSHOT_MODELS (joined by colons), "
             "then in those that were installed.\n",
    .examples = "  bankshot models\n"
                "  bankshot models hopper\n"
                "  bankshot models hopper --set bank_width=8 > what-if.yaml\n"
                "  bankshot models --keys\n",
    .run = run,
};
