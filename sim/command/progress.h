/* A progress bar on stderr, if that is a terminal and the work takes a while. */
#ifndef BS_PROGRESS_H
#define BS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct bs_progress {
    bool wanted; /* stderr is a terminal */
    bool drawn;
    double last;      /* seconds: when the bar was drawn last, or was started */
    uint32_t records; /* since the last look at the clock */
};

void bs_progress_start(struct bs_progress *progress);

enum { BS_PROGRESS_LOOK = 4096 };

/* Draws the bar now and then; cheap enough to be called for every record. total is 0 when not
 * known. Whether it is due is looked up after BS_PROGRESS_LOOK records. */
bool bs_progress_is_due(struct bs_progress *progress, uint32_t records);
void bs_progress_draw(struct bs_progress *progress, const char *what, uint64_t done,
                      uint64_t total);

/* Erases the bar. */
void bs_progress_end(struct bs_progress *progress);

#endif
