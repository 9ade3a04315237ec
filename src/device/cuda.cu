/* NVIDIA GPUs as devices, and the door of the plug-in. */
#include "device/cuda.h"

#include <stdio.h>
#include <string.h>

extern "C" {
#include "core/config.h"
#include "device/plugin.h"
}

struct tsl_device {
    int index;
    cudaStream_t stream;
};

/* Cards older than this lack what the kernels are compiled for. */
enum { OLDEST_MAJOR = 8 };

cudaStream_t tsl_cuda_stream(tsl_context *context)
{
    cudaSetDevice(context->device->index);
    return context->device->stream;
}

tsl_status tsl_cuda_check(tsl_context *context, cudaError_t error, const char *what)
{
    return error == cudaSuccess ? TSL_OK
                                : tsl_fail(context, TSL_E_DEVICE, "%s: %s failed: %s",
                                           context->name, what, cudaGetErrorString(error));
}

static int count_devices(char *reason, size_t bytes)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess) {
        snprintf(reason, bytes, "%s",
                 error == cudaErrorInsufficientDriver || error == cudaErrorNoDevice
                     ? (error == cudaErrorNoDevice ? "there is no NVIDIA GPU"
                                                   : "there is no NVIDIA driver, or one too old")
                     : cudaGetErrorString(error));
        return 0;
    }
    if (count == 0) {
        snprintf(reason, bytes, "there is no NVIDIA GPU");
    }
    return count;
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
    status =
        tsl_cuda_check(context, cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking),
                       "making a stream");
    if (status != TSL_OK) {
        tsl_release(device);
        return status;
    }
    *out = device;
    return TSL_OK;
}

static void cuda_close(tsl_device *device)
{
    cudaSetDevice(device->index);
    cudaStreamDestroy(device->stream);
    tsl_release(device);
}

static tsl_status cuda_properties(tsl_device *device, tsl_device_properties *out)
{
    cudaDeviceProp properties;
    memset(out, 0, sizeof *out);
    if (cudaGetDeviceProperties(&properties, device->index) != cudaSuccess) {
        return TSL_E_DEVICE;
    }
    snprintf(out->model, sizeof out->model, "%.*s", (int)sizeof out->model - 1, properties.name);
    out->threads = properties.multiProcessorCount;
    out->memory = (int64_t)properties.totalGlobalMem;
    return TSL_OK;
}

static void *cuda_allocate(tsl_device *device, int64_t bytes)
{
    void *memory = NULL;
    cudaSetDevice(device->index);
    if (cudaMalloc(&memory, (size_t)bytes) != cudaSuccess) {
        cudaGetLastError(); /* the caller reports it */
        return NULL;
    }
    return memory;
}

static void cuda_release(tsl_device *device, void *memory)
{
    cudaSetDevice(device->index);
    cudaFree(memory);
}

static tsl_status synchronize(tsl_context *context)
{
    return tsl_cuda_check(context, cudaStreamSynchronize(tsl_cuda_stream(context)),
                          "work on the device");
}

static tsl_status cuda_upload(tsl_context *context, void *target, const void *source, int64_t bytes)
{
    /* From pageable memory this returns when the source may be reused. */
    return tsl_cuda_check(context,
                          cudaMemcpyAsync(target, source, (size_t)bytes, cudaMemcpyHostToDevice,
                                          tsl_cuda_stream(context)),
                          "a copy to the device");
}

static tsl_status cuda_download(tsl_context *context, void *target, const void *source,
                                int64_t bytes)
{
    const tsl_status status =
        tsl_cuda_check(context,
                       cudaMemcpyAsync(target, source, (size_t)bytes, cudaMemcpyDeviceToHost,
                                       tsl_cuda_stream(context)),
                       "a copy from the device");
    return status == TSL_OK ? synchronize(context) : status;
}

static tsl_status cuda_fill(tsl_context *context, void *target, unsigned char value, int64_t bytes)
{
    return tsl_cuda_check(context,
                          cudaMemsetAsync(target, value, (size_t)bytes, tsl_cuda_stream(context)),
                          "filling memory");
}

extern const struct tsl_fft_ops tsl_fft_cuda;
extern const struct tsl_convolve_ops tsl_convolve_cuda;
extern const struct tsl_reduce_ops tsl_reduce_cuda;
extern const struct tsl_dock_ops tsl_dock_cuda;

static tsl_device_ops make_ops(void)
{
    tsl_device_ops ops;
    memset(&ops, 0, sizeof ops);
    ops.name = "cuda";
    ops.open = cuda_open;
    ops.close = cuda_close;
    ops.properties = cuda_properties;
    ops.allocate = cuda_allocate;
    ops.release = cuda_release;
    ops.upload = cuda_upload;
    ops.download = cuda_download;
    ops.fill = cuda_fill;
    ops.synchronize = synchronize;
    ops.fft = &tsl_fft_cuda;
    ops.convolve = &tsl_convolve_cuda;
    ops.reduce = &tsl_reduce_cuda;
    ops.dock = &tsl_dock_cuda;
    return ops;
}

extern "C" __attribute__((visibility("default"))) const tsl_plugin *tsl_cuda_plugin(void);

extern "C" const tsl_plugin *tsl_cuda_plugin(void)
{
    static const tsl_device_ops ops = make_ops();
    static const tsl_plugin plugin = {TSL_VERSION, sizeof(struct tsl_context),
                                      sizeof(tsl_device_ops), &ops, count_devices};
    return &plugin;
}
