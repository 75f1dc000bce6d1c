/*
 * The encodings that a trace may be compressed with: one row of a table each.
 */
#ifndef BS_DECODERS_H
#define BS_DECODERS_H

#include <stdbool.h>
#include <stddef.h>

/* What one step works on. The step moves in and out on and counts their sizes down. */
struct bs_step_io {
    const unsigned char *in;
    size_t in_size;
    char *out;
    size_t out_size;
    bool last;    /* nothing follows in */
    bool may_end; /* kept from step to step: the input may end here without being cut off */
    bool starved; /* of a problem: it is this machine's lack of memory, no fault of the data */
};

enum { BS_MAGIC_BYTES = 6 };

struct bs_decoder {
    const char *name;
    unsigned char magic[BS_MAGIC_BYTES];
    unsigned char magic_size;
    unsigned char first_mask; /* the bits of the first byte that count */
    void *(*open)(void);      /* NULL: the decoder has no state, and open cannot fail */
    /* Returns NULL, or what is wrong. */
    const char *(*step)(void *state, struct bs_step_io *io);
    void (*close)(void *state);
};

/* The decoder for what starts with these bytes; one that copies if no magic number fits. */
const struct bs_decoder *bs_decoder_of(const unsigned char *bytes, size_t size);

#endif
