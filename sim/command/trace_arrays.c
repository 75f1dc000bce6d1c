/* Recovering arrays, and how far their rows are apart, from addresses. */
#include "trace_arrays.h"

#include "trace_rows.h"

#include "core/lanes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- adding ---------------------------------------------------------------------------------- */

static bool out_of_memory(struct bs_error *error)
{
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
}

static bool make_lists(struct bs_trace_arrays *arrays, struct bs_error *error)
{
    if (arrays->accesses)
        return true;
    arrays->accesses = calloc(BS_TRACE_ACCESSES, sizeof *arrays->accesses);
    arrays->labels = calloc(BS_TRACE_ACCESSES, sizeof *arrays->labels);
    arrays->pcs = calloc(BS_TRACE_ACCESSES, sizeof *arrays->pcs);
    arrays->work.arrays = arrays->arrays;
    arrays->work.accesses = arrays->accesses;
    return (arrays->accesses && arrays->labels && arrays->pcs) || out_of_memory(error);
}

static bool is_access(const struct bs_trace_arrays *arrays, size_t number,
                      const struct bs_access *access)
{
    return number < arrays->work.access_count && arrays->pcs[number] == access->pc &&
           arrays->accesses[number].wish.index == access->op.index;
}

static void name_access(struct bs_trace_arrays *arrays, size_t number,
                        const struct bs_access *access, const char *label)
{
    char op[BS_OP_NAME];
    struct bs_sketch_access *made = &arrays->accesses[number];
    bs_op_name(access->op, op);
    if (label)
        snprintf(arrays->labels[number], BS_TRACE_LABEL, "%s %.60s", op, label);
    else
        snprintf(arrays->labels[number], BS_TRACE_LABEL, "%s 0x%" PRIx64, op, access->pc);
    *made = (struct bs_sketch_access){.text = arrays->labels[number],
                                      .label = arrays->labels[number],
                                      .wish = access->op,
                                      .vector = 1};
    arrays->pcs[number] = access->pc;
}

/* The number of the instruction; BS_TRACE_ACCESSES if there are too many. */
static size_t find_access(struct bs_trace_arrays *arrays, const struct bs_access *access,
                          const char *label)
{
    size_t number = arrays->last;
    if (is_access(arrays, number, access))
        return number;
    for (number = 0; number < arrays->work.access_count; number++)
        if (is_access(arrays, number, access))
            return arrays->last = number;
    if (number == BS_TRACE_ACCESSES)
        return number;
    arrays->work.access_count++;
    name_access(arrays, number, access, label);
    return arrays->last = number;
}

static bool check_record(const struct bs_access *access, struct bs_error *error)
{
    char name[BS_OP_NAME];
    const uint64_t lanes = access->mask & bs_op_lanes(access->op, BS_MAX_LANES);
    if (access->op.bytes == 12)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "%s: accesses of 96 bits are not searched for layouts",
                       bs_op_name(access->op, name));
    return !bs_access_is_misaligned(access, lanes) ||
           bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                   "%s: an address is no multiple of its width, as it would have to be under "
                   "another layout",
                   bs_op_name(access->op, name));
}

bool bs_trace_arrays_add(struct bs_trace_arrays *arrays, const struct bs_access *access,
                         const char *label, struct bs_error *error)
{
    struct bs_visit visit = {.mask = access->mask, .has_src = access->src != NULL};
    const uint64_t lanes = access->mask & bs_op_lanes(access->op, BS_MAX_LANES);
    if (access->op.kind == BS_BAR || lanes == 0)
        return true;
    if (!check_record(access, error) || !make_lists(arrays, error))
        return false;
    const size_t number = find_access(arrays, access, label);
    if (number == BS_TRACE_ACCESSES)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "there are more than %d instructions, the most that a search takes; --pc "
                       "or --first choose some",
                       BS_TRACE_ACCESSES);
    visit.access = &arrays->accesses[number];
    for (uint64_t left = access->mask; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        /* lanes of a matrix op that give no row go where the first does */
        const unsigned from = lanes >> lane & 1 ? lane : bs_lanes_lowest(lanes);
        visit.column[lane] = access->addr[from];
        if (access->src)
            visit.src[lane] = access->src[from];
    }
    return bs_work_add(&arrays->work, &visit, error);
}

void bs_trace_arrays_free(struct bs_trace_arrays *arrays)
{
    bs_work_free(&arrays->work);
    free(arrays->accesses);
    free(arrays->labels);
    free(arrays->pcs);
}

/* ---- bytes that go together ------------------------------------------------------------------ */

/* The bytes that an instruction goes to. */
struct extent {
    size_t access;
    uint64_t low, end;
};

static struct extent *find_extents(const struct bs_trace_arrays *arrays)
{
    struct extent *extents = calloc(arrays->work.access_count + 1, sizeof *extents);
    for (size_t i = 0; extents && i < arrays->work.access_count; i++)
        extents[i] = (struct extent){i, UINT64_MAX, 0};
    for (size_t i = 0; extents && i < arrays->work.visit_count; i++) {
        const struct bs_visit *visit = &arrays->work.visits[i].visit;
        struct extent *extent = &extents[visit->access - arrays->accesses];
        for (uint64_t left = visit->mask; left; left &= left - 1) {
            const uint64_t address = visit->column[bs_lanes_lowest(left)];
            const uint64_t end = address + visit->access->wish.bytes;
            extent->low = address < extent->low ? address : extent->low;
            extent->end = end > extent->end ? end : extent->end;
        }
    }
    return extents;
}

static int by_low(const void *left, const void *right)
{
    const struct extent *a = left, *b = right;
    return (a->low > b->low) - (a->low < b->low);
}

/* The largest power of two that divides the number, at most 16. */
static uint32_t alignment_of(uint64_t number)
{
    number |= 16;
    return (uint32_t)(number & (0 - number));
}

static const char *type_of(uint32_t element)
{
    return element == 1   ? "uint8_t"
           : element == 2 ? "uint16_t"
           : element == 4 ? "uint32_t"
           : element == 8 ? "uint64_t"
                          : "uint4";
}

/* A new array that begins with the extent. */
static bool begin_array(struct bs_trace_arrays *arrays, const struct extent *extent,
                        struct bs_error *error)
{
    if (arrays->work.array_count == BS_TRACE_ARRAYS)
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "there are more than %d ranges of addresses, the most that a search takes",
                       BS_TRACE_ARRAYS);
    struct bs_sketch_array *array = &arrays->arrays[arrays->work.array_count++];
    snprintf(array->name, sizeof array->name, "at_0x%" PRIx64, extent->low);
    array->layout = (struct bs_layout){.element = 16,
                                       .align = alignment_of(extent->low),
                                       .rows = 1,
                                       .base = (uint32_t)extent->low};
    return true;
}

enum { MOST_BYTES = BS_SKETCH_BYTES / 2 }; /* so that rows that are not full have room too */

/* Instructions whose bytes overlap go to one array. */
static bool find_arrays(struct bs_trace_arrays *arrays, struct bs_error *error)
{
    struct extent *extents = find_extents(arrays);
    uint64_t end = 0;
    bool fine = extents != NULL || out_of_memory(error);
    if (fine)
        qsort(extents, arrays->work.access_count, sizeof *extents, by_low);
    for (size_t i = 0; fine && i < arrays->work.access_count; i++) {
        if (i == 0 || extents[i].low >= end)
            fine = begin_array(arrays, &extents[i], error);
        if (!fine)
            break;
        end = extents[i].end > end ? extents[i].end : end;
        struct bs_sketch_access *access = &arrays->accesses[extents[i].access];
        access->array = arrays->work.array_count - 1;
        struct bs_layout *layout = &arrays->arrays[access->array].layout;
        layout->columns = (uint32_t)(end - layout->base); /* bytes, for now */
        if (access->wish.bytes < layout->element)
            layout->element = access->wish.bytes;
        fine = end - layout->base <= MOST_BYTES ||
               bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "the addresses from 0x%" PRIx32 " on reach over more than %d bytes, the "
                       "most that a search takes",
                       layout->base, MOST_BYTES);
    }
    free(extents);
    return fine;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Whether rows so far apart leave every access whole; how much of a row is used. */
static bool rows_fit(const struct bs_trace_arrays *arrays, size_t array, uint64_t pitch,
                     uint32_t *used)
{
    const struct bs_layout *layout = &arrays->arrays[array].layout;
    if (pitch == 0 || pitch % layout->element != 0)
        return false;
    *used = 0;
    for (size_t i = 0; i < arrays->work.visit_count; i++) {
        const struct bs_visit *visit = &arrays->work.visits[i].visit;
        if (visit->access->array != array)
            continue;
        for (uint64_t left = visit->mask; left; left &= left - 1) {
            const uint64_t offset = visit->column[bs_lanes_lowest(left)] - layout->base;
            const uint64_t end = offset % pitch + visit->access->wish.bytes;
            if (end > pitch)
                return false;
            *used = end > *used ? (uint32_t)end : *used;
        }
    }
    return true;
}

static void set_rows(struct bs_trace_arrays *arrays, size_t number, uint32_t pitch, uint32_t used)
{
    struct bs_sketch_array *array = &arrays->arrays[number];
    struct bs_layout *layout = &array->layout;
    const uint32_t bytes = layout->columns;
    layout->rows = (bytes + pitch - 1) / pitch;
    layout->pitch = pitch / layout->element;
    layout->columns = used / layout->element;
}

/* The distance that at least half of the lanes speak for decides, if none speaks against it. */
static void find_rows(struct bs_trace_arrays *arrays, size_t number)
{
    const struct bs_row_votes votes = bs_trace_rows_vote(arrays, number);
    struct bs_found_rows *rows = &arrays->rows[number];
    uint32_t used;
    if (votes.bytes == 0 || 2 * votes.lanes < votes.all)
        return;
    rows->bytes = votes.bytes;
    rows->against = votes.against;
    rows->in_doubt = votes.against || !rows_fit(arrays, number, votes.bytes, &used);
    if (rows->in_doubt)
        return;
    rows->lanes = votes.lanes;
    rows->of = votes.all;
    set_rows(arrays, number, (uint32_t)votes.bytes, used);
}

static bool take_rows(struct bs_trace_arrays *arrays, size_t number, uint32_t pitch,
                      struct bs_error *error)
{
    uint32_t used;
    if (!rows_fit(arrays, number, pitch, &used))
        return bs_fail(error, BS_USAGE, NULL, 0, 0,
                       "--pitch %" PRIu32 ": an access to the bytes from 0x%" PRIx32
                       " on would go from one row into the next",
                       pitch, arrays->arrays[number].layout.base);
    arrays->rows[number].given = true;
    set_rows(arrays, number, pitch, used);
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* An array as one row, unless rows are found or given. */
static bool shape(struct bs_trace_arrays *arrays, size_t number, uint32_t pitch,
                  struct bs_error *error)
{
    struct bs_sketch_array *array = &arrays->arrays[number];
    struct bs_layout *layout = &array->layout;
    const uint32_t bytes = layout->columns;
    if (pitch && !take_rows(arrays, number, pitch, error))
        return false;
    if (!pitch)
        find_rows(arrays, number);
    if (layout->pitch == 0) {
        layout->columns = (bytes + layout->element - 1) / layout->element;
        layout->pitch = layout->columns;
    }
    array->type = type_of(layout->element);
    array->dim_count = layout->rows > 1 ? 2 : 1;
    array->dims[0] = layout->rows > 1 ? layout->rows : layout->columns;
    array->dims[1] = layout->columns;
    return true;
}

/* Addresses become elements. */
static void move_visit(const struct bs_trace_arrays *arrays, struct bs_visit *visit)
{
    const struct bs_layout *layout = &arrays->arrays[visit->access->array].layout;
    for (uint64_t left = visit->mask; left; left &= left - 1) {
        const unsigned lane = bs_lanes_lowest(left);
        const uint32_t element = (visit->column[lane] - layout->base) / layout->element;
        visit->row[lane] = element / layout->pitch;
        visit->column[lane] = element % layout->pitch;
    }
}

bool bs_trace_arrays_finish(struct bs_trace_arrays *arrays, uint32_t pitch, struct bs_error *error)
{
    if (!make_lists(arrays, error) || !find_arrays(arrays, error))
        return false;
    for (size_t i = 0; i < arrays->work.array_count; i++)
        if (!shape(arrays, i, pitch, error))
            return false;
    for (size_t i = 0; i < arrays->work.access_count; i++)
        arrays->accesses[i].vector = arrays->accesses[i].wish.bytes /
                                     arrays->arrays[arrays->accesses[i].array].layout.element;
    for (size_t i = 0; i < arrays->work.visit_count; i++)
        move_visit(arrays, &arrays->work.visits[i].visit);
    return bs_work_close(&arrays->work, error);
}

static void doubt_text(const struct bs_found_rows *rows, char *out, size_t size)
{
    if (rows->against)
        snprintf(out, size,
                 "not recovered: most lanes suggest rows %" PRIu64 " bytes apart, others %" PRIu64
                 ", which is no multiple of it",
                 rows->bytes, rows->against);
    else
        snprintf(out, size,
                 "not recovered: lanes suggest rows %" PRIu64 " bytes apart, but an access would "
                 "go from one into the next",
                 rows->bytes);
}

void bs_trace_arrays_text(const struct bs_trace_arrays *arrays, size_t number, char *out,
                          size_t size)
{
    const struct bs_sketch_array *array = &arrays->arrays[number];
    const struct bs_layout *layout = &array->layout;
    const struct bs_found_rows *rows = &arrays->rows[number];
    const uint32_t pitch = layout->pitch * layout->element;
    int used = snprintf(out, size, "%s: elements of %" PRIu32 " byte%s, ", array->name,
                        layout->element, layout->element == 1 ? "" : "s");
    if (used < 0 || (size_t)used >= size)
        return;
    out += used;
    size -= (size_t)used;
    if (rows->in_doubt)
        doubt_text(rows, out, size);
    else if (layout->rows == 1 && !rows->given)
        snprintf(out, size,
                 "one row of %" PRIu32 " bytes: no distance between lanes stands out as that of "
                 "rows",
                 pitch);
    else if (rows->given)
        snprintf(out, size, "%" PRIu32 " rows, %" PRIu32 " bytes apart as --pitch says",
                 layout->rows, pitch);
    else
        snprintf(out, size,
                 "%" PRIu32 " rows, %" PRIu32 " bytes apart: %.0f %% of the distances between "
                 "lanes that could be those of rows",
                 layout->rows, pitch, 100.0 * (double)rows->lanes / (double)rows->of);
}
