/*
 * A model in the making: what its texts (a file, the files it is based on, and overrides) say, key
 * by key and with the place of each value, before it is known whether all of it fits together.
 */
#ifndef BS_MODEL_DRAFT_H
#define BS_MODEL_DRAFT_H

#include "model_keys.h"
#include "model_tree.h"

/* Which keys a text gives, and where. */
struct bs_settings {
    uint64_t given; /* bs_key_bit of each */
    uint64_t bad;   /* those of given whose value is wrong, as has been said */
    struct bs_where where[BS_KEYS];
};

/* The ops that one word of an item's `ops` stands for. */
struct bs_selector {
    struct bs_where where;
    bool is_glob;
    char text[64];
    uint8_t ops[(BS_OPS + 7) / 8]; /* bit set by bs_op.index */
};

/* One item of a list of rules. */
struct bs_item {
    struct bs_where where;
    struct bs_settings settings;
    uint64_t reported; /* keys with an error that several ops would find */
    bool damaged;      /* has keys that could not be told */
    uint32_t phase_lanes;
    bool no_phases;      /* phases: none */
    struct bs_rule rule; /* only the given keys mean anything */
    struct bs_selector *selectors;
    size_t selector_count;
    size_t selector_room;
};

struct bs_draft {
    struct bs_model model;
    struct bs_settings settings;
    struct bs_where root;  /* of the file itself: where errors of the whole are reported */
    struct bs_item *items; /* in the order in which they override one another */
    size_t item_count;
    size_t item_room;
    size_t selectors; /* of all items */
    bool has_rules;   /* a file has a list of them, be it a wrong one */
    bool unreadable;  /* a file could not be read to its end: what is missing means nothing */
    struct bs_source *sources;
    unsigned applied; /* sources whose values are in */
    bool out_of_memory;
};

/* A new source at the end of the list, which keeps a copy of file; NULL when memory is out. */
struct bs_source *bs_draft_source(struct bs_draft *draft, const char *file, bool is_set);

/* Whether some source has an error. */
bool bs_draft_failed(const struct bs_draft *draft);
void bs_draft_free(struct bs_draft *draft);

/* A new item at the end; NULL when memory is out. */
struct bs_item *bs_draft_item(struct bs_draft *draft, struct bs_where where);

/* Reads the value of a key from a node: a model's key with item NULL, or one of the item. */
void bs_read_value(struct bs_draft *draft, struct bs_item *item, enum bs_key key,
                   const struct bs_tree *tree, const struct bs_node *node);

/* Reads a file's whole tree. */
void bs_read_model(struct bs_draft *draft, const struct bs_tree *tree);

/* The value of the top-level key `base`, or NULL. */
const struct bs_node *bs_read_base(const struct bs_tree *tree);

/* Says that a name is no key, with those that would be. */
void bs_fail_unknown_key(struct bs_where where, const char *prefix, const char *name, size_t size);

/* Adds the ops that a word (an op's name or a pattern) stands for. */
void bs_item_select(struct bs_draft *draft, struct bs_item *item, struct bs_where where,
                    const char *word, size_t size);

/* Whose rule an item sets, for messages: the first op or pattern. */
const char *bs_item_subject(const struct bs_item *item);

/* How deep bases may stand on bases. */
enum { BS_MAX_BASES = 8 };

/* What stands before an override in the name of its source. */
#define BS_SET_PREFIX "--set "

/* Applies one "dotted.path=value". */
void bs_draft_set(struct bs_draft *draft, const char *set);

/* Checks that everything fits together and fills the model, whose rules the caller then owns. False
 * after adding errors. */
bool bs_draft_finish(struct bs_draft *draft);

/* Lanes as "0-3 20-23", with that text between the ranges. */
void bs_lanes_text(uint64_t lanes, const char *between, struct bs_buffer *out);

#endif
