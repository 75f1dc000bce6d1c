/* Barriers that are never met: the state of every warp, in as few words as do for warps and CTAs
 * that stand alike. */
#include "standstill.h"

#include "core/buffer.h"

#include <stdlib.h>
#include <string.h>

/* The programs of one CTA. */
struct part {
    const struct bs_launch *launch;
    uint32_t first, end;
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

/* Whether the warps a and b have numbers as far apart as they are, and stand at the same place. */
static bool stand_alike(const struct part *part, uint32_t a, uint32_t b)
{
    const struct bs_slot *left = slot_of(part, a);
    const struct bs_slot *right = slot_of(part, b);
    return number_of(part, b) - number_of(part, a) == b - a &&
           part->launch->programs[a].count == part->launch->programs[b].count &&
           left->next == right->next && left->at_barrier == right->at_barrier;
}

/* Tells how the warps from first up to end stand, which stand alike. */
static void tell_warps(const struct part *part, uint32_t first, uint32_t end, struct bs_buffer *out)
{
    const struct bs_slot *slot = slot_of(part, first);
    const bool several = end - first > 1;
    const uint32_t count = part->launch->programs[first].count;
    bs_buffer_printf(out, "%swarp%s %u", out->size ? ", " : "", several ? "s" : "",
                     number_of(part, first));
    if (several)
        bs_buffer_printf(out, "-%u", number_of(part, end - 1));
    if (slot->at_barrier)
        bs_buffer_printf(out, " wait%s at instruction %u of %u", several ? "" : "s", slot->next,
                         count);
    else
        bs_buffer_printf(out, " ha%s ended after %u", several ? "ve" : "s", count);
}

static bool is_in_trace(const struct part *part, uint32_t program)
{
    return part->launch->program_warp[program] != BS_NO_WARP;
}

/* Tells how the warps of a CTA stand that are in the trace; NULL when memory is out. */
static char *tell_cta(const struct part *part)
{
    struct bs_buffer text = {0};
    for (uint32_t first = part->first, end; first < part->end; first = end) {
        end = first + 1;
        if (!is_in_trace(part, first))
            continue;
        while (end < part->end && is_in_trace(part, end) && stand_alike(part, first, end))
            end++;
        tell_warps(part, first, end, &text);
    }
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

bool bs_standstill(const struct bs_launch *launch, struct bs_error *error)
{
    struct bs_buffer text = {0};
    struct run run = {.text = NULL};
    for (uint32_t first = 0, end; first < launch->program_count; first = end) {
        end = first + 1;
        while (end < launch->program_count &&
               launch->programs[end].cta == launch->programs[first].cta)
            end++;
        const struct part part = {launch, first, end};
        if (slot_of(&part, first))
            add_cta(&run, &part, &text);
    }
    end_run(&run, &text);
    char *state = bs_buffer_take(&text);
    bs_fail(error, BS_BAD_TRACE, NULL, 0, 0, "a barrier is never met: %s",
            state ? state : "out of memory");
    free(state);
    return false;
}
