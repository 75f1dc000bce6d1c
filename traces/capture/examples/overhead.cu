// How long a kernel takes that does little but access shared memory: run it alone and captured.
#include "check.cuh"
#include <cstdlib>

enum { LANES = 256, CTAS = 264 };

__global__ void accesses(float *out, int rounds)
{
    __shared__ float row[LANES];
    row[threadIdx.x] = 0;
    for (int i = 0; i < rounds; i++) {
        __syncthreads();
        row[(threadIdx.x + i) % LANES] += i;
    }
    __syncthreads();
    out[blockIdx.x * LANES + threadIdx.x] = row[threadIdx.x];
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 200;
    float *out, milliseconds;
    cudaEvent_t begin, end;
    CHECK(cudaMalloc(&out, LANES * CTAS * sizeof(float)));
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    CHECK(cudaEventRecord(begin));
    accesses<<<CTAS, LANES>>>(out, rounds);
    CHECK(cudaEventRecord(end));
    finish("accesses");
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    std::printf("kernel: %.3f ms\n", milliseconds);
    return 0;
}
