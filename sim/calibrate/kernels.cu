// The kernels that measure: streams of one access, single accesses for the profiler, and loops.
#include "kernels.h"

extern __shared__ __align__(1024) uint8_t memory[];

static __device__ uint32_t shared_base()
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(memory));
}

// Makes one instruction at shared address a, with value v, reading from s if it is a copy. Returns
// the first register that it read; what else it reads takes no further instruction.
template <int OP>
static __device__ __forceinline__ uint32_t make(uint32_t a, uint32_t v, const uint8_t *s)
{
    uint32_t r = 0, r1, r2, r3;
    uint64_t q = 0;
    uint16_t h;
    if constexpr (OP == GPU_LD_8)
        asm volatile("ld.volatile.shared.u8 %0,[%1];" : "=r"(r) : "r"(a));
    if constexpr (OP == GPU_LD_16) {
        asm volatile("ld.volatile.shared.u16 %0,[%1];" : "=h"(h) : "r"(a));
        r = h;
    }
    if constexpr (OP == GPU_LD_32)
        asm volatile("ld.volatile.shared.u32 %0,[%1];" : "=r"(r) : "r"(a));
    if constexpr (OP == GPU_LD_64)
        asm volatile("ld.volatile.shared.v2.u32 {%0,%1},[%2];" : "=r"(r), "=r"(r1) : "r"(a));
    if constexpr (OP == GPU_LD_128)
        asm volatile("ld.volatile.shared.v4.u32 {%0,%1,%2,%3},[%4];"
                     : "=r"(r), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(a));
    if constexpr (OP == GPU_ST_8)
        asm volatile("st.volatile.shared.u8 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_ST_16)
        asm volatile("st.volatile.shared.u16 [%0],%1;" ::"r"(a), "h"(static_cast<uint16_t>(v)));
    if constexpr (OP == GPU_ST_32)
        asm volatile("st.volatile.shared.u32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_ST_64)
        asm volatile("st.volatile.shared.v2.u32 [%0],{%1,%1};" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_ST_128)
        asm volatile("st.volatile.shared.v4.u32 [%0],{%1,%1,%1,%1};" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_ADD)
        asm volatile("atom.shared.add.u32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_INC) // only where nobody wants the result: see kernels.h
        asm volatile("{ .reg .u32 old; atom.shared.add.u32 old,[%0],1; }" ::"r"(a));
    if constexpr (OP == GPU_ATOM_MAX)
        asm volatile("atom.shared.max.u32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_MIN)
        asm volatile("atom.shared.min.u32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_AND)
        asm volatile("atom.shared.and.b32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_OR)
        asm volatile("atom.shared.or.b32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_XOR)
        asm volatile("atom.shared.xor.b32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_EXCH)
        asm volatile("atom.shared.exch.b32 %0,[%1],%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_CAS)
        asm volatile("atom.shared.cas.b32 %0,[%1],%2,%2;" : "=r"(r) : "r"(a), "r"(v));
    if constexpr (OP == GPU_ATOM_EXCH_64)
        asm volatile("atom.shared.exch.b64 %0,[%1],%2;"
                     : "=l"(q)
                     : "r"(a), "l"(static_cast<uint64_t>(v)));
    if constexpr (OP == GPU_ATOM_CAS_64)
        asm volatile("atom.shared.cas.b64 %0,[%1],%2,%2;"
                     : "=l"(q)
                     : "r"(a), "l"(static_cast<uint64_t>(v)));
    if constexpr (OP == GPU_RED_ADD)
        asm volatile("red.shared.add.u32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_RED_INC)
        asm volatile("red.shared.add.u32 [%0],1;" ::"r"(a));
    if constexpr (OP == GPU_RED_MAX)
        asm volatile("red.shared.max.u32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_RED_MIN)
        asm volatile("red.shared.min.u32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_RED_AND)
        asm volatile("red.shared.and.b32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_RED_OR)
        asm volatile("red.shared.or.b32 [%0],%1;" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_RED_XOR)
        asm volatile("red.shared.xor.b32 [%0],%1;" ::"r"(a), "r"(v));
#if __CUDA_ARCH__ >= 750
    if constexpr (OP == GPU_LDMATRIX_1)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0},[%1];" : "=r"(r) : "r"(a));
    if constexpr (OP == GPU_LDMATRIX_2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1},[%2];"
                     : "=r"(r), "=r"(r1)
                     : "r"(a));
    if constexpr (OP == GPU_LDMATRIX_4)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(r), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(a));
    if constexpr (OP == GPU_LDMATRIX_1_TRANS)
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0},[%1];"
                     : "=r"(r)
                     : "r"(a));
    if constexpr (OP == GPU_LDMATRIX_2_TRANS)
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1},[%2];"
                     : "=r"(r), "=r"(r1)
                     : "r"(a));
    if constexpr (OP == GPU_LDMATRIX_4_TRANS)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3},[%4];"
                     : "=r"(r), "=r"(r1), "=r"(r2), "=r"(r3)
                     : "r"(a));
#endif
#if __CUDA_ARCH__ >= 900
    if constexpr (OP == GPU_STMATRIX_1)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0],{%1};" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_STMATRIX_2)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0],{%1,%1};" ::"r"(a), "r"(v));
    if constexpr (OP == GPU_STMATRIX_4)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0],{%1,%1,%1,%1};" ::"r"(a),
                     "r"(v));
    if constexpr (OP == GPU_STMATRIX_1_TRANS)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0],{%1};" ::"r"(a),
                     "r"(v));
    if constexpr (OP == GPU_STMATRIX_2_TRANS)
        asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0],{%1,%1};" ::"r"(a),
                     "r"(v));
    if constexpr (OP == GPU_STMATRIX_4_TRANS)
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0],{%1,%1,%1,%1};" ::"r"(a),
                     "r"(v));
#endif
#if __CUDA_ARCH__ >= 800
    if constexpr (OP == GPU_COPY_4)
        asm volatile("cp.async.ca.shared.global [%0],[%1],4;" ::"r"(a), "l"(s));
    if constexpr (OP == GPU_COPY_8)
        asm volatile("cp.async.ca.shared.global [%0],[%1],8;" ::"r"(a), "l"(s));
    if constexpr (OP == GPU_COPY_16)
        asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(a), "l"(s));
    if constexpr (OP == GPU_COPY_CG_16)
        asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(a), "l"(s));
    if constexpr (OP >= GPU_COPY_4)
        asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;");
#endif
    return r + static_cast<uint32_t>(q);
}

// Every lane takes part in a matrix instruction.
static __device__ constexpr bool takes_all(int op)
{
    return op >= GPU_LDMATRIX_1 && op <= GPU_STMATRIX_4_TRANS;
}

// Calls run<OP>(...) for the op of a number.
template <int OP, typename Run> static __device__ void dispatch(uint32_t op, Run &run)
{
    if constexpr (OP < GPU_OPS) {
        if (op == OP)
            run.template with<OP>();
        else
            dispatch<OP + 1>(op, run);
    }
}

static __device__ void clear_memory(uint32_t bytes)
{
    for (uint32_t i = threadIdx.x; i < bytes / 4; i += blockDim.x)
        reinterpret_cast<uint32_t *>(memory)[i] = 0;
    __syncthreads();
}

// ---- streams ------------------------------------------------------------------------------------

// All warps make the access over and over; nothing varies between a short and a long run but the
// number of turns. zero is 0, which the compiler does not know: the address seems to change.
template <int OP>
static __device__ __noinline__ uint32_t stream(uint32_t a, const uint8_t *s, bool active,
                                               uint32_t turns, uint32_t zero)
{
    uint32_t seen = 0;
    __syncthreads();
    const uint32_t start = clock();
    if (takes_all(OP) || active)
        for (uint32_t i = 0; i < turns; i++) {
#pragma unroll
            for (uint32_t u = 0; u < GPU_STEPS; u++)
                seen ^= make<OP>(a + zero * (i * GPU_STEPS + u), threadIdx.x, s);
        }
    __syncwarp();
    __syncthreads();
    return clock() - start + (seen == 0x12345679u);
}

struct run_stream {
    const gpu_pattern *pattern;
    const uint8_t *source;
    gpu_cycles *cycles;
    uint32_t few, all, zero;

    template <int OP> __device__ void with()
    {
        const uint32_t lane = threadIdx.x % GPU_LANES;
        const uint32_t a = shared_base() + pattern->addr[lane];
        const uint8_t *s = source + pattern->src[lane];
        const bool active = pattern->mask >> lane & 1;
        stream<OP>(a, s, active, few, zero); // a cold run first
        const uint32_t short_run = stream<OP>(a, s, active, few, zero);
        const uint32_t long_run = stream<OP>(a, s, active, all, zero);
        if (threadIdx.x == 0)
            *cycles = gpu_cycles{short_run, long_run};
    }
};

extern "C" __global__ void __launch_bounds__(GPU_LANES *GPU_WARPS)
    clock_patterns(const gpu_pattern *patterns, gpu_cycles *cycles, uint32_t count,
                   const uint8_t *source, uint32_t bytes, uint32_t few, uint32_t all, uint32_t zero)
{
    clear_memory(bytes);
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        run_stream run{patterns + i, source, cycles + i, few, all, zero};
        dispatch<0>(patterns[i].op, run);
        __syncthreads();
    }
}

// ---- for the profiler ---------------------------------------------------------------------------

struct run_plays {
    const gpu_pattern *pattern;
    const uint8_t *source;
    uint32_t times, zero;
    uint32_t seen;

    template <int OP> __device__ void with()
    {
        const uint32_t lane = threadIdx.x;
        const uint32_t a = shared_base() + pattern->addr[lane];
        const bool active = pattern->mask >> lane & 1;
        if (takes_all(OP) || active)
            for (uint32_t i = 0; i < times; i++)
                seen ^= make<OP>(a + zero * i, lane, source + pattern->src[lane]);
    }
};

extern "C" __global__ void play_pattern(const gpu_pattern *pattern, const uint8_t *source,
                                        uint32_t times, uint32_t zero, uint32_t *sink)
{
    run_plays run{pattern, source, times, zero, 0};
    dispatch<0>(pattern->op, run);
    if (run.seen == 0x12345679u)
        *sink = 1;
}

// ---- loops --------------------------------------------------------------------------------------

// The instruction of an access of a body.
static __device__ constexpr int op_of(int body, int step)
{
    switch (body) {
    case BS_BODY_LD_32:
        return GPU_LD_32;
    case BS_BODY_LD_64:
        return GPU_LD_64;
    case BS_BODY_LD_128:
        return GPU_LD_128;
    case BS_BODY_ATOM_ADD:
        return GPU_ATOM_ADD;
    case BS_BODY_ST_64:
        return GPU_ST_64;
    case BS_BODY_ST_128:
        return GPU_ST_128;
    case BS_BODY_LD_6_ST_2:
        return step < 6 ? GPU_LD_32 : GPU_ST_32;
    case BS_BODY_LD_4_ST_4:
        return step < 4 ? GPU_LD_32 : GPU_ST_32;
    case BS_BODY_LD_2_ST_6:
        return step < 2 ? GPU_LD_32 : GPU_ST_32;
    default:
        return GPU_ST_32;
    }
}

static __device__ constexpr bool has_loads(int body)
{
    return op_of(body, 0) == GPU_LD_32 || op_of(body, 0) == GPU_LD_64 ||
           op_of(body, 0) == GPU_LD_128;
}

// Makes access number STEP of a body and those after it. What is stored the compiler knows to be 0,
// or does not know. A chain's address is used once more while the load is on its way, so that the
// two have registers of their own: with one for both the compiler lets the add take a cycle more.
template <int BODY, bool CHAIN, int STEP = 0>
static __device__ __forceinline__ void iterate(const uint32_t (&a)[GPU_STEPS], uint32_t value,
                                               uint32_t &last, uint32_t &used)
{
    if constexpr (STEP < GPU_STEPS) {
        const bool zero = BODY == BS_BODY_ST_ZERO || BODY == BS_BODY_ATOM_ADD;
        if constexpr (CHAIN) {
            const uint32_t address = a[STEP] + last;
            last = make<op_of(BODY, STEP)>(address, 0, nullptr);
            used ^= address;
        } else {
            make<op_of(BODY, STEP)>(a[STEP], zero ? 0 : value, nullptr);
        }
        iterate<BODY, CHAIN, STEP + 1>(a, value, last, used);
    }
}

// Runs a loop a short and a long time, some times after a first one, all in the same code, and returns
// what it took at best. The turns are multiples of what is unrolled, so that the branches are where
// the engine's twin has them.
template <typename Body> static __device__ __forceinline__ gpu_cycles time_runs(Body body)
{
    enum { RUNS = 12 };
    gpu_cycles taken{UINT32_MAX, UINT32_MAX};
#pragma unroll 1
    for (uint32_t run = 0; run < RUNS; run++) {
        const bool is_long = run & 1;
        __syncthreads();
        const uint32_t start = clock();
        body(is_long ? BS_LOOP_LONG : BS_LOOP_SHORT);
        __syncwarp();
        __syncthreads();
        const uint32_t cycles = clock() - start;
        uint32_t &least = is_long ? taken.all : taken.few;
        if (run >= 2 && cycles < least)
            least = cycles;
    }
    return taken;
}

template <int BODY, bool CHAIN, int UNROLLED>
static __device__ __forceinline__ gpu_cycles time_loop_of(const uint32_t (&a)[GPU_STEPS],
                                                          uint32_t value, bool active)
{
    uint32_t last = 0, used = 0;
    gpu_cycles taken = time_runs([&](uint32_t turns) {
        if (active) {
#pragma unroll UNROLLED
            for (uint32_t i = 0; i < turns; i++)
                iterate<BODY, CHAIN>(a, value, last, used);
        }
    });
    taken.all += used == 0x12345679u; // never: so that the compiler has to know
    return taken;
}

// The barrier is of so many lanes, known to the compiler, as that of a kernel is.
template <uint32_t LANES>
static __device__ __forceinline__ gpu_cycles time_barriers(uint32_t store, uint32_t load,
                                                           uint32_t value, bool active)
{
    return time_runs([&](uint32_t turns) {
        if (active) {
#pragma unroll BS_LOOP_UNROLLED
            for (uint32_t i = 0; i < turns; i++) {
                make<GPU_ST_32>(store, value, nullptr);
                asm volatile("bar.sync 1,%0;" ::"n"(LANES));
                make<GPU_LD_32>(load, 0, nullptr);
                asm volatile("bar.sync 1,%0;" ::"n"(LANES));
            }
        }
    });
}

// Reads the clock once the value is there.
static __device__ __forceinline__ void clock_after(uint32_t &clock, uint32_t value)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p,%1,0x12345679; @p mov.u32 %0,%%clock;}"
                 : "+r"(clock)
                 : "r"(value));
}

// From the issue of the last access of a burst to its result. The next run needs the addresses, so
// that the clock is not read into the register of one, which would wait for the accesses before.
template <int BODY>
static __device__ __forceinline__ gpu_cycles time_burst(const uint32_t (&a)[GPU_STEPS], bool active)
{
    enum { RUNS = 3 }; // so that the code is warm
    __shared__ uint32_t sum;
    uint32_t issued = 0, finished = 0;
#pragma unroll 1
    for (uint32_t run = 0; run < RUNS; run++) {
        uint32_t last = 0;
        __syncthreads();
        if (active) {
#pragma unroll
            for (uint32_t i = 0; i < BS_BURST_STEPS; i++)
                last = make<op_of(BODY, 0)>(a[i % GPU_STEPS], 0, nullptr);
            clock_after(issued, a[0]);
            clock_after(finished, last);
        }
        __syncwarp();
        __syncthreads();
    }
    if (threadIdx.x == 0)
        sum = 0;
    __syncthreads();
    if (active && threadIdx.x % GPU_LANES == 0)
        atomicAdd(&sum, finished - issued);
    __syncthreads();
    return gpu_cycles{0, sum};
}

template <int BODY>
static __device__ __forceinline__ gpu_cycles time_body(const gpu_loop &loop, uint32_t base,
                                                    bool active)
{
    const uint32_t lane = threadIdx.x % GPU_LANES, warp = threadIdx.x / GPU_LANES;
    uint32_t a[GPU_STEPS];
#pragma unroll
    for (uint32_t u = 0; u < GPU_STEPS; u++)
        a[u] = base + loop.addr[(u + warp * loop.rotate) % GPU_STEPS][lane];
    const uint32_t value = threadIdx.x;
    if constexpr (BODY < BS_CHAINED_BODIES) {
        if (loop.kind == BS_LOOP_CHAIN)
            return time_loop_of<BODY, true, BS_LOOP_UNROLLED>(a, value, active);
    }
    if constexpr (BODY == BS_BODY_LD_32) {
        if (loop.kind == BS_LOOP_BURST)
            return time_burst<BODY>(a, active);
    }
    if constexpr (BODY == BS_BODY_ST_ZERO) {
        if (loop.kind == BS_LOOP_BARRIER && loop.warps == 1)
            return time_barriers<GPU_LANES>(a[0], a[1], value, active);
        if (loop.kind == BS_LOOP_BARRIER)
            return time_barriers<GPU_LANES * GPU_WARPS>(a[0], a[1], value, active);
    }
    if constexpr (has_loads(BODY)) {
        return time_loop_of<BODY, false, BS_LOOP_TIGHT>(a, value, active);
    } else {
        if constexpr (BODY == BS_BODY_ST_ZERO) {
            if (loop.tight)
                return time_loop_of<BODY, false, BS_LOOP_TIGHT>(a, value, active);
        }
        return time_loop_of<BODY, false, BS_LOOP_UNROLLED>(a, value, active);
    }
}

template <int BODY = 0>
static __device__ __forceinline__ gpu_cycles time_any(const gpu_loop &loop, bool active)
{
    if constexpr (BODY < BS_BODIES) {
        if (loop.body == BODY)
            return time_body<BODY>(loop, shared_base(), active);
        return time_any<BODY + 1>(loop, active);
    } else {
        return gpu_cycles{0, 0};
    }
}

static __device__ gpu_cycles time_loop(const gpu_loop &loop)
{
    return time_any(loop, loop.warps >> threadIdx.x / GPU_LANES & 1);
}

extern "C" __global__ void __launch_bounds__(GPU_LANES *GPU_WARPS, 1)
    time_loops(const gpu_loop *loops, gpu_cycles *cycles, uint32_t count, uint32_t bytes)
{
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        clear_memory(bytes);
        const gpu_cycles taken = time_loop(loops[i]);
        if (threadIdx.x == 0)
            cycles[i] = taken;
        __syncthreads();
    }
}
