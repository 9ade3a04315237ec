/* Grids that launch grids, on NVIDIA GPUs: the second version of CUDA's dynamic parallelism. The
 * only file whose code is relocatable (-rdc), for blocks that launch need it. */
#include "blocks/simplex/nested.h"

template <bool COUNT> __global__ void tsl_nested_kernel(const nested_grid a);

/* Launch a half of this grid's triangle. */
template <bool COUNT>
static __device__ __forceinline__ void nested_launch(const nested_grid &a, int which,
                                                     cudaStream_t stream)
{
    const nested_grid half = {a.task, tsl_nested_half(a.triangle, which)};
    tsl_nested_kernel<COUNT><<<nested_blocks(half), blockDim.x, 0, stream>>>(half);
    if (cudaGetLastError() != cudaSuccess) {
        tsl_atomic_add_long(a.task.grids + 1, 1);
    }
}

template <bool COUNT> __global__ void tsl_nested_kernel(const nested_grid a)
{
    if (nested_leads()) {
        tsl_atomic_add_long(a.task.grids, 1);
        if (a.triangle.tiles > a.task.leaf && a.task.way != TSL_NESTED_HOST) {
            const cudaStream_t stream =
                a.task.way == TSL_NESTED_STREAM ? (cudaStream_t)0 : cudaStreamFireAndForget;
            nested_launch<COUNT>(a, 0, stream);
            nested_launch<COUNT>(a, 1, stream);
        }
    }
    nested_cells<COUNT>(a);
}

extern "C" void tsl_nested_start(const tsl_nested_task *task, cudaStream_t stream)
{
    const nested_grid a = {*task, {0, (task->n - 1) / task->side + 1}};
    void (*const kernel)(nested_grid) =
        task->counts != NULL ? tsl_nested_kernel<true> : tsl_nested_kernel<false>;
    if (task->way == TSL_NESTED_HOST) {
        nested_launch_all(kernel, a, stream);
    } else {
        kernel<<<nested_blocks(a), (unsigned)(task->side * task->rows), 0, stream>>>(a);
    }
}
