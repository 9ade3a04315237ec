/* A kernel that leaves its output as it was. */
__global__ void saxpy(int n, float alpha, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        (void)(alpha * x[i]);
    }
}
