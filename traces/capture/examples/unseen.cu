// What a capture of lanes cannot see, on Hopper: another CTA's shared memory, and a bulk copy.
#include "check.cuh"
#include <cooperative_groups.h>
#include <vector>

enum { LANES = 64 };

__global__ void __cluster_dims__(2, 1, 1) swap_with_neighbour(unsigned *out)
{
    __shared__ unsigned own[LANES];
    const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    own[threadIdx.x] = blockIdx.x * LANES + threadIdx.x;
    cluster.sync();
    const unsigned *other = cluster.map_shared_rank(own, cluster.block_rank() ^ 1);
    out[blockIdx.x * LANES + threadIdx.x] = other[threadIdx.x];
    cluster.sync();
}

__global__ void bulk_copy(const unsigned *in, unsigned *out)
{
    __shared__ __align__(128) unsigned tile[LANES];
    __shared__ __align__(8) unsigned long long arrivals;
    const unsigned barrier = (unsigned)__cvta_generic_to_shared(&arrivals);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier),
                     "r"((unsigned)sizeof tile));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(tile)),
                     "l"(in), "r"((unsigned)sizeof tile), "r"(barrier)
                     : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done)
        asm volatile("{ .reg .pred there; mbarrier.try_wait.parity.shared.b64 there, [%1], 0; "
                     "selp.u32 %0, 1, 0, there; }"
                     : "=r"(done)
                     : "r"(barrier)
                     : "memory");
    out[threadIdx.x] = tile[threadIdx.x];
}

int main()
{
    std::vector<unsigned> got(2 * LANES);
    unsigned *in, *out;
    CHECK(cudaMalloc(&in, 2 * LANES * sizeof(unsigned)));
    CHECK(cudaMalloc(&out, 2 * LANES * sizeof(unsigned)));
    swap_with_neighbour<<<2, LANES>>>(in);
    finish("swap_with_neighbour");
    CHECK(cudaMemcpy(got.data(), in, 2 * LANES * sizeof(unsigned), cudaMemcpyDeviceToHost));
    bool right = true;
    for (unsigned i = 0; i < 2 * LANES; i++)
        right = right && got[i] == (i ^ LANES);
    expect(right, "swap_with_neighbour");
    bulk_copy<<<1, LANES>>>(in, out);
    finish("bulk_copy");
    CHECK(cudaMemcpy(got.data(), out, LANES * sizeof(unsigned), cudaMemcpyDeviceToHost));
    right = true;
    for (unsigned i = 0; i < LANES; i++)
        right = right && got[i] == (i ^ LANES);
    expect(right, "bulk_copy");
    return 0;
}
