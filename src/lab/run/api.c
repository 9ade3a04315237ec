/* The part of CUDA's runtime library that needs no templates: memory, copies, errors. All work is
 * done when it is asked for, in the order of the calls. Each is of include/tesela-lab/cuda_api.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/run/api.h"
#include "lab/run/graph.h"

#define CALLER ((uintptr_t)__builtin_return_address(0))

int tsl_api_fail(int error)
{
    if (error != 0) {
        tsl_now.error = error;
    }
    return error;
}

/* The host's calls end with the error that ended a launch, until the device is reset. */
static bool is_broken(void)
{
    return tsl_now.sticky != 0;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int take(void **out, size_t bytes, bool host_too)
{
    if (is_broken()) {
        return tsl_api_fail(tsl_now.sticky);
    }
    if (out == NULL) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    *out = bytes > 0 ? tsl_memory_take(bytes, host_too) : NULL;
    if (*out == NULL && bytes > 0) {
        return tsl_api_fail(TSL_NO_MEMORY);
    }
    tsl_mark_written((uintptr_t)*out, bytes, host_too);
    return 0;
}

int tsl_lab_malloc(void **out, size_t bytes)
{
    return take(out, bytes, false);
}

int tsl_lab_malloc_host(void **out, size_t bytes)
{
    return take(out, bytes, true);
}

int tsl_lab_malloc_pitch(void **out, size_t *pitch, size_t width, size_t height)
{
    *pitch = (width + 511) / 512 * 512;
    return take(out, *pitch * height, false);
}

int cudaFree(void *memory)
{
    if (memory != NULL && !tsl_memory_give(memory)) {
        tsl_report("free", CALLER, 0,
                   "cudaFree() of what cudaMalloc() has not given, or that is freed already");
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    return 0;
}

int cudaFreeHost(void *memory)
{
    return cudaFree(memory);
}

int cudaMemGetInfo(size_t *left, size_t *all)
{
    *left = (size_t)tsl_memory_free();
    *all = (size_t)tsl_now.memory;
    return 0;
}

/* ---- copies --------------------------------------------------------------------------------- */

enum { HOST_HOST, HOST_DEVICE, DEVICE_HOST, DEVICE_DEVICE, DEFAULT };

/* Is [address, address + bytes) what a copy may use on the side it names? */
static bool is_side(uintptr_t address, size_t bytes, bool device, uintptr_t pc, const char *what)
{
    uintptr_t begin;
    size_t size;
    bool host_too = false;
    char text[320];
    const bool piece = tsl_memory_piece(address, &begin, &size, &host_too);
    const bool in_range = address - tsl_now.global.begin < tsl_now.global.bytes;
    if (!in_range) {
        if (device && !tsl_memory_is_variable(address)) {
            tsl_report("copy", pc, 0, "the %s of a copy on the device is memory of the host", what);
            return false;
        }
        return true;
    }
    if (!piece || address + bytes > begin + size) {
        tsl_memory_describe(text, sizeof text, piece ? begin + size : address, 1);
        tsl_report("copy", pc, 0, "a copy of %zu bytes leaves its %s: it reaches %s", bytes, what,
                   text);
        return false;
    }
    if (!device && !host_too) {
        tsl_report("copy", pc, 0, "the %s of a copy on the host is memory of the device", what);
        return false;
    }
    return true;
}

static bool is_device(uintptr_t address)
{
    return address - tsl_now.global.begin < tsl_now.global.bytes || tsl_memory_is_variable(address);
}

/* Bytes of device memory that nobody wrote are not told of in a copy: the host may use a part. */
static void move(void *to, const void *from, size_t bytes)
{
    const bool variable =
        tsl_memory_is_variable((uintptr_t)to) || tsl_memory_is_variable((uintptr_t)from);
    if (variable) {
        tsl_memory_open_variables(true);
    }
    memmove(tsl_memory_alias(to), tsl_memory_alias(from), bytes);
    if (variable) {
        tsl_memory_open_variables(false);
    }
    tsl_mark_written((uintptr_t)to, bytes, true);
}

int tsl_copy_at(void *to, const void *from, size_t bytes, int kind, uintptr_t pc)
{
    if (is_broken()) {
        return tsl_api_fail(tsl_now.sticky);
    }
    if (kind < HOST_HOST || kind > DEFAULT) {
        tsl_report("copy", pc, 0, "a copy of no known direction (%d)", kind);
        return tsl_api_fail(21);
    }
    if (bytes == 0) {
        return 0;
    }
    const bool to_device =
        kind == DEFAULT ? is_device((uintptr_t)to) : kind == HOST_DEVICE || kind == DEVICE_DEVICE;
    const bool from_device =
        kind == DEFAULT ? is_device((uintptr_t)from) : kind == DEVICE_HOST || kind == DEVICE_DEVICE;
    if (!is_side((uintptr_t)to, bytes, to_device, pc, "destination") ||
        !is_side((uintptr_t)from, bytes, from_device, pc, "source")) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    move(to, from, bytes);
    return 0;
}

int cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return tsl_copy_at(to, from, bytes, kind, CALLER);
}

static int copy_async(void *to, const void *from, size_t bytes, int kind, const void *stream,
                      uintptr_t pc)
{
    if (tsl_stream_captures(stream)) {
        tsl_capture_copy(to, from, bytes, kind, pc);
        return 0;
    }
    return tsl_copy_at(to, from, bytes, kind, pc);
}

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, void *stream)
{
    return copy_async(to, from, bytes, kind, stream, CALLER);
}

int cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                 size_t height, int kind)
{
    int error = 0;
    for (size_t row = 0; row < height && error == 0; row++) {
        error = tsl_copy_at((char *)to + row * to_pitch, (const char *)from + row * from_pitch,
                            width, kind, CALLER);
    }
    return error;
}

int cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                      size_t height, int kind, void *stream)
{
    int error = 0;
    for (size_t row = 0; row < height && error == 0; row++) {
        error = copy_async((char *)to + row * to_pitch, (const char *)from + row * from_pitch,
                           width, kind, stream, CALLER);
    }
    return error;
}

int tsl_lab_copy_symbol(void *symbol, size_t size, void *host, size_t bytes, size_t offset,
                        bool to_symbol, int kind)
{
    (void)kind;
    if (is_broken()) {
        return tsl_api_fail(tsl_now.sticky);
    }
    if (offset + bytes > size) {
        tsl_report("copy", CALLER, 0, "a copy of %zu bytes at %zu leaves a symbol of %zu", bytes,
                   offset, size);
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    char *const at = (char *)symbol + offset;
    move(to_symbol ? at : host, to_symbol ? host : at, bytes);
    return 0;
}

int tsl_set_at(void *to, int value, size_t bytes, uintptr_t pc)
{
    if (is_broken()) {
        return tsl_api_fail(tsl_now.sticky);
    }
    if (bytes > 0 && !is_side((uintptr_t)to, bytes, true, pc, "destination")) {
        return tsl_api_fail(TSL_INVALID_VALUE);
    }
    const bool variable = tsl_memory_is_variable((uintptr_t)to);
    if (variable) {
        tsl_memory_open_variables(true);
    }
    memset(tsl_memory_alias(to), value, bytes);
    if (variable) {
        tsl_memory_open_variables(false);
    }
    tsl_mark_written((uintptr_t)to, bytes, true);
    return 0;
}

int cudaMemset(void *to, int value, size_t bytes)
{
    return tsl_set_at(to, value, bytes, CALLER);
}

int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream)
{
    if (tsl_stream_captures(stream)) {
        tsl_capture_set(to, value, bytes, CALLER);
        return 0;
    }
    return tsl_set_at(to, value, bytes, CALLER);
}

int cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    int error = 0;
    for (size_t row = 0; row < height && error == 0; row++) {
        error = tsl_set_at((char *)to + row * pitch, value, width, CALLER);
    }
    return error;
}

/* ---- errors --------------------------------------------------------------------------------- */

static const struct {
    int error;
    const char *name;
    const char *text;
} errors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {217, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
};

static const char *find_error(int error, bool name)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].error == error) {
            return name ? errors[i].name : errors[i].text;
        }
    }
    return name ? "cudaErrorUnknown" : "unknown error";
}

const char *cudaGetErrorString(int error)
{
    return find_error(error, false);
}

const char *cudaGetErrorName(int error)
{
    return find_error(error, true);
}

int cudaGetLastError(void)
{
    const int error = tsl_now.error;
    tsl_now.error = tsl_now.sticky;
    return error;
}

int cudaPeekAtLastError(void)
{
    return tsl_now.error;
}

int cudaDeviceSynchronize(void)
{
    return tsl_now.sticky != 0 ? tsl_api_fail(tsl_now.sticky) : 0;
}

int cudaDeviceReset(void)
{
    tsl_now.sticky = 0;
    tsl_now.error = 0;
    return 0;
}
