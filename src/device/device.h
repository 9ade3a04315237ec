/* The table a device fills. Everything that solvers do with memory and kernels goes through it. */
#ifndef TSL_DEVICE_H
#define TSL_DEVICE_H

#include "core/context.h"

typedef struct tsl_device tsl_device;

/* The blocks' and solvers' own tables, each described in its folder. */
struct tsl_fft_ops;
struct tsl_convolve_ops;
struct tsl_reduce_ops;
struct tsl_dock_ops;

/* Number of processing threads and memory, for reports. */
typedef struct tsl_device_properties {
    char model[128]; /* "AMD EPYC 9654" */
    int threads;     /* hardware threads */
    int64_t memory;  /* bytes in all */
} tsl_device_properties;

typedef struct tsl_device_ops {
    const char *name; /* first part of the resource string: "cpu" */

    /* Device number `index` of its kind, with `context->threads` CPU threads at its service. */
    tsl_status (*open)(tsl_device **out, tsl_context *context, int index);
    void (*close)(tsl_device *device);
    tsl_status (*properties)(tsl_device *device, tsl_device_properties *out);

    /* Memory on the device, aligned to 64 bytes, contents undefined; NULL when exhausted. */
    void *(*allocate)(tsl_device *device, int64_t bytes);
    void (*release)(tsl_device *device, void *memory);

    /* Copies return when the host memory may be reused or read; they follow earlier work. */
    tsl_status (*upload)(tsl_context *context, void *target, const void *source, int64_t bytes);
    tsl_status (*download)(tsl_context *context, void *target, const void *source, int64_t bytes);
    /* Set bytes; queued on the stream. */
    tsl_status (*fill)(tsl_context *context, void *target, unsigned char value, int64_t bytes);
    tsl_status (*synchronize)(tsl_context *context);

    const struct tsl_fft_ops *fft;
    const struct tsl_convolve_ops *convolve;
    const struct tsl_reduce_ops *reduce;
    const struct tsl_dock_ops *dock;
} tsl_device_ops;

extern const tsl_device_ops tsl_device_cpu;

/* Find the device a resource string names. `resource` is rewritten to the canonical name
 * (context->name). Errors go to the context. */
tsl_status tsl_device_find(tsl_context *context, const char *resource, const tsl_device_ops **out,
                           int *index);

/* Device memory with the error message that belongs to a failure. */
tsl_status tsl_device_allocate(void **out, tsl_context *context, int64_t bytes, const char *what);
void tsl_device_release(tsl_context *context, void *memory);

#endif
