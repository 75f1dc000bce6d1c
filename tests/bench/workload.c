/* See workload.h. */
#include "workload.h"

#include "buffer.h"
#include "input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static struct workload workload_of(const char *op, unsigned count)
{
    struct workload workload = {.count = count, .addr = calloc(count, sizeof *workload.addr)};
    if (!workload.addr || !bs_op_parse(op, strlen(op), &workload.op))
        abort();
    return workload;
}

struct workload workload_random(const char *op, unsigned count)
{
    struct workload workload = workload_of(op, count);
    uint64_t state = 1;
    const uint32_t units = 32768u / workload.op.bytes;
    for (unsigned i = 0; i < count; i++)
        for (unsigned t = 0; t < 32; t++)
            workload.addr[i][t] = next_random(&state) % units * workload.op.bytes;
    return workload;
}

struct workload workload_affine(const char *op, unsigned count)
{
    struct workload workload = workload_of(op, count);
    uint64_t state = 2;
    for (unsigned i = 0; i < count; i++) {
        const uint32_t base = next_random(&state) % 1024;
        const uint32_t stride = next_random(&state) % 34;
        for (unsigned t = 0; t < 32; t++)
            workload.addr[i][t] = (base + stride * t) * workload.op.bytes;
    }
    return workload;
}

void workload_free(struct workload *workload)
{
    free(workload->addr);
    *workload = (struct workload){0};
}

static bool read_all(const char *path, struct bs_buffer *text, struct bs_error *error)
{
    struct bs_input *input = bs_input_open(path, error);
    size_t got = 1;
    bool fine = input != NULL;
    while (fine && got > 0) {
        char block[65536];
        fine = bs_input_read(input, block, sizeof block, &got, error);
        bs_buffer_add(text, block, fine ? got : 0);
    }
    bs_input_close(input);
    return fine;
}

char *workload_text(const char *trace, size_t bytes, size_t *size)
{
    struct bs_buffer once = {0};
    struct bs_buffer text = {0};
    struct bs_error error;
    if (!read_all(trace, &once, &error)) {
        char line[1024];
        bs_error_line(&error, line, sizeof line);
        fprintf(stderr, "bankshot-bench: %s\n", line);
        bs_buffer_free(&once);
        return NULL;
    }
    bs_buffer_add(&text, once.data, once.size);
    const char *body = memchr(once.data, '\n', once.size); /* the header stands once */
    const size_t body_size = body ? once.size - (size_t)(body + 1 - once.data) : 0;
    while (body_size && text.size < bytes && !text.failed)
        bs_buffer_add(&text, body + 1, body_size);
    *size = text.size;
    bs_buffer_free(&once);
    return bs_buffer_take(&text);
}
