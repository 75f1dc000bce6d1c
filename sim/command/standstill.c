/* Barriers that are never met: the state of every warp, in as few words as do for warps and CTAs
 * that stand alike. */
#include "standstill.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM = 320 /* for states, of what an error holds with the launch and the way out */ };

/* The programs of one CTA, and whether only their barriers are told. */
struct part {
    const struct bs_launch *launch;
    uint32_t first, end;
    bool brief;
};

static const struct bs_slot *slot_of(const struct part *part, uint32_t program)
{
    const struct bs_engine *engine = &part->launch->engine;
    for (uint32_t i = 0; i < engine->slots; i++)
        if (engine->slot[i].live && engine->slot[i].program == program)
            return &engine->slot[i];
    return NULL;
}

/* The number of a program's warp in its CTA. */
static uint32_t number_of(const struct part *part, uint32_t program)
{
    return part->launch->warps[part->launch->program_warp[program]].warp;
}

/* How many barriers there are among the first steps of a program. */
static uint32_t barriers_of(const struct part *part, uint32_t program, uint32_t steps)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < steps; i++)
        count += part->launch->programs[program].steps[i].op.kind == BS_BAR;
    return count;
}

static bool is_in_trace(const struct part *part, uint32_t program)
{
    return part->launch->program_warp[program] != BS_NO_WARP;
}

/* Whether both warps are in the trace and stand at the same place. All warps of a CTA that wait do
 * so at one barrier, and those that have ended came to the one before. */
static bool stand_alike(const struct part *part, uint32_t a, uint32_t b)
{
    if (!is_in_trace(part, a) || !is_in_trace(part, b))
        return false;
    const struct bs_slot *left = slot_of(part, a);
    const struct bs_slot *right = slot_of(part, b);
    if (part->brief || left->at_barrier != right->at_barrier)
        return left->at_barrier == right->at_barrier;
    return left->next == right->next &&
           part->launch->programs[a].count == part->launch->programs[b].count;
}

static uint32_t count_alike(const struct part *part, uint32_t first, uint32_t end, uint32_t program)
{
    uint32_t count = 0;
    for (uint32_t i = first; i < end; i++)
        count += stand_alike(part, i, program);
    return count;
}

/* Tells the numbers of the warps that stand as the first of them does: "0-2,5". */
static void tell_numbers(const struct part *part, uint32_t first, struct bs_buffer *out)
{
    for (uint32_t i = first, end; i < part->end; i = end) {
        end = i + 1;
        if (!stand_alike(part, first, i))
            continue;
        while (end < part->end && stand_alike(part, first, end) &&
               number_of(part, end) - number_of(part, i) == end - i)
            end++;
        bs_buffer_printf(out, "%s%u", i == first ? "" : ",", number_of(part, i));
        if (end - i > 1)
            bs_buffer_printf(out, "-%u", number_of(part, end - 1));
    }
}

/* Tells how the warps stand that do so as the first of them. */
static void tell_warps(const struct part *part, uint32_t first, struct bs_buffer *out)
{
    const struct bs_slot *slot = slot_of(part, first);
    const bool several = count_alike(part, first, part->end, first) > 1;
    const uint32_t count = part->launch->programs[first].count;
    const uint32_t barriers = barriers_of(part, first, slot->next);
    bs_buffer_printf(out, "%swarp%s ", out->size ? ", " : "", several ? "s" : "");
    tell_numbers(part, first, out);
    if (slot->at_barrier)
        bs_buffer_printf(out, " wait%s at barrier %u", several ? "" : "s", barriers);
    else
        bs_buffer_printf(out, " ha%s ended after %u barrier%s", several ? "ve" : "s", barriers,
                         barriers == 1 ? "" : "s");
    if (part->brief)
        return;
    if (slot->at_barrier)
        bs_buffer_printf(out, " (instruction %u of %u)", slot->next, count);
    else
        bs_buffer_printf(out, " (%u instruction%s)", count, count == 1 ? "" : "s");
}

/* Tells how the warps of a CTA stand that are in the trace; NULL when memory is out. */
static char *tell_cta(const struct part *part)
{
    struct bs_buffer text = {0};
    for (uint32_t i = part->first; i < part->end; i++)
        if (is_in_trace(part, i) && count_alike(part, part->first, i, i) == 0)
            tell_warps(part, i, &text);
    return bs_buffer_take(&text);
}

/* CTAs of which the same is to be said. */
struct run {
    uint32_t first, last; /* their numbers */
    char *text;           /* NULL: there are none */
};

static void end_run(struct run *run, struct bs_buffer *out)
{
    if (!run->text)
        return;
    bs_buffer_printf(out, "%sin CTA%s %u", out->size ? "; " : "", run->last > run->first ? "s" : "",
                     run->first);
    if (run->last > run->first)
        bs_buffer_printf(out, "-%u", run->last);
    bs_buffer_printf(out, " %s", run->text);
    free(run->text);
    run->text = NULL;
}

static void add_cta(struct run *run, const struct part *part, struct bs_buffer *out)
{
    const uint32_t cta = part->launch->programs[part->first].cta;
    char *text = tell_cta(part);
    if (text && run->text && cta == run->last + 1 && strcmp(text, run->text) == 0) {
        run->last = cta;
        free(text);
        return;
    }
    end_run(run, out);
    *run = (struct run){cta, cta, text};
}

/* Tells how all warps stand that are on the multiprocessor; NULL when memory is out. */
static char *tell_launch(const struct bs_launch *launch, bool brief)
{
    struct bs_buffer text = {0};
    struct run run = {.text = NULL};
    for (uint32_t first = 0, end; first < launch->program_count; first = end) {
        end = first + 1;
        while (end < launch->program_count &&
               launch->programs[end].cta == launch->programs[first].cta)
            end++;
        const struct part part = {launch, first, end, brief};
        if (slot_of(&part, first))
            add_cta(&run, &part, &text);
    }
    end_run(&run, &text);
    return bs_buffer_take(&text);
}

/* Ends the text with a whole CTA, if there is no room for all. */
static bool shorten(char *state)
{
    if (strlen(state) <= ROOM)
        return false;
    state[ROOM] = '\0';
    char *end = strrchr(state, ';');
    if (!end) /* one alone, whose warps have long numbers */
        end = strrchr(state, ',');
    if (end)
        *end = '\0';
    return true;
}

bool bs_standstill(const struct bs_launch *launch, struct bs_error *error)
{
    char *state = tell_launch(launch, false);
    if (state && strlen(state) > ROOM) {
        free(state);
        state = tell_launch(launch, true);
    }
    if (!state)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
    const bool longer = shorten(state);
    bs_fail(error, BS_BAD_TRACE, NULL, 0, 0,
            "a barrier is never met: %s%s. If the warps that have ended returned early, "
            "--early-exit lets the others go on",
            state, longer ? "; and so on" : "");
    free(state);
    return false;
}
