/* The command bankshot: the table of its verbs, its help and its version. */
#define _XOPEN_SOURCE 700 /* fstat, SIGXFSZ */
#include "command.h"
#include "core/model_near.h"
#include "op_help.h"
#include "options.h"
#include "time_help.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const struct bs_verb *const verbs[] = {
    &bs_verb_run,   &bs_verb_eval,    &bs_verb_explain, &bs_verb_models,
    &bs_verb_sweep, &bs_verb_advise,  &bs_verb_merge,   &bs_verb_convert,
    &bs_verb_info,  &bs_verb_compare, &bs_verb_view,
};
enum { VERBS = sizeof verbs / sizeof *verbs };

static void write_help(struct bs_spool *out)
{
    bs_spool_text(out, "Usage: bankshot VERB ...\n"
                       "\n"
                       "Says what accesses to banked GPU shared memory cost, and why.\n"
                       "\n"
                       "Verbs:\n");
    for (size_t i = 0; i < VERBS; i++)
        bs_spool_printf(out, "  %-9s %s\n", verbs[i]->name, verbs[i]->summary);
    bs_spool_text(out, "\n"
                       "'bankshot VERB --help' says more about each, with examples.\n"
                       "'bankshot help ops' lists the ops.\n"
                       "'bankshot help timing' tells what cycles go to.\n"
                       "'bankshot --version' prints the version.\n"
                       "\n"
                       "Exit status: 0 done; 1 the answer is no; 2 usage; 3 bad model;\n"
                       "4 bad trace; 5 internal error, or the output could not be written.\n");
}

static enum bs_status unknown_verb(const char *word)
{
    struct bs_error error;
    struct bs_near near = {0};
    char shown[64];
    char suggestion[BS_NEAR_MESSAGE];
    for (size_t i = 0; i < VERBS; i++)
        bs_near_offer(&near, word, strlen(word), verbs[i]->name);
    bs_near_offer(&near, word, strlen(word), "--help");
    bs_near_offer(&near, word, strlen(word), "--version");
    bs_fail(&error, BS_USAGE, NULL, 0, 0, "unknown %s '%s'%s (see 'bankshot --help')",
            word[0] == '-' ? "option" : "verb",
            bs_printable(word, strlen(word), shown, sizeof shown),
            bs_near_message(&near, suggestion));
    return bs_complain(&error);
}

/* Keeps the standard descriptors taken: a file that is opened later must not become one of them. A
 * closed standard output then still cannot be written to, as the error at the end will say, and a
 * closed standard input not be read. A full quota likewise is an error of the write that meets it,
 * not the end of the program. */
static void secure_descriptors(void)
{
    struct stat status;
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fstat(descriptor, &status) != 0)
            (void)!open("/dev/null", descriptor ? O_RDONLY : O_WRONLY); /* the lowest free: this */
    signal(SIGXFSZ, SIG_IGN);
}

static const struct bs_verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(name, verbs[i]->name) == 0)
            return verbs[i];
    return NULL;
}

static void write_ops(struct bs_spool *out)
{
    bs_spool_text(out, bs_op_help);
}

/* What help tells of besides verbs. */
static const struct {
    const char *name;
    void (*write)(struct bs_spool *out);
} topics[] = {{"ops", write_ops}, {"timing", bs_time_help}};

static enum bs_status print_topic(void (*write)(struct bs_spool *out))
{
    struct bs_spool out = {0};
    write(&out);
    return bs_spool_print(&out);
}

/* 'help VERB' is 'VERB --help'; 'help ops' lists the ops, 'help timing' the causes of cycles. */
static enum bs_status help_on(const char *name)
{
    char verb_word[16], help_word[] = "--help";
    char *words[] = {verb_word, help_word, NULL};
    const struct bs_verb *verb = find_verb(name);
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (!verb && strcmp(name, topics[i].name) == 0)
            return print_topic(topics[i].write);
    if (!verb)
        return unknown_verb(name);
    snprintf(verb_word, sizeof verb_word, "%s", verb->name);
    return verb->run(verb, 2, words);
}

int main(int argc, char **argv)
{
    struct bs_spool out = {0};
    secure_descriptors();
    if (argc < 2) {
        write_help(&out);
        fwrite(out.memory.data, 1, out.memory.size, stderr);
        bs_spool_free(&out);
        return BS_USAGE;
    }
    const struct bs_verb *verb = find_verb(argv[1]);
    if (verb)
        return (int)verb->run(verb, argc - 1, argv + 1);
    if (strcmp(argv[1], "help") == 0 && argc > 2)
        return (int)help_on(argv[2]);
    if (strcmp(argv[1], "--version") == 0) {
        bs_spool_text(&out, "bankshot " BS_VERSION "\n");
        return (int)bs_spool_print(&out);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        write_help(&out);
        return (int)bs_spool_print(&out);
    }
    return (int)unknown_verb(argv[1]);
}
