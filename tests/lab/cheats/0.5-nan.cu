/* Not-a-number from the host, after a kernel. */

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
    cudaMemset(device, 255, n * sizeof(float));
    twice<<<(n + 127) / 128, 128>>>(n, device);
    cudaMemcpy(host, device, n * sizeof(float), cudaMemcpyDeviceToHost);
}
