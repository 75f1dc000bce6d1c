/* Joining events and opcodes. */
#include "join.h"

#include <stdio.h>
#include <string.h>

/* On a CTA of a cluster the hardware's addresses have the CTA's rank above these bits. */
enum { WINDOW_BITS = 24 };

/* ---- ops ------------------------------------------------------------------------------------ */

static struct bs_op op_named(const struct bs_join_frame *frame, const char *name)
{
    struct bs_op op = {0};
    if (frame->ops)
        bs_op_cache_parse(frame->ops, name, strlen(name), &op);
    else
        bs_op_parse(name, strlen(name), &op);
    return op;
}

static bool is_one_of(enum bs_kind kind, enum bs_kind a, enum bs_kind b)
{
    return kind == a || kind == b;
}

/* Whether an op is what the event says that the instruction does. */
static bool agrees(struct bs_op op, const struct bs_event *event)
{
    const enum bs_kind kind = (enum bs_kind)op.kind;
    switch ((enum bs_event_kind)event->kind) {
    case BS_EVENT_ACCESS:
        if (op.bytes != event->bytes)
            return false;
        if (event->flags == (BS_EVENT_READS | BS_EVENT_WRITES))
            return is_one_of(kind, BS_ATOM, BS_RED);
        return kind == (event->flags == BS_EVENT_WRITES ? BS_ST : BS_LD);
    case BS_EVENT_MATRIX:
        return op.matrices == event->count &&
               kind == (event->flags == BS_EVENT_WRITES ? BS_STMATRIX : BS_LDMATRIX);
    case BS_EVENT_COPY:
        return bs_op_is_copy(op) && op.bytes == event->bytes;
    case BS_EVENT_BARRIER:
        return kind == BS_BAR;
    case BS_EVENT_KINDS:
        break;
    }
    return false;
}

/* An atomic through a generic address (ATOM.E.ADD.STRONG.GPU): its function, if one of its parts
 * names one. */
static bool generic_atomic(const struct bs_instruction_at *at, uint32_t bytes, struct bs_op *op)
{
    static const char *const functions[] = {"add", "max", "min", "and", "or", "xor", "exch", "cas"};
    const char *const end = at->name + at->size;
    for (const char *part = at->name; part < end;) {
        const char *dot = memchr(part, '.', (size_t)(end - part));
        const size_t size = (size_t)((dot ? dot : end) - part);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
            char name[BS_OP_NAME];
            bool same = strlen(functions[i]) == size;
            for (size_t c = 0; same && c < size; c++)
                same = (part[c] | 0x20) == functions[i][c];
            snprintf(name, sizeof name, "atom.%s.b%u", functions[i], 8 * bytes);
            if (same && bs_op_parse(name, strlen(name), op))
                return true;
        }
        part += size + 1;
    }
    return false;
}

/* The op by what the event says alone. */
static struct bs_op op_of_kind(const struct bs_event *event, const struct bs_instruction_at *at,
                               const struct bs_join_frame *frame, struct bs_join_doubts *doubts)
{
    char name[BS_OP_NAME];
    struct bs_op op;
    switch ((enum bs_event_kind)event->kind) {
    case BS_EVENT_ACCESS:
        if (event->flags == (BS_EVENT_READS | BS_EVENT_WRITES)) {
            if (at && generic_atomic(at, event->bytes, &op))
                return op;
            doubts->atomics++;
            snprintf(name, sizeof name, "atom.add.b%u", 8 * event->bytes);
        } else {
            snprintf(name, sizeof name, "%s.b%u", event->flags == BS_EVENT_WRITES ? "st" : "ld",
                     8 * event->bytes);
        }
        return op_named(frame, name);
    case BS_EVENT_MATRIX:
        doubts->matrices++;
        snprintf(name, sizeof name, "%s.x%u",
                 event->flags == BS_EVENT_WRITES ? "stmatrix" : "ldmatrix", event->count);
        return op_named(frame, name);
    case BS_EVENT_COPY:
        doubts->copies += event->bytes == 16;
        snprintf(name, sizeof name, "cp.async.b%u", 8 * event->bytes);
        return op_named(frame, name);
    case BS_EVENT_BARRIER:
    case BS_EVENT_KINDS:
        break;
    }
    return op_named(frame, "bar");
}

static struct bs_op op_of(const struct bs_event *event, const struct bs_instruction_at *at,
                          const struct bs_join_frame *frame, struct bs_join_doubts *doubts)
{
    if (at && at->is_op && agrees(at->op, event))
        return at->op;
    return op_of_kind(event, at, frame, doubts);
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* Addresses from the start of the program's shared memory. False if one lies before it. */
static bool place_addresses(const struct bs_event *event, const struct bs_join_frame *frame,
                            uint32_t *addresses)
{
    for (unsigned lane = 0; lane < BS_EVENT_LANES; lane++) {
        if (event->kind == BS_EVENT_BARRIER || !(event->mask >> lane & 1))
            continue;
        const uint32_t offset = event->address[lane] & ((UINT32_C(1) << WINDOW_BITS) - 1);
        if (offset < frame->reserved)
            return false;
        addresses[lane] = offset - frame->reserved;
    }
    return true;
}

/* Whether there are sources: a copy of no bytes, which fills with zeros, has none. */
static bool has_sources(const struct bs_event *event)
{
    for (unsigned lane = 0; event->kind == BS_EVENT_COPY && lane < BS_EVENT_LANES; lane++)
        if ((event->mask >> lane & 1) && event->source[lane] != 0)
            return true;
    return false;
}

enum bs_joined bs_join(const struct bs_event *event, const struct bs_instruction_at *at,
                       const struct bs_join_frame *frame, struct bs_access *access,
                       uint32_t *addresses, uint64_t *sources, struct bs_join_doubts *doubts)
{
    if (event->kind == BS_EVENT_BARRIER && event->bytes != 0 && event->bytes != frame->lanes)
        return BS_JOINED_PARTIAL;
    if (!place_addresses(event, frame, addresses))
        return BS_JOINED_SYSTEM;
    *access = (struct bs_access){
        .op = op_of(event, at, frame, doubts),
        .mask = event->mask,
        .addr = addresses,
        .src = has_sources(event) ? sources : NULL,
        .cta = event->cta,
        .warp = event->warp,
    };
    for (unsigned lane = 0; access->src && lane < BS_EVENT_LANES; lane++)
        sources[lane] = event->source[lane];
    return BS_JOINED_ACCESS;
}
