/* Poisson's equation on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "poisson/lines.h"
}

#define POISSON_DEVICE(name) name##_cuda
#include "poisson/poisson_block.inc"

/* Without a division: one rank alone. */
extern const tsl_poisson_ops tsl_poisson_cuda = {false, gpu_layout,  gpu_bytes, gpu_create,
                                                 NULL,  gpu_destroy, gpu_solve, gpu_sums};
