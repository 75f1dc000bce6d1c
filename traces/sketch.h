/*
 * Layout sketches: a kernel's shared arrays and accesses in a few lines of YAML, from which the
 * exact warps follow. docs/sketch.md describes the language.
 *
 *     text ──parse──> sketch ──walk──> visits ──layout──> addresses ──issue──> instructions
 *
 * A visit is one warp at one access: which element of which array each lane goes to. It does not
 * depend on how the arrays lie in memory, so one list of visits serves any number of layouts. A
 * layout says at which byte an element lies, and an issue which instructions a compiler makes of an
 * access, given what can be proven of its addresses.
 *
 *     struct bs_sketch *sketch = bs_sketch_load("transpose.yaml", NULL, 0, &errors);
 *     struct bs_walk walk;
 *     struct bs_visit visit;
 *     bs_walk_start(&walk, sketch);
 *     while (bs_walk_next(&walk, &visit, &error) == BS_WALK_VISIT)
 *         ...
 *     bs_walk_end(&walk);
 *     bs_sketch_free(sketch);
 */
#ifndef BS_SKETCH_H
#define BS_SKETCH_H

#include "bankshot-traces.h"

enum {
    BS_SKETCH_NAME = 32,       /* bytes of a parameter's or an array's name, with its NUL */
    BS_SKETCH_DIMS = 4,        /* of an array */
    BS_SKETCH_BYTES = 1 << 22, /* of all arrays together */
    BS_SKETCH_STEPS = 1 << 20, /* of all warps and loops */
    BS_SKETCH_CUTS = 5,
    BS_SKETCH_VALUES = 64, /* labels that others wait for */
    BS_SKETCH_PC = 16,     /* from an instruction to the next */
};

/* ---- layouts --------------------------------------------------------------------------------- */

/* How an array lies: rows of columns elements, whose starts are pitch elements apart. An array of
 * one dimension is one row; of three and more, the leading dimensions make the rows. */
struct bs_layout {
    uint32_t element; /* bytes: 1, 2, 4, 8 or 16 */
    uint32_t align;   /* bytes: what the declaration promises of the array's start */
    uint32_t rows, columns;
    uint32_t pitch;       /* in elements, at least columns */
    uint32_t base;        /* byte at which the array begins */
    const uint32_t *spot; /* where in its row, from 0 to pitch - 1, element row * columns + column
                             lies; NULL: in its column's place */
};

/* The bytes from the array's start to an element that is in it. */
static inline uint32_t bs_layout_offset(const struct bs_layout *layout, uint32_t row,
                                        uint32_t column)
{
    const uint32_t spot = layout->spot ? layout->spot[row * layout->columns + column] : column;
    return (row * layout->pitch + spot) * layout->element;
}

/* The bytes that the array takes. */
static inline uint64_t bs_layout_bytes(const struct bs_layout *layout)
{
    return (uint64_t)layout->rows * layout->pitch * layout->element;
}

/* Whether no two elements of a row have the same spot and none lies outside of the row: the first
 * element that breaks it is *row, *column; *row is rows if memory was out. */
bool bs_layout_is_sound(const struct bs_layout *layout, uint32_t *row, uint32_t *column);

/* ---- what a sketch holds --------------------------------------------------------------------- */

struct bs_sketch_param {
    char name[BS_SKETCH_NAME];
    int64_t value;
    bool given; /* by a let, not by the sketch */
};

struct bs_sketch_array {
    char name[BS_SKETCH_NAME];
    const char *type; /* as CUDA spells it: "float" */
    uint32_t dims[BS_SKETCH_DIMS];
    unsigned dim_count;
    const char *swizzle; /* the expression for an element's spot, or NULL */
    struct bs_layout layout;
    uint64_t line, column; /* in the text */
};

/* What an access compiles to: count instructions of op, one after another through its bytes. count
 * is 0 if no instruction can do it: then the wish stands in op. */
struct bs_issue {
    struct bs_op op;
    unsigned count;
    uint32_t proven; /* bytes: every address is a multiple of it, a power of two up to 16 */
    bool scattered;  /* the elements of the vectors do not all lie side by side */
};

struct bs_sketch_access {
    const char *text;  /* the access as it stands: "tile[ty + j][tx]" */
    const char *label; /* what a report calls it: its label, or op and text */
    size_t array;
    struct bs_op wish;     /* the op of the width that is asked for */
    unsigned vector;       /* elements a lane */
    struct bs_issue issue; /* under the sketch's own layouts */
    uint64_t pc;           /* of its first instruction; the next are BS_SKETCH_PC further */
    const char *expect;    /* an expression over the fields of a record that should hold, or NULL */
    uint64_t expect_line, expect_column;
    uint64_t line, column;
    uint64_t visits; /* in all CTAs */
    /* What each of its instructions waits for: the latest one of its warp that gave the value of
     * this number, from 1, or the one so many before; both 0: nothing. Where there is none, it
     * waits for nothing. */
    unsigned waits;
    uint32_t distance;
    unsigned gives; /* the number of its value, from 1; 0: nothing waits for it */
};

struct bs_sketch {
    const char *file;
    const char *name;
    const char *about; /* or NULL */
    const char *model; /* or NULL */
    uint64_t model_line, model_column;
    uint32_t block[3], grid[3];
    uint32_t lanes; /* in a warp */
    uint64_t bytes; /* of shared memory, with the gaps that alignment leaves */
    const struct bs_sketch_param *params;
    size_t param_count;
    const struct bs_sketch_array *arrays;
    size_t array_count;
    const struct bs_sketch_access *accesses; /* in the order of the text */
    size_t access_count;
    unsigned values;                   /* that accesses wait for by label */
    uint64_t records;                  /* instructions of all warps, barriers included */
    struct bs_sketch_program *program; /* the steps: the walk's */
};

/* Reads a sketch and sets parameters, which must be its own. NULL after adding at least one error,
 * all those of the text at once; an access that leaves its array names the thread. */
struct bs_sketch *bs_sketch_parse(const char *text, size_t size, const char *file,
                                  const struct bs_let *lets, size_t let_count,
                                  struct bs_errors *errors);
struct bs_sketch *bs_sketch_load(const char *path, const struct bs_let *lets, size_t let_count,
                                 struct bs_errors *errors);
void bs_sketch_free(struct bs_sketch *sketch);

/* The sketch that a trace is made of, which is the trace's; NULL if it is another kind of trace. */
const struct bs_sketch *bs_trace_sketch(const struct bs_trace *trace);

/* Whether a text starts as a sketch does, after comments and blank lines. */
bool bs_sketch_starts(const char *text, size_t size);

/* Whether one of the lines that a text starts with is a key that only sketches have. */
bool bs_sketch_resembles(const char *text, size_t size);

/* The access that an instruction is of; NULL: none, as of a barrier. */
const struct bs_sketch_access *bs_sketch_access_at(const struct bs_sketch *sketch, uint64_t pc);

/* Lays an array behind what ends at byte end, at a multiple of its alignment: sets its base and
 * returns the byte at which it ends itself. */
uint64_t bs_layout_place(struct bs_layout *layout, uint64_t end);

/* ---- visits ---------------------------------------------------------------------------------- */

/* One warp at one access, or at a barrier. */
struct bs_visit {
    const struct bs_sketch_access *access; /* NULL: a barrier */
    uint64_t pc;                           /* of a barrier */
    uint32_t cta, warp;
    uint64_t mask;                 /* active lanes, not none */
    uint32_t row[BS_MAX_LANES];    /* by active lane: its first element */
    uint32_t column[BS_MAX_LANES]; /* likewise; the further ones of a vector follow it */
    uint64_t src[BS_MAX_LANES];    /* likewise: global address of an async copy */
    bool has_src;
};

enum bs_walk_event { BS_WALK_VISIT, BS_WALK_END, BS_WALK_ERROR };

/* A walk through the steps of a sketch: CTA by CTA, step by step, warp by warp. Warps of which no
 * lane is active are left out. */
struct bs_walk {
    const struct bs_sketch *sketch;
    int64_t *values; /* of the names that are known at the step */
    size_t step;
    uint64_t taken; /* steps so far */
    uint32_t cta, warp;
};

/* False when memory is out; end it in any case. */
bool bs_walk_start(struct bs_walk *walk, const struct bs_sketch *sketch);
enum bs_walk_event bs_walk_next(struct bs_walk *walk, struct bs_visit *visit,
                                struct bs_error *error);
void bs_walk_end(struct bs_walk *walk);

/* ---- issue ----------------------------------------------------------------------------------- */

/* Finds out what an access compiles to under a layout of its array: begin, show all its visits,
 * conclude. The proof is what a compiler can know that sees all constants: the largest power of two
 * that divides every address, the array's start counting with its declared alignment alone. */
struct bs_issue_proof {
    const struct bs_sketch_access *access;
    const struct bs_layout *layout;
    /* By the binary logarithm of a number of elements, for the vectors cut into so many each: all
     * offsets or-ed together, and whether some do not lie side by side. */
    uint32_t bits[BS_SKETCH_CUTS];
    bool scattered[BS_SKETCH_CUTS];
};
void bs_issue_begin(struct bs_issue_proof *proof, const struct bs_sketch_access *access,
                    const struct bs_layout *layout);
void bs_issue_show(struct bs_issue_proof *proof, const struct bs_visit *visit);
struct bs_issue bs_issue_conclude(const struct bs_issue_proof *proof);

/* The addresses of one of the instructions, number from 0, by active lane. */
void bs_issue_addresses(const struct bs_issue *issue, const struct bs_layout *layout,
                        const struct bs_visit *visit, unsigned number, uint32_t addr[BS_MAX_LANES]);

/* What became of a wish for width, or that no thread makes the access, as a sentence; nothing (and
 * false) if all is well. */
bool bs_issue_sentence(const struct bs_sketch *sketch, const struct bs_sketch_access *access,
                       char *out, size_t size);

/* What the sketch is and what to mind, sentence by sentence, number from 0. False behind the last.
 */
bool bs_sketch_remark(const struct bs_sketch *sketch, enum bs_remark kind, size_t number, char *out,
                      size_t size);

#endif
