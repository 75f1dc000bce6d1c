/* The progress bar. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include "screen.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { BAR = 30, NAME = 28 };
static const double first_after = 0.5; /* seconds */
static const double again_after = 0.1;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

void bs_progress_start(struct bs_progress *progress)
{
    *progress = (struct bs_progress){.wanted = isatty(STDERR_FILENO) == 1, .last = now()};
}

bool bs_progress_is_due(struct bs_progress *progress, uint32_t records)
{
    progress->records += records;
    if (!progress->wanted || progress->records < BS_PROGRESS_LOOK)
        return false;
    progress->records = 0;
    return now() - progress->last > (progress->drawn ? again_after : first_after);
}

void bs_progress_draw(struct bs_progress *progress, const char *what, uint64_t done, uint64_t total)
{
    char bar[BAR + 1];
    char name[256];
    bs_screen_shorten(what, NAME, name, sizeof name);
    progress->drawn = true;
    progress->last = now();
    if (total == 0) {
        fprintf(stderr, "\r%s  %llu MB\033[K", name, (unsigned long long)(done / 1000000));
    } else {
        const double part = done < total ? (double)done / (double)total : 1.0;
        for (int i = 0; i < BAR; i++)
            bar[i] = i < (int)(part * BAR) ? '#' : '.';
        bar[BAR] = '\0';
        fprintf(stderr, "\r%s  [%s] %3.0f %%\033[K", name, bar, 100.0 * part);
    }
    fflush(stderr);
}

void bs_progress_end(struct bs_progress *progress)
{
    if (progress->drawn)
        fputs("\r\033[K", stderr);
    progress->drawn = false;
}
