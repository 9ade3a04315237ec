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
#include "solvers/xc/xc_study.inc"

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

static tsl_status cuda_study_taken(tsl_context *context, int cap, tsl_xc_taken *out)
{
    static const void *const kernels[] = {
#define STUDY_CAP(place, registers) (const void *)study_##registers,
        TSL_XC_CAPS(STUDY_CAP)
#undef STUDY_CAP
    };
    cudaFuncAttributes about;
    tsl_cuda_stream(context); /* makes the device current */
    const cudaError_t error = cudaFuncGetAttributes(&about, kernels[cap]);
    if (error == cudaSuccess) {
        out->registers = about.numRegs;
        out->local_bytes = (int)about.localSizeBytes;
    }
    return tsl_cuda_check(context, error, "asking for a kernel's registers");
}

extern const tsl_xc_ops tsl_xc_cuda = {gpu_order, gpu_evaluate,    gpu_move,
                                       gpu_widen, gpu_add_groups,  cuda_is_reachable,
                                       gpu_study, cuda_study_taken};
