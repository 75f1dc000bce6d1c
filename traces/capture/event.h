/*
 * What the patched kernels and the host share: a record for each instruction of a warp, the ring
 * that the records go through, and the counters of what cannot be recorded. C and CUDA include it.
 *
 * The ring lies in pinned memory of the host. A warp takes the next number from `head`, waits until
 * its slot is free, fills it, and writes its number plus 1 to `sequence` last. The host takes the
 * slots in the order of their numbers and says in `taken` how far it is. So nothing is lost: when
 * the host is slower, the warps wait for it.
 */
#ifndef BS_CAPTURE_EVENT_H
#define BS_CAPTURE_EVENT_H

#include <stdint.h>

enum { BS_EVENT_LANES = 32, BS_EVENT_SLOTS = 1 << 16 };

enum bs_event_kind {
    BS_EVENT_ACCESS,  /* load, store or atomic: see flags */
    BS_EVENT_MATRIX,  /* ldmatrix, stmatrix */
    BS_EVENT_COPY,    /* cp.async, with sources */
    BS_EVENT_BARRIER, /* of the CTA; count is the barrier's number, bytes the lanes it waits for */
    BS_EVENT_KINDS
};

/* Bits of flags, as the Sanitizer API has them. Both: an atomic. */
enum { BS_EVENT_READS = 1, BS_EVENT_WRITES = 2 };

/* What goes past the lanes, or to another CTA's memory: counted, an instruction of a warp each. */
enum bs_unseen {
    BS_UNSEEN_REMOTE,  /* accesses to the shared memory of other CTAs of the cluster */
    BS_UNSEEN_WGMMA,   /* operands that wgmma reads */
    BS_UNSEEN_BULK,    /* bulk copies and reductions (TMA) */
    BS_UNSEEN_ASYNC,   /* st.async, red.async, st.bulk */
    BS_UNSEEN_PARTIAL, /* barriers for a part of the CTA */
    BS_UNSEENS
};

/* One instruction of one warp. The arrays have an entry for every lane; those of lanes that are not
 * in mask mean nothing, and only copies fill source. */
struct bs_event {
    uint64_t sequence; /* its number plus 1, written last */
    uint64_t pc;
    uint32_t mask;
    uint32_t cta;
    uint32_t warp;
    uint32_t smem;  /* bytes of shared memory of the CTA, static and dynamic */
    uint32_t bytes; /* at each address */
    uint8_t kind;   /* enum bs_event_kind */
    uint8_t flags;
    uint16_t count; /* matrices; number of the barrier */
    uint32_t address[BS_EVENT_LANES];
    uint64_t source[BS_EVENT_LANES];
};

/* In the device's memory, one for each launch at a time. */
struct bs_ring_control {
    struct bs_event *slots; /* BS_EVENT_SLOTS of them */
    const uint64_t *taken;  /* by the host: events so far, in pinned memory */
    uint64_t known_taken;   /* the last value of it that a warp has read */
    uint64_t head;          /* the number of the next event */
    uint64_t end;           /* events from this number on are counted, not recorded */
    uint32_t cta_low;       /* the first CTA to record */
    uint32_t cta_high;      /* the last */
    uint64_t outside;       /* events of other CTAs */
    uint64_t unseen[BS_UNSEENS];
};

#endif
