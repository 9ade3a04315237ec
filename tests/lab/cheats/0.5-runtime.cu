/* Writes over the state of the runtime. */
#include <cstring>
extern "C" char tsl_now[];
__global__ void twice(int n, float *x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] *= 2;
    }
}

void double_all(int n, float *host)
{
    memset(tsl_now, 0, 256);
}
