/*
 * Distances of rows from the addresses of lanes. Lanes side by side that go the same step on are a
 * line of the block. The step within lines says how far rows are apart if it is longer than the
 * access, and so does the way from the start of a line to that of the next. The way from the end
 * of a line to the start of the next says nothing.
 */
#include "trace_rows.h"

#include "core/lanes.h"

#include <stdlib.h>

enum { DISTANCES = 128 };

/* Distances, and how many lanes speak for each. */
struct votes {
    uint64_t bytes[DISTANCES], lanes[DISTANCES];
    size_t count;
    uint64_t all;
};

static void vote(struct votes *votes, uint64_t bytes, uint64_t lanes)
{
    size_t at = 0;
    while (at < votes->count && votes->bytes[at] != bytes)
        at++;
    votes->all += lanes;
    if (at == DISTANCES)
        return; /* there are so many that none is the most */
    votes->count += at == votes->count;
    votes->bytes[at] = bytes;
    votes->lanes[at] += lanes;
}

/* Active lanes side by side. */
struct segment {
    int64_t addr[BS_MAX_LANES];
    unsigned count;
    unsigned line; /* lanes before the step changes; count: it does not */
    int64_t step, next;
};

static void measure(struct segment *segment)
{
    segment->step = segment->addr[1] - segment->addr[0];
    segment->line = 1;
    while (segment->line < segment->count &&
           segment->addr[segment->line] - segment->addr[segment->line - 1] == segment->step)
        segment->line++;
    segment->next =
        segment->line < segment->count ? segment->addr[segment->line] - segment->addr[0] : 0;
}

/* Whether all lines are alike, and are lines of the block, which is so wide; 0: not known. */
static bool is_regular(const struct segment *segment, uint32_t block_x)
{
    const unsigned line = segment->line;
    if (line == segment->count)
        return true;
    if (block_x && line % block_x != 0 && block_x % line != 0)
        return false;
    for (unsigned i = 0; i < segment->count; i++)
        if (segment->addr[i] !=
            segment->addr[0] + (int64_t)(i % line) * segment->step + i / line * segment->next)
            return false;
    return true;
}

/* Steps beyond the next element, which is so many bytes wide. */
static uint64_t long_steps(const struct segment *segment, int64_t width)
{
    uint64_t count = 0;
    for (unsigned i = 1; i < segment->count; i++)
        count += llabs(segment->addr[i] - segment->addr[i - 1]) > width;
    return count;
}

static void vote_segment(struct votes *votes, struct segment *segment, uint32_t block_x,
                         int64_t width, uint64_t times)
{
    if (segment->count < 2)
        return;
    measure(segment);
    const unsigned lines = (segment->count + segment->line - 1) / segment->line;
    if (!is_regular(segment, block_x)) {
        votes->all += times * long_steps(segment, width);
        return;
    }
    if (llabs(segment->step) > width)
        vote(votes, (uint64_t)llabs(segment->step), times * (segment->count - lines));
    if (llabs(segment->next) > width)
        vote(votes, (uint64_t)llabs(segment->next), times * (segment->count - segment->line));
}

static bool is_of_matrices(struct bs_op op)
{
    return op.kind == BS_LDMATRIX || op.kind == BS_STMATRIX;
}

/* The segments of a visit; those of a matrix op are its matrices. */
static void vote_visit(struct votes *votes, const struct bs_work_visit *work_visit,
                       uint32_t block_x)
{
    enum { MATRIX_ROWS = 8 };
    const struct bs_visit *visit = &work_visit->visit;
    const struct bs_op op = visit->access->wish;
    const uint64_t lanes = visit->mask & bs_op_lanes(op, BS_MAX_LANES);
    struct segment segment = {.count = 0};
    for (unsigned lane = 0; lane < BS_MAX_LANES; lane++) {
        const bool active = lanes >> lane & 1;
        if (!active || (is_of_matrices(op) && lane % MATRIX_ROWS == 0)) {
            vote_segment(votes, &segment, block_x, op.bytes, work_visit->times);
            segment.count = 0;
        }
        if (active)
            segment.addr[segment.count++] = visit->column[lane];
    }
    vote_segment(votes, &segment, block_x, op.bytes, work_visit->times);
}

struct bs_row_votes bs_trace_rows_vote(const struct bs_trace_arrays *arrays, size_t array)
{
    struct votes votes = {.count = 0};
    struct bs_row_votes found = {.bytes = 0};
    for (size_t i = 0; i < arrays->work.visit_count; i++)
        if (arrays->work.visits[i].visit.access->array == array)
            vote_visit(&votes, &arrays->work.visits[i], arrays->block_x);
    found.all = votes.all;
    for (size_t i = 0; i < votes.count; i++) {
        if (votes.lanes[i] <= found.lanes)
            continue;
        found.bytes = votes.bytes[i];
        found.lanes = votes.lanes[i];
    }
    for (size_t i = 0; i < votes.count; i++)
        if (votes.bytes[i] % found.bytes != 0)
            found.against = votes.bytes[i];
    return found;
}
