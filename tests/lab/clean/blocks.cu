/* Clean: blocks that hand results to each other by fences and atomics, and through grid.sync(). */
#include <cooperative_groups.h>

#include "expect.h"

namespace cg = cooperative_groups;

__device__ unsigned finished;

__global__ void lastBlock(float *out, float *partial, const float *in)
{
    __shared__ float s[64];
    __shared__ bool last;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 64 + t];
    __syncthreads();
    for (int k = 32; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        partial[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && t == 0) {
        float sum = 0;
        for (unsigned b = 0; b < gridDim.x; b++) {
            sum += partial[b];
        }
        *out = sum;
    }
}

/* All threads write, all fence, one counts. */
__global__ void lastBlockAllFence(int *out, int *cells)
{
    __shared__ bool last;
    int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
    cells[i] = i;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last) {
        int sum = 0;
        for (int k = threadIdx.x; k < n; k += blockDim.x) {
            sum += cells[k];
        }
        atomicAdd(out, sum);
        if (threadIdx.x == 0) {
            finished = 0;
        }
    }
}

/* Each block waits for the one before. Blocks take their places as they come. */
__global__ void chain(volatile int *flag, int *value, int *ticket)
{
    __shared__ int me;
    if (threadIdx.x == 0) {
        me = atomicAdd(ticket, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int before = 0;
        if (me > 0) {
            while (flag[me - 1] == 0) {
            }
            __threadfence();
            before = value[me - 1];
        }
        value[me] = before + me;
        __threadfence();
        flag[me] = 1;
    }
}

__device__ int lock;

__global__ void critical(int *sum)
{
    if (threadIdx.x == 0) {
        while (atomicCAS(&lock, 0, 1) != 0) {
        }
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        atomicExch(&lock, 0);
    }
}

/* A lock that lanes of a warp take one after another. */
__global__ void lanesTakeTurns(int *sum)
{
    bool done = false;
    while (!done) {
        if (atomicCAS(&lock, 0, 1) == 0) {
            __threadfence();
            *sum += 1;
            __threadfence();
            atomicExch(&lock, 0);
            done = true;
        }
    }
}

__global__ void waitsForLater(volatile int *flag, int *out)
{
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == gridDim.x - 1) {
        out[0] = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) {
        }
        __threadfence();
        out[1 + blockIdx.x] = out[0];
    }
}

__global__ void gridSteps(float *a, float *b, int n, int steps)
{
    cg::grid_group grid = cg::this_grid();
    for (int s = 0; s < steps; s++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            b[i] = (a[i] + (i > 0 ? a[i - 1] : 0) + (i < n - 1 ? a[i + 1] : 0)) / 3;
        }
        grid.sync();
        float *other = a;
        a = b;
        b = other;
    }
}

__global__ void gridSum(int *out, int *partial)
{
    __shared__ int s[64];
    cg::grid_group grid = cg::this_grid();
    int t = threadIdx.x;
    s[t] = 1;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int k = 0; k < 64; k++) {
            sum += s[k];
        }
        partial[blockIdx.x] = sum;
    }
    grid.sync();
    if (grid.thread_rank() == 0) {
        int sum = s[63] - 1;
        for (unsigned b = 0; b < gridDim.x; b++) {
            sum += partial[b];
        }
        *out = sum;
    }
}

__global__ void maximum(float *most, const float *in)
{
    float mine = in[blockIdx.x * blockDim.x + threadIdx.x];
    int *bits = (int *)most, old = atomicAdd(bits, 0);
    while (__int_as_float(old) < mine) {
        int seen = atomicCAS(bits, old, __float_as_int(mine));
        if (seen == old) {
            break;
        }
        old = seen;
    }
}

__global__ void sums(double *d, float *f, unsigned long long *u)
{
    atomicAdd(d, 0.5);
    atomicAdd(f, 1.0f);
    atomicAdd(u, 3ull);
    atomicMax(u + 1, (unsigned long long)threadIdx.x);
}

int main()
{
    std::vector<float> f(256, 1);
    float *df = device(f), *out, *partial, *most;
    int *cells, *sum, *flag, *value, *ticket;
    cudaMalloc(&out, 4);
    cudaMalloc(&partial, 64);
    cudaMalloc(&cells, 4096);
    cudaMalloc(&sum, 64);
    cudaMalloc(&flag, 256);
    cudaMalloc(&value, 256);
    cudaMalloc(&ticket, 4);
    cudaMemset(sum, 0, 64);
    lastBlock<<<4, 64>>>(out, partial, df);
    expect("last block", host(out, 1)[0] == 256);
    lastBlockAllFence<<<4, 64>>>(sum, cells);
    expect("last block, all fence", host(sum, 1)[0] == 255 * 128);
    cudaMemset(flag, 0, 256);
    cudaMemset(ticket, 0, 4);
    chain<<<10, 32>>>(flag, value, ticket);
    expect("chain of blocks", host(value, 10)[9] == 45);
    cudaMemset(sum, 0, 4);
    critical<<<8, 32>>>(sum);
    expect("critical section", host(sum, 1)[0] == 8);
    cudaMemset(sum, 0, 4);
    lanesTakeTurns<<<2, 32>>>(sum);
    expect("lanes take turns", host(sum, 1)[0] == 64);
    cudaMemset(flag, 0, 256);
    waitsForLater<<<4, 32>>>(flag, value);
    expect("waits for a later block", host(value, 4)[3] == 42);
    float *a = device(f), *b;
    int n = 256, steps = 4;
    cudaMalloc(&b, 1024);
    void *arguments[] = {&a, &b, &n, &steps};
    cudaLaunchCooperativeKernel((void *)gridSteps, dim3(4), dim3(32), arguments);
    expect("grid steps", host(a, 256)[100] == 1);
    int *parts;
    cudaMalloc(&parts, 64);
    void *more[] = {&sum, &parts};
    cudaLaunchCooperativeKernel((void *)gridSum, dim3(4), dim3(64), more, 0, 0);
    expect("grid sum", host(sum, 1)[0] == 256);
    for (int i = 0; i < 256; i++) {
        f[i] = i * 37 % 251;
    }
    df = device(f);
    cudaMalloc(&most, 4);
    cudaMemset(most, 0, 4);
    maximum<<<4, 64>>>(most, df);
    expect("maximum", host(most, 1)[0] == 250);
    double *d;
    unsigned long long *u;
    cudaMalloc(&d, 8);
    cudaMalloc(&u, 16);
    cudaMemset(d, 0, 8);
    cudaMemset(u, 0, 16);
    cudaMemset(most, 0, 4);
    sums<<<2, 64>>>(d, most, u);
    expect("atomic sums", host(d, 1)[0] == 64 && host(most, 1)[0] == 128 && host(u, 2)[0] == 384 &&
                              host(u, 2)[1] == 63);
    return finish();
}
