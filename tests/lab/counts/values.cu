/* Structs that functions take and return by value: what is used of them is read and written once.
 */
#include <cstdio>

#include <cuda_runtime.h>
struct particle {
    float x, y, z;
    int id;
};

struct pair {
    float a, b;
};

struct body {
    float x, y, z, u, v, w;
};

struct colour {
    unsigned char r, g, b;
};

struct triple {
    unsigned char v[3];
};

struct segment {
    pair from, to;
    int number;
};

__device__ particle moved(particle p, float by)
{
    p.x += by;
    return p;
}

__device__ float3 sum(float3 a, float3 b)
{
    return make_float3(a.x + b.x, a.y + b.y, a.z + b.z);
}

__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

__device__ pair swapped(pair p)
{
    pair q = {p.b, p.a};
    return q;
}

__device__ body pushed(body b, float t)
{
    b.x += t * b.u;
    b.y += t * b.v;
    b.z += t * b.w;
    return b;
}

__device__ unsigned char grey(colour c)
{
    return (c.r + c.g + c.b) / 3;
}

__device__ int total(triple t)
{
    return t.v[0] + t.v[1] + t.v[2];
}

__global__ void moveAll(particle *p)
{
    p[threadIdx.x] = moved(p[threadIdx.x], 0.5f);
}

__global__ void sumAll(float3 *a, const float3 *b)
{
    int i = threadIdx.x;
    a[i] = sum(a[i], b[i]);
}

__global__ void dotAll(float *out, const float3 *a)
{
    out[threadIdx.x] = dot(a[threadIdx.x], a[threadIdx.x]);
}

__global__ void swapAll(pair *p)
{
    p[threadIdx.x] = swapped(p[threadIdx.x]);
}

__global__ void pushAll(body *p)
{
    p[threadIdx.x] = pushed(p[threadIdx.x], 0.1f);
}

__global__ void greyAll(unsigned char *out, const colour *in)
{
    out[threadIdx.x] = grey(in[threadIdx.x]);
}

__global__ void totalAll(int *out, const triple *in)
{
    out[threadIdx.x] = total(in[threadIdx.x]);
}

__global__ void tileAll(float *out)
{
    __shared__ float3 tile[64];
    int t = threadIdx.x;
    tile[t] = make_float3(t, 1, 2);
    __syncthreads();
    float3 v = sum(tile[t], tile[63 - t]);
    out[t] = v.x + v.y + v.z;
}

__global__ void storeAll(segment *out, segment one)
{
    out[threadIdx.x] = one;
}

int main()
{
    void *p, *q;
    cudaMalloc(&p, 1 << 12);
    cudaMalloc(&q, 1 << 12);
    cudaMemset(p, 0, 1 << 12);
    cudaMemset(q, 0, 1 << 12);
    moveAll<<<1, 64>>>((particle *)p);
    sumAll<<<1, 64>>>((float3 *)p, (float3 *)q);
    dotAll<<<1, 64>>>((float *)p, (float3 *)q);
    swapAll<<<1, 64>>>((pair *)p);
    pushAll<<<1, 64>>>((body *)p);
    greyAll<<<1, 64>>>((unsigned char *)p, (colour *)q);
    totalAll<<<1, 64>>>((int *)p, (triple *)q);
    tileAll<<<1, 64>>>((float *)p);
    storeAll<<<1, 64>>>((segment *)p, segment{{1, 2}, {3, 4}, 5});
    printf("%d\n", cudaDeviceSynchronize());
}
