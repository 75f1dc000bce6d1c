/* Pricing records and adding them up: what a run of a trace comes to, whoever reads it. */
#ifndef BS_COUNTING_H
#define BS_COUNTING_H

#include "bankshot-traces.h"
#include "tally.h"

enum { BS_MAX_TALLIES = 2 };

/* What the report has to say beside numbers. */
struct bs_findings {
    bool assumed[BS_OPS];     /* ops whose assumed rule touched the result */
    uint64_t assumed_sources; /* async copies whose sources were assumed */
    uint64_t misaligned;      /* records */
    uint64_t undefined;       /* records that leave bytes undefined */
    struct {                  /* the first of them */
        uint32_t kernel;
        uint64_t pc;
        struct bs_op op;
        uint64_t trace;
        uint64_t record;
    } first_undefined;
};

/* Adds the findings of another part of the same run. False if a count has more than 63 bits. */
bool bs_findings_merge(struct bs_findings *findings, const struct bs_findings *part);

/* All that records add to. */
struct bs_counts {
    struct bs_sums *totals;
    struct bs_tally *tallies;
    size_t tally_count;
    struct bs_findings *findings;
};

/* A launch begins here. False when memory is out. */
bool bs_counts_launch(const struct bs_counts *counts, const struct bs_tally_launch *launch);

/* Adds the counts of the records that follow: their numbers start from 0 in the part, which is
 * changed, and from base in the whole. */
bool bs_counts_append(const struct bs_counts *counts, const struct bs_counts *part, uint64_t base,
                      struct bs_error *error);

/* How the records of a launch are priced, and what they count as. */
struct bs_pricing {
    const struct bs_model *model;
    bool allow_misaligned;
    uint64_t trace;         /* which of the run's traces */
    uint32_t kernel;        /* number of its name */
    const uint32_t *places; /* by the kernel's places: the numbers of their texts, plus 1 */
};

/* Prices a record and adds it up; *cost and *entry, which points to both, are what came of it. file
 * is what messages call the trace. False after filling error. */
bool bs_count_record(const struct bs_counts *counts, const struct bs_pricing *pricing,
                     const struct bs_record *record, const char *file, struct bs_cost *cost,
                     struct bs_entry *entry, struct bs_error *error);

#endif
