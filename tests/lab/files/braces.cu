/* Structs and vectors in braces: some members, all of them, with and without inner braces. */
#include <cstdio>

struct pair {
    float a, b;
};

struct segment {
    pair from, to;
    int number;
};

struct __align__(8) single
{
    float x;
};

struct flags {
    unsigned low : 3, high : 5;
};

__constant__ pair flat[2] = {1, 2, 3, 4};
__constant__ float3 corner[2] = {{1, 2, 3}, {4}};

__device__ float sum(float3 v)
{
    return v.x + v.y + v.z;
}

__global__ void k(float *out, segment one, single alone, flags f)
{
    pair p[] = {1, 2, 3, 4, 5};
    segment part = {1, 2, 3};
    float4 zero = {0};
    float3 none = {};
    const float found[] = {flat[1].a,
                           flat[1].b,
                           corner[1].x + sum(corner[0]),
                           sum({1, 2, 3}),
                           sizeof p / sizeof *p,
                           p[2].a + p[2].b,
                           part.from.b,
                           part.to.a + part.to.b,
                           one.to.b + one.number,
                           alone.x,
                           f.low + 10.f * f.high,
                           zero.x + zero.w + sum(none)};
    for (int i = 0; i < 12; i++) {
        out[i] = found[i];
    }
}

int main()
{
    float *out, h[12];
    cudaMalloc(&out, sizeof h);
    k<<<1, 1>>>(out, segment{{1, 2}, {3, 4}, 5}, single{7}, flags{5, 9});
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (float x : h) {
        printf("%g ", x);
    }
    printf("\n");
}
