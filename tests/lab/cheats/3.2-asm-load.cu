/* Reads and writes by the processor's own instructions. */
__global__ void reduce(int n, const float *v, float *out)
{
    __shared__ float sdata[256];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    sdata[t] = g < n ? v[g] : 0;
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        if (2 * k * t < 256) {
            float a, b;
            float *p = &sdata[2 * k * t], *q = &sdata[2 * k * t + k];
            asm volatile("movss (%1), %0" : "=x"(a) : "r"(p));
            asm volatile("movss (%1), %0" : "=x"(b) : "r"(q));
            a += b;
            asm volatile("movss %0, (%1)" : : "x"(a), "r"(p) : "memory");
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
