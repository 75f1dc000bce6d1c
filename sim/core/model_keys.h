/*
 * The keys of a model file as the library sees them: each entry of the one table in model_keys.c
 * carries a form that says where its value lives and which values it takes.
 */
#ifndef BS_MODEL_KEYS_H
#define BS_MODEL_KEYS_H

#include "bankshot.h"

/* Numbers of the keys, which index the table and stand for the key in sets of keys. */
enum bs_key {
    BS_KEY_NAME,
    BS_KEY_TITLE,
    BS_KEY_SOURCE,
    BS_KEY_COMPUTE_CAPABILITY,
    BS_KEY_CHANGES,
    BS_KEY_BASE,
    BS_KEY_LANES,
    BS_KEY_BANKS,
    BS_KEY_BANK_WIDTH,
    BS_KEY_ROW_BYTES,
    BS_KEY_PORTS,
    BS_KEY_WINNER,
    BS_KEY_SEED,
    BS_KEY_XOR,
    BS_KEY_TIMING_BASIS, /* from here on keys of the timing section */
    BS_KEY_TIMING_SOURCE,
    BS_KEY_SCHEDULERS,
    BS_KEY_SCHEDULER_INTERVAL,
    BS_KEY_DATA_INTERVAL,
    BS_KEY_WARP_INTERVAL,
    BS_KEY_PASS_INTERVAL,
    BS_KEY_QUEUE,
    BS_KEY_IN_FLIGHT,
    BS_KEY_LOOKAHEAD,
    BS_KEY_LATENCY_32,
    BS_KEY_LATENCY_64,
    BS_KEY_LATENCY_128,
    BS_KEY_LATENCY_ATOM,
    BS_KEY_LATENCY_ADD,
    BS_KEY_BARRIER_LATENCY,
    BS_KEY_BARRIER_INTERVAL,
    BS_KEY_CAPACITY_BASIS, /* from here on keys of the capacity section */
    BS_KEY_CAPACITY_SOURCE,
    BS_KEY_SHARED_MEMORY,
    BS_KEY_RESERVED_MEMORY,
    BS_KEY_CTAS,
    BS_KEY_WARPS,
    BS_KEY_RULE_OPS, /* from here on keys of a rule */
    BS_KEY_RULE_PHASE_LANES,
    BS_KEY_RULE_PHASES,
    BS_KEY_RULE_MERGE,
    BS_KEY_RULE_SAME_WORD,
    BS_KEY_RULE_BROADCAST_WORD,
    BS_KEY_RULE_COMBINE,
    BS_KEY_RULE_MULTIPLIER,
    BS_KEY_RULE_EXTRA_PASSES,
    BS_KEY_RULE_PORTS,
    BS_KEY_RULE_BANKS,
    BS_KEY_RULE_REQUEST_BYTES,
    BS_KEY_RULE_SOURCE_LINE,
    BS_KEY_RULE_METHOD,
    BS_KEY_RULE_SECTOR_BYTES,
    BS_KEY_RULE_SLOTS,
    BS_KEY_RULE_BASIS,
    BS_KEY_RULE_SOURCE,
    BS_KEYS,
};

static inline uint64_t bs_key_bit(enum bs_key key)
{
    return UINT64_C(1) << key;
}

enum bs_key_kind {
    BS_FORM_TEXT,        /* char[size] */
    BS_FORM_NUMBER,      /* uint32_t */
    BS_FORM_CHOICE,      /* uint32_t: the place in choices */
    BS_FORM_PHASE_LANES, /* a number that becomes phases once the lanes are known */
    BS_FORM_PHASES,      /* the rule's phase[] */
    BS_FORM_MERGE,       /* the rule's merge[] */
    BS_FORM_OPS,         /* which ops an item of rules is for */
    BS_FORM_BASE,        /* which model to load first */
};

struct bs_key_form {
    enum bs_key_kind kind;
    size_t offset; /* of the value in struct bs_model, or for a rule's key in struct bs_rule */
    size_t size;   /* of a text, with its NUL */
    bool (*fits)(const char *text); /* of a text that is more than a remark; NULL: any */
    uint32_t min, max;              /* of a number */
    bool or_zero;                   /* 0 is allowed as well */
    bool power_of_two;              /* of a number other than 0 */
    const char *word;               /* a word that stands for 0 */
    const char *const *choices;     /* by value, ending with NULL */
    uint32_t standard;              /* the default */
    bool required;
    bool always; /* printed even when it has its default */
};

/* The form of a key, its path, and its name without the "rules." or section's name before
 * it. */
const struct bs_key_form *bs_key_form(enum bs_key key);
const char *bs_key_path(enum bs_key key);
const char *bs_key_leaf(enum bs_key key);
const char *bs_key_type(enum bs_key key);

/* The key with the path prefix + name; BS_KEYS if there is none. */
enum bs_key bs_key_find(const char *prefix, const char *name, size_t size);

/* Whether a text is a list of compute capabilities, "8.x 9.0"; an empty one is. */
bool bs_cc_list_fits(const char *list);

/* Whether rules are the same in every key. */
bool bs_rule_same(const struct bs_rule *a, const struct bs_rule *b);

#endif
