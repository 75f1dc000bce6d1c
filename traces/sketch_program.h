/*
 * What a sketch does, as steps that a walk runs through, and the sketch in the making. Names of
 * expressions have numbers: first those of the thread, then the parameters, then those that loops
 * and lets bind, which go when their part of the text ends.
 */
#ifndef BS_SKETCH_PROGRAM_H
#define BS_SKETCH_PROGRAM_H

#include "core/model_tree.h"
#include "sketch.h"

enum { BS_SKETCH_NAMES = 96 };

/* The names that are always there, by number. Only the last is the same for all threads. */
enum bs_thread_name { BS_TX, BS_TY, BS_TZ, BS_TID, BS_LANE, BS_WARP, BS_CTA, BS_THREAD_NAMES };

enum bs_step_kind {
    BS_STEP_LOOP,     /* its name takes the first value; to the step behind the loop's end unless
                         the condition holds */
    BS_STEP_NEXT,     /* the end of the loop: its name takes the next value; back if it holds */
    BS_STEP_LET,      /* a name that is the same for all threads takes a value */
    BS_STEP_LANE_LET, /* one that is not: done for each lane of the accesses that see it */
    BS_STEP_WHEN,     /* likewise: lanes for which it is 0 are not active */
    BS_STEP_ACCESS,
    BS_STEP_BARRIER,
};

struct bs_sketch_step {
    enum bs_step_kind kind;
    uint64_t line, column;     /* where its text stands; of an access that of its index */
    const char *text;          /* for messages */
    size_t bytes;              /* of the expressions that it takes to do it */
    struct bs_expr *expr;      /* the value, or what has to hold */
    struct bs_expr *condition; /* of a loop and its end */
    unsigned name;             /* that takes the value */
    size_t other;              /* of a loop its end, of the end the loop */
    size_t access;
    struct bs_expr *index[BS_SKETCH_DIMS];
    struct bs_expr *source;    /* of an async copy; or NULL */
    size_t first, count;       /* of an access: its lane steps in chain */
    const struct bs_node *dep; /* of an access: what it waits for; or NULL */
    uint64_t pc;               /* of a barrier */
};

struct bs_sketch_program {
    struct bs_source source; /* the text's, and the errors in it */
    struct bs_tree tree;     /* whose text the sketch points into */
    struct bs_sketch_param *params;
    struct bs_sketch_array *arrays;
    struct bs_sketch_access *accesses;
    struct bs_sketch_step *steps;
    size_t *chain;
    char **owned; /* further texts, and tables of spots */
    size_t step_count, chain_count, owned_count;
    size_t param_room, array_room, access_room, step_room, chain_room, owned_room;
    int64_t values[BS_SKETCH_NAMES]; /* of the parameters */
    unsigned names;                  /* most at a time */
};

/* A sketch in the making. */
struct bs_sketch_draft {
    struct bs_sketch *sketch;
    struct bs_sketch_program *program;
    const struct bs_tree *tree;
    const char *names[BS_SKETCH_NAMES];
    bool uniform[BS_SKETCH_NAMES]; /* the same for all threads of a CTA */
    unsigned name_count;
    size_t lane_steps[BS_SKETCH_NAMES]; /* in force */
    unsigned lane_step_count;
    unsigned guards; /* whens around the next step */
    bool guessed;    /* a parameter has no value, and 1 instead */
    bool out_of_memory;
};

/* ---- texts and maps (sketch_keys.c) ---------------------------------------------------------- */

/* Adds an error at a node, or at a byte of its text. */
void bs_draft_fail(struct bs_sketch_draft *draft, const struct bs_node *node, size_t offset,
                   const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 4, 5)))
#endif
    ;

/* "what: expected expected, found ...". */
void bs_draft_fail_expected(struct bs_sketch_draft *draft, const struct bs_node *node,
                            const char *what, const char *expected);

/* A key of a map. */
struct bs_draft_key {
    const char *name;
    bool required;
};

/* Finds the values of a map's keys, NULL for those that are not there, and complains about all
 * others. Keys that are the names of ops without a width are left to *op (unless it is NULL). */
bool bs_draft_keys(struct bs_sketch_draft *draft, const struct bs_node *map, const char *what,
                   const struct bs_draft_key *keys, size_t count, const struct bs_node **values,
                   const struct bs_node **op);

/* Whether it is an op's name without the width. */
bool bs_draft_is_op(const char *text, size_t size);

/* False after complaining of several sizes in one text, such as "32, 8" or "32x8". */
bool bs_draft_is_list(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what);

/* Whether a text is what CUDA, PTX or others call a barrier of a block. */
bool bs_draft_is_barrier(const char *text);

/* A text that is not empty; NULL after complaining. */
const char *bs_draft_text(struct bs_sketch_draft *draft, const struct bs_node *node,
                          const char *what);

/* Memory that the sketch frees; NULL, with out_of_memory set, if there is none. */
char *bs_draft_own(struct bs_sketch_draft *draft, size_t size);
char *bs_draft_copy(struct bs_sketch_draft *draft, const char *text, size_t size);
char *bs_draft_printf(struct bs_sketch_draft *draft, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Binds a new name; false after complaining at the byte of the node's text where it stands. */
bool bs_draft_bind(struct bs_sketch_draft *draft, const struct bs_node *node, size_t offset,
                   const char *name, size_t size, bool uniform);

/* Parses a piece of a node's text, from byte offset on, that may use all names, or those alone that
 * are the same for all threads. NULL after complaining. */
struct bs_expr *bs_draft_expr(struct bs_sketch_draft *draft, const struct bs_node *node,
                              size_t offset, size_t size, const char *what, bool uniform);
bool bs_draft_is_uniform(const struct bs_sketch_draft *draft, const char *text);

/* The value of an expression over the parameters, within limits. */
bool bs_draft_value(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what,
                    int64_t min, int64_t max, int64_t *value);

/* ---- the parts of a sketch ------------------------------------------------------------------- */

void bs_draft_arrays(struct bs_sketch_draft *draft,
                     const struct bs_node *map); /* sketch_arrays.c */
void bs_draft_steps(struct bs_sketch_draft *draft, const struct bs_node *list); /* sketch_steps.c */

#endif
