/* Lists of steps on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "sparse/lists.h"
}

#include "sparse/lists_block.inc"

extern const tsl_list_ops tsl_lists_cuda = {gpu_run,    gpu_add_up, gpu_add_up_pieces, gpu_collect,
                                            gpu_spread, gpu_sweep,  gpu_look,          gpu_narrow};
