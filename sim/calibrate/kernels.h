/* What the program and its kernels on the GPU agree on. */
#ifndef BS_KERNELS_H
#define BS_KERNELS_H

#include "bodies.h"

#include <stdint.h>

/* The instructions that the kernels can make. */
enum gpu_op {
    GPU_LD_8,
    GPU_LD_16,
    GPU_LD_32,
    GPU_LD_64,
    GPU_LD_128,
    GPU_ST_8,
    GPU_ST_16,
    GPU_ST_32,
    GPU_ST_64,
    GPU_ST_128,
    GPU_ATOM_ADD,
    GPU_ATOM_INC, /* an addition of 1 whose result nobody wants has an instruction of its own */
    GPU_ATOM_MAX,
    GPU_ATOM_MIN,
    GPU_ATOM_AND,
    GPU_ATOM_OR,
    GPU_ATOM_XOR,
    GPU_ATOM_EXCH,
    GPU_ATOM_CAS,
    GPU_ATOM_EXCH_64,
    GPU_ATOM_CAS_64,
    GPU_RED_ADD,
    GPU_RED_INC,
    GPU_RED_MAX,
    GPU_RED_MIN,
    GPU_RED_AND,
    GPU_RED_OR,
    GPU_RED_XOR,
    GPU_LDMATRIX_1, /* compute capability 7.5 */
    GPU_LDMATRIX_2,
    GPU_LDMATRIX_4,
    GPU_LDMATRIX_1_TRANS,
    GPU_LDMATRIX_2_TRANS,
    GPU_LDMATRIX_4_TRANS,
    GPU_STMATRIX_1, /* 9.0 */
    GPU_STMATRIX_2,
    GPU_STMATRIX_4,
    GPU_STMATRIX_1_TRANS,
    GPU_STMATRIX_2_TRANS,
    GPU_STMATRIX_4_TRANS,
    GPU_COPY_4, /* 8.0 */
    GPU_COPY_8,
    GPU_COPY_16,
    GPU_COPY_CG_16,
    GPU_OPS
};

enum {
    GPU_LANES = 32,
    GPU_WARPS = BS_LOOP_WARPS,
    GPU_STEPS = BS_LOOP_STEPS,
    GPU_PLAYS = 16, /* times that a launch for the profiler makes its access */
};

struct gpu_pattern {
    uint32_t op; /* enum gpu_op */
    uint32_t mask;
    uint32_t addr[GPU_LANES];
    uint32_t src[GPU_LANES];
};

struct gpu_loop {
    uint32_t kind; /* enum bs_loop_kind */
    uint32_t body; /* enum bs_loop_body */
    uint32_t warps, rotate, tight;
    uint32_t addr[GPU_STEPS][GPU_LANES];
};

/* Cycles of a short and of a long run; of a burst, in the second, those that the last load of each
 * warp was on its way, added up. */
struct gpu_cycles {
    uint32_t few, all;
};

#endif
