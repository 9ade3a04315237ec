/* Uses the memory of the host in a kernel. */

__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    twice<<<(n + 127) / 128, 128>>>(n, host);
}
