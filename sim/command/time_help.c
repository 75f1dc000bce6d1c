/* The causes of cycles, for those who ask for help: what 'bankshot help timing' prints. */
#include "time_help.h"

#include "core/causes.h"
#include "screen.h"

enum { NAME = 16, CAUSE = 12 }; /* columns, with the blanks behind */

static void write_cause(const struct bs_screen *screen, enum bs_cause cause, struct bs_spool *out)
{
    bs_spool_printf(out, "  %-*s", CAUSE, bs_cause_name(cause));
    bs_screen_wrap(screen, out, 2 + CAUSE, bs_cause_meaning(cause));
}

/* The reasons of warps that come down to a cause. */
static void write_waits(const struct bs_screen *screen, enum bs_cause cause, struct bs_spool *out)
{
    for (unsigned i = 0; i < BS_WAITS; i++) {
        const enum bs_wait wait = (enum bs_wait)i;
        if (!bs_wait_meaning(wait) || bs_wait_cause(wait) != cause)
            continue;
        bs_spool_printf(out, "  %-*s%-*s", NAME, bs_wait_name(wait), CAUSE, bs_cause_name(cause));
        bs_screen_wrap(screen, out, 2 + NAME + CAUSE, bs_wait_meaning(wait));
    }
}

void bs_time_help(struct bs_spool *out)
{
    const struct bs_screen screen = bs_screen_of_stdout();
    bs_spool_text(out, "Causes, of which each cycle of 'bankshot run --timing' has one:\n");
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        write_cause(&screen, (enum bs_cause)cause, out);
    bs_spool_text(out, "\n");
    bs_screen_wrap(
        &screen, out, 0,
        "While the array works, the cause is its pass, whatever warps wait for meanwhile. "
        "While it rests, the cause is what the next pass waits for: the first of spacing, "
        "issue, dependency, latency and barrier that some warp has, and idle if none has "
        "anything left.");
    bs_spool_text(out,
                  "\nWaits, why a warp does not issue its next instruction, and their causes:\n");
    for (unsigned cause = 0; cause < BS_CAUSES; cause++)
        write_waits(&screen, (enum bs_cause)cause, out);
    bs_spool_text(out, "\n");
    bs_screen_wrap(&screen, out, 0,
                   "Rows have the wait as 'waited', the report and the timeline its cause.");
}
