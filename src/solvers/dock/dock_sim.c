/* Docking's kernels on sim. */
#include <math.h>

#include "blocks/reduce/reduce_point.h"
#include "device/sim.h"
#include "solvers/dock/dock.h"

#include "solvers/dock/dock_block.inc"

#include "solvers/dock/score/score_block.inc"

#include "solvers/dock/score/pairs_block.inc"

#include "solvers/dock/score/restrain_block.inc"

static int sim_batch(const tsl_context *context, const tsl_dock_geometry *g)
{
    (void)context;
    (void)g;
    return 3; /* enough for members to meet */
}

static const tsl_score_ops score_ops = {.place = gpu_place_terms,
                                        .load = gpu_load_term,
                                        .sum = gpu_sum_terms,
                                        .restrain = gpu_restrain,
                                        .pairs = gpu_sum_pairs};

const tsl_dock_ops tsl_dock_sim = {.batch = sim_batch,
                                   .place = gpu_place,
                                   .place_charges = gpu_place_charges,
                                   .surface = gpu_surface,
                                   .potential = gpu_potential,
                                   .load_shape = gpu_load_shape,
                                   .settle = gpu_settle,
                                   .measure = gpu_measure,
                                   .score = &score_ops};
