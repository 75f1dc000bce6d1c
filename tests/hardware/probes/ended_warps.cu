// What a barrier of a CTA does when some of its warps have ended. Prints the rows of h200-ended-warps.tsv:
//   exits WARPS LEAVE FINISHED WROTE      some warps return at once, the others meet twice and write a flag each
//   lanes 1 16 FINISHED WROTE             16 lanes of the only other warp return, likewise
//   loop WARPS LEAVE CYCLES               cycles of one __syncthreads() of a loop, mean, LEAVE of WARPS having ended before
//   last exit|bar|end OTHERS CHAIN CYCLES from the clock that the last warp reads before a chain of CHAIN dependent operations
//                                         and then `exit` or `bar`, to the clock of warp 0 behind the barrier; `end`: to its own
//                                         clock behind the chain; OTHERS warps wait at the barrier since long
//   drain exit|bar ld|st PASSES CYCLES    the same with 8 loads or stores of PASSES passes each in place of the chain: does the barrier
//                                         wait for what an ending warp still has on its way?
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void meet_twice(unsigned *flags, int first_stays, int lanes_stay)
{
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (warp < first_stays || lane >= lanes_stay)
        return;
    __syncthreads();
    __syncthreads();
    if (lane == 0)
        flags[warp] = 1;
}

__global__ void loop(unsigned *out, int first_stays, int reps)
{
    const int warp = threadIdx.x >> 5;
    if (warp < first_stays)
        return;
    for (int k = 0; k < 8; k++) {
        const int count = k % 2 ? 3 * reps : reps;
        __syncthreads();
        __syncthreads();
        const uint32_t begin = clock();
#pragma unroll 1
        for (int i = 0; i < count; i++) {
#pragma unroll
            for (int u = 0; u < 16; u++)
                __syncthreads();
        }
        const uint32_t end = clock();
        if (threadIdx.x == first_stays * 32)
            out[k & 1] = end - begin;
    }
}

enum { EXIT, BAR, END };
template <int HOW> __global__ void last(uint32_t *out, int chain)
{
    __shared__ uint32_t from;
    const int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    for (int k = 0; k < 3; k++)
        __syncthreads();
    if (warp == warps - 1) {
        uint32_t x = threadIdx.x + chain;
        for (int i = 0; i < 1000; i++) /* the others come long before */
            x = x * 3 + 1;
        const uint32_t begin = clock();
        from = begin;
#pragma unroll 32
        for (int i = 0; i < chain; i++)
            asm volatile("mad.lo.u32 %0, %0, 3, 1;" : "+r"(x));
        if (x == 0x1234567)
            out[7] = 1;
        if (HOW == END && threadIdx.x == blockDim.x - 32)
            out[1] = (uint32_t)clock() - begin;
        if (HOW != BAR)
            return;
        __syncthreads();
        return;
    }
    __syncthreads();
    const uint32_t end = clock();
    if (threadIdx.x == 0)
        out[0] = end - from;
}

template <int HOW, bool LOADS> __global__ void drain(uint32_t *out, int stride)
{
    __shared__ uint32_t from;
    __shared__ uint32_t tile[32 * 32 * 8];
    const int warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    const uint32_t at = (uint32_t)__cvta_generic_to_shared(tile) + (threadIdx.x & 31) * stride;
    for (int k = 0; k < 3; k++)
        __syncthreads();
    if (warp == warps - 1) {
        uint32_t x = threadIdx.x + stride;
        for (int i = 0; i < 1000; i++)
            x = x * 3 + 1;
        const uint32_t begin = clock();
        from = begin;
        if (x == 0x1234567)
            out[7] = 1;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (LOADS)
                asm volatile("{.reg .u32 t; ld.volatile.shared.u32 t,[%0];}" ::"r"(at + i * 4096));
            else
                asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(at + i * 4096), "r"(x));
        }
        if (HOW == EXIT)
            return;
        __syncthreads();
        return;
    }
    __syncthreads();
    const uint32_t end = clock();
    if (threadIdx.x == 0)
        out[0] = end - from;
}

static unsigned *device;
static unsigned host[64];

static bool fetch(const char *what)
{
    const cudaError_t error = cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess)
        printf("# %s: %s\n", what, cudaGetErrorString(error));
    return error == cudaSuccess;
}

static void exits(int warps, int leave, int lanes)
{
    int wrote = 0;
    cudaMemset(device, 0, sizeof host);
    meet_twice<<<1, warps * 32>>>(device, leave, lanes);
    const bool fine = fetch("exits");
    for (int i = 0; i < warps; i++)
        wrote += host[i] == 1;
    if (lanes == 32)
        printf("exits\t%d\t%d\t%s\t%d\n", warps, leave, fine ? "yes" : "no", wrote);
    else
        printf("lanes\t%d\t%d\t%s\t%d\n", warps, 32 - lanes, fine ? "yes" : "no", wrote);
    fflush(stdout);
}

static void loops(int warps, int leave)
{
    for (int i = 0; i < 2; i++) /* the second time the code is warm */
        loop<<<1, warps * 32>>>(device, leave, 64);
    if (fetch("loop"))
        printf("loop\t%d\t%d\t%.3f\n", warps, leave, (host[1] - host[0]) / (2.0 * 64 * 16));
}

template <int HOW> static void lasts(const char *name, int others, int chain)
{
    for (int i = 0; i < 4; i++) {
        last<HOW><<<1, (others + 1) * 32>>>(device, chain);
        if (!fetch("last"))
            return;
        if (i == 3)
            printf("last\t%s\t%d\t%d\t%u\n", name, others, chain, host[HOW == END]);
    }
}

template <int HOW, bool LOADS> static void drains(const char *how, const char *op, int passes)
{
    for (int i = 0; i < 4; i++) {
        drain<HOW, LOADS><<<1, 128>>>(device, passes * 4);
        if (!fetch("drain"))
            return;
    }
    printf("drain\t%s\t%s\t%d\t%u\n", how, op, passes, host[0]);
}

int main()
{
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    cudaMalloc(&device, sizeof host);
    printf("# %s, cc %d.%d\n", properties.name, properties.major, properties.minor);
    for (int leave : {0, 1, 4, 7})
        exits(8, leave, 32);
    exits(32, 31, 32);
    exits(1, 0, 16);
    exits(8, 4, 16);
    for (int warps : {1, 2, 4, 8, 16, 32})
        for (int leave : {0, 1, 2, 4, 7, 8, 12, 15, 16, 24, 28, 30, 31})
            if (leave < warps)
                loops(warps, leave);
    for (int others : {1, 3, 7, 15}) {
        for (int chain : {32, 256, 1024}) {
            lasts<EXIT>("exit", others, chain);
            lasts<BAR>("bar", others, chain);
            lasts<END>("end", others, chain);
        }
    }
    for (int passes : {1, 8, 32}) {
        drains<EXIT, true>("exit", "ld", passes);
        drains<BAR, true>("bar", "ld", passes);
        drains<EXIT, false>("exit", "st", passes);
        drains<BAR, false>("bar", "st", passes);
    }
    const cudaError_t error = cudaDeviceSynchronize();
    printf("# %s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
