/* The timeline: an observer of the engine that writes down what each track shows, slice by slice.
 */
#include "timeline.h"

#include "files.h"

#include <stdio.h>

/* The tracks of a launch, in the order in which they stand. */
enum { TRACK_ARRAY = 1, TRACK_SCHEDULERS = 2, TRACK_WARPS = 100 };

/* What a track of a warp shows: that it issues, or what it waits for. Why exactly the pace of issue
 * holds it up can change from cycle to cycle: that is one slice, and the last reason is told. */
enum state {
    STATE_ISSUES,
    STATE_READY,
    STATE_PACE,
    STATE_VALUE,
    STATE_RESULTS,
    STATE_BARRIER,
    STATE_DONE
};

static const struct {
    const char *name;
    const char *colour; /* that the viewers of this format know by name */
} states[] = {
    [STATE_ISSUES] = {"issues", "thread_state_running"},
    [STATE_READY] = {"ready", "grey"},
    [STATE_PACE] = {"waits: issue", "thread_state_runnable"},
    [STATE_VALUE] = {"waits: dependency", "thread_state_iowait"},
    [STATE_RESULTS] = {"waits: results", "thread_state_uninterruptible"},
    [STATE_BARRIER] = {"waits: barrier", "thread_state_sleeping"},
    [STATE_DONE] = {"done", "grey"},
};

static const enum state state_of_wait[BS_WAITS] = {
    [BS_WAIT_NONE] = STATE_READY,      [BS_WAIT_DONE] = STATE_DONE,
    [BS_WAIT_BARRIER] = STATE_BARRIER, [BS_WAIT_RESULTS] = STATE_RESULTS,
    [BS_WAIT_DEP] = STATE_VALUE,       [BS_WAIT_INTERVAL] = STATE_PACE,
    [BS_WAIT_QUEUE] = STATE_PACE,      [BS_WAIT_IN_FLIGHT] = STATE_PACE,
    [BS_WAIT_SCHEDULER] = STATE_PACE,
};

/* ---- events ---------------------------------------------------------------------------------- */

static void name_track(struct bs_timeline *timeline, const char *what, uint64_t track,
                       const char *name)
{
    struct bs_json *json = &timeline->json;
    bs_json_map(json, NULL, BS_JSON_FLAT);
    bs_json_text(json, "ph", "M");
    bs_json_text(json, "name", what);
    bs_json_number(json, "pid", timeline->process);
    bs_json_number(json, "tid", track);
    bs_json_map(json, "args", BS_JSON_FLAT);
    bs_json_text(json, "name", name);
    bs_json_close(json);
    bs_json_close(json);
}

/* Begins a slice, whose arguments follow. */
static void open_event(struct bs_timeline *timeline, uint64_t track, const char *name,
                       const char *colour, uint64_t start, uint64_t cycles)
{
    struct bs_json *json = &timeline->json;
    bs_json_map(json, NULL, BS_JSON_FLAT);
    bs_json_text(json, "ph", "X");
    bs_json_text(json, "name", name);
    bs_json_number(json, "pid", timeline->process);
    bs_json_number(json, "tid", track);
    bs_json_number(json, "ts", timeline->base + start);
    bs_json_number(json, "dur", cycles);
    bs_json_text(json, "cname", colour);
    bs_json_map(json, "args", BS_JSON_FLAT);
}

static void close_event(struct bs_timeline *timeline)
{
    bs_json_close(&timeline->json);
    bs_json_close(&timeline->json);
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
    struct bs_json *json = &timeline->json;
    char name[BS_OP_NAME];
    step_name(timeline, program, step, name);
    bs_json_number(json, "cta", warp->cta);
    bs_json_number(json, "warp", warp->warp);
    bs_json_number(json, "instruction", step);
    bs_json_hex(json, "pc", timeline->by_pc->groups[warp->groups[step]].key.pc);
    bs_json_text(json, "op", name);
}

/* ---- the array ------------------------------------------------------------------------------- */

static void flush_array(struct bs_timeline *timeline)
{
    struct bs_timeline_slice *slice = &timeline->array;
    if (!slice->open)
        return;
    const bool conflict = slice->state == BS_CAUSE_CONFLICT;
    const uint32_t slots = warp_of(timeline, slice->program)->steps[slice->step].slots;
    open_event(timeline, TRACK_ARRAY, conflict ? "conflict pass" : "pass",
               conflict ? "terrible" : "good", slice->start, slice->end - slice->start);
    write_step(timeline, slice->program, slice->step);
    bs_json_number(&timeline->json, "first", slots > slice->left ? slots - slice->left + 1 : 1);
    bs_json_number(&timeline->json, "passes", slots);
    close_event(timeline);
    slice->open = false;
}

/* Passes of one kind that an instruction makes one right after another are one slice. */
static void see_pass(struct bs_timeline *timeline, const struct bs_engine *engine)
{
    struct bs_timeline_slice *slice = &timeline->array;
    const struct bs_engine_cycle *last = &engine->last;
    if (last->passed == BS_NO_SLOT)
        return;
    const struct bs_slot *slot = &engine->slot[last->passed];
    if (!slice->open || slice->end != engine->cycle || slice->program != slot->program ||
        slice->step != last->step || slice->state != last->cause) {
        flush_array(timeline);
        *slice = (struct bs_timeline_slice){
            .open = true,
            .program = slot->program,
            .state = last->cause,
            .step = last->step,
            .left = slot->left + 1,
            .start = engine->cycle,
        };
    }
    slice->end = engine->cycle + 1;
}

/* ---- schedulers and warps -------------------------------------------------------------------- */

static void see_issue(struct bs_timeline *timeline, const struct bs_engine *engine, uint32_t index)
{
    char name[BS_OP_NAME];
    const struct bs_slot *slot = &engine->slot[index];
    const uint32_t scheduler = index % engine->timing.schedulers;
    step_name(timeline, slot->program, slot->next - 1, name);
    open_event(timeline, TRACK_SCHEDULERS + scheduler, name, "thread_state_running", engine->cycle,
               1);
    write_step(timeline, slot->program, slot->next - 1);
    close_event(timeline);
}

static void flush_warp(struct bs_timeline *timeline, struct bs_timeline_slice *slice)
{
    char name[BS_OP_NAME];
    const bool shown = slice->open && slice->state != STATE_DONE;
    slice->open = false;
    if (!shown)
        return;
    step_name(timeline, slice->program, slice->step, name);
    open_event(timeline, TRACK_WARPS + slice->program,
               slice->state == STATE_ISSUES ? name : states[slice->state].name,
               states[slice->state].colour, slice->start, slice->end - slice->start);
    write_step(timeline, slice->program, slice->step);
    if (slice->state == STATE_PACE)
        bs_json_text(&timeline->json, "last", bs_wait_name((enum bs_wait)slice->wait));
    close_event(timeline);
}

static void name_warp(struct bs_timeline *timeline, uint32_t program)
{
    const struct bs_launch_warp *warp = warp_of(timeline, program);
    char name[64];
    snprintf(name, sizeof name, "CTA %u warp %u", warp->cta, warp->warp);
    name_track(timeline, "thread_name", TRACK_WARPS + program, name);
}

static void see_warp(struct bs_timeline *timeline, const struct bs_engine *engine, uint32_t index)
{
    struct bs_timeline_slice *slice = &timeline->warps[index];
    const struct bs_slot *slot = &engine->slot[index];
    const bool issues = (engine->last.issued | engine->last.arrived) >> index & 1;
    const enum state state = issues ? STATE_ISSUES : state_of_wait[slot->waited];
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
    see_pass(timeline, engine);
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
    name_track(timeline, "process_name", 0, kernel);
    name_track(timeline, "thread_name", TRACK_ARRAY, "array");
    for (uint32_t i = 0; i < model->timing.schedulers; i++) {
        snprintf(name, sizeof name, "scheduler %u", i);
        name_track(timeline, "thread_name", TRACK_SCHEDULERS + i, name);
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
