/* The iteration's matrices, on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/scf/gpu/matrices.h"
}

#include "solvers/scf/gpu/matrices_block.inc"

extern const tsl_scf_matrix_ops tsl_scf_matrices_cuda = {.combine = gpu_combine,
                                                         .sum_products = gpu_sum_products,
                                                         .antisymmetrise = gpu_antisymmetrise,
                                                         .symmetrise = gpu_symmetrise,
                                                         .add_diagonal = gpu_add_diagonal,
                                                         .divide_by_roots = gpu_divide_by_roots};
