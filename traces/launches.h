/*
 * The launches of a trace. Only one is kept, however many there are: the one that began last.
 */
#ifndef BS_LAUNCHES_H
#define BS_LAUNCHES_H

#include "bankshot-traces.h"

#include "core/buffer.h"

/* A kernel with strings and places of its own. {0} holds none yet; filling it again reuses the
 * memory. */
struct bs_kernel_copy {
    struct bs_kernel kernel;
    struct bs_buffer text; /* the strings but those of the places */
    struct bs_source_place *places;
    size_t place_count, place_room;
    struct bs_buffer place_text; /* of one place after the other */
};

/* False when memory is out; the copy then holds nothing. */
bool bs_kernel_copy_fill(struct bs_kernel_copy *copy, const struct bs_kernel *kernel);
void bs_kernel_copy_free(struct bs_kernel_copy *copy);

/* A part of a compute capability is at most this. */
enum { BS_MAX_CC = 999 };

/* Bytes of shared memory a CTA are at most this, far beyond any device, so that sums with it hold.
 */
static const int64_t bs_max_smem = INT64_C(1) << 40;

/* Bytes of source places of a launch, the numbers of each counted as BS_PER_PLACE: so many fit in
 * a block of the native binary beside all else. */
enum { BS_MAX_PLACES = 8 * 1024 * 1024, BS_PER_PLACE = 20 };

struct bs_launches {
    struct bs_kernel_copy last;
    uint64_t count; /* that began; last holds nothing before the first */
};

/* A launch begins: the kernel is copied, and gets its number here. NULL when memory is out. */
const struct bs_kernel *bs_launches_begin(struct bs_launches *launches,
                                          const struct bs_kernel *kernel);

/* Adds a place to the launch that began last, behind all that it has. False when memory is out. The
 * kernel has the places once they are all in: see bs_launches_settle. */
bool bs_launches_place(struct bs_launches *launches, uint64_t pc, const char *text, size_t size);
const struct bs_kernel *bs_launches_settle(struct bs_launches *launches);

/* Whether one more place, with a text of size bytes, stays within BS_MAX_PLACES. */
bool bs_launches_has_room(const struct bs_launches *launches, size_t size);

#endif
