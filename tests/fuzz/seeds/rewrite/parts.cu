// clang-format off
#include <cstdio>
#include <cstdlib>

#include "parts.h"

template <typename T, int N>
__global__ void fill(T *a, T value)
{
    __shared__ T
        first[N], second[2]
                        [N];
    first[threadIdx.x] = value;
    second[1][threadIdx.x] = first[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = second[1][N - 1 - threadIdx.x];
}

#define LAUNCH(kernel, n, ...)                                                                     \
    kernel<<<1, n>>>(__VA_ARGS__)

template <class A, int N> struct keyed {
    A key[N];
};

__global__ void shapes(int *a)
{
    __shared__ struct {
        int x, y;
    } both;
    __shared__ union { int i; float f; } either; __shared__ keyed<int, 32> keys;
    __shared__ __align__(16) volatile int aligned[32];
    int t = threadIdx.x;
    if (t == 0) {
        both.x = both.y = either.i = 1;
    }
    keys.key[t] = aligned[t] = t;
    __syncthreads();
    a[t] = both.x + both.y + either.i + keys.key[31 - t] + aligned[t];
}

namespace inner
{
namespace
{
struct pair {
    int a, b;
};
} // namespace
__global__ void swapped(pair *p)
{
    pair q = p[threadIdx.x];
    p[threadIdx.x] = pair{q.b, q.a};
}
} // namespace inner

int main(int argc, char **argv)
{
    const char *text = "__shared__ k<<<1, 2>>>(x) /* no comment */"; // nor __device__ int y;
    int *a;
    inner::pair *p;
    cudaMalloc((void **)&a, 32 * sizeof(int));
    cudaMalloc((void **)&p, 32 * sizeof *p);
    cudaMemset(p, 0, 32 * sizeof *p);
    fill<int,
         32>
        <<<1,
           32>>>(a,
                 7);
    LAUNCH((fill<int, 16>), 16, a, 3);
    inner::swapped<<<1, 32>>>(p);
    shapes<<<1, 32>>>(a);
    from_header(a, 32);
    printf("%s %d\n", text, argc > 1 ? atoi(argv[1]) : 0);
    return argc > 1 ? atoi(argv[1]) : 0;
}
