/* NCCL, opened at run time, so that a machine without it runs. */
#include "device/cuda.h"

#include <nccl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

extern "C" {
#include "comm/gpu/nccl.h"
#include "core/library.h"
}

static_assert(sizeof(ncclUniqueId) == TSL_NCCL_ID, "an id is passed on as bytes");
static_assert(sizeof(((cudaDeviceProp *)0)->uuid) == TSL_NCCL_GPU, "a GPU's own number");

/* What is called of the library. */
#define NCCL_CALLS(call)                                                                           \
    call(ncclGetVersion) call(ncclGetErrorString) call(ncclGetUniqueId)                            \
        call(ncclCommInitRankConfig) call(ncclCommFinalize) call(ncclCommDestroy)                  \
            call(ncclCommAbort) call(ncclCommGetAsyncError) call(ncclGroupStart)                   \
                call(ncclGroupEnd) call(ncclSend) call(ncclRecv) call(ncclBroadcast)

struct nccl_calls {
#define NCCL_MEMBER(name) decltype(&::name) name;
    NCCL_CALLS(NCCL_MEMBER)
#undef NCCL_MEMBER
    bool there;
    char text[256]; /* name and version, or why it is not there */
};

static nccl_calls open_library(void)
{
#define NCCL_ROW(name) {#name, offsetof(nccl_calls, name)},
    static const tsl_library_call rows[] = {NCCL_CALLS(NCCL_ROW)};
#undef NCCL_ROW
    static const char *const names[] = {"libnccl.so.2", NULL};
    nccl_calls calls;
    memset(&calls, 0, sizeof calls);
    char reason[200];
    int version = 0;
    if (tsl_library_open(names, &calls, rows, sizeof rows / sizeof *rows, reason, sizeof reason) ==
        NULL) {
        snprintf(calls.text, sizeof calls.text, "%s: NCCL 2.14 or newer is needed", reason);
        return calls;
    }
    if (calls.ncclGetVersion(&version) != ncclSuccess) {
        snprintf(calls.text, sizeof calls.text, "libnccl.so.2 does not say its version");
        return calls;
    }
    calls.there = true;
    snprintf(calls.text, sizeof calls.text, "NCCL %d.%d.%d", version / 10000, version / 100 % 100,
             version % 100);
    return calls;
}

/* Opened once; kept open. */
static const nccl_calls *library_calls(void)
{
    static const nccl_calls calls = open_library();
    return &calls;
}

struct tsl_nccl {
    tsl_context *context;
    ncclComm_t comm;
    int rank;
    cudaEvent_t queued;
    bool recorded; /* since the last call */
};

/* What was asked for is done, or is being done. */
static bool is_well(ncclResult_t result)
{
    return result == ncclSuccess || result == ncclInProgress;
}

static tsl_status check(tsl_context *context, ncclResult_t result, const char *what)
{
    return is_well(result)
               ? TSL_OK
               : tsl_fail(context, TSL_E_COMM,
                          "%s: NCCL: %s failed: %s (NCCL_DEBUG=WARN says more)", context->name,
                          what, library_calls()->ncclGetErrorString(result));
}

static bool nccl_library(char *text, size_t bytes)
{
    const nccl_calls *calls = library_calls();
    snprintf(text, bytes, "%s", calls->text);
    return calls->there;
}

static tsl_status nccl_identify(tsl_context *context, unsigned char gpu[TSL_NCCL_GPU])
{
    cudaDeviceProp properties;
    const tsl_status status = tsl_cuda_check(
        context, cudaGetDeviceProperties(&properties, tsl_cuda_index(context)), "identifying it");
    if (status == TSL_OK) {
        memcpy(gpu, &properties.uuid, TSL_NCCL_GPU);
    }
    return status;
}

static tsl_status nccl_make_id(tsl_context *context, char id[TSL_NCCL_ID])
{
    tsl_cuda_stream(context);
    return check(context, library_calls()->ncclGetUniqueId((ncclUniqueId *)(void *)id),
                 "making an id");
}

static void nccl_abort(tsl_nccl *nccl)
{
    cudaSetDevice(tsl_cuda_index(nccl->context));
    if (nccl->comm != NULL) {
        library_calls()->ncclCommAbort(nccl->comm);
    }
    if (nccl->queued != NULL) {
        cudaEventDestroy(nccl->queued);
    }
    tsl_release(nccl);
}

static tsl_status nccl_open(tsl_nccl **out, tsl_context *context, const char id[TSL_NCCL_ID],
                            int rank, int size)
{
    tsl_nccl *nccl = (tsl_nccl *)tsl_allocate_zeroed(1, sizeof *nccl);
    if (nccl == NULL) {
        return tsl_fail_memory(context, sizeof *nccl, "NCCL");
    }
    nccl->context = context;
    nccl->rank = rank;
    tsl_cuda_stream(context);
    tsl_status status =
        tsl_cuda_check(context, cudaEventCreateWithFlags(&nccl->queued, cudaEventDisableTiming),
                       "making an event");
    if (status == TSL_OK) {
        ncclUniqueId common;
        ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
        config.blocking = 0; /* so that the other ranks can be heard */
        memcpy(&common, id, sizeof common);
        status =
            check(context,
                  library_calls()->ncclCommInitRankConfig(&nccl->comm, size, common, rank, &config),
                  "starting");
    }
    if (status != TSL_OK) {
        nccl_abort(nccl);
        return status;
    }
    *out = nccl;
    return TSL_OK;
}

static tsl_status nccl_look(tsl_nccl *nccl, bool *done)
{
    tsl_context *context = nccl->context;
    ncclResult_t result = ncclSuccess;
    *done = false;
    tsl_status status =
        check(context, library_calls()->ncclCommGetAsyncError(nccl->comm, &result), "asking");
    if (status == TSL_OK) {
        status = check(context, result, "communication");
    }
    if (status != TSL_OK || result == ncclInProgress) {
        return status;
    }
    if (!nccl->recorded) { /* all is queued */
        status = tsl_cuda_check(context, cudaEventRecord(nccl->queued, tsl_cuda_stream(context)),
                                "recording an event");
        nccl->recorded = status == TSL_OK;
    }
    if (status != TSL_OK) {
        return status;
    }
    const cudaError_t error = cudaEventQuery(nccl->queued);
    *done = error == cudaSuccess;
    return error == cudaErrorNotReady ? TSL_OK
                                      : tsl_cuda_check(context, error, "work on the device");
}

/* Seconds that the others are waited for at the end. */
static const double PATIENCE = 5;

static void nccl_close(tsl_nccl *nccl)
{
    const nccl_calls *calls = library_calls();
    const double begun = tsl_seconds();
    cudaSetDevice(tsl_cuda_index(nccl->context));
    ncclResult_t result = calls->ncclCommFinalize(nccl->comm);
    while (result == ncclInProgress && tsl_seconds() - begun < PATIENCE) {
        const struct timespec pause = {0, 50000};
        nanosleep(&pause, NULL);
        if (calls->ncclCommGetAsyncError(nccl->comm, &result) != ncclSuccess) {
            result = ncclSystemError;
        }
    }
    if (result == ncclSuccess) {
        calls->ncclCommDestroy(nccl->comm);
        nccl->comm = NULL;
    }
    nccl_abort(nccl);
}

static tsl_status nccl_move(tsl_nccl *nccl, const tsl_comm_pair *pairs, int count)
{
    const nccl_calls *calls = library_calls();
    const cudaStream_t stream = tsl_cuda_stream(nccl->context);
    nccl->recorded = false;
    ncclResult_t result = calls->ncclGroupStart();
    for (int i = 0; i < count; i++) {
        const tsl_comm_pair *p = &pairs[i];
        if (p->peer == nccl->rank) {
            continue;
        }
        if (p->send_bytes > 0 && is_well(result)) {
            result = calls->ncclSend(p->send, (size_t)p->send_bytes, ncclInt8, p->peer, nccl->comm,
                                     stream);
        }
        if (p->receive_bytes > 0 && is_well(result)) {
            result = calls->ncclRecv(p->receive, (size_t)p->receive_bytes, ncclInt8, p->peer,
                                     nccl->comm, stream);
        }
    }
    const ncclResult_t ended = calls->ncclGroupEnd();
    return check(nccl->context, is_well(result) ? ended : result, "a group of messages");
}

static tsl_status nccl_broadcast(tsl_nccl *nccl, void *data, int64_t bytes, int root)
{
    nccl->recorded = false;
    return check(nccl->context,
                 library_calls()->ncclBroadcast(data, data, (size_t)bytes, ncclInt8, root,
                                                nccl->comm, tsl_cuda_stream(nccl->context)),
                 "a broadcast");
}

extern const tsl_nccl_ops tsl_nccl_cuda = {.library = nccl_library,
                                           .identify = nccl_identify,
                                           .make_id = nccl_make_id,
                                           .open = nccl_open,
                                           .close = nccl_close,
                                           .abort = nccl_abort,
                                           .move = nccl_move,
                                           .broadcast = nccl_broadcast,
                                           .look = nccl_look};
