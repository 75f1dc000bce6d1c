/* bankshot models: which device models there are, and what one says in full. */
#include "core/model_keys.h"
#include "json.h"
#include "lookup.h"
#include "model_json.h"
#include "model_names.h"
#include "options.h"
#include "subject.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

/* ---- the list -------------------------------------------------------------------------------- */

static const struct bs_column columns[] = {
    {.name = "name", .title = "name", .left = true},
    {.name = "title", .title = "title", .left = true, .shrink = 40},
    {.name = "lanes", .title = "lanes", .drop = 1},
    {.name = "banks", .title = "banks"},
    {.name = "bank_width", .title = "width", .drop = 2},
    {.name = "basis", .title = "rules", .left = true},
    {.name = "reported"}, /* what reports call it: the name in the file, not the file's */
    {.name = "error"},    /* why it is no model; text says so in the place of the title */
};
enum { COLUMNS = sizeof columns / sizeof *columns };

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
    bs_table_text(table, model->name);
    bs_table_null(table);
    free(basis);
}

/* The row of a file that is no model. */
static void write_broken(struct bs_table *table, const char *name, const struct bs_error *error)
{
    char text[sizeof error->text + 32];
    snprintf(text, sizeof text, "no model: %s", error->text);
    bs_table_text(table, name);
    bs_table_text(table, table->format == BS_TEXT ? text : "");
    for (size_t i = 2; i + 1 < COLUMNS; i++)
        bs_table_null(table);
    bs_table_text(table, error->text);
}

/* Every model that does not load is complained about, and has a row that says so. */
static enum bs_status write_rows(struct bs_table *table, const struct bs_model_names *names,
                                 const char *const *folders, struct bs_buffer *notes)
{
    enum bs_status worst = BS_OK;
    for (size_t i = 0; i < names->count; i++) {
        struct bs_errors errors = {0};
        struct bs_model *model = bs_model_load(names->list[i], folders, NULL, &errors);
        if (model)
            write_row(table, names->list[i], model);
        if (model && strcmp(model->name, names->list[i]) != 0)
            bs_buffer_printf(notes, "* Reports call %s by the name in its file: %s\n",
                             names->list[i], model->name);
        if (!model)
            worst = bs_complain_all(&errors);
        if (errors.count)
            write_broken(table, names->list[i], &errors.list[0]);
        bs_errors_free(&errors);
        bs_model_free(model);
    }
    return worst;
}

static enum bs_status print_list(const struct bs_model_names *names, const char *const *folders,
                                 unsigned format)
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
    struct bs_buffer notes = {0};
    const enum bs_status status = write_rows(&table, names, folders, &notes);
    bs_table_end(&table);
    if (format == BS_TREE_TEXT && notes.size)
        bs_spool_add(&out, notes.data, notes.size);
    bs_buffer_free(&notes);
    if (format == BS_TREE_JSON)
        bs_json_close(&json);
    const enum bs_status printed = bs_spool_print(&out);
    return printed == BS_OK ? status : printed;
}

static enum bs_status list_models(unsigned format)
{
    struct bs_folders folders;
    struct bs_model_names names;
    enum bs_status status;
    if (!bs_folders_find(&folders))
        return bs_out_of_memory();
    const bool good = bs_model_names_find(&names, &folders);
    status = good ? print_list(&names, folders.list, format) : bs_out_of_memory();
    bs_model_names_free(&names);
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

static void write_key(const struct bs_screen *screen, struct bs_spool *out,
                      const struct bs_model_key *key)
{
    enum { INDENT = 4 };
    char head[256];
    const char *lead = key->form->required ? "; it must be there"
                       : key->value[0]     ? "; default "
                                           : "";
    bs_screen_tone(screen, out, BS_BOLD, key->path);
    bs_spool_printf(out, "\n%*s", INDENT, "");
    snprintf(head, sizeof head, "%s%s%s", key->type, lead, key->value);
    bs_screen_wrap(screen, out, INDENT, head);
    bs_spool_repeat(out, ' ', INDENT);
    bs_screen_wrap(screen, out, INDENT, key->text);
}

static void write_keys(struct bs_spool *out)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    bs_screen_wrap(
        &screen, out, 0,
        "The keys of a model file. mapping.KEY stands in a file as KEY under mapping:, and so "
        "with timing and capacity; rules.KEY stands in the items of the list rules:. "
        "--set takes them as they are here, but for rules.OP.KEY.");
    for (size_t i = 0; i < count; i++) {
        bs_spool_text(out, "\n");
        write_key(&screen, out, &keys[i]);
    }
}

static void write_json_keys(struct bs_spool *out)
{
    struct bs_json json = {.out = out};
    size_t count;
    const struct bs_model_key *keys = bs_model_keys(&count);
    bs_json_map(&json, NULL, BS_JSON_TALL);
    bs_json_text(&json, "schema", "bankshot-model-keys-1");
    bs_json_list(&json, "keys", BS_JSON_TALL);
    for (size_t i = 0; i < count; i++) {
        bs_json_map(&json, NULL, BS_JSON_TALL);
        bs_json_text(&json, "key", keys[i].path);
        bs_json_text(&json, "values", keys[i].type);
        bs_json_text(&json, "default", keys[i].value);
        bs_json_text(&json, "meaning", keys[i].text);
        bs_json_close(&json);
    }
    bs_json_close(&json);
    bs_json_close(&json);
}

static enum bs_status print_keys(unsigned format)
{
    struct bs_spool out = {0};
    if (format == BS_TREE_JSON)
        write_json_keys(&out);
    else
        write_keys(&out);
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
    if (options->keys && (count > 0 || options->sets.count > 0))
        return bs_usage_error(verb, "--keys is about all models: it goes with --format alone");
    if (options->keys)
        return print_keys(options->format);
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
            .help = "print all that a model file can say: each key with its values, its default "
                    "and its meaning",
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
             "JSON. A file that is no model has a row that says why.\n"
             "\n"
             "Models are looked for in the folders of $BANKSHOT_MODELS (joined by colons), "
             "then in those that were installed.\n",
    .examples = "  bankshot models\n"
                "  bankshot models hopper\n"
                "  bankshot models hopper --set bank_width=8 > what-if.yaml\n"
                "  bankshot models --keys\n",
    .run = run,
};
