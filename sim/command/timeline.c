/* The timeline: an observer of the engine that writes down what each track shows, slice by slice.
 */
#include "timeline.h"

#include "core/causes.h"
#include "files.h"

#include <stdio.h>

/* The tracks of a launch, in the order in which they stand. */
enum { TRACK_ARRAY = 1, TRACK_SCHEDULERS = 2, TRACK_WARPS = 100 };

/* What a slice shows: of the array, the cause of its cycles; of a warp, that it issues, or under
 * what cause it waits. Why exactly the pace of issue holds a warp up can change from cycle to
 * cycle: that is one slice, and the last reason is told. */
enum state { STATE_ISSUES = BS_CAUSES, STATE_READY, STATE_DONE, STATES };

/* By names that the viewers of this format know; those that do not go by the names of slices. */
static const char *const colours[STATES] = {
    [BS_CAUSE_NEEDED] = "good",
    [BS_CAUSE_CONFLICT] = "terrible",
    [BS_CAUSE_SPACING] = "bad",
    [BS_CAUSE_ISSUE] = "thread_state_runnable",
    [BS_CAUSE_DEPENDENCY] = "thread_state_iowait",
    [BS_CAUSE_LATENCY] = "thread_state_uninterruptible",
    [BS_CAUSE_BARRIER] = "thread_state_sleeping",
    [BS_CAUSE_IDLE] = "generic_work",
    [STATE_ISSUES] = "thread_state_running",
    [STATE_READY] = "grey",
    [STATE_DONE] = "grey",
};

static uint32_t state_of_wait(enum bs_wait wait)
{
    if (wait == BS_WAIT_NONE)
        return STATE_READY;
    return wait == BS_WAIT_DONE ? STATE_DONE : (uint32_t)bs_wait_cause(wait);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* Begins an event of a kind on a track of the launch. */
static void begin_event(struct bs_timeline *timeline, const char *kind, const char *name,
                        uint64_t track)
{
    struct bs_json *json = &timeline->json;
    bs_json_map(json, NULL, BS_JSON_FLAT);
    bs_json_text(json, "ph", kind);
    bs_json_text(json, "name", name);
    bs_json_number(json, "pid", timeline->process);
    bs_json_number(json, "tid", track);
}

/* Begins a slice, whose arguments follow. */
static void open_event(struct bs_timeline *timeline, uint64_t track, const char *name,
                       uint32_t state, uint64_t start, uint64_t cycles)
{
    struct bs_json *json = &timeline->json;
    begin_event(timeline, "X", name, track);
    bs_json_number(json, "ts", timeline->base + start);
    bs_json_number(json, "dur", cycles);
    bs_json_text(json, "cname", colours[state]);
    bs_json_map(json, "args", BS_JSON_FLAT);
}

static void close_event(struct bs_timeline *timeline)
{
    bs_json_close(&timeline->json);
    bs_json_close(&timeline->json);
}

static void name_process(struct bs_timeline *timeline, const char *name)
{
    begin_event(timeline, "M", "process_name", 0);
    bs_json_map(&timeline->json, "args", BS_JSON_FLAT);
    bs_json_text(&timeline->json, "name", name);
    close_event(timeline);
}

/* Names a track and says where it stands: tracks are in the order of their numbers. */
static void name_track(struct bs_timeline *timeline, uint64_t track, const char *name)
{
    struct bs_json *json = &timeline->json;
    begin_event(timeline, "M", "thread_name", track);
    bs_json_map(json, "args", BS_JSON_FLAT);
    bs_json_text(json, "name", name);
    close_event(timeline);
    begin_event(timeline, "M", "thread_sort_index", track);
    bs_json_map(json, "args", BS_JSON_FLAT);
    bs_json_number(json, "sort_index", track);
    close_event(timeline);
}

/* One end of an arrow, on the slice of a track that covers the cycle: its start is kind s, its end
 * kind f. */
static void write_arrow(struct bs_timeline *timeline, const char *kind, uint64_t track,
                        uint64_t cycle)
{
    struct bs_json *json = &timeline->json;
    begin_event(timeline, kind, bs_cause_name(BS_CAUSE_DEPENDENCY), track);
    bs_json_text(json, "cat", "flow");
    bs_json_number(json, "id", timeline->arrows);
    bs_json_number(json, "ts", timeline->base + cycle);
    if (kind[0] == 'f')
        bs_json_text(json, "bp", "e");
    bs_json_close(json);
}

/* ---- instructions ---------------------------------------------------------------------------- */

static const struct bs_launch_warp *warp_of(const struct bs_timeline *timeline, uint32_t program)
{
    return &timeline->launch->warps[timeline->launch->program_warp[program]];
}

static bool is_idle(const struct bs_timeline *timeline, uint32_t program)
{
    return timeline->launch->program_warp[program] == BS_NO_WARP;
}

static void step_name(const struct bs_timeline *timeline, uint32_t program, uint32_t step,
                      char name[BS_OP_NAME])
{
    bs_op_name(warp_of(timeline, program)->steps[step].op, name);
}

/* Which instruction an event is about. */
static void write_step(struct bs_timeline *timeline, uint32_t program, uint32_t step)
{
    const struct bs_launch_warp *warp = warp_of(timeline, program);
    const struct bs_group *group = &timeline->by_pc->groups[warp->groups[step]];
    struct bs_json *json = &timeline->json;
    char name[BS_OP_NAME];
    step_name(timeline, program, step, name);
    bs_json_number(json, "cta", warp->cta);
    bs_json_number(json, "warp", warp->warp);
    bs_json_number(json, "instruction", step);
    bs_json_hex(json, "pc", group->key.pc);
    bs_json_text(json, "op", name);
    if (group->place)
        bs_json_text(json, "source", timeline->names->list[group->place - 1]);
}

/* ---- the array ------------------------------------------------------------------------------- */

static void write_passes(struct bs_timeline *timeline, const struct bs_timeline_slice *slice)
{
    const struct bs_instruction *step = &warp_of(timeline, slice->program)->steps[slice->step];
    const uint32_t slots = step->slots;
    write_step(timeline, slice->program, slice->step);
    bs_json_number(&timeline->json, "first", slots > slice->left ? slots - slice->left + 1 : 1);
    bs_json_number(&timeline->json, "passes", slots);
    bs_json_number(&timeline->json, "conflicts", step->conflicts);
}

static bool is_pass(uint32_t cause)
{
    return cause == BS_CAUSE_NEEDED || cause == BS_CAUSE_CONFLICT;
}

static void flush_array(struct bs_timeline *timeline)
{
    struct bs_timeline_slice *slice = &timeline->array;
    const enum bs_cause cause = (enum bs_cause)slice->state;
    if (!slice->open)
        return;
    open_event(timeline, TRACK_ARRAY, bs_cause_name(cause), slice->state, slice->start,
               slice->end - slice->start);
    if (is_pass(slice->state))
        write_passes(timeline, slice);
    bs_json_text(&timeline->json, "meaning", bs_cause_meaning(cause));
    close_event(timeline);
    slice->open = false;
}

/* Cycles of one cause that follow one another are one slice, passes if they are of one instruction.
 */
static void see_array(struct bs_timeline *timeline, const struct bs_engine *engine)
{
    struct bs_timeline_slice *slice = &timeline->array;
    const struct bs_engine_cycle *last = &engine->last;
    const struct bs_slot *slot = is_pass(last->cause) ? &engine->slot[last->passed] : NULL;
    if (!slice->open || slice->state != last->cause ||
        (slot && (slice->program != slot->program || slice->step != last->step))) {
        flush_array(timeline);
        *slice =
            (struct bs_timeline_slice){.open = true, .state = last->cause, .start = engine->cycle};
        if (slot) {
            slice->program = slot->program;
            slice->step = last->step;
            slice->left = slot->left + 1;
        }
    }
    slice->end = engine->cycle + 1;
}

/* ---- schedulers and warps -------------------------------------------------------------------- */

static void see_issue(struct bs_timeline *timeline, const struct bs_engine *engine, uint32_t index)
{
    char name[BS_OP_NAME];
    const struct bs_slot *slot = &engine->slot[index];
    const uint32_t step = slot->next - 1;
    const struct bs_program *program = &engine->programs[slot->program];
    const uint32_t scheduler = index % engine->timing.schedulers;
    step_name(timeline, slot->program, step, name);
    open_event(timeline, TRACK_SCHEDULERS + scheduler, name, STATE_ISSUES, engine->cycle, 1);
    write_step(timeline, slot->program, step);
    close_event(timeline);
    if (program->times[step].waited != BS_WAIT_DEP)
        return;
    timeline->arrows++;
    write_arrow(timeline, "s", TRACK_WARPS + slot->program,
                program->times[step - program->steps[step].dep].issued);
    write_arrow(timeline, "f", TRACK_WARPS + slot->program, engine->cycle);
}

/* What a warp waits for. */
static void write_wait(struct bs_timeline *timeline, const struct bs_timeline_slice *slice)
{
    struct bs_json *json = &timeline->json;
    const struct bs_launch_warp *warp = warp_of(timeline, slice->program);
    const enum bs_wait wait = (enum bs_wait)slice->wait;
    const uint32_t dep = warp->steps[slice->step].dep;
    if (slice->state == BS_CAUSE_ISSUE)
        bs_json_text(json, "last", bs_wait_name(wait));
    bs_json_text(json, "meaning", bs_wait_meaning(wait));
    if (slice->state != BS_CAUSE_DEPENDENCY)
        return;
    bs_json_number(json, "on_instruction", slice->step - dep);
    bs_json_hex(json, "on_pc", timeline->by_pc->groups[warp->groups[slice->step - dep]].key.pc);
}

static void flush_warp(struct bs_timeline *timeline, struct bs_timeline_slice *slice)
{
    char name[BS_OP_NAME + 32] = "ready";
    const bool shown = slice->open && slice->state != STATE_DONE;
    const bool waits = slice->state < BS_CAUSES;
    slice->open = false;
    if (!shown)
        return;
    if (slice->state == STATE_ISSUES)
        step_name(timeline, slice->program, slice->step, name);
    else if (waits)
        snprintf(name, sizeof name, "waits: %s", bs_cause_name((enum bs_cause)slice->state));
    open_event(timeline, TRACK_WARPS + slice->program, name, slice->state, slice->start,
               slice->end - slice->start);
    write_step(timeline, slice->program, slice->step);
    if (waits)
        write_wait(timeline, slice);
    close_event(timeline);
}

static void name_warp(struct bs_timeline *timeline, uint32_t program)
{
    const struct bs_launch_warp *warp = warp_of(timeline, program);
    char name[64];
    snprintf(name, sizeof name, "CTA %u warp %u", warp->cta, warp->warp);
    name_track(timeline, TRACK_WARPS + program, name);
}

static void see_warp(struct bs_timeline *timeline, const struct bs_engine *engine, uint32_t index)
{
    struct bs_timeline_slice *slice = &timeline->warps[index];
    const struct bs_slot *slot = &engine->slot[index];
    const bool issues = (engine->last.issued | engine->last.arrived) >> index & 1;
    const uint32_t state = issues ? STATE_ISSUES : state_of_wait((enum bs_wait)slot->waited);
    /* What it waits for is the next instruction, but at a barrier the barrier. */
    const bool past =
        issues || slot->at_barrier || (slot->next > 0 && slot->resume > engine->cycle);
    const uint32_t step = past ? slot->next - 1 : slot->next;
    if (!slice->open || slice->end != engine->cycle || slice->program != slot->program ||
        slice->state != state || slice->step != step) {
        flush_warp(timeline, slice);
        if (slice->end == 0 || slice->program != slot->program)
            name_warp(timeline, slot->program);
        *slice = (struct bs_timeline_slice){.open = true,
                                            .program = slot->program,
                                            .state = state,
                                            .step = step,
                                            .start = engine->cycle};
    }
    slice->end = engine->cycle + 1;
    slice->wait = slot->waited;
}

static void see_cycle(void *user, const struct bs_engine *engine)
{
    struct bs_timeline *timeline = user;
    see_array(timeline, engine);
    for (uint32_t i = 0; i < engine->slots; i++) {
        if (!engine->slot[i].live || is_idle(timeline, engine->slot[i].program))
            continue;
        if (engine->last.issued >> i & 1)
            see_issue(timeline, engine, i);
        see_warp(timeline, engine, i);
    }
}

/* ---- from begin to end ----------------------------------------------------------------------- */

void bs_timeline_begin(struct bs_timeline *timeline, const struct bs_model *model)
{
    struct bs_json *json = &timeline->json;
    json->out = &timeline->out;
    bs_json_map(json, NULL, BS_JSON_TALL);
    bs_json_text(json, "displayTimeUnit", "ms");
    bs_json_map(json, "otherData", BS_JSON_FLAT);
    bs_json_text(json, "made by", "bankshot " BS_VERSION);
    bs_json_text(json, "model", model->name);
    bs_json_text(json, "unit", "1 us of the timeline is 1 cycle");
    bs_json_close(json);
    bs_json_list(json, "traceEvents", BS_JSON_TALL);
}

void bs_timeline_launch(struct bs_timeline *timeline, const struct bs_launch *launch,
                        const struct bs_model *model, const char *kernel)
{
    char name[32];
    timeline->launch = launch;
    timeline->process++;
    name_process(timeline, kernel);
    name_track(timeline, TRACK_ARRAY, "array");
    for (uint32_t i = 0; i < model->timing.schedulers; i++) {
        snprintf(name, sizeof name, "scheduler %u", i);
        name_track(timeline, TRACK_SCHEDULERS + i, name);
    }
    for (unsigned i = 0; i < BS_MAX_RESIDENT; i++)
        timeline->warps[i] = (struct bs_timeline_slice){0};
}

struct bs_engine_observer bs_timeline_observer(struct bs_timeline *timeline)
{
    return (struct bs_engine_observer){see_cycle, timeline};
}

void bs_timeline_launch_end(struct bs_timeline *timeline)
{
    flush_array(timeline);
    for (unsigned i = 0; i < BS_MAX_RESIDENT; i++)
        flush_warp(timeline, &timeline->warps[i]);
    timeline->base += timeline->launch->engine.cycle;
}

bool bs_timeline_save(struct bs_timeline *timeline, const char *path, struct bs_error *error)
{
    bs_json_close(&timeline->json);
    bs_json_close(&timeline->json);
    return bs_spool_save(&timeline->out, path, error);
}

void bs_timeline_free(struct bs_timeline *timeline)
{
    bs_spool_free(&timeline->out);
}
