/* See workload.h. */
#include "workload.h"

#include "buffer.h"
#include "trace.h"

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

char *workload_affine_text(unsigned records, size_t *size)
{
    struct bs_buffer text = {0};
    uint64_t state = 3;
    bs_buffer_text(&text, "#bankshot-trace 1\nkernel affine\n");
    for (unsigned i = 0; i < records; i++)
        bs_buffer_printf(&text, "%u %u 0x%x ld.b32 ffffffff 0x%x+%u*32\n", i / 256, i % 8,
                         16 * (i / 8 % 32), next_random(&state) % 1024 * 4,
                         next_random(&state) % 34 * 4);
    *size = text.size;
    return bs_buffer_take(&text);
}

static bool copy_trace(struct bs_trace *trace, struct bs_trace_writer *writer)
{
    struct bs_record record;
    for (;;) {
        switch (bs_trace_next(trace, &record, NULL)) {
        case BS_TRACE_LAUNCH:
            if (!bs_writer_kernel(writer, record.kernel, NULL))
                return false;
            break;
        case BS_TRACE_RECORD:
            if (!bs_writer_record(writer, &record.access, NULL))
                return false;
            break;
        case BS_TRACE_END:
            return bs_writer_finish(writer, NULL);
        case BS_TRACE_ERROR:
            return false;
        }
    }
}

static const char *sass_name(struct bs_op op)
{
    switch (op.kind) {
    case BS_LD:
        return op.bytes == 16 ? "LDS.128" : op.bytes == 8 ? "LDS.64" : "LDS";
    case BS_ST:
        return op.bytes == 16 ? "STS.128" : op.bytes == 8 ? "STS.64" : "STS";
    default:
        return "ATOMS.POPC.INC.32";
    }
}

/* A line of the access, after two that are no accesses to shared memory. */
static void add_accelsim(struct bs_buffer *text, const struct bs_access *access)
{
    unsigned lanes[BS_MAX_LANES];
    unsigned count = 0;
    bool even = true;
    for (unsigned lane = 0; lane < 32; lane++)
        if (access->mask >> lane & 1)
            lanes[count++] = lane;
    for (unsigned i = 2; i < count; i++)
        even = even && access->addr[lanes[i]] - access->addr[lanes[i - 1]] ==
                           access->addr[lanes[1]] - access->addr[lanes[0]];
    bs_buffer_printf(text,
                     "0200 ffffffff 1 R12 IMAD.WIDE 3 R2 R3 R255 0 0 \n"
                     "0210 ffffffff 1 R4 LDG.E 1 R12 4 1 0x7f39a5000000 4 0 \n"
                     "%04llx %08llx 1 R16 %s 1 R13 4 %u 0x%x",
                     (unsigned long long)access->pc, (unsigned long long)access->mask,
                     sass_name(access->op), even ? 1 : 2, count ? access->addr[lanes[0]] : 0);
    for (unsigned i = 1; i < count && (i == 1 || !even); i++)
        bs_buffer_printf(text, " %d", (int)(access->addr[lanes[i]] - access->addr[lanes[i - 1]]));
    bs_buffer_text(text, even && count < 2 ? " 0 0 \n" : " 0 \n");
}

char *workload_accelsim(char *text, size_t *size)
{
    struct bs_buffer body = {0}, whole = {0};
    struct bs_record record;
    uint64_t lines = 0;
    struct bs_trace *trace = bs_trace_memory(text, *size, "benchmark", NULL);
    while (trace && bs_trace_next_record(trace, &record, NULL) == BS_TRACE_RECORD) {
        add_accelsim(&body, &record.access);
        lines += 3;
    }
    bs_trace_close(trace);
    free(text);
    bs_buffer_printf(&whole,
                     "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n"
                     "-accelsim tracer version = 5\n\n#BEGIN_TB\n\nthread block = 0,0,0\n\n"
                     "warp = 0\ninsts = %llu\n",
                     (unsigned long long)lines);
    bs_buffer_add(&whole, body.data, body.size);
    bs_buffer_text(&whole, "\n#END_TB\n");
    bs_buffer_free(&body);
    *size = whole.size;
    return bs_buffer_take(&whole);
}

static void add_nvbit(struct bs_buffer *text, const struct bs_access *access)
{
    bs_buffer_printf(text,
                     "MEMTRACE: CTX 0x000055d5c8a0f2c0 - grid_launch_id 0 - CTA %u,0,0 - warp %u - "
                     "%s -",
                     access->cta, access->warp, sass_name(access->op));
    for (unsigned lane = 0; lane < 32; lane++)
        bs_buffer_printf(text, " 0x%016x", access->mask >> lane & 1 ? access->addr[lane] : 0);
    bs_buffer_text(text, " \n");
}

char *workload_nvbit(char *text, size_t *size)
{
    struct bs_buffer whole = {0};
    struct bs_record record;
    struct bs_trace *trace = bs_trace_memory(text, *size, "benchmark", NULL);
    bs_buffer_text(&whole,
                   "MEMTRACE: CTX 0x000055d5c8a0f2c0 - LAUNCH - Kernel pc 0x00007f1d2ba21100 "
                   "- Kernel name k - grid launch id 0 - grid size 1024,1,1 - block size "
                   "1024,1,1 - nregs 32 - shmem 8192 - cuda stream id 0\n");
    while (trace && bs_trace_next_record(trace, &record, NULL) == BS_TRACE_RECORD)
        add_nvbit(&whole, &record.access);
    bs_trace_close(trace);
    free(text);
    *size = whole.size;
    return bs_buffer_take(&whole);
}

char *workload_binary(char *text, size_t *size)
{
    FILE *file = tmpfile();
    struct bs_trace *trace = bs_trace_memory(text, *size, "benchmark", NULL);
    struct bs_trace_writer *writer = file ? bs_writer_open(file, "binary", NULL) : NULL;
    char *bytes = NULL;
    if (trace && writer && copy_trace(trace, writer)) {
        *size = (size_t)ftell(file);
        bytes = malloc(*size);
        rewind(file);
        if (!bytes || fread(bytes, 1, *size, file) != *size)
            abort();
    }
    bs_writer_close(writer);
    bs_trace_close(trace);
    if (file)
        fclose(file);
    free(text);
    return bytes;
}
