/* Walking through the steps of a sketch: which warp goes where, one visit after another. */
#include "sketch_program.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The thread that is being looked at. */
struct thread {
    uint32_t at[3]; /* tx, ty, tz */
    uint32_t cta;
};

/* ---- faults ---------------------------------------------------------------------------------- */

enum { WHO = 64 };

/* "thread (1,0,0) of CTA 0". */
static const char *name_thread(const struct thread *thread, char out[WHO])
{
    snprintf(out, WHO, "thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ") of CTA %" PRIu32,
             thread->at[0], thread->at[1], thread->at[2], thread->cta);
    return out;
}

/* An expression had no value: for all threads, or for one. */
static bool fail_expr(const struct bs_walk *walk, const struct bs_sketch_step *step,
                      const struct thread *thread, struct bs_error *error)
{
    char who[WHO];
    const struct bs_error inner = *error;
    return bs_fail(error, BS_BAD_MODEL, walk->sketch->file, step->line, step->column,
                   "'%s': %s%s%s", step->text, thread ? name_thread(thread, who) : "",
                   thread ? ": " : "", inner.text);
}

static bool fail_outside(const struct bs_walk *walk, const struct bs_sketch_step *step,
                         const struct thread *thread, const int64_t *index, unsigned bad,
                         struct bs_error *error)
{
    const struct bs_sketch_access *access = &walk->sketch->accesses[step->access];
    const struct bs_sketch_array *array = &walk->sketch->arrays[access->array];
    char place[128] = "";
    char who[WHO];
    size_t used = 0;
    for (unsigned i = 0; i < array->dim_count && used < sizeof place; i++)
        used += (size_t)snprintf(place + used, sizeof place - used, "[%" PRId64 "]", index[i]);
    const bool vector = bad == array->dim_count - 1 && access->vector > 1;
    return bs_fail(error, BS_BAD_MODEL, walk->sketch->file, step->line, step->column,
                   "'%s': %s goes to %s%s%s, expected index %u from 0 to %" PRId64, step->text,
                   name_thread(thread, who), array->name, place,
                   vector ? " and the elements after it" : "", bad + 1,
                   (int64_t)array->dims[bad] - (vector ? access->vector : 1));
}

/* ---- one thread ------------------------------------------------------------------------------ */

/* The guards and lets before an access; *active is false where a guard is. */
static bool run_chain(struct bs_walk *walk, const struct bs_sketch_step *access,
                      const struct thread *thread, bool *active, struct bs_error *error)
{
    const struct bs_sketch_program *program = walk->sketch->program;
    *active = true;
    for (size_t i = 0; *active && i < access->count; i++) {
        const struct bs_sketch_step *step = &program->steps[program->chain[access->first + i]];
        int64_t value;
        if (!bs_expr_eval(step->expr, walk->values, &value, error))
            return fail_expr(walk, step, thread, error);
        if (step->kind == BS_STEP_WHEN)
            *active = value != 0;
        else
            walk->values[step->name] = value;
    }
    return true;
}

/* The element that the thread goes to. */
static bool find_element(const struct bs_walk *walk, const struct bs_sketch_step *step,
                         const struct thread *thread, uint32_t *row, uint32_t *column,
                         struct bs_error *error)
{
    const struct bs_sketch_access *access = &walk->sketch->accesses[step->access];
    const struct bs_sketch_array *array = &walk->sketch->arrays[access->array];
    int64_t index[BS_SKETCH_DIMS];
    for (unsigned i = 0; i < array->dim_count; i++)
        if (!bs_expr_eval(step->index[i], walk->values, &index[i], error))
            return fail_expr(walk, step, thread, error);
    *row = 0;
    for (unsigned i = 0; i < array->dim_count; i++) {
        const bool last = i == array->dim_count - 1;
        const int64_t room = (int64_t)array->dims[i] - (last ? access->vector - 1 : 0);
        if (index[i] < 0 || index[i] >= room)
            return fail_outside(walk, step, thread, index, i, error);
        if (last)
            *column = (uint32_t)index[i];
        else
            *row = *row * array->dims[i] + (uint32_t)index[i];
    }
    return true;
}

static bool find_source(const struct bs_walk *walk, const struct bs_sketch_step *step,
                        const struct thread *thread, uint64_t *source, struct bs_error *error)
{
    char who[WHO];
    int64_t value;
    if (!bs_expr_eval(step->source, walk->values, &value, error))
        return fail_expr(walk, step, thread, error);
    *source = (uint64_t)value;
    if (value >= 0)
        return true;
    return bs_fail(error, BS_BAD_MODEL, walk->sketch->file, step->line, step->column,
                   "'%s': the source of %s is %" PRId64 ", expected an address", step->text,
                   name_thread(thread, who), value);
}

/* Lets the names of a thread be its own. */
static void become(struct bs_walk *walk, uint32_t number, struct thread *thread)
{
    const struct bs_sketch *sketch = walk->sketch;
    const uint32_t plane = sketch->block[0] * sketch->block[1];
    thread->at[0] = number % sketch->block[0];
    thread->at[1] = number / sketch->block[0] % sketch->block[1];
    thread->at[2] = number / plane;
    thread->cta = walk->cta;
    walk->values[BS_TX] = thread->at[0];
    walk->values[BS_TY] = thread->at[1];
    walk->values[BS_TZ] = thread->at[2];
    walk->values[BS_TID] = number;
    walk->values[BS_LANE] = number % sketch->lanes;
    walk->values[BS_WARP] = number / sketch->lanes;
}

static bool visit_lane(struct bs_walk *walk, const struct bs_sketch_step *step, uint32_t number,
                       struct bs_visit *visit, struct bs_error *error)
{
    const unsigned lane = number % walk->sketch->lanes;
    struct thread thread;
    bool active;
    become(walk, number, &thread);
    if (!run_chain(walk, step, &thread, &active, error))
        return false;
    if (!active)
        return true;
    visit->mask |= UINT64_C(1) << lane;
    /* The lanes of a matrix op that give no row have no say. */
    if (!(bs_op_lanes(visit->access->wish, walk->sketch->lanes) >> lane & 1))
        return true;
    return find_element(walk, step, &thread, &visit->row[lane], &visit->column[lane], error) &&
           (!step->source || find_source(walk, step, &thread, &visit->src[lane], error));
}

/* ---- one warp -------------------------------------------------------------------------------- */

static uint32_t threads_of(const struct bs_sketch *sketch)
{
    return sketch->block[0] * sketch->block[1] * sketch->block[2];
}

static uint32_t warps_of(const struct bs_sketch *sketch)
{
    return (threads_of(sketch) + sketch->lanes - 1) / sketch->lanes;
}

/* All lanes take part in a matrix op; those that give no row get one that another gives, as PTX
 * wants it. */
static bool complete_matrix(const struct bs_walk *walk, const struct bs_sketch_step *step,
                            struct bs_visit *visit, struct bs_error *error)
{
    const uint32_t lanes = walk->sketch->lanes;
    const unsigned rows = 8u * visit->access->wish.matrices;
    const uint64_t all = lanes == 64 ? UINT64_MAX : (UINT64_C(1) << lanes) - 1;
    if (visit->mask == 0)
        return true;
    for (unsigned lane = rows; lane < lanes; lane++) {
        visit->row[lane] = visit->row[lane % rows];
        visit->column[lane] = visit->column[lane % rows];
    }
    if (visit->mask == all)
        return true;
    return bs_fail(error, BS_BAD_MODEL, walk->sketch->file, step->line, step->column,
                   "'%s': only some lanes of warp %" PRIu32 " of CTA %" PRIu32
                   " are active, expected all of them at a matrix op",
                   step->text, visit->warp, visit->cta);
}

static bool visit_warp(struct bs_walk *walk, const struct bs_sketch_step *step,
                       struct bs_visit *visit, struct bs_error *error)
{
    const struct bs_sketch *sketch = walk->sketch;
    const uint32_t first = walk->warp * sketch->lanes;
    const uint32_t threads = threads_of(sketch);
    const uint32_t end = threads - first < sketch->lanes ? threads : first + sketch->lanes;
    visit->access = step->kind == BS_STEP_ACCESS ? &sketch->accesses[step->access] : NULL;
    visit->pc = visit->access ? visit->access->pc : step->pc;
    visit->cta = walk->cta;
    visit->warp = walk->warp;
    visit->mask = 0;
    visit->has_src = step->source != NULL;
    for (uint32_t number = first; number < end; number++) {
        if (!visit->access)
            visit->mask |= UINT64_C(1) << (number - first);
        else if (!visit_lane(walk, step, number, visit, error))
            return false;
    }
    return !visit->access || !bs_op_is_matrix(visit->access->wish) ||
           complete_matrix(walk, step, visit, error);
}

/* ---- the steps ------------------------------------------------------------------------------- */

static bool take_value(struct bs_walk *walk, const struct bs_sketch_step *step,
                       struct bs_error *error)
{
    int64_t value;
    if (!bs_expr_eval(step->expr, walk->values, &value, error))
        return fail_expr(walk, step, NULL, error);
    walk->values[step->name] = value;
    return true;
}

/* Goes into a loop, back to its start, or past it. */
static bool take_turn(struct bs_walk *walk, const struct bs_sketch_step *step,
                      struct bs_error *error)
{
    const struct bs_sketch_program *program = walk->sketch->program;
    const bool entering = step->kind == BS_STEP_LOOP;
    const struct bs_sketch_step *loop = entering ? step : &program->steps[step->other];
    int64_t holds;
    if (!take_value(walk, step, error))
        return false;
    if (!bs_expr_eval(loop->condition, walk->values, &holds, error))
        return fail_expr(walk, loop, NULL, error);
    if (holds)
        walk->step = (entering ? walk->step : step->other) + 1;
    else
        walk->step = (entering ? step->other : walk->step) + 1;
    return true;
}

/* The innermost loop around a step; NULL if there is none. */
static const struct bs_sketch_step *loop_around(const struct bs_sketch_program *program,
                                                size_t step)
{
    for (size_t i = step + 1; i-- > 0;)
        if (program->steps[i].kind == BS_STEP_LOOP && program->steps[i].other >= step)
            return &program->steps[i];
    return NULL;
}

/* What the steps take may be no more than a few seconds, whatever a sketch says. */
static bool spend(struct bs_walk *walk, const struct bs_sketch_step *step, struct bs_error *error)
{
    enum { SHORT = 64 /* bytes of expressions that are one step's work */ };
    walk->taken += 1 + step->bytes / SHORT;
    if (walk->taken <= BS_SKETCH_STEPS)
        return true;
    const struct bs_sketch_step *loop = loop_around(walk->sketch->program, walk->step);
    const struct bs_sketch_step *where = loop ? loop : step;
    return bs_fail(error, BS_BAD_MODEL, walk->sketch->file, where->line, where->column,
                   "'%s': more than %d steps of all warps and loops, of which long expressions "
                   "take several; expected only as many iterations and CTAs as differ",
                   where->text, BS_SKETCH_STEPS);
}

/* Does what a step does that is no visit. */
static bool pass_step(struct bs_walk *walk, const struct bs_sketch_step *step,
                      struct bs_error *error)
{
    switch (step->kind) {
    case BS_STEP_LOOP:
    case BS_STEP_NEXT:
        return take_turn(walk, step, error);
    case BS_STEP_LET:
        walk->step++;
        return take_value(walk, step, error);
    case BS_STEP_LANE_LET:
    case BS_STEP_WHEN:
    case BS_STEP_ACCESS:
    case BS_STEP_BARRIER:
        break;
    }
    walk->step++;
    return true;
}

static void next_cta(struct bs_walk *walk)
{
    walk->step = 0;
    walk->cta++;
    walk->values[BS_CTA] = walk->cta;
}

static void next_warp(struct bs_walk *walk)
{
    if (++walk->warp < warps_of(walk->sketch))
        return;
    walk->warp = 0;
    walk->step++;
}

bool bs_walk_start(struct bs_walk *walk, const struct bs_sketch *sketch)
{
    *walk = (struct bs_walk){.sketch = sketch};
    walk->values = calloc(BS_SKETCH_NAMES, sizeof *walk->values);
    if (walk->values)
        memcpy(walk->values, sketch->program->values, BS_SKETCH_NAMES * sizeof *walk->values);
    return walk->values != NULL;
}

enum bs_walk_event bs_walk_next(struct bs_walk *walk, struct bs_visit *visit,
                                struct bs_error *error)
{
    const struct bs_sketch *sketch = walk->sketch;
    const struct bs_sketch_program *program = sketch->program;
    const uint64_t ctas = (uint64_t)sketch->grid[0] * sketch->grid[1] * sketch->grid[2];
    while (walk->cta < ctas) {
        if (walk->step == program->step_count) {
            next_cta(walk);
            continue;
        }
        const struct bs_sketch_step *step = &program->steps[walk->step];
        if (!spend(walk, step, error))
            return BS_WALK_ERROR;
        if (step->kind != BS_STEP_ACCESS && step->kind != BS_STEP_BARRIER) {
            if (!pass_step(walk, step, error))
                return BS_WALK_ERROR;
            continue;
        }
        if (!visit_warp(walk, step, visit, error))
            return BS_WALK_ERROR;
        next_warp(walk);
        if (visit->mask)
            return BS_WALK_VISIT;
    }
    return BS_WALK_END;
}

void bs_walk_end(struct bs_walk *walk)
{
    free(walk->values);
    walk->values = NULL;
}
