/* Peers among NVIDIA GPUs: events between streams, copies over NVLink or PCI Express. */
#include "device/cuda.h"

extern "C" {
#include "comm/peer.h"
}

#include "comm/peer_block.inc"

struct tsl_event {
    int device;
    cudaEvent_t event;
};

/* From here on the copy engines are as fast as a kernel, and leave the multiprocessors alone. */
static const int64_t ENGINE_BYTES = INT64_C(8) << 20;

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
                   : tsl_fail(context, TSL_E_UNSUPPORTED, "%s cannot use the memory of %s directly",
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

static tsl_status peer_copy(tsl_context *context, const tsl_peer_copy *copies, int count)
{
    int64_t most = 0;
    for (int i = 0; i < count; i++) {
        most = copies[i].bytes > most ? copies[i].bytes : most;
    }
    if (most < ENGINE_BYTES) {
        return peer_launch_copies(context, copies, count);
    }
    tsl_status status = TSL_OK;
    for (int i = 0; i < count && status == TSL_OK; i++) {
        status =
            tsl_cuda_check(context,
                           cudaMemcpyPeerAsync(copies[i].target, tsl_cuda_index(context),
                                               copies[i].source, tsl_cuda_index(copies[i].from),
                                               (size_t)copies[i].bytes, tsl_cuda_stream(context)),
                           "a copy from a peer");
    }
    return status;
}

static tsl_status peer_reduce(tsl_context *context, tsl_context *const *contexts,
                              const tsl_peer_reduction *reduction)
{
    (void)contexts;
    return peer_launch_reduction(context, reduction);
}

extern const tsl_peer_ops tsl_peer_cuda = {peer_open, peer_create, peer_destroy, peer_record,
                                           peer_wait, peer_copy,   peer_reduce};
