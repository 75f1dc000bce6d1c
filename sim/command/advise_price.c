/* What an advice takes, and why nothing else takes less. */
#include "advise.h"
#include "phrases.h"
#include "resident.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- numbers --------------------------------------------------------------------------------- */

bool bs_advice_resident(const struct bs_advice *advice, uint64_t smem, uint32_t *ctas)
{
    const struct bs_demand demand = {
        .smem = (int64_t)smem, .warps = advice->block_warps, .ctas = UINT32_MAX};
    if (!advice->model->capacity.shared_memory || !advice->block_warps)
        return false;
    const struct bs_resident resident = bs_resident_of(advice->model, &demand);
    *ctas = resident.too_large ? 0 : resident.ctas;
    return true;
}

uint64_t bs_advice_least(const struct bs_advice *advice)
{
    uint64_t least = 0;
    for (size_t i = 0; i < advice->search->work->access_count; i++)
        least += advice->search->bound[i];
    return least;
}

double bs_advice_percent_more(const struct bs_advice *advice, uint64_t bytes)
{
    const double bare = (double)advice->bare_bytes;
    return advice->bare_bytes ? 100 * ((double)bytes - bare) / bare : 0;
}

bool bs_advice_follows_data(const struct bs_advice *advice, size_t access)
{
    enum { SWIZZLED = 8 }; /* steps that a formula makes: one for each bit that it moves */
    const struct bs_sketch_access *of = &advice->search->work->accesses[access];
    const bool is_atomic = of->wish.kind == BS_ATOM || of->wish.kind == BS_RED;
    return advice->steps[access] > (is_atomic ? 1 : SWIZZLED);
}

/* ---- price ----------------------------------------------------------------------------------- */

struct paper {
    const struct bs_advice *advice;
    const struct bs_screen *screen;
    struct bs_spool *out;
};

/* A line with its subject before it. */
static void say(const struct paper *paper, const char *subject, const char *text)
{
    enum { INDENT = 10 };
    bs_spool_printf(paper->out, "%-*s", INDENT, subject);
    bs_screen_wrap(paper->screen, paper->out, INDENT, text);
}

static void heading(const struct paper *paper, const char *text)
{
    bs_spool_text(paper->out, "\n");
    bs_screen_tone(paper->screen, paper->out, BS_BOLD, text);
    bs_spool_text(paper->out, "\n");
}

static void say_memory(const struct paper *paper, bool keeps)
{
    const struct bs_advice *advice = paper->advice;
    const uint64_t bytes = advice->then.bytes;
    char text[BS_SENTENCE], before[48] = "", padding[64] = "no padding";
    if (!keeps)
        snprintf(before, sizeof before, ", %" PRIu64 " before", advice->now.bytes);
    if (bytes != advice->bare_bytes)
        snprintf(padding, sizeof padding, "%.1f %% more than without padding",
                 bs_advice_percent_more(advice, bytes));
    snprintf(text, sizeof text, "%" PRIu64 " bytes a CTA%s%s%s", bytes, before,
             keeps && bytes == advice->bare_bytes ? ", " : "; ", padding);
    say(paper, "memory", text);
    if (advice->other_bytes) {
        snprintf(text, sizeof text, "%" PRIu64 " more bytes that no access goes to stay",
                 advice->other_bytes);
        say(paper, "", text);
    }
}

static void say_resident(const struct paper *paper, bool keeps)
{
    const struct bs_advice *advice = paper->advice;
    char text[BS_SENTENCE], before[32] = "";
    uint32_t was, is;
    if (!bs_advice_resident(advice, advice->now.smem, &was) ||
        !bs_advice_resident(advice, advice->then.smem, &is)) {
        say(paper, "resident",
            advice->block_warps ? "not known: the model does not say what a multiprocessor holds"
                                : "not known: the trace does not say how large a block is");
        return;
    }
    if (!keeps)
        snprintf(before, sizeof before, ", %" PRIu32 " before", was);
    if (is == 0)
        snprintf(text, sizeof text,
                 "none: a multiprocessor has no room for a CTA of so many bytes");
    else
        snprintf(text, sizeof text, "%" PRIu32 " CTA%s a multiprocessor%s", is, is == 1 ? "" : "s",
                 before);
    say(paper, "resident", text);
}

/* ---- why not less ---------------------------------------------------------------------------- */

static void say_slots(const struct paper *paper)
{
    const struct bs_advice *advice = paper->advice;
    const uint64_t least = bs_advice_least(advice), tried = bs_search_size(advice->search);
    char text[BS_SENTENCE];
    if (advice->then.slots == least)
        snprintf(text, sizeof text, "no layout, tried or not, takes fewer than %" PRIu64, least);
    else if (tried == 1)
        snprintf(text, sizeof text,
                 "no other layout was tried; none, tried or not, takes fewer than %" PRIu64, least);
    else
        snprintf(text, sizeof text,
                 "the fewest of all %" PRIu64 " layouts that were tried, with %" PRIu64
                 "; no layout, tried or not, takes fewer than %" PRIu64,
                 tried, advice->then.slots, least);
    say(paper, "slots", text);
}

/* False when memory is out. */
static bool say_smaller(const struct paper *paper)
{
    const struct bs_advice *advice = paper->advice;
    char text[BS_SENTENCE];
    if (advice->then.bytes == advice->bare_bytes) {
        say(paper, "memory", "the elements alone take as much");
        return true;
    }
    if (advice->smaller_count == 0) {
        say(paper, "memory", "no layout that was tried takes less and does what is asked");
        return true;
    }
    struct bs_buffer layout = {0};
    bs_advice_layout_text(advice, &advice->smaller, &layout);
    char *name = bs_buffer_take(&layout);
    snprintf(text, sizeof text,
             "the best that takes less (%s) has %" PRIu64 " slots of %" PRIu64
             " instructions, in %" PRIu64 " bytes",
             name ? name : "", advice->smaller.rank.slots, advice->smaller.rank.instructions,
             advice->smaller.rank.bytes);
    say(paper, "memory", text);
    free(name);
    return name != NULL;
}

bool bs_advice_price(const struct bs_advice *advice, const struct bs_screen *screen,
                     struct bs_spool *out)
{
    const struct paper paper = {advice, screen, out};
    const bool keeps = bs_advice_keeps(advice, advice->best);
    heading(&paper, "Price");
    say_memory(&paper, keeps);
    say_resident(&paper, keeps);
    if (advice->search->fixed) /* then not much was tried */
        return true;
    heading(&paper, "Why not less");
    say_slots(&paper);
    return say_smaller(&paper);
}
