/*
 * What one scene of several differs in: the model and, of an instruction that was given in words,
 * its addresses. The first variant is what the options say; each --compare makes another one.
 */
#ifndef BS_VARIANT_H
#define BS_VARIANT_H

#include "command/subject.h"

enum { BS_VARIANT_CAPTION = 96 };

/* What to show, as the user gave it. The texts stay the caller's. */
struct bs_request {
    const char *trace; /* NULL: op and addresses are given */
    const char *op;
    const char *addresses;
    struct bs_subject_options options;
    struct bs_words compares; /* "KEY=VALUE" */
};

struct bs_variant {
    char caption[BS_VARIANT_CAPTION]; /* "pitch=33", "ampere" */
    struct bs_subject_options options;
    const char *addresses;
    struct bs_model *model;
    struct bs_subject subject; /* of an instruction in words; its model is the one above */
};

/* The variant of a request that a "KEY=VALUE" makes; NULL: the first one. trace_model is the name
 * that the trace asks for, if there is one. False with the errors, none if memory is out. */
bool bs_variant_make(struct bs_variant *variant, const struct bs_request *request,
                     const char *compare, const char *trace_model, struct bs_errors *errors);
void bs_variant_free(struct bs_variant *variant);

/* The value of a key of a model by its dotted path, outside the rules; empty if it has none. */
void bs_model_value(const struct bs_model *model, const char *key, char *value, size_t room);

/* What the library says of a key; NULL: there is none of that name. */
const struct bs_model_key *bs_model_key_named(const char *key);

/* What to call the first variant beside the others. */
void bs_variant_name_first(struct bs_variant *first, const struct bs_request *request);

/* Adds the words of a list to another. False when memory is out. */
bool bs_words_copy(struct bs_words *to, const struct bs_words *from);

#endif
