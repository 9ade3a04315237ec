/* Grids that launch grids, for CUDA: what a block does, and how a grid is launched. Included by
 * nested_cuda.cu, whose code is relocatable, as blocks that launch need, and by simplex_cuda.cu. */
#ifndef TSL_NESTED_H
#define TSL_NESTED_H

#include "device/cuda.h"

extern "C" {
#include "blocks/simplex/cover_point.h"
#include "blocks/simplex/simplex.h"

/* Queue the grids of a task of any way but TSL_NESTED_PLAIN on a stream (nested_cuda.cu);
 * cudaGetLastError() says whether that went well. */
void tsl_nested_start(const tsl_nested_task *task, cudaStream_t stream);
}

typedef struct nested_grid {
    tsl_nested_task task;
    tsl_nested triangle;
} nested_grid;

/* The cells of a thread of this block. */
template <bool COUNT> static __device__ __forceinline__ void nested_cells(const nested_grid &a)
{
    const tsl_nested_task &task = a.task;
    const int thread = (int)threadIdx.x;
    const bool by_rows = task.way == TSL_NESTED_ROWS;
    tsl_tile tile;
    const int some = tsl_nested_tile(&tile, a.triangle, task.leaf, blockIdx.x, blockIdx.y);
    int any = 0;
    for (int turn = 0; turn < task.side / task.rows && some; turn++) {
        const int slow = thread / task.side + turn * task.rows, fast = thread % task.side;
        const int64_t i = tile.i * task.side + (by_rows ? fast : slow);
        const int64_t j = tile.j * task.side + (by_rows ? slow : fast);
        if (j > i || i >= task.n) {
            continue;
        }
        any = 1;
        if (COUNT) {
            tsl_atomic_add((int *)task.counts + i * task.n + j, 1);
        } else {
            task.cells[i * task.n + j] = tsl_written(i, j);
        }
    }
    if (COUNT && !any) {
        tsl_atomic_add_long(&task.tally->idle_threads, 1);
    }
    if (COUNT && thread == 0) {
        tsl_atomic_add_long(&task.tally->blocks, 1);
        tsl_atomic_add_long(&task.tally->idle_blocks, !some);
    }
}

/* Is this the one thread of a grid that stands for it? */
static __device__ __forceinline__ bool nested_leads()
{
    return threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0;
}

static __host__ __device__ __forceinline__ dim3 nested_blocks(const nested_grid &a)
{
    const tsl_map_grid grid = tsl_nested_grid(a.triangle, a.task.leaf);
    const unsigned wider = a.task.way == TSL_NESTED_WIDE ? 2 : 1;
    return dim3((unsigned)grid.x * wider, (unsigned)grid.y * wider);
}

/* Launch a triangle's grid, and those of the triangles in it, from the host. */
static void nested_launch_all(void (*kernel)(nested_grid), const nested_grid &a,
                              cudaStream_t stream)
{
    kernel<<<nested_blocks(a), (unsigned)(a.task.side * a.task.rows), 0, stream>>>(a);
    for (int which = 0; which < 2 && a.triangle.tiles > a.task.leaf; which++) {
        const nested_grid half = {a.task, tsl_nested_half(a.triangle, which)};
        nested_launch_all(kernel, half, stream);
    }
}

#endif
