/* The ladder on NVIDIA GPUs. */
#include <string.h>

#include "device/cuda.h"

extern "C" {
#include "solvers/npb/ladder/ladder.h"
}
#include "solvers/npb/ladder/ladder_host.h"

#define LADDER_READ_ONLY(at) __ldg(at)

static tsl_status ladder_take_host(void **out, tsl_context *context, int64_t bytes,
                                   ladder_host kind)
{
    if (kind == LADDER_PAGED) {
        *out = tsl_allocate((size_t)bytes);
        return *out != NULL ? TSL_OK : tsl_fail_memory(context, bytes, "what comes to the host");
    }
    tsl_cuda_stream(context); /* makes the device current */
    return tsl_cuda_check(
        context,
        cudaHostAlloc(out, (size_t)bytes,
                      kind == LADDER_MAPPED ? cudaHostAllocMapped : cudaHostAllocDefault),
        "pinned memory");
}

static void ladder_give_host(tsl_context *context, void *memory, ladder_host kind)
{
    if (kind == LADDER_PAGED) {
        tsl_release(memory);
    } else if (memory != NULL) {
        tsl_cuda_stream(context);
        cudaFreeHost(memory);
    }
}

#include "solvers/npb/ladder/ladder_block.inc"

extern const tsl_ladder_ops tsl_ladder_cuda = LADDER_OPS;
