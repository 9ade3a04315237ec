/* Maps of blocks, on NVIDIA GPUs. */
#include "blocks/simplex/nested.h"

/* The library's function is not the plug-in's to call. */
#define tsl_map_name(map) "a map"
#include "blocks/simplex/simplex_block.inc"
#undef tsl_map_name

template <bool COUNT> static __global__ void nested_plain(const nested_grid a)
{
    if (nested_leads()) {
        tsl_atomic_add_long(a.task.grids, 1);
    }
    nested_cells<COUNT>(a);
}

static tsl_status cuda_nested(tsl_context *context, const tsl_nested_task *task)
{
    const nested_grid a = {*task, {0, (task->n - 1) / task->side + 1}};
    const cudaStream_t stream = tsl_cuda_stream(context);
    if (task->way == TSL_NESTED_PLAIN) {
        nested_launch_all(task->counts != NULL ? nested_plain<true> : nested_plain<false>, a,
                          stream);
    } else {
        tsl_nested_start(task, stream);
    }
    return tsl_cuda_check(context, cudaGetLastError(), "nested grids");
}

extern const tsl_simplex_ops tsl_simplex_cuda = {.cover = gpu_cover,
                                                 .judge = gpu_judge,
                                                 .triples = gpu_triples,
                                                 .write = gpu_write,
                                                 .held = gpu_held,
                                                 .nested = cuda_nested};
