/*
 * A program with a CUDA driver that there is not: it loads a module, launches its kernels, and lets
 * a thread do what the patches do on the device, through the same ring. The capture library is
 * linked into it, over fake/sanitizer.h.
 *
 *     fake-program [many] [graph] [fails] [refuses] [dies]
 */
#define _XOPEN_SOURCE 700 /* nanosleep */
#include "event.h"

#include <pthread.h>
#include <sanitizer.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 40, MANY = 3 * BS_EVENT_SLOTS, CODE = 0x7000 };

int InitializeInjection(void);
extern const unsigned char bs_patches_image[];
const unsigned char bs_patches_image[] = {0};

/* The driver's state. A program has but one driver. */
static struct {
    Sanitizer_CallbackFunc callback;
    void *user;
    const void *launch_data; /* what the kernel's callbacks get */
    pthread_t kernel;
    bool running, fails, refuses;
    uint64_t events;
    bool counts; /* the kernel is count<8> */
} driver;

static char *cubin;
static size_t cubin_size;

/* ---- the device ----------------------------------------------------------------------------- */

static uint64_t take_slot(struct bs_ring_control *control)
{
    const uint64_t number = control->head++;
    const struct timespec nap = {.tv_nsec = 10000};
    while (number < control->end &&
           number >= *(const volatile uint64_t *)control->taken + BS_EVENT_SLOTS)
        nanosleep(&nap, NULL);
    return number;
}

/* The i-th event: a store, a barrier and a load of tiny::shift, or the atomics of tiny::count<8>.
 */
static void fill(struct bs_event *event, uint64_t i)
{
    static const struct {
        uint64_t offset;
        uint8_t kind, flags;
    } shift[] = {{0x90, BS_EVENT_ACCESS, BS_EVENT_WRITES},
                 {0xa0, BS_EVENT_BARRIER, 0},
                 {0xb0, BS_EVENT_ACCESS, BS_EVENT_READS}},
      count[] = {{0x110, BS_EVENT_ACCESS, BS_EVENT_READS | BS_EVENT_WRITES},
                 {0x120, BS_EVENT_ACCESS, BS_EVENT_READS | BS_EVENT_WRITES}};
    const uint64_t step = driver.counts ? i % 2 : i % 3;
    *event = (struct bs_event){.mask = 0xffffffff,
                               .cta = (uint32_t)(i / 12),
                               .warp = (uint32_t)(i / 6 % 2),
                               .smem = 256,
                               .bytes = 4};
    event->pc = CODE + (driver.counts ? count[step].offset : shift[step].offset);
    event->kind = driver.counts ? count[step].kind : shift[step].kind;
    event->flags = driver.counts ? count[step].flags : shift[step].flags;
    if (event->kind == BS_EVENT_BARRIER)
        event->bytes = 0;
    for (unsigned lane = 0; lane < BS_EVENT_LANES; lane++)
        event->address[lane] = 0x400 + 4 * (lane + event->warp * BS_EVENT_LANES);
}

static void *run_kernel(void *user)
{
    struct bs_ring_control *control = user;
    for (uint64_t i = 0; i < driver.events; i++) {
        struct bs_event event;
        fill(&event, i);
        if (event.cta < control->cta_low || event.cta > control->cta_high) {
            control->outside++;
            continue;
        }
        const uint64_t number = take_slot(control);
        if (number >= control->end)
            continue;
        struct bs_event *slot = &control->slots[number % BS_EVENT_SLOTS];
        memcpy((char *)slot + sizeof slot->sequence, (char *)&event + sizeof event.sequence,
               sizeof event - sizeof event.sequence);
        atomic_thread_fence(memory_order_release);
        *(volatile uint64_t *)&slot->sequence = number + 1;
    }
    control->unseen[BS_UNSEEN_REMOTE] += driver.counts ? 2 : 0;
    return NULL;
}

/* ---- the API -------------------------------------------------------------------------------- */

SanitizerResult sanitizerGetResultString(SanitizerResult result, const char **text)
{
    *text = result == SANITIZER_SUCCESS ? "success" : "an illegal address was accessed";
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerSubscribe(Sanitizer_SubscriberHandle *subscriber,
                                   Sanitizer_CallbackFunc callback, void *user)
{
    *subscriber = NULL;
    driver.callback = callback;
    driver.user = user;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerEnableDomain(uint32_t enable, Sanitizer_SubscriberHandle subscriber,
                                      Sanitizer_CallbackDomain domain)
{
    (void)enable, (void)subscriber, (void)domain;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerAlloc(CUcontext context, void **memory, size_t size)
{
    (void)context;
    *memory = calloc(1, size);
    return *memory ? SANITIZER_SUCCESS : SANITIZER_ERROR_UNKNOWN;
}

/* The API calls back from its own calls. */
SanitizerResult sanitizerAllocHost(CUcontext context, void **memory, size_t size)
{
    driver.callback(driver.user, SANITIZER_CB_DOMAIN_RESOURCE,
                    SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC, NULL);
    return sanitizerAlloc(context, memory, size);
}

SanitizerResult sanitizerMemcpyHostToDeviceAsync(void *to, void *from, size_t size,
                                                 Sanitizer_StreamHandle stream)
{
    (void)stream;
    memcpy(to, from, size);
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerMemcpyDeviceToHost(void *to, void *from, size_t size,
                                            Sanitizer_StreamHandle stream)
{
    return sanitizerMemcpyHostToDeviceAsync(to, from, size, stream);
}

SanitizerResult sanitizerStreamSynchronize(Sanitizer_StreamHandle stream)
{
    (void)stream;
    if (driver.running)
        pthread_join(driver.kernel, NULL);
    driver.running = false;
    return driver.fails ? SANITIZER_ERROR_UNKNOWN : SANITIZER_SUCCESS;
}

static void load(const char *bytes, size_t size, void *module)
{
    const Sanitizer_ResourceModuleData data = {
        .module = module, .cubinSize = size, .pCubin = bytes};
    driver.callback(driver.user, SANITIZER_CB_DOMAIN_RESOURCE,
                    SANITIZER_CBID_RESOURCE_MODULE_LOADED, &data);
}

/* The patches are a module too. */
SanitizerResult sanitizerAddPatches(const void *image, CUcontext context)
{
    (void)image, (void)context;
    load("no cubin", 8, &driver);
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerPatchInstructions(Sanitizer_InstructionId instruction, CUmodule module,
                                           const char *callback)
{
    (void)module, (void)callback;
    return driver.refuses && instruction == SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS
               ? SANITIZER_ERROR_UNKNOWN
               : SANITIZER_SUCCESS;
}

SanitizerResult sanitizerPatchModule(CUmodule module)
{
    (void)module;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerGetFunctionPcAndSize(CUmodule module, const char *function, uint64_t *pc,
                                              uint64_t *size)
{
    (void)module, (void)function;
    *pc = CODE;
    *size = 0x400;
    return SANITIZER_SUCCESS;
}

SanitizerResult sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle launch_handle,
                                               CUfunction function, Sanitizer_StreamHandle stream,
                                               const void *data)
{
    (void)launch_handle, (void)function, (void)stream;
    driver.launch_data = data;
    return SANITIZER_SUCCESS;
}

/* ---- the program ---------------------------------------------------------------------------- */

static Sanitizer_LaunchData launch_of(const char *kernel)
{
    return (Sanitizer_LaunchData){.module = (CUmodule)(void *)&cubin,
                                  .functionName = kernel,
                                  .hLaunch = (Sanitizer_LaunchHandle)(void *)&driver,
                                  .gridDim_x = 4,
                                  .gridDim_y = 1,
                                  .gridDim_z = 1,
                                  .blockDim_x = 64,
                                  .blockDim_y = 1,
                                  .blockDim_z = 1};
}

static void launch(const char *kernel, uint64_t events, bool dies)
{
    Sanitizer_LaunchData data = launch_of(kernel);
    driver.launch_data = NULL;
    driver.events = events;
    driver.counts = strstr(kernel, "count") != NULL;
    driver.callback(driver.user, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN, &data);
    driver.running =
        driver.launch_data && pthread_create(&driver.kernel, NULL, run_kernel,
                                             (void *)(uintptr_t)driver.launch_data) == 0;
    if (dies) {
        pthread_join(driver.kernel, NULL);
        _exit(7);
    }
    data.hLaunch = NULL; /* the end knows less than the begin */
    data.gridDim_x = data.blockDim_x = 0;
    driver.callback(driver.user, SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_END, &data);
}

static void launch_graph(const char *kernel)
{
    const Sanitizer_GraphNodeLaunchData data = {.nodeType = CU_GRAPH_NODE_TYPE_KERNEL,
                                                .launchData = launch_of(kernel)};
    driver.callback(driver.user, SANITIZER_CB_DOMAIN_GRAPHS,
                    SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN, &data);
}

static bool read_cubin(void)
{
    FILE *file = fopen(FAKE_CUBIN, "rb");
    cubin = malloc(1 << 16);
    if (file && cubin)
        cubin_size = fread(cubin, 1, 1 << 16, file);
    if (file)
        fclose(file);
    return cubin_size > 0;
}

static bool has(int argc, char **argv, const char *word)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static const char shift[] = "_ZN4tiny5shiftEPf", count[] = "_ZN4tiny5countILi8EEEvPj";
    if (!read_cubin())
        return 70;
    InitializeInjection();
    if (!driver.callback)
        return 0; /* nobody asked for a capture */
    driver.refuses = has(argc, argv, "refuses");
    load(cubin, cubin_size, &cubin);
    launch(shift, has(argc, argv, "many") ? MANY : FEW, has(argc, argv, "dies"));
    launch(count, FEW, false);
    if (has(argc, argv, "graph"))
        launch_graph(shift);
    driver.fails = has(argc, argv, "fails");
    launch(shift, FEW, false);
    puts("the program's own output");
    return 0;
}
