/* Correlations on a device of their own, everything else on the host: how a program comes to a GPU
 * at first, by replacing its transforms. Boxes go there and whole grids of scores come back each
 * time, which is most of what it takes. There to be measured. */
#ifndef TSL_OFFLOAD_H
#define TSL_OFFLOAD_H

#include "blocks/convolve/convolve.h"
#include "device/device.h"

typedef struct tsl_offload {
    tsl_device_ops ops;  /* the host's, but for correlations */
    tsl_context *device; /* that does these */
} tsl_offload;

/* From here on `device` does the correlations of `host`, a context of the CPU: those of the form
 * TSL_CONVOLVE_PLAIN, by whole transforms. `offload` and `device` must outlive `host`. */
void tsl_convolve_offload(tsl_offload *offload, tsl_context *host, tsl_context *device);

#endif
