/* Files that the command writes beside its output. */
#ifndef BS_FILES_H
#define BS_FILES_H

#include "spool.h"

/* Whether both paths lead to one file that exists. */
bool bs_same_file(const char *a, const char *b);

/* Writes what the spool gathered to a file, which appears, or is replaced, when it is complete.
 * False after filling error. */
bool bs_spool_save(struct bs_spool *spool, const char *path, struct bs_error *error);

/* Whether it is a file that can be read again, neither a pipe nor a folder. */
bool bs_is_plain_file(const char *path);

#endif
