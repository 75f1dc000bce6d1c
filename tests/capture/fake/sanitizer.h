/*
 * As much of the Sanitizer API as the capture library uses, so that the library can be compiled and
 * tried where there is no CUDA toolkit. The names are those of the API; what stands behind them is
 * in fake_program.c.
 */
#ifndef FAKE_SANITIZER_H
#define FAKE_SANITIZER_H

#include <stddef.h>
#include <stdint.h>

#define SANITIZERAPI

typedef struct fake_context *CUcontext;
typedef struct fake_module *CUmodule;
typedef struct fake_function *CUfunction;
typedef int CUdevice;
typedef enum { CU_GRAPH_NODE_TYPE_KERNEL, CU_GRAPH_NODE_TYPE_MEMCPY } CUgraphNodeType;

typedef enum { SANITIZER_SUCCESS, SANITIZER_ERROR_UNKNOWN } SanitizerResult;
typedef enum {
    SANITIZER_MEMORY_DEVICE_FLAG_READ = 1,
    SANITIZER_MEMORY_DEVICE_FLAG_WRITE = 2,
} Sanitizer_DeviceMemoryFlags;
typedef enum {
    SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS,
    SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS,
    SANITIZER_INSTRUCTION_MEMCPY_ASYNC,
    SANITIZER_INSTRUCTION_BARRIER,
    SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS,
    SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC,
    SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED,
    SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL,
    SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED,
    SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL,
    SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED,
    SANITIZER_INSTRUCTION_ASYNC_STORE,
    SANITIZER_INSTRUCTION_ASYNC_REDUCTION,
    SANITIZER_INSTRUCTION_MEMSET_SHARED,
} Sanitizer_InstructionId;

typedef enum {
    SANITIZER_CB_DOMAIN_RESOURCE = 3,
    SANITIZER_CB_DOMAIN_LAUNCH = 5,
    SANITIZER_CB_DOMAIN_GRAPHS = 10,
} Sanitizer_CallbackDomain;
typedef uint32_t Sanitizer_CallbackId;
enum {
    SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING = 4,
    SANITIZER_CBID_RESOURCE_MODULE_LOADED = 9,
    SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING = 10,
    SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC = 13,
    SANITIZER_CBID_LAUNCH_BEGIN = 1,
    SANITIZER_CBID_LAUNCH_AFTER_SYSCALL_SETUP = 2,
    SANITIZER_CBID_LAUNCH_END = 3,
    SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN = 4,
};

typedef struct fake_stream *Sanitizer_StreamHandle;
typedef struct fake_launch *Sanitizer_LaunchHandle;
typedef struct fake_subscriber *Sanitizer_SubscriberHandle;

typedef struct {
    CUcontext context;
} Sanitizer_ResourceContextData;

typedef struct {
    CUcontext context;
    CUmodule module;
    size_t cubinSize;
    const char *pCubin;
} Sanitizer_ResourceModuleData;

typedef struct {
    CUcontext context;
    Sanitizer_StreamHandle hStream;
    CUmodule module;
    CUfunction function;
    const char *functionName;
    uint32_t gridDim_x, gridDim_y, gridDim_z;
    uint32_t blockDim_x, blockDim_y, blockDim_z;
    uint32_t clusterDim_x, clusterDim_y, clusterDim_z;
    Sanitizer_LaunchHandle hLaunch;
    CUdevice device;
} Sanitizer_LaunchData;

typedef struct {
    CUgraphNodeType nodeType;
    Sanitizer_LaunchData launchData;
    uint32_t isGraphUpload;
} Sanitizer_GraphNodeLaunchData;

typedef void (*Sanitizer_CallbackFunc)(void *user, Sanitizer_CallbackDomain domain,
                                       Sanitizer_CallbackId id, const void *data);

SanitizerResult sanitizerGetResultString(SanitizerResult result, const char **text);
SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle *subscriber,
                                   Sanitizer_CallbackFunc callback, void *user);
SanitizerResult sanitizerEnableDomain(uint32_t enable, Sanitizer_SubscriberHandle subscriber,
                                      Sanitizer_CallbackDomain domain);
SanitizerResult sanitizerAlloc(CUcontext context, void **memory, size_t size);
SanitizerResult sanitizerAllocHost(CUcontext context, void **memory, size_t size);
SanitizerResult sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t size,
                                                 Sanitizer_StreamHandle stream);
SanitizerResult sanitizerMemcpyDeviceToHost(void *to, void *from, size_t size,
                                            Sanitizer_StreamHandle stream);
SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle stream);
SanitizerResult sanitizerAddPatches(const void *image, CUcontext context);
SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId instruction, CUmodule module,
                                           const char *callback);
SanitizerResult sanitizerPatchModule(CUmodule module);
SanitizerResult sanitizerGetFunctionPcAndSize(CUmodule module, const char *function, uint64_t *pc,
                                              uint64_t *size);
SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle launch, CUfunction function,
                                               Sanitizer_StreamHandle stream, const void *data);

#endif
