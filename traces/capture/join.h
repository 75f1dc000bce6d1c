/* What the device saw and what the listing says, joined to an access of a trace. */
#ifndef BS_CAPTURE_JOIN_H
#define BS_CAPTURE_JOIN_H

#include "event.h"
#include "listing.h"
#include "op_cache.h"

/* What had to be taken on trust, by events. */
struct bs_join_doubts {
    uint64_t atomics;  /* whose function is not known: taken as add */
    uint64_t copies;   /* of 16 bytes that may go past the first-level cache: taken as not */
    uint64_t matrices; /* that may be transposed: taken as not, which costs the same */
};

enum bs_joined {
    BS_JOINED_ACCESS,
    BS_JOINED_PARTIAL, /* a barrier that some warps of the CTA do not come to */
    BS_JOINED_SYSTEM,  /* in the part of shared memory that the system keeps to itself */
};

/* Of a launch: what the addresses and barriers are relative to. */
struct bs_join_frame {
    uint32_t reserved;       /* bytes before the program's shared memory */
    uint32_t lanes;          /* of a CTA */
    struct bs_op_cache *ops; /* of names, which take long to read; may be NULL */
};

/* Fills access, whose addresses and sources go to the two arrays of 32. at may be NULL. */
enum bs_joined bs_join(const struct bs_event *event, const struct bs_instruction_at *at,
                       const struct bs_join_frame *frame, struct bs_access *access,
                       uint32_t *addresses, uint64_t *sources, struct bs_join_doubts *doubts);

#endif
