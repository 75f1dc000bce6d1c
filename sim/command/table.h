/* The one table writer: the same rows as aligned text, as CSV or as JSON. */
#ifndef BS_TABLE_H
#define BS_TABLE_H

#include "json.h"
#include "screen.h"

enum bs_format { BS_TEXT, BS_CSV, BS_JSON };

enum { BS_MAX_COLUMNS = 32 };

struct bs_column {
    const char *name;  /* in CSV and JSON */
    const char *title; /* in text; NULL: not shown there */
    bool left;         /* aligned left in text */
    unsigned shrink;   /* in text, shortened in its middle to as little as that before others go */
    unsigned drop;     /* left out in text for want of room: the highest go first; 0: never */
};

/* A table being written. Rows are cells in the order of the columns; a row ends with its last
 * cell. Text needs all rows before the first line can be laid out, so they wait in a spool. */
struct bs_table {
    enum bs_format format;
    const struct bs_column *columns;
    size_t count;
    struct bs_spool *out;
    struct bs_json *json;
    struct bs_screen screen;
    size_t at;                     /* the next cell's column */
    size_t width[BS_MAX_COLUMNS];  /* of the widest cell */
    struct bs_spool cells;         /* of text: a tone, the text and a NUL each */
    const struct bs_names *names;  /* of text: of its kernels, which stand as KERNEL and a number */
    bool left_out[BS_MAX_COLUMNS]; /* of text, after the end: for want of room */
};

/* Begins a table. In JSON it is a list of maps under key, written through json; the other formats
 * write to out. */
void bs_table_begin(struct bs_table *table, enum bs_format format, const struct bs_column *columns,
                    size_t count, struct bs_spool *out);
void bs_table_begin_json(struct bs_table *table, const struct bs_column *columns, size_t count,
                         struct bs_json *json, const char *key);

void bs_table_text(struct bs_table *table, const char *text);
/* A kernel by the number of its name, as people read it in text, as the loader has it elsewhere.
 * The names stay until the end: those to come decide how this one is told from them. */
struct bs_names;
void bs_table_kernel(struct bs_table *table, const struct bs_names *names, uint32_t number);
void bs_table_number(struct bs_table *table, uint64_t number);
void bs_table_hex(struct bs_table *table, uint64_t number); /* with 0x */
void bs_table_mask(struct bs_table *table, uint64_t mask);  /* without, at least 8 digits */

void bs_table_real(struct bs_table *table, double number, int decimals);
void bs_table_null(struct bs_table *table); /* nothing is known: "-", an empty field, null */

/* A text for eyes only, in a tone; not for CSV and JSON. */
void bs_table_tone(struct bs_table *table, enum bs_tone tone, const char *text);

void bs_table_end(struct bs_table *table);

/* Names the columns of a text that the screen had no room for, after the end, and where they are.
 */
void bs_table_left_out(const struct bs_table *table, const char *where, struct bs_spool *out);

#endif
