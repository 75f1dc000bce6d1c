/* Bytes that several lanes of one store write. */
#include "lanes.h"
#include "steps.h"

/* The number of different addresses that more than one lane has: a small hash table of lanes. */
static uint32_t repeated_addresses(const struct bs_access *access, uint64_t lanes)
{
    enum { BITS = 8, SLOTS = 1 << BITS };
    uint8_t slots[SLOTS] = {0}; /* the first lane with an address, + 1; 0: free */
    uint64_t repeated = 0;      /* those first lanes */
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const uint32_t address = access->addr[t];
        uint32_t at = (uint32_t)(address * UINT32_C(2654435769)) >> (32 - BITS);
        while (slots[at] && access->addr[slots[at] - 1] != address)
            at = (at + 1) % SLOTS;
        if (slots[at])
            repeated |= UINT64_C(1) << (slots[at] - 1);
        else
            slots[at] = (uint8_t)(t + 1);
    }
    return bs_lanes_count(repeated);
}

/* Whether any two of the accesses either are the same or do not meet: they have one power-of-two
 * width and stand at multiples of it. */
static bool same_or_apart(const struct bs_access *access, uint64_t lanes)
{
    return bs_op_alignment(access->op) == access->op.bytes &&
           !bs_access_is_misaligned(access, lanes);
}

/* The lanes that write a byte; *until moves down to the first byte after it where that changes. */
static uint64_t writers_of(const struct bs_access *access, uint64_t lanes, uint64_t byte,
                           uint64_t *until)
{
    uint64_t writers = 0;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        const unsigned t = bs_lanes_lowest(rest);
        const uint64_t first = access->addr[t];
        const uint64_t end = first + access->op.bytes;
        if (first <= byte && byte < end) {
            writers |= UINT64_C(1) << t;
            *until = end < *until ? end : *until;
        } else if (first > byte) {
            *until = first < *until ? first : *until;
        }
    }
    return writers;
}

void bs_find_overwritten(const struct bs_access *access, uint64_t lanes,
                         bool (*found)(void *user, uint32_t address, uint32_t bytes,
                                       uint64_t writers),
                         void *user)
{
    uint64_t until = 0;
    for (uint64_t byte = 0;; byte = until) {
        until = UINT64_MAX;
        const uint64_t writers = writers_of(access, lanes, byte, &until);
        if (until == UINT64_MAX)
            return; /* no lane writes here or after */
        if (bs_lanes_count(writers) > 1 &&
            !found(user, (uint32_t)byte, (uint32_t)(until - byte), writers))
            return;
    }
}

static bool add_bytes(void *sum, uint32_t address, uint32_t bytes, uint64_t writers)
{
    (void)address;
    (void)writers;
    *(uint32_t *)sum += bytes;
    return true;
}

uint32_t bs_overwritten_bytes(const struct bs_access *access, uint64_t lanes)
{
    if (same_or_apart(access, lanes))
        return repeated_addresses(access, lanes) * access->op.bytes;
    uint32_t sum = 0;
    bs_find_overwritten(access, lanes, add_bytes, &sum);
    return sum;
}

uint32_t bs_undefined_bytes(const struct bs_model *model, const struct bs_access *access,
                            uint64_t lanes)
{
    if (!bs_op_writes(access->op) || model->winner != BS_UNDEFINED)
        return 0;
    return bs_overwritten_bytes(access, lanes);
}
