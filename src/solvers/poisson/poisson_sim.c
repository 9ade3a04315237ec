/* Poisson's equation on sim. */
#include <limits.h>

#include "comm/gpu/peer.h"
#include "device/sim.h"
#include "solvers/poisson/lines/lines.h"

#define POISSON_DEVICE(name) name##_sim
#define POISSON_LEAST_FOR_LANES 0
#include "solvers/poisson/poisson_block.inc"
#include "solvers/poisson/ranks/ranks_block.inc"

static const tsl_poisson_kernels kernels = {.move = gpu_move,
                                            .multiply = gpu_multiply_lines,
                                            .sums = gpu_sum_cells,
                                            .planes_bytes = planes_bytes,
                                            .planes_create = planes_create,
                                            .planes_destroy = planes_destroy,
                                            .planes_forward = planes_forward,
                                            .planes_backward = planes_backward,
                                            .planes_multiply = planes_multiply,
                                            .piece_bytes = 64};

const tsl_poisson_ops tsl_poisson_sim = {.layout = gpu_layout,
                                         .segments = gpu_segments,
                                         .bytes = gpu_bytes,
                                         .create = gpu_create,
                                         .destroy = gpu_destroy,
                                         .solve = gpu_solve,
                                         .sums = gpu_sums,
                                         .kernels = &kernels};
