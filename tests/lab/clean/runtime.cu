/* Clean: constants, variables of the device, streams and events, managed, pinned and pitched
 * memory, device functions. */
#include "expect.h"

__constant__ float weight[5] = {1, 2, 3, 2, 1};
__constant__ const int offset = 7;
__device__ int hits;
__device__ float grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
__managed__ int shown;

__global__ void convolve(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = -2; k <= 2; k++) {
        sum += i + k >= 0 && i + k < n ? weight[k + 2] * in[i + k] : 0;
    }
    if (i < n) {
        out[i] = sum + offset;
    }
}

__global__ void count(const int *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && in[i] > 2) {
        atomicAdd(&hits, 1);
    }
    if (i == 0) {
        shown = (int)grid[1][2];
    }
}

__device__ int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__global__ void recursive(int *out)
{
    out[threadIdx.x] = fibonacci(threadIdx.x % 10);
}

__global__ void localArrays(float *out, const float *in)
{
    float own[16];
    int t = threadIdx.x;
    for (int k = 0; k < 16; k++) {
        own[k] = in[(t + k) % 64];
    }
    float sum = 0;
    for (int k = 0; k < 16; k++) {
        sum += own[(k * 7 + t) % 16];
    }
    out[t] = sum;
}

template <class F> __global__ void apply(float *a, F f)
{
    a[threadIdx.x] = f(a[threadIdx.x]);
}

struct scaled {
    float by;
    __host__ __device__ float operator()(float x) const
    {
        return by * x;
    }
};

__global__ void add(float *a, float b)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] += b;
}

__global__ void rows(float *a, size_t pitch, int w, int h)
{
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h) {
        ((float *)((char *)a + y * pitch))[x] = 10 * y + x;
    }
}

__global__ void says()
{
    if (threadIdx.x == 0) {
        printf("block %u of %u\n", blockIdx.x, gridDim.x);
    }
}

void expectPitched()
{
    float *pitched, flat[5 * 20];
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, 20 * sizeof(float), 5);
    rows<<<5, 32>>>(pitched, pitch, 20, 5);
    cudaMemcpy2D(flat, 20 * sizeof(float), pitched, pitch, 20 * sizeof(float), 5,
                 cudaMemcpyDeviceToHost);
    expect("pitched memory", flat[4 * 20 + 19] == 59);
}

int main()
{
    std::vector<float> f(64, 1);
    std::vector<int> k(64, 3);
    float *df = device(f), *out, five[5] = {1, 1, 1, 1, 1};
    int *dk = device(k), n = 0, *o;
    cudaMalloc(&out, 256);
    cudaMalloc(&o, 256);
    convolve<<<2, 32>>>(out, df, 64);
    expect("convolution", host(out, 64)[30] == 16);
    cudaMemcpyToSymbol(weight, five, sizeof five);
    convolve<<<2, 32>>>(out, df, 64);
    expect("constants", host(out, 64)[30] == 12);
    count<<<2, 32>>>(dk, 60);
    cudaMemcpyFromSymbol(&n, hits, sizeof n);
    cudaDeviceSynchronize();
    expect("variables of the device", n == 60 && shown == 6);
    int *none;
    const cudaError_t refused = cudaMalloc(&none, (size_t)1 << 50);
    recursive<<<1, 32>>>(o); /* a launch that starts does not clear what is kept */
    expect("an error is kept", refused == cudaErrorMemoryAllocation &&
                                   cudaGetLastError() == refused &&
                                   cudaGetLastError() == cudaSuccess);
    expect("recursion", host(o, 32)[9] == 34);
    localArrays<<<1, 64>>>(out, df);
    expect("local arrays", host(out, 64)[5] == 16);
    apply<<<1, 64>>>(df, scaled{3});
    expect("functors", host(df, 64)[0] == 3);
    cudaStream_t stream[2];
    cudaEvent_t ready, end;
    float *pinned, milliseconds;
    cudaMallocHost(&pinned, 256);
    cudaEventCreate(&ready);
    cudaEventCreate(&end);
    for (int i = 0; i < 2; i++) {
        cudaStreamCreate(&stream[i]);
    }
    for (int i = 0; i < 64; i++) {
        pinned[i] = i;
    }
    cudaMemcpyAsync(df, pinned, 256, cudaMemcpyHostToDevice, stream[0]);
    add<<<2, 32, 0, stream[0]>>>(df, 1);
    cudaEventRecord(ready, stream[0]);
    cudaStreamWaitEvent(stream[1], ready, 0);
    add<<<2, 32, 0, stream[1]>>>(df, 2);
    cudaMemcpyAsync(pinned, df, 256, cudaMemcpyDeviceToHost, stream[1]);
    cudaEventRecord(end, stream[1]);
    cudaEventSynchronize(end);
    cudaEventElapsedTime(&milliseconds, ready, end);
    expect("streams", pinned[63] == 66 && milliseconds >= 0);
    float *both;
    cudaMallocManaged(&both, 256);
    for (int i = 0; i < 64; i++) {
        both[i] = i;
    }
    add<<<1, 64>>>(both, 1);
    cudaDeviceSynchronize();
    expect("managed memory", both[10] == 11);
    expectPitched();
    says<<<2, 32>>>();
    return finish();
}
