/* The iteration's matrices, on sim. */
#include <math.h>

#include "device/sim.h"
#include "solvers/scf/gpu/matrices.h"

#include "solvers/scf/gpu/matrices_block.inc"

const tsl_scf_matrix_ops tsl_scf_matrices_sim = {.combine = gpu_combine,
                                                 .sum_products = gpu_sum_products,
                                                 .antisymmetrise = gpu_antisymmetrise,
                                                 .symmetrise = gpu_symmetrise,
                                                 .add_diagonal = gpu_add_diagonal,
                                                 .divide_by_roots = gpu_divide_by_roots};
