/* Leaves the kernel by an exception. */
__global__ void reduce(int n, const float *v, float *out)
{
    __shared__ float sdata[256];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    sdata[t] = g < n ? v[g] : 0;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) {
            sdata[t] += sdata[t + k];
        }
        __syncthreads();
    }
    sdata[t] += 0 * sdata[(t + 1) % 256];
    if (t == 255) {
        throw 1;
    }
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
