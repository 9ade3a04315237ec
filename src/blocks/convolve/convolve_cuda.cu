/* Correlation on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/convolve/convolve.h"
#include "blocks/fft/line.h"
#include "blocks/reduce/reduce.h"
}

#include "blocks/convolve/convolve_block.inc"

extern const tsl_convolve_ops tsl_convolve_cuda = {.layout = gpu_layout,
                                                   .bytes = gpu_bytes,
                                                   .create = gpu_create,
                                                   .destroy = gpu_destroy,
                                                   .set_fixed = gpu_set_fixed,
                                                   .set_term = gpu_set_term,
                                                   .execute = gpu_execute,
                                                   .takes_points = gpu_takes_points,
                                                   .execute_terms = gpu_execute_terms,
                                                   .store = gpu_store,
                                                   .top = gpu_top,
                                                   .transposed = NULL};
