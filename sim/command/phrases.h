/* Schedules in words: sets of lanes, phases, and why a phase takes its passes. */
#ifndef BS_PHRASES_H
#define BS_PHRASES_H

#include "bankshot.h"

enum { BS_LANES_PHRASE = 160, BS_SENTENCE = 512, BS_RATIO_TEXT = 32 };

/* "lane 7", "lanes 0-15,20", "no lane"; written to and returned as out. */
const char *bs_lanes_phrase(uint64_t lanes, char out[BS_LANES_PHRASE]);

/* What the words of reports mean: the one place that says so. */
struct bs_term {
    const char *name;
    const char *meaning;
};
enum { BS_TERMS = 7 };
extern const struct bs_term bs_terms[BS_TERMS];
const char *bs_term_meaning(const char *name);

/* passes over ideal, "2.0", or "-" without an ideal: the average n-way. */
const char *bs_ratio_text(uint64_t passes, uint64_t ideal, char out[BS_RATIO_TEXT]);

/* What happened to one phase, read off the schedule. */
struct bs_phase_view {
    uint64_t active;   /* lanes that were served */
    uint32_t passes;   /* that serve it, each repeated one counted once */
    uint32_t bank;     /* the busiest */
    uint32_t services; /* of that bank */
    uint32_t rows;     /* different ones among them */
    uint64_t lanes;    /* that they serve */
};
void bs_phase_view_of(struct bs_phase_view *view, const struct bs_schedule *schedule,
                      uint32_t phase);

/* Whether lanes of the phase stood in each other's way: it takes more passes than its data need. */
bool bs_phase_conflicts(const struct bs_rule *rule, struct bs_op op,
                        const struct bs_phase_view *view);

/* Why a phase takes as many passes as it does, in a sentence. */
const char *bs_why(const struct bs_rule *rule, const struct bs_phase_view *view,
                   char out[BS_SENTENCE]);

/* Whether and why the phases merged, in a sentence; empty where the rule never merges. */
const char *bs_merging_text(const struct bs_rule *rule, const struct bs_schedule *schedule,
                            char out[BS_SENTENCE]);

/* How the passes of the phases make those of the instruction, in a sentence; empty where they just
 * add up. */
const char *bs_combining_text(const struct bs_rule *rule, const struct bs_schedule *schedule,
                              char out[BS_SENTENCE]);

/* The notes of a cost: a word for programs and a sentence for people each. */
struct bs_note {
    uint32_t bit;
    const char *code;
    const char *text;
};
enum { BS_NOTES = 3 };
extern const struct bs_note bs_notes[BS_NOTES];

#endif
