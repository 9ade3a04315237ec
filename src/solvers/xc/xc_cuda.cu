/* Functionals on NVIDIA GPUs. */
#include "device/cuda.h"

extern "C" {
#include "solvers/xc/xc.h"
}

#include "solvers/xc/xc_block.h"

#define XC_UNITS(name) extern const tsl_xc_gpu_unit tsl_xc_##name##_cuda;
#include "solvers/xc/generated/units.def"
#undef XC_UNITS

static const tsl_xc_gpu_unit *const gpu_units[] = {
#define XC_UNITS(name) &tsl_xc_##name##_cuda,
#include "solvers/xc/generated/units.def"
#undef XC_UNITS
};

#include "solvers/xc/xc_block.inc"

/* Memory of the device, managed memory, or the host's where it is pinned. */
static bool cuda_is_reachable(tsl_context *context, const void *address)
{
    cudaPointerAttributes attributes;
    tsl_cuda_stream(context); /* makes the device current */
    if (cudaPointerGetAttributes(&attributes, address) != cudaSuccess) {
        cudaGetLastError();
        return false;
    }
    return attributes.devicePointer != NULL && attributes.type != cudaMemoryTypeUnregistered;
}

extern const tsl_xc_ops tsl_xc_cuda = {gpu_order, gpu_evaluate,   gpu_move,
                                       gpu_widen, gpu_add_groups, cuda_is_reachable};
