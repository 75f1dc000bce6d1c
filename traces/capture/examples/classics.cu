// Kernels whose shared-memory traffic can be worked out by hand: transposes with no padding, with
// padding and with a swizzle; two reductions; a scan; runs of float4 with padding; a tiled product.
#include "check.cuh"
#include <cmath>
#include <vector>

enum { TILE = 32, ROWS = 8 };

template <int Padding> __global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE + Padding];
    const int column = blockIdx.x * TILE + threadIdx.x;
    const int row = blockIdx.y * TILE + threadIdx.y;
    for (int y = 0; y < TILE; y += ROWS)
        tile[threadIdx.y + y][threadIdx.x] = in[(row + y) * n + column];
    __syncthreads();
    const int to_column = blockIdx.y * TILE + threadIdx.x;
    const int to_row = blockIdx.x * TILE + threadIdx.y;
    for (int y = 0; y < TILE; y += ROWS)
        out[(to_row + y) * n + to_column] = tile[threadIdx.x][threadIdx.y + y];
}

__global__ void transpose_swizzled(const float *in, float *out, int n)
{
    __shared__ float tile[TILE][TILE];
    const int column = blockIdx.x * TILE + threadIdx.x;
    const int row = blockIdx.y * TILE + threadIdx.y;
    for (int y = threadIdx.y; y < TILE; y += ROWS)
        tile[y][threadIdx.x ^ y] = in[(row - threadIdx.y + y) * n + column];
    __syncthreads();
    const int to_column = blockIdx.y * TILE + threadIdx.x;
    for (int y = threadIdx.y; y < TILE; y += ROWS)
        out[(blockIdx.x * TILE + y) * n + to_column] = tile[threadIdx.x][y ^ threadIdx.x];
}

enum { REDUCED = 256 };

// Partners 1, 2, 4 ... apart: each step doubles the stride between lanes.
__global__ void reduce_interleaved(const float *in, float *out)
{
    __shared__ float sums[REDUCED];
    const unsigned lane = threadIdx.x;
    sums[lane] = in[blockIdx.x * REDUCED + lane];
    for (unsigned apart = 1; apart < REDUCED; apart *= 2) {
        __syncthreads();
        const unsigned at = 2 * apart * lane;
        if (at < REDUCED)
            sums[at] += sums[at + apart];
    }
    if (lane == 0)
        out[blockIdx.x] = sums[0];
}

// Partners 128, 64, 32 ... apart: neighbours stay neighbours.
__global__ void reduce_sequential(const float *in, float *out)
{
    __shared__ float sums[REDUCED];
    const unsigned lane = threadIdx.x;
    sums[lane] = in[blockIdx.x * REDUCED + lane];
    for (unsigned apart = REDUCED / 2; apart > 0; apart /= 2) {
        __syncthreads();
        if (lane < apart)
            sums[lane] += sums[lane + apart];
    }
    if (lane == 0)
        out[blockIdx.x] = sums[0];
}

enum { SCANNED = 512 };

// A sum over all before: up the tree and down again.
__global__ void scan(const int *in, int *out)
{
    __shared__ int tree[SCANNED];
    const int lane = threadIdx.x;
    tree[2 * lane] = in[2 * lane];
    tree[2 * lane + 1] = in[2 * lane + 1];
    int apart = 1;
    for (int pairs = SCANNED / 2; pairs > 0; pairs /= 2, apart *= 2) {
        __syncthreads();
        if (lane < pairs)
            tree[apart * (2 * lane + 2) - 1] += tree[apart * (2 * lane + 1) - 1];
    }
    if (lane == 0)
        tree[SCANNED - 1] = 0;
    for (int pairs = 1; pairs < SCANNED; pairs *= 2) {
        apart /= 2;
        __syncthreads();
        if (lane < pairs) {
            int &left = tree[apart * (2 * lane + 1) - 1];
            int &right = tree[apart * (2 * lane + 2) - 1];
            const int before = left;
            left = right;
            right += before;
        }
    }
    __syncthreads();
    out[2 * lane] = tree[2 * lane];
    out[2 * lane + 1] = tree[2 * lane + 1];
}

enum { RUN = 16, PITCH = RUN + 2, RUNNERS = 128 };

// Each lane its own run of float4, padded by two of them, in dynamic shared memory.
__global__ void padded_runs(const float4 *in, float4 *out)
{
    extern __shared__ float4 runs[];
    float4 *own = runs + threadIdx.x * PITCH;
    for (int i = 0; i < RUN; i++)
        own[i] = in[threadIdx.x * RUN + i];
    __syncthreads();
    float4 sum = {0, 0, 0, 0};
    for (int i = 0; i < RUN; i++) {
        const float4 value = own[i];
        sum.x += value.x;
        sum.y += value.y;
        sum.z += value.z;
        sum.w += value.w;
    }
    out[threadIdx.x] = sum;
}

enum { SIDE = 16 };

__global__ void tiled_product(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[SIDE][SIDE], right[SIDE][SIDE];
    const int column = blockIdx.x * SIDE + threadIdx.x;
    const int row = blockIdx.y * SIDE + threadIdx.y;
    float sum = 0;
    for (int at = 0; at < n; at += SIDE) {
        left[threadIdx.y][threadIdx.x] = a[row * n + at + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(at + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < SIDE; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// ---- the host ----------------------------------------------------------------------------------

enum { N = 128, ELEMENTS = N * N };

static std::vector<float> numbers, result(ELEMENTS);
static float *in, *out;

static void fetch(size_t count)
{
    CHECK(cudaMemcpy(result.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemset(out, 0xff, ELEMENTS * sizeof(float)));
}

static void expect_transposed(const char *kernel)
{
    finish(kernel);
    fetch(ELEMENTS);
    bool right = true;
    for (int i = 0; i < ELEMENTS; i++)
        right = right && result[i] == numbers[i % N * N + i / N];
    expect(right, kernel);
}

static void expect_reduced(const char *kernel, int blocks)
{
    finish(kernel);
    fetch(blocks);
    bool right = true;
    for (int block = 0; block < blocks; block++) {
        float sum = 0; // of small whole numbers: exact in any order
        for (int i = 0; i < REDUCED; i++)
            sum += numbers[block * REDUCED + i];
        right = right && result[block] == sum;
    }
    expect(right, kernel);
}

static void expect_scanned()
{
    std::vector<int> whole(SCANNED), scanned(SCANNED);
    for (int i = 0; i < SCANNED; i++)
        whole[i] = (int)numbers[i];
    CHECK(cudaMemcpy(in, whole.data(), SCANNED * sizeof(int), cudaMemcpyHostToDevice));
    scan<<<1, SCANNED / 2>>>((const int *)in, (int *)out);
    finish("scan");
    CHECK(cudaMemcpy(scanned.data(), out, SCANNED * sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(in, numbers.data(), ELEMENTS * sizeof(float), cudaMemcpyHostToDevice));
    int before = 0;
    bool right = true;
    for (int i = 0; i < SCANNED; before += whole[i++])
        right = right && scanned[i] == before;
    expect(right, "scan");
}

static void expect_runs()
{
    padded_runs<<<1, RUNNERS, RUNNERS * PITCH * sizeof(float4)>>>((const float4 *)in, (float4 *)out);
    finish("padded_runs");
    fetch(RUNNERS * 4);
    bool right = true;
    for (int i = 0; i < RUNNERS * 4; i++) {
        float sum = 0;
        for (int j = 0; j < RUN; j++)
            sum += numbers[i / 4 * RUN * 4 + j * 4 + i % 4];
        right = right && result[i] == sum;
    }
    expect(right, "padded_runs");
}

static void expect_product()
{
    tiled_product<<<dim3(N / SIDE, N / SIDE), dim3(SIDE, SIDE)>>>(in, in, out, N);
    finish("tiled_product");
    fetch(ELEMENTS);
    bool right = true;
    for (int i = 0; i < ELEMENTS; i++) {
        float sum = 0;
        for (int j = 0; j < N; j++)
            sum += numbers[i / N * N + j] * numbers[j * N + i % N];
        right = right && result[i] == sum;
    }
    expect(right, "tiled_product");
}

int main()
{
    Random random;
    for (int i = 0; i < ELEMENTS; i++)
        numbers.push_back((float)(random.next() % 64));
    CHECK(cudaMalloc(&in, ELEMENTS * sizeof(float)));
    CHECK(cudaMalloc(&out, ELEMENTS * sizeof(float)));
    CHECK(cudaMemcpy(in, numbers.data(), ELEMENTS * sizeof(float), cudaMemcpyHostToDevice));
    CHECK(cudaFuncSetAttribute(padded_runs, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               RUNNERS * PITCH * sizeof(float4)));

    const dim3 grid(N / TILE, N / TILE), block(TILE, ROWS);
    transpose<0><<<grid, block>>>(in, out, N);
    expect_transposed("transpose<0>");
    transpose<1><<<grid, block>>>(in, out, N);
    expect_transposed("transpose<1>");
    transpose_swizzled<<<grid, block>>>(in, out, N);
    expect_transposed("transpose_swizzled");
    reduce_interleaved<<<8, REDUCED>>>(in, out);
    expect_reduced("reduce_interleaved", 8);
    reduce_sequential<<<8, REDUCED>>>(in, out);
    expect_reduced("reduce_sequential", 8);
    expect_scanned();
    expect_runs();
    expect_product();
    return 0;
}
