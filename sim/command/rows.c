/* The columns of a run's rows. */
#include "rows.h"

#include <string.h>

const char *const bs_by_names[] = {"record", "pc", "line", "op", "kernel", "total", NULL};

enum {
    BY_RECORD = 1 << BS_BY_RECORD,
    BY_PC = 1 << BS_BY_PC,
    BY_LINE = 1 << BS_BY_LINE,
    BY_OP = 1 << BS_BY_OP,
    BY_KERNEL = 1 << BS_BY_KERNEL,
    BY_TOTAL = 1 << BS_BY_TOTAL,
    BY_ANY = BY_PC | BY_LINE | BY_OP | BY_KERNEL | BY_TOTAL,
    ALL = BS_ROW_TOTALS,
    SHARD = BS_ROW_MERGING,
    TIME = BS_ROW_TIMING,
    SPECIAL = SHARD | TIME, /* only where asked for */
};

#define RECORD(cell, member) BS_CELL_##cell, offsetof(struct bs_record_row, member)
#define GROUP(cell, member) BS_CELL_##cell, offsetof(struct bs_group, member)
#define SUM(member) GROUP(NUMBER, sums.member)

static const struct bs_row_column row_columns[] = {
    {{"kernel", "kernel", true, 16, 0}, BY_RECORD, RECORD(KERNEL, kernel)},
    {{"cta", "cta", false, 0, 0}, BY_RECORD, RECORD(NUMBER, cta)},
    {{"warp", "warp", false, 0, 0}, BY_RECORD, RECORD(NUMBER, warp)},
    {{"pc", "pc", false, 0, 0}, BY_RECORD, RECORD(PC, pc)},
    {{"op", "op", true, 0, 0}, BY_RECORD, RECORD(OP, op)},
    {{"mask", "mask", false, 0, 7}, BY_RECORD, RECORD(MASK, mask)},
    {{"active", "active", false, 0, 6}, BY_RECORD, RECORD(NUMBER, active)},
    {{"passes", "passes", false, 0, 0}, BY_RECORD, RECORD(NUMBER, passes)},
    {{"slots", "slots", false, 0, 4}, BY_RECORD, RECORD(NUMBER, slots)},
    {{"ideal", "ideal", false, 0, 2}, BY_RECORD, RECORD(NUMBER, ideal)},
    {{"undefined", "undefined", false, 0, 3}, BY_RECORD, RECORD(NUMBER, undefined)},
    {{"record", "record", false, 0, 0},
     BY_RECORD,
     RECORD(NUMBER, record)}, /* what explain --record takes */

    {{"issued", "issued", false, 0, 0}, BY_RECORD | TIME, RECORD(NUMBER, issued)},
    {{"started", "started", false, 0, 5}, BY_RECORD | TIME, RECORD(NUMBER, started)},
    {{"finished", "finished", false, 0, 0}, BY_RECORD | TIME, RECORD(NUMBER, finished)},
    {{"waited", "waited", true, 0, 0}, BY_RECORD | TIME, RECORD(WAIT, waited)},

    {{"kernel", "kernel", true, 18, 0}, BY_PC | BY_LINE | BY_KERNEL, GROUP(KERNEL, key.kernel)},
    {{"line", "line", true, 18, 0}, BY_LINE, GROUP(LINE, place)},
    {{"pc", "pc", false, 0, 0}, BY_PC, GROUP(PC, key.pc)},
    {{"op", "op", true, 0, 0}, BY_PC | BY_OP, GROUP(OP, key.op)},
    {{"launches", "launches", false, 0, 5}, BY_KERNEL | BY_TOTAL | ALL, SUM(launches)},
    {{"records", "records", false, 0, 0}, BY_ANY | ALL, SUM(records)},
    {{"active", "active", false, 0, 9}, BY_ANY | ALL, SUM(active)},
    {{"passes", "passes", false, 0, 0}, BY_ANY | ALL, SUM(passes)},
    {{"slots", "slots", false, 0, 8}, BY_ANY | ALL, SUM(slots)},
    {{"ideal", "ideal", false, 0, 0}, BY_ANY | ALL, SUM(ideal)},
    {{"undefined", "undefined", false, 0, 7}, BY_ANY | ALL, SUM(undefined)},
    {{"excess", "excess", false, 0, 0}, BY_ANY | ALL, SUM(excess)},
    {{"max_passes", "max", false, 0, 6}, BY_ANY | ALL, SUM(max_passes)},
    {{"ld_passes", "ld", false, 0, 1}, BY_KERNEL | ALL, SUM(class_passes[BS_CLASS_LD])},
    {{"st_passes", "st", false, 0, 1}, BY_KERNEL | ALL, SUM(class_passes[BS_CLASS_ST])},
    {{"atom_passes", "atom", false, 0, 1}, BY_KERNEL | ALL, SUM(class_passes[BS_CLASS_ATOM])},
    {{"matrix_passes", "matrix", false, 0, 4}, BY_KERNEL | ALL, SUM(class_passes[BS_CLASS_MATRIX])},
    {{"copy_passes", "copy", false, 0, 3}, BY_KERNEL | ALL, SUM(class_passes[BS_CLASS_COPY])},
    {{"cycles", "cycles", false, 0, 0}, BY_KERNEL | BY_TOTAL | TIME, GROUP(NUMBER, times.cycles)},
    {{"waiting", "waiting", false, 0, 0}, BY_ANY | TIME, GROUP(NUMBER, times.waiting)},
    {{"queued", "queued", false, 0, 4}, BY_ANY | TIME, GROUP(NUMBER, times.queued)},
    {{"finishing", "finishing", false, 0, 3}, BY_ANY | TIME, GROUP(NUMBER, times.finishing)},
    {{"waited", "waited", true, 0, 0}, BY_ANY | TIME, GROUP(WAIT, times.waited)},

    {{"source", NULL, true, 0, 0}, BY_PC, GROUP(PLACE, place)},

    {{"name", NULL, false, 0, 0}, BY_RECORD | SHARD, RECORD(NAME, kernel)},
    {{"name", NULL, false, 0, 0}, BY_PC | BY_LINE | BY_KERNEL | SHARD, GROUP(NAME, key.kernel)},
    {{"pc", NULL, false, 0, 0}, BY_LINE | SHARD, GROUP(PC, key.pc)},
    {{"place", NULL, false, 0, 0}, BY_PC | BY_LINE | SHARD, GROUP(PLACE_NUMBER, place)},
    {{"first_trace", NULL, false, 0, 0},
     BY_PC | BY_LINE | BY_OP | BY_KERNEL | SHARD,
     GROUP(NUMBER, first_trace)},
    {{"first", NULL, false, 0, 0},
     BY_PC | BY_LINE | BY_OP | BY_KERNEL | SHARD,
     GROUP(NUMBER, first)},
    {{"worst_trace", NULL, false, 0, 0}, BY_PC | SHARD, GROUP(NUMBER, worst_trace)},
    {{"worst_record", NULL, false, 0, 0}, BY_PC | SHARD, GROUP(NUMBER, worst_record)},
};
enum { ROW_COLUMNS = sizeof row_columns / sizeof *row_columns };

void bs_row_table_choose(struct bs_row_table *table, unsigned kind)
{
    table->count = 0;
    for (size_t i = 0; i < ROW_COLUMNS; i++) {
        const struct bs_row_column *column = &row_columns[i];
        if (!(column->rows & kind & ~(unsigned)SPECIAL) || (column->rows & SPECIAL & ~kind))
            continue;
        table->sources[table->count] = column;
        table->columns[table->count++] = column->column;
    }
}

static uint32_t small_at(const void *row, size_t offset)
{
    uint32_t value;
    memcpy(&value, (const char *)row + offset, sizeof value);
    return value;
}

static uint64_t number_at(const void *row, size_t offset)
{
    uint64_t value;
    memcpy(&value, (const char *)row + offset, sizeof value);
    return value;
}

uint64_t bs_row_number(const void *row, const struct bs_row_column *column)
{
    return number_at(row, column->offset);
}

static void place_cell(struct bs_table *table, const struct bs_names *names, uint32_t place)
{
    if (place)
        bs_table_text(table, names->list[place - 1]);
    else
        bs_table_null(table);
}

/* The place or, where there is none, the program counter as the text 0x.... */
static void line_cell(struct bs_table *table, const struct bs_names *names,
                      const struct bs_group *group)
{
    if (group->place)
        bs_table_text(table, names->list[group->place - 1]);
    else
        bs_table_hex(table, group->key.pc);
}

void bs_row_write(struct bs_table *table, const struct bs_row_table *columns,
                  const struct bs_names *names, const void *row)
{
    char name[BS_OP_NAME];
    for (size_t i = 0; i < columns->count; i++) {
        const size_t offset = columns->sources[i]->offset;
        switch (columns->sources[i]->cell) {
        case BS_CELL_KERNEL:
            bs_table_kernel(table, names, small_at(row, offset));
            break;
        case BS_CELL_NAME:
            bs_table_number(table, small_at(row, offset));
            break;
        case BS_CELL_PLACE:
            place_cell(table, names, small_at(row, offset));
            break;
        case BS_CELL_LINE:
            line_cell(table, names, row);
            break;
        case BS_CELL_PLACE_NUMBER:
            bs_table_number(table, small_at(row, offset));
            break;
        case BS_CELL_OP:
            bs_table_text(table, bs_op_name(bs_op_at(small_at(row, offset)), name));
            break;
        case BS_CELL_PC:
            bs_table_hex(table, number_at(row, offset));
            break;
        case BS_CELL_MASK:
            bs_table_mask(table, number_at(row, offset));
            break;
        case BS_CELL_NUMBER:
            bs_table_number(table, number_at(row, offset));
            break;
        case BS_CELL_WAIT:
            bs_table_text(table, bs_wait_name((enum bs_wait)small_at(row, offset)));
            break;
        }
    }
}
