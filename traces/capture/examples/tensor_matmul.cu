// A half-precision product on tensor cores: cp.async brings 64 x 32 tiles in, with the 16-byte
// pieces of a row swizzled or not, ldmatrix hands them to the lanes, stmatrix (on Hopper) the result
// back. A is n x n by rows, B is given transposed.
#include "check.cuh"
#include <cuda_fp16.h>
#include <vector>

enum { TILE = 64, DEPTH = 32, PIECE = 8, PIECES = DEPTH / PIECE, LANES = 128 };

static __device__ unsigned shared_address(const void *pointer)
{
    return (unsigned)__cvta_generic_to_shared(pointer);
}

// Where a piece of a row lies: on its place, or moved by the row.
template <bool Swizzled> static __device__ int place(int row, int piece)
{
    return row * DEPTH + (Swizzled ? piece ^ (row / 2 % PIECES) : piece) * PIECE;
}

template <bool Swizzled>
static __device__ void copy_tile(half *tile, const half *from, int pitch)
{
    for (int i = threadIdx.x; i < TILE * PIECES; i += LANES) {
        const int row = i / PIECES, piece = i % PIECES;
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         shared_address(tile + place<Swizzled>(row, piece))),
                     "l"(from + row * pitch + piece * PIECE));
    }
}

static __device__ void load_four(unsigned (&matrices)[4], const half *row)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(matrices[0]), "=r"(matrices[1]), "=r"(matrices[2]), "=r"(matrices[3])
                 : "r"(shared_address(row)));
}

static __device__ void multiply(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Each warp makes 16 rows of the CTA's 64 x 64.
template <bool Swizzled> __global__ void product(const half *a, const half *b, half *c, int n)
{
    __shared__ __align__(128) half left[2][TILE * DEPTH], right[2][TILE * DEPTH];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const half *rows = a + blockIdx.y * TILE * n, *columns = b + blockIdx.x * TILE * n;
    float sums[TILE / 8][4] = {};
    copy_tile<Swizzled>(left[0], rows, n);
    copy_tile<Swizzled>(right[0], columns, n);
    asm volatile("cp.async.commit_group;");
    for (int at = 0; at < n; at += DEPTH) {
        const int now = at / DEPTH % 2;
        asm volatile("cp.async.wait_group 0;");
        __syncthreads();
        if (at + DEPTH < n) {
            copy_tile<Swizzled>(left[1 - now], rows + at + DEPTH, n);
            copy_tile<Swizzled>(right[1 - now], columns + at + DEPTH, n);
            asm volatile("cp.async.commit_group;");
        }
        for (int step = 0; step < DEPTH / 16; step++) {
            unsigned as[4], bs[4];
            load_four(as, left[now] + place<Swizzled>(warp * 16 + lane % 16, step * 2 + lane / 16));
            for (int pair = 0; pair < TILE / 16; pair++) {
                const int row = pair * 16 + lane / 16 * 8 + lane % 8;
                load_four(bs, right[now] + place<Swizzled>(row, step * 2 + lane / 8 % 2));
                multiply(sums[2 * pair], as, bs[0], bs[1]);
                multiply(sums[2 * pair + 1], as, bs[2], bs[3]);
            }
        }
        __syncthreads();
    }
    half *out = c + (blockIdx.y * TILE + warp * 16 + lane / 4) * n + blockIdx.x * TILE;
    for (int i = 0; i < TILE / 8; i++) {
        const int column = i * 8 + lane % 4 * 2;
        *(half2 *)(out + column) = __floats2half2_rn(sums[i][0], sums[i][1]);
        *(half2 *)(out + 8 * n + column) = __floats2half2_rn(sums[i][2], sums[i][3]);
    }
}

// cp.async through the first-level cache, 4, 8 and 16 bytes wide, and matrices of 8 x 8 turned on
// their way in and out.
__global__ void turn_matrices(const half *in, half *out)
{
    __shared__ __align__(128) half matrices[32 * 32];
    const int lane = threadIdx.x;
    const unsigned to = shared_address(matrices);
    for (int i = 0; i < 4; i++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to + (i * 32 + lane) * 4),
                     "l"(in + (i * 32 + lane) * 2));
    for (int i = 0; i < 2; i++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 512 + (i * 32 + lane) * 8),
                     "l"(in + 256 + (i * 32 + lane) * 4));
    for (int i = 0; i < 2; i++)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + 1024 +
                                                                    (i * 32 + lane) * 16),
                     "l"(in + 512 + (i * 32 + lane) * 8));
    asm volatile("cp.async.wait_all;");
    __syncwarp();
    unsigned four[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four[0]), "=r"(four[1]), "=r"(four[2]), "=r"(four[3])
                 : "r"(to + lane * 64));
    __syncwarp();
#if __CUDA_ARCH__ >= 900
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to +
                                                                                         lane * 64),
                 "r"(four[0]), "r"(four[1]), "r"(four[2]), "r"(four[3]));
#endif
    __syncwarp();
    for (int i = lane; i < 32 * 32; i += 32)
        out[i] = matrices[i];
}

static bool is_product(const std::vector<half> &a, const std::vector<half> &b,
                       const std::vector<half> &c, int n)
{
    for (int i = 0; i < n * n; i++) {
        float sum = 0; // of small whole numbers: exact
        for (int j = 0; j < n; j++)
            sum += __half2float(a[i / n * n + j]) * __half2float(b[i % n * n + j]);
        if (__half2float(c[i]) != sum)
            return false;
    }
    return true;
}

int main()
{
    const int n = 128;
    Random random;
    std::vector<half> a(n * n), b(n * n), c(n * n);
    for (int i = 0; i < n * n; i++) {
        a[i] = __float2half((float)(random.next() % 5) - 2);
        b[i] = __float2half((float)(random.next() % 5) - 2);
    }
    half *left, *right, *out;
    const size_t bytes = n * n * sizeof(half);
    CHECK(cudaMalloc(&left, bytes));
    CHECK(cudaMalloc(&right, bytes));
    CHECK(cudaMalloc(&out, bytes));
    CHECK(cudaMemcpy(left, a.data(), bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(right, b.data(), bytes, cudaMemcpyHostToDevice));

    const dim3 grid(n / TILE, n / TILE);
    product<false><<<grid, LANES>>>(left, right, out, n);
    finish("product<false>");
    CHECK(cudaMemcpy(c.data(), out, bytes, cudaMemcpyDeviceToHost));
    expect(is_product(a, b, c, n), "product<false>");
    CHECK(cudaMemset(out, 0xff, bytes));
    product<true><<<grid, LANES>>>(left, right, out, n);
    finish("product<true>");
    CHECK(cudaMemcpy(c.data(), out, bytes, cudaMemcpyDeviceToHost));
    expect(is_product(a, b, c, n), "product<true>");

    turn_matrices<<<1, 32>>>(left, out);
    finish("turn_matrices");
    CHECK(cudaMemcpy(c.data(), out, bytes, cudaMemcpyDeviceToHost));
    bool turned = true; // each row's first 8 x 8 of its group of 8 rows, where stmatrix exists
    for (int i = 0; i < 32 * 32; i++) {
        const int row = i / 32, column = i % 32, base = row / 8 * 8;
        const int from = column < 8 ? (base + column) * 32 + row % 8 : i;
        turned = turned && __half2float(c[i]) == __half2float(a[from]);
    }
    expect(turned, "turn_matrices");
    return 0;
}
