// What the examples share: every CUDA call is checked, and results are compared with the host's.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

inline void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}
#define CHECK(call) check(call, #call)

inline void finish(const char *kernel)
{
    check(cudaGetLastError(), kernel);
    check(cudaDeviceSynchronize(), kernel);
}

inline void expect(bool right, const char *kernel)
{
    std::printf("%-24s %s\n", kernel, right ? "right" : "WRONG");
    if (!right)
        std::exit(1);
}

// The same pseudo-random numbers everywhere.
struct Random {
    unsigned state = 2026;
    unsigned next()
    {
        state = state * 1664525u + 1013904223u;
        return state >> 8;
    }
};
