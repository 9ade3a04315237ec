/* EP on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "npb/ep.h"
}

#include "npb/ep_block.inc"

extern const tsl_ep_ops tsl_ep_cuda = {gpu_at_a_time, gpu_tally};
