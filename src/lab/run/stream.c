/* Streams, events and the choice of a device. Work is done when it is asked for, so that streams
 * are always idle, and the times of events are the simulator's own. */
#include <stdlib.h>
#include <time.h>

#include "lab/run/api.h"
#include "lab/run/graph.h"

enum { STREAM = 0x5354, EVENT = 0x4556 };

typedef struct handle {
    int what;
    bool recorded;
    double seconds;
    uint64_t capture; /* number of the capture that it took part in last */
} handle;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int create(void **out, int what)
{
    handle *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return tsl_api_fail(TSL_NO_MEMORY);
    }
    made->what = what;
    *out = made;
    return 0;
}

/* The default streams are small numbers, not pointers. */
static bool is_default(const void *stream)
{
    return (uintptr_t)stream <= 2;
}

bool tsl_stream_captures(const void *stream)
{
    const uint64_t number = tsl_capture_number();
    return number != 0 && !is_default(stream) && ((const handle *)stream)->capture == number;
}

bool tsl_stream_join(void *stream, uint64_t number)
{
    if (is_default(stream)) {
        return false;
    }
    ((handle *)stream)->capture = number;
    return true;
}

static int destroy(void *what)
{
    if (is_default(what)) {
        return tsl_api_fail(TSL_INVALID_HANDLE);
    }
    free(what);
    return 0;
}

static int check(void)
{
    return tsl_now.sticky != 0 ? tsl_api_fail(tsl_now.sticky) : 0;
}

int cudaStreamCreate(void **out)
{
    return create(out, STREAM);
}

int cudaStreamCreateWithFlags(void **out, unsigned flags)
{
    (void)flags;
    return create(out, STREAM);
}

int cudaStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
    (void)flags;
    (void)priority;
    return create(out, STREAM);
}

int cudaStreamDestroy(void *stream)
{
    return destroy(stream);
}

int cudaStreamSynchronize(void *stream)
{
    (void)stream;
    return check();
}

int cudaStreamQuery(void *stream)
{
    (void)stream;
    return check();
}

int cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    (void)flags;
    if (event == NULL) {
        return tsl_api_fail(TSL_INVALID_HANDLE);
    }
    const uint64_t number = tsl_capture_number();
    if (number != 0 && ((const handle *)event)->capture == number) {
        tsl_stream_join(stream, number);
    }
    return check();
}

int cudaEventCreate(void **out)
{
    return create(out, EVENT);
}

int cudaEventCreateWithFlags(void **out, unsigned flags)
{
    (void)flags;
    return create(out, EVENT);
}

int cudaEventDestroy(void *event)
{
    return destroy(event);
}

int cudaEventRecord(void *event, void *stream)
{
    handle *const e = event;
    if (e == NULL) {
        return tsl_api_fail(TSL_INVALID_HANDLE);
    }
    if (tsl_stream_captures(stream)) {
        e->capture = tsl_capture_number();
        return check();
    }
    e->recorded = true;
    e->seconds = seconds();
    return check();
}

int cudaEventSynchronize(void *event)
{
    return event == NULL ? tsl_api_fail(TSL_INVALID_HANDLE) : check();
}

int cudaEventQuery(void *event)
{
    return event == NULL ? tsl_api_fail(TSL_INVALID_HANDLE) : check();
}

int cudaEventElapsedTime(float *milliseconds, void *begin, void *end)
{
    const handle *const a = begin;
    const handle *const b = end;
    if (a == NULL || b == NULL || !a->recorded || !b->recorded) {
        return tsl_api_fail(TSL_INVALID_HANDLE);
    }
    *milliseconds = (float)(1e3 * (b->seconds - a->seconds));
    return check();
}

int cudaSetDevice(int device)
{
    return device == 0 ? 0 : tsl_api_fail(TSL_INVALID_DEVICE);
}

int cudaGetDevice(int *device)
{
    *device = 0;
    return 0;
}

int cudaGetDeviceCount(int *count)
{
    *count = 1;
    return 0;
}

int tsl_lab_capability(int *major, int *minor)
{
    *major = tsl_now.device_major;
    *minor = tsl_now.device_minor;
    return 0;
}

size_t tsl_lab_device_bytes(void)
{
    return (size_t)tsl_now.memory;
}
