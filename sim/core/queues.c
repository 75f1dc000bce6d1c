/*
 * Async copies through the load-store unit (cp.async.ca): a lane's words leave banks of the
 * first-level cache and arrive at banks of shared memory in the same pass, and lanes queue for both
 * in their order. The rule is measured on an H200; docs/hardware.md says how.
 */
#include "steps.h"

/* The first pass of the step in which a bank is free for the next lane. */
struct queues {
    uint32_t target[BS_MAX_BANKS];
    uint32_t source[BS_MAX_BANKS];
};

/* Words of global memory that a lane reads, from the first on. */
struct words {
    uint64_t first;
    uint64_t count;
};

static struct words source_words(const struct bs_model *model, const struct bs_access *access,
                                 unsigned lane)
{
    const uint64_t bytes = access->op.bytes;
    const uint64_t at = access->src ? access->src[lane] : lane * bytes;
    const uint64_t first = at / model->bank_width;
    return (struct words){first, (at + bytes - 1) / model->bank_width - first + 1};
}

static uint32_t source_bank(const struct bs_rule *rule, struct words words, uint64_t i)
{
    return (uint32_t)((words.first + i) % rule->banks);
}

/* The pass in which all that a lane needs is free. */
static uint32_t turn_of(const struct queues *queues, const struct bs_rule *rule, struct words words,
                        const struct bs_request *requests, unsigned count)
{
    uint32_t turn = 0;
    for (unsigned i = 0; i < count; i++)
        if (queues->target[requests[i].bank] > turn)
            turn = queues->target[requests[i].bank];
    for (uint64_t i = 0; i < words.count; i++)
        if (queues->source[source_bank(rule, words, i)] > turn)
            turn = queues->source[source_bank(rule, words, i)];
    return turn;
}

/* A lane opens one row of a bank a pass. Gives each of its requests a pass from turn on, and
 * returns the pass after the last. */
static uint32_t serve(uint32_t turn, const struct bs_request *requests, unsigned count,
                      uint32_t *pass)
{
    uint32_t end = turn;
    for (unsigned i = 0; i < count; i++) {
        pass[i] = turn;
        for (unsigned before = 0; before < i; before++)
            pass[i] += requests[before].bank == requests[i].bank;
        end = pass[i] + 1 > end ? pass[i] + 1 : end;
    }
    return end;
}

uint32_t bs_queue_passes(const struct bs_model *model, const struct bs_rule *rule,
                         const struct bs_access *access, const struct bs_request *requests,
                         unsigned count, uint32_t pass[BS_MAX_REQUESTS])
{
    struct queues queues = {0};
    uint32_t passes = 0;
    for (unsigned first = 0, next; first < count; first = next) {
        for (next = first; next < count && requests[next].lane == requests[first].lane;)
            next++;
        const struct bs_request *own = requests + first;
        const struct words words = source_words(model, access, own->lane);
        const uint32_t turn = turn_of(&queues, rule, words, own, next - first);
        const uint32_t end = serve(turn, own, next - first, pass + first);
        for (unsigned i = first; i < next; i++)
            queues.target[requests[i].bank] = end;
        for (uint64_t i = 0; i < words.count; i++)
            queues.source[source_bank(rule, words, i)] = end;
        passes = end > passes ? end : passes;
    }
    return passes;
}
