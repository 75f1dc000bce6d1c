/* The steps of a sketch: loops, guards, lets, barriers and accesses. */
#include "expect.h"
#include "sketch_program.h"
#include "sketch_waits.h"

#include "core/model_near.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum step_key { FOR, DO, WHEN, LET, VECTOR, SRC, DEP, LABEL, EXPECT, STEP_KEYS };

static const struct bs_draft_key step_keys[STEP_KEYS] = {
    {"for", false}, {"do", false},  {"when", false},  {"let", false},    {"vector", false},
    {"src", false}, {"dep", false}, {"label", false}, {"expect", false},
};

static void read_steps(struct bs_sketch_draft *draft, const struct bs_node *list);

/* ---- pieces of text -------------------------------------------------------------------------- */

/* A piece of a node's text. */
struct piece {
    const struct bs_node *node;
    size_t at, size;
};

static const char *piece_text(const struct bs_sketch_draft *draft, struct piece piece)
{
    return bs_node_text(draft->tree, piece.node) + piece.at;
}

static struct piece trim(const struct bs_sketch_draft *draft, struct piece piece)
{
    const char *text = piece_text(draft, piece);
    while (piece.size > 0 && (*text == ' ' || *text == '\n')) {
        text++;
        piece.at++;
        piece.size--;
    }
    while (piece.size > 0 && (text[piece.size - 1] == ' ' || text[piece.size - 1] == '\n'))
        piece.size--;
    return piece;
}

static struct bs_expr *piece_expr(struct bs_sketch_draft *draft, struct piece piece,
                                  const char *what, bool uniform)
{
    return bs_draft_expr(draft, piece.node, piece.at, piece.size, what, uniform);
}

/* The name that the piece begins with, taken off it. */
static struct piece take_name(const struct bs_sketch_draft *draft, struct piece *piece)
{
    static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const struct piece whole = trim(draft, *piece);
    const char *text = piece_text(draft, whole);
    struct piece name = whole;
    name.size = strspn(text, inside);
    if (name.size > whole.size)
        name.size = whole.size;
    *piece = trim(draft, (struct piece){whole.node, whole.at + name.size, whole.size - name.size});
    return name;
}

/* ---- adding ---------------------------------------------------------------------------------- */

static struct bs_sketch_step *add_step(struct bs_sketch_draft *draft, enum bs_step_kind kind,
                                       const struct bs_node *node)
{
    struct bs_sketch_program *program = draft->program;
    struct bs_sketch_step *steps =
        bs_grow(program->steps, &program->step_room, program->step_count + 1, sizeof *steps);
    if (!steps) {
        draft->out_of_memory = true;
        return NULL;
    }
    program->steps = steps;
    steps += program->step_count++;
    *steps = (struct bs_sketch_step){.kind = kind, .line = node->line, .column = node->column};
    if (node->kind == BS_NODE_TEXT) {
        steps->text = bs_node_text(draft->tree, node);
        steps->bytes = node->size;
    }
    return steps;
}

/* Adds a step that is done for each lane of the accesses after it. */
static void add_lane_step(struct bs_sketch_draft *draft, enum bs_step_kind kind,
                          const struct bs_node *node, struct bs_expr *expr)
{
    struct bs_sketch_step *step =
        draft->lane_step_count < BS_SKETCH_NAMES ? add_step(draft, kind, node) : NULL;
    if (!step) {
        if (draft->lane_step_count == BS_SKETCH_NAMES)
            bs_draft_fail(draft, node, 0, "more than %d guards and lets around a step",
                          BS_SKETCH_NAMES);
        bs_expr_free(expr);
        return;
    }
    step->expr = expr;
    step->name = draft->name_count;
    draft->lane_steps[draft->lane_step_count++] = draft->program->step_count - 1;
}

static void add_guard(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    if (!bs_draft_text(draft, node, "when"))
        return;
    struct bs_expr *expr = bs_draft_expr(draft, node, 0, node->size, "when", false);
    if (expr)
        add_lane_step(draft, BS_STEP_WHEN, node, expr);
}

/* ---- loops ----------------------------------------------------------------------------------- */

/* The three parts of a loop's head. */
struct head {
    struct piece name, first, condition, next;
};

static bool fail_head(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    bs_draft_fail_expected(draft, node, "for",
                           "NAME = FIRST; CONDITION; NEXT as in C without the type, such as "
                           "'j = 0; j < 32; j += 8'");
    return false;
}

static bool split_head(struct bs_sketch_draft *draft, const struct bs_node *node, struct head *head)
{
    const char *text = bs_draft_text(draft, node, "for");
    if (!text)
        return false;
    const char *one = strchr(text, ';');
    const char *two = one ? strchr(one + 1, ';') : NULL;
    if (!two || strchr(two + 1, ';'))
        return fail_head(draft, node);
    const size_t first = (size_t)(one - text), second = (size_t)(two - text);
    head->first = (struct piece){node, 0, first};
    head->condition = trim(draft, (struct piece){node, first + 1, second - first - 1});
    head->next = trim(draft, (struct piece){node, second + 1, node->size - second - 1});
    head->name = take_name(draft, &head->first);
    if (head->first.size < 2 || piece_text(draft, head->first)[0] != '=' || head->name.size == 0)
        return fail_head(draft, node);
    head->first.at++;
    head->first.size--;
    head->first = trim(draft, head->first);
    return true;
}

static bool is_word(const struct bs_sketch_draft *draft, struct piece piece, const char *word)
{
    return piece.size == strlen(word) && memcmp(piece_text(draft, piece), word, piece.size) == 0;
}

/* The operator that an assignment begins with: "" of =, NULL of none; it is taken off the piece. */
static const char *take_assignment(const struct bs_sketch_draft *draft, struct piece *piece)
{
    static const char *const signs[] = {"", "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^"};
    const char *text = piece_text(draft, *piece);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t size = strlen(signs[i]);
        if (piece->size <= size + 1 || memcmp(text, signs[i], size) != 0 || text[size] != '=')
            continue;
        *piece =
            trim(draft, (struct piece){piece->node, piece->at + size + 1, piece->size - size - 1});
        return signs[i];
    }
    return NULL;
}

/* Takes "++" or "--" off the piece's front, and returns its operator; "" if there is none. */
static const char *take_prefix(const struct bs_sketch_draft *draft, struct piece *piece)
{
    const char *text = piece_text(draft, *piece);
    const bool up = piece->size > 2 && memcmp(text, "++", 2) == 0;
    if (!up && !(piece->size > 2 && memcmp(text, "--", 2) == 0))
        return "";
    piece->at += 2;
    piece->size -= 2;
    return up ? "+" : "-";
}

/* The value that the loop's name takes next. */
static struct bs_expr *parse_next(struct bs_sketch_draft *draft, const struct head *head)
{
    struct piece rest = head->next;
    struct bs_error error;
    const char *prefix = take_prefix(draft, &rest);
    const struct piece name = take_name(draft, &rest);
    char *own = bs_draft_copy(draft, piece_text(draft, head->name), head->name.size);
    const char *step = *prefix                      ? rest.size == 0 ? prefix : NULL
                       : is_word(draft, rest, "++") ? "+"
                       : is_word(draft, rest, "--") ? "-"
                                                    : NULL;
    const char *sign = step || *prefix ? step : take_assignment(draft, &rest);
    if (!own || !is_word(draft, name, own) || !sign) {
        if (own)
            fail_head(draft, head->next.node);
        return NULL;
    }
    struct bs_expr *check = step ? NULL : piece_expr(draft, rest, "next value", true);
    if (!step && (!check || !*sign))
        return check;
    bs_expr_free(check);
    const char *text = step ? bs_draft_printf(draft, "%s %s 1", own, sign)
                            : bs_draft_printf(draft, "%s %s (%.*s)", own, sign, (int)rest.size,
                                              piece_text(draft, rest));
    return text ? bs_expr_parse(text, draft->names, draft->name_count, &error) : NULL;
}

/* Where a part of the text begins: names and lane steps that it adds go with it. */
struct scope {
    unsigned names, lane_steps;
};

static struct scope enter(const struct bs_sketch_draft *draft)
{
    return (struct scope){draft->name_count, draft->lane_step_count};
}

static void leave(struct bs_sketch_draft *draft, struct scope scope)
{
    draft->name_count = scope.names;
    draft->lane_step_count = scope.lane_steps;
}

/* The loop's two steps, around its body. */
static void read_loop(struct bs_sketch_draft *draft, const struct bs_node *node,
                      const struct bs_node *body)
{
    struct head head;
    const struct scope scope = enter(draft);
    const size_t start = draft->program->step_count;
    if (!split_head(draft, node, &head))
        return;
    struct bs_expr *first = piece_expr(draft, head.first, "first value", true);
    const bool bound = bs_draft_bind(draft, node, head.name.at, piece_text(draft, head.name),
                                     head.name.size, true);
    struct bs_expr *next = bound ? parse_next(draft, &head) : NULL;
    struct bs_expr *condition = bound ? piece_expr(draft, head.condition, "condition", true) : NULL;
    struct bs_sketch_step *loop = add_step(draft, BS_STEP_LOOP, node);
    if (loop) {
        loop->expr = first;
        loop->condition = condition;
        loop->name = scope.names;
    } else {
        bs_expr_free(first);
        bs_expr_free(condition);
    }
    read_steps(draft, body);
    struct bs_sketch_step *end = add_step(draft, BS_STEP_NEXT, node);
    if (loop && end) {
        const size_t at = draft->program->step_count - 1;
        draft->program->steps[start].other = at;
        end->other = start;
        end->expr = next;
        end->name = scope.names;
    } else {
        bs_expr_free(next);
    }
    leave(draft, scope);
}

/* ---- lets and guards ------------------------------------------------------------------------- */

static void read_let(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    if (!bs_draft_text(draft, node, "let"))
        return;
    struct piece value = {node, 0, node->size};
    const struct piece name = take_name(draft, &value);
    if (name.size == 0 || value.size < 2 || piece_text(draft, value)[0] != '=') {
        bs_draft_fail_expected(draft, node, "let", "NAME = EXPRESSION");
        return;
    }
    value = trim(draft, (struct piece){node, value.at + 1, value.size - 1});
    struct bs_expr *expr = piece_expr(draft, value, "let", false);
    if (!expr)
        return;
    const bool uniform = bs_draft_is_uniform(draft, piece_text(draft, value));
    if (!uniform) {
        add_lane_step(draft, BS_STEP_LANE_LET, node, expr);
    } else {
        struct bs_sketch_step *step = add_step(draft, BS_STEP_LET, node);
        if (step) {
            step->expr = expr;
            step->name = draft->name_count;
        } else {
            bs_expr_free(expr);
        }
    }
    bs_draft_bind(draft, node, name.at, piece_text(draft, name), name.size, uniform);
}

static void read_guarded(struct bs_sketch_draft *draft, const struct bs_node *guard,
                         const struct bs_node *body)
{
    const struct scope scope = enter(draft);
    add_guard(draft, guard);
    draft->guards++;
    read_steps(draft, body);
    draft->guards--;
    leave(draft, scope);
}

/* ---- accesses -------------------------------------------------------------------------------- */

static bool find_array(struct bs_sketch_draft *draft, struct piece name, size_t *number)
{
    char shown[64];
    struct bs_buffer list = {0};
    const size_t count = draft->sketch->array_count;
    for (*number = 0; *number < count; ++*number)
        if (is_word(draft, name, draft->program->arrays[*number].name))
            return true;
    for (size_t i = 0; i < count; i++)
        bs_buffer_printf(&list, "%s%s", i ? ", " : "; known: ", draft->program->arrays[i].name);
    char *known = bs_buffer_take(&list);
    bs_draft_fail(draft, name.node, name.at, "there is no array '%s'%s",
                  bs_printable(piece_text(draft, name), name.size, shown, sizeof shown),
                  known ? known : "");
    free(known);
    return false;
}

/* Whether the text has a comma that is not in parentheses. */
static bool has_comma(const char *text, size_t size)
{
    unsigned depth = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == ',' && depth == 0)
            return true;
        depth += text[i] == '(';
        depth -= depth > 0 && text[i] == ')';
    }
    return false;
}

/* One index in brackets, taken off the piece. */
static struct bs_expr *take_index(struct bs_sketch_draft *draft, struct piece *rest)
{
    const char *text = piece_text(draft, *rest);
    const char *close = rest->size > 0 && *text == '[' ? memchr(text, ']', rest->size) : NULL;
    if (!close || memchr(text + 1, '[', (size_t)(close - text) - 1)) {
        bs_draft_fail(draft, rest->node, rest->at,
                      close ? "an index cannot hold another array's element"
                            : "expected an index in brackets, such as tile[ty][tx]");
        return NULL;
    }
    const size_t size = (size_t)(close - text) - 1;
    const struct piece index = trim(draft, (struct piece){rest->node, rest->at + 1, size});
    if (has_comma(piece_text(draft, index), index.size)) {
        bs_draft_fail(draft, rest->node, index.at,
                      "each index stands in brackets of its own, as in tile[ty][tx]");
        return NULL;
    }
    *rest = trim(draft, (struct piece){rest->node, rest->at + size + 2, rest->size - size - 2});
    return piece_expr(draft, index, "index", false);
}

/* Reads "tile[ty][tx]" into a step. */
static bool read_place(struct bs_sketch_draft *draft, const struct bs_node *node, size_t *array,
                       struct bs_expr *index[BS_SKETCH_DIMS])
{
    if (!bs_draft_text(draft, node, "access"))
        return false;
    struct piece rest = {node, 0, node->size};
    const struct piece name = take_name(draft, &rest);
    unsigned count = 0;
    if (!find_array(draft, name, array))
        return false;
    const unsigned dims = draft->program->arrays[*array].dim_count;
    if (dims == 0)
        return false; /* its size is wrong, as has been said */
    while (count < dims) {
        if (count > 0 && rest.size == 0) {
            bs_draft_fail(draft, node, rest.at,
                          "expected %u indices, as '%s' has so many "
                          "dimensions, found %u",
                          dims, draft->program->arrays[*array].name, count);
            return false;
        }
        if (!(index[count] = take_index(draft, &rest)))
            return false;
        count++;
    }
    if (rest.size > 0)
        bs_draft_fail(draft, node, rest.at, "expected the end after %u ind%s, as '%s' has %s", dims,
                      dims == 1 ? "ex" : "ices", draft->program->arrays[*array].name,
                      dims == 1 ? "one dimension" : "so many dimensions");
    return rest.size == 0;
}

/* The op of the width that is asked for. */
static bool choose_op(struct bs_sketch_draft *draft, const struct bs_node *key, unsigned bytes,
                      struct bs_op *op)
{
    const char *name = bs_node_text(draft->tree, key);
    char full[64];
    if (bs_op_parse(name, key->size, op) && bs_op_is_matrix(*op))
        return true;
    snprintf(full, sizeof full, "%s.b%u", name, 8 * bytes);
    if (bs_op_parse(full, strlen(full), op))
        return true;
    bs_draft_fail(draft, key, 0, "there is no %s of %u bytes", name, bytes);
    return false;
}

static bool read_vector(struct bs_sketch_draft *draft, const struct bs_node *node,
                        const struct bs_layout *layout, unsigned *vector)
{
    int64_t value = 1;
    if (node && !bs_draft_value(draft, node, "vector", 1, 16, &value))
        return false;
    *vector = (unsigned)value;
    if ((value & (value - 1)) == 0 && value * layout->element <= 16)
        return true;
    bs_draft_fail(draft, node, 0,
                  "vector: expected 1, 2, 4, 8 or 16 elements of together at most 16 bytes, found "
                  "%u of %u",
                  *vector, layout->element);
    return false;
}

/* ---- expectations ---------------------------------------------------------------------------- */

static const char *check_expectation(struct bs_sketch_draft *draft, const struct bs_node *node,
                                     const char *text)
{
    struct bs_error error;
    struct bs_expr *expr =
        text ? bs_expectation_parse(text, bs_record_fields, BS_RECORD_FIELDS, &error) : NULL;
    if (text && !expr)
        bs_draft_fail(draft, node, 0, "expect '%s': %s", text, error.text);
    bs_expr_free(expr);
    return expr ? text : NULL;
}

/* "passes: ideal" of a map, as a comparison: a number is meant exactly, anything else is the most
 * that there may be, as lanes that share words can do with fewer passes than the ideal. */
static const char *read_pair(struct bs_sketch_draft *draft, const struct bs_node *key)
{
    const struct bs_node *value = draft->tree->nodes + key->end;
    const char *name = bs_draft_text(draft, key, "expect");
    const char *text = name ? bs_draft_text(draft, value, name) : NULL;
    uint64_t number;
    if (!text)
        return NULL;
    const char *sign = strchr("<>=!", text[0])                                  ? ""
                       : bs_number_parse(text, value->size, INT64_MAX, &number) ? "== "
                                                                                : "<= ";
    return check_expectation(draft, value, bs_draft_printf(draft, "%s %s%s", name, sign, text));
}

static const char *read_expectation(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    const struct bs_node *end = draft->tree->nodes + node->end;
    const char *all = NULL;
    if (node->kind == BS_NODE_TEXT && !bs_node_is_null(draft->tree, node))
        return check_expectation(draft, node, bs_node_text(draft->tree, node));
    if (node->kind != BS_NODE_MAP || node + 1 == end) {
        bs_draft_fail_expected(draft, node, "expect", "{passes: ideal}, or 'passes <= ideal'");
        return NULL;
    }
    for (const struct bs_node *key = node + 1; key < end;) {
        const char *one = read_pair(draft, key);
        all = all && one ? bs_draft_printf(draft, "%s && %s", all, one) : one;
        key = draft->tree->nodes + draft->tree->nodes[key->end].end;
    }
    return all;
}

/* ---- accesses, whole ------------------------------------------------------------------------- */

static struct bs_sketch_access *add_access(struct bs_sketch_draft *draft)
{
    struct bs_sketch_program *program = draft->program;
    struct bs_sketch_access *accesses = bs_grow(program->accesses, &program->access_room,
                                                draft->sketch->access_count + 1, sizeof *accesses);
    if (!accesses) {
        draft->out_of_memory = true;
        return NULL;
    }
    program->accesses = accesses;
    accesses += draft->sketch->access_count++;
    *accesses = (struct bs_sketch_access){0};
    return accesses;
}

/* Keeps the lane steps in force with the step. */
static void keep_chain(struct bs_sketch_draft *draft, struct bs_sketch_step *step)
{
    struct bs_sketch_program *program = draft->program;
    size_t *chain = bs_grow(program->chain, &program->chain_room,
                            program->chain_count + draft->lane_step_count + 1, sizeof *chain);
    if (!chain) {
        draft->out_of_memory = true;
        return;
    }
    program->chain = chain;
    step->first = program->chain_count;
    step->count = draft->lane_step_count;
    for (unsigned i = 0; i < draft->lane_step_count; i++) {
        chain[program->chain_count++] = draft->lane_steps[i];
        step->bytes += program->steps[draft->lane_steps[i]].bytes;
    }
}

/* Fills in what the sketch shows of an access. */
static void describe(struct bs_sketch_draft *draft, const struct bs_node *key,
                     const struct bs_node *const *values, struct bs_sketch_access *access)
{
    const struct bs_sketch_array *array = &draft->program->arrays[access->array];
    const struct bs_node *place = draft->tree->nodes + key->end;
    access->text = bs_node_text(draft->tree, place);
    access->line = place->line;
    access->column = place->column;
    access->label = values[LABEL] ? bs_draft_text(draft, values[LABEL], "label")
                                  : bs_draft_printf(draft, "%s %s", bs_node_text(draft->tree, key),
                                                    access->text);
    if (values[EXPECT]) {
        access->expect = read_expectation(draft, values[EXPECT]);
        access->expect_line = values[EXPECT]->line;
        access->expect_column = values[EXPECT]->column;
    }
    if (array->layout.element == 0)
        return; /* its type is wrong, as has been said */
    /* A row of a matrix is 16 bytes of whatever elements. */
    struct bs_op op;
    if (bs_op_parse(bs_node_text(draft->tree, key), key->size, &op) && bs_op_is_matrix(op)) {
        access->vector = 16 / array->layout.element;
        if (values[VECTOR])
            bs_draft_fail(draft, values[VECTOR], 0, "vector: a row of a matrix is always 16 bytes");
    } else if (!read_vector(draft, values[VECTOR], &array->layout, &access->vector)) {
        return;
    }
    if (choose_op(draft, key, access->vector * array->layout.element, &access->wish) &&
        values[SRC] && !bs_op_is_copy(access->wish))
        bs_draft_fail(draft, values[SRC], 0, "src: only async copies have a source");
}

static void read_access(struct bs_sketch_draft *draft, const struct bs_node *key,
                        const struct bs_node *const *values)
{
    const struct bs_node *place = draft->tree->nodes + key->end;
    const struct scope scope = enter(draft);
    struct bs_expr *index[BS_SKETCH_DIMS] = {NULL};
    size_t array = 0;
    if (values[WHEN])
        add_guard(draft, values[WHEN]);
    const bool placed = read_place(draft, place, &array, index);
    struct bs_expr *source = NULL;
    if (values[SRC] && bs_draft_text(draft, values[SRC], "src"))
        source = bs_draft_expr(draft, values[SRC], 0, values[SRC]->size, "src", false);
    struct bs_sketch_access *access = placed ? add_access(draft) : NULL;
    struct bs_sketch_step *step = access ? add_step(draft, BS_STEP_ACCESS, place) : NULL;
    if (step) {
        step->access = draft->sketch->access_count - 1;
        step->source = source;
        step->dep = values[DEP];
        step->bytes += values[SRC] ? values[SRC]->size : 0;
        memcpy(step->index, index, sizeof index);
        keep_chain(draft, step);
        access->array = array;
        describe(draft, key, values, access);
    } else {
        bs_expr_free(source);
        for (unsigned i = 0; i < BS_SKETCH_DIMS; i++)
            bs_expr_free(index[i]);
    }
    leave(draft, scope);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Something that is neither a map nor 'barrier'. */
static void fail_step(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    const char *text = node->kind == BS_NODE_TEXT ? bs_node_text(draft->tree, node) : "";
    struct bs_near near = {0};
    bs_near_offer(&near, text, strlen(text), "barrier");
    const size_t word = strcspn(text, " ");
    if (text[word] && (bs_draft_is_op(text, word) || strncmp(text, "for ", 4) == 0 ||
                       strncmp(text, "when ", 5) == 0 || strncmp(text, "let ", 4) == 0))
        bs_draft_fail(draft, node, 0, "steps: expected a colon behind '%.*s'", (int)word, text);
    else if (bs_draft_is_barrier(text) || near.name[0])
        bs_draft_fail_expected(draft, node, "steps", "'barrier', as a barrier is written here");
    else if (strstr(text, "syncwarp"))
        bs_draft_fail(draft, node, 0,
                      "steps: the threads of a warp go together here: leave '%s' out", text);
    else
        bs_draft_fail_expected(draft, node, "steps",
                               "'barrier', or a map with one of for, when, let, or an op such as "
                               "ld, st, atom.add, ldmatrix.x4 or cp.async");
}

static void read_barrier(struct bs_sketch_draft *draft, const struct bs_node *node)
{
    if (node->kind != BS_NODE_TEXT || strcmp(bs_node_text(draft->tree, node), "barrier") != 0)
        fail_step(draft, node);
    else if (draft->guards > 0)
        bs_draft_fail(draft, node, 0,
                      "a barrier under 'when': threads that do not come to it leave the others "
                      "waiting");
    else
        add_step(draft, BS_STEP_BARRIER, node);
}

/* The keys that go with each kind of step. */
static const unsigned goes_with_for = 1 << FOR | 1 << DO;
static const unsigned goes_with_when = 1 << WHEN | 1 << DO;
static const unsigned goes_with_let = 1 << LET;
static const unsigned goes_with_op =
    1 << WHEN | 1 << VECTOR | 1 << SRC | 1 << DEP | 1 << LABEL | 1 << EXPECT;

/* Whether the step has exactly one head and no key that does not go with it. */
static bool is_one_step(struct bs_sketch_draft *draft, const struct bs_node *item,
                        const struct bs_node *const *values, const struct bs_node *op)
{
    const unsigned allowed = op            ? goes_with_op
                             : values[FOR] ? goes_with_for
                             : values[LET] ? goes_with_let
                                           : goes_with_when;
    if (!op && !values[FOR] && !values[LET] && !values[WHEN]) {
        bs_draft_fail(draft, item, 0,
                      "a step is one of for, when, let, or an op such as ld, st, atom.add, "
                      "ldmatrix.x4 or cp.async");
        return false;
    }
    for (unsigned i = 0; i < STEP_KEYS; i++) {
        if (!values[i] || allowed >> i & 1)
            continue;
        bs_draft_fail(draft, values[i], 0, "'%s' does not go with %s", step_keys[i].name,
                      op            ? bs_node_text(draft->tree, op)
                      : values[FOR] ? "for"
                      : values[LET] ? "let"
                                    : "when");
        return false;
    }
    if (op || values[LET] || values[DO])
        return true;
    bs_draft_fail(draft, item, 0, "'%s' needs the key 'do' with a list of steps",
                  values[FOR] ? "for" : "when");
    return false;
}

static void read_step(struct bs_sketch_draft *draft, const struct bs_node *item)
{
    const struct bs_node *values[STEP_KEYS];
    const struct bs_node *op;
    if (item->kind != BS_NODE_MAP) {
        read_barrier(draft, item);
        return;
    }
    if (!bs_draft_keys(draft, item, "step", step_keys, STEP_KEYS, values, &op) ||
        !is_one_step(draft, item, values, op))
        return;
    if (op)
        read_access(draft, op, values);
    else if (values[FOR])
        read_loop(draft, values[FOR], values[DO]);
    else if (values[LET])
        read_let(draft, values[LET]);
    else
        read_guarded(draft, values[WHEN], values[DO]);
}

static void read_steps(struct bs_sketch_draft *draft, const struct bs_node *list)
{
    const struct scope scope = enter(draft);
    const struct bs_node *end = draft->tree->nodes + list->end;
    if (list->kind != BS_NODE_LIST || list + 1 == end) {
        bs_draft_fail_expected(draft, list, "steps", "a list of at least one step");
        return;
    }
    for (const struct bs_node *item = list + 1; item < end; item = draft->tree->nodes + item->end)
        read_step(draft, item);
    leave(draft, scope);
}

void bs_draft_steps(struct bs_sketch_draft *draft, const struct bs_node *list)
{
    read_steps(draft, list);
    bs_draft_waits(draft);
}
