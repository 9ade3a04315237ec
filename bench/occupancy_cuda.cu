/* Kernels that take much and little, and what CUDA's runtime says of them. */
#include "occupancy.h"

#include <cuda_runtime.h>

/* Barriers 0 to COUNT - 1. */
template <int COUNT> __device__ void wait_at_barriers()
{
    if constexpr (COUNT > 0) {
        wait_at_barriers<COUNT - 1>();
        asm volatile("bar.sync %0;" ::"n"(COUNT - 1));
    }
}

/* VALUES numbers that live side by side, for registers; SHARED bytes; BARRIERS named barriers. */
template <int VALUES, int SHARED, int BARRIERS> __global__ void kernel(float *data, int steps)
{
    __shared__ char shared[SHARED > 0 ? SHARED : 1];
    float value[VALUES];
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        value[k] = data[i + k * steps];
    }
    for (int step = 0; step < steps; step++) {
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            value[k] = value[k] * value[(k + 1) % VALUES] + (float)step;
        }
    }
    if (SHARED > 0) {
        shared[i % (SHARED > 0 ? SHARED : 1)] = (char)steps;
    }
    wait_at_barriers<BARRIERS>();
    if (SHARED > 0) {
        data[i] = shared[(i + 1) % (SHARED > 0 ? SHARED : 1)];
    }
#pragma unroll
    for (int k = 0; k < VALUES; k++) {
        data[i + k * steps] = value[k];
    }
}

typedef struct entry {
    const void *function;
    int barriers;
} entry;

#define ENTRY(values, shared, barriers)                                                            \
    {                                                                                              \
        (const void *)kernel<values, shared, barriers>, barriers                                   \
    }

static const entry entries[] = {
    ENTRY(1, 0, 0),      ENTRY(2, 0, 1),  ENTRY(4, 1000, 1), ENTRY(6, 0, 0),  ENTRY(8, 0, 2),
    ENTRY(10, 5000, 1),  ENTRY(12, 0, 3), ENTRY(14, 128, 1), ENTRY(16, 0, 1), ENTRY(20, 0, 1),
    ENTRY(24, 3000, 16), ENTRY(28, 0, 1), ENTRY(32, 0, 4),   ENTRY(40, 0, 1), ENTRY(48, 0, 1),
    ENTRY(56, 48000, 1), ENTRY(64, 0, 1), ENTRY(80, 0, 1),   ENTRY(96, 0, 1), ENTRY(3, 49152, 1),
    ENTRY(4, 12345, 16), ENTRY(4, 0, 8),
};
enum { ENTRIES = sizeof entries / sizeof *entries };

static const char *reason(cudaError_t error)
{
    cudaGetLastError();
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

int card_kernel_count(void)
{
    return ENTRIES;
}

const char *card_open(int device)
{
    return reason(cudaSetDevice(device));
}

const char *card_describe(card_kernel *out, int kernel)
{
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, entries[kernel].function);
    if (error == cudaSuccess) {
        out->registers = attributes.numRegs;
        out->static_shared = (int64_t)attributes.sharedSizeBytes;
        out->barriers = entries[kernel].barriers;
    }
    return reason(error);
}

const char *card_blocks(int *out, int kernel, int threads, int64_t dynamic, int64_t allowed,
                        int carveout)
{
    const void *function = entries[kernel].function;
    cudaError_t error =
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)allowed);
    if (error == cudaSuccess) {
        error = cudaFuncSetAttribute(function, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     carveout);
    }
    if (error == cudaSuccess) {
        error =
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(out, function, threads, (size_t)dynamic);
    }
    return reason(error);
}
