/* Adding up costs: by instruction, op, kernel, or all together. */
#ifndef BS_TALLY_H
#define BS_TALLY_H

#include "bankshot.h"
#include "index.h"

/* ---- names ----------------------------------------------------------------------------------- */

/* Each kernel's name once, numbered in the order of first sight. Start with {0}. */
/* How people read the name of a kernel. */
struct bs_shown_name {
    char *text;       /* as they would type it, "ns::transpose<0>"; NULL: it is no kernel's */
    size_t last;      /* where that goes on behind the namespaces */
    bool last_shared; /* another kernel has the same from there on */
    bool shared;      /* another kernel has the same text */
};

struct bs_names {
    char **list;
    size_t count;
    size_t room;
    struct bs_index index;
    struct bs_shown_name *shown; /* of kernels, by name: see kernel_names.h */
    size_t shown_count;
    size_t shown_room;
};

/* The number of a name, which is copied when it is new. False when memory is out. */
bool bs_names_intern(struct bs_names *names, const char *name, uint32_t *number);
void bs_names_free(struct bs_names *names);

/* ---- sums ------------------------------------------------------------------------------------ */

/* Ops as a kernel's columns tell them apart; reductions count as atomics. */
enum bs_class {
    BS_CLASS_LD,
    BS_CLASS_ST,
    BS_CLASS_ATOM,
    BS_CLASS_MATRIX,
    BS_CLASS_COPY,
    BS_CLASSES
};

struct bs_sums {
    uint64_t records;
    uint64_t active; /* lanes */
    uint64_t passes;
    uint64_t slots;
    uint64_t ideal;
    uint64_t undefined;  /* bytes */
    uint64_t excess;     /* passes above the ideal, summed over the records that have any */
    uint64_t max_passes; /* of one record */
    uint64_t launches;
    uint64_t class_passes[BS_CLASSES];
};

/* What a record adds. */
struct bs_entry {
    const struct bs_access *access;
    const struct bs_cost *cost;
    uint32_t active;
    uint32_t kernel; /* number of its name */
    uint32_t place;  /* number of its source place's text, plus 1; 0: it has none */
    uint64_t launch; /* number of the launch in its trace */
    uint64_t trace;  /* which of the run's traces */
};

void bs_sums_add(struct bs_sums *sums, const struct bs_entry *entry);

/* Adds the sums of another part of the same run. False if a sum has more than 63 bits. */
bool bs_sums_merge(struct bs_sums *sums, const struct bs_sums *part);

/* ---- groups ---------------------------------------------------------------------------------- */

enum bs_by { BS_BY_RECORD, BS_BY_PC, BS_BY_LINE, BS_BY_OP, BS_BY_KERNEL, BS_BY_TOTAL };

/* Parts of the key that the grouping does not use are zero. By line, a record has its place or, if
 * it has none, its pc. */
struct bs_group_key {
    uint64_t pc;
    uint32_t kernel;
    uint32_t op;    /* bs_op.index */
    uint32_t place; /* as in struct bs_entry */
};

/* What the instructions of a group did in time: cycles, of all warps together. */
struct bs_group_times {
    uint64_t cycles;    /* of whole launches: by kernel and in total */
    uint64_t waiting;   /* that warps waited to issue them */
    uint64_t queued;    /* from issue to the first pass */
    uint64_t finishing; /* from issue to the end */
    uint32_t waited;    /* enum bs_wait: what took most of the waiting; BS_WAIT_NONE if nothing */
    uint32_t from;      /* by pc: a group whose values they wait for, plus 1; 0: for none */
};

struct bs_group {
    struct bs_group_key key;
    struct bs_sums sums;
    struct bs_group_times times; /* of runs with timing */
    uint32_t place;              /* by pc and by line: the first record's, as in struct bs_entry */
    uint64_t first_trace;        /* where it was first seen: */
    uint64_t first;              /* the record, by kernel the launch */
    uint64_t worst_trace;        /* the first record that has max_passes */
    uint64_t worst_record;
};

/* Groups in the order of first sight. */
struct bs_tally {
    enum bs_by by;
    struct bs_group *groups;
    size_t count;
    size_t room;
    size_t last; /* the group that the last entry was added to */
    struct bs_index index;
};

/* A launch, which counts by kernel and in total. */
struct bs_tally_launch {
    uint32_t kernel; /* number of its name */
    uint64_t launch; /* number in its trace */
    uint64_t trace;
};

/* The group to which the records of a group by pc count; NULL if there is none. */
struct bs_group *bs_tally_group(const struct bs_tally *tally, const struct bs_group *by_pc);

/* Start a tally with {.by = by}. Both return false when memory is out. */
bool bs_tally_add(struct bs_tally *tally, const struct bs_entry *entry);
bool bs_tally_launch(struct bs_tally *tally, const struct bs_tally_launch *launch);
void bs_tally_free(struct bs_tally *tally);

/* Adds the groups of another part of the same run, in which names have the same numbers. */
bool bs_tally_merge(struct bs_tally *tally, const struct bs_tally *part, struct bs_error *error);

/* Adds to the numbers of records, for a part that counted them from 0. */
void bs_tally_shift(struct bs_tally *tally, uint64_t records);

/* Takes all groups out, to start again; the memory is used again. */
void bs_tally_clear(struct bs_tally *tally);

/* Brings the groups into the order of first sight; no more can then be added. */
void bs_tally_sort(struct bs_tally *tally);

/* The numbers of the groups, those with the largest excess first. NULL when memory is out; the
 * caller frees it. */
size_t *bs_tally_worst_first(const struct bs_tally *tally);

#endif
