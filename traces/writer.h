/*
 * What a format that can be written is: one file of functions and one row in the table of writers.
 */
#ifndef BS_WRITER_H
#define BS_WRITER_H

#include "bankshot-traces.h"

struct bs_writer_format {
    const char *name;   /* as people choose it: "text" */
    const char *ending; /* of the names of such files, with its dot; NULL: any other */

    /* A writer to the file, which stays the caller's. NULL after filling error, which is not NULL
     * here and below. */
    void *(*open)(FILE *file, struct bs_error *error);
    bool (*kernel)(void *writer, const struct bs_kernel *kernel, struct bs_error *error);
    /* Only after a kernel. */
    bool (*record)(void *writer, const struct bs_access *access, struct bs_error *error);
    /* A line for people's eyes. NULL: the format has no such lines. */
    bool (*comment)(void *writer, const char *text, struct bs_error *error);
    /* What is to be minded of the trace, as one line. */
    bool (*note)(void *writer, const char *text, struct bs_error *error);
    /* Writes what is still due. */
    bool (*finish)(void *writer, struct bs_error *error);
    /* What the format had no room for, as a phrase; NULL: nothing. May be NULL. */
    const char *(*losses)(const void *writer);
    void (*close)(void *writer);
};

extern const struct bs_writer_format bs_text_writer;
extern const struct bs_writer_format bs_binary_writer;
extern const struct bs_writer_format bs_npy_writer;

/* Writes bytes; the failure is the caller's to return. */
bool bs_writer_put(FILE *file, const void *bytes, size_t size, struct bs_error *error);
bool bs_writer_failed(struct bs_error *error);

#endif
