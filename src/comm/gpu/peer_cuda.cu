/* Peers among NVIDIA GPUs: events between streams, copies over NVLink or PCI Express, and, in one
 * kernel a rank, copies between ranks that meet and an all-reduce of few values. */
#include <stdlib.h>

#include "device/cuda.h"

extern "C" {
#include "comm/gpu/peer.h"
}

#include "comm/gpu/peer_block.inc"

struct tsl_event {
    int device;
    cudaEvent_t event;
};

/* From here on the copy engines are faster than a kernel, and leave the multiprocessors alone: on
 * two H200 349 against 337 GB/s at 64 MiB, but 281 against 299 at 16 MiB. */
static const int64_t ENGINE_BYTES = TSL_PEER_MEETING;

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
    if (error != cudaSuccess) {
        cudaGetLastError(); /* or the next launch would report it */
    }
    return error == cudaErrorPeerAccessAlreadyEnabled
               ? TSL_OK
               : tsl_cuda_check(context, error, "opening a peer's memory");
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

/* Queue copies over the links first; copies within the device run beside them. */
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

enum { PEER_LOOKS = 512 }; /* at what is waited for, before one at whether it is off */

static __device__ __forceinline__ bool is_off(const int32_t *off)
{
    return *(const volatile int32_t *)off != 0;
}

static bool peer_side_by_side(void)
{
    const char *blocking = getenv("CUDA_LAUNCH_BLOCKING");
    return blocking == NULL || strcmp(blocking, "0") == 0;
}

/* ---- copies between ranks that meet -------------------------------------------------------- */

/* Blocks of a launch. Blocks that copy wait for the first blocks of other launches alone, so
 * several launches that wait need room for one block more than the others have: 48 multiprocessors
 * hold 240. */
enum { MEET_BLOCKS = 128 };

/* Nanoseconds that a rank waits for the others when it is off: who is only behind still comes. */
static const uint64_t MEET_PATIENCE = UINT64_C(4000000000);
/* How long a kernel that has given up stays, for a rank that had just begun to write to its memory.
 * Meetings that were queued after it stay less long. */
static const uint64_t MEET_PARTING = UINT64_C(200000000), MEET_LATER = UINT64_C(2000000);

typedef struct meet_arguments {
    tsl_peer_meeting meeting;
    int32_t blocks[TSL_PEER_MEETERS]; /* that copy to each rank: TSL_PEER_PARTS at most */
    int32_t to[TSL_PEER_COPIES];      /* the rank that gets each piece */
    int32_t first[TSL_PEER_COPIES];   /* the first of that rank's blocks that copies the piece */
    peer_piece pieces[TSL_PEER_COPIES];
} meet_arguments;

static __device__ __forceinline__ void tell(uint64_t *to, uint64_t number)
{
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(to), "l"(number) : "memory");
}

static __device__ __forceinline__ uint64_t told(const uint64_t *at)
{
    uint64_t number;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(number) : "l"(at) : "memory");
    return number;
}

static __device__ __forceinline__ uint64_t nanoseconds(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

static __device__ void linger(uint64_t time)
{
    const uint64_t begun = nanoseconds();
    while (nanoseconds() - begun < time) {
    }
}

/* Wait for a word of this rank's flags. False: it is off, and who was to write it has not come for
 * long; from then on nobody waits. */
static __device__ bool wait_for(const tsl_peer_meeting *m, const uint64_t *at)
{
    const uint64_t *over = &m->flags[m->rank][m->rank].ready;
    uint64_t since = 0;
    for (unsigned look = 1; told(at) != m->number; look++) {
        if (look % PEER_LOOKS == 0 && is_off(m->off)) {
            const uint64_t now = nanoseconds();
            since = since == 0 ? now : since;
            if (told(over) != 0) {
                return false;
            }
            for (int q = 0; q < m->ranks && now - since > MEET_PATIENCE; q++) {
                tell(&m->flags[q][q].ready, TSL_PEER_OVER);
            }
        }
    }
    return true;
}

/* One thread of each of `blocks`, when all threads of the block have copied to rank q. */
static __device__ void tell_done(const tsl_peer_meeting *m, int q, int block, int blocks)
{
    __threadfence_system();
    for (int part = block; part < TSL_PEER_PARTS; part += blocks) {
        tell(&m->flags[q][m->rank].done[part], m->number);
    }
}

/* Tier: tuned; its twin is copy_pieces between events. Floor: a launch, a word each way over the
 * link, and the bytes. Two H200, 1 MiB each way: 8 us, between events 14. Member: piece. The first
 * block tells the others that this rank has begun, and ends when they have written. */
static __global__ void meet_and_copy(const __grid_constant__ meet_arguments a)
{
    const tsl_peer_meeting *m = &a.meeting;
    const peer_piece *p = &a.pieces[blockIdx.y];
    const bool first = blockIdx.x == 0 && blockIdx.y == 0;
    if (first && (int)threadIdx.x < m->ranks) {
        const int q = (int)threadIdx.x;
        if ((m->receives >> q & 1) != 0) {
            tell(&m->flags[q][m->rank].ready, m->number); /* earlier kernels have ended */
        }
        if ((m->sends >> q & 1) != 0 && a.blocks[q] == 0) { /* this rank has failed */
            wait_for(m, &m->flags[m->rank][q].ready);       /* q hears of the meeting before */
            tell_done(m, q, 0, 1);
        }
    }
    if ((int)blockIdx.x < p->blocks) {
        const int q = a.to[blockIdx.y];
        const bool stays = q == m->rank;
        if (__syncthreads_or(threadIdx.x == 0 &&
                             (stays || wait_for(m, &m->flags[m->rank][q].ready)))) {
            peer_copy_piece(p, (int64_t)blockIdx.x * PEER_THREADS + threadIdx.x,
                            (int64_t)p->blocks * PEER_THREADS);
        }
        __syncthreads();
        if (!stays && threadIdx.x == 0) {
            tell_done(m, q, a.first[blockIdx.y] + (int)blockIdx.x, a.blocks[q]);
        }
    }
    bool all = true;
    for (int i = (int)threadIdx.x; first && i < m->ranks * TSL_PEER_PARTS; i += PEER_THREADS) {
        const int q = i / TSL_PEER_PARTS;
        if ((m->receives >> q & 1) != 0 &&
            !wait_for(m, &m->flags[m->rank][q].done[i % TSL_PEER_PARTS])) {
            tell(&m->flags[q][m->rank].ready, 0); /* not to begin any more */
            all = false;
        }
    }
    if (!all) {
        uint64_t *over = &m->flags[m->rank][m->rank].ready;
        linger(told(over) == TSL_PEER_PARTED ? MEET_LATER : MEET_PARTING);
        tell(over, TSL_PEER_PARTED);
    }
}

/* Blocks of each piece: no rank's are more than its parts, and all are few. */
static int share_blocks(meet_arguments *a, const tsl_peer_copy *copies, int count)
{
    int pieces[TSL_PEER_MEETERS] = {0};
    int widest = 1;
    for (int i = 0; i < count; i++) {
        pieces[copies[i].rank]++;
    }
    for (int i = 0; i < count; i++) {
        const int q = copies[i].rank;
        const int room = MEET_BLOCKS / count, share = TSL_PEER_PARTS / pieces[q];
        const int most = room < share ? room : share;
        const int own = a->pieces[i].blocks < most ? a->pieces[i].blocks : most;
        a->to[i] = q;
        a->first[i] = a->blocks[q];
        a->blocks[q] += own;
        a->pieces[i].blocks = own;
        widest = own > widest ? own : widest;
    }
    return widest;
}

static tsl_status peer_meet(tsl_context *context, const tsl_peer_meeting *meeting,
                            const tsl_peer_copy *copies, int count)
{
    meet_arguments a;
    memset(&a, 0, sizeof a);
    a.meeting = *meeting;
    peer_pieces_of(a.pieces, context, copies, count);
    const int blocks = share_blocks(&a, copies, count);
    return TSL_LAUNCH(context, meet_and_copy, a, blocks, count > 0 ? count : 1, PEER_THREADS);
}

/* Not by tsl_device_allocate(): flags outlive the context. The kernel is loaded here: not while
 * another rank's waits for it. */
static tsl_status peer_create_flags(tsl_peer_flags **out, tsl_context *context, int ranks)
{
    const size_t bytes = (size_t)ranks * sizeof **out;
    void *memory = NULL;
    cudaFuncAttributes attributes;
    const cudaStream_t stream = tsl_cuda_stream(context); /* makes the device current */
    cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return tsl_fail_memory(context, (int64_t)bytes, "communication");
    }
    error = error == cudaSuccess ? cudaMemsetAsync(memory, 0, bytes, stream) : error;
    error = error == cudaSuccess ? cudaStreamSynchronize(stream) : error;
    error = error == cudaSuccess ? cudaFuncGetAttributes(&attributes, meet_and_copy) : error;
    if (error != cudaSuccess) {
        cudaFree(memory);
        return tsl_cuda_check(context, error, "preparing copies to peers");
    }
    *out = (tsl_peer_flags *)memory;
    return TSL_OK;
}

static void peer_await_flags(const tsl_peer_flags *flags)
{
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, flags) == cudaSuccess) {
        cudaSetDevice(attributes.device);
        cudaDeviceSynchronize();
    }
}

static void peer_destroy_flags(tsl_peer_flags *flags)
{
    cudaFree(flags);
}

/* ---- few values, without the host ---------------------------------------------------------- */

enum { SIGNAL_THREADS = 512 };

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
    for (unsigned look = 1;; look++) {
        look_at(at, part, &call);
        if (call == number) {
            return true;
        }
        if (off) {
            return false;
        }
        if (look % PEER_LOOKS == 0) {
            off = is_off(a->off);
        }
    }
}

/* A value of one or two words from rank q; false when the operation is off. */
static __device__ bool receive_value(const tsl_peer_signal *a, void *out, uint32_t number, int q,
                                     int first, int words)
{
    const tsl_peer_word *message =
        a->mailbox[a->rank]->words + ((int64_t)(number % 2) * a->ranks + q) * a->room + first;
    uint32_t parts[2] = {0, 0};
    bool here = true;
    for (int w = 0; w < words && here; w++) {
        here = receive_word(a, &message[w], number, &parts[w]);
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
 * look. A set of messages is used again two calls later: by then its reader has sent its own
 * message of the call between, so it had read this one. */
static __global__ void signal_ranks(const __grid_constant__ tsl_peer_signal a)
{
    __shared__ uint32_t number;
    const int words = a.count * tsl_comm_width(a.type) / 4;
    bool here = true;
    if (threadIdx.x == 0) {
        number = ++a.mailbox[a.rank]->calls;
    }
    __syncthreads();
    const int64_t set = (int64_t)(number % 2) * a.ranks + a.rank;
    for (int q = 0; q < a.ranks; q++) {
        tsl_peer_word *message = a.mailbox[q]->words + set * a.room;
        for (int w = (int)threadIdx.x; w < words; w += SIGNAL_THREADS) {
            send_word(&message[w], ((const uint32_t *)a.values)[w], number);
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

extern const tsl_peer_ops tsl_peer_cuda = {.open = peer_open,
                                           .create = peer_create,
                                           .destroy = peer_destroy,
                                           .record = peer_record,
                                           .wait = peer_wait,
                                           .look = peer_look,
                                           .copy = peer_copy,
                                           .reduce = peer_reduce,
                                           .side_by_side = peer_side_by_side,
                                           .signal = peer_signal,
                                           .meet = peer_meet,
                                           .create_flags = peer_create_flags,
                                           .await_flags = peer_await_flags,
                                           .destroy_flags = peer_destroy_flags,
                                           .create_host = peer_create_host,
                                           .destroy_host = peer_destroy_host,
                                           .load = tsl_cuda_load,
                                           .store = tsl_cuda_store};
