/*
 * The sequence of instructions that is shown: the records of a trace, or the one instruction that
 * was given in words. A trace is read piece by piece, so that the first picture need not wait for
 * the last record; what has been read is kept in a small form.
 */
#ifndef BS_STORY_H
#define BS_STORY_H

#include "bankshot-traces.h"
#include "layout.h"
#include "variant.h"

/* A record without its addresses. */
struct bs_told {
    uint64_t pc;
    uint64_t mask;
    uint64_t place; /* of its addresses in the pool */
    uint32_t kernel;
    uint32_t cta;
    uint32_t warp;
    uint32_t dep;
    uint32_t line;   /* where it stands; 0: not known */
    uint8_t op;      /* bs_op.index */
    uint8_t form;    /* how the addresses are kept */
    uint16_t passes; /* under the first variant; the largest stands for more */
};

/* A launch; without a name as long as none of its records has been read. */
struct bs_told_kernel {
    char *name;
    int64_t smem;
    uint32_t block[3];
    struct bs_source_place *places; /* by ascending pc */
    size_t place_count;
};

/* The record whose lanes have been switched off, but for these. */
struct bs_switched {
    bool some;
    size_t record;
    uint64_t lanes;
};

struct bs_story {
    struct bs_request request;
    struct bs_variant variants[BS_MAX_PANELS];
    uint32_t variant_count;
    /* Where another parameter of a sketch gives a variant other records: its story. Of all stories
     * only the records that each has are shown. */
    struct bs_story *others[BS_MAX_PANELS];
    struct bs_switched switched; /* see switches.h */
    struct bs_told *told;
    size_t count;                   /* of records read so far */
    bool whole;                     /* all have been read */
    uint32_t most_passes;           /* of a record */
    struct bs_told_kernel *kernels; /* by number of the launch */
    size_t kernel_count;

    struct bs_trace *trace;        /* while there is more to read */
    uint64_t launch;               /* of the last record */
    struct bs_model_choice choice; /* of the trace */
    struct bs_buffer pool;         /* addresses */
    size_t told_room, kernel_room;
};

/* Starts: variants are made once the model is known, which for a trace is with its first record.
 * The request's texts must outlive the story, which takes over its lists. False with the errors,
 * none if memory is out. */
bool bs_story_open(struct bs_story *story, const struct bs_request *request,
                   struct bs_errors *errors);
void bs_story_free(struct bs_story *story);

/* Reads up to so many further records. False with the errors. */
bool bs_story_read(struct bs_story *story, size_t records, struct bs_errors *errors);

/* One of the records read so far, as an access; addr and src are the caller's and get its addresses
 * by lane. */
void bs_story_access(const struct bs_story *story, size_t record, uint32_t variant,
                     struct bs_access *access, uint32_t addr[BS_MAX_LANES],
                     uint64_t src[BS_MAX_LANES]);

/* What a record stands for in its source, "ld tile[tx][ty] \u00b7 transpose.yaml:21" or
 * "transpose.cu:17"; empty if that is not known. Returned as out. */
const char *bs_story_source(const struct bs_story *story, size_t record, char *out, size_t room);

/* The story that has the records of a variant. */
static inline const struct bs_story *bs_story_of(const struct bs_story *story, uint32_t variant)
{
    return story->others[variant] ? story->others[variant] : story;
}

/* Shows the same records, or an instruction in other words, as another request wants it, whose
 * texts must outlive the story; it takes over the lists. False with the errors, none if memory is
 * out: the story is then as it was and the lists are the caller's. */
bool bs_story_change(struct bs_story *story, const struct bs_request *request,
                     struct bs_errors *errors);

#endif
