/* Planted bugs of barriers, masks and waiting. */
#include <cassert>
#include <cstdio>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void barrierInBranch(float *out)
{
    if (threadIdx.x < 16) {
        out[threadIdx.x] = 1;
        __syncthreads(); /* BUG barrier */
    }
    out[threadIdx.x] = 2;
}

__global__ void differentBarriers(float *out)
{
    if (threadIdx.x < 32) {
        out[threadIdx.x] = 1;
        __syncthreads(); /* ALSO barrier */
    } else {
        out[threadIdx.x] = 2;
        __syncthreads(); /* BUG barrier */
    }
}

__global__ void maskNamesEnded(int *out)
{
    int lane = threadIdx.x;
    if (lane < 16) {
        out[lane] = __shfl_down_sync(0xffffffffu, lane, 1); /* BUG mask */
    }
}

__global__ void maskWithoutSelf(int *out)
{
    int lane = threadIdx.x;
    out[lane] = __shfl_xor_sync(0x0000ffffu, lane, 1); /* BUG mask */
}

__global__ void fromOutside(int *out)
{
    int lane = threadIdx.x;
    if (lane < 16) {
        out[lane] = __shfl_sync(0x0000ffffu, lane, 20); /* BUG mask */
    }
}

__global__ void waitsForEachOther(int *out)
{
    if (threadIdx.x < 16) {
        __syncwarp(); /* BUG deadlock */
    } else {
        __syncthreads(); /* ALSO deadlock */
    }
    out[threadIdx.x] = 1;
}

__global__ void failsAssert(const int *in)
{
    assert(in[threadIdx.x] == 0); /* BUG trap */
}

__global__ void tilesOfThree(int *out)
{
    auto tile = cg::tiled_partition(cg::this_thread_block(), 3); /* BUG trap */
    out[threadIdx.x] = (int)tile.thread_rank();
}

int main()
{
    float *a;
    int *b;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    cudaMemset(b, 0, 4096);
    barrierInBranch<<<1, 32>>>(a);
    differentBarriers<<<1, 64>>>(a);
    maskNamesEnded<<<1, 32>>>(b);
    maskWithoutSelf<<<1, 32>>>(b);
    fromOutside<<<1, 32>>>(b);
    waitsForEachOther<<<1, 32>>>(b);
    cudaDeviceReset();
    cudaMemset(b, 1, 4096);
    failsAssert<<<1, 32>>>(b);
    cudaDeviceReset();
    tilesOfThree<<<1, 32>>>(b);
    cudaDeviceReset();
    cudaDeviceSynchronize();
    return 0;
}
