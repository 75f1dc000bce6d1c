/* The report of a run: what a kernel developer wants to read first. */
#ifndef BS_REPORT_H
#define BS_REPORT_H

#include "options.h"
#include "phrases.h"
#include "replay.h"
#include "spool.h"

struct bs_report {
    const struct bs_replay *replay;
    const struct bs_tally *by_pc;
    const struct bs_tally *by_kernel;
    uint64_t top; /* rows of a table at most */
};

/* False when memory is out. */
bool bs_report_write(const struct bs_report *report, struct bs_spool *out);

/* The option --top, and what its word says. Anything but BS_OK has been complained about. */
enum { BS_DEFAULT_TOP = 20 };
struct bs_option bs_option_top(const char **top);
enum bs_status bs_top_of_word(const struct bs_verb *verb, const char *word, uint64_t *top);

/* "2 of 8 shards are missing: 3, 7". */
const char *bs_missing_phrase(const struct bs_missing *missing, char out[BS_SENTENCE]);

/* The notes of a run as sentences, one after another, through write: bytes left undefined, rules
 * and sources that were assumed, misaligned accesses. */
void bs_report_notes(const struct bs_replay *replay,
                     void (*write)(void *user, const char *sentence), void *user);

#endif
