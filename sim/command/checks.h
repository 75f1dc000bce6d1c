/* Expectations of a run: what should hold of each record, or of each row, and what breaks it. */
#ifndef BS_CHECKS_H
#define BS_CHECKS_H

#include "json.h"
#include "options.h"
#include "replay.h"
#include "rows.h"
#include "screen.h"

enum { BS_MAX_FIELDS = BS_MAX_COLUMNS };

/* One expectation: an expression over the fields of what it is about. */
struct bs_check {
    const char *text;
    struct bs_expr *expr;
    const char *file; /* where it stands; NULL: on the command line */
    uint64_t line, column;
};

/* An instruction, or a row, that is not as expected. */
struct bs_broken {
    char *text; /* what was expected */
    bool is_row;
    bool is_unmade;               /* an access that no thread makes: it has no records */
    struct bs_group_key key;      /* a kernel of UINT32_MAX: of all */
    uint32_t place;               /* as in struct bs_entry */
    uint64_t trace, record;       /* the first record */
    uint64_t line;                /* of the trace that it stands in; 0: not known */
    uint64_t records;             /* that break it */
    int64_t found[BS_MAX_FIELDS]; /* the fields of the one with the most passes */
};

struct bs_checks {
    /* What to check: set by the caller. */
    const struct bs_words *expect; /* of everything */
    bool own;                      /* what the traces themselves expect of their records */
    bool asks_issue;               /* one of expect is about how its access is issued */
    unsigned rows; /* 1 << enum bs_by: about such rows, and own is false; 0: about records */

    const char *fields[BS_MAX_FIELDS];
    size_t field_count;
    struct bs_row_table columns; /* of rows */
    struct bs_check *list;       /* of expect */

    /* What the trace says of the instruction that was checked last. */
    uint64_t trace, pc;
    bool known;
    struct bs_check of_trace; /* its text is the trace's */
    unsigned issued;          /* instructions that its access is issued as; 0: not known */

    uint64_t checked, unmet; /* records, or rows */
    uint64_t unmade;         /* accesses that no thread makes, though something is expected */
    struct bs_broken *broken;
    size_t broken_count, broken_room;
    struct bs_names keys; /* of broken, by number */
};

/* Compiles the expectations. False after filling error. */
bool bs_checks_start(struct bs_checks *checks, struct bs_error *error);

/* Checks a record, at a trace's end what it has no records of, or after the replay the rows of its
 * first tally. */
bool bs_checks_record(struct bs_checks *checks, const struct bs_replay *replay,
                      const struct bs_record *record, const struct bs_entry *entry,
                      struct bs_error *error);
bool bs_checks_trace(struct bs_checks *checks, const struct bs_replay *replay,
                     struct bs_error *error);
bool bs_checks_rows(struct bs_checks *checks, const struct bs_replay *replay,
                    struct bs_error *error);

/* BS_OK: something was checked and all of it was as expected. BS_UNMET: not so. BS_BAD_TRACE: so
 * far it was, but the traces are not whole, and what is missing might not be. */
enum bs_status bs_checks_status(const struct bs_checks *checks, const struct bs_replay *replay);

/* The verdict and what breaks it, as text with at most so many entries, or as a member of an open
 * JSON map. */
void bs_checks_text(const struct bs_checks *checks, const struct bs_replay *replay, uint64_t most,
                    const struct bs_screen *screen, struct bs_spool *out);
void bs_checks_json(const struct bs_checks *checks, const struct bs_replay *replay,
                    struct bs_json *json);

void bs_checks_free(struct bs_checks *checks);

#endif
