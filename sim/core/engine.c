/* Time: the warps of one multiprocessor, their schedulers, the queue and the array, by the cycle.
 */
#include "bankshot.h"
#include "buffer.h"
#include "lanes.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS = 100 /* of a cycle, in which fractions of one are kept */ };

static const uint64_t not_yet = UINT64_MAX;

struct bs_instruction bs_instruction_of(const struct bs_access *access, const struct bs_cost *cost)
{
    const uint32_t room = cost->slots > cost->ideal ? cost->slots - cost->ideal : 0;
    uint32_t conflicts = cost->passes > cost->ideal ? cost->passes - cost->ideal : 0;
    if (conflicts > room)
        conflicts = room;
    return (struct bs_instruction){
        .op = access->op,
        .conflicts = (uint16_t)(conflicts < UINT16_MAX ? conflicts : UINT16_MAX),
        .slots = cost->slots,
        .dep = access->dep,
    };
}

/* ---- what the tables say --------------------------------------------------------------------- */

/* Whether a later step can depend on what the op brings back. */
static bool returns(struct bs_op op)
{
    return op.kind == BS_LD || op.kind == BS_ATOM || op.kind == BS_LDMATRIX;
}

static uint32_t latency_of(const struct bs_timing *timing, struct bs_op op)
{
    if (op.kind == BS_ATOM)
        return timing->latency_atom;
    if (op.kind == BS_LDMATRIX || op.bytes <= 4)
        return timing->latency_32;
    return op.bytes == 8 ? timing->latency_64 : timing->latency_128;
}

static const struct bs_program *program_of(const struct bs_engine *engine,
                                           const struct bs_slot *slot)
{
    return &engine->programs[slot->program];
}

static bool is_bar(const struct bs_instruction *step)
{
    return step->op.kind == BS_BAR;
}

/* The step whose result the slot's next step waits for; NULL if it waits for none. */
static const struct bs_instruction_time *dependency(const struct bs_program *program, uint32_t next)
{
    const uint32_t dep = program->steps[next].dep;
    if (dep == 0 || !returns(program->steps[next - dep].op))
        return NULL;
    return &program->times[next - dep];
}

/* ---- starting -------------------------------------------------------------------------------- */

/* One past the last program of the CTA that begins at first. */
static uint32_t cta_end(const struct bs_engine *engine, uint32_t first)
{
    uint32_t end = first;
    while (end < engine->program_count && engine->programs[end].cta == engine->programs[first].cta)
        end++;
    return end;
}

static bool check_program(const struct bs_program *program, uint32_t index, struct bs_error *error)
{
    for (uint32_t i = 0; i < program->count; i++)
        if (program->steps[i].dep > i)
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                           "step %u of warp %u depends on one before its first", i, index);
    return true;
}

static uint32_t free_slots(const struct bs_engine *engine)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < BS_MAX_RESIDENT; i++)
        count += !engine->slot[i].live;
    return count;
}

static void enter(struct bs_engine *engine, uint32_t program)
{
    uint32_t i = 0;
    while (engine->slot[i].live)
        i++;
    engine->slot[i] = (struct bs_slot){.program = program,
                                       .live = true,
                                       .ended = engine->programs[program].count == 0,
                                       .resume = engine->cycle};
    if (i >= engine->slots)
        engine->slots = i + 1;
}

/* Lets CTAs in while there is room. */
static void admit(struct bs_engine *engine)
{
    while (engine->next_program < engine->program_count) {
        const uint32_t end = cta_end(engine, engine->next_program);
        if ((engine->resident && engine->ctas >= engine->resident) ||
            end - engine->next_program > free_slots(engine))
            return;
        for (; engine->next_program < end; engine->next_program++)
            enter(engine, engine->next_program);
        engine->ctas++;
    }
}

bool bs_engine_init(struct bs_engine *engine, const struct bs_timing *timing,
                    const struct bs_program *programs, uint32_t count, uint32_t resident,
                    struct bs_error *error)
{
    *engine = (struct bs_engine){
        .timing = *timing, .programs = programs, .program_count = count, .resident = resident};
    for (uint32_t i = 0; i < count; i++)
        if (!check_program(&programs[i], i, error))
            return false;
    for (uint32_t first = 0; first < count; first = cta_end(engine, first))
        if (cta_end(engine, first) - first > BS_MAX_RESIDENT)
            return bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
                           "CTA %u has %u warps, of which a multiprocessor holds %d",
                           programs[first].cta, cta_end(engine, first) - first, BS_MAX_RESIDENT);
    admit(engine);
    engine->done = engine->ctas == 0;
    return true;
}

/* ---- issue ----------------------------------------------------------------------------------- */

/* Whether a step waits for all results of its warp. */
static bool joins(const struct bs_instruction *step)
{
    return step->join == BS_JOIN_RESULTS || (step->join == BS_JOIN_USUAL && is_bar(step));
}

/* When a warp is past its own interval, in hundredths. */
static uint64_t interval_end(const struct bs_program *program, const struct bs_slot *slot)
{
    return slot->ready + (uint64_t)program->steps[slot->next].gap * PARTS;
}

/* When what the next step of a slot depends on is there and worked into an address, in hundredths;
 * 0 if it depends on nothing. */
static uint64_t dep_end(const struct bs_engine *engine, const struct bs_slot *slot)
{
    const struct bs_program *program = program_of(engine, slot);
    const struct bs_instruction_time *from = dependency(program, slot->next);
    if (!from)
        return 0;
    if (from->finished == not_yet)
        return not_yet;
    return from->finished * PARTS + from->carry + engine->timing.latency_add;
}

static enum bs_wait probe_access(const struct bs_engine *engine, uint32_t index)
{
    const struct bs_slot *slot = &engine->slot[index];
    const uint64_t next = (engine->cycle + 1) * PARTS;
    if (dep_end(engine, slot) >= next)
        return BS_WAIT_DEP;
    if (interval_end(program_of(engine, slot), slot) >= next)
        return BS_WAIT_INTERVAL;
    const uint32_t scheduler = index % engine->timing.schedulers;
    if (engine->waiting[scheduler] >= engine->timing.queue)
        return engine->in_flight >= engine->timing.in_flight ? BS_WAIT_IN_FLIGHT : BS_WAIT_QUEUE;
    return engine->scheduler[scheduler] > engine->cycle ? BS_WAIT_SCHEDULER : BS_WAIT_NONE;
}

static enum bs_wait probe_bar(const struct bs_engine *engine, const struct bs_slot *slot)
{
    const struct bs_program *program = program_of(engine, slot);
    if (program->steps[slot->next].gap &&
        interval_end(program, slot) >= (engine->cycle + 1) * PARTS)
        return BS_WAIT_INTERVAL;
    return engine->barrier_port > engine->cycle ? BS_WAIT_BARRIER : BS_WAIT_NONE;
}

enum bs_wait bs_engine_probe(const struct bs_engine *engine, uint32_t index)
{
    const struct bs_slot *slot = &engine->slot[index];
    if (!slot->live)
        return BS_WAIT_DONE;
    const struct bs_program *program = program_of(engine, slot);
    if (slot->at_barrier || slot->resume > engine->cycle)
        return BS_WAIT_BARRIER;
    if (slot->next == program->count)
        return BS_WAIT_DONE;
    const struct bs_instruction *step = &program->steps[slot->next];
    if (joins(step) && (slot->loads || slot->results > engine->cycle))
        return BS_WAIT_RESULTS;
    if (is_bar(step))
        return probe_bar(engine, slot);
    return probe_access(engine, index);
}

/* Whether the barriers of a CTA wait for the warp of a slot: not for one that has ended. */
static bool takes_part(const struct bs_engine *engine, const struct bs_slot *slot, uint32_t cta)
{
    return slot->live && !slot->ended && program_of(engine, slot)->cta == cta;
}

/* Opens the barrier of a CTA if all its warps have come that have not ended. */
static void meet(struct bs_engine *engine, uint32_t cta)
{
    const uint64_t resume = engine->cycle + engine->timing.barrier_latency;
    for (uint32_t i = 0; i < engine->slots; i++) {
        const struct bs_slot *slot = &engine->slot[i];
        if (takes_part(engine, slot, cta) && !slot->at_barrier)
            return;
    }
    for (uint32_t i = 0; i < engine->slots; i++) {
        struct bs_slot *slot = &engine->slot[i];
        if (!takes_part(engine, slot, cta))
            continue;
        slot->at_barrier = false;
        slot->resume = resume;
        if (slot->ready < resume * PARTS)
            slot->ready = resume * PARTS;
        program_of(engine, slot)->times[slot->next - 1].finished = resume;
    }
}

static void arrive(struct bs_engine *engine, struct bs_slot *slot, struct bs_instruction_time *time)
{
    time->started = engine->cycle;
    slot->at_barrier = true;
    engine->barrier_port = engine->cycle + engine->timing.barrier_interval;
    meet(engine, program_of(engine, slot)->cta);
}

/* How long a scheduler is busy with a step: with its addresses, and a store's data. */
static uint32_t scheduler_time(const struct bs_timing *timing, const struct bs_instruction *step)
{
    const bool sends = step->op.kind == BS_ST && !step->no_data;
    const uint32_t registers = step->op.bytes > 4 ? step->op.bytes / 4u : 1;
    return timing->scheduler_interval + (sends ? registers * timing->data_interval : 0);
}

/* Puts the step into the queue behind the scheduler. A fraction of a cycle by which it could have
 * come earlier is kept, so that intervals that are no whole number come right on average. */
static void enqueue(struct bs_engine *engine, uint32_t index, struct bs_instruction_time *time)
{
    struct bs_slot *slot = &engine->slot[index];
    const struct bs_program *program = program_of(engine, slot);
    const uint32_t scheduler = index % engine->timing.schedulers;
    const uint32_t last = engine->head[scheduler] + engine->waiting[scheduler]++;
    uint64_t at = engine->cycle * PARTS;
    if (interval_end(program, slot) > at)
        at = interval_end(program, slot);
    if (dep_end(engine, slot) > at)
        at = dep_end(engine, slot);
    time->carry = (uint32_t)(at - engine->cycle * PARTS);
    slot->ready = at + engine->timing.warp_interval;
    slot->loads += returns(program->steps[slot->next].op);
    slot->queued++;
    engine->queued++;
    engine->scheduler[scheduler] =
        engine->cycle + scheduler_time(&engine->timing, &program->steps[slot->next]);
    engine->behind[scheduler][last % BS_MAX_QUEUE] = (struct bs_queued){index, slot->next};
}

bool bs_engine_issue(struct bs_engine *engine, uint32_t index)
{
    struct bs_slot *slot = &engine->slot[index];
    if (bs_engine_probe(engine, index) != BS_WAIT_NONE)
        return false;
    const struct bs_program *program = program_of(engine, slot);
    struct bs_instruction_time *time = &program->times[slot->next];
    *time = (struct bs_instruction_time){
        .issued = engine->cycle, .started = not_yet, .finished = not_yet, .waited = slot->waited};
    slot->waited = BS_WAIT_NONE;
    engine->totals.issued++;
    if (is_bar(&program->steps[slot->next])) {
        engine->last.arrived |= UINT64_C(1) << index;
        slot->next++;
        arrive(engine, slot, time);
    } else {
        engine->last.issued |= UINT64_C(1) << index;
        enqueue(engine, index, time);
        slot->next++;
    }
    return true;
}

/* Whether the next step of a slot is a barrier. */
static bool is_at_bar(const struct bs_engine *engine, uint32_t index)
{
    const struct bs_slot *slot = &engine->slot[index];
    return slot->live && slot->next < program_of(engine, slot)->count &&
           is_bar(&program_of(engine, slot)->steps[slot->next]);
}

/* Barriers go their own way: they take neither the scheduler's turn nor the port. */
static void arrive_any(struct bs_engine *engine)
{
    if (engine->barrier_port > engine->cycle)
        return;
    for (uint32_t i = 0; i < engine->slots; i++)
        if (is_at_bar(engine, i) && bs_engine_issue(engine, i))
            return;
}

/* A scheduler issues for the first of its warps that can, and next time looks behind it. */
static void schedule(struct bs_engine *engine, uint32_t scheduler)
{
    const uint32_t step = engine->timing.schedulers;
    const uint32_t first = scheduler + engine->turn[scheduler] * step;
    uint32_t index = first;
    if (engine->scheduler[scheduler] > engine->cycle ||
        engine->waiting[scheduler] >= engine->timing.queue || scheduler >= engine->slots)
        return;
    do {
        if (index >= engine->slots)
            index = scheduler;
        const uint32_t next = index + step;
        if (!is_at_bar(engine, index) && bs_engine_issue(engine, index)) {
            engine->turn[scheduler] = next < engine->slots ? next / step : 0;
            return;
        }
        index = next < engine->slots ? next : scheduler;
    } while (index != (first < engine->slots ? first : scheduler));
}

static void issue_any(struct bs_engine *engine)
{
    for (uint32_t i = 0; i < engine->timing.schedulers; i++)
        schedule(engine, i);
}

/* ---- the array ------------------------------------------------------------------------------- */

/* One instruction a cycle goes to the array: schedulers take turns. */
static void hand_over(struct bs_engine *engine)
{
    const uint32_t count = engine->timing.schedulers;
    if (engine->in_flight >= engine->timing.in_flight)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t from = (engine->first_scheduler + i) % count;
        if (engine->waiting[from] == 0)
            continue;
        const struct bs_queued step = engine->behind[from][engine->head[from] % BS_MAX_QUEUE];
        engine->head[from]++;
        engine->waiting[from]--;
        engine->at_array[engine->in_flight++] = step;
        engine->first_scheduler = (from + 1) % count;
        return;
    }
}

/* Which step at the array makes the next pass: of those in sight whose warps may, the oldest.
 * in_flight if there is none. */
static uint32_t oldest(const struct bs_engine *engine)
{
    uint8_t seen[BS_MAX_RESIDENT] = {0};
    for (uint32_t i = 0; i < engine->in_flight; i++) {
        const uint32_t slot = engine->at_array[i].slot;
        if (engine->slot[slot].pass <= engine->cycle)
            return i;
        if (++seen[slot] > engine->timing.lookahead)
            break;
    }
    return engine->in_flight;
}

static void leave_array(struct bs_engine *engine, uint32_t at)
{
    engine->in_flight--;
    memmove(&engine->at_array[at], &engine->at_array[at + 1],
            (engine->in_flight - at) * sizeof engine->at_array[0]);
}

/* The last pass of a step is made. */
static void finish(struct bs_engine *engine, struct bs_slot *slot,
                   const struct bs_instruction *step, struct bs_instruction_time *time)
{
    const uint64_t back =
        engine->cycle * PARTS + time->carry + latency_of(&engine->timing, step->op);
    uint64_t at = (engine->cycle + 1) * PARTS;
    if (returns(step->op)) {
        at = back;
        slot->loads--;
        if (back / PARTS > slot->results)
            slot->results = back / PARTS;
    }
    if (back / PARTS > slot->drained)
        slot->drained = back / PARTS;
    time->finished = at / PARTS;
    time->carry = (uint32_t)(at % PARTS);
    if (time->finished > slot->finished)
        slot->finished = time->finished;
    if (time->finished > engine->end)
        engine->end = time->finished;
    slot->queued--;
    engine->queued--;
}

static bool make_pass(struct bs_engine *engine)
{
    const uint32_t at = oldest(engine);
    if (at == engine->in_flight)
        return false;
    struct bs_slot *slot = &engine->slot[engine->at_array[at].slot];
    const struct bs_program *program = program_of(engine, slot);
    const struct bs_instruction *step = &program->steps[engine->at_array[at].step];
    struct bs_instruction_time *time = &program->times[engine->at_array[at].step];
    if (slot->left == 0) {
        slot->left = step->slots ? step->slots : 1;
        time->started = engine->cycle;
    }
    slot->pass = engine->cycle + engine->timing.pass_interval;
    engine->totals.passes++;
    engine->last.passed = engine->at_array[at].slot;
    engine->last.step = engine->at_array[at].step;
    engine->last.cause = slot->left <= step->conflicts ? BS_CAUSE_CONFLICT : BS_CAUSE_NEEDED;
    if (--slot->left == 0) {
        finish(engine, slot, step, time);
        leave_array(engine, at);
    }
    return true;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

/* Whether a warp has done all, and what it has on its way, up to the cycle last, is there. */
static bool is_through(const struct bs_engine *engine, const struct bs_slot *slot, uint64_t last)
{
    return slot->next == program_of(engine, slot)->count && slot->queued == 0 &&
           !slot->at_barrier && slot->resume <= engine->cycle && last <= engine->cycle;
}

static bool is_over(const struct bs_engine *engine, const struct bs_slot *slot)
{
    return is_through(engine, slot, slot->finished);
}

/* With early_exit, warps that have ended no longer hold up the barriers of their CTAs. Measured: a
 * warp stays until its last access could have come back, be it a store. */
static void end_warps(struct bs_engine *engine)
{
    for (uint32_t i = 0; i < engine->slots; i++) {
        struct bs_slot *slot = &engine->slot[i];
        if (!slot->live || slot->ended || !is_through(engine, slot, slot->drained))
            continue;
        slot->ended = true;
        meet(engine, program_of(engine, slot)->cta);
    }
}

/* Frees the slots of a CTA whose warps are all over. */
static void retire(struct bs_engine *engine, uint32_t cta)
{
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live && program_of(engine, &engine->slot[i])->cta == cta &&
            !is_over(engine, &engine->slot[i]))
            return;
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live && program_of(engine, &engine->slot[i])->cta == cta)
            engine->slot[i].live = false;
    engine->ctas--;
}

static void retire_all(struct bs_engine *engine)
{
    const uint32_t before = engine->ctas;
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live && is_over(engine, &engine->slot[i]))
            retire(engine, program_of(engine, &engine->slot[i])->cta);
    if (engine->ctas != before)
        admit(engine);
    engine->done = engine->ctas == 0;
}

/* Says of every warp why it does not issue after this cycle; returns a bit for each reason. */
static unsigned account(struct bs_engine *engine)
{
    unsigned seen = 0;
    for (uint32_t i = 0; i < engine->slots; i++) {
        struct bs_slot *slot = &engine->slot[i];
        if (!slot->live)
            continue;
        const enum bs_wait wait = bs_engine_probe(engine, i);
        slot->waited = wait;
        seen |= 1u << wait;
        if (!((engine->last.issued | engine->last.arrived) >> i & 1))
            engine->totals.waits[wait]++;
    }
    return seen;
}

/* Why the array had nothing to do, seen being the reasons of all warps. */
static enum bs_cause cause_of_rest(const struct bs_engine *engine, unsigned seen)
{
    static const unsigned pace = 1u << BS_WAIT_NONE | 1u << BS_WAIT_INTERVAL | 1u << BS_WAIT_QUEUE |
                                 1u << BS_WAIT_IN_FLIGHT | 1u << BS_WAIT_SCHEDULER;
    if (engine->queued > bs_lanes_count(engine->last.issued))
        return BS_CAUSE_SPACING;
    if (engine->last.issued || seen & pace)
        return BS_CAUSE_ISSUE;
    if (seen & 1u << BS_WAIT_DEP)
        return BS_CAUSE_DEPENDENCY;
    if (seen & 1u << BS_WAIT_RESULTS)
        return BS_CAUSE_LATENCY;
    return seen & 1u << BS_WAIT_BARRIER ? BS_CAUSE_BARRIER : BS_CAUSE_IDLE;
}

bool bs_engine_tick(struct bs_engine *engine)
{
    if (engine->done)
        return false;
    engine->last = (struct bs_engine_cycle){.passed = BS_NO_SLOT};
    const bool passed = make_pass(engine);
    arrive_any(engine);
    issue_any(engine);
    hand_over(engine);
    const unsigned seen = account(engine);
    if (!passed)
        engine->last.cause = cause_of_rest(engine, seen);
    engine->totals.causes[engine->last.cause]++;
    if (engine->observer.cycle)
        engine->observer.cycle(engine->observer.user, engine);
    engine->cycle++;
    if (engine->early_exit)
        end_warps(engine);
    retire_all(engine);
    return !engine->done;
}

bool bs_engine_is_stuck(const struct bs_engine *engine)
{
    bool waits = false;
    if (engine->early_exit || engine->done || engine->queued > 0)
        return false;
    for (uint32_t i = 0; i < engine->slots; i++) {
        const struct bs_slot *slot = &engine->slot[i];
        if (slot->live && !slot->at_barrier && !is_over(engine, slot))
            return false;
        waits |= slot->live && slot->at_barrier;
    }
    return waits;
}

/* Where a warp that will never move again stands. */
static void tell_slot(const struct bs_engine *engine, const struct bs_slot *slot,
                      struct bs_buffer *out)
{
    const struct bs_program *program = program_of(engine, slot);
    bs_buffer_printf(out, "%swarp %u of CTA %u %s after %u of %u", out->size ? ", " : "",
                     slot->program, program->cta, slot->at_barrier ? "waits" : "is done",
                     slot->next, program->count);
}

static bool fail_stuck(const struct bs_engine *engine, struct bs_error *error)
{
    struct bs_buffer text = {0};
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live)
            tell_slot(engine, &engine->slot[i], &text);
    char *state = bs_buffer_take(&text);
    bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "a barrier is never met: %s",
            state ? state : "out of memory");
    free(state);
    return false;
}

bool bs_engine_run(struct bs_engine *engine, struct bs_error *error)
{
    while (bs_engine_tick(engine))
        if (bs_engine_is_stuck(engine))
            return fail_stuck(engine, error);
    return true;
}
