/* Kernels of generated units on GPUs: a thread a point. XC_KERNEL(body, inputs, outputs, resident)
 * makes a kernel of a body, of which that many blocks a multiprocessor are wanted at a time, and
 * the function that queues it; included after device/sim.h or device/cuda.h. */
#ifndef TSL_XC_BLOCK_H
#define TSL_XC_BLOCK_H

#include "solvers/xc/xc_point.h"

#define XC_REAL double

enum {
    XC_THREADS = 128,
    XC_POINTS = 1 << 27 /* a launch at most */
};

/* Queue one body; of its arrays [inputs] and [outputs] are used. */
typedef tsl_status tsl_xc_launch(tsl_context *context, const tsl_xc_call *call);

#ifdef __CUDACC__
#define XC_STREAM(address, value) __stcs(address, value)
#else
#define XC_STREAM(address, value) (*(address) = (value))
#endif

#define XC_KERNEL(body, inputs, outputs, resident)                                                 \
    typedef struct body##_arguments {                                                              \
        double c[XC_UNIT_CONSTANTS];                                                               \
        const double *in[inputs];                                                                  \
        double *out[outputs];                                                                      \
        int step_in[inputs], step_out[outputs];                                                    \
        int points, accumulate;                                                                    \
    } body##_arguments;                                                                            \
    TSL_KERNEL_OF(body##_kernel, body##_arguments, XC_THREADS, resident)                           \
    {                                                                                              \
        TSL_PHASE                                                                                  \
        {                                                                                          \
            const int64_t i = (int64_t)TSL_BLOCK * TSL_THREADS + thread;                           \
            if (i >= a.points) {                                                                   \
                continue;                                                                          \
            }                                                                                      \
            double x[inputs];                                                                      \
            double y[outputs];                                                                     \
            TSL_UNROLL for (int k = 0; k < (inputs); k++)                                          \
            {                                                                                      \
                x[k] = TSL_READ_ONCE(a.in[k] + i * a.step_in[k]);                                  \
            }                                                                                      \
            body(a.c, x, y);                                                                       \
            TSL_UNROLL for (int k = 0; k < (outputs); k++)                                         \
            {                                                                                      \
                if (a.out[k] != NULL) {                                                            \
                    double *const at = a.out[k] + i * a.step_out[k];                               \
                    XC_STREAM(at, a.accumulate ? *at + y[k] : y[k]);                               \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static tsl_status body##_launch(tsl_context *context, const tsl_xc_call *call)                 \
    {                                                                                              \
        tsl_status status = TSL_OK;                                                                \
        for (int64_t first = 0; first < call->points && status == TSL_OK;                          \
             first += (int64_t)XC_POINTS) {                                                        \
            body##_arguments arguments;                                                            \
            const int64_t left = call->points - first;                                             \
            arguments.points = (int)(left < (int64_t)XC_POINTS ? left : (int64_t)XC_POINTS);       \
            arguments.accumulate = call->accumulate;                                               \
            memcpy(arguments.c, call->constants, sizeof arguments.c);                              \
            for (int k = 0; k < (inputs); k++) {                                                   \
                arguments.step_in[k] = call->step_in[k];                                           \
                arguments.in[k] = call->in[k] + first * call->step_in[k];                          \
            }                                                                                      \
            for (int k = 0; k < (outputs); k++) {                                                  \
                arguments.step_out[k] = call->step_out[k];                                         \
                arguments.out[k] =                                                                 \
                    call->out[k] != NULL ? call->out[k] + first * call->step_out[k] : NULL;        \
            }                                                                                      \
            status = TSL_LAUNCH(context, body##_kernel, arguments,                                 \
                                tsl_blocks_for(arguments.points, XC_THREADS), 1, XC_THREADS);      \
        }                                                                                          \
        return status;                                                                             \
    }
#define XC_END XC_KERNEL

/* [spin][order]; NULL: not on this device. */
typedef struct tsl_xc_gpu_unit {
    tsl_xc_launch *launch[2][TSL_XC_ORDERS];
} tsl_xc_gpu_unit;

#endif
