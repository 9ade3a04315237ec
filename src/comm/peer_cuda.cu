/* Peers among NVIDIA GPUs: events between streams, copies over NVLink or PCI Express, and an
 * all-reduce of few values in one kernel a rank. */
#include "device/cuda.h"

extern "C" {
#include "comm/peer.h"
}

#include "comm/peer_block.inc"

struct tsl_event {
    int device;
    cudaEvent_t event;
};

/* From here on the copy engines are faster than a kernel, and leave the multiprocessors alone: on
 * two H200 349 against 337 GB/s at 64 MiB, but 281 against 299 at 16 MiB. */
static const int64_t ENGINE_BYTES = INT64_C(32) << 20;

static tsl_status peer_open(tsl_context *context, const tsl_context *other)
{
    const int mine = tsl_cuda_index(context);
    const int theirs = tsl_cuda_index(other);
    if (mine == theirs) {
        return TSL_OK;
    }
    int possible = 0;
    tsl_status status = tsl_cuda_check(context, cudaDeviceCanAccessPeer(&possible, mine, theirs),
                                       "asking for peer access");
    if (status != TSL_OK || !possible) {
        return status != TSL_OK
                   ? status
                   : tsl_fail(context, TSL_E_UNSUPPORTED,
                              "%s cannot use the memory of %s directly, which ranks of one process "
                              "need: give each GPU a process, mpirun -n 2 tesela …",
                              context->name, other->name);
    }
    tsl_cuda_stream(context); /* makes the device current */
    const cudaError_t error = cudaDeviceEnablePeerAccess(theirs, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError();
        return TSL_OK;
    }
    return tsl_cuda_check(context, error, "opening a peer's memory");
}

static tsl_status peer_create(tsl_event **out, tsl_context *context)
{
    tsl_event *event = (tsl_event *)tsl_allocate_zeroed(1, sizeof *event);
    if (event == NULL) {
        return tsl_fail_memory(context, sizeof *event, "an event");
    }
    tsl_cuda_stream(context);
    event->device = tsl_cuda_index(context);
    const tsl_status status =
        tsl_cuda_check(context, cudaEventCreateWithFlags(&event->event, cudaEventDisableTiming),
                       "making an event");
    if (status != TSL_OK) {
        tsl_release(event);
        return status;
    }
    *out = event;
    return TSL_OK;
}

static void peer_destroy(tsl_event *event)
{
    if (event != NULL) {
        cudaSetDevice(event->device);
        cudaEventDestroy(event->event);
        tsl_release(event);
    }
}

static tsl_status peer_record(tsl_context *context, tsl_event *event)
{
    return tsl_cuda_check(context, cudaEventRecord(event->event, tsl_cuda_stream(context)),
                          "recording an event");
}

static tsl_status peer_wait(tsl_context *context, const tsl_event *event)
{
    return tsl_cuda_check(context, cudaStreamWaitEvent(tsl_cuda_stream(context), event->event, 0),
                          "waiting for an event");
}

static tsl_status peer_look(tsl_context *context, tsl_event *event, bool *past)
{
    const cudaError_t error = cudaEventQuery(event->event);
    *past = error != cudaErrorNotReady;
    return *past ? tsl_cuda_check(context, error, "work on the device") : TSL_OK;
}

static tsl_status queue_copy(tsl_context *context, const tsl_peer_copy *copy, cudaStream_t stream)
{
    return tsl_cuda_check(context,
                          cudaMemcpyPeerAsync(copy->target, tsl_cuda_index(copy->to), copy->source,
                                              tsl_cuda_index(context), (size_t)copy->bytes, stream),
                          "a copy to a peer");
}

/* Those over the links first; copies within the device go on beside them. */
static tsl_status copy_by_engines(tsl_context *context, const tsl_peer_copy *copies, int count)
{
    const int own = tsl_cuda_index(context);
    const cudaStream_t stream = tsl_cuda_stream(context);
    tsl_status status = tsl_cuda_mark(context);
    int kept = 0;
    for (int i = 0; i < count && status == TSL_OK; i++) {
        const bool leaves = tsl_cuda_index(copies[i].to) != own;
        kept += !leaves;
        status = leaves ? queue_copy(context, &copies[i], stream) : TSL_OK;
    }
    if (kept == 0 || status != TSL_OK) {
        return status;
    }
    cudaStream_t side = NULL;
    status = tsl_cuda_part(context, &side);
    for (int i = 0; i < count && status == TSL_OK; i++) {
        if (tsl_cuda_index(copies[i].to) == own) {
            status = queue_copy(context, &copies[i], side);
        }
    }
    const tsl_status joined = tsl_cuda_join(context);
    return status == TSL_OK ? joined : status;
}

static tsl_status peer_copy(tsl_context *context, const tsl_peer_copy *copies, int count)
{
    int64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = copies[i].bytes > most ? copies[i].bytes : most;
    }
    if (most < ENGINE_BYTES) {
        return peer_launch_copies(context, copies, count);
    }
    return copy_by_engines(context, copies, count);
}

static tsl_status peer_reduce(tsl_context *context, tsl_context *const *contexts,
                              const tsl_peer_reduction *reduction)
{
    (void)contexts;
    return peer_launch_reduction(context, reduction);
}

/* ---- few values, without the host ---------------------------------------------------------- */

enum { SIGNAL_THREADS = 512, SIGNAL_LOOKS = 512 };

/* Data and number travel in one store of 8 bytes, which arrives whole: no fence, one way over the
 * link. */
static __device__ __forceinline__ void send_word(void *to, uint32_t part, uint32_t call)
{
    asm volatile("st.volatile.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(part), "r"(call)
                 : "memory");
}

static __device__ __forceinline__ void look_at(const void *at, uint32_t *part, uint32_t *call)
{
    asm volatile("ld.volatile.global.v2.u32 {%0, %1}, [%2];"
                 : "=r"(*part), "=r"(*call)
                 : "l"(at)
                 : "memory");
}

/* Wait for a word. When the operation is off it gets one more look: who has ended has sent before.
 */
static __device__ bool receive_word(const tsl_peer_signal *a, const void *at, uint32_t number,
                                    uint32_t *part)
{
    uint32_t call;
    bool off = false;
    for (int look = 1;; look++) {
        look_at(at, part, &call);
        if (call == number) {
            return true;
        }
        if (off) {
            return false;
        }
        if (look % SIGNAL_LOOKS == 0) {
            off = *(const volatile int32_t *)a->off != 0;
        }
    }
}

/* A value of one or two words from rank q; false when the operation is off. */
static __device__ bool receive_value(const tsl_peer_signal *a, void *out, uint32_t number, int q,
                                     int first, int words)
{
    const tsl_peer_word *letter =
        a->mail[a->rank]->words + ((int64_t)(number % 2) * a->ranks + q) * a->room + first;
    uint32_t parts[2] = {0, 0};
    bool here = true;
    for (int w = 0; w < words && here; w++) {
        here = receive_word(a, &letter[w], number, &parts[w]);
    }
    memcpy(out, parts, 4 * (size_t)words);
    return here;
}

#define SIGNAL_COMBINE(type, combine)                                                              \
    for (int i = (int)threadIdx.x; i < a.count && here; i += SIGNAL_THREADS) {                     \
        const int words = (int)sizeof(type) / 4;                                                   \
        type value = 0, next = 0;                                                                  \
        for (int q = 0; q < a.ranks && here; q++) {                                                \
            here = receive_value(&a, &next, number, q, i * words, words);                          \
            value = q == 0 ? next : combine(value, next, a.operation);                             \
        }                                                                                          \
        ((type *)a.values)[i] = value;                                                             \
    }

/* Tier: tuned; its twin is reduce_ranks. One block. Floor: a launch, a store over the link and a
 * look. A set of letters is used again two calls later: by then its reader has sent its own letter
 * of the call between, so it had read this one. */
static __global__ void signal_ranks(const __grid_constant__ tsl_peer_signal a)
{
    __shared__ uint32_t number;
    const int words = a.count * tsl_comm_width(a.type) / 4;
    bool here = true;
    if (threadIdx.x == 0) {
        number = ++a.mail[a.rank]->calls;
    }
    __syncthreads();
    const int64_t set = (int64_t)(number % 2) * a.ranks + a.rank;
    for (int q = 0; q < a.ranks; q++) {
        tsl_peer_word *letter = a.mail[q]->words + set * a.room;
        for (int w = (int)threadIdx.x; w < words; w += SIGNAL_THREADS) {
            send_word(&letter[w], ((const uint32_t *)a.values)[w], number);
        }
    }
    __syncthreads();
    if (a.type == TSL_COMM_INT32) {
        SIGNAL_COMBINE(int32_t, tsl_comm_combine_int32)
    } else if (a.type == TSL_COMM_INT64) {
        SIGNAL_COMBINE(int64_t, tsl_comm_combine_int64)
    } else if (a.type == TSL_COMM_FLOAT) {
        SIGNAL_COMBINE(float, tsl_comm_combine_float)
    } else {
        SIGNAL_COMBINE(double, tsl_comm_combine_double)
    }
    if (!__syncthreads_and(here)) {
        for (int w = (int)threadIdx.x; w < words; w += SIGNAL_THREADS) {
            ((uint32_t *)a.values)[w] = UINT32_MAX;
        }
    }
}

static tsl_status peer_signal(tsl_context *context, const tsl_peer_signal *signal)
{
    return TSL_LAUNCH(context, signal_ranks, *signal, 1, 1, SIGNAL_THREADS);
}

/* ---- host memory --------------------------------------------------------------------------- */

static void *peer_create_host(tsl_context *context, int64_t bytes)
{
    void *memory = NULL;
    tsl_cuda_stream(context);
    if (cudaHostAlloc(&memory, (size_t)bytes, cudaHostAllocPortable | cudaHostAllocMapped) !=
        cudaSuccess) {
        cudaGetLastError(); /* the caller reports it */
        return NULL;
    }
    return memory;
}

static void peer_destroy_host(void *memory)
{
    cudaFreeHost(memory);
}

extern const tsl_peer_ops tsl_peer_cuda = {
    peer_open,         peer_create,   peer_destroy,  peer_record, peer_wait,
    peer_look,         peer_copy,     peer_reduce,   peer_signal, peer_create_host,
    peer_destroy_host, tsl_cuda_load, tsl_cuda_store};
