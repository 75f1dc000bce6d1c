/*
 * The stream of a capture: what the library in the captured program tells the launcher, item by
 * item, through a socket. A recording is such a stream in a file: it goes through the same code
 * into the same trace, without a GPU.
 *
 * A stream is the line BS_STREAM_START and items: u32 type, u32 zero, u64 bytes of the payload, the
 * payload. Numbers are little-endian. A text is a u32, its length, and the bytes.
 */
#ifndef BS_CAPTURE_ITEMS_H
#define BS_CAPTURE_ITEMS_H

#include "bankshot.h"
#include "core/buffer.h"
#include "event.h"

#define BS_STREAM_START "#bankshot-capture 1\n"

enum bs_item_type {
    BS_ITEM_DEVICE = 1,
    BS_ITEM_MODULE,  /* u32 number; the cubin */
    BS_ITEM_LISTING, /* u32 module; text, the function; text, its listing; of recordings only */
    BS_ITEM_LAUNCH,
    BS_ITEM_EVENTS, /* one after another */
    BS_ITEM_END,    /* of the launch */
    BS_ITEM_MISSED, /* u64 launches that could not be captured; text, why */
};

struct bs_item {
    enum bs_item_type type;
    const char *payload;
    size_t size;
};

/* The GPU that the launches after it run on. */
struct bs_item_device {
    const char *name;
    uint32_t major, minor; /* compute capability */
    uint32_t reserved;     /* bytes of shared memory before those of the program */
};

struct bs_item_launch {
    const char *kernel; /* mangled */
    uint64_t number;    /* among those that the program made of matching kernels, from 0 */
    uint32_t module;
    uint32_t grid[3];
    uint32_t block[3];
    uint32_t cluster[3];
    uint64_t pc;   /* where its code begins */
    uint64_t size; /* bytes of its code */
};

struct bs_item_end {
    uint64_t recorded; /* events */
    uint64_t over;     /* that were counted only: beyond --max-records */
    uint64_t outside;  /* of other CTAs than those asked for */
    uint64_t unseen[BS_UNSEENS];
    const char *failure; /* of the launch, as a phrase; empty: none */
};

/* ---- writing: items are added to a buffer --------------------------------------------------- */

void bs_item_put_device(struct bs_buffer *out, const struct bs_item_device *device);
void bs_item_put_module(struct bs_buffer *out, uint32_t number, const void *cubin, size_t size);
void bs_item_put_listing(struct bs_buffer *out, uint32_t module, const char *function,
                         const char *listing);
void bs_item_put_launch(struct bs_buffer *out, const struct bs_item_launch *launch);
void bs_item_put_end(struct bs_buffer *out, const struct bs_item_end *end);
void bs_item_put_missed(struct bs_buffer *out, uint64_t launches, const char *why);

/* Events, of which only what means something is written: begin an item, add, end it. */
size_t bs_item_begin_events(struct bs_buffer *out);
void bs_item_add_event(struct bs_buffer *out, const struct bs_event *event);
void bs_item_end_events(struct bs_buffer *out, size_t begin);

/* The item as it came. */
void bs_item_put(struct bs_buffer *out, const struct bs_item *item);

/* ---- reading -------------------------------------------------------------------------------- */

/* Where items come from. got is fewer than size at the end only. */
struct bs_item_source {
    bool (*read)(void *user, void *bytes, size_t size, size_t *got, struct bs_error *error);
    void *user;
    const char *name; /* for messages */
};

/* Reads the start of the stream. */
bool bs_item_start(const struct bs_item_source *source, struct bs_error *error);

/* The next item, whose payload is in room. *end says that there is none. */
bool bs_item_next(const struct bs_item_source *source, struct bs_buffer *room, struct bs_item *item,
                  bool *end, struct bs_error *error);

/* Texts point into the item. All return false if the payload is not what it should be. */
bool bs_item_get_device(const struct bs_item *item, struct bs_item_device *device);
bool bs_item_get_module(const struct bs_item *item, uint32_t *number, const char **cubin,
                        size_t *size);
bool bs_item_get_listing(const struct bs_item *item, uint32_t *module, const char **function,
                         const char **listing);
bool bs_item_get_launch(const struct bs_item *item, struct bs_item_launch *launch);
bool bs_item_get_end(const struct bs_item *item, struct bs_item_end *end);
bool bs_item_get_missed(const struct bs_item *item, uint64_t *launches, const char **why);

/* Takes the event at *at and moves on; *at starts as 0. False at the end, where *whole says whether
 * all was as it should be. */
bool bs_item_get_event(const struct bs_item *item, size_t *at, struct bs_event *event, bool *whole);

#endif
