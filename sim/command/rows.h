/*
 * The rows of a run's report. One table says what their columns are called, in which rows they
 * stand and what is in them: it writes every format, and reads back what merging needs.
 */
#ifndef BS_ROWS_H
#define BS_ROWS_H

#include "table.h"
#include "tally.h"

extern const char *const bs_by_names[]; /* by enum bs_by, ending with NULL */

/* The row of one record. */
struct bs_record_row {
    uint32_t kernel; /* number of its name */
    uint32_t op;     /* bs_op.index */
    uint64_t cta, warp, pc, mask, active;
    uint64_t passes, slots, ideal, undefined;
    uint64_t trace;
    uint64_t record; /* number in its trace */
    uint64_t issued, started, finished; /* with timing, in cycles */
    uint32_t waited;                    /* enum bs_wait */
};

enum bs_cell {
    BS_CELL_KERNEL, /* uint32_t, the number of a name: shown as the name */
    BS_CELL_NAME,   /* the same, shown as the number */
    BS_CELL_OP,     /* uint32_t, shown as the op's name */
    BS_CELL_PLACE,  /* uint32_t, the number of a name plus 1: shown as the name, nothing for 0 */
    BS_CELL_LINE,   /* the same, but for 0 the pc of the group's key is shown */
    BS_CELL_PLACE_NUMBER, /* the same, shown as the number */
    BS_CELL_PC,           /* uint64_t, hexadecimal, as the next */
    BS_CELL_MASK,
    BS_CELL_NUMBER, /* uint64_t */
    BS_CELL_WAIT,   /* uint32_t, enum bs_wait, shown as its name */
};

struct bs_row_column {
    struct bs_column column;
    unsigned rows; /* the kinds of rows that have it: bits 1 << enum bs_by, and those below */
    enum bs_cell cell;
    size_t offset; /* in struct bs_record_row by record, else in struct bs_group */
};

/* Beside the groupings: the sum over everything, and what only merging or timing needs. */
enum { BS_ROW_TOTALS = 1 << 8, BS_ROW_MERGING = 1 << 9, BS_ROW_TIMING = 1 << 10 };

/* The columns of one kind of row. */
struct bs_row_table {
    struct bs_column columns[BS_MAX_COLUMNS];
    const struct bs_row_column *sources[BS_MAX_COLUMNS];
    size_t count;
};

/* kind is a bit 1 << enum bs_by or BS_ROW_TOTALS, with BS_ROW_MERGING and
 * BS_ROW_TIMING for their columns too. */
void bs_row_table_choose(struct bs_row_table *table, unsigned kind);

/* The number in a BS_CELL_NUMBER of a row. */
uint64_t bs_row_number(const void *row, const struct bs_row_column *column);

/* Writes a row; its cells are those of the columns. */
void bs_row_write(struct bs_table *table, const struct bs_row_table *columns,
                  const struct bs_names *names, const void *row);

#endif
