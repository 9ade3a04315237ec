/* The entry of the plug-in: what it offers, and the functions of the library that it calls. */
#include "device/cuda.h"

#include <stdio.h>

extern "C" {
#include "device/interface.h"
#include "device/plugin.h"
}

static const tsl_host *host; /* set once, when the plug-in is opened */

extern "C" void *tsl_allocate(size_t bytes)
{
    return host->allocate(bytes);
}

extern "C" void *tsl_allocate_zeroed(size_t count, size_t bytes_each)
{
    return host->allocate_zeroed(count, bytes_each);
}

extern "C" void tsl_release(void *memory)
{
    host->release(memory);
}

static int count_devices(char *reason, size_t bytes)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaErrorInsufficientDriver) {
        snprintf(reason, bytes, "there is no NVIDIA driver, or one too old for CUDA %d.%d",
                 CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    } else if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0)) {
        snprintf(reason, bytes, "there is no NVIDIA GPU");
    } else if (error != cudaSuccess) {
        snprintf(reason, bytes, "%s", cudaGetErrorString(error));
    }
    return error == cudaSuccess ? count : 0;
}

extern "C" __attribute__((visibility("default"))) const tsl_plugin *
tsl_cuda_plugin(const tsl_host *);

extern "C" const tsl_plugin *tsl_cuda_plugin(const tsl_host *library)
{
    static const tsl_plugin plugin = {TSL_INTERFACE, tsl_cuda_ops(), count_devices};
    host = library;
    return &plugin;
}
