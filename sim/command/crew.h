/*
 * Threads that share the tasks of one job after another: each takes the next task from a common
 * counter, so that work is shared out however unevenly tasks cost. Who hands a job over goes on
 * with work of its own meanwhile, may add tasks to it, and helps at the end.
 */
#ifndef BS_CREW_H
#define BS_CREW_H

#include <stdatomic.h>
#include <stddef.h>

enum { BS_MAX_THREADS = 256 };

struct bs_crew;

/* A crew of so many threads, the caller's among them. NULL when memory or threads are out. */
struct bs_crew *bs_crew_start(unsigned threads);

/* Hands a job over: task is called once for each number below count, by any thread, in any order.
 * The job before must be finished. */
void bs_crew_begin(struct bs_crew *crew, void (*task)(void *user, size_t number), void *user,
                   size_t count);

/* Sees the job to its end; what its tasks wrote can then be read, and the other way round. */
void bs_crew_finish(struct bs_crew *crew);

/* Adds a task to the job at hand, which may have begun with none. */
void bs_crew_add(struct bs_crew *crew);

/* Does tasks that nobody has taken until done is true, as one of the tasks sees to. */
void bs_crew_await(struct bs_crew *crew, const atomic_bool *done);

/* Ends the threads, with no job at hand. crew may be NULL. */
void bs_crew_end(struct bs_crew *crew);

/* The cores of this machine, at most BS_MAX_THREADS. */
unsigned bs_crew_cores(void);

#endif
