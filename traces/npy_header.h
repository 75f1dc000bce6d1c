/*
 * The header of NumPy's .npy files: what an array holds, written as a Python literal.
 */
#ifndef BS_NPY_HEADER_H
#define BS_NPY_HEADER_H

#include "bankshot.h"

/* A kernel's name in a row has fewer bytes than this. */
enum { BS_NPY_KERNEL = 1024 };

enum { BS_NPY_FIELDS = 32, BS_NPY_NAME = 32, BS_NPY_MAGIC = 8 };

extern const unsigned char bs_npy_magic[6];

/* A field of each row; the only one, without a name, of an array that is not structured. */
struct bs_npy_field {
    char name[BS_NPY_NAME];
    char type;      /* 'i', 'u' or 'S' */
    uint32_t bytes; /* of an item */
    uint32_t items; /* of the field: its own shape, or the array's second dimension */
    uint64_t at;    /* its place in the row */
};

struct bs_npy {
    bool structured;
    struct bs_npy_field field[BS_NPY_FIELDS];
    unsigned fields;
    uint64_t rows;
    uint64_t row_bytes;
};

/* Reads the text of a header, from "{" on. The error's column counts from the start of text. */
bool bs_npy_parse(const char *text, size_t size, struct bs_npy *npy, struct bs_error *error);

#endif
