/* Measured data: tab-separated rows, xz-compressed, with a header line. */
#ifndef ROWS_H
#define ROWS_H

#include "bankshot.h"

enum { ROW_FIELDS = 24 };

struct rows {
    char *text;
    char *next;
    unsigned line;
    unsigned fields;
    char *field[ROW_FIELDS];
};

/* Reads a whole file of this folder and its header; the test fails if it is not there. */
void rows_open(struct rows *rows, const char *name);
bool rows_next(struct rows *rows);
void rows_close(struct rows *rows);

/* Fields as values; the test fails, naming the row, if one is not what it should be. */
struct bs_op row_op(const struct rows *rows, unsigned field);
uint64_t row_mask(const struct rows *rows, unsigned field);
double row_number(const struct rows *rows, unsigned field);

/* Hexadecimal addresses by lane, joined by commas, "-" for a lane that is off. Returns how many
 * entries there were. */
unsigned row_addresses(const struct rows *rows, unsigned field, uint32_t addr[BS_MAX_LANES]);

/* The model that the data are compared with; the test fails if it cannot be loaded. */
struct bs_model *hopper(void);

#endif
