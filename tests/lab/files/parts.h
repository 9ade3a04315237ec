#ifndef PARTS_H
#define PARTS_H

__device__ int counter;

static __global__ void past(int *a)
{
    a[threadIdx.x + 1] = atomicAdd(&counter, 1); /* past the end */
}

static void from_header(int *a, int n)
{
    past<<<1, n>>>(a);
}

#endif
