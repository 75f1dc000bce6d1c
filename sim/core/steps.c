/* How a rule cuts an access into steps, and what a step asks of the banks. */
#include "steps.h"

#include "lanes.h"
#include "place.h"

/* ---- phases ---------------------------------------------------------------------------------- */

static bool partners_agree(const struct bs_access *access, uint64_t lanes, uint32_t partner)
{
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const unsigned other = t ^ partner;
        if (other < BS_MAX_LANES && lanes >> other & 1 && access->addr[t] != access->addr[other])
            return false;
    }
    return true;
}

uint32_t bs_merge_partner(const struct bs_rule *rule, const struct bs_access *access,
                          uint64_t lanes)
{
    for (uint32_t i = 0; i < rule->merges; i++)
        if (partners_agree(access, lanes, rule->merge[i]))
            return rule->merge[i];
    return 0;
}

void bs_phases_of(struct bs_phases *phases, const struct bs_model *model,
                  const struct bs_rule *rule, const struct bs_access *access)
{
    const struct bs_op op = access->op;
    const uint64_t used = bs_op_lanes(op, model->lanes);
    phases->lanes = access->mask & used;
    phases->merged_by = bs_merge_partner(rule, access, phases->lanes);
    const bool splits = rule->request_bytes && rule->method == BS_BY_BANKS;
    phases->bytes = splits ? rule->request_bytes : op.bytes;
    phases->requests = (op.bytes + phases->bytes - 1) / phases->bytes;
    phases->count = 0;
    const uint32_t together = phases->merged_by ? 2 : 1;
    for (uint32_t i = 0; i < rule->phases; i += together) {
        uint64_t lanes = rule->phase[i];
        if (together == 2 && i + 1 < rule->phases)
            lanes |= rule->phase[i + 1];
        if (lanes & used)
            phases->phase[phases->count++] = lanes & used;
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Lanes of waiting that read the source line of the lowest of them. */
static uint64_t same_source_line(const struct bs_access *access, uint64_t waiting, uint32_t line)
{
    const uint64_t first = access->src[bs_lanes_lowest(waiting)] / line;
    uint64_t lanes = 0;
    for (uint64_t rest = waiting; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        if (access->src[t] / line == first)
            lanes |= UINT64_C(1) << t;
    }
    return lanes;
}

/* Moves to the next phase and request that have an active lane. A fresh step (no lanes yet) starts
 * with the first. */
static bool next_phase(struct bs_step *step, const struct bs_phases *phases)
{
    if (step->lanes)
        step->request++;
    for (; step->phase < phases->count; step->phase++, step->request = 0) {
        step->waiting = phases->phase[step->phase] & phases->lanes;
        if (step->waiting && step->request < phases->requests)
            return true;
    }
    return false;
}

bool bs_step_next(struct bs_step *step, const struct bs_phases *phases, const struct bs_rule *rule,
                  const struct bs_access *access)
{
    if (!step->waiting && !next_phase(step, phases))
        return false;
    step->lanes = rule->source_line && access->src
                      ? same_source_line(access, step->waiting, rule->source_line)
                      : step->waiting;
    step->waiting &= ~step->lanes;
    step->offset = step->request * phases->bytes;
    const uint32_t left = access->op.bytes - step->offset;
    step->bytes = left < phases->bytes ? left : phases->bytes;
    return true;
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool lane_has(const struct bs_request *requests, unsigned first, unsigned count,
                     struct bs_place place)
{
    for (unsigned i = first; i < count; i++)
        if (requests[i].bank == place.bank && requests[i].row == place.row)
            return true;
    return false;
}

unsigned bs_step_requests(const struct bs_model *model, const struct bs_rule *rule,
                          const struct bs_access *access, const struct bs_step *step,
                          struct bs_request requests[BS_MAX_REQUESTS])
{
    unsigned count = 0;
    for (uint64_t rest = step->lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const unsigned own = count;
        const uint32_t address = access->addr[t] + step->offset;
        const uint32_t first = bs_quotient(address, &model->shortcut.width);
        const uint32_t last = bs_quotient(address + step->bytes - 1, &model->shortcut.width);
        for (uint32_t i = 0; i <= last - first; i++) {
            const struct bs_place place =
                bs_place_for(model, rule, (first + i) * model->bank_width);
            if (!lane_has(requests, own, count, place))
                requests[count++] = (struct bs_request){
                    .bank = (uint16_t)place.bank, .lane = (uint16_t)t, .row = place.row};
        }
    }
    return count;
}

/* ---- one broadcast word a pass --------------------------------------------------------------- */

static unsigned waiting_for(const struct bs_request *waiting, unsigned count,
                            struct bs_request wanted)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < count; i++)
        lanes += waiting[i].bank == wanted.bank && waiting[i].row == wanted.row;
    return lanes;
}

/* The waiting request whose row of a bank the next pass serves to every lane. */
static unsigned broadcast_choice(const struct bs_rule *rule, const struct bs_request *waiting,
                                 unsigned count)
{
    if (rule->broadcast_word == BS_LOWEST_LANE)
        return 0;
    unsigned best = 0;
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        const unsigned lanes = waiting_for(waiting, count, waiting[i]);
        if (lanes > most) {
            most = lanes;
            best = i;
        }
    }
    return best;
}

unsigned bs_broadcast_pass(const struct bs_rule *rule, struct bs_request *waiting, unsigned count)
{
    const struct bs_request word = waiting[broadcast_choice(rule, waiting, count)];
    uint32_t busy[BS_MAX_BANKS] = {0}; /* ports in use */
    struct bs_request served[BS_MAX_REQUESTS];
    unsigned served_count = 0;
    unsigned left = 0;
    busy[word.bank] = 1;
    for (unsigned i = 0; i < count; i++) {
        const struct bs_request request = waiting[i];
        const bool broadcast = request.bank == word.bank && request.row == word.row;
        if (broadcast || busy[request.bank] < rule->ports) {
            busy[request.bank] += !broadcast;
            served[served_count++] = request;
        } else {
            waiting[left++] = request;
        }
    }
    for (unsigned i = 0; i < served_count; i++)
        waiting[left + i] = served[i];
    return left;
}
