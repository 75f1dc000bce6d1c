/*
 * A file that takes its place only when it is whole: it is written beside that place, so that a
 * failure never costs the file that was there.
 */
#ifndef BS_OUTPUT_FILE_H
#define BS_OUTPUT_FILE_H

#include "bankshot.h"

#include <stdio.h>

/* Start with {0}; after a successful open, close once. */
struct bs_output_file {
    const char *path; /* as it was given */
    char *target;     /* the file that the path leads to */
    char *part;       /* what is written instead; NULL: the target itself, no common file */
    FILE *file;
};

/* Whether a file could be opened there, for those who have long work to do before they write. It
 * leaves nothing behind, and does not touch pipes and devices. */
bool bs_output_check(const char *path, struct bs_error *error);

/* Whether that is standard output: "-", or the file that it is. */
bool bs_output_is_stdout(const char *path);

/* Whether two paths lead to one file, of which one would take the place of the other; pipes and
 * devices may be shared. NULL is no path. */
bool bs_output_is_same(const char *a, const char *b);

/* Opens the file; "-", and the file that is standard output, are standard output itself. */
bool bs_output_open(struct bs_output_file *output, const char *path, struct bs_error *error);

/* False, after filling error, if not all bytes could be written. */
bool bs_output_write(struct bs_output_file *output, const void *bytes, size_t size,
                     struct bs_error *error);

/* Fills error with what a failed write of someone else's to output->file says. Returns false. */
bool bs_output_failed(const struct bs_output_file *output, int failure, struct bs_error *error);

/* Ends the file: keep puts it in its place, else what was there stays. False, after filling error,
 * if what was to be kept could not be. */
bool bs_output_close(struct bs_output_file *output, bool keep, struct bs_error *error);

#endif
