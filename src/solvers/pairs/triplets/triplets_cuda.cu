/* Triples of points on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/pairs/pairs.h"
#include "solvers/pairs/triplets/triplets_point.h"
}

#include "solvers/pairs/triplets/triplets_block.inc"

extern "C" tsl_status tsl_triplets_cuda(tsl_context *context, int64_t n, const double *points,
                                        int map, double *partial)
{
    return gpu_triplets(context, n, points, map, partial);
}
