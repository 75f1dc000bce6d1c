/* Options by table: parsing over getopt_long with messages of our own, and the help. */
#include "options.h"

#include "core/model_near.h"
#include "core/number.h"
#include "screen.h"
#include "table.h"

#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* getopt_long returns FIRST + i for the i-th option of the table, whatever its letter. */
enum {
    FIRST = 1000,
    HELP = FIRST + BS_MAX_OPTIONS,
    HELP_COLUMN = 24,
    SHORT_ROOM = 2 * BS_MAX_OPTIONS + 5
};

/* ---- messages -------------------------------------------------------------------------------- */

enum bs_status bs_usage_error(const struct bs_verb *verb, const char *format, ...)
{
    struct bs_error error;
    char text[sizeof error.text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (verb->program)
        bs_fail(&error, BS_USAGE, NULL, 0, 0, "%s (see '%s --help')", text, verb->program);
    else
        bs_fail(&error, BS_USAGE, NULL, 0, 0, "%s: %s (see 'bankshot %s --help')", verb->name, text,
                verb->name);
    return bs_complain(&error);
}

/* Says what is wrong with a long option that getopt_long did not take. */
static enum bs_status bad_long_option(const struct bs_verb *verb, const struct bs_option *options,
                                      size_t count, const char *word)
{
    const size_t size = strcspn(word, "=");
    struct bs_near near = {0};
    char shown[64];
    char suggestion[BS_NEAR_MESSAGE];
    const char *meant = NULL;
    size_t meanings = 0;
    bs_printable(word, size, shown, sizeof shown);
    for (size_t i = 0; i <= count; i++) {
        const char *name = i < count ? options[i].name : "help";
        if (strncmp(name, word, size) == 0) {
            meant = name;
            meanings++;
        } else {
            bs_near_offer(&near, word, size, name);
        }
        if (meant == name && !name[size]) { /* in full, it means nothing else */
            meanings = 1;
            break;
        }
    }
    if (meanings > 1)
        return bs_usage_error(verb, "option '--%s' may stand for several", shown);
    if (meanings == 1) /* a missing value would be another error: it has one too many */
        return bs_usage_error(verb, "option '--%s' takes no value", meant);
    return bs_usage_error(verb, "unknown option '--%s'%s", shown,
                          bs_near_message(&near, suggestion));
}

static enum bs_status bad_option(const struct bs_verb *verb, const struct bs_option *options,
                                 size_t count, const char *argument)
{
    if (strncmp(argument, "--", 2) == 0)
        return bad_long_option(verb, options, count, argument + 2);
    return bs_usage_error(
        verb, "unknown option '-%c'; an operand that begins with '-' goes after '--'", optopt);
}

/* ---- help ------------------------------------------------------------------------------------ */

static void print_option(const struct bs_screen *screen, struct bs_spool *out,
                         const struct bs_option *option)
{
    char head[64];
    char letter[8] = "    ";
    if (option->letter)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(head, sizeof head, "  %s--%s%s%s", letter, option->name, option->value ? " " : "",
             option->value ? option->value : "");
    bs_spool_text(out, head);
    if (strlen(head) + 2 > HELP_COLUMN)
        bs_spool_printf(out, "\n%*s", HELP_COLUMN, "");
    else
        bs_spool_repeat(out, ' ', HELP_COLUMN - strlen(head));
    bs_screen_wrap(screen, out, HELP_COLUMN, option->help);
}

/* The lines of usage, each after the command's name. */
static void print_usage(struct bs_spool *out, const struct bs_verb *verb)
{
    const char *lead = "Usage: ";
    for (const char *line = verb->usage; *line;) {
        const size_t size = strcspn(line, "\n");
        if (verb->program)
            bs_spool_printf(out, "%s%s ", lead, verb->program);
        else
            bs_spool_printf(out, "%sbankshot %s ", lead, verb->name);
        bs_spool_add(out, line, size);
        bs_spool_text(out, "\n");
        line += size;
        line += *line == '\n';
        lead = "       ";
    }
}

/* What the verb does: a paragraph from each line. */
static void print_about(const struct bs_screen *screen, struct bs_spool *out, const char *about)
{
    char paragraph[512];
    while (*about) {
        const size_t size = strcspn(about, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)size, about);
        bs_screen_wrap(screen, out, 0, paragraph);
        about += size;
        about += *about == '\n';
    }
}

static enum bs_status print_help(const struct bs_verb *verb, const struct bs_option *options,
                                 size_t count)
{
    static const struct bs_option help = {.name = "help", .letter = 'h', .help = "print this help"};
    const struct bs_screen screen = bs_screen_of_stdout();
    struct bs_spool out = {0};
    print_usage(&out, verb);
    bs_spool_text(&out, "\n");
    print_about(&screen, &out, verb->about);
    bs_spool_text(&out, "\nOptions:\n");
    for (size_t i = 0; i < count; i++)
        print_option(&screen, &out, &options[i]);
    print_option(&screen, &out, &help);
    if (verb->appendix)
        bs_spool_printf(&out, "\n%s", verb->appendix);
    bs_spool_printf(&out, "\nExamples:\n%s", verb->examples);
    return bs_spool_print(&out);
}

/* ---- values ---------------------------------------------------------------------------------- */

void bs_words_free(struct bs_words *words)
{
    free(words->list);
    *words = (struct bs_words){0};
}

bool bs_words_add(struct bs_words *words, const char *word)
{
    const char **list = bs_grow(words->list, &words->room, words->count + 2, sizeof *list);
    if (!list)
        return false;
    words->list = list;
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
    return true;
}

static enum bs_status take_choice(const struct bs_verb *verb, const struct bs_option *option,
                                  const char *value)
{
    struct bs_buffer list = {0};
    for (unsigned i = 0; option->choices[i]; i++) {
        if (strcmp(value, option->choices[i]) == 0) {
            *(unsigned *)option->target = i;
            bs_buffer_free(&list);
            return BS_OK;
        }
        bs_buffer_printf(&list, "%s%s", i ? ", " : "", option->choices[i]);
    }
    char *names = bs_buffer_take(&list);
    char shown[64];
    bs_usage_error(verb, "--%s is one of %s, not '%s'", option->name, names ? names : "",
                   bs_printable(value, strlen(value), shown, sizeof shown));
    free(names);
    return BS_USAGE;
}

const char *bs_expected_number(const char *word, const char *expected)
{
    static const char at_most[] = "a number of at most 18446744073709551615";
    uint64_t number;
    const size_t size = strlen(word);
    return bs_is_number(word, size) && !bs_number_parse(word, size, UINT64_MAX, &number) ? at_most
                                                                                         : expected;
}

static enum bs_status take_number(const struct bs_verb *verb, const struct bs_option *option,
                                  const char *value)
{
    char shown[64];
    if (bs_number_parse(value, strlen(value), UINT64_MAX, option->target))
        return BS_OK;
    return bs_usage_error(verb, "--%s needs %s, not '%s'", option->name,
                          bs_expected_number(value, "a number"),
                          bs_printable(value, strlen(value), shown, sizeof shown));
}

static enum bs_status take_value(const struct bs_verb *verb, const struct bs_option *option,
                                 const char *value)
{
    switch (option->kind) {
    case BS_OPTION_FLAG:
        *(bool *)option->target = true;
        return BS_OK;
    case BS_OPTION_TEXT:
        *(const char **)option->target = value;
        return BS_OK;
    case BS_OPTION_WORDS:
        return bs_words_add(option->target, value) ? BS_OK : bs_out_of_memory();
    case BS_OPTION_CHOICE:
        return take_choice(verb, option, value);
    case BS_OPTION_NUMBER:
        return take_number(verb, option, value);
    }
    return BS_USAGE;
}

/* ---- parsing --------------------------------------------------------------------------------- */

/* The tables that getopt_long wants. */
struct getopt_tables {
    char letters[SHORT_ROOM];
    struct option options[BS_MAX_OPTIONS + 2];
};

static void make_tables(struct getopt_tables *tables, const struct bs_option *options, size_t count,
                        bool operands_end)
{
    char *letter = tables->letters;
    if (operands_end)
        *letter++ = '+'; /* the first operand ends the options */
    *letter++ = ':';     /* a missing value is told apart from an unknown option */
    for (size_t i = 0; i < count; i++) {
        const int value = options[i].value ? required_argument : no_argument;
        tables->options[i] = (struct option){options[i].name, value, NULL, FIRST + (int)i};
        if (!options[i].letter)
            continue;
        *letter++ = options[i].letter;
        if (options[i].value)
            *letter++ = ':';
    }
    *letter++ = 'h';
    *letter = '\0';
    tables->options[count] = (struct option){"help", no_argument, NULL, HELP};
    tables->options[count + 1] = (struct option){0};
}

static const struct bs_option *option_of(const struct bs_option *options, size_t count, int code)
{
    for (size_t i = 0; i < count; i++)
        if (code == FIRST + (int)i || (options[i].letter && code == options[i].letter))
            return &options[i];
    return NULL;
}

bool bs_options_parse(const struct bs_verb *verb, const struct bs_option *options, size_t count,
                      int argc, char **argv, int *operand, enum bs_status *status)
{
    struct getopt_tables tables;
    make_tables(&tables, options, count, verb->program != NULL);
    opterr = 0;
    for (;;) {
        const int code = getopt_long(argc, argv, tables.letters, tables.options, NULL);
        if (code == -1) {
            *operand = optind;
            *status = BS_OK;
            return true;
        }
        const char *argument = argv[optind - 1];
        const struct bs_option *option = option_of(options, count, code);
        if (code == HELP || code == 'h')
            *status = print_help(verb, options, count);
        else if (code == ':')
            *status = bs_usage_error(verb, "option '%s' needs a value", argument);
        else if (!option)
            *status = bad_option(verb, options, count, argument);
        else if ((*status = take_value(verb, option, optarg)) == BS_OK)
            continue;
        return false;
    }
}

static struct bs_option format_option(unsigned *format, const char *help, const char *const *names)
{
    return (struct bs_option){
        .name = "format",
        .value = "FORMAT",
        .help = help,
        .kind = BS_OPTION_CHOICE,
        .target = format,
        .choices = names,
    };
}

struct bs_option bs_option_tree_format(unsigned *format)
{
    static const char *const names[] = {[BS_TREE_TEXT] = "text", [BS_TREE_JSON] = "json", NULL};
    return format_option(format, "text (default) or json", names);
}

struct bs_option bs_option_table_format(unsigned *format)
{
    static const char *const names[] = {
        [BS_TEXT] = "text", [BS_CSV] = "csv", [BS_JSON] = "json", NULL};
    return format_option(format, "text (default), csv or json", names);
}
