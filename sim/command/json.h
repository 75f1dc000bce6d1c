/* A small streaming JSON writer. Numbers are written as exact 64-bit integers. */
#ifndef BS_JSON_H
#define BS_JSON_H

#include "spool.h"

enum { BS_JSON_DEPTH = 32 };

/* Start with {.out = spool}. Keys are NULL inside a list and for the outermost value. */
struct bs_json {
    struct bs_spool *out;
    unsigned depth;
    char closing[BS_JSON_DEPTH]; /* the bracket that closes each open level */
    bool filled[BS_JSON_DEPTH];  /* the level has a value already */
    bool flat[BS_JSON_DEPTH];    /* the level is written on one line */
};

enum bs_json_shape { BS_JSON_TALL, BS_JSON_FLAT };

void bs_json_map(struct bs_json *json, const char *key, enum bs_json_shape shape);
void bs_json_list(struct bs_json *json, const char *key, enum bs_json_shape shape);

/* Closes the innermost map or list; the outermost one ends the line. */
void bs_json_close(struct bs_json *json);

void bs_json_text(struct bs_json *json, const char *key, const char *text);
void bs_json_number(struct bs_json *json, const char *key, uint64_t number);
void bs_json_signed(struct bs_json *json, const char *key, int64_t number);
void bs_json_real(struct bs_json *json, const char *key, double number, int decimals);
void bs_json_bool(struct bs_json *json, const char *key, bool value);
void bs_json_null(struct bs_json *json, const char *key);

/* Whether a string of JSON holds the text as it is: it is UTF-8 without a \xHH in it. */
bool bs_json_holds(const char *text);

/* "0x" and hexadecimal digits, as a text: JSON has no hexadecimal numbers. */
void bs_json_hex(struct bs_json *json, const char *key, uint64_t number);

/* The lanes of a set as a flat list of numbers. */
void bs_json_lanes(struct bs_json *json, const char *key, uint64_t lanes);

#endif
