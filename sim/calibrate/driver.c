/* See driver.h. The functions of the driver return 0 when all is well. */
#include "driver.h"

#include "core/buffer.h"
#include "core/program.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct context *context;
typedef struct module *module;
typedef struct function *function;

union entry {
    void *object;
    int (*init)(unsigned flags);
    int (*get_error)(int error, const char **text);
    int (*get_count)(int *count);
    int (*get_device)(int *device, int number);
    int (*get_name)(char *name, int size, int device);
    int (*get_attribute)(int *value, int attribute, int device);
    int (*retain)(context *context, int device);
    int (*release)(int device);
    int (*set_current)(context context);
    int (*load)(module *module, const void *image);
    int (*find)(function *function, module module, const char *name);
    int (*allocate)(uint64_t *memory, size_t size);
    int (*free)(uint64_t memory);
    int (*fill)(uint64_t memory, unsigned char value, size_t size);
    int (*write)(uint64_t memory, const void *bytes, size_t size);
    int (*read)(void *bytes, uint64_t memory, size_t size);
    int (*launch)(function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                  void *stream, void **arguments, void **extra);
    int (*wait)(void);
};

enum call {
    INIT,
    GET_ERROR,
    GET_COUNT,
    GET_DEVICE,
    GET_NAME,
    GET_ATTRIBUTE,
    RETAIN,
    RELEASE,
    SET_CURRENT,
    LOAD,
    FIND,
    ALLOCATE,
    FREE,
    FILL,
    WRITE,
    READ,
    LAUNCH,
    WAIT,
    CALLS
};

static const char *const names[CALLS] = {
    [INIT] = "cuInit",
    [GET_ERROR] = "cuGetErrorString",
    [GET_COUNT] = "cuDeviceGetCount",
    [GET_DEVICE] = "cuDeviceGet",
    [GET_NAME] = "cuDeviceGetName",
    [GET_ATTRIBUTE] = "cuDeviceGetAttribute",
    [RETAIN] = "cuDevicePrimaryCtxRetain",
    [RELEASE] = "cuDevicePrimaryCtxRelease_v2",
    [SET_CURRENT] = "cuCtxSetCurrent",
    [LOAD] = "cuModuleLoadData",
    [FIND] = "cuModuleGetFunction",
    [ALLOCATE] = "cuMemAlloc_v2",
    [FREE] = "cuMemFree_v2",
    [FILL] = "cuMemsetD8_v2",
    [WRITE] = "cuMemcpyHtoD_v2",
    [READ] = "cuMemcpyDtoH_v2",
    [LAUNCH] = "cuLaunchKernel",
    [WAIT] = "cuCtxSynchronize",
};

struct bs_gpu {
    union entry calls[CALLS];
    int device;
    bool retained;
    module module;
    char name[128];
};

static bool fail_call(const struct bs_gpu *gpu, enum call call, int result, struct bs_error *error)
{
    const char *text = NULL;
    if (gpu->calls[GET_ERROR].get_error(result, &text) != 0 || !text)
        text = "unknown error";
    return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "the GPU: %s: %s", names[call], text);
}

/* True if the driver's call went well. */
static bool went_well(const struct bs_gpu *gpu, enum call call, int result, struct bs_error *error)
{
    return result == 0 || fail_call(gpu, call, result, error);
}

/* ---- opening --------------------------------------------------------------------------------- */

static bool find_driver(struct bs_gpu *gpu, struct bs_error *error)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return bs_fail(error, BS_INTERNAL, NULL, 0, 0,
                       "there is no CUDA driver here; --simulate asks a model instead");
    for (unsigned i = 0; i < CALLS; i++) {
        gpu->calls[i].object = dlsym(library, names[i]);
        if (!gpu->calls[i].object)
            return bs_fail(error, BS_INTERNAL, NULL, 0, 0, "the CUDA driver has no %s", names[i]);
    }
    return true;
}

/* The compiled kernels, which lie beside the program's libraries. The caller frees them. */
static char *read_kernels(struct bs_error *error)
{
    struct bs_buffer path = {0}, image = {0};
    char piece[1 << 14];
    bs_program_folder(&path);
    bs_buffer_text(&path, BANKSHOT_KERNELS);
    bs_buffer_add(&path, "", 1);
    FILE *file = path.failed ? NULL : fopen(path.data, "rb");
    if (!file) {
        bs_fail(error, BS_INTERNAL, path.failed ? NULL : path.data, 0, 0,
                "the kernels cannot be read: %s; they are built where nvcc is", strerror(errno));
        bs_buffer_free(&path);
        return NULL;
    }
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
        bs_buffer_add(&image, piece, got);
    if (ferror(file) || image.failed)
        bs_fail(error, BS_INTERNAL, path.data, 0, 0, "the kernels cannot be read");
    const bool good = !ferror(file) && !image.failed;
    fclose(file);
    bs_buffer_free(&path);
    if (good)
        return bs_buffer_take(&image);
    bs_buffer_free(&image);
    return NULL;
}

static bool load_kernels(struct bs_gpu *gpu, struct bs_error *error)
{
    char *image = read_kernels(error);
    if (!image)
        return false;
    const int result = gpu->calls[LOAD].load(&gpu->module, image);
    free(image);
    return went_well(gpu, LOAD, result, error);
}

static bool choose_device(struct bs_gpu *gpu, uint32_t number, struct bs_error *error)
{
    int count;
    if (!went_well(gpu, INIT, gpu->calls[INIT].init(0), error) ||
        !went_well(gpu, GET_COUNT, gpu->calls[GET_COUNT].get_count(&count), error))
        return false;
    if (number >= (uint32_t)count)
        return bs_fail(error, BS_USAGE, NULL, 0, 0, "there is no GPU %u: %d in all, from 0", number,
                       count);
    return went_well(gpu, GET_DEVICE, gpu->calls[GET_DEVICE].get_device(&gpu->device, (int)number),
                     error) &&
           went_well(gpu, GET_NAME,
                     gpu->calls[GET_NAME].get_name(gpu->name, sizeof gpu->name, gpu->device),
                     error);
}

static bool enter(struct bs_gpu *gpu, struct bs_error *error)
{
    context own;
    gpu->retained = went_well(gpu, RETAIN, gpu->calls[RETAIN].retain(&own, gpu->device), error);
    return gpu->retained &&
           went_well(gpu, SET_CURRENT, gpu->calls[SET_CURRENT].set_current(own), error);
}

struct bs_gpu *bs_gpu_open(uint32_t number, struct bs_error *error)
{
    struct bs_gpu *gpu = calloc(1, sizeof *gpu);
    if (!gpu) {
        bs_fail(error, BS_INTERNAL, NULL, 0, 0, "out of memory");
        return NULL;
    }
    if (find_driver(gpu, error) && choose_device(gpu, number, error) && enter(gpu, error) &&
        load_kernels(gpu, error))
        return gpu;
    bs_gpu_close(gpu);
    return NULL;
}

void bs_gpu_close(struct bs_gpu *gpu)
{
    if (gpu && gpu->retained)
        gpu->calls[RELEASE].release(gpu->device);
    free(gpu);
}

/* ---- use ------------------------------------------------------------------------------------- */

const char *bs_gpu_name(const struct bs_gpu *gpu)
{
    return gpu->name;
}

uint32_t bs_gpu_attribute(const struct bs_gpu *gpu, enum bs_gpu_attribute attribute)
{
    int value = 0;
    if (gpu->calls[GET_ATTRIBUTE].get_attribute(&value, (int)attribute, gpu->device) != 0)
        return 0;
    return value > 0 ? (uint32_t)value : 0;
}

uint64_t bs_gpu_memory(struct bs_gpu *gpu, const void *bytes, size_t size, struct bs_error *error)
{
    uint64_t memory = 0;
    if (!went_well(gpu, ALLOCATE, gpu->calls[ALLOCATE].allocate(&memory, size), error))
        return 0;
    const bool good =
        bytes ? went_well(gpu, WRITE, gpu->calls[WRITE].write(memory, bytes, size), error)
              : went_well(gpu, FILL, gpu->calls[FILL].fill(memory, 0, size), error);
    if (good)
        return memory;
    bs_gpu_forget(gpu, memory);
    return 0;
}

void bs_gpu_forget(struct bs_gpu *gpu, uint64_t memory)
{
    if (memory)
        gpu->calls[FREE].free(memory);
}

bool bs_gpu_read(struct bs_gpu *gpu, uint64_t memory, void *bytes, size_t size,
                 struct bs_error *error)
{
    return went_well(gpu, READ, gpu->calls[READ].read(bytes, memory, size), error);
}

bool bs_gpu_run(struct bs_gpu *gpu, const struct bs_gpu_launch *launch, struct bs_error *error)
{
    function kernel;
    return went_well(gpu, FIND, gpu->calls[FIND].find(&kernel, gpu->module, launch->kernel),
                     error) &&
           went_well(gpu, LAUNCH,
                     gpu->calls[LAUNCH].launch(kernel, launch->ctas, 1, 1, launch->lanes, 1, 1,
                                               launch->shared, NULL, launch->arguments, NULL),
                     error) &&
           went_well(gpu, WAIT, gpu->calls[WAIT].wait(), error);
}
