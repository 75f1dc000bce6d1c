/* Where the cycles of a run went: as text for people, and as JSON. */
#ifndef BS_TIME_REPORT_H
#define BS_TIME_REPORT_H

#include "json.h"
#include "run_timing.h"

/* top: rows of a table at most. False when memory is out. */
bool bs_time_report_text(const struct bs_run_timing *timing, const struct bs_replay *replay,
                         uint64_t top, struct bs_spool *out);

/* The object `timing`. */
void bs_time_report_json(const struct bs_run_timing *timing, const struct bs_replay *replay,
                         struct bs_json *json);

/* What to mind, as sentences, one after another, through write. */
void bs_time_report_notes(const struct bs_run_timing *timing, const struct bs_replay *replay,
                          void (*write)(void *user, const char *sentence), void *user);

#endif
