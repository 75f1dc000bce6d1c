/* The texts, maps, names and expressions of a sketch, and the errors in them. */
#include "sketch_program.h"

#include "core/model_near.h"
#include "core/name.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---------------------------------------------------------------------------------- */

void bs_draft_fail(struct bs_sketch_draft *draft, const struct bs_node *node, size_t offset,
                   const char *format, ...)
{
    char text[sizeof((struct bs_error *)NULL)->text];
    struct bs_where where = bs_node_where(draft->tree, node);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* A quote stands before the first byte of a text that has them. */
    if (offset > 0 || (node->kind == BS_NODE_TEXT && !node->plain))
        where.column += (uint32_t)offset + !node->plain;
    bs_where_fail(where, BS_BAD_MODEL, "%s", text);
}

void bs_draft_fail_expected(struct bs_sketch_draft *draft, const struct bs_node *node,
                            const char *what, const char *expected)
{
    char shown[BS_NODE_SHOWN];
    bs_where_fail(bs_node_where(draft->tree, node), BS_BAD_MODEL, "%s: expected %s, found %s", what,
                  expected, bs_node_show(draft->tree, node, shown));
}

/* ---- memory ---------------------------------------------------------------------------------- */

char *bs_draft_own(struct bs_sketch_draft *draft, size_t size)
{
    struct bs_sketch_program *program = draft->program;
    char **owned =
        bs_grow(program->owned, &program->owned_room, program->owned_count + 1, sizeof *owned);
    char *memory = owned ? calloc(1, size > 0 ? size : 1) : NULL;
    if (owned)
        program->owned = owned;
    if (memory)
        owned[program->owned_count++] = memory;
    else
        draft->out_of_memory = true;
    return memory;
}

char *bs_draft_copy(struct bs_sketch_draft *draft, const char *text, size_t size)
{
    char *copy = bs_draft_own(draft, size + 1);
    if (copy && size > 0)
        memcpy(copy, text, size);
    return copy;
}

char *bs_draft_printf(struct bs_sketch_draft *draft, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = size < 0 ? NULL : bs_draft_own(draft, (size_t)size + 1);
    if (text)
        vsnprintf(text, (size_t)size + 1, format, again);
    va_end(again);
    return text;
}

/* ---- maps ------------------------------------------------------------------------------------ */

/* Whether it is an op's name without the width. */
bool bs_draft_is_op(const char *text, size_t size)
{
    struct bs_op op;
    char name[48];
    if (size == 0 || size > 24)
        return false;
    if (bs_op_parse(text, size, &op) && bs_op_is_matrix(op))
        return text[0] != 'L' && text[0] != 'S'; /* the native names alone */
    snprintf(name, sizeof name, "%.*s.b128", (int)size, text);
    if (bs_op_parse(name, strlen(name), &op))
        return true;
    snprintf(name, sizeof name, "%.*s.b32", (int)size, text);
    return bs_op_parse(name, strlen(name), &op);
}

/* The op that a key is nearest to, where a key may be one. */
static void offer_ops(struct bs_near *near, const char *name, size_t size)
{
    static const char *const some[] = {"ld",          "st",          "cp.async",    "cp.async.cg",
                                       "atom.add",    "atom.inc",    "red.add",     "atom.cas",
                                       "ldmatrix.x1", "ldmatrix.x2", "ldmatrix.x4", "stmatrix.x4"};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        bs_near_offer(near, name, size, some[i]);
}

/* What people write for keys of ours, and for ops; NULL: nothing that is known. */
static const char *own_word(const char *name, const struct bs_draft_key *keys, size_t count,
                            bool may_be_op)
{
    static const struct {
        const char *word, *own;
    } words[] = {
        {"if", "when"},
        {"guard", "when"},
        {"where", "when"},
        {"mask", "when"},
        {"loop", "for"},
        {"while", "for"},
        {"then", "do"},
        {"body", "do"},
        {"set", "let"},
        {"var", "let"},
        {"width", "vector"},
        {"vec", "vector"},
        {"source", "src"},
        {"from", "src"},
        {"name", "label"},
        {"name", "sketch"},
        {"kernel", "sketch"},
        {"check", "expect"},
        {"assert", "expect"},
        {"type", "element"},
        {"dtype", "element"},
        {"shape", "size"},
        {"dims", "size"},
        {"padding", "pad"},
        {"stride", "pitch"},
        {"threads", "block"},
        {"warp", "lanes"},
        {"warp_size", "lanes"},
        {"device", "model"},
        {"arch", "model"},
        {"shared", "arrays"},
        {"smem", "arrays"},
        {"accesses", "steps"},
        {"load", "ld"},
        {"read", "ld"},
        {"wait", "dep"},
        {"waits", "dep"},
        {"depends", "dep"},
        {"store", "st"},
        {"write", "st"},
        {"atomicAdd", "atom.add"},
        {"atomicMax", "atom.max"},
        {"atomicMin", "atom.min"},
        {"atomicCAS", "atom.cas"},
        {"atomicExch", "atom.exch"},
        {"memcpy_async", "cp.async"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].word, name) != 0)
            continue;
        if (may_be_op && bs_draft_is_op(words[i].own, strlen(words[i].own)))
            return words[i].own;
        for (size_t j = 0; j < count; j++)
            if (strcmp(keys[j].name, words[i].own) == 0)
                return words[i].own;
    }
    return NULL;
}

/* The lesson of a key that is nearly right; false if there is none. */
static bool teach_key(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what,
                      const struct bs_draft_key *keys, size_t count, bool may_be_op)
{
    const char *name = bs_node_text(draft->tree, node);
    const char *own = own_word(name, keys, count, may_be_op);
    struct bs_op op;
    char native[BS_OP_NAME], shown[64], lesson[128] = "";
    const bool is_full = bs_op_parse(name, node->size, &op);
    if (own) {
        snprintf(lesson, sizeof lesson, "it is called '%s'", own);
    } else if (may_be_op && (bs_draft_is_barrier(name) || (is_full && op.kind == BS_BAR))) {
        snprintf(lesson, sizeof lesson, "write '- barrier', without a colon or braces");
    } else if (may_be_op && is_full) {
        const char *end = bs_op_is_matrix(op) ? NULL : strrchr(bs_op_name(op, native), '.');
        snprintf(lesson, sizeof lesson, "write '%.*s': the width follows from element and vector",
                 end ? (int)(end - native) : BS_OP_NAME, bs_op_name(op, native));
    } else if (strpbrk(name, "()<>=")) {
        snprintf(lesson, sizeof lesson, "a text with a comma in it needs quotes between { and }");
    }
    if (lesson[0])
        bs_draft_fail(draft, node, 0, "%s: unknown key '%s'; %s", what,
                      bs_printable(name, node->size, shown, sizeof shown), lesson);
    return lesson[0];
}

bool bs_draft_is_barrier(const char *text)
{
    static const char *const words[] = {"barrier",    "bar",      "syncthreads", "sync",
                                        "block.sync", "cta.sync", "s_barrier",   "group_barrier"};
    static const char ends[] = ".(; ";
    text += strspn(text, "_");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t size = strlen(words[i]);
        if (strncmp(text, words[i], size) == 0 && strchr(ends, text[size]))
            return true; /* the NUL at the end is one of ends */
    }
    return false;
}

static void fail_unknown_key(struct bs_sketch_draft *draft, const struct bs_node *node,
                             const char *what, const struct bs_draft_key *keys, size_t count,
                             bool may_be_op)
{
    const char *name = bs_node_text(draft->tree, node);
    struct bs_near near = {0};
    struct bs_buffer list = {0};
    char hint[BS_NEAR_MESSAGE];
    char shown[64];
    if (teach_key(draft, node, what, keys, count, may_be_op))
        return;
    for (size_t i = 0; i < count; i++) {
        bs_near_offer(&near, name, node->size, keys[i].name);
        bs_buffer_printf(&list, "%s%s", i ? ", " : "; known: ", keys[i].name);
    }
    if (may_be_op) {
        offer_ops(&near, name, node->size);
        bs_buffer_text(&list, ", and ops such as ld, st, atom.add, ldmatrix.x4 and cp.async");
    }
    char *known = bs_buffer_take(&list);
    bs_draft_fail(draft, node, 0, "%s: unknown key '%s'%s", what,
                  bs_printable(name, node->size, shown, sizeof shown),
                  near.name[0] ? bs_near_message(&near, hint)
                  : known      ? known
                               : "");
    free(known);
}

static bool take_key(struct bs_sketch_draft *draft, const struct bs_node *key, const char *what,
                     const struct bs_draft_key *keys, size_t count, const struct bs_node **values,
                     const struct bs_node **op)
{
    const struct bs_node *value = draft->tree->nodes + key->end;
    size_t number = 0;
    if (key->kind != BS_NODE_TEXT) {
        bs_draft_fail_expected(draft, key, what, "a key");
        return false;
    }
    const char *name = bs_node_text(draft->tree, key);
    while (number < count && strcmp(keys[number].name, name) != 0)
        number++;
    const bool known = number < count;
    if (!known && !(op && bs_draft_is_op(name, key->size))) {
        fail_unknown_key(draft, key, what, keys, count, op != NULL);
        return false;
    }
    if (known ? values[number] != NULL : *op != NULL) {
        bs_draft_fail(draft, key, 0,
                      known ? "%s: the key '%s' is here a second time"
                            : "%s: '%s' is a second op, expected one",
                      what, name);
        return false;
    }
    *(known ? &values[number] : op) = known ? value : key;
    return true;
}

bool bs_draft_keys(struct bs_sketch_draft *draft, const struct bs_node *map, const char *what,
                   const struct bs_draft_key *keys, size_t count, const struct bs_node **values,
                   const struct bs_node **op)
{
    bool fine = true;
    for (size_t i = 0; i < count; i++)
        values[i] = NULL;
    if (op)
        *op = NULL;
    if (map->kind != BS_NODE_MAP) {
        bs_draft_fail_expected(draft, map, what, "a map of keys and values");
        return false;
    }
    const struct bs_node *end = draft->tree->nodes + map->end;
    for (const struct bs_node *key = map + 1; key < end;) {
        fine = take_key(draft, key, what, keys, count, values, op) && fine;
        key = draft->tree->nodes + draft->tree->nodes[key->end].end;
    }
    for (size_t i = 0; i < count; i++) {
        if (keys[i].required && !values[i]) {
            bs_draft_fail(draft, map, 0, "%s: the key '%s' is missing", what, keys[i].name);
            fine = false;
        }
    }
    return fine;
}

const char *bs_draft_text(struct bs_sketch_draft *draft, const struct bs_node *node,
                          const char *what)
{
    if (node->kind == BS_NODE_TEXT && node->size > 0 && !bs_node_is_null(draft->tree, node))
        return bs_node_text(draft->tree, node);
    bs_draft_fail_expected(draft, node, what,
                           node->kind == BS_NODE_TEXT ? "text"
                                                      : "text, in quotes if it begins with { or [");
    return NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_taken(const struct bs_sketch_draft *draft, const char *name)
{
    static const char *const taken[] = {"row", "col", "min", "max"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    for (unsigned i = 0; i < draft->name_count; i++)
        if (strcmp(name, draft->names[i]) == 0)
            return true;
    return false;
}

bool bs_draft_bind(struct bs_sketch_draft *draft, const struct bs_node *node, size_t offset,
                   const char *name, size_t size, bool uniform)
{
    char shown[64];
    bs_printable(name, size, shown, sizeof shown);
    if (!bs_is_name(name, size) || size >= BS_SKETCH_NAME) {
        bs_draft_fail(draft, node, offset,
                      "expected a name of letters, digits and _, at most %d, found '%s'",
                      BS_SKETCH_NAME - 1, shown);
        return false;
    }
    char *copy = bs_draft_copy(draft, name, size);
    if (!copy)
        return false;
    if (is_taken(draft, copy)) {
        bs_draft_fail(draft, node, offset, "the name '%s' has a meaning already", shown);
        return false;
    }
    if (draft->name_count == BS_SKETCH_NAMES) {
        bs_draft_fail(draft, node, offset, "more than %d names at a time", BS_SKETCH_NAMES);
        return false;
    }
    draft->uniform[draft->name_count] = uniform;
    draft->names[draft->name_count++] = copy;
    if (draft->name_count > draft->program->names)
        draft->program->names = draft->name_count;
    return true;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Parses with the names that are the same for all threads; the others' numbers stay free. */
static struct bs_expr *parse_uniform(const struct bs_sketch_draft *draft, const char *text,
                                     struct bs_error *error)
{
    const char *names[BS_SKETCH_NAMES];
    for (unsigned i = 0; i < draft->name_count; i++)
        names[i] = draft->uniform[i] ? draft->names[i] : "";
    return bs_expr_parse(text, names, draft->name_count, error);
}

bool bs_draft_is_uniform(const struct bs_sketch_draft *draft, const char *text)
{
    struct bs_error error;
    struct bs_expr *expr = parse_uniform(draft, text, &error);
    bs_expr_free(expr);
    return expr != NULL;
}

/* What CUDA's own names are here. */
static const char *cuda_hint(const char *text)
{
    static const struct {
        const char *name, *hint;
    } names[] = {
        {"threadIdx.x", "; threadIdx.x is tx here"},
        {"threadIdx.y", "; threadIdx.y is ty here"},
        {"threadIdx.z", "; threadIdx.z is tz here"},
        {"blockIdx", "; cta is the block's number here"},
        {"blockDim", "; blockDim is not known here: give its number, or a parameter"},
        {"gridDim", "; gridDim is not known here: give its number, or a parameter"},
        {"warpSize", "; warpSize is not known here: give its number, or a parameter"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(text, names[i].name))
            return names[i].hint;
    return "";
}

static struct bs_expr *parse_text(struct bs_sketch_draft *draft, const struct bs_node *node,
                                  size_t offset, const char *text, const char *what, bool uniform)
{
    struct bs_error error;
    char shown[80];
    const bool outside = uniform && !draft->uniform[BS_CTA]; /* of steps: there are no threads */
    struct bs_expr *some = outside ? parse_uniform(draft, text, &error)
                                   : bs_expr_parse(text, draft->names, draft->name_count, &error);
    bs_printable(text, strlen(text), shown, sizeof shown);
    if (!some) {
        bs_draft_fail(draft, node, offset + (error.column ? (size_t)error.column - 1 : 0),
                      "%s '%s': %s%s", what, shown, error.text, cuda_hint(text));
        return NULL;
    }
    if (!uniform || outside)
        return some;
    bs_expr_free(some);
    struct bs_expr *expr = parse_uniform(draft, text, &error);
    if (!expr)
        bs_draft_fail(draft, node, offset + (error.column ? (size_t)error.column - 1 : 0),
                      "%s '%s' has to be the same for all threads: what differs between them is "
                      "said by 'when'",
                      what, shown);
    return expr;
}

struct bs_expr *bs_draft_expr(struct bs_sketch_draft *draft, const struct bs_node *node,
                              size_t offset, size_t size, const char *what, bool uniform)
{
    const char *from = bs_node_text(draft->tree, node) + offset;
    char *text = malloc(size + 1);
    if (!text) {
        draft->out_of_memory = true;
        return NULL;
    }
    memcpy(text, from, size);
    text[size] = '\0';
    struct bs_expr *expr = parse_text(draft, node, offset, text, what, uniform);
    free(text);
    return expr;
}

bool bs_draft_value(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what,
                    int64_t min, int64_t max, int64_t *value)
{
    struct bs_error error;
    char shown[BS_NODE_SHOWN];
    if (!bs_draft_text(draft, node, what))
        return false;
    struct bs_expr *expr = bs_draft_expr(draft, node, 0, node->size, what, true);
    if (!expr)
        return false;
    const bool known = bs_expr_eval(expr, draft->program->values, value, &error);
    bs_expr_free(expr);
    if (!known) {
        bs_draft_fail(draft, node, (size_t)error.column - 1, "%s: %s", what, error.text);
        return false;
    }
    if (*value >= min && *value <= max)
        return true;
    uint64_t number;
    if (draft->guessed &&
        !bs_number_parse(bs_node_text(draft->tree, node), node->size, UINT64_MAX, &number))
        return false; /* it may follow from the guess */
    bs_node_show(draft->tree, node, shown);
    bs_draft_fail(draft, node, 0,
                  "%s: expected a number from %" PRId64 " to %" PRId64 ", %s is %" PRId64, what,
                  min, max, shown, *value);
    return false;
}

/* Whether the text has a size such as 32x8, which 0x20 is not. */
static bool has_times(const char *text)
{
    static const char digits[] = "0123456789";
    for (const char *by = strchr(text, 'x'); by; by = strchr(by + 1, 'x')) {
        const bool before = by > text && strchr(digits, by[-1]);
        const bool hex = before && by[-1] == '0' && (by - text < 2 || !strchr(digits, by[-2]));
        if (before && !hex && by[1] && strchr(digits, by[1]))
            return true;
    }
    return false;
}

bool bs_draft_is_list(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what)
{
    const char *text = node->kind == BS_NODE_TEXT ? bs_node_text(draft->tree, node) : "";
    const bool calls = strstr(text, "min(") || strstr(text, "max(");
    if (!has_times(text) && strncmp(text, "dim3", 4) != 0 && !strstr(text, "][") &&
        (calls || !strchr(text, ',')))
        return true;
    bs_draft_fail_expected(draft, node, what,
                           "one size, or several as a list in brackets, such as [32, 8]");
    return false;
}
