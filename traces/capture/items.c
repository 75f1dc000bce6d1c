/* The items of a capture's stream, to bytes and back. */
#include "items.h"

#include <string.h>

enum { HEADER = 16, MOST_BYTES = 1 << 30 };

/* ---- putting -------------------------------------------------------------------------------- */

static void put_u32(struct bs_buffer *out, uint32_t value)
{
    unsigned char bytes[4];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    bs_buffer_add(out, bytes, sizeof bytes);
}

static void put_u64(struct bs_buffer *out, uint64_t value)
{
    put_u32(out, (uint32_t)value);
    put_u32(out, (uint32_t)(value >> 32));
}

/* With a NUL behind it, so that a reader can point at it. */
static void put_text(struct bs_buffer *out, const char *text)
{
    const size_t size = strlen(text);
    put_u32(out, (uint32_t)size);
    bs_buffer_add(out, text, size + 1);
}

static size_t begin(struct bs_buffer *out, enum bs_item_type type)
{
    const size_t at = out->size;
    put_u32(out, type);
    put_u32(out, 0);
    put_u64(out, 0);
    return at;
}

static void end(struct bs_buffer *out, size_t at)
{
    const uint64_t size = out->size - at - HEADER;
    for (unsigned i = 0; i < 8 && !out->failed; i++)
        out->data[at + 8 + i] = (char)(unsigned char)(size >> 8 * i);
}

void bs_item_put_device(struct bs_buffer *out, const struct bs_item_device *device)
{
    const size_t at = begin(out, BS_ITEM_DEVICE);
    put_u32(out, device->major);
    put_u32(out, device->minor);
    put_u32(out, device->reserved);
    put_text(out, device->name);
    end(out, at);
}

void bs_item_put_module(struct bs_buffer *out, uint32_t number, const void *cubin, size_t size)
{
    const size_t at = begin(out, BS_ITEM_MODULE);
    put_u32(out, number);
    bs_buffer_add(out, cubin, size);
    end(out, at);
}

void bs_item_put_listing(struct bs_buffer *out, uint32_t module, const char *function,
                         const char *listing)
{
    const size_t at = begin(out, BS_ITEM_LISTING);
    put_u32(out, module);
    put_text(out, function);
    put_text(out, listing);
    end(out, at);
}

void bs_item_put_launch(struct bs_buffer *out, const struct bs_item_launch *launch)
{
    const size_t at = begin(out, BS_ITEM_LAUNCH);
    put_u64(out, launch->number);
    put_u32(out, launch->module);
    for (unsigned i = 0; i < 3; i++)
        put_u32(out, launch->grid[i]);
    for (unsigned i = 0; i < 3; i++)
        put_u32(out, launch->block[i]);
    for (unsigned i = 0; i < 3; i++)
        put_u32(out, launch->cluster[i]);
    put_u64(out, launch->pc);
    put_u64(out, launch->size);
    put_text(out, launch->kernel);
    end(out, at);
}

void bs_item_put_end(struct bs_buffer *out, const struct bs_item_end *launch_end)
{
    const size_t at = begin(out, BS_ITEM_END);
    put_u64(out, launch_end->recorded);
    put_u64(out, launch_end->over);
    put_u64(out, launch_end->outside);
    for (unsigned i = 0; i < BS_UNSEENS; i++)
        put_u64(out, launch_end->unseen[i]);
    put_text(out, launch_end->failure ? launch_end->failure : "");
    end(out, at);
}

void bs_item_put_missed(struct bs_buffer *out, uint64_t launches, const char *why)
{
    const size_t at = begin(out, BS_ITEM_MISSED);
    put_u64(out, launches);
    put_text(out, why);
    end(out, at);
}

size_t bs_item_begin_events(struct bs_buffer *out)
{
    return begin(out, BS_ITEM_EVENTS);
}

void bs_item_end_events(struct bs_buffer *out, size_t at)
{
    end(out, at);
}

void bs_item_add_event(struct bs_buffer *out, const struct bs_event *event)
{
    put_u64(out, event->pc);
    put_u32(out, event->mask);
    put_u32(out, event->cta);
    put_u32(out, event->warp);
    put_u32(out, event->smem);
    put_u32(out, event->bytes);
    put_u32(out,
            (uint32_t)event->kind | (uint32_t)event->flags << 8 | (uint32_t)event->count << 16);
    for (unsigned lane = 0; event->kind != BS_EVENT_BARRIER && lane < BS_EVENT_LANES; lane++)
        if (event->mask >> lane & 1)
            put_u32(out, event->address[lane]);
    for (unsigned lane = 0; event->kind == BS_EVENT_COPY && lane < BS_EVENT_LANES; lane++)
        if (event->mask >> lane & 1)
            put_u64(out, event->source[lane]);
}

void bs_item_put(struct bs_buffer *out, const struct bs_item *item)
{
    const size_t at = begin(out, item->type);
    bs_buffer_add(out, item->payload, item->size);
    end(out, at);
}

/* ---- getting -------------------------------------------------------------------------------- */

/* A payload being taken apart. What goes beyond its end sticks in failed. */
struct taker {
    const char *payload;
    size_t size;
    size_t at;
    bool failed;
};

static const char *take(struct taker *taker, size_t size)
{
    const char *bytes = taker->payload + taker->at;
    if (taker->failed || size > taker->size - taker->at) {
        taker->failed = true;
        return NULL;
    }
    taker->at += size;
    return bytes;
}

static uint32_t take_u32(struct taker *taker)
{
    const char *bytes = take(taker, 4);
    uint32_t value = 0;
    for (unsigned i = 0; bytes && i < 4; i++)
        value |= (uint32_t)(unsigned char)bytes[i] << 8 * i;
    return value;
}

static uint64_t take_u64(struct taker *taker)
{
    const uint64_t low = take_u32(taker);
    return low | (uint64_t)take_u32(taker) << 32;
}

static const char *take_text(struct taker *taker)
{
    const uint32_t size = take_u32(taker);
    const char *text = take(taker, (size_t)size + 1);
    if (text && (text[size] != '\0' || strlen(text) != size))
        taker->failed = true;
    return taker->failed ? "" : text;
}

static struct taker taker_of(const struct bs_item *item)
{
    return (struct taker){.payload = item->payload, .size = item->size};
}

static bool all_taken(const struct taker *taker)
{
    return !taker->failed && taker->at == taker->size;
}

bool bs_item_get_device(const struct bs_item *item, struct bs_item_device *device)
{
    struct taker taker = taker_of(item);
    device->major = take_u32(&taker);
    device->minor = take_u32(&taker);
    device->reserved = take_u32(&taker);
    device->name = take_text(&taker);
    return all_taken(&taker);
}

bool bs_item_get_module(const struct bs_item *item, uint32_t *number, const char **cubin,
                        size_t *size)
{
    struct taker taker = taker_of(item);
    *number = take_u32(&taker);
    *size = taker.failed ? 0 : taker.size - taker.at;
    *cubin = take(&taker, *size);
    return all_taken(&taker);
}

bool bs_item_get_listing(const struct bs_item *item, uint32_t *module, const char **function,
                         const char **listing)
{
    struct taker taker = taker_of(item);
    *module = take_u32(&taker);
    *function = take_text(&taker);
    *listing = take_text(&taker);
    return all_taken(&taker);
}

bool bs_item_get_launch(const struct bs_item *item, struct bs_item_launch *launch)
{
    struct taker taker = taker_of(item);
    launch->number = take_u64(&taker);
    launch->module = take_u32(&taker);
    for (unsigned i = 0; i < 3; i++)
        launch->grid[i] = take_u32(&taker);
    for (unsigned i = 0; i < 3; i++)
        launch->block[i] = take_u32(&taker);
    for (unsigned i = 0; i < 3; i++)
        launch->cluster[i] = take_u32(&taker);
    launch->pc = take_u64(&taker);
    launch->size = take_u64(&taker);
    launch->kernel = take_text(&taker);
    return all_taken(&taker);
}

bool bs_item_get_end(const struct bs_item *item, struct bs_item_end *launch_end)
{
    struct taker taker = taker_of(item);
    launch_end->recorded = take_u64(&taker);
    launch_end->over = take_u64(&taker);
    launch_end->outside = take_u64(&taker);
    for (unsigned i = 0; i < BS_UNSEENS; i++)
        launch_end->unseen[i] = take_u64(&taker);
    launch_end->failure = take_text(&taker);
    return all_taken(&taker);
}

bool bs_item_get_missed(const struct bs_item *item, uint64_t *launches, const char **why)
{
    struct taker taker = taker_of(item);
    *launches = take_u64(&taker);
    *why = take_text(&taker);
    return all_taken(&taker);
}

bool bs_item_get_event(const struct bs_item *item, size_t *at, struct bs_event *event, bool *whole)
{
    struct taker taker = {.payload = item->payload, .size = item->size, .at = *at};
    *whole = true;
    if (taker.at == taker.size)
        return false;
    event->pc = take_u64(&taker);
    event->mask = take_u32(&taker);
    event->cta = take_u32(&taker);
    event->warp = take_u32(&taker);
    event->smem = take_u32(&taker);
    event->bytes = take_u32(&taker);
    const uint32_t rest = take_u32(&taker);
    event->kind = (uint8_t)rest;
    event->flags = (uint8_t)(rest >> 8);
    event->count = (uint16_t)(rest >> 16);
    for (unsigned lane = 0; event->kind != BS_EVENT_BARRIER && lane < BS_EVENT_LANES; lane++)
        if (event->mask >> lane & 1)
            event->address[lane] = take_u32(&taker);
    for (unsigned lane = 0; event->kind == BS_EVENT_COPY && lane < BS_EVENT_LANES; lane++)
        if (event->mask >> lane & 1)
            event->source[lane] = take_u64(&taker);
    *at = taker.at;
    *whole = !taker.failed && event->kind < BS_EVENT_KINDS && event->mask != 0;
    return *whole;
}

/* ---- streams -------------------------------------------------------------------------------- */

static bool cut_off(const struct bs_item_source *source, struct bs_error *error)
{
    return bs_fail(error, BS_BAD_TRACE, source->name, 0, 0, "the capture is cut off");
}

bool bs_item_start(const struct bs_item_source *source, struct bs_error *error)
{
    char start[sizeof BS_STREAM_START - 1];
    size_t got;
    if (!source->read(source->user, start, sizeof start, &got, error))
        return false;
    if (got == sizeof start && memcmp(start, BS_STREAM_START, got) == 0)
        return true;
    return bs_fail(error, BS_BAD_TRACE, source->name, 1, 1,
                   "no recording of a capture, expected '%.19s'", BS_STREAM_START);
}

bool bs_item_next(const struct bs_item_source *source, struct bs_buffer *room, struct bs_item *item,
                  bool *at_end, struct bs_error *error)
{
    char header[HEADER];
    size_t got;
    if (!source->read(source->user, header, sizeof header, &got, error))
        return false;
    *at_end = got == 0;
    if (got < sizeof header)
        return got == 0 || cut_off(source, error);
    struct taker taker = {.payload = header, .size = sizeof header};
    const uint32_t type = take_u32(&taker);
    const uint32_t zero = take_u32(&taker);
    const uint64_t size = take_u64(&taker);
    if (type < BS_ITEM_DEVICE || type > BS_ITEM_MISSED || zero != 0 || size > MOST_BYTES)
        return bs_fail(error, BS_BAD_TRACE, source->name, 0, 0,
                       "the capture is damaged: it has an item of type %u with %llu bytes", type,
                       (unsigned long long)size);
    room->size = 0;
    if (!bs_buffer_reserve(room, (size_t)size + 1))
        return bs_fail(error, BS_INTERNAL, source->name, 0, 0, "out of memory");
    if (!source->read(source->user, room->data, (size_t)size, &got, error))
        return false;
    *item = (struct bs_item){(enum bs_item_type)type, room->data, got};
    return got == size || cut_off(source, error);
}
