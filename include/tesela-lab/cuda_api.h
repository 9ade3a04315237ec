/* CUDA's runtime library, as far as the simulated device has it. All work is done when it is asked
 * for. */
#ifndef TESELA_LAB_CUDA_API_H
#define TESELA_LAB_CUDA_API_H

#include "cuda_types.h"

enum cudaError {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInitializationError = 3,
    cudaErrorCudartUnloading = 4,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidDevicePointer = 17,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInsufficientDriver = 35,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorPeerAccessUnsupported = 217,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorNotReady = 600,
    cudaErrorIllegalAddress = 700,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorPeerAccessAlreadyEnabled = 704,
    cudaErrorAssert = 710,
    cudaErrorMisalignedAddress = 716,
    cudaErrorLaunchFailure = 719,
    cudaErrorNotSupported = 801,
    cudaErrorStreamCaptureUnsupported = 900,
    cudaErrorStreamCaptureInvalidated = 901,
    cudaErrorUnknown = 999
};
typedef enum cudaError cudaError_t;
enum cudaMemcpyKind {
    cudaMemcpyHostToHost,
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice,
    cudaMemcpyDefault
};
enum cudaFuncCache {
    cudaFuncCachePreferNone,
    cudaFuncCachePreferShared,
    cudaFuncCachePreferL1,
    cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
    cudaSharedMemBankSizeDefault,
    cudaSharedMemBankSizeFourByte,
    cudaSharedMemBankSizeEightByte
};
enum cudaFuncAttribute {
    cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
    cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaDeviceAttr {
    cudaDevAttrMaxThreadsPerBlock = 1,
    cudaDevAttrMaxSharedMemoryPerBlock = 8,
    cudaDevAttrWarpSize = 10,
    cudaDevAttrClockRate = 13,
    cudaDevAttrMultiProcessorCount = 16,
    cudaDevAttrComputeMode = 20,
    cudaDevAttrMemoryPoolsSupported = 115,
    cudaDevAttrMaxThreadsPerMultiProcessor = 39,
    cudaDevAttrComputeCapabilityMajor = 75,
    cudaDevAttrComputeCapabilityMinor = 76,
    cudaDevAttrManagedMemory = 83,
    cudaDevAttrConcurrentManagedAccess = 89,
    cudaDevAttrCooperativeLaunch = 95,
    cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
enum {
    cudaHostAllocDefault = 0,
    cudaHostAllocPortable = 1,
    cudaHostAllocMapped = 2,
    cudaHostAllocWriteCombined = 4,
    cudaHostRegisterDefault = 0,
    cudaHostRegisterPortable = 1,
    cudaHostRegisterMapped = 2,
    cudaEventDefault = 0,
    cudaEventBlockingSync = 1,
    cudaEventDisableTiming = 2,
    cudaStreamDefault = 0,
    cudaStreamNonBlocking = 1,
    cudaMemAttachGlobal = 1,
    cudaMemAttachHost = 2,
    cudaDeviceScheduleAuto = 0,
    cudaDeviceScheduleBlockingSync = 4,
    cudaDeviceMapHost = 8,
    cudaCpuDeviceId = -1
};
typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;
typedef struct CUgraph_st *cudaGraph_t;
typedef struct CUgraphExec_st *cudaGraphExec_t;
typedef struct CUgraphNode_st *cudaGraphNode_t;
typedef void (*cudaHostFn_t)(void *data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *data);
enum cudaStreamCaptureMode {
    cudaStreamCaptureModeGlobal,
    cudaStreamCaptureModeThreadLocal,
    cudaStreamCaptureModeRelaxed
};
enum cudaStreamCaptureStatus {
    cudaStreamCaptureStatusNone,
    cudaStreamCaptureStatusActive,
    cudaStreamCaptureStatusInvalidated
};
enum cudaComputeMode {
    cudaComputeModeDefault,
    cudaComputeModeExclusive,
    cudaComputeModeProhibited,
    cudaComputeModeExclusiveProcess
};
enum cudaLimit {
    cudaLimitStackSize,
    cudaLimitPrintfFifoSize,
    cudaLimitMallocHeapSize,
    cudaLimitDevRuntimeSyncDepth,
    cudaLimitDevRuntimePendingLaunchCount
};
enum cudaMemoryAdvise {
    cudaMemAdviseSetReadMostly = 1,
    cudaMemAdviseUnsetReadMostly,
    cudaMemAdviseSetPreferredLocation,
    cudaMemAdviseUnsetPreferredLocation,
    cudaMemAdviseSetAccessedBy,
    cudaMemAdviseUnsetAccessedBy
};
#define cudaStreamLegacy ((cudaStream_t)1)
#define cudaStreamPerThread ((cudaStream_t)2)

struct cudaDeviceProp {
    char name[256];
    size_t totalGlobalMem, sharedMemPerBlock, sharedMemPerBlockOptin, sharedMemPerMultiprocessor;
    size_t totalConstMem, memPitch, textureAlignment, reservedSharedMemPerBlock;
    int regsPerBlock, regsPerMultiprocessor, warpSize, maxThreadsPerBlock, maxThreadsDim[3];
    int maxGridSize[3], clockRate, major, minor, deviceOverlap, multiProcessorCount;
    int kernelExecTimeoutEnabled, integrated, canMapHostMemory, computeMode, concurrentKernels;
    int ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize;
    int maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, managedMemory;
    int concurrentManagedAccess, cooperativeLaunch, isMultiGpuBoard, streamPrioritiesSupported;
    int pageableMemoryAccess, hostNativeAtomicSupported, cooperativeMultiDeviceLaunch;
    int globalL1CacheSupported, localL1CacheSupported, memoryPoolsSupported;
    size_t texturePitchAlignment, surfaceAlignment;
    int maxTexture1D, maxTexture1DLinear, maxTexture1DLayered[2], maxTexture2D[2];
    int maxTexture2DLinear[3], maxTexture2DLayered[3], maxTexture3D[3], computePreemptionSupported;
};

extern "C" {
int tsl_lab_malloc(void **out, size_t bytes);
int tsl_lab_malloc_host(void **out, size_t bytes);
int tsl_lab_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height);
int tsl_lab_copy_symbol(void *symbol, size_t size, void *host, size_t bytes, size_t offset,
                        bool to_symbol, int kind);
int tsl_lab_capability(int *major, int *minor);
size_t tsl_lab_device_bytes(void);
cudaError_t cudaFree(void *memory);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaMemGetInfo(size_t *left, size_t *all);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream = 0);
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream = 0);
cudaError_t cudaMemset(void *to, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream = 0);
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height);
const char *cudaGetErrorString(cudaError_t error);
const char *cudaGetErrorName(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaStreamCreate(cudaStream_t *out);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventCreate(cudaEvent_t *out);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaGetDeviceCount(int *count);
int tsl_lab_graph_instantiate(cudaGraphExec_t *out, cudaGraph_t from);
cudaError_t cudaGraphCreate(cudaGraph_t *out, unsigned flags);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *out);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data);
}

template <class T> inline cudaError_t cudaMalloc(T **out, size_t bytes)
{
    return (cudaError_t)tsl_lab_malloc((void **)out, bytes);
}
template <class T>
inline cudaError_t cudaMallocManaged(T **out, size_t bytes, unsigned flags = cudaMemAttachGlobal)
{
    (void)flags;
    return (cudaError_t)tsl_lab_malloc_host((void **)out, bytes);
}
template <class T> inline cudaError_t cudaMallocHost(T **out, size_t bytes, unsigned flags = 0)
{
    (void)flags;
    return (cudaError_t)tsl_lab_malloc_host((void **)out, bytes);
}
template <class T> inline cudaError_t cudaHostAlloc(T **out, size_t bytes, unsigned flags)
{
    (void)flags;
    return (cudaError_t)tsl_lab_malloc_host((void **)out, bytes);
}
template <class T>
inline cudaError_t cudaMallocPitch(T **out, size_t *pitch, size_t width, size_t height)
{
    return (cudaError_t)tsl_lab_malloc_pitch((void **)out, pitch, width, height);
}
template <class T> inline cudaError_t cudaMallocAsync(T **out, size_t bytes, cudaStream_t)
{
    return (cudaError_t)tsl_lab_malloc((void **)out, bytes);
}
inline cudaError_t cudaFreeAsync(void *memory, cudaStream_t)
{
    return cudaFree(memory);
}
template <class T> inline cudaError_t cudaHostGetDevicePointer(T **out, void *host, unsigned)
{
    *out = (T *)host;
    return cudaSuccess;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph,
                                        unsigned long long = 0)
{
    return (cudaError_t)tsl_lab_graph_instantiate(out, graph);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *out, cudaGraph_t graph, cudaGraphNode_t *,
                                        char *, size_t)
{
    return (cudaError_t)tsl_lab_graph_instantiate(out, graph);
}
inline cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t)
{
    return cudaSuccess;
}
/* Does a stream capture? Then calls that cannot become nodes of a graph are refused. */
inline bool tsl_lab_is_capturing(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus status;
    return cudaStreamIsCapturing(stream, &status) == cudaSuccess &&
           status != cudaStreamCaptureStatusNone;
}
inline cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function,
                                         void *data, unsigned)
{
    if (tsl_lab_is_capturing(stream)) {
        return cudaErrorStreamCaptureUnsupported;
    }
    function(stream, cudaSuccess, data);
    return cudaSuccess;
}
inline cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned)
{
    return cudaEventRecord(event, stream);
}
/* There is one device, which is nobody's peer. */
inline cudaError_t cudaDeviceCanAccessPeer(int *can, int, int)
{
    *can = 0;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int, unsigned)
{
    return cudaErrorPeerAccessUnsupported;
}
inline cudaError_t cudaDeviceDisablePeerAccess(int)
{
    return cudaErrorPeerAccessUnsupported;
}
inline cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                                  size_t bytes)
{
    return to_device != 0 || from_device != 0 ? cudaErrorInvalidDevice
                                              : cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
inline cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                       size_t bytes, cudaStream_t stream = 0)
{
    return to_device != 0 || from_device != 0
               ? cudaErrorInvalidDevice
               : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
/* Memory that kernels may use is the simulator's own: the host's can be pinned, not mapped. */
inline cudaError_t cudaHostRegister(void *, size_t, unsigned flags)
{
    return (flags & cudaHostRegisterMapped) != 0 ? cudaErrorNotSupported : cudaSuccess;
}
inline cudaError_t cudaHostUnregister(void *)
{
    return cudaSuccess;
}
inline cudaError_t cudaMemAdvise(const void *, size_t, enum cudaMemoryAdvise, int)
{
    return cudaSuccess;
}
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t = 0,
                                            unsigned = cudaMemAttachGlobal)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t)
{
    return limit <= cudaLimitPrintfFifoSize ? cudaSuccess : cudaErrorNotSupported;
}
inline cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height,
                                     cudaStream_t stream = 0)
{
    cudaError_t error = cudaSuccess;
    for (size_t row = 0; row < height && error == cudaSuccess; row++) {
        error = cudaMemsetAsync((char *)to + row * pitch, value, width, stream);
    }
    return error;
}
inline cudaError_t cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t = 0)
{
    return cudaSuccess;
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes, size_t offset = 0,
                                      enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return (cudaError_t)tsl_lab_copy_symbol((void *)&symbol, sizeof symbol, (void *)from, bytes,
                                            offset, true, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(T &symbol, const void *from, size_t bytes, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return tsl_lab_is_capturing(stream) ? cudaErrorNotSupported
                                        : cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void *to, T &symbol, size_t bytes, size_t offset = 0,
                                        enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return (cudaError_t)tsl_lab_copy_symbol((void *)&symbol, sizeof symbol, to, bytes, offset,
                                            false, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, T &symbol, size_t bytes, size_t offset,
                                             enum cudaMemcpyKind kind, cudaStream_t stream = 0)
{
    return tsl_lab_is_capturing(stream) ? cudaErrorNotSupported
                                        : cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <class T> inline cudaError_t cudaGetSymbolSize(size_t *bytes, T &)
{
    *bytes = sizeof(T);
    return cudaSuccess;
}
template <class T> inline cudaError_t cudaGetSymbolAddress(void **out, T &symbol)
{
    *out = (void *)&symbol;
    return cudaSuccess;
}
template <class F> inline cudaError_t cudaFuncSetAttribute(F, enum cudaFuncAttribute, int)
{
    return cudaSuccess;
}
template <class F> inline cudaError_t cudaFuncSetCacheConfig(F, enum cudaFuncCache)
{
    return cudaSuccess;
}
template <class F> inline cudaError_t cudaFuncSetSharedMemConfig(F, enum cudaSharedMemConfig)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig)
{
    return cudaSuccess;
}
inline cudaError_t cudaSetDeviceFlags(unsigned)
{
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}
inline cudaError_t cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}
inline cudaError_t cudaThreadExit(void)
{
    return cudaDeviceReset();
}
inline cudaError_t cudaDriverGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}
inline cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = CUDART_VERSION;
    return cudaSuccess;
}

inline cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *)
{
    *device = 0;
    return cudaSuccess;
}
/* For cuda_profiler_api.h. */
inline cudaError_t cudaProfilerStart(void)
{
    return cudaSuccess;
}
inline cudaError_t cudaProfilerStop(void)
{
    return cudaSuccess;
}

/* Limits of textures from a capability on, by the table of technical specifications in CUDA's
 * programming guide. The greatest pitch is not in it, nor are alignments: those are of cards of
 * capability 2.1 and 6.0. */
struct tsl_lab_texture_limits {
    int since; /* ten times the major number, and the minor one */
    int width_1d, width_2d, height_2d, edge_3d, linear_width, linear_height, linear_pitch;
    int layered_edge, layers;
};
inline void tsl_lab_limit_textures(cudaDeviceProp *out)
{
    static const tsl_lab_texture_limits all[] = {
        {60, 131072, 131072, 65536, 16384, 131072, 65000, 2097120, 32768, 2048},
        {50, 65536, 65536, 65536, 4096, 65536, 65536, 1048544, 16384, 2048},
        {30, 65536, 65536, 65536, 4096, 65000, 65000, 1048544, 16384, 2048},
        {20, 65536, 65536, 65535, 2048, 65000, 65000, 1048544, 16384, 2048},
        {0, 8192, 65536, 32768, 2048, 65000, 65000, 1048544, 8192, 512}};
    const int capability = 10 * out->major + out->minor;
    const tsl_lab_texture_limits *l = all;
    while (capability < l->since) {
        l++;
    }
    out->maxTexture1D = l->width_1d;
    out->maxTexture1DLinear =
        capability == 60 || capability == 70 || capability >= 75 ? 1 << 28 : 1 << 27;
    out->maxTexture1DLayered[0] = out->maxTexture2DLayered[0] = out->maxTexture2DLayered[1] =
        l->layered_edge;
    out->maxTexture1DLayered[1] = out->maxTexture2DLayered[2] = l->layers;
    out->maxTexture2D[0] = l->width_2d;
    out->maxTexture2D[1] = l->height_2d;
    out->maxTexture2DLinear[0] = l->linear_width;
    out->maxTexture2DLinear[1] = l->linear_height;
    out->maxTexture2DLinear[2] = l->linear_pitch;
    out->maxTexture3D[0] = out->maxTexture3D[1] = out->maxTexture3D[2] = l->edge_3d;
    out->textureAlignment = out->surfaceAlignment = 512;
    out->texturePitchAlignment = 32;
}

/* The simulated device: the limits of its capability, one multiprocessor's worth of speed. */
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp *out, int device)
{
    if (device != 0) {
        return cudaErrorInvalidDevice;
    }
    *out = cudaDeviceProp();
    tsl_lab_capability(&out->major, &out->minor);
    const bool old = out->major == 1;
    __builtin_snprintf(out->name, sizeof out->name, "tesela lab, capability %d.%d", out->major,
                       out->minor);
    out->totalGlobalMem = tsl_lab_device_bytes();
    out->sharedMemPerBlock = old ? 16 << 10 : 48 << 10;
    out->sharedMemPerBlockOptin = old ? 16 << 10 : 227 << 10;
    out->sharedMemPerMultiprocessor = old ? 16 << 10 : 228 << 10;
    out->totalConstMem = 64 << 10;
    out->memPitch = 2147483647;
    tsl_lab_limit_textures(out);
    out->computePreemptionSupported = out->major >= 6;
    out->regsPerBlock = old ? 8192 : 65536;
    out->regsPerMultiprocessor = out->regsPerBlock;
    out->warpSize = 32;
    out->maxThreadsPerBlock = old ? 512 : 1024;
    out->maxThreadsDim[0] = out->maxThreadsDim[1] = out->maxThreadsPerBlock;
    out->maxThreadsDim[2] = 64;
    out->maxGridSize[0] = out->major < 3 ? 65535 : 2147483647;
    out->maxGridSize[1] = 65535;
    out->maxGridSize[2] = old ? 1 : 65535;
    out->multiProcessorCount = 16;
    out->maxThreadsPerMultiProcessor = old ? 768 : 2048;
    out->maxBlocksPerMultiProcessor = old ? 8 : 32;
    out->clockRate = out->memoryClockRate = 1000000;
    out->memoryBusWidth = 256;
    out->l2CacheSize = 4 << 20;
    out->concurrentKernels = out->unifiedAddressing = out->canMapHostMemory = !old;
    out->managedMemory = out->cooperativeLaunch = out->asyncEngineCount = !old;
    out->deviceOverlap = !old;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp p;
    const cudaError_t error = cudaGetDeviceProperties(&p, device);
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = p.maxThreadsPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)p.sharedMemPerBlock;
        break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)p.sharedMemPerBlockOptin;
        break;
    case cudaDevAttrWarpSize:
        *value = p.warpSize;
        break;
    case cudaDevAttrClockRate:
        *value = p.clockRate;
        break;
    case cudaDevAttrMultiProcessorCount:
        *value = p.multiProcessorCount;
        break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
        *value = p.maxThreadsPerMultiProcessor;
        break;
    case cudaDevAttrComputeCapabilityMajor:
        *value = p.major;
        break;
    case cudaDevAttrComputeCapabilityMinor:
        *value = p.minor;
        break;
    case cudaDevAttrManagedMemory:
        *value = p.managedMemory;
        break;
    case cudaDevAttrCooperativeLaunch:
        *value = p.cooperativeLaunch;
        break;
    default:
        *value = 0;
        break;
    }
    return error;
}
/* As many blocks as the threads of a multiprocessor hold: `tesela lab occupancy` knows the rest. */
template <class F>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, F, int threads,
                                                                 size_t)
{
    *blocks = threads > 0 ? 2048 / threads : 0;
    *blocks = *blocks > 32 ? 32 : *blocks;
    return cudaSuccess;
}
template <class F>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, F, size_t = 0,
                                                      int limit = 0)
{
    *block = limit > 0 && limit < 1024 ? limit : 1024;
    *grid = 32;
    return cudaSuccess;
}

#endif
