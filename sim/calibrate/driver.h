/* The CUDA driver, found when the program runs: nothing needs it before. */
#ifndef BS_DRIVER_H
#define BS_DRIVER_H

#include "bankshot.h"

/* Attributes of devices, as the driver numbers them. */
enum bs_gpu_attribute {
    BS_GPU_PROCESSORS = 16,
    BS_GPU_LANES_PER_PROCESSOR = 39,
    BS_GPU_MAJOR = 75,
    BS_GPU_MINOR = 76,
    BS_GPU_SHARED_MEMORY = 81, /* of a multiprocessor */
    BS_GPU_CTAS = 106,
    BS_GPU_RESERVED_MEMORY = 111, /* of a CTA */
};

/* A GPU with the kernels loaded. */
struct bs_gpu;

/* NULL after filling error: no driver, no such GPU, no kernels. */
struct bs_gpu *bs_gpu_open(uint32_t number, struct bs_error *error);
void bs_gpu_close(struct bs_gpu *gpu);
const char *bs_gpu_name(const struct bs_gpu *gpu);
uint32_t bs_gpu_attribute(const struct bs_gpu *gpu, enum bs_gpu_attribute attribute);

/* Memory on the GPU, filled from bytes or, where that is NULL, with 0; 0 after filling error. */
uint64_t bs_gpu_memory(struct bs_gpu *gpu, const void *bytes, size_t size, struct bs_error *error);
void bs_gpu_forget(struct bs_gpu *gpu, uint64_t memory);
bool bs_gpu_read(struct bs_gpu *gpu, uint64_t memory, void *bytes, size_t size,
                 struct bs_error *error);

/* Starts a kernel and waits for its end. */
struct bs_gpu_launch {
    const char *kernel;
    uint32_t ctas, lanes, shared; /* lanes of a CTA, and its bytes of shared memory */
    void **arguments;             /* addresses of the arguments */
};
bool bs_gpu_run(struct bs_gpu *gpu, const struct bs_gpu_launch *launch, struct bs_error *error);

#endif
