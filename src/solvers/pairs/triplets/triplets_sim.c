/* Triples of points on sim. */
#include "device/sim.h"
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/triplets/triplets_point.h"

#include "solvers/pairs/triplets/triplets_block.inc"

tsl_status tsl_triplets_sim(tsl_context *context, const tsl_triplet_task *task)
{
    return gpu_triplets(context, task);
}
