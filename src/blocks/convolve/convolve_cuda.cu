/* Correlation on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/convolve/convolve.h"
#include "blocks/fft/line.h"
#include "blocks/reduce/reduce.h"
}

#include "blocks/convolve/convolve_block.inc"

extern const tsl_convolve_ops tsl_convolve_cuda = {gpu_layout,  gpu_bytes,     gpu_create,
                                                   gpu_destroy, gpu_set_fixed, gpu_execute,
                                                   gpu_store,   gpu_top,       NULL};
