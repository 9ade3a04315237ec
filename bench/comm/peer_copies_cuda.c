#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "peer_copies.h"

/* The number in a device's name: 1 of "cuda:1". */
static int device_number(const tsl_context *context)
{
    const char *colon = strchr(context->name, ':');
    return colon != NULL ? atoi(colon + 1) : 0;
}

tsl_status peer_copies_cuda(tsl_context *context, void **stream, const tsl_peer_copy *copy)
{
    const int own = device_number(context);
    cudaError_t error = cudaSetDevice(own);
    if (error == cudaSuccess && *stream == NULL) {
        error = cudaStreamCreateWithFlags((cudaStream_t *)stream, cudaStreamNonBlocking);
    }
    if (error == cudaSuccess) {
        error = cudaMemcpyPeerAsync(copy->target, device_number(copy->to), copy->source, own,
                                    (size_t)copy->bytes, *stream);
    }
    if (error == cudaSuccess) {
        error = cudaStreamSynchronize(*stream);
    }
    return error == cudaSuccess
               ? TSL_OK
               : tsl_fail(context, TSL_E_DEVICE, "CUDA: a copy: %s", cudaGetErrorString(error));
}

void peer_copies_cuda_end(void *stream)
{
    if (stream != NULL) {
        cudaStreamDestroy(stream);
    }
}
