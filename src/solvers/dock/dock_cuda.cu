/* Docking's kernels on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "blocks/reduce/reduce_point.h"
#include "solvers/dock/dock.h"
}

#include "solvers/dock/dock_block.inc"

#include "solvers/dock/score/score_block.inc"

#include "solvers/dock/score/pairs_block.inc"

#include "solvers/dock/score/restrain_block.inc"

/* Enough rotations that launches and waits are few against the transforms. */
static int cuda_batch(const tsl_context *, const tsl_dock_geometry *g)
{
    const double grid_bytes = 4.0 * g->grid * g->grid * (g->grid + 2);
    const int batch = (int)(1.5e9 / grid_bytes);
    return batch < 4 ? 4 : batch > 256 ? 256 : batch;
}

static const tsl_score_ops score_ops = {.place = gpu_place_terms,
                                        .load = gpu_load_term,
                                        .sum = gpu_sum_terms,
                                        .restrain = gpu_restrain,
                                        .pairs = gpu_sum_pairs};

extern const tsl_dock_ops tsl_dock_cuda = {.batch = cuda_batch,
                                           .place = gpu_place,
                                           .place_charges = gpu_place_charges,
                                           .surface = gpu_surface,
                                           .potential = gpu_potential,
                                           .load_shape = gpu_load_shape,
                                           .settle = gpu_settle,
                                           .measure = gpu_measure,
                                           .score = &score_ops};
