/*
 * The captured program's side of the socket: events are taken from the ring while the kernel runs,
 * by a thread of their own, and sent as items. When the socket is full the thread waits, then the
 * ring fills, then the warps wait: nothing is lost.
 */
#ifndef BS_CAPTURE_FEED_H
#define BS_CAPTURE_FEED_H

#include "items.h"

/* A ring as the host sees it. */
struct bs_ring {
    const struct bs_event *slots; /* BS_EVENT_SLOTS of them, all zero at first */
    uint64_t *taken;              /* that the device reads */
    uint64_t next;                /* the number of the event to take next */
};

/* Takes the events that are there, at most so many, as an item. Returns how many. */
size_t bs_ring_take(struct bs_ring *ring, size_t most, struct bs_buffer *out);

struct bs_feed;

/* Sends to a socket, which becomes the feed's; -1 for a feed that drops everything. NULL when a
 * thread or memory is not to be had. */
struct bs_feed *bs_feed_open(int socket);
void bs_feed_close(struct bs_feed *feed);

/* Sends the items in the buffer and empties it. When nobody listens any more they are dropped. */
void bs_feed_send(struct bs_feed *feed, struct bs_buffer *items);

/* Between the two, events are taken from the ring. The second waits until those with numbers below
 * end are sent; where the end is not known (the launch failed), all that are there in order. */
void bs_feed_begin(struct bs_feed *feed, struct bs_ring *ring);
void bs_feed_end(struct bs_feed *feed, uint64_t end, bool known);

#endif
