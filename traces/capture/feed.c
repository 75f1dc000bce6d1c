/* Taking events from the ring and sending them. */
#define _XOPEN_SOURCE 700 /* nanosleep, MSG_NOSIGNAL */
#include "feed.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 4096, NAP = 20000 /* ns */ };

/* ---- the ring ------------------------------------------------------------------------------- */

/* Whether the device has finished the event of that number. What it wrote before is seen after. */
static bool is_there(const struct bs_event *slot, uint64_t number)
{
    const bool there = *(const volatile uint64_t *)&slot->sequence == number + 1;
    atomic_thread_fence(memory_order_acquire);
    return there;
}

size_t bs_ring_take(struct bs_ring *ring, size_t most, struct bs_buffer *out)
{
    const size_t begin = bs_item_begin_events(out);
    size_t count = 0;
    for (; count < most; count++) {
        const struct bs_event *slot = &ring->slots[ring->next % BS_EVENT_SLOTS];
        if (!is_there(slot, ring->next))
            break;
        bs_item_add_event(out, slot);
        ring->next++;
    }
    bs_item_end_events(out, begin);
    if (count == 0)
        out->size = begin;
    atomic_thread_fence(memory_order_release);
    *(volatile uint64_t *)ring->taken = ring->next;
    return count;
}

/* ---- the feed ------------------------------------------------------------------------------- */

enum stage {
    STAGE_IDLE,
    STAGE_RUNNING, /* a kernel fills the ring */
    STAGE_ENDING,  /* it has ended; what is left is taken */
    STAGE_CLOSING,
};

struct bs_feed {
    int socket;
    pthread_t thread;
    pthread_mutex_t sending; /* one item after another */
    pthread_mutex_t lock;    /* of what follows */
    pthread_cond_t changed;
    enum stage stage;
    struct bs_ring *ring;
    uint64_t end;
    bool end_known;
};

void bs_feed_send(struct bs_feed *feed, struct bs_buffer *items)
{
    size_t sent = 0;
    pthread_mutex_lock(&feed->sending);
    if (items->failed) { /* a gap would be worse than an end */
        close(feed->socket);
        feed->socket = -1;
    }
    while (feed->socket >= 0 && sent < items->size) {
        const ssize_t piece =
            send(feed->socket, items->data + sent, items->size - sent, MSG_NOSIGNAL);
        if (piece < 0 && errno != EINTR) {
            close(feed->socket);
            feed->socket = -1;
        }
        sent += piece > 0 ? (size_t)piece : 0;
    }
    pthread_mutex_unlock(&feed->sending);
    items->size = 0;
    items->failed = false;
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = NAP};
    nanosleep(&time, NULL);
}

/* Waits for work, or for a change of what there is to do. */
static enum stage look(struct bs_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    while (feed->stage == STAGE_IDLE)
        pthread_cond_wait(&feed->changed, &feed->lock);
    const enum stage stage = feed->stage;
    pthread_mutex_unlock(&feed->lock);
    return stage;
}

static void become_idle(struct bs_feed *feed)
{
    pthread_mutex_lock(&feed->lock);
    feed->stage = STAGE_IDLE;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

static void *take_events(void *user)
{
    struct bs_feed *feed = user;
    struct bs_buffer items = {0};
    for (enum stage stage; (stage = look(feed)) != STAGE_CLOSING;) {
        const size_t taken = bs_ring_take(feed->ring, BATCH, &items);
        if (taken > 0)
            bs_feed_send(feed, &items);
        else if (stage == STAGE_ENDING && (!feed->end_known || feed->ring->next >= feed->end))
            become_idle(feed);
        else
            nap();
    }
    bs_buffer_free(&items);
    return NULL;
}

struct bs_feed *bs_feed_open(int socket)
{
    struct bs_feed *feed = calloc(1, sizeof *feed);
    if (!feed)
        return NULL;
    feed->socket = socket;
    pthread_mutex_init(&feed->sending, NULL);
    pthread_mutex_init(&feed->lock, NULL);
    pthread_cond_init(&feed->changed, NULL);
    if (pthread_create(&feed->thread, NULL, take_events, feed) == 0)
        return feed;
    free(feed);
    return NULL;
}

static void set_stage(struct bs_feed *feed, enum stage stage)
{
    pthread_mutex_lock(&feed->lock);
    feed->stage = stage;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->lock);
}

void bs_feed_begin(struct bs_feed *feed, struct bs_ring *ring)
{
    feed->ring = ring;
    set_stage(feed, STAGE_RUNNING);
}

void bs_feed_end(struct bs_feed *feed, uint64_t end, bool known)
{
    pthread_mutex_lock(&feed->lock);
    feed->end = end;
    feed->end_known = known;
    feed->stage = STAGE_ENDING;
    pthread_cond_broadcast(&feed->changed);
    while (feed->stage == STAGE_ENDING)
        pthread_cond_wait(&feed->changed, &feed->lock);
    pthread_mutex_unlock(&feed->lock);
}

void bs_feed_close(struct bs_feed *feed)
{
    if (!feed)
        return;
    set_stage(feed, STAGE_CLOSING);
    pthread_join(feed->thread, NULL);
    if (feed->socket >= 0)
        close(feed->socket);
    pthread_mutex_destroy(&feed->sending);
    pthread_mutex_destroy(&feed->lock);
    pthread_cond_destroy(&feed->changed);
    free(feed);
}
