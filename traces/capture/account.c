/* The account of a capture in sentences. */
#include "capture.h"

#include <inttypes.h>
#include <string.h>

static const char *unseen_phrase(enum bs_unseen unseen)
{
    static const char *const phrases[BS_UNSEENS] = {
        [BS_UNSEEN_REMOTE] = "accesses to the shared memory of other CTAs of the cluster",
        [BS_UNSEEN_WGMMA] = "parts of matrix products that read shared memory themselves (wgmma)",
        [BS_UNSEEN_BULK] = "bulk copies (TMA)",
        [BS_UNSEEN_ASYNC] = "asynchronous stores and reductions",
        [BS_UNSEEN_PARTIAL] = "arrivals at barriers for a part of the CTA",
    };
    return phrases[unseen];
}

/* Tells the format with the count in place of its #, unless that is 0. */
static void tell_count(void (*tell)(void *user, const char *sentence), void *user, uint64_t count,
                       const char *format)
{
    char sentence[512];
    char number[32];
    const char *mark = format;
    while (*mark && *mark != '#')
        mark++;
    if (count == 0)
        return;
    snprintf(number, sizeof number, "%" PRIu64, count);
    snprintf(sentence, sizeof sentence, "%.*s%s%s", (int)(mark - format), format, number,
             *mark ? mark + 1 : "");
    tell(user, sentence);
}

static void tell_reason(void (*tell)(void *user, const char *sentence), void *user, uint64_t count,
                        const char *what, const char *reason)
{
    char sentence[512];
    char shown[300];
    if (count == 0)
        return;
    snprintf(sentence, sizeof sentence, "%" PRIu64 " %s: %s", count, what,
             bs_printable(reason, strlen(reason), shown, sizeof shown));
    tell(user, sentence);
}

static void tell_unseen(const struct bs_capture_account *account,
                        void (*tell)(void *user, const char *sentence), void *user)
{
    char sentence[512];
    for (unsigned i = 0; i < BS_UNSEENS; i++) {
        if (account->unseen[i] == 0)
            continue;
        snprintf(sentence, sizeof sentence, "not in the trace: %" PRIu64 " %s", account->unseen[i],
                 unseen_phrase(i));
        tell(user, sentence);
    }
    for (unsigned i = 0; i < BS_SITES; i++) {
        if (account->sites[i] == 0)
            continue;
        snprintf(sentence, sizeof sentence,
                 "the code has %" PRIu64 " %s, which no trace of lanes can show", account->sites[i],
                 bs_site_phrase(i));
        tell(user, sentence);
    }
}

void bs_capture_tell(const struct bs_capture_account *account,
                     void (*tell)(void *user, const char *sentence), void *user)
{
    tell_count(tell, user, account->over,
               "not in the trace: # accesses beyond the number asked for (--max-records)");
    tell_count(tell, user, account->outside,
               "not in the trace: # accesses of CTAs that were not asked for (--cta)");
    tell_count(tell, user, account->system,
               "not in the trace: # accesses to the part of shared memory that is the system's");
    tell_unseen(account, tell, user);
    tell_count(tell, user, account->doubts.atomics,
               "# atomics are taken as additions: the code does not tell their function");
    tell_count(
        tell, user, account->doubts.copies,
        "# async copies of 16 bytes are taken as cached ones (cp.async.ca): the code does not "
        "tell");
    tell_reason(tell, user, account->unlisted,
                "kernels without a listing, so that opcodes are known by their kind and width only",
                account->unlisted_why);
    tell_reason(tell, user, account->missed, "launches not captured", account->missed_why);
    if (account->missed == 0 && account->missed_why[0])
        tell(user, account->missed_why);
    tell_reason(tell, user, account->failed, "launches failed", account->failure);
    if (account->cut_off)
        tell(user, "the program ended within a launch: the trace has what came before");
}
