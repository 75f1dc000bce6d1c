/* The schedule: every pass of an access, with the rows that the banks open and the lanes served. */
#include "buffer.h"
#include "lanes.h"
#include "steps.h"

#include <stdlib.h>
#include <string.h>

/* The services of one access while their passes are being found. */
struct plan {
    unsigned count;
    uint32_t passes; /* that serve lanes */
    uint32_t pass[BS_MAX_REQUESTS];
    struct bs_service service[BS_MAX_REQUESTS];
};

static void plan_add(struct plan *plan, struct bs_request request, uint32_t phase, uint32_t pass)
{
    plan->pass[plan->count] = pass;
    plan->service[plan->count++] = (struct bs_service){
        .bank = request.bank,
        .phase = (uint16_t)phase,
        .row = request.row,
        .lanes = UINT64_C(1) << request.lane,
    };
    if (pass >= plan->passes)
        plan->passes = pass + 1;
}

/* The service of this step that opens the row already, or count. */
static unsigned find_service(const struct plan *plan, unsigned from, struct bs_request request)
{
    unsigned i = from;
    while (i < plan->count &&
           !(plan->service[i].bank == request.bank && plan->service[i].row == request.row))
        i++;
    return i;
}

/* Multicast and serialising: the banks work through their requests in order, `ports` a pass.
 * Returns the passes of the step. */
static uint32_t plan_in_order(struct plan *plan, const struct bs_rule *rule, uint32_t phase,
                              uint32_t base, const struct bs_request *requests, unsigned count)
{
    uint32_t taken[BS_MAX_BANKS] = {0};
    uint32_t most = 0;
    const unsigned from = plan->count;
    for (unsigned i = 0; i < count; i++) {
        const struct bs_request request = requests[i];
        const unsigned open =
            rule->same_word == BS_MULTICAST ? find_service(plan, from, request) : plan->count;
        if (open < plan->count) {
            plan->service[open].lanes |= UINT64_C(1) << request.lane;
            continue;
        }
        const uint32_t turn = taken[request.bank]++ / rule->ports;
        plan_add(plan, request, phase, base + turn);
        most = turn + 1 > most ? turn + 1 : most;
    }
    return most;
}

/* Puts lanes that one pass serves with the same row of the same bank into one service. */
static void plan_pass(struct plan *plan, uint32_t phase, uint32_t pass,
                      const struct bs_request *requests, unsigned count)
{
    const unsigned from = plan->count;
    for (unsigned i = 0; i < count; i++) {
        const unsigned open = find_service(plan, from, requests[i]);
        if (open < plan->count)
            plan->service[open].lanes |= UINT64_C(1) << requests[i].lane;
        else
            plan_add(plan, requests[i], phase, pass);
    }
}

static uint32_t plan_broadcast(struct plan *plan, const struct bs_rule *rule, uint32_t phase,
                               uint32_t base, struct bs_request *waiting, unsigned count)
{
    uint32_t passes = 0;
    while (count > 0) {
        const unsigned left = bs_broadcast_pass(rule, waiting, count);
        plan_pass(plan, phase, base + passes++, waiting + left, count - left);
        count = left;
    }
    return passes;
}

static uint32_t plan_queues(struct plan *plan, const struct bs_model *model,
                            const struct bs_rule *rule, const struct bs_access *access,
                            uint32_t phase, uint32_t base, const struct bs_request *requests,
                            unsigned count)
{
    uint32_t pass[BS_MAX_REQUESTS];
    const uint32_t passes = bs_queue_passes(model, rule, access, requests, count, pass);
    for (unsigned i = 0; i < count; i++)
        plan_add(plan, requests[i], phase, base + pass[i]);
    return passes;
}

static void plan_banks(struct plan *plan, const struct bs_model *model, const struct bs_rule *rule,
                       const struct bs_access *access, const struct bs_phases *phases)
{
    struct bs_request requests[BS_MAX_REQUESTS];
    struct bs_step step = {0};
    uint32_t base = 0;
    uint32_t phase = 0;
    while (bs_step_next(&step, phases, rule, access)) {
        if (rule->combine == BS_LARGEST && step.phase != phase)
            base = 0; /* phases run side by side */
        phase = step.phase;
        const unsigned count = bs_step_requests(model, rule, access, &step, requests);
        if (rule->method == BS_BY_QUEUES)
            base += plan_queues(plan, model, rule, access, phase, base, requests, count);
        else if (rule->same_word == BS_BROADCAST)
            base += plan_broadcast(plan, rule, phase, base, requests, count);
        else
            base += plan_in_order(plan, rule, phase, base, requests, count);
    }
}

/* Every lane in the pass of its unit, whatever the banks. */
static void plan_sectors(struct plan *plan, const struct bs_model *model,
                         const struct bs_rule *rule, const struct bs_access *access,
                         const struct bs_phases *phases, uint64_t *dropped)
{
    struct bs_sectors sectors;
    bs_sectors_of(&sectors, rule, access, phases->lanes);
    *dropped = sectors.dropped;
    for (uint32_t pass = 0; pass < sectors.passes; pass++) {
        struct bs_request requests[BS_MAX_REQUESTS];
        struct bs_step step = {.bytes = access->op.bytes};
        for (uint64_t rest = phases->lanes & ~sectors.dropped; rest; rest &= rest - 1)
            if (sectors.pass[bs_lanes_lowest(rest)] == pass)
                step.lanes |= rest & (0 - rest);
        plan_pass(plan, 0, pass, requests, bs_step_requests(model, rule, access, &step, requests));
    }
}

/* ---- from the plan to the schedule ----------------------------------------------------------- */

static bool make_room(struct bs_schedule *schedule, size_t passes, size_t services)
{
    struct bs_pass *more_passes =
        bs_grow(schedule->passes, &schedule->pass_room, passes, sizeof *more_passes);
    if (more_passes)
        schedule->passes = more_passes;
    struct bs_service *more_services =
        bs_grow(schedule->services, &schedule->service_room, services, sizeof *more_services);
    if (more_services)
        schedule->services = more_services;
    return more_passes && more_services;
}

static void add_pass(struct bs_schedule *schedule, enum bs_pass_kind kind, size_t first,
                     size_t count)
{
    schedule->passes[schedule->pass_count++] =
        (struct bs_pass){.kind = kind, .first = (uint32_t)first, .count = (uint32_t)count};
}

/* Orders the services by pass, keeping their order within one: a counting sort. */
static void lay_out(struct bs_schedule *schedule, const struct plan *plan,
                    const struct bs_rule *rule)
{
    uint32_t end[BS_MAX_REQUESTS + 1] = {0}; /* of pass - 1, and so the start of pass */
    for (unsigned i = 0; i < plan->count; i++)
        end[plan->pass[i] + 1]++;
    for (uint32_t pass = 0; pass < plan->passes; pass++) {
        const uint32_t count = end[pass + 1];
        end[pass + 1] += end[pass];
        add_pass(schedule, BS_PASS_SERVE, end[pass], count);
        for (uint32_t again = 1; again < rule->multiplier; again++)
            add_pass(schedule, BS_PASS_REPEAT, end[pass], count);
    }
    for (unsigned i = 0; i < plan->count; i++)
        schedule->services[end[plan->pass[i]]++] = plan->service[i];
    schedule->service_count = plan->count;
    for (uint32_t extra = 0; extra < rule->extra_passes; extra++)
        add_pass(schedule, BS_PASS_EXTRA, schedule->service_count, 0);
}

/* ---- clashes --------------------------------------------------------------------------------- */

struct clashing {
    struct bs_schedule *schedule;
    const struct bs_model *model;
    const struct bs_access *access;
    bool out_of_memory;
};

/* A well-mixed number from three, the same on every machine (the finaliser of splitmix64). */
static uint64_t mix(uint64_t seed, uint64_t record, uint64_t address)
{
    uint64_t x =
        seed * UINT64_C(0x9e3779b97f4a7c15) + record * UINT64_C(0xd1b54a32d192ed03) + address;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int32_t winner_of(const struct clashing *clashing, uint32_t address, uint64_t writers)
{
    const struct bs_model *model = clashing->model;
    unsigned behind = 0; /* writers below the winner */
    switch ((enum bs_winner)model->winner) {
    case BS_UNDEFINED:
        return -1;
    case BS_LOWEST:
        break;
    case BS_HIGHEST:
        behind = bs_lanes_count(writers) - 1;
        break;
    case BS_RANDOM:
        behind = (unsigned)(mix(model->seed, clashing->access->record, address) %
                            bs_lanes_count(writers));
        break;
    }
    while (behind--)
        writers &= writers - 1;
    return (int32_t)bs_lanes_lowest(writers);
}

static bool add_clash(void *user, uint32_t address, uint32_t bytes, uint64_t writers)
{
    struct clashing *clashing = user;
    struct bs_schedule *schedule = clashing->schedule;
    struct bs_clash *clashes = bs_grow(schedule->clashes, &schedule->clash_room,
                                       schedule->clash_count + 1, sizeof *clashes);
    clashing->out_of_memory = !clashes;
    if (!clashes)
        return false;
    schedule->clashes = clashes;
    clashes[schedule->clash_count++] =
        (struct bs_clash){.address = address,
                          .bytes = bytes,
                          .lanes = writers,
                          .winner = winner_of(clashing, address, writers)};
    return true;
}

/* False when memory is out. */
static bool find_clashes(struct bs_schedule *schedule, const struct bs_model *model,
                         const struct bs_access *access, uint64_t lanes)
{
    struct clashing clashing = {schedule, model, access, false};
    if (!bs_op_writes(access->op) || bs_overwritten_bytes(access, lanes) == 0)
        return true;
    bs_find_overwritten(access, lanes, add_clash, &clashing);
    return !clashing.out_of_memory;
}

/* ---------------------------------------------------------------------------------------------- */

static void clear(struct bs_schedule *schedule)
{
    schedule->cost = (struct bs_cost){0};
    schedule->merged_by = 0;
    schedule->phase_count = 0;
    schedule->dropped = 0;
    schedule->pass_count = 0;
    schedule->service_count = 0;
    schedule->clash_count = 0;
}

static bool build(struct bs_schedule *schedule, const struct bs_model *model,
                  const struct bs_rule *rule, const struct bs_access *access)
{
    struct bs_phases phases;
    struct plan plan;
    plan.count = 0;
    plan.passes = 0;
    bs_phases_of(&phases, model, rule, access);
    schedule->merged_by = phases.merged_by;
    schedule->phase_count = phases.count;
    memcpy(schedule->phase, phases.phase, phases.count * sizeof *phases.phase);
    if (!phases.lanes)
        return true;
    if (rule->method == BS_BY_SECTORS)
        plan_sectors(&plan, model, rule, access, &phases, &schedule->dropped);
    else
        plan_banks(&plan, model, rule, access, &phases);
    const struct bs_outcome outcome = {
        .lanes = bs_lanes_count(phases.lanes),
        .phases = phases.count,
        .requests = phases.requests,
        .passes = plan.passes,
        .misaligned = bs_access_is_misaligned(access, phases.lanes),
    };
    bs_cost_finish(&schedule->cost, model, rule, access, &outcome);
    schedule->cost.undefined = bs_undefined_bytes(model, access, phases.lanes);
    if (!make_room(schedule, schedule->cost.passes, plan.count))
        return false;
    lay_out(schedule, &plan, rule);
    return find_clashes(schedule, model, access, phases.lanes);
}

bool bs_schedule_build(struct bs_schedule *schedule, const struct bs_model *model,
                       const struct bs_access *access)
{
    clear(schedule);
    if (access->op.kind == BS_BAR)
        return true;
    const struct bs_rule *rule = bs_model_rule(model, access->op);
    if (rule && build(schedule, model, rule, access))
        return true;
    clear(schedule);
    return false;
}

void bs_schedule_free(struct bs_schedule *schedule)
{
    free(schedule->passes);
    free(schedule->services);
    free(schedule->clashes);
    *schedule = (struct bs_schedule){0};
}
