/*
 * Output is gathered here and printed when it is complete, so that a failure half-way never leaves
 * a report that looks whole. It stays in memory up to a few MiB and goes to a temporary file in
 * $TMPDIR, or else in /tmp, beyond.
 */
#ifndef BS_SPOOL_H
#define BS_SPOOL_H

#include "bankshot.h"
#include "core/buffer.h"

#include <stdio.h>

/* Start with {0}, free once. A failure sticks, and comes back from bs_spool_print; what may add
 * much asks bs_spool_holds now and then, so as not to go on for nothing. */
struct bs_spool {
    struct bs_buffer memory; /* the end of the text */
    FILE *file;              /* what came before it, if it grew too long */
    int failure;             /* errno of the first failure */
};

void bs_spool_add(struct bs_spool *spool, const void *bytes, size_t size);
void bs_spool_text(struct bs_spool *spool, const char *text);
void bs_spool_printf(struct bs_spool *spool, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* Adds foreign text as bs_printable shows it, uncut. Returns the bytes that were added. */
size_t bs_spool_printable(struct bs_spool *spool, const char *text, size_t size);

/* Adds the same character count times. */
void bs_spool_repeat(struct bs_spool *spool, char c, size_t count);

/* False, after filling error, if there was a failure. */
bool bs_spool_holds(const struct bs_spool *spool, struct bs_error *error);

/* Gives the whole text to use, piece by piece. False after a failure of the spool or of use. */
bool bs_spool_each(struct bs_spool *spool, bool (*use)(void *user, const char *bytes, size_t size),
                   void *user);

/* Prints the text on standard output and frees the spool. A failure is reported; the status says
 * how it went. */
enum bs_status bs_spool_print(struct bs_spool *spool);
void bs_spool_free(struct bs_spool *spool);

#endif
