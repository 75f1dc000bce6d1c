/*
 * What can be changed of that which is shown, as a list of texts: the op and its addresses, the
 * names that --let binds, the model and some of its keys. A change is made in a copy, from which a
 * request is made; if that cannot be shown, the old values are still there.
 */
#ifndef BS_VALUES_H
#define BS_VALUES_H

#include "command/model_names.h"
#include "entry.h"
#include "story.h"

enum bs_value_kind {
    BS_VALUE_OP,
    BS_VALUE_ADDRS,
    BS_VALUE_LET,
    BS_VALUE_MODEL,
    BS_VALUE_SET, /* a key of the model */
};

enum { BS_VALUE_NAME = 64, BS_VALUE_TEXT = BS_ENTRY_ROOM, BS_MAX_VALUES = 96 };

struct bs_value {
    enum bs_value_kind kind;
    bool given; /* by the user; else it is what the model or the sketch says */
    char name[BS_VALUE_NAME];
    char text[BS_VALUE_TEXT];
};

/* "name=text", as options have it. */
struct bs_value_word {
    char text[BS_VALUE_NAME + BS_VALUE_TEXT];
};

struct bs_values {
    size_t count;
    struct bs_value list[BS_MAX_VALUES];
    uint32_t compare_count; /* scenes beside the first, and the value in which each differs */
    struct bs_value compares[BS_MAX_PANELS - 1];
    struct bs_value_word words[BS_MAX_VALUES + BS_MAX_PANELS]; /* of the request */
};

/* Reads them off a story. False if its request has more or longer texts than there is room for. */
bool bs_values_read(struct bs_values *values, const struct bs_story *story);

/* Brings those that the user has not given up to what the story's first model says. */
void bs_values_follow(struct bs_values *values, const struct bs_story *story);

/* The request that they stand for, with all else from another one. Its texts are those of the
 * values; its lists go to the story that it opens. False when memory is out. */
bool bs_values_request(struct bs_values *values, const struct bs_request *from,
                       struct bs_request *request);

/* The value of one scene. */
const struct bs_value *bs_values_of_scene(const struct bs_values *values, size_t number,
                                          uint32_t scene);

/* Sets it: where scenes differ in it for that scene, otherwise for all. */
void bs_values_set(struct bs_values *values, size_t number, uint32_t scene, const char *text);

/* Adds a scene that differs from the first in a value. False if there are enough. */
bool bs_values_compare(struct bs_values *values, size_t number, const char *text);

/* The number of the value of a name; their count if there is none. */
size_t bs_values_find(const struct bs_values *values, const char *name);

/* The text that comes some steps after a value: a number that is larger by so much, the next of
 * several choices, the next wider op. A leap doubles numbers, and goes on to the next kind of op.
 * False if there is none. */
bool bs_value_step(const struct bs_value *value, const struct bs_model_names *models, int step,
                   bool leap, char text[BS_VALUE_TEXT]);

#endif
