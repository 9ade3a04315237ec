#include <cwchar>

__global__ void transpose(float *out, const float *in, int width, int height)
{
    __shared__ wchar_t tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x;
    int y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        wmemcpy(&tile[threadIdx.y + k][threadIdx.x], (const wchar_t *)&in[(y + k) * width + x], 1);
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8) {
        wmemcpy((wchar_t *)&out[(y + k) * height + x], &tile[threadIdx.x][threadIdx.y + k], 1);
    }
}
