/* Threads and the job they share. */
#define _POSIX_C_SOURCE 200809L
#include "crew.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct bs_crew {
    pthread_mutex_t lock; /* over what follows, but for the threads */
    pthread_cond_t work;  /* a job was handed over, or it is time to stop */
    pthread_cond_t done;  /* one of its tasks is done */
    void (*task)(void *user, size_t number);
    void *user;
    size_t count;
    size_t next;    /* task that nobody has taken */
    size_t pending; /* tasks that are not done */
    bool stop;

    pthread_t threads[BS_MAX_THREADS];
    unsigned thread_count; /* without the caller */
};

/* Does the next task, which nobody has taken. The lock is held. */
static void do_task(struct bs_crew *crew)
{
    const size_t number = crew->next++;
    pthread_mutex_unlock(&crew->lock);
    crew->task(crew->user, number);
    pthread_mutex_lock(&crew->lock);
    crew->pending--;
    pthread_cond_signal(&crew->done); /* nobody but who handed the job over waits for it */
}

/* Does tasks until none is left. The lock is held. */
static void help(struct bs_crew *crew)
{
    while (crew->next < crew->count)
        do_task(crew);
}

static void *work(void *user)
{
    struct bs_crew *crew = user;
    pthread_mutex_lock(&crew->lock);
    while (!crew->stop) {
        help(crew);
        if (!crew->stop && crew->next >= crew->count)
            pthread_cond_wait(&crew->work, &crew->lock);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

void bs_crew_begin(struct bs_crew *crew, void (*task)(void *user, size_t number), void *user,
                   size_t count)
{
    pthread_mutex_lock(&crew->lock);
    crew->task = task;
    crew->user = user;
    crew->count = crew->pending = count;
    crew->next = 0;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
}

void bs_crew_finish(struct bs_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    help(crew);
    while (crew->pending > 0)
        pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

void bs_crew_add(struct bs_crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->count++;
    crew->pending++;
    pthread_cond_signal(&crew->work);
    pthread_mutex_unlock(&crew->lock);
}

void bs_crew_await(struct bs_crew *crew, const atomic_bool *done)
{
    pthread_mutex_lock(&crew->lock);
    while (!atomic_load(done))
        if (crew->next < crew->count)
            do_task(crew);
        else
            pthread_cond_wait(&crew->done, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

/* A mutex or condition with default attributes takes no memory and cannot fail to be made. */
struct bs_crew *bs_crew_start(unsigned threads)
{
    struct bs_crew *crew = calloc(1, sizeof *crew);
    if (!crew)
        return NULL;
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->work, NULL);
    pthread_cond_init(&crew->done, NULL);
    while (crew->thread_count + 1 < threads) {
        if (pthread_create(&crew->threads[crew->thread_count], NULL, work, crew) != 0) {
            bs_crew_end(crew);
            return NULL;
        }
        crew->thread_count++;
    }
    return crew;
}

void bs_crew_end(struct bs_crew *crew)
{
    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->stop = true;
    pthread_cond_broadcast(&crew->work);
    pthread_mutex_unlock(&crew->lock);
    for (unsigned i = 0; i < crew->thread_count; i++)
        pthread_join(crew->threads[i], NULL);
    pthread_cond_destroy(&crew->done);
    pthread_cond_destroy(&crew->work);
    pthread_mutex_destroy(&crew->lock);
    free(crew);
}

unsigned bs_crew_cores(void)
{
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online < 1 ? 1 : online > BS_MAX_THREADS ? BS_MAX_THREADS : (unsigned)online;
}
