/* Gathering visits, and pricing them under a layout. */
#include "layout_work.h"

#include "core/buffer.h"
#include "core/lanes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- gathering ------------------------------------------------------------------------------- */

/* The parts of a visit that cost; all else is the same for all. */
static struct bs_visit essence(const struct bs_visit *visit)
{
    struct bs_visit made;
    memset(&made, 0, sizeof made); /* gaps in the struct too: visits are compared as bytes */
    made.access = visit->access;
    made.mask = visit->mask;
    made.has_src = visit->has_src;
    for (uint64_t left = visit->mask; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        made.row[lane] = visit->row[lane];
        made.column[lane] = visit->column[lane];
        made.src[lane] = visit->has_src ? visit->src[lane] : 0;
    }
    return made;
}

/* FNV-1a. */
static uint64_t hash_of(const struct bs_visit *visit)
{
    const unsigned char *bytes = (const unsigned char *)visit;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < sizeof *visit; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* The entry of the table where the visit is or would be. */
static uint32_t *entry_of(const struct bs_work *work, const struct bs_visit *visit)
{
    size_t at = (size_t)hash_of(visit) & (work->table_room - 1);
    while (work->table[at] &&
           memcmp(&work->visits[work->table[at] - 1].visit, visit, sizeof *visit) != 0)
        at = (at + 1) & (work->table_room - 1);
    return &work->table[at];
}

static bool make_table(struct bs_work *work)
{
    enum { ROOM = 2 * BS_WORK_VISITS }; /* a power of two, never more than half full */
    if (!work->table)
        work->table = calloc(ROOM, sizeof *work->table);
    work->table_room = ROOM;
    return work->table != NULL;
}

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

bool bs_work_add(struct bs_work *work, const struct bs_visit *visit, struct bs_error *error)
{
    const struct bs_visit made = essence(visit);
    if (!make_table(work))
        return out_of_memory(error);
    uint32_t *entry = entry_of(work, &made);
    if (*entry) {
        work->visits[*entry - 1].times++;
        return true;
    }
    if (work->visit_count == BS_WORK_VISITS)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "there are more than %d different warp accesses, the most that a search "
                       "takes: fewer CTAs or iterations may show the same",
                       BS_WORK_VISITS);
    struct bs_work_visit *visits =
        bs_grow(work->visits, &work->visit_room, work->visit_count + 1, sizeof *visits);
    if (!visits)
        return out_of_memory(error);
    work->visits = visits;
    visits[work->visit_count++] = (struct bs_work_visit){made, 1};
    memcpy(&visits[work->visit_count - 1].visit, &made, sizeof made);
    *entry = (uint32_t)work->visit_count;
    return true;
}

static int by_access(const void *left, const void *right)
{
    const struct bs_work_visit *a = left, *b = right;
    return (a->visit.access > b->visit.access) - (a->visit.access < b->visit.access);
}

bool bs_work_close(struct bs_work *work, struct bs_error *error)
{
    free(work->table);
    work->table = NULL;
    work->first = calloc(work->access_count + 1, sizeof *work->first);
    if (!work->first)
        return out_of_memory(error);
    if (work->visit_count > 0)
        qsort(work->visits, work->visit_count, sizeof *work->visits, by_access);
    for (size_t i = 0; i < work->visit_count; i++)
        work->first[work->visits[i].visit.access - work->accesses + 1]++;
    for (size_t i = 0; i < work->access_count; i++)
        work->first[i + 1] += work->first[i];
    return true;
}

bool bs_work_of_sketch(struct bs_work *work, const struct bs_sketch *sketch, struct bs_error *error)
{
    struct bs_walk walk;
    struct bs_visit visit;
    work->arrays = sketch->arrays;
    work->array_count = sketch->array_count;
    work->accesses = sketch->accesses;
    work->access_count = sketch->access_count;
    bool fine = bs_walk_start(&walk, sketch) || out_of_memory(error);
    enum bs_walk_event event = fine ? bs_walk_next(&walk, &visit, error) : BS_WALK_ERROR;
    for (; fine && event == BS_WALK_VISIT; event = bs_walk_next(&walk, &visit, error))
        fine = !visit.access || bs_work_add(work, &visit, error);
    bs_walk_end(&walk);
    return fine && event != BS_WALK_ERROR && bs_work_close(work, error);
}

void bs_work_free(struct bs_work *work)
{
    free(work->visits);
    free(work->first);
    free(work->table);
    *work = (struct bs_work){0};
}

/* ---- pricing --------------------------------------------------------------------------------- */

static bool price_visit(const struct bs_model *model, const struct bs_work_visit *work_visit,
                        const struct bs_layout *layout, struct bs_work_cost *cost)
{
    const struct bs_visit *visit = &work_visit->visit;
    uint32_t addr[BS_MAX_LANES];
    uint64_t src[BS_MAX_LANES];
    struct bs_access access = {.op = cost->issue.op,
                               .mask = visit->mask,
                               .addr = addr,
                               .src = visit->has_src ? src : NULL};
    memcpy(src, visit->src, sizeof src);
    for (unsigned number = 0; number < cost->issue.count; number++) {
        struct bs_cost one;
        bs_issue_addresses(&cost->issue, layout, visit, number, addr);
        if (!bs_access_check(model, &access, false, NULL) || !bs_count(model, &access, &one))
            return false;
        cost->instructions += work_visit->times;
        cost->passes += one.passes * work_visit->times;
        cost->slots += one.slots * work_visit->times;
        cost->ideal += one.ideal * work_visit->times;
        cost->excess += (one.passes > one.ideal ? one.passes - one.ideal : 0) * work_visit->times;
        cost->notes |= one.notes;
    }
    return true;
}

bool bs_work_price(const struct bs_work *work, const struct bs_model *model, size_t access,
                   const struct bs_layout *layout, struct bs_work_cost *cost)
{
    struct bs_issue_proof proof;
    const struct bs_work_visit *begin = work->visits + work->first[access];
    const struct bs_work_visit *end = work->visits + work->first[access + 1];
    *cost = (struct bs_work_cost){0};
    bs_issue_begin(&proof, &work->accesses[access], layout);
    for (const struct bs_work_visit *visit = begin; visit < end; visit++)
        bs_issue_show(&proof, &visit->visit);
    cost->issue = bs_issue_conclude(&proof);
    if (begin == end)
        return true;
    bool fine = cost->issue.count > 0;
    for (const struct bs_work_visit *visit = begin; fine && visit < end; visit++)
        fine = price_visit(model, visit, layout, cost);
    if (!fine)
        *cost = (struct bs_work_cost){0};
    return fine;
}

/* Steps from each of the lanes to the next, different ones. */
static uint32_t steps_of(const struct bs_visit *visit, uint64_t lanes, uint32_t columns)
{
    uint32_t steps[BS_MAX_LANES], count = 0;
    uint64_t left = lanes & (lanes - 1);
    for (unsigned before = bs_lanes_lowest(lanes); left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        const uint32_t step = (visit->row[lane] - visit->row[before]) * columns +
                              visit->column[lane] - visit->column[before];
        uint32_t at = 0;
        while (at < count && steps[at] != step)
            at++;
        steps[at] = step;
        count += at == count;
        before = lane;
    }
    return count;
}

uint32_t bs_work_steps(const struct bs_work *work, size_t access)
{
    const struct bs_sketch_access *of = &work->accesses[access];
    const uint32_t columns = work->arrays[of->array].layout.columns;
    uint32_t most = 0;
    for (size_t i = work->first[access]; i < work->first[access + 1]; i++) {
        const struct bs_visit *visit = &work->visits[i].visit;
        const uint64_t lanes = visit->mask & bs_op_lanes(of->wish, BS_MAX_LANES);
        const uint32_t steps = steps_of(visit, lanes, columns);
        most = steps > most ? steps : most;
    }
    return most;
}

uint64_t bs_work_effort(const struct bs_work *work, size_t array)
{
    uint64_t effort = 0;
    for (size_t i = 0; i < work->access_count; i++)
        if (work->accesses[i].array == array)
            effort += work->first[i + 1] - work->first[i];
    return effort;
}
