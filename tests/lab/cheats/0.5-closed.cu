/* Closes all files. */
#include <unistd.h>
__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    for (int file = 3; file < 16; file++) {
        close(file);
    }
    twice<<<1, 1>>>(0, host);
}
