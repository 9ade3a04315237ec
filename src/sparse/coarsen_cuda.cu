/* Levels of multigrid on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "sparse/coarsen.h"
}

#include "sparse/coarsen_block.inc"

extern const tsl_coarsen_ops tsl_coarsen_cuda = {
    gpu_measure,  gpu_find_strong, gpu_spread_keys,    gpu_settle_keys,    gpu_drop,
    gpu_favour,   gpu_decide,      gpu_apply,          gpu_found,          gpu_join,
    gpu_single,   gpu_name,        gpu_list_members,   gpu_order_members,  gpu_measure_members,
    gpu_smooth,   gpu_premultiply, gpu_transpose,      gpu_multiply,       gpu_arrange,
    gpu_run_sums, gpu_mark_chunks, gpu_cut_chunks,     gpu_make_tentative, gpu_find_eigenvalue,
    gpu_invert,   gpu_convert,     gpu_measure_slices, gpu_fill_slices};
