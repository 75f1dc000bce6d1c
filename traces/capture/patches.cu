/*
 * The device side: the functions that the Sanitizer API calls before each patched instruction, in
 * every active lane. The lanes of a warp arrive together: the lowest takes a slot of the ring, each
 * stores its address. Built into a fatbin of its own:
 *
 *     nvcc -fatbin --keep-device-functions --compile-as-tools-patch patches.cu
 *
 * The signatures are those of sanitizer_patching.h, which is not needed to compile this.
 */
#include "event.h"

enum { PATCH_DONE = 0 }; /* SANITIZER_PATCH_SUCCESS */
typedef int patch_result;

/* ---- who is here ---------------------------------------------------------------------------- */

static __device__ __forceinline__ uint32_t own_lane()
{
    uint32_t lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}

static __device__ __forceinline__ uint32_t own_cta()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

static __device__ __forceinline__ uint32_t own_warp()
{
    return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / BS_EVENT_LANES;
}

static __device__ __forceinline__ uint32_t own_memory()
{
    uint32_t bytes;
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(bytes));
    return bytes;
}

static __device__ __forceinline__ bool is_wanted(const bs_ring_control *control)
{
    const uint32_t cta = own_cta();
    return cta >= control->cta_low && cta <= control->cta_high;
}

static __device__ __forceinline__ void add_one(uint64_t *counter)
{
    atomicAdd((unsigned long long *)counter, 1ull);
}

/* ---- the ring ------------------------------------------------------------------------------- */

/* Waits until the slot of that number is free. */
static __device__ __forceinline__ void wait_for_room(bs_ring_control *control, uint64_t number)
{
    volatile uint64_t *known = &control->known_taken;
    const volatile uint64_t *taken = control->taken;
    if (number < *known + BS_EVENT_SLOTS)
        return;
    for (;;) {
        const uint64_t now = *taken;
        if (number < now + BS_EVENT_SLOTS) {
            atomicMax((unsigned long long *)&control->known_taken, (unsigned long long)now);
            return;
        }
        __nanosleep(500);
    }
}

/* A free slot, the same for all lanes of mask; NULL if nothing is to be recorded any more. */
static __device__ __forceinline__ bs_event *take_slot(bs_ring_control *control, uint32_t mask, bool leads,
                                      uint64_t *number)
{
    uint64_t taken = 0;
    if (leads) {
        taken = atomicAdd((unsigned long long *)&control->head, 1ull);
        if (taken < control->end)
            wait_for_room(control, taken);
    }
    taken = __shfl_sync(mask, (unsigned long long)taken, __ffs(mask) - 1);
    *number = taken;
    return taken < control->end ? &control->slots[taken % BS_EVENT_SLOTS] : nullptr;
}

struct what {
    uint8_t kind;
    uint8_t flags;
    uint16_t count;
    uint32_t bytes;
};

static __device__ __forceinline__ void record(void *user, uint64_t pc, what what, uint32_t address, uint64_t source)
{
    bs_ring_control *control = (bs_ring_control *)user;
    if (!control)
        return;
    const uint32_t mask = __activemask();
    const uint32_t lane = own_lane();
    const bool leads = lane == (uint32_t)__ffs(mask) - 1;
    uint64_t number;
    if (!is_wanted(control)) {
        if (leads)
            add_one(&control->outside);
        return;
    }
    bs_event *slot = take_slot(control, mask, leads, &number);
    if (!slot)
        return;
    slot->address[lane] = address;
    if (what.kind == BS_EVENT_COPY)
        slot->source[lane] = source;
    if (leads) {
        slot->pc = pc;
        slot->mask = mask;
        slot->cta = own_cta();
        slot->warp = own_warp();
        slot->smem = own_memory();
        slot->bytes = what.bytes;
        slot->kind = what.kind;
        slot->flags = what.flags;
        slot->count = what.count;
    }
    __threadfence_system();
    __syncwarp(mask);
    if (leads)
        *(volatile uint64_t *)&slot->sequence = number + 1;
}

static __device__ __forceinline__ void count_unseen(void *user, bs_unseen unseen)
{
    bs_ring_control *control = (bs_ring_control *)user;
    if (control && own_lane() == (uint32_t)__ffs(__activemask()) - 1 && is_wanted(control))
        add_one(&control->unseen[unseen]);
}

/* ---- the callbacks -------------------------------------------------------------------------- */

#define CALLBACK extern "C" __device__ __noinline__ patch_result

CALLBACK bs_on_access(void *user, uint64_t pc, void *address, uint32_t bytes, uint32_t flags,
                      const void *)
{
    record(user, pc, {BS_EVENT_ACCESS, (uint8_t)flags, 0, bytes}, (uint32_t)(uintptr_t)address, 0);
    return PATCH_DONE;
}

CALLBACK bs_on_matrix(void *user, uint64_t pc, uint32_t address, uint32_t bytes, uint32_t flags,
                      uint32_t count, const void *)
{
    record(user, pc, {BS_EVENT_MATRIX, (uint8_t)flags, (uint16_t)count, bytes}, address, 0);
    return PATCH_DONE;
}

CALLBACK bs_on_copy(void *user, uint64_t pc, void *source, uint32_t address, uint32_t bytes)
{
    record(user, pc, {BS_EVENT_COPY, 0, 0, bytes}, address, (uint64_t)(uintptr_t)source);
    return PATCH_DONE;
}

CALLBACK bs_on_barrier(void *user, uint64_t pc, uint32_t number, uint32_t lanes, uint32_t)
{
    record(user, pc, {BS_EVENT_BARRIER, 0, (uint16_t)number, lanes}, 0, 0);
    return PATCH_DONE;
}

CALLBACK bs_on_remote(void *user, uint64_t, void *, uint32_t, uint32_t, const void *)
{
    count_unseen(user, BS_UNSEEN_REMOTE);
    return PATCH_DONE;
}

CALLBACK bs_on_wgmma(void *user, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                     uint32_t)
{
    count_unseen(user, BS_UNSEEN_WGMMA);
    return PATCH_DONE;
}

CALLBACK bs_on_bulk_load(void *user, uint64_t, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t)
{
    count_unseen(user, BS_UNSEEN_BULK);
    return PATCH_DONE;
}

CALLBACK bs_on_bulk_store(void *user, uint64_t, uint64_t, uint32_t, uint32_t)
{
    count_unseen(user, BS_UNSEEN_BULK);
    return PATCH_DONE;
}

CALLBACK bs_on_bulk_shared(void *user, uint64_t, uint32_t, uint32_t, uint32_t, uint32_t)
{
    count_unseen(user, BS_UNSEEN_BULK);
    return PATCH_DONE;
}

CALLBACK bs_on_async_store(void *user, uint64_t, uint32_t, uint32_t, void *, uint32_t)
{
    count_unseen(user, BS_UNSEEN_ASYNC);
    return PATCH_DONE;
}

CALLBACK bs_on_async_reduction(void *user, uint64_t, uint32_t, uint32_t, uint32_t)
{
    count_unseen(user, BS_UNSEEN_ASYNC);
    return PATCH_DONE;
}

CALLBACK bs_on_memset(void *user, uint64_t, uint32_t, uint32_t)
{
    count_unseen(user, BS_UNSEEN_ASYNC);
    return PATCH_DONE;
}
