// Histograms in shared memory with both kinds of atomics: adding 1 (ATOMS.POPC.INC, where lanes that
// meet at a word share a pass) and adding weights or keeping the largest (ATOMS.ADD, ATOMS.MAX, a
// pass per lane). And one of floats, which has no native atomic: a loop of compare and swap.
#include "check.cuh"
#include <algorithm>
#include <vector>

enum { BINS = 64, COUNT = 4096, LANES = 128, BLOCKS = 4 };

__global__ void count_bytes(const unsigned *in, unsigned *counts)
{
    __shared__ unsigned bins[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        bins[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * LANES + threadIdx.x; i < COUNT; i += BLOCKS * LANES)
        atomicAdd(&bins[in[i] % BINS], 1u);
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        atomicAdd(&counts[bin], bins[bin]);
}

__global__ void weigh_bytes(const unsigned *in, unsigned *weights, unsigned *largest)
{
    __shared__ unsigned bins[BINS], most[BINS];
    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        bins[bin] = most[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * LANES + threadIdx.x; i < COUNT; i += BLOCKS * LANES) {
        atomicAdd(&bins[in[i] % BINS], in[i]);
        atomicMax(&most[in[i] % BINS], in[i]);
    }
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += LANES) {
        atomicAdd(&weights[bin], bins[bin]);
        atomicMax(&largest[bin], most[bin]);
    }
}

// Each lane goes to bins of its own warp's, so that no warp waits for another's word.
__global__ void weigh_floats(const unsigned *in, float *weights)
{
    __shared__ float bins[LANES / 32][BINS];
    float *own = bins[threadIdx.x / 32];
    for (int bin = threadIdx.x % 32; bin < BINS; bin += 32)
        own[bin] = 0;
    __syncwarp();
    for (int i = blockIdx.x * LANES + threadIdx.x; i < COUNT; i += BLOCKS * LANES)
        atomicAdd(&own[in[i] % BINS], (float)(in[i] % 16));
    __syncthreads();
    for (int bin = threadIdx.x; bin < BINS; bin += LANES)
        for (int warp = 0; warp < LANES / 32; warp++)
            atomicAdd(&weights[bin], bins[warp][bin]);
}

int main()
{
    Random random;
    std::vector<unsigned> numbers(COUNT), counts(BINS), weights(BINS), largest(BINS);
    std::vector<float> floats(BINS);
    for (unsigned &number : numbers) {
        number = random.next() % 1000;
        const unsigned bin = number % BINS;
        counts[bin]++;
        weights[bin] += number;
        largest[bin] = std::max(largest[bin], number);
        floats[bin] += (float)(number % 16);
    }
    unsigned *in, *out, *most;
    CHECK(cudaMalloc(&in, COUNT * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, BINS * sizeof(unsigned)));
    CHECK(cudaMalloc(&most, BINS * sizeof(unsigned)));
    CHECK(cudaMemcpy(in, numbers.data(), COUNT * sizeof(unsigned), cudaMemcpyHostToDevice));

    std::vector<unsigned> got(BINS);
    const auto fetch = [&](void *to, const void *from) {
        CHECK(cudaMemcpy(to, from, BINS * sizeof(unsigned), cudaMemcpyDeviceToHost));
        CHECK(cudaMemset(out, 0, BINS * sizeof(unsigned)));
    };
    CHECK(cudaMemset(most, 0, BINS * sizeof(unsigned)));
    CHECK(cudaMemset(out, 0, BINS * sizeof(unsigned)));
    count_bytes<<<BLOCKS, LANES>>>(in, out);
    finish("count_bytes");
    fetch(got.data(), out);
    expect(got == counts, "count_bytes");

    weigh_bytes<<<BLOCKS, LANES>>>(in, out, most);
    finish("weigh_bytes");
    fetch(got.data(), out);
    bool right = got == weights;
    fetch(got.data(), most);
    expect(right && got == largest, "weigh_bytes");

    std::vector<float> sums(BINS);
    weigh_floats<<<BLOCKS, LANES>>>(in, (float *)out);
    finish("weigh_floats");
    fetch(sums.data(), out);
    expect(sums == floats, "weigh_floats");
    return 0;
}
