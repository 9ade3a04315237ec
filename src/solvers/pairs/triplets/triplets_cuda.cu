/* Triples of points on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/triplets/triplets_point.h"
}

#include "solvers/pairs/triplets/triplets_block.inc"

extern "C" tsl_status tsl_triplets_cuda(tsl_context *context, const tsl_triplet_task *task)
{
    return gpu_triplets(context, task);
}
