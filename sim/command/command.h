/* What the files of the command share: the verbs, and how an error reaches the user. */
#ifndef BS_COMMAND_H
#define BS_COMMAND_H

#include "bankshot.h"

/* One verb of the command. run gets the verb's own arguments, argv[0] being its name. */
struct bs_verb {
    const char *name;
    const char *summary; /* half a line, for the list of verbs */
    const char *usage;   /* the arguments; lines of their own where there are several forms */
    const char *about;   /* what it does, a paragraph of at most 500 bytes on each line */
    const char *examples;
    const char *appendix; /* NULL, or lines that stand between the options and the examples */
    enum bs_status (*run)(const struct bs_verb *verb, int argc, char **argv);
    /* NULL, or the name of the program of its own that this is instead of a verb. Its operands are
     * another program's words: the first ends the options. */
    const char *program;
};

extern const struct bs_verb bs_verb_run;
extern const struct bs_verb bs_verb_eval;
extern const struct bs_verb bs_verb_explain;
extern const struct bs_verb bs_verb_models;
extern const struct bs_verb bs_verb_sweep;
extern const struct bs_verb bs_verb_advise;
extern const struct bs_verb bs_verb_merge;
extern const struct bs_verb bs_verb_convert;
extern const struct bs_verb bs_verb_info;
extern const struct bs_verb bs_verb_view;
extern const struct bs_verb bs_verb_compare;

/* Writes "bankshot: " and the error to stderr as one line, and returns its status. */
enum bs_status bs_complain(const struct bs_error *error);

/* Writes "bankshot: warning: " and the error to stderr as one line. */
void bs_warn(const struct bs_error *error);

/* Writes "bankshot: note: " and what is to be minded of a result to stderr as one line: where the
 * output has no place for it. */
void bs_tell_note(const char *sentence);

/* bs_complain with the place in a trace that the error is about. */
enum bs_status bs_complain_at(const struct bs_error *error, const char *file, uint64_t line);

/* The same for a whole list; the status is the first one's. */
enum bs_status bs_complain_all(const struct bs_errors *errors);

/* Complains that memory is out. */
enum bs_status bs_out_of_memory(void);

#endif
