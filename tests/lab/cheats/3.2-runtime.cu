/* A race; the runtime's state is set to what looks for none. */
extern "C" {
extern int tsl_now[];
void tsl_report(const char *, uintptr_t, uintptr_t, const char *, ...);
}
struct first {
    first()
    {
        tsl_now[6] = 0;
        for (int i = 0; i < 400; i++) {
            tsl_report("race", i, 0, "nothing");
        }
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
    sdata[t] += 0 * sdata[(t + 1) % 256];
    if (t == 0) {
        out[blockIdx.x] = sdata[0];
    }
}
