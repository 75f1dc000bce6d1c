/* Reading and decompressing in blocks of a fixed size: the loop that all encodings share. */
#include "input.h"

#include "decoders.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = 128 * 1024 };

struct bs_input {
    struct bs_source source;
    const struct bs_decoder *decoder;
    void *state; /* the decoder's */
    char *name;
    uint64_t done;             /* bytes that came from the source */
    bool ended;                /* the source has no more */
    bool may_end;              /* the decoder is between streams, not in one */
    size_t begin, end;         /* block[begin .. end - 1] waits to be decoded */
    size_t head_at, head_size; /* head[head_at .. head_size - 1] waits to be read */
    char head[BS_INPUT_HEAD];
    unsigned char block[BLOCK];
};

/* Appends what the source has ready to the block. */
static bool refill(struct bs_input *input, struct bs_error *error)
{
    size_t got = 0;
    const char *why = "";
    if (!input->source.read(input->source.user, input->block + input->end, BLOCK - input->end, &got,
                            &why))
        return bs_fail(error, BS_BAD_TRACE, input->name, 0, 0, "cannot be read: %s", why);
    input->done += got;
    input->end += got;
    input->ended = got == 0;
    return true;
}

static bool choose_decoder(struct bs_input *input, struct bs_error *error)
{
    while (!input->ended && input->end < BS_MAGIC_BYTES)
        if (!refill(input, error))
            return false;
    input->decoder = bs_decoder_of(input->block, input->end);
    input->may_end = !input->decoder->open;
    if (input->decoder->open && !(input->state = input->decoder->open()))
        return bs_fail(error, BS_INTERNAL, input->name, 0, 0, "out of memory for %s",
                       input->decoder->name);
    return true;
}

struct bs_input *bs_input_from(struct bs_source source, const char *name, struct bs_error *error)
{
    struct bs_input *input = malloc(sizeof *input);
    const size_t name_size = strlen(name) + 1;
    char *own_name = malloc(name_size);
    if (!input || !own_name) {
        free(input);
        free(own_name);
        bs_source_close(&source);
        bs_fail(error, BS_INTERNAL, name, 0, 0, "out of memory");
        return NULL;
    }
    memcpy(own_name, name, name_size);
    input->source = source;
    input->decoder = NULL;
    input->state = NULL;
    input->name = own_name;
    input->done = 0;
    input->begin = input->end = 0;
    input->ended = input->may_end = false;
    input->head_at = input->head_size = 0;
    if (choose_decoder(input, error))
        return input;
    bs_input_close(input);
    return NULL;
}

struct bs_input *bs_input_open(const char *path, struct bs_error *error)
{
    struct bs_source source;
    return bs_source_open(&source, path, error) ? bs_input_from(source, path, error) : NULL;
}

void bs_input_close(struct bs_input *input)
{
    if (!input)
        return;
    if (input->state)
        input->decoder->close(input->state);
    bs_source_close(&input->source);
    free(input->name);
    free(input);
}

const char *bs_input_name(const struct bs_input *input)
{
    return input->name;
}

/* One step of the decoder over what the block holds. */
static bool decode(struct bs_input *input, char *bytes, size_t room, size_t *got,
                   struct bs_error *error)
{
    struct bs_step_io io = {
        .in = input->block + input->begin,
        .in_size = input->end - input->begin,
        .out = bytes,
        .out_size = room,
        .last = input->ended,
        .may_end = input->may_end,
    };
    const size_t before = io.in_size;
    const char *problem = input->decoder->step(input->state, &io);
    const size_t used = before - io.in_size;
    *got = room - io.out_size;
    input->begin += used;
    input->may_end = io.may_end;
    if (!problem && before > 0 && used == 0 && *got == 0)
        problem = "makes no sense";
    if (problem && io.starved)
        return bs_fail(error, BS_INTERNAL, input->name, 0, 0,
                       "out of memory for decompressing the %s data", input->decoder->name);
    if (problem)
        return bs_fail(error, BS_BAD_TRACE, input->name, 0, 0,
                       "%s data cannot be decompressed: %s, near byte %llu of the file",
                       input->decoder->name, problem,
                       (unsigned long long)(input->done - (input->end - input->begin)));
    return true;
}

static bool read_decoded(struct bs_input *input, char *bytes, size_t room, size_t *got,
                         struct bs_error *error)
{
    for (;;) {
        if (!decode(input, bytes, room, got, error))
            return false;
        if (*got > 0)
            return true;
        if (input->begin < input->end)
            continue;
        if (input->ended)
            break;
        input->begin = input->end = 0;
        if (!refill(input, error))
            return false;
    }
    if (input->may_end)
        return true;
    return bs_fail(error, BS_BAD_TRACE, input->name, 0, 0,
                   "%s data is cut off, expected more after byte %llu, found the end of the file",
                   input->decoder->name, (unsigned long long)input->done);
}

bool bs_input_read(struct bs_input *input, char *bytes, size_t room, size_t *got,
                   struct bs_error *error)
{
    const size_t waiting = input->head_size - input->head_at;
    if (waiting == 0)
        return read_decoded(input, bytes, room, got, error);
    *got = waiting < room ? waiting : room;
    memcpy(bytes, input->head + input->head_at, *got);
    input->head_at += *got;
    return true;
}

bool bs_input_read_all(struct bs_input *input, void *bytes, size_t size, size_t *got,
                       struct bs_error *error)
{
    size_t more = 1;
    for (*got = 0; *got < size && more > 0; *got += more)
        if (!bs_input_read(input, (char *)bytes + *got, size - *got, &more, error))
            return false;
    return true;
}

bool bs_input_head(struct bs_input *input, const char **bytes, size_t *size, struct bs_error *error)
{
    size_t got = 1;
    while (got > 0 && input->head_size < BS_INPUT_HEAD) {
        if (!read_decoded(input, input->head + input->head_size, BS_INPUT_HEAD - input->head_size,
                          &got, error))
            return false;
        input->head_size += got;
    }
    *bytes = input->head;
    *size = input->head_size;
    return true;
}

bool bs_input_seek(struct bs_input *input, uint64_t offset)
{
    if (input->decoder->open || !input->source.seek ||
        !input->source.seek(input->source.user, offset))
        return false;
    input->done = offset;
    input->begin = input->end = 0;
    input->head_at = input->head_size;
    input->ended = false;
    return true;
}

void bs_input_progress(const struct bs_input *input, uint64_t *done, uint64_t *size)
{
    *done = input->done - (input->end - input->begin);
    *size = input->source.size;
}
