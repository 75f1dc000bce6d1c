/*
 * A device as calibration sees it: something that can be asked what an access costs. There is one
 * on a GPU, and one made of a device model, which has no secrets and shows whether calibration
 * finds what is there.
 */
#ifndef BS_GAUGE_H
#define BS_GAUGE_H

#include "bankshot.h"
#include "bodies.h"

enum {
    BS_GAUGE_LANES = 32,
    BS_GAUGE_MEMORY = 1 << 15, /* bytes of shared memory that patterns use */
    BS_GAUGE_SOURCE = 1 << 15, /* bytes of global memory that copies read */
};

/* What an access is measured with. */
enum bs_instrument {
    BS_BY_COUNTER, /* passes, from a profiler's counter: exact, but it needs the right to read it */
    BS_BY_CLOCK,   /* slots, from the time that a stream of such accesses takes */
    BS_INSTRUMENTS
};

/* An access to ask about. */
struct bs_pattern {
    struct bs_op op;
    uint32_t mask;
    uint32_t addr[BS_GAUGE_LANES]; /* below BS_GAUGE_MEMORY */
    uint32_t src[BS_GAUGE_LANES];  /* of a copy: offset in global memory, below BS_GAUGE_SOURCE */
};

/* A loop to time, in each of some warps. */
struct bs_loop {
    enum bs_loop_kind kind;
    enum bs_loop_body body; /* of a burst BS_BODY_LD_32, of barriers BS_BODY_ST_ZERO */
    uint32_t warps;         /* bit w: warp w takes part, of BS_LOOP_WARPS */
    uint32_t rotate;        /* access i of warp w goes where that of number i + w x rotate would */
    bool tight;             /* a branch after BS_LOOP_TIGHT iterations, not BS_LOOP_UNROLLED: free
                               loops with loads, and BS_BODY_ST_ZERO if so wished */
    uint32_t addr[BS_LOOP_STEPS][BS_GAUGE_LANES];
};

/* The caller closes what it opened. Functions that fail fill error. */
struct bs_gauge {
    char name[128];
    uint32_t major, minor;       /* compute capability; 0, 0: it has none */
    struct bs_capacity capacity; /* as the device says; zeros where it does not */
    bool has[BS_INSTRUMENTS];
    enum bs_basis basis; /* what it says is measured; of a simulated device it is assumed */
    char missing[256];   /* why an instrument is not there, as a sentence without its dot */
    /* Whether the device has the op, in a form that can be measured. */
    bool (*offers)(const struct bs_gauge *gauge, struct bs_op op);
    /* What each pattern costs, by an instrument that is there. */
    bool (*measure)(struct bs_gauge *gauge, enum bs_instrument instrument,
                    const struct bs_pattern *patterns, size_t count, double *costs,
                    struct bs_error *error);
    /* Cycles of one iteration of each loop. Of a burst: from the issue of a warp's last load to the
     * result of that load, the mean of its warps. */
    bool (*time)(struct bs_gauge *gauge, const struct bs_loop *loops, size_t count, double *cycles,
                 struct bs_error *error);
    void (*close)(struct bs_gauge *gauge);
    void *own;
};

/* A device that behaves as a model says, to an accuracy: every clock reading is off by up to so
 * many thousandths, at random. The model stays the caller's. */
bool bs_gauge_of_model(struct bs_gauge *gauge, const struct bs_model *model, uint32_t noise);

/* A GPU by its number. by_counter: read the counter too, through the profiler, if that works. */
bool bs_gauge_of_gpu(struct bs_gauge *gauge, uint32_t device, bool by_counter,
                     struct bs_error *error);

/* Makes the accesses of a file that bs_gauge_of_gpu wrote, a launch each, for the profiler around
 * the program. */
bool bs_gauge_play(const char *path, struct bs_error *error);

#endif
