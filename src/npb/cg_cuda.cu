/* CG's vectors on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "npb/cg.h"
}

#include "npb/cg_block.inc"

/* Without a product: of several ranks it has not run on a card. */
extern const tsl_cg_ops tsl_cg_cuda = {gpu_ones, gpu_begin,     NULL,         gpu_advance,
                                       gpu_turn, gpu_sum_norms, gpu_normalise};
