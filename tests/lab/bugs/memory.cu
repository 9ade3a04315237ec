/* Planted bugs of places: out of bounds, misaligned, memory of the host. */
#include <cstdio>

__constant__ float table[4];

__global__ void pastEnd(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = i; /* BUG bounds */
}

__global__ void halo(float *out, const float *in)
{
    int i = threadIdx.x;
    out[i] = in[i] + in[i + 1]; /* BUG bounds */
}

__global__ void beforeBegin(float *out, const float *in)
{
    int i = threadIdx.x;
    out[i] = in[i - 1]; /* BUG bounds */
}

struct pair {
    float first, second;
};

__device__ __noinline__ float total(pair p)
{
    return p.first + p.second;
}

/* Nothing but an argument that is passed by value reads it. */
__global__ void byValue(float *out, const pair *in)
{
    out[threadIdx.x] = total(in[threadIdx.x]); /* BUG bounds */
}

__global__ void pastShared(float *out)
{
    __shared__ float s[64];
    __shared__ float other[64];
    int t = threadIdx.x;
    other[t] = 1;
    s[t + 1] = t; /* BUG bounds */
    __syncthreads();
    out[t] = other[t] + (t > 0 ? s[t] : 0);
}

__global__ void pastDynamic(float *out)
{
    extern __shared__ float d[];
    int t = threadIdx.x;
    d[t] = t; /* BUG bounds */
    __syncthreads();
    out[t] = d[t / 4];
}

__global__ void misalignedWord(char *p)
{
    *(int *)(p + 1) = 7; /* BUG misaligned */
}

__global__ void misalignedVector(float *p)
{
    *(float4 *)(p + 1) = make_float4(1, 2, 3, 4); /* BUG misaligned */
}

__global__ void writesConstant()
{
    float *p = (float *)table;
    p[threadIdx.x & 3] = 1; /* BUG constant */
}

__global__ void throughNull(int *p)
{
    p[threadIdx.x] = 1; /* BUG bounds */
}

__global__ void ofHost(const float *p, float *out)
{
    out[threadIdx.x] = p[threadIdx.x]; /* BUG bounds */
}

int main()
{
    float *a, *b, host[64] = {0};
    cudaMalloc(&a, 256);
    cudaMalloc(&b, 256);
    cudaMemset(b, 0, 256);
    pastEnd<<<2, 40>>>(a);
    halo<<<1, 64>>>(a, b);
    beforeBegin<<<1, 64>>>(a, b);
    byValue<<<1, 40>>>(a, (const pair *)b);
    pastShared<<<1, 64>>>(a);
    pastDynamic<<<1, 64, 128>>>(a);
    misalignedWord<<<1, 1>>>((char *)a);
    cudaDeviceReset();
    misalignedVector<<<1, 1>>>(a);
    cudaDeviceReset();
    writesConstant<<<1, 32>>>();
    cudaDeviceReset();
    throughNull<<<1, 32>>>(NULL);
    cudaDeviceReset();
    ofHost<<<1, 64>>>(host, a);
    cudaDeviceReset();
    cudaDeviceSynchronize();
    return 0;
}
