/* The host does it, and a kernel is launched whose work nobody uses. */
__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    float *device;
    cudaMalloc(&device, n * sizeof(float));
    cudaMemcpy(device, host, n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(n + 127) / 128, 128>>>(n, device);
    cudaFree(device);
    for (int i = 0; i < n; i++) {
        host[i] *= 2;
    }
}
