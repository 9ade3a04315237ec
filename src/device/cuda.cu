/* NVIDIA GPUs as devices. */
#include "device/cuda.h"

#include <stdio.h>
#include <string.h>

/* Memory that was taken by tsl_device_allocate_passing(): each piece has a place in `loan`.
 * Released pieces are kept for the stream's later work, since the driver takes about a millisecond
 * to take and give back each 3 GB. */
enum { LOANS = 16, KEPT_SHARE = 16 /* one part in so many of the card's memory may be kept */ };

typedef struct memory_loan {
    void *memory;
    int64_t bytes; /* 0: an empty place */
    bool taken;    /* in use; false: kept */
} memory_loan;

struct tsl_device {
    int index;
    cudaStream_t stream;
    bool borrowed;     /* the stream is the caller's */
    cudaStream_t side; /* second stream, between tsl_cuda_part() and tsl_cuda_join() */
    cudaEvent_t parted;
    memory_loan loan[LOANS];
    int64_t most_kept;                /* bytes */
    void *landing;                    /* LANDING bytes of pinned host memory */
    tsl_device_properties properties; /* memory_free is not filled */
    void *held;                       /* tsl_cuda_held() */
    void (*end_held)(void *held);
};

/* Copies of at most so many bytes to the host go by way of pinned memory, which takes less time. */
enum { LANDING = 4096 };

/* Cards older than this lack what the kernels are compiled for. */
enum { OLDEST_MAJOR = 8 };

cudaStream_t tsl_cuda_stream(tsl_context *context)
{
    cudaSetDevice(context->device->index);
    return context->device->stream;
}

static tsl_status record(tsl_context *context, cudaStream_t stream)
{
    return tsl_cuda_check(context, cudaEventRecord(context->device->parted, stream),
                          "recording an event");
}

static tsl_status follow(tsl_context *context, cudaStream_t stream)
{
    return tsl_cuda_check(context, cudaStreamWaitEvent(stream, context->device->parted, 0),
                          "waiting for an event");
}

tsl_status tsl_cuda_mark(tsl_context *context)
{
    return record(context, tsl_cuda_stream(context));
}

tsl_status tsl_cuda_part(tsl_context *context, cudaStream_t *side)
{
    *side = context->device->side;
    return follow(context, *side);
}

tsl_status tsl_cuda_join(tsl_context *context)
{
    const tsl_status status = record(context, context->device->side);
    return status == TSL_OK ? follow(context, tsl_cuda_stream(context)) : status;
}

tsl_status tsl_cuda_check(tsl_context *context, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) {
        return TSL_OK;
    }
    const tsl_status status = error == cudaErrorMemoryAllocation ? TSL_E_NOMEM : TSL_E_DEVICE;
    return tsl_fail(context, status, "%s: %s failed: %s", context->name, what,
                    cudaGetErrorString(error));
}

int tsl_cuda_index(const tsl_context *context)
{
    return context->device->index;
}

void **tsl_cuda_held(tsl_context *context, void (*end)(void *held))
{
    context->device->end_held = end;
    return &context->device->held;
}

static void cuda_close(tsl_device *device)
{
    cudaSetDevice(device->index);
    if (device->held != NULL) {
        device->end_held(device->held);
    }
    if (device->stream != NULL && !device->borrowed) {
        cudaStreamDestroy(device->stream);
    }
    if (device->side != NULL) {
        cudaStreamDestroy(device->side);
    }
    if (device->parted != NULL) {
        cudaEventDestroy(device->parted);
    }
    for (int i = 0; i < LOANS; i++) {
        cudaFree(device->loan[i].memory);
    }
    cudaFreeHost(device->landing);
    tsl_release(device);
}

/* Take the caller's stream. An event of this device can be recorded on streams of this device only.
 */
static tsl_status borrow_stream(tsl_device *device, tsl_context *context)
{
    const cudaStream_t stream = (cudaStream_t)context->stream;
    unsigned flags = 0;
    if (stream == cudaStreamLegacy || stream == cudaStreamPerThread) {
        return tsl_fail(
            context, TSL_E_ARG,
            "%s: the context options' stream is one of CUDA's default streams: make one "
            "with cudaStreamCreateWithFlags(…, cudaStreamNonBlocking)",
            context->name);
    }
    /* Plans record work on the stream, which what other threads do on the default stream would
     * spoil. */
    if (cudaStreamGetFlags(stream, &flags) == cudaSuccess && !(flags & cudaStreamNonBlocking)) {
        return tsl_fail(context, TSL_E_ARG,
                        "%s: the context options' stream waits for CUDA's default stream: make it "
                        "with cudaStreamCreateWithFlags(…, cudaStreamNonBlocking)",
                        context->name);
    }
    if (cudaEventRecord(device->parted, stream) != cudaSuccess) {
        cudaGetLastError();
        return tsl_fail(
            context, TSL_E_ARG,
            "%s: the context options' stream is no stream of this device: make it after "
            "cudaSetDevice(%d)",
            context->name, device->index);
    }
    device->stream = stream;
    device->borrowed = true;
    return TSL_OK;
}

/* The stream beside the main one, and what orders the two. */
static tsl_status make_side(tsl_device *device, tsl_context *context)
{
    cudaError_t error = cudaStreamCreateWithFlags(&device->side, cudaStreamNonBlocking);
    if (error == cudaSuccess) {
        error = cudaEventCreateWithFlags(&device->parted, cudaEventDisableTiming);
    }
    return tsl_cuda_check(context, error, "making a stream");
}

/* Kernels of a higher priority, a lower number, start before others that wait for room. */
static tsl_status make_stream(tsl_device *device, tsl_context *context, int priority)
{
    return tsl_cuda_check(
        context, cudaStreamCreateWithPriority(&device->stream, cudaStreamNonBlocking, priority),
        "making a stream");
}

static int attribute_of(cudaDeviceAttr attribute, int index)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, attribute, index);
    return value;
}

/* The cards whose memory this one can use directly. */
static void find_peers(tsl_device_properties *out, int index)
{
    int count = 0;
    cudaGetDeviceCount(&count);
    for (int other = 0; other < count && out->peers < TSL_DEVICES; other++) {
        int access = 0, atomics = 0;
        if (other == index || cudaDeviceCanAccessPeer(&access, index, other) != cudaSuccess ||
            !access) {
            continue;
        }
        cudaDeviceGetP2PAttribute(&atomics, cudaDevP2PAttrNativeAtomicSupported, index, other);
        tsl_device_peer *peer = &out->peer[out->peers++];
        peer->index = other;
        peer->native_atomics = atomics != 0;
    }
    cudaGetLastError(); /* what could not be asked for is not there */
}

static tsl_device_limits limits_of(const cudaDeviceProp *properties, int index)
{
    tsl_device_limits limits = {};
    limits.threads = properties->maxThreadsPerMultiProcessor;
    limits.blocks = attribute_of(cudaDevAttrMaxBlocksPerMultiprocessor, index);
    limits.registers = properties->regsPerMultiprocessor;
    limits.shared = (int64_t)properties->sharedMemPerMultiprocessor;
    limits.block_threads = properties->maxThreadsPerBlock;
    limits.block_registers = properties->regsPerBlock;
    limits.block_shared = (int64_t)properties->sharedMemPerBlock;
    limits.block_shared_reserved = attribute_of(cudaDevAttrReservedSharedMemoryPerBlock, index);
    return limits;
}

/* Properties that do not change are read once, since it takes the driver milliseconds. */
static void remember(tsl_device *device, const cudaDeviceProp *properties)
{
    tsl_device_properties *out = &device->properties;
    snprintf(out->model, sizeof out->model, "%.*s", (int)sizeof out->model - 1, properties->name);
    out->threads = properties->multiProcessorCount;
    out->clock = attribute_of(cudaDevAttrClockRate, device->index) / 1000;
    out->shared = attribute_of(cudaDevAttrMaxSharedMemoryPerBlockOptin, device->index);
    out->capability[0] = properties->major;
    out->capability[1] = properties->minor;
    static_assert(sizeof properties->uuid == sizeof out->identity, "a GPU's own number");
    memcpy(out->identity, &properties->uuid, sizeof out->identity);
    out->limits = limits_of(properties, device->index);
    find_peers(out, device->index);
}

static tsl_status cuda_open(tsl_device **out, tsl_context *context, int index)
{
    cudaDeviceProp properties;
    tsl_status status = tsl_cuda_check(context, cudaSetDevice(index), "opening the device");
    if (status == TSL_OK) {
        status = tsl_cuda_check(context, cudaGetDeviceProperties(&properties, index),
                                "reading its properties");
    }
    if (status != TSL_OK) {
        return status;
    }
    if (properties.major < OLDEST_MAJOR) {
        return tsl_fail(
            context, TSL_E_DEVICE, "%s: %s has compute capability %d.%d; %d.0 or newer is needed",
            context->name, properties.name, properties.major, properties.minor, (int)OLDEST_MAJOR);
    }
    tsl_device *device = (tsl_device *)tsl_allocate_zeroed(1, sizeof *device);
    if (device == NULL) {
        return tsl_fail_memory(context, sizeof *device, "a device");
    }
    device->index = index;
    device->most_kept = (int64_t)(properties.totalGlobalMem / KEPT_SHARE);
    remember(device, &properties);
    status = make_side(device, context);
    if (status == TSL_OK) {
        status = tsl_cuda_check(context, cudaMallocHost(&device->landing, LANDING),
                                "taking pinned memory");
    }
    if (status == TSL_OK) {
        status = context->stream != NULL ? borrow_stream(device, context)
                                         : make_stream(device, context, 0);
    }
    if (status != TSL_OK) {
        cuda_close(device);
        return status;
    }
    *out = device;
    return TSL_OK;
}

static tsl_status cuda_branch(tsl_device **out, tsl_context *context)
{
    tsl_device *device = (tsl_device *)tsl_allocate_zeroed(1, sizeof *device);
    if (device == NULL) {
        return tsl_fail_memory(context, sizeof *device, "a second stream");
    }
    int least = 0, greatest = 0;
    device->index = context->device->index;
    device->properties = context->device->properties;
    tsl_cuda_stream(context); /* makes the device current */
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    tsl_status status = make_side(device, context);
    if (status == TSL_OK) {
        status = make_stream(device, context, greatest);
    }
    if (status != TSL_OK) {
        cuda_close(device);
        return status;
    }
    *out = device;
    return TSL_OK;
}

/* Bytes that are kept, which are given back where memory is lacking. */
static int64_t kept_by(const tsl_device *device)
{
    int64_t bytes = 0;
    for (int i = 0; i < LOANS; i++) {
        bytes += device->loan[i].taken ? 0 : device->loan[i].bytes;
    }
    return bytes;
}

static tsl_status cuda_properties(tsl_device *device, tsl_device_properties *out)
{
    size_t unused = 0, all = 0;
    cudaSetDevice(device->index);
    if (cudaMemGetInfo(&unused, &all) != cudaSuccess) {
        cudaGetLastError();
        return TSL_E_DEVICE;
    }
    *out = device->properties;
    out->memory = (int64_t)all;
    out->memory_free = (int64_t)unused + kept_by(device);
    return TSL_OK;
}

/* Give kept memory back to the driver. */
static void drop_kept(tsl_device *device)
{
    cudaGetLastError();
    cudaStreamSynchronize(device->stream);
    for (int i = 0; i < LOANS; i++) {
        if (!device->loan[i].taken) {
            cudaFree(device->loan[i].memory); /* NULL is fine */
            device->loan[i].memory = NULL;
            device->loan[i].bytes = 0;
        }
    }
}

static void *take(tsl_device *device, int64_t bytes)
{
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, (size_t)bytes);
    if (error != cudaSuccess && kept_by(device) > 0) {
        drop_kept(device);
        error = cudaMalloc(&memory, (size_t)bytes);
    }
    if (error != cudaSuccess) {
        cudaGetLastError(); /* the caller reports it */
        return NULL;
    }
    return memory;
}

/* A kept piece that is as large as wanted and hardly larger; else an empty place to note a piece
 * in; NULL: all places are taken. */
static memory_loan *find_loan(tsl_device *device, int64_t bytes)
{
    memory_loan *found = NULL;
    for (int i = 0; i < LOANS; i++) {
        memory_loan *l = &device->loan[i];
        if (!l->taken && l->bytes >= bytes && l->bytes <= bytes + bytes / 8) {
            return l;
        }
        found = !l->taken && l->bytes == 0 ? l : found;
    }
    return found;
}

/* Memory for a piece, kept or new. Where no kept piece fits, all of them go back to the driver,
 * since what is set up now needs other sizes. */
static void *take_passing(tsl_device *device, int64_t bytes)
{
    memory_loan *l = find_loan(device, bytes);
    if (l == NULL || l->bytes == 0) {
        drop_kept(device);
        l = find_loan(device, bytes);
    }
    if (l == NULL) {
        return take(device, bytes);
    }
    if (l->bytes == 0) {
        l->memory = take(device, bytes);
        l->bytes = l->memory != NULL ? bytes : 0;
    }
    l->taken = l->memory != NULL;
    return l->memory;
}

static void *cuda_allocate(tsl_device *device, int64_t bytes, bool passing)
{
    cudaSetDevice(device->index);
    return passing ? take_passing(device, bytes) : take(device, bytes);
}

static void cuda_release(tsl_device *device, void *memory)
{
    cudaSetDevice(device->index);
    for (int i = 0; i < LOANS; i++) {
        memory_loan *l = &device->loan[i];
        if (l->taken && l->memory == memory) {
            l->taken = false;
            if (kept_by(device) > device->most_kept) {
                drop_kept(device);
            }
            return;
        }
    }
    cudaStreamSynchronize(device->stream);
    cudaFree(memory);
}

static tsl_status synchronize(tsl_context *context)
{
    return tsl_cuda_check(context, cudaStreamSynchronize(tsl_cuda_stream(context)),
                          "work on the device");
}

tsl_status tsl_cuda_load(tsl_context *context, void *target, const void *host, int64_t bytes)
{
    return tsl_cuda_check(context,
                          cudaMemcpyAsync(target, host, (size_t)bytes, cudaMemcpyHostToDevice,
                                          tsl_cuda_stream(context)),
                          "a copy to the device");
}

tsl_status tsl_cuda_store(tsl_context *context, void *host, const void *source, int64_t bytes)
{
    return tsl_cuda_check(context,
                          cudaMemcpyAsync(host, source, (size_t)bytes, cudaMemcpyDeviceToHost,
                                          tsl_cuda_stream(context)),
                          "a copy from the device");
}

static tsl_status cuda_download(tsl_context *context, void *target, const void *source,
                                int64_t bytes)
{
    void *const landing = bytes <= LANDING ? context->device->landing : NULL;
    tsl_status status = tsl_cuda_store(context, landing != NULL ? landing : target, source, bytes);
    status = status == TSL_OK ? synchronize(context) : status;
    if (status == TSL_OK && landing != NULL) {
        memcpy(target, landing, (size_t)bytes);
    }
    return status;
}

static tsl_status cuda_fill(tsl_context *context, void *target, unsigned char value, int64_t bytes)
{
    return tsl_cuda_check(context,
                          cudaMemsetAsync(target, value, (size_t)bytes, tsl_cuda_stream(context)),
                          "filling memory");
}

/* Recorded work: a graph of kernels or, while each stage is timed by itself, only the function that
 * queues it. */
struct tsl_recording {
    tsl_context *context;
    cudaGraphExec_t graph;
    tsl_work work;
    void *arguments;
};

static void cuda_forget(tsl_recording *recording)
{
    if (recording != NULL) {
        if (recording->graph != NULL) {
            cudaGraphExecDestroy(recording->graph);
        }
        tsl_release(recording);
    }
}

/* Record what the function queues into recording->graph. */
static tsl_status capture(tsl_recording *recording)
{
    tsl_context *context = recording->context;
    cudaStream_t stream = tsl_cuda_stream(context);
    cudaGraph_t graph = NULL;
    tsl_status status = tsl_cuda_check(
        context, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "recording");
    if (status != TSL_OK) {
        return status;
    }
    status = recording->work(recording->arguments);
    const tsl_status ended =
        tsl_cuda_check(context, cudaStreamEndCapture(stream, &graph), "ending a recording");
    status = status == TSL_OK ? ended : status;
    if (status == TSL_OK) {
        cudaError_t error = cudaGraphInstantiate(&recording->graph, graph, 0);
        if (error == cudaErrorMemoryAllocation && kept_by(context->device) > 0) {
            drop_kept(context->device);
            error = cudaGraphInstantiate(&recording->graph, graph, 0);
        }
        status = tsl_cuda_check(context, error, "making a graph");
    }
    if (graph != NULL) {
        cudaGraphDestroy(graph);
    }
    return status;
}

static tsl_status cuda_record(tsl_recording **out, tsl_context *context, tsl_work work,
                              void *arguments)
{
    tsl_recording *recording = (tsl_recording *)tsl_allocate_zeroed(1, sizeof *recording);
    if (recording == NULL) {
        return tsl_fail_memory(context, sizeof *recording, "a recording");
    }
    recording->context = context;
    recording->work = work;
    recording->arguments = arguments;
    const tsl_status status = context->profile.exact ? TSL_OK : capture(recording);
    if (status != TSL_OK) {
        cuda_forget(recording);
        return status;
    }
    *out = recording;
    return TSL_OK;
}

static tsl_status cuda_replay(tsl_recording *recording)
{
    if (recording->graph == NULL) {
        return recording->work(recording->arguments);
    }
    tsl_context *context = recording->context;
    return tsl_cuda_check(context, cudaGraphLaunch(recording->graph, tsl_cuda_stream(context)),
                          "starting recorded work");
}

#define TSL_TABLE(member, type, cpu, sim, cuda) cuda(extern const struct type tsl_##member##_cuda;)
#include "device/tables.def"
#undef TSL_TABLE

static tsl_device_ops make_ops(void)
{
    tsl_device_ops ops;
    memset(&ops, 0, sizeof ops);
    ops.name = "cuda";
    ops.takes_stream = true;
    ops.open = cuda_open;
    ops.close = cuda_close;
    ops.branch = cuda_branch;
    ops.properties = cuda_properties;
    ops.allocate = cuda_allocate;
    ops.release = cuda_release;
    ops.upload = tsl_cuda_load;
    ops.download = cuda_download;
    ops.fill = cuda_fill;
    ops.synchronize = synchronize;
    ops.record = cuda_record;
    ops.replay = cuda_replay;
    ops.forget = cuda_forget;
#define TSL_TABLE(member, type, cpu, sim, cuda) cuda(ops.member = &tsl_##member##_cuda;)
#include "device/tables.def"
#undef TSL_TABLE
    return ops;
}

const tsl_device_ops *tsl_cuda_ops(void)
{
    static const tsl_device_ops ops = make_ops();
    return &ops;
}
