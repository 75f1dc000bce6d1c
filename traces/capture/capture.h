/*
 * From the items of a capture to a trace. Knows nothing of GPUs, sockets or processes: items come
 * from a running program or from a recording.
 */
#ifndef BS_CAPTURE_H
#define BS_CAPTURE_H

#include "bankshot-traces.h"
#include "items.h"
#include "join.h"
#include "selection.h"

struct bs_capture_plan {
    const struct bs_selection *selection;
    bool choose_launches; /* the items are of all launches: those that fit are chosen here */
    const char *format;   /* of the trace, as bs_writer_open takes it */

    /* The listing of a kernel for the exact opcodes; NULL, after filling error, where there is
     * none. May be NULL itself. The caller frees the listing. */
    char *(*disassemble)(void *user, const void *cubin, size_t size, const char *kernel,
                         struct bs_error *error);
    /* Where the trace goes, asked for at the first launch. */
    FILE *(*open)(void *user, struct bs_error *error);
    /* Sees each item, and the listings as items: to keep a recording. May be NULL. */
    bool (*keep)(void *user, const struct bs_item *item, struct bs_error *error);
    void *user;
};

/* What came of it. */
struct bs_capture_account {
    uint64_t launches;  /* in the trace */
    uint64_t passed_by; /* that the selection does not want, where it was asked here */
    uint64_t missed;    /* that could not be captured */
    char missed_why[128];
    uint64_t records;
    uint64_t over;    /* accesses beyond --max-records */
    uint64_t outside; /* of CTAs that were not asked for */
    uint64_t system;  /* in the system's part of shared memory */
    uint64_t unseen[BS_UNSEENS];
    uint64_t sites[BS_SITES]; /* in the code of the kernels that were launched, each counted once */
    struct bs_join_doubts doubts;
    uint64_t unlisted; /* kernels without a listing */
    char unlisted_why[512];
    uint64_t failed; /* launches that failed */
    char failure[128];
    bool cut_off; /* the program ended within a launch */
};

struct bs_capture;

/* NULL when memory is out. */
struct bs_capture *bs_capture_begin(const struct bs_capture_plan *plan);
bool bs_capture_take(struct bs_capture *capture, const struct bs_item *item,
                     struct bs_error *error);

/* Reads a whole stream. */
bool bs_capture_take_all(struct bs_capture *capture, const struct bs_item_source *source,
                         struct bs_error *error);

/* Writes what is due. To be called after the last item. */
bool bs_capture_finish(struct bs_capture *capture, struct bs_error *error);
const struct bs_capture_account *bs_capture_account_of(const struct bs_capture *capture);
void bs_capture_free(struct bs_capture *capture);

/* The account in sentences, one after another: what is missing from the trace, and what was taken
 * on trust. */
void bs_capture_tell(const struct bs_capture_account *account,
                     void (*tell)(void *user, const char *sentence), void *user);

#endif
