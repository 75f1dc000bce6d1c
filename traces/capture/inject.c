/*
 * The library that the CUDA driver loads into the captured program, by CUDA_INJECTION64_PATH. The
 * Sanitizer API calls it when modules are loaded and kernels launched; it patches those modules
 * that have a kernel to capture, and hands each launch a ring for its events. All else is the
 * launcher's work, at the other end of the socket.
 */
#define _XOPEN_SOURCE 700 /* strdup */
#include "cubin.h"
#include "devices.h"
#include "feed.h"
#include "patches_image.h"
#include "selection.h"

#include <pthread.h>
#include <sanitizer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

_Static_assert(BS_EVENT_READS == (int)SANITIZER_MEMORY_DEVICE_FLAG_READ &&
                   BS_EVENT_WRITES == (int)SANITIZER_MEMORY_DEVICE_FLAG_WRITE,
               "events have the API's own flags");

/* A module that has kernels to capture. */
struct module {
    CUmodule handle;
    uint32_t number;
    char *cubin;
    size_t size;
    bool sent;
    struct module *next;
};

/* A context, with what the device and the host share in it. */
struct context {
    CUcontext handle;
    bool usable; /* the patches are loaded */
    struct bs_event *slots;
    uint64_t *taken;
    struct bs_ring_control *control; /* on the device */
    struct bs_ring_control handed;   /* what is copied there at a launch */
    struct bs_ring ring;
    struct context *next;
};

struct injector {
    struct bs_feed *feed;
    struct bs_selection selection;
    pthread_mutex_t lock;   /* of the lists; recursive, for the API calls back from its own calls */
    pthread_mutex_t launch; /* held from the begin of a captured launch to its end */
    struct module *modules;
    struct context *contexts;
    uint32_t module_count;
    uint64_t matches; /* launches of kernels that fit */
    uint64_t left;    /* records that may still be made */
    CUdevice device;  /* the last that was told of */
    bool device_told;

    /* Of the launch that is captured now, by the thread that holds the lock of launches. */
    struct context *launched;
    pthread_t launcher;
    uint64_t first; /* number of its first event */
    uint64_t end;   /* of the event after the last that may be recorded */
};

/* ---- saying --------------------------------------------------------------------------------- */

static void tell_missed(struct injector *injector, uint64_t launches, const char *why)
{
    struct bs_buffer item = {0};
    bs_item_put_missed(&item, launches, why);
    bs_feed_send(injector->feed, &item);
    bs_buffer_free(&item);
}

/* Whether a call of the API went well; if not, that is said. */
static bool is_good(struct injector *injector, SanitizerResult result, const char *what)
{
    const char *reason = NULL;
    char why[128];
    if (result == SANITIZER_SUCCESS)
        return true;
    sanitizerGetResultString(result, &reason);
    snprintf(why, sizeof why, "the Sanitizer API does not %s: %s", what,
             reason ? reason : "no reason given");
    tell_missed(injector, 0, why);
    return false;
}

/* ---- contexts ------------------------------------------------------------------------------- */

/* Pinned memory, all zero, that the device reaches too. */
static void *shared_memory(struct injector *injector, CUcontext context, size_t size)
{
    void *memory = NULL;
    if (!is_good(injector, sanitizerAllocHost(context, &memory, size), "give pinned memory"))
        return NULL;
    memset(memory, 0, size);
    return memory;
}

static bool prepare(struct injector *injector, struct context *context)
{
    void *control = NULL;
    if (!is_good(injector, sanitizerAddPatches(bs_patches_image, context->handle),
                 "take the patches"))
        return false;
    context->slots =
        shared_memory(injector, context->handle, BS_EVENT_SLOTS * sizeof *context->slots);
    context->taken = shared_memory(injector, context->handle, sizeof *context->taken);
    if (!context->slots || !context->taken ||
        !is_good(injector, sanitizerAlloc(context->handle, &control, sizeof *context->control),
                 "give memory of the device"))
        return false;
    context->control = control;
    context->ring = (struct bs_ring){.slots = context->slots, .taken = context->taken};
    return true;
}

static struct context *find_context(struct injector *injector, CUcontext handle)
{
    struct context *context = injector->contexts;
    while (context && context->handle != handle)
        context = context->next;
    if (context)
        return context;
    context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->handle = handle;
    context->next = injector->contexts;
    injector->contexts = context; /* before the API is called, which may call back */
    context->usable = prepare(injector, context);
    return context;
}

static void forget_context(struct injector *injector, CUcontext handle)
{
    for (struct context **at = &injector->contexts; *at; at = &(*at)->next) {
        struct context *context = *at;
        if (context->handle != handle)
            continue;
        *at = context->next; /* its memory goes with it */
        free(context);
        return;
    }
}

/* ---- modules -------------------------------------------------------------------------------- */

struct search {
    const struct bs_selection *selection;
    bool found;
};

static bool see_kernel(void *user, const char *kernel)
{
    struct search *search = user;
    search->found = bs_selection_takes_kernel(search->selection, kernel);
    return !search->found;
}

struct patch {
    Sanitizer_InstructionId instruction;
    const char *callback;
};

static bool patch(struct injector *injector, CUmodule module)
{
    static const struct patch recorded[] = {
        {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "bs_on_access"},
        {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "bs_on_matrix"},
        {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "bs_on_copy"},
        {SANITIZER_INSTRUCTION_BARRIER, "bs_on_barrier"},
    };
    static const struct patch counted[] = {
        {SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS, "bs_on_remote"},
        {SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC, "bs_on_wgmma"},
        {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "bs_on_bulk_load"},
        {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "bs_on_bulk_store"},
        {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED, "bs_on_bulk_shared"},
        {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "bs_on_bulk_store"},
        {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED, "bs_on_bulk_shared"},
        {SANITIZER_INSTRUCTION_ASYNC_STORE, "bs_on_async_store"},
        {SANITIZER_INSTRUCTION_ASYNC_REDUCTION, "bs_on_async_reduction"},
        {SANITIZER_INSTRUCTION_MEMSET_SHARED, "bs_on_memset"},
    };
    for (size_t i = 0; i < sizeof recorded / sizeof *recorded; i++)
        if (!is_good(
                injector,
                sanitizerPatchInstructions(recorded[i].instruction, module, recorded[i].callback),
                "patch the accesses of a module"))
            return false;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        if (!is_good(
                injector,
                sanitizerPatchInstructions(counted[i].instruction, module, counted[i].callback),
                "count all that cannot be recorded"))
            break;
    return is_good(injector, sanitizerPatchModule(module), "patch a module");
}

static void load_module(struct injector *injector, const Sanitizer_ResourceModuleData *data)
{
    struct search search = {.selection = &injector->selection};
    bs_cubin_kernels(data->pCubin, data->cubinSize, see_kernel, &search);
    if (!search.found)
        return;
    const struct context *context = find_context(injector, data->context);
    struct module *module = calloc(1, sizeof *module);
    char *cubin = malloc(data->cubinSize);
    if (!context || !context->usable || !module || !cubin || !patch(injector, data->module)) {
        free(module);
        free(cubin);
        return;
    }
    memcpy(cubin, data->pCubin, data->cubinSize);
    *module = (struct module){.handle = data->module,
                              .number = injector->module_count++,
                              .cubin = cubin,
                              .size = data->cubinSize,
                              .next = injector->modules};
    injector->modules = module;
}

static void unload_module(struct injector *injector, CUmodule handle)
{
    for (struct module **at = &injector->modules; *at; at = &(*at)->next) {
        struct module *module = *at;
        if (module->handle != handle)
            continue;
        *at = module->next;
        free(module->cubin);
        free(module);
        return;
    }
}

static struct module *find_module(struct injector *injector, CUmodule handle)
{
    struct module *module = injector->modules;
    while (module && module->handle != handle)
        module = module->next;
    return module;
}

/* ---- launches ------------------------------------------------------------------------------- */

/* No call of the driver is allowed from here: what devices there are, the launcher has asked. */
static void tell_device(struct injector *injector, CUdevice device, struct bs_buffer *items)
{
    struct bs_item_device item;
    char name[BS_DEVICE_NAME];
    if (injector->device_told && injector->device == device)
        return;
    injector->device_told = true;
    injector->device = device;
    bs_device_of_environment(device, &item, name);
    bs_item_put_device(items, &item);
}

static void tell_launch(struct injector *injector, const Sanitizer_LaunchData *data,
                        struct module *module, uint64_t number)
{
    struct bs_buffer items = {0};
    struct bs_item_launch launch = {
        .kernel = data->functionName,
        .number = number,
        .module = module->number,
        .grid = {data->gridDim_x, data->gridDim_y, data->gridDim_z},
        .block = {data->blockDim_x, data->blockDim_y, data->blockDim_z},
        .cluster = {data->clusterDim_x, data->clusterDim_y, data->clusterDim_z},
    };
    tell_device(injector, data->device, &items);
    if (!module->sent)
        bs_item_put_module(&items, module->number, module->cubin, module->size);
    module->sent = true;
    is_good(
        injector,
        sanitizerGetFunctionPcAndSize(data->module, data->functionName, &launch.pc, &launch.size),
        "say where a kernel's code is");
    bs_item_put_launch(&items, &launch);
    bs_feed_send(injector->feed, &items);
    bs_buffer_free(&items);
}

static uint32_t cta_bound(uint64_t bound)
{
    return bound > UINT32_MAX ? UINT32_MAX : (uint32_t)bound;
}

/* Sets the launch up; false if the API would not. */
static bool hand_over(struct injector *injector, struct context *context,
                      const Sanitizer_LaunchData *data)
{
    const uint64_t first = context->ring.next;
    context->handed = (struct bs_ring_control){
        .slots = context->slots,
        .taken = context->taken,
        .known_taken = first,
        .head = first,
        .end = injector->left < UINT64_MAX - first ? first + injector->left : UINT64_MAX,
        .cta_low = cta_bound(injector->selection.cta.low),
        .cta_high = cta_bound(injector->selection.cta.high),
    };
    injector->first = first;
    injector->end = context->handed.end;
    return is_good(injector,
                   sanitizerMemcpyHostToDeviceAsync(context->control, &context->handed,
                                                    sizeof context->handed, data->hStream),
                   "copy to the device") &&
           is_good(injector,
                   sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream,
                                                  context->control),
                   "take the data of a launch");
}

static void begin_launch(struct injector *injector, const Sanitizer_LaunchData *data)
{
    pthread_mutex_lock(&injector->lock);
    struct module *module = find_module(injector, data->module);
    const bool fits = module && bs_selection_takes_kernel(&injector->selection, data->functionName);
    const uint64_t number = fits ? injector->matches++ : 0;
    struct context *context = fits ? find_context(injector, data->context) : NULL;
    pthread_mutex_unlock(&injector->lock);
    if (!fits || number < injector->selection.launch.low ||
        number > injector->selection.launch.high)
        return;
    if (!context || !context->usable) {
        tell_missed(injector, 1, "the context could not be prepared");
        return;
    }
    pthread_mutex_lock(&injector->launch); /* end_launch unlocks it */
    if (!hand_over(injector, context, data)) {
        pthread_mutex_unlock(&injector->launch);
        tell_missed(injector, 1, "the launch could not be prepared");
        return;
    }
    tell_launch(injector, data, module, number);
    injector->launched = context;
    injector->launcher = pthread_self();
    bs_feed_begin(injector->feed, &context->ring);
}

static void tell_end(struct injector *injector, const struct bs_ring_control *control,
                     const char *failure)
{
    struct bs_buffer items = {0};
    const uint64_t last = control->head < injector->end ? control->head : injector->end;
    struct bs_item_end end = {
        .recorded = last - injector->first,
        .over = control->head - last,
        .outside = control->outside,
        .failure = failure,
    };
    memcpy(end.unseen, control->unseen, sizeof end.unseen);
    bs_item_put_end(&items, &end);
    bs_feed_send(injector->feed, &items);
    bs_buffer_free(&items);
    if (injector->left != UINT64_MAX)
        injector->left -= end.recorded;
}

static void end_launch(struct injector *injector, const Sanitizer_LaunchData *data)
{
    struct context *context = injector->launched;
    struct bs_ring_control control = {.head = injector->first};
    const char *failure = "";
    if (!context || !pthread_equal(injector->launcher, pthread_self()))
        return;
    const SanitizerResult waited = sanitizerStreamSynchronize(data->hStream);
    const bool known = waited == SANITIZER_SUCCESS &&
                       sanitizerMemcpyDeviceToHost(&control, context->control, sizeof control,
                                                   data->hStream) == SANITIZER_SUCCESS;
    bs_feed_end(injector->feed, control.head < injector->end ? control.head : injector->end, known);
    if (!known) {
        sanitizerGetResultString(waited, &failure);
        control = (struct bs_ring_control){.head = context->ring.next};
    }
    tell_end(injector, &control, failure);
    injector->launched = NULL;
    pthread_mutex_unlock(&injector->launch);
}

/* ---- callbacks ------------------------------------------------------------------------------ */

static void on_resource(struct injector *injector, Sanitizer_CallbackId id, const void *data)
{
    const Sanitizer_ResourceModuleData *module = data;
    const Sanitizer_ResourceContextData *context = data;
    if (id != SANITIZER_CBID_RESOURCE_MODULE_LOADED &&
        id != SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING &&
        id != SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        return;
    pthread_mutex_lock(&injector->lock);
    if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED)
        load_module(injector, module);
    else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING)
        unload_module(injector, module->module);
    else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        forget_context(injector, context->context);
    pthread_mutex_unlock(&injector->lock);
}

/* Launches of a graph come all at once: their events cannot be told apart. */
static void on_graph(struct injector *injector, Sanitizer_CallbackId id, const void *data)
{
    const Sanitizer_GraphNodeLaunchData *node = data;
    if (id == SANITIZER_CBID_GRAPHS_NODE_LAUNCH_BEGIN && !node->isGraphUpload &&
        node->nodeType == CU_GRAPH_NODE_TYPE_KERNEL && node->launchData.functionName &&
        bs_selection_takes_kernel(&injector->selection, node->launchData.functionName))
        tell_missed(injector, 1, "they are part of a CUDA graph");
}

static void SANITIZERAPI on_callback(void *user, Sanitizer_CallbackDomain domain,
                                     Sanitizer_CallbackId id, const void *data)
{
    struct injector *injector = user;
    if (domain == SANITIZER_CB_DOMAIN_RESOURCE)
        on_resource(injector, id, data);
    else if (domain == SANITIZER_CB_DOMAIN_GRAPHS)
        on_graph(injector, id, data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_BEGIN)
        begin_launch(injector, data);
    else if (domain == SANITIZER_CB_DOMAIN_LAUNCH && id == SANITIZER_CBID_LAUNCH_END)
        end_launch(injector, data);
}

/* ---- the start ------------------------------------------------------------------------------ */

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (connection < 0 ||
        connect(connection, (const struct sockaddr *)&address, sizeof address) == 0)
        return connection;
    close(connection);
    return -1;
}

static struct injector *make_injector(const char *path)
{
    struct injector *injector = calloc(1, sizeof *injector);
    struct bs_buffer start = {0};
    pthread_mutexattr_t recursive;
    if (!injector)
        return NULL;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&injector->lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
    pthread_mutex_init(&injector->launch, NULL);
    injector->feed = bs_feed_open(connect_to(path));
    if (!injector->feed || !bs_selection_of_environment(&injector->selection)) {
        bs_feed_close(injector->feed);
        free(injector);
        return NULL;
    }
    injector->left = injector->selection.records;
    bs_buffer_text(&start, BS_STREAM_START);
    bs_feed_send(injector->feed, &start);
    bs_buffer_free(&start);
    return injector;
}

int InitializeInjection(void);

/* What the driver calls. It lives as long as the program, and so does all that it makes. */
int InitializeInjection(void)
{
    const char *path = getenv("BANKSHOT_CAPTURE_SOCKET");
    Sanitizer_SubscriberHandle subscriber;
    struct injector *injector = path ? make_injector(path) : NULL;
    if (!injector)
        return 1; /* nobody listens: the program runs as ever */
    if (is_good(injector, sanitizerSubscribe(&subscriber, on_callback, injector), "answer") &&
        is_good(injector, sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_RESOURCE),
                "tell of modules") &&
        is_good(injector, sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_LAUNCH),
                "tell of launches"))
        is_good(injector, sanitizerEnableDomain(1, subscriber, SANITIZER_CB_DOMAIN_GRAPHS),
                "tell of graphs");
    return 1;
}
