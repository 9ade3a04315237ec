/* EP on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/npb/ep.h"
}

#include "solvers/npb/ep_block.inc"

extern const tsl_ep_ops tsl_ep_cuda = {.at_a_time = gpu_at_a_time, .tally = gpu_tally};
