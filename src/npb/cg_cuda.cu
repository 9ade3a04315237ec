/* CG's vectors on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/sparse/tiles_point.h"
#include "npb/cg.h"
}

#include "npb/cg_block.inc"
#include "npb/cg_iterate_block.inc"
#include "npb/cg_ranks_block.inc"

extern const tsl_cg_ops tsl_cg_cuda = {
    gpu_ones,       gpu_begin,     gpu_product,   gpu_advance, gpu_turn, gpu_collect_ranks,
    gpu_turn_whole, gpu_sum_norms, gpu_normalise, gpu_iterate, gpu_suits};
