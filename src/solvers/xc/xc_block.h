/* Kernels of generated units on GPUs: a thread a point, a block a group of points, whose energy it
 * adds up where that is wanted. XC_KERNEL(body, inputs, outputs, resident) makes a kernel of a
 * body, of which that many blocks a multiprocessor are wanted at a time, and the function that
 * queues it; included after device/sim.h or device/cuda.h. */
#ifndef TSL_XC_BLOCK_H
#define TSL_XC_BLOCK_H

#include "solvers/xc/xc_point.h"

#define XC_REAL double

enum {
    XC_THREADS = TSL_XC_GROUP,
    XC_POINTS = 1 << 27 /* a launch at most; whole groups */
};

/* Queue one body; of its arrays [inputs] and [outputs] are used. */
typedef tsl_status tsl_xc_launch(tsl_context *context, const tsl_xc_call *call);

#ifdef __CUDACC__
#define XC_STREAM(address, value) __stcs(address, value)
#else
#define XC_STREAM(address, value) (*(address) = (value))
#endif

/* To be used outside of phases: the sum of a group's energies, one of each thread, by halves. */
#ifdef __CUDACC__
static __device__ __forceinline__ void xc_add_group(double *group_energy, const double *energies)
{
    const int lane = (int)threadIdx.x;
    if (lane < TSL_SUM_LANES) {
        const double sum = tsl_add_warp((energies[lane] + energies[lane + 64]) +
                                        (energies[lane + 32] + energies[lane + 96]));
        if (lane == 0) {
            *group_energy = sum;
        }
    }
}
#else
static inline void xc_add_group(double *group_energy, double *energies)
{
    for (int half = XC_THREADS / 2; half > 0; half /= 2) {
        for (int i = 0; i < half; i++) {
            energies[i] += energies[i + half];
        }
    }
    *group_energy = energies[0];
}
#endif

/* w rho exc of a point; rho_b: NULL of a closed shell. The density is read again, since the body
 * has more use for its registers. */
TSL_THREAD_FN double xc_point_energy(const double *weight, const double *rho_a, const double *rho_b,
                                     int64_t i, int step, double exc)
{
    double rho = rho_a[i * step];
    if (rho_b != NULL) {
        rho += rho_b[i * step];
    }
    return TSL_READ_ONCE(weight + i) * rho * exc;
}

#define XC_KERNEL(body, inputs, outputs, resident)                                                 \
    typedef struct body##_arguments {                                                              \
        double c[XC_UNIT_CONSTANTS];                                                               \
        const double *in[inputs];                                                                  \
        double *out[outputs];                                                                      \
        int step_in[inputs], step_out[outputs];                                                    \
        int points, accumulate;                                                                    \
        const double *weight, *rho_b;                                                              \
        double *group_energy;                                                                      \
    } body##_arguments;                                                                            \
    TSL_KERNEL_OF(body##_kernel, body##_arguments, XC_THREADS, resident)                           \
    {                                                                                              \
        TSL_SHARED double energies[XC_THREADS];                                                    \
        TSL_PHASE                                                                                  \
        {                                                                                          \
            const int64_t i = (int64_t)TSL_BLOCK * TSL_THREADS + thread;                           \
            if (i >= a.points) {                                                                   \
                energies[thread] = 0;                                                              \
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
                    y[k] = a.accumulate ? *at + y[k] : y[k];                                       \
                    XC_STREAM(at, y[k]);                                                           \
                }                                                                                  \
            }                                                                                      \
            if (a.group_energy != NULL) {                                                          \
                energies[thread] =                                                                 \
                    xc_point_energy(a.weight, a.in[0], a.rho_b, i, a.step_in[0], y[0]);            \
            }                                                                                      \
        }                                                                                          \
        if (a.group_energy != NULL) {                                                              \
            xc_add_group(a.group_energy + TSL_BLOCK, energies);                                    \
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
            arguments.weight = call->group_energy != NULL ? call->weight + first : NULL;           \
            arguments.rho_b = call->polarised ? call->in[1] + first * call->step_in[1] : NULL;     \
            arguments.group_energy =                                                               \
                call->group_energy != NULL ? call->group_energy + first / TSL_XC_GROUP : NULL;     \
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
