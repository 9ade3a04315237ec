/* Clean: the forms that public CUDA code takes: pointers to kernels, kernels of class members,
 * lambdas, dynamic memory by template, overloaded operators of vector types, members in shared
 * memory. */
#include <chrono>
#include <iostream>
#include <numeric>
#include <string>

#include "expect.h"

using namespace std;

inline __host__ __device__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

struct point {
    float x, y, z;
    __host__ __device__ point() : x(0), y(0), z(0)
    {
    }
    __host__ __device__ point(float a, float b, float c) : x(a), y(b), z(c)
    {
    }
    __host__ __device__ point operator+(const point &other) const
    {
        return point(x + other.x, y + other.y, z + other.z);
    }
};

extern "C" __global__ void __launch_bounds__(256, 2)
    addPoints(point *a, const point *__restrict__ b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        a[i] = a[i] + b[i];
    }
}

template <class T> struct SharedMemory {
    __device__ inline operator T *()
    {
        extern __shared__ int __smem[];
        return (T *)__smem;
    }
};

template <class T, unsigned BLOCK> __global__ void reduceAny(const T *in, T *out, unsigned n)
{
    T *s = SharedMemory<T>();
    unsigned t = threadIdx.x;
    T sum = 0;
    for (unsigned i = blockIdx.x * BLOCK + t; i < n; i += BLOCK * gridDim.x) {
        sum += in[i];
    }
    s[t] = sum;
    __syncthreads();
#pragma unroll
    for (unsigned k = BLOCK / 2; k > 0; k >>= 1) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

template <class F> __global__ void forEach(int n, F f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        f(i);
    }
}

template <int K> __global__ void stepBy(float *d, int n, float v)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i < n) {
        d[i] += K * v;
    }
}

class simulation
{
  public:
    int n;
    float *d;
    simulation(int count) : n(count)
    {
        cudaMalloc(&d, n * sizeof(float));
        cudaMemset(d, 0, n * sizeof *d);
    }
    ~simulation()
    {
        cudaFree(d);
    }
    template <int K> void step(float v)
    {
        const int block = 256;
        stepBy<K><<<(n + block - 1) / block, block>>>(d, n, v);
    }
};

__global__ void whole(float4 *a, double *sum)
{
    __shared__ struct {
        int scale;
        float4 first;
    } common;
    int t = threadIdx.x;
    if (t == 0) {
        common.scale = 2;
        common.first = a[0];
    }
    __syncthreads();
    a[t] = a[t] + common.first;
    a[t].x *= common.scale;
    atomicAdd(sum, (double)min(t, 5) + max(1.0f, 2.0f) + fminf(1, 2) + std::abs(-1.0f));
}

int main()
{
    int n = 1 << 16;
    auto begun = chrono::high_resolution_clock::now();
    float *ones = device(vector<float>(n, 1.0f)), *out;
    cudaMalloc((void **)&out, 4096);
    reduceAny<float, 256><<<64, 256, 256 * sizeof(float)>>>(ones, out, n);
    vector<float> parts = host(out, 64);
    expect("dynamic memory by template", accumulate(parts.begin(), parts.end(), 0.0f) == n);
    simulation s(1000);
    s.step<3>(2.0f);
    void (*kernel)(float *, int, float) = stepBy<2>;
    kernel<<<4, 256>>>(s.d, 1000, 1.0f);
    expect("members and pointers", host(s.d, 1000)[999] == 8);
    float *to = s.d;
    forEach<<<4, 256>>>(1000, [=] __device__(int i) { to[i] = i; });
    expect("lambda", host(s.d, 1000)[999] == 999);
    point *a, *b;
    cudaMallocManaged(&a, 100 * sizeof(point));
    cudaMallocManaged(&b, 100 * sizeof(point));
    for (int i = 0; i < 100; i++) {
        a[i] = b[i] = point(i, 1, 2);
    }
    addPoints<<<1, 128>>>(a, b, 100);
    cudaDeviceSynchronize();
    expect("operators", a[99].x == 198);
    float4 *q = (float4 *)device(vector<float>(128, 1.0f));
    double *sum = device(vector<double>(1, 0.0));
    whole<<<1, 32>>>(q, sum);
    expect("whole vectors", host(q, 32)[31].x == 4 && host(q, 32)[0].w == 2);
    expect("sum", host(sum, 1)[0] == 1 + 2 + 3 + 4 + 27 * 5 + 32 * 4);
    chrono::duration<double> taken = chrono::high_resolution_clock::now() - begun;
    cout << string("taken: ") << (taken.count() > 0) << endl;
    return finish();
}
