/* CUDA as the kernels' files see it. */
#ifndef TSL_CUDA_H
#define TSL_CUDA_H

/* The library's headers are C; what they include is not theirs to declare. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cuda_runtime.h>

extern "C" {
#include "device/device.h"
}
#include "core/block.h"

/* The stream of a context, its device made current. */
cudaStream_t tsl_cuda_stream(tsl_context *context);

/* TSL_OK, or a failure that names the device, what was done and the reason. */
tsl_status tsl_cuda_check(tsl_context *context, cudaError_t error, const char *what);

#define TSL_LAUNCH(context, kernel, arguments, blocks, members, threads)                           \
    (kernel<<<dim3((unsigned)(blocks), (unsigned)(members)), (unsigned)(threads), 0,               \
              tsl_cuda_stream(context)>>>(arguments),                                              \
     tsl_cuda_check(context, cudaGetLastError(), #kernel))

#endif
