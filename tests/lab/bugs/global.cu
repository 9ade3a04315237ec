/* Planted bugs of global memory that threads and blocks share. */
#include <cstdio>

__global__ void lost(int *count)
{
    *count = *count + 1; /* BUG race */
}

__device__ unsigned done;

/* The last block adds up what the others wrote; no fence keeps that in front of the count. */
__global__ void lastBlockWithoutFence(float *out, float *partial, const float *in)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x]; /* ALSO race */
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) {
            sum += partial[b]; /* BUG race */
        }
        out[0] = sum;
    }
}

/* A fence of the block does not reach other blocks. */
__global__ void lastBlockNarrowFence(float *out, float *partial, const float *in)
{
    __shared__ bool last;
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = in[blockIdx.x]; /* ALSO race */
        __threadfence_block();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) {
            sum += partial[b]; /* BUG race */
        }
        out[0] = sum;
    }
}

__global__ void stencilInPlace(float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1) {
        a[i] = (a[i - 1] + a[i] + a[i + 1]) / 3; /* BUG race */
    }
}

__global__ void blocksOverlap(int *a)
{
    int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
    a[i] = blockIdx.x; /* BUG race */
}

/* Blocks do not wait for each other at __syncthreads(). */
__global__ void barrierForGrid(float *out, float *mid, const float *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int n = gridDim.x * blockDim.x;
    mid[i] = 2 * in[i]; /* ALSO race */
    __syncthreads();
    out[i] = mid[n - 1 - i]; /* BUG race; ALSO unwritten */
}

__global__ void readsCounter(int *count, int *out)
{
    atomicAdd(count, 1);                                 /* ALSO race */
    out[blockIdx.x * blockDim.x + threadIdx.x] = *count; /* BUG race */
}

__global__ void unwritten(float *out, const float *in)
{
    out[threadIdx.x] = in[threadIdx.x]; /* BUG unwritten */
}

int main()
{
    float *a, *b, *m, *fresh;
    int *c, *d;
    cudaMalloc(&a, 4096);
    cudaMalloc(&b, 4096);
    cudaMalloc(&m, 4096);
    cudaMalloc(&c, 4);
    cudaMalloc(&d, 4096);
    cudaMalloc(&fresh, 4096);
    cudaMemset(a, 0, 4096);
    cudaMemset(b, 1, 4096);
    cudaMemset(c, 0, 4);
    lost<<<2, 32>>>(c);
    lastBlockWithoutFence<<<4, 64>>>(a, m, b);
    lastBlockNarrowFence<<<4, 64>>>(a, m, b);
    stencilInPlace<<<4, 64>>>(b, 256);
    blocksOverlap<<<4, 64>>>(d);
    cudaMalloc(&m, 4096);
    barrierForGrid<<<4, 64>>>(a, m, b);
    readsCounter<<<2, 64>>>(c, d);
    unwritten<<<1, 64>>>(a, fresh);
    cudaDeviceSynchronize();
    return 0;
}
