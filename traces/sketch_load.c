/* Loading a sketch: its text, its parts, and a first walk that proves it. */
#include "sketch_program.h"

#include "core/model_find.h"
#include "core/model_near.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024, DEEPEST = BS_TREE_DEPTH };

enum sketch_key { SKETCH, ABOUT, MODEL, BLOCK, GRID, LANES, PARAMS, ARRAYS, STEPS, SKETCH_KEYS };

static const struct bs_draft_key sketch_keys[SKETCH_KEYS] = {
    {"sketch", true}, {"about", false},  {"model", false}, {"block", true}, {"grid", false},
    {"lanes", false}, {"params", false}, {"arrays", true}, {"steps", true},
};

/* ---- the head -------------------------------------------------------------------------------- */

/* One to three sizes. */
static void read_shape(struct bs_sketch_draft *draft, const struct bs_node *node, const char *what,
                       int64_t most, uint32_t shape[3])
{
    const struct bs_node *end = node ? draft->tree->nodes + node->end : NULL;
    const struct bs_node *one = node && node->kind == BS_NODE_LIST ? node + 1 : node;
    int64_t product = 1;
    unsigned count = 0;
    shape[0] = shape[1] = shape[2] = 1;
    if (!node || !bs_draft_is_list(draft, node, what))
        return;
    for (; one < end; one = draft->tree->nodes + one->end) {
        int64_t value;
        if (count == 3) {
            bs_draft_fail(draft, one, 0, "%s: at most 3 sizes", what);
            return;
        }
        if (!bs_draft_value(draft, one, what, 1, most, &value))
            return;
        shape[count++] = (uint32_t)value;
        product *= value;
    }
    if (count == 0 || node->kind == BS_NODE_MAP)
        bs_draft_fail_expected(draft, node, what, "a number, or a list of 1 to 3");
    else if (product > most)
        bs_draft_fail(draft, node, 0, "%s: expected at most %" PRId64 " in all, found %" PRId64,
                      what, most, product);
}

static void read_param(struct bs_sketch_draft *draft, const struct bs_node *key,
                       const struct bs_let *lets, size_t let_count)
{
    struct bs_sketch_program *program = draft->program;
    const struct bs_node *node = draft->tree->nodes + key->end;
    const char *name = bs_draft_text(draft, key, "params");
    struct bs_sketch_param param = {.value = 1}; /* should it have none, others can go on */
    const unsigned number = draft->name_count;
    if (!name)
        return;
    draft->guessed |= !bs_draft_value(draft, node, name, INT64_MIN, INT64_MAX, &param.value);
    if (!bs_draft_bind(draft, key, 0, name, key->size, true))
        return;
    snprintf(param.name, sizeof param.name, "%s", name);
    for (size_t i = 0; i < let_count; i++) {
        if (strcmp(lets[i].name, name) != 0)
            continue;
        param.value = lets[i].value;
        param.given = true;
    }
    program->values[number] = param.value;
    struct bs_sketch_param *params = bs_grow(program->params, &program->param_room,
                                             draft->sketch->param_count + 1, sizeof *params);
    if (!params) {
        draft->out_of_memory = true;
        return;
    }
    program->params = params;
    params[draft->sketch->param_count++] = param;
}

static void read_params(struct bs_sketch_draft *draft, const struct bs_node *map,
                        const struct bs_let *lets, size_t let_count)
{
    if (map->kind != BS_NODE_MAP) {
        bs_draft_fail_expected(draft, map, "params", "a map of names and values");
        return;
    }
    const struct bs_node *end = draft->tree->nodes + map->end;
    for (const struct bs_node *key = map + 1; key < end;) {
        read_param(draft, key, lets, let_count);
        key = draft->tree->nodes + draft->tree->nodes[key->end].end;
    }
}

/* Every let must have been for a parameter. */
static void check_lets(struct bs_sketch_draft *draft, const struct bs_let *lets, size_t let_count)
{
    const struct bs_sketch_param *params = draft->program->params;
    for (size_t i = 0; i < let_count; i++) {
        struct bs_near near = {0};
        struct bs_buffer list = {0};
        char hint[BS_NEAR_MESSAGE];
        bool found = false;
        for (size_t j = 0; j < draft->sketch->param_count; j++) {
            found = found || strcmp(params[j].name, lets[i].name) == 0;
            bs_near_offer(&near, lets[i].name, strlen(lets[i].name), params[j].name);
            bs_buffer_printf(&list, "%s%s", j ? ", " : "; its parameters: ", params[j].name);
        }
        char *known = bs_buffer_take(&list);
        if (!found)
            bs_where_fail((struct bs_where){&draft->program->source, 0, 0}, BS_BAD_MODEL,
                          "the sketch has no parameter '%s'%s%s", lets[i].name,
                          draft->sketch->param_count > 0 && known ? known : "; it has none",
                          bs_near_message(&near, hint));
        free(known);
    }
}

/* The lines at the top; what is missing has been said. */
static void read_head(struct bs_sketch_draft *draft, const struct bs_node *const *values)
{
    struct bs_sketch *sketch = draft->sketch;
    int64_t lanes = 32;
    if (values[SKETCH])
        sketch->name = bs_draft_text(draft, values[SKETCH], "sketch");
    if (sketch->name && strpbrk(sketch->name, "\n\r"))
        bs_draft_fail_expected(draft, values[SKETCH], "sketch", "a name in one line");
    if (values[ABOUT])
        sketch->about = bs_draft_text(draft, values[ABOUT], "about");
    if (values[MODEL]) {
        sketch->model = bs_draft_text(draft, values[MODEL], "model");
        sketch->model_line = values[MODEL]->line;
        sketch->model_column = values[MODEL]->column;
    }
    read_shape(draft, values[BLOCK], "block", MOST_THREADS, sketch->block);
    read_shape(draft, values[GRID], "grid", BS_SKETCH_STEPS, sketch->grid);
    if (values[LANES])
        bs_draft_value(draft, values[LANES], "lanes", 1, BS_MAX_LANES, &lanes);
    sketch->lanes = (uint32_t)lanes;
}

static void read_sketch(struct bs_sketch_draft *draft, const struct bs_let *lets, size_t let_count)
{
    const struct bs_node *values[SKETCH_KEYS];
    static const char *const thread_names[BS_THREAD_NAMES] = {"tx",   "ty",   "tz", "tid",
                                                              "lane", "warp", "cta"};
    for (unsigned i = 0; i < BS_THREAD_NAMES; i++)
        draft->names[draft->name_count++] = thread_names[i];
    bs_draft_keys(draft, draft->tree->nodes, "sketch", sketch_keys, SKETCH_KEYS, values, NULL);
    if (values[PARAMS])
        read_params(draft, values[PARAMS], lets, let_count);
    check_lets(draft, lets, let_count);
    read_head(draft, values);
    if (values[ARRAYS])
        bs_draft_arrays(draft, values[ARRAYS]);
    draft->uniform[BS_CTA] = true;
    if (values[STEPS])
        bs_draft_steps(draft, values[STEPS]);
}

/* ---- the first walk -------------------------------------------------------------------------- */

static void place_arrays(struct bs_sketch_draft *draft)
{
    struct bs_sketch_array *arrays = draft->program->arrays;
    uint64_t end = 0;
    for (size_t i = 0; i < draft->sketch->array_count; i++) {
        end = bs_layout_place(&arrays[i].layout, end);
        if (end > BS_SKETCH_BYTES) {
            bs_where_fail((struct bs_where){&draft->program->source, (uint32_t)arrays[i].line,
                                            (uint32_t)arrays[i].column},
                          BS_BAD_MODEL, "the arrays have more than %d bytes together",
                          BS_SKETCH_BYTES);
            return;
        }
    }
    draft->sketch->bytes = end;
}

/* Counts the visits and gathers what can be proven of each access. */
static bool walk_all(struct bs_sketch *sketch, struct bs_issue_proof *proofs,
                     struct bs_error *error)
{
    struct bs_walk walk;
    struct bs_visit visit = {0};
    enum bs_walk_event event = BS_WALK_ERROR;
    for (size_t i = 0; i < sketch->access_count; i++) {
        struct bs_sketch_access *access = &sketch->program->accesses[i];
        bs_issue_begin(&proofs[i], access, &sketch->program->arrays[access->array].layout);
    }
    if (!bs_walk_start(&walk, sketch))
        bs_fail(error, BS_INTERNAL, sketch->file, 0, 0, "out of memory");
    else
        while ((event = bs_walk_next(&walk, &visit, error)) == BS_WALK_VISIT) {
            sketch->records += !visit.access;
            if (!visit.access)
                continue;
            const size_t number = (size_t)(visit.access - sketch->accesses);
            sketch->program->accesses[number].visits++;
            bs_issue_show(&proofs[number], &visit);
        }
    bs_walk_end(&walk);
    return event == BS_WALK_END;
}

/* Numbers the instructions, now that it is known how many there are. */
static void number_instructions(struct bs_sketch *sketch, const struct bs_issue_proof *proofs)
{
    struct bs_sketch_program *program = sketch->program;
    uint64_t pc = 0;
    for (size_t i = 0; i < program->step_count; i++) {
        struct bs_sketch_step *step = &program->steps[i];
        unsigned count = 0;
        if (step->kind == BS_STEP_BARRIER) {
            step->pc = pc;
            count = 1;
        } else if (step->kind == BS_STEP_ACCESS) {
            struct bs_sketch_access *access = &program->accesses[step->access];
            access->issue = bs_issue_conclude(&proofs[step->access]);
            access->pc = pc;
            count = access->issue.count ? access->issue.count : 1;
            sketch->records += access->visits * access->issue.count;
        }
        pc += (uint64_t)count * BS_SKETCH_PC;
    }
}

static bool prove(struct bs_sketch_draft *draft, struct bs_errors *errors)
{
    struct bs_sketch *sketch = draft->sketch;
    struct bs_error error;
    struct bs_issue_proof *proofs = calloc(sketch->access_count + 1, sizeof *proofs);
    if (!proofs) {
        draft->out_of_memory = true;
        return false;
    }
    const bool fine = walk_all(sketch, proofs, &error);
    if (fine)
        number_instructions(sketch, proofs);
    else
        bs_errors_add(errors, &error);
    free(proofs);
    return fine;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void take_lists(struct bs_sketch *sketch)
{
    sketch->params = sketch->program->params;
    sketch->arrays = sketch->program->arrays;
    sketch->accesses = sketch->program->accesses;
}

/* What was read becomes a sketch, if it can. */
static bool finish(struct bs_sketch_draft *draft, struct bs_errors *errors)
{
    const struct bs_errors *found = &draft->program->source.errors;
    if (found->count == 0 && !draft->out_of_memory)
        place_arrays(draft);
    take_lists(draft->sketch);
    for (size_t i = 0; i < found->count; i++)
        bs_errors_add(errors, &found->list[i]);
    const bool fine = found->count == 0 && !draft->out_of_memory && prove(draft, errors);
    if (draft->out_of_memory) {
        struct bs_error error;
        bs_fail(&error, BS_INTERNAL, draft->sketch->file, 0, 0, "out of memory");
        bs_errors_add(errors, &error);
    }
    return fine;
}

struct bs_sketch *bs_sketch_parse(const char *text, size_t size, const char *file,
                                  const struct bs_let *lets, size_t let_count,
                                  struct bs_errors *errors)
{
    struct bs_sketch_draft draft = {.sketch = calloc(1, sizeof *draft.sketch),
                                    .program = calloc(1, sizeof *draft.program)};
    struct bs_error error;
    if (!draft.sketch || !draft.program) {
        bs_fail(&error, BS_INTERNAL, file, 0, 0, "out of memory");
        bs_errors_add(errors, &error);
        free(draft.sketch);
        free(draft.program);
        return NULL;
    }
    draft.sketch->program = draft.program;
    draft.tree = &draft.program->tree;
    draft.sketch->file = bs_draft_copy(&draft, file, strlen(file));
    draft.program->source = (struct bs_source){
        .file = (char *)(uintptr_t)draft.sketch->file, .noun = "sketch", .depth = DEEPEST};
    if (bs_tree_parse(&draft.program->tree, &draft.program->source, text, size))
        read_sketch(&draft, lets, let_count);
    if (finish(&draft, errors))
        return draft.sketch;
    bs_sketch_free(draft.sketch);
    return NULL;
}

struct bs_sketch *bs_sketch_load(const char *path, const struct bs_let *lets, size_t let_count,
                                 struct bs_errors *errors)
{
    struct bs_buffer text = {0};
    struct bs_sketch *sketch = NULL;
    struct bs_error error;
    enum bs_status status;
    const char *problem = bs_model_file(path, BS_MODEL_BYTES, &text, &status);
    if (problem) {
        bs_fail(&error, status, path, 0, 0, "cannot be read: %s", problem);
        bs_errors_add(errors, &error);
    } else {
        sketch = bs_sketch_parse(text.data, text.size, path, lets, let_count, errors);
    }
    bs_buffer_free(&text);
    return sketch;
}

static void free_program(struct bs_sketch_program *program)
{
    for (size_t i = 0; i < program->step_count; i++) {
        bs_expr_free(program->steps[i].expr);
        bs_expr_free(program->steps[i].condition);
        bs_expr_free(program->steps[i].source);
        for (unsigned j = 0; j < BS_SKETCH_DIMS; j++)
            bs_expr_free(program->steps[i].index[j]);
    }
    for (size_t i = 0; i < program->owned_count; i++)
        free(program->owned[i]);
    free(program->owned);
    free(program->params);
    free(program->arrays);
    free(program->accesses);
    free(program->steps);
    free(program->chain);
    bs_tree_free(&program->tree);
    bs_errors_free(&program->source.errors);
    free(program);
}

void bs_sketch_free(struct bs_sketch *sketch)
{
    if (!sketch)
        return;
    free_program(sketch->program);
    free(sketch);
}

const struct bs_sketch_access *bs_sketch_access_at(const struct bs_sketch *sketch, uint64_t pc)
{
    for (size_t i = 0; i < sketch->access_count; i++) {
        const struct bs_sketch_access *access = &sketch->accesses[i];
        if (pc >= access->pc && (pc - access->pc) / BS_SKETCH_PC < access->issue.count)
            return access;
    }
    return NULL;
}

/* ---- telling one ----------------------------------------------------------------------------- */

/* Whether a line says nothing: blanks, a comment, or the start of a YAML document. */
static bool is_idle(const char *line, size_t size)
{
    size_t at = 0;
    if (size >= 3 && memcmp(line, "---", 3) == 0)
        return true;
    while (at < size && (line[at] == ' ' || line[at] == '\t' || line[at] == '\r'))
        at++;
    return at == size || line[at] == '#';
}

bool bs_sketch_starts(const char *text, size_t size)
{
    static const char key[] = "sketch:";
    const size_t length = sizeof key - 1;
    const char *end = text + size;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        if ((size_t)(end - text) >= length && memcmp(text, key, length) == 0)
            return true;
        if (!stop || !is_idle(text, (size_t)(stop - text)))
            return false;
        text = stop + 1;
    }
    return false;
}

bool bs_sketch_resembles(const char *text, size_t size)
{
    static const char *const keys[] = {"sketch:", "block:", "arrays:", "steps:"};
    const char *end = text + size;
    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if ((size_t)(end - text) >= strlen(keys[i]) &&
                memcmp(text, keys[i], strlen(keys[i])) == 0)
                return true;
        text = stop ? stop + 1 : end;
    }
    return false;
}
