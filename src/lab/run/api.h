/* Calls of CUDA's runtime library that include/tesela-lab/cuda_api.h declares for C++, as C sees
 * them: errors are ints here, streams and events pointers. */
#ifndef TSL_LAB_API_H
#define TSL_LAB_API_H

#include "lab/run/memory.h"

enum {
    TSL_INVALID_VALUE = 1,
    TSL_NO_MEMORY = 2,
    TSL_INVALID_DEVICE = 101,
    TSL_INVALID_HANDLE = 400,
    TSL_NOT_SUPPORTED = 801
};

/* Keep an error for cudaGetLastError(), and return it. */
int tsl_api_fail(int error);

int tsl_lab_malloc(void **out, size_t bytes);
int tsl_lab_malloc_host(void **out, size_t bytes);
int tsl_lab_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height);
int cudaFree(void *memory);
int cudaFreeHost(void *memory);
int cudaMemGetInfo(size_t *left, size_t *all);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream);
int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream);
int tsl_lab_copy_symbol(void *symbol, size_t size, void *host, size_t bytes, size_t offset,
                        bool to_symbol, int kind);
int cudaMemset(void *to, int value, size_t bytes);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
const char *cudaGetErrorString(int error);
const char *cudaGetErrorName(int error);
int cudaGetLastError(void);
int cudaPeekAtLastError(void);
int cudaDeviceSynchronize(void);
int cudaDeviceReset(void);

/* stream.c */
int cudaStreamCreate(void **out);
int cudaStreamCreateWithFlags(void **out, unsigned flags);
int cudaStreamCreateWithPriority(void **out, unsigned flags, int priority);
int cudaStreamDestroy(void *stream);
int cudaStreamSynchronize(void *stream);
int cudaStreamQuery(void *stream);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaEventCreate(void **out);
int cudaEventCreateWithFlags(void **out, unsigned flags);
int cudaEventDestroy(void *event);
int cudaEventRecord(void *event, void *stream);
int cudaEventSynchronize(void *event);
int cudaEventQuery(void *event);
int cudaEventElapsedTime(float *milliseconds, void *begin, void *end);
int cudaSetDevice(int device);
int cudaGetDevice(int *device);
int cudaGetDeviceCount(int *count);
int tsl_lab_capability(int *major, int *minor);
size_t tsl_lab_device_bytes(void);

#endif
