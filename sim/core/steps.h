/*
 * What count and schedule have in common: how a rule cuts an access into the steps that meet the
 * banks one after another, which bank rows a step asks for, and the policies that cannot be counted
 * without being played (a single broadcast word; the queues and the sectors of async copies).
 */
#ifndef BS_STEPS_H
#define BS_STEPS_H

#include "divide.h"

enum { BS_MAX_REQUESTS = BS_MAX_LANES * 16 };

/* The phases of one access: those of the rule, after merging, that hold lanes which the op uses. */
struct bs_phases {
    uint64_t lanes; /* active lanes whose addresses count */
    uint32_t merged_by;
    uint32_t count;
    uint64_t phase[BS_MAX_PHASES]; /* lanes, active or not */
    uint32_t requests;             /* that each lane's bytes are split into */
    uint32_t bytes;                /* of a request, the last perhaps less */
};
void bs_phases_of(struct bs_phases *phases, const struct bs_model *model,
                  const struct bs_rule *rule, const struct bs_access *access);

/* The lanes that meet the banks at one time: of one phase, with one part of their bytes and, where
 * the rule says so, from one line of global memory. */
struct bs_step {
    uint32_t phase;
    uint32_t request;
    uint32_t offset; /* of the request in each lane's bytes */
    uint32_t bytes;
    uint64_t lanes;
    uint64_t waiting; /* lanes of the phase and request whose source lines are still to come */
};

/* Steps through the phases in order; start with a step of all zero. Phases without an active lane
 * give no step. */
bool bs_step_next(struct bs_step *step, const struct bs_phases *phases, const struct bs_rule *rule,
                  const struct bs_access *access);

/* A lane's need for one row of one bank. */
struct bs_request {
    uint16_t bank;
    uint16_t lane;
    uint32_t row;
};

/* The needs of a step by lane, then by address; a lane names a row of a bank once. Returns their
 * number. */
unsigned bs_step_requests(const struct bs_model *model, const struct bs_rule *rule,
                          const struct bs_access *access, const struct bs_step *step,
                          struct bs_request requests[BS_MAX_REQUESTS]);

/* Takes what one BS_BROADCAST pass serves out of waiting, in order, and puts it behind the rest:
 * the rest are waiting[0 .. result - 1], those served waiting[result .. count - 1]. */
unsigned bs_broadcast_pass(const struct bs_rule *rule, struct bs_request *waiting, unsigned count);

/* An async copy whose lanes queue for the banks that they read from and write to: the passes of the
 * step, and the pass of each request. */
uint32_t bs_queue_passes(const struct bs_model *model, const struct bs_rule *rule,
                         const struct bs_access *access, const struct bs_request *requests,
                         unsigned count, uint32_t pass[BS_MAX_REQUESTS]);

/* An async copy that moves sectors: the pass of each lane. */
struct bs_sectors {
    uint32_t passes;
    uint64_t dropped; /* lanes whose destination an earlier lane has */
    uint16_t pass[BS_MAX_LANES];
};
void bs_sectors_of(struct bs_sectors *sectors, const struct bs_rule *rule,
                   const struct bs_access *access, uint64_t lanes);

/* Bytes that several of the lanes write, each byte counted once. */
uint32_t bs_overwritten_bytes(const struct bs_access *access, uint64_t lanes);

/* Calls found for each maximal run of such bytes that the same lanes write, in ascending order,
 * until it returns false. */
void bs_find_overwritten(const struct bs_access *access, uint64_t lanes,
                         bool (*found)(void *user, uint32_t address, uint32_t bytes,
                                       uint64_t writers),
                         void *user);

/* Bytes of a store that its lanes leave undefined under the model's policy. */
uint32_t bs_undefined_bytes(const struct bs_model *model, const struct bs_access *access,
                            uint64_t lanes);

/* The bytes that a pass can bring at most. */
static inline uint32_t bs_pass_bytes(const struct bs_model *model, const struct bs_rule *rule)
{
    return model->row_bytes / (model->banks / rule->banks) * rule->ports;
}

/* The fewest passes for so many bytes. */
static inline uint32_t bs_fewest_passes(const struct bs_model *model, const struct bs_rule *rule,
                                        uint32_t bytes)
{
    const bool plain = rule->ports == 1 && rule->banks == model->banks;
    if (plain)
        return bs_quotient(bytes + model->row_bytes - 1, &model->shortcut.row) * rule->multiplier;
    const uint32_t pass = bs_pass_bytes(model, rule);
    return (bytes + pass - 1) / pass * rule->multiplier;
}

/* What is known of an access once its passes are counted. */
struct bs_outcome {
    uint32_t lanes;    /* active lanes whose addresses count; over 0 */
    uint32_t phases;   /* bs_phases.count */
    uint32_t requests; /* bs_phases.requests */
    uint32_t passes;   /* that serve lanes */
    bool misaligned;
};

/* Fills in the cost, but for undefined. The one home of what passes, slots and ideal mean. */
static inline void bs_cost_finish(struct bs_cost *cost, const struct bs_model *model,
                                  const struct bs_rule *rule, const struct bs_access *access,
                                  const struct bs_outcome *outcome)
{
    /* The data stage is held for at least a pass a phase, an idle one too, and each of those as
     * often as passes are made; unless all phases run side by side. */
    const uint32_t least =
        outcome->requests * rule->multiplier * (rule->combine == BS_LARGEST ? 1 : outcome->phases);
    cost->passes = outcome->passes * rule->multiplier + rule->extra_passes;
    cost->slots = rule->slots ? rule->slots : cost->passes > least ? cost->passes : least;
    cost->ideal = bs_fewest_passes(model, rule, outcome->lanes * access->op.bytes);
    if (rule->basis == BS_ASSUMED)
        cost->notes |= BS_NOTE_ASSUMED_RULE;
    if ((rule->source_line || rule->method == BS_BY_QUEUES) && !access->src)
        cost->notes |= BS_NOTE_ASSUMED_SOURCE;
    if (outcome->misaligned)
        cost->notes |= BS_NOTE_MISALIGNED;
}

#endif
