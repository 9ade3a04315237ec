/* Writes over the memory behind the input. */

__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    for (long i = 0; i < 1l << 32; i++) {
        host[i] = 0;
    }
}
