/* Poisson's equation on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "comm/gpu/peer.h"
#include "solvers/poisson/lines/lines.h"
}

#define POISSON_DEVICE(name) name##_cuda
/* Bytes of a field: free boxes of 64^3 take 0.085 ms without and 0.136 with, of 128^3 0.180 and
 * 0.179, of 160^3 0.570 and 0.494, in single precision of 128^3 0.125 and 0.139. */
#define POISSON_LEAST_FOR_LANES (INT64_C(24) << 20)
#include "solvers/poisson/poisson_block.inc"
#include "solvers/poisson/ranks/ranks_block.inc"

static const tsl_poisson_kernels kernels = {
    gpu_move,        gpu_multiply_lines, gpu_sum_cells,    planes_bytes,
    planes_create,   planes_destroy,     planes_forward,   planes_backward,
    planes_multiply, INT64_C(32) << 20,  INT64_C(1) << 28, /* 256^3 0.41 ms, on two 0.49;
                                                              320^3 1.12, 1.06 */
    INT64_C(1) << 33 /* 256^3 free 1.74 ms, on two 2.94 */};

extern const tsl_poisson_ops tsl_poisson_cuda = {.memory_is_host = false,
                                                 .layout = gpu_layout,
                                                 .ranks = NULL,
                                                 .segments = gpu_segments,
                                                 .bytes = gpu_bytes,
                                                 .planning_bytes = NULL,
                                                 .create = gpu_create,
                                                 .divide = NULL,
                                                 .time = NULL,
                                                 .destroy = gpu_destroy,
                                                 .solve = gpu_solve,
                                                 .sums = gpu_sums,
                                                 .kernels = &kernels};
