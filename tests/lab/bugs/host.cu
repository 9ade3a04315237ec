/* Planted bugs of the host. */
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *a)
{
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *a, host[128] = {0};
    cudaMalloc(&a, 256);
    fill<<<1, 64>>>(a);
    cudaMemcpy(host, a, 512, cudaMemcpyDeviceToHost); /* BUG copy: elements taken for bytes */
    cudaMemcpy(host, a, 256, cudaMemcpyHostToDevice); /* BUG copy */
    cudaMemset(host, 0, 256);                         /* BUG copy */
    fill<<<1, 2048>>>(a);                             /* BUG launch */
    fill<<<0, 64>>>(a);                               /* BUG launch */
    cudaFree(a);
    cudaFree(a); /* BUG free */
    cudaMalloc(&a, 256);
    fill<<<1, 64>>>(a);
    printf("%d\n", a[0]); /* BUG host */
    return 0;
}
