/* What eval and explain both say about an instruction: its head, its numbers, its clashes, its
 * rule. */
#ifndef BS_VERDICT_H
#define BS_VERDICT_H

#include "json.h"
#include "screen.h"
#include "subject.h"

/* A subject with its schedule under its model. */
struct bs_verdict {
    const struct bs_subject *subject;
    const struct bs_rule *rule; /* NULL for a barrier */
    struct bs_schedule schedule;
    uint64_t active; /* active lanes whose addresses the op uses */
    bool arithmetic; /* the formula for strides is asked for */
};

/* The option that asks for it. */
struct bs_option bs_option_arithmetic(bool *arithmetic);

/* False when memory is out. Free the schedule in the end. */
bool bs_verdict_reach(struct bs_verdict *verdict, const struct bs_subject *subject);

/* Which instruction it is. */
void bs_verdict_head(const struct bs_verdict *verdict, const struct bs_screen *screen,
                     struct bs_spool *out);

/* Passes, slots, ideal. */
void bs_verdict_numbers(const struct bs_verdict *verdict, const struct bs_screen *screen,
                        struct bs_spool *out);

/* The bytes that several lanes write, at most so many runs of them, and lanes that were dropped. */
void bs_verdict_clashes(const struct bs_verdict *verdict, const struct bs_screen *screen,
                        size_t most, struct bs_spool *out);

/* Merging, what is less than certain, and where the rule is from. */
void bs_verdict_rule(const struct bs_verdict *verdict, const struct bs_screen *screen,
                     struct bs_spool *out);

/* The formula for strides beside the count, if it is asked for. */
void bs_verdict_arithmetic(const struct bs_verdict *verdict, const struct bs_screen *screen,
                           struct bs_spool *out);

/* All of this as members of an open JSON map, after its schema. */
void bs_verdict_json(const struct bs_verdict *verdict, struct bs_json *json);

#endif
