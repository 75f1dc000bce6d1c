/*
 * The search for the best layout of arrays: every layout of a space is tried for each array, over
 * all its accesses, and those of several arrays are put together. What comes out is the best of all
 * combinations: see layout_search.c for why none need be left out.
 */
#ifndef BS_LAYOUT_SEARCH_H
#define BS_LAYOUT_SEARCH_H

#include "layout_space.h"
#include "layout_work.h"

enum {
    BS_SEARCH_ARRAYS = 8, /* with accesses, at most */
    BS_SEARCH_BEST = 100, /* combinations that come out, at most */
};

/* By what layouts are ranked, the first that differs decides. */
struct bs_rank {
    uint64_t slots;
    uint64_t instructions;
    uint64_t bytes;  /* of the arrays */
    uint64_t passes; /* more than slots for copies that hold the data stage but once */
    uint64_t simple; /* the numbers of the candidates in their lists */
};

enum bs_verdict_of_trial {
    BS_TRIAL_FITS,
    BS_TRIAL_NOT_ALLOWED, /* does not keep what is asked */
    BS_TRIAL_TOO_LARGE,   /* takes more memory than all arrays may */
    BS_TRIAL_NOT_ISSUED,  /* an access cannot be done under it, or the model has no rule */
    BS_TRIAL_VERDICTS,
};

/* A candidate, and what all accesses to the array cost under it. */
struct bs_trial {
    struct bs_candidate candidate;
    enum bs_verdict_of_trial verdict;
    struct bs_rank rank;
    uint64_t excess; /* passes above the ideal */
};

/* How far paddings and swizzles at once were tried. They go by pitches, the least first. */
enum bs_padded {
    BS_PADDED_NOT_ASKED,  /* not both kinds were, or rows cannot be padded */
    BS_PADDED_NOT_NEEDED, /* up to where a layout has the least slots and instructions that there
                             can be: with more memory none is better */
    BS_PADDED_ALL,
    BS_PADDED_CUT, /* the rest would take too long */
};

/* The trials of an array, the first of which is the layout that it has. */
struct bs_trials {
    struct bs_trial *list;
    size_t count, room;
    enum bs_padded padded;
    uint32_t padded_pitch; /* elements: the last that was tried so; 0: none */
};

struct bs_search {
    /* What is searched. */
    const struct bs_work *work;
    const struct bs_model *model;
    struct bs_space space;
    uint64_t max_bytes; /* of all arrays together; 0: any */
    uint64_t fixed;     /* bit i: array i, of the first 64, is tried as it stands alone */

    /* What was found. */
    struct bs_trials trials[BS_SEARCH_ARRAYS];
    size_t array[BS_SEARCH_ARRAYS]; /* their numbers: arrays with accesses */
    size_t count;
    uint64_t other_bytes; /* of the arrays that nothing goes to */
    uint64_t *floor;      /* by access: its fewest slots under any layout that fits */
    uint64_t *least;      /* by access: its least excess, likewise */
    uint64_t *bound;      /* by access: the slots that it takes under any layout, tried or not */
};

/* One layout for each array. */
struct bs_combination {
    struct bs_rank rank;
    uint64_t excess;
    size_t trial[BS_SEARCH_ARRAYS];
};

/* Looks on: called before each trial. May be NULL. */
struct bs_search_watch {
    void (*trial)(void *user, uint64_t done, uint64_t total);
    void *user;
};

/* Tries all candidates of all arrays. False after filling error: memory is out, or it would take
 * too long. Free it in any case. */
bool bs_search_run(struct bs_search *search, const struct bs_search_watch *watch,
                   struct bs_error *error);
void bs_search_free(struct bs_search *search);

/* The best combinations, best first, of trials whose schemes are in the set; a layout as it stands
 * always is. Returns how many there are, at most the number asked for. SIZE_MAX: memory is out. */
size_t bs_search_best(const struct bs_search *search, unsigned schemes, size_t most,
                      struct bs_combination *out);

/* Combinations of all trials. */
uint64_t bs_search_size(const struct bs_search *search);

#endif
