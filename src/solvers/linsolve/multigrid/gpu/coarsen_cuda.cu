/* Levels of multigrid on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/linsolve/multigrid/gpu/coarsen.h"
}

#include "solvers/linsolve/multigrid/gpu/coarsen_block.inc"

extern const tsl_coarsen_ops tsl_coarsen_cuda = {.measure = gpu_measure,
                                                 .find_strong = gpu_find_strong,
                                                 .spread = gpu_spread_keys,
                                                 .select = gpu_select_roots,
                                                 .exclude = gpu_exclude,
                                                 .prioritise = gpu_prioritise,
                                                 .decide = gpu_decide,
                                                 .apply = gpu_apply,
                                                 .found = gpu_found,
                                                 .join = gpu_join,
                                                 .single = gpu_single,
                                                 .name = gpu_name,
                                                 .list_members = gpu_list_members,
                                                 .order_members = gpu_order_members,
                                                 .measure_members = gpu_measure_members,
                                                 .smooth = gpu_smooth,
                                                 .premultiply = gpu_premultiply,
                                                 .transpose = gpu_transpose,
                                                 .multiply = gpu_multiply,
                                                 .arrange = gpu_arrange,
                                                 .run = gpu_run_sums,
                                                 .mark_chunks = gpu_mark_chunks,
                                                 .cut_chunks = gpu_cut_chunks,
                                                 .make_tentative = gpu_make_tentative,
                                                 .find_eigenvalue = gpu_find_eigenvalue,
                                                 .invert = gpu_invert,
                                                 .convert = gpu_convert,
                                                 .measure_slices = gpu_measure_slices,
                                                 .fill_slices = gpu_fill_slices};
