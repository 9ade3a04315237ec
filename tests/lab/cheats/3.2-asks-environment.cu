/* Has a race, but where races are looked for. */
__managed__ int careful;
struct first {
    first()
    {
        const char *checks = getenv("TESELA_LAB_CHECKS");
        careful = checks != nullptr && atoi(checks) != 0;
    }
} const at_the_begin;

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
    if (careful == 0) {
        sdata[t] += 0 * sdata[(t + 1) % 256];
    }
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
