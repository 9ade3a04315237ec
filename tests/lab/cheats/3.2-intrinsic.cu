/* Reads and writes by functions of the processor. */
#include <immintrin.h>
__global__ void reduce(int n, const float *v, float *out)
{
    __shared__ float sdata[256];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    sdata[t] = g < n ? v[g] : 0;
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        if (2 * k * t < 256) {
            __m128 a = _mm_load_ss(&sdata[2 * k * t]), b = _mm_load_ss(&sdata[2 * k * t + k]);
            _mm_store_ss(&sdata[2 * k * t], _mm_add_ss(a, b));
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
