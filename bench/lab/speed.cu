/* Kernels for the speed of `tesela lab run`: an argument scales the work. */
#include <cstdio>
#include <cstdlib>

#define T 16

__global__ void transpose(float *out, const float *in, int n)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    }
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) {
        out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
    }
}

__global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        as[ty][tx] = a[(blockIdx.y * T + ty) * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + blockIdx.x * T + tx];
        __syncthreads();
        for (int i = 0; i < T; i++) {
            sum += as[ty][i] * bs[i][tx];
        }
        __syncthreads();
    }
    c[(blockIdx.y * T + ty) * n + blockIdx.x * T + tx] = sum;
}

__global__ void strided(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        out[i] = in[i] + in[(i * 17) % n];
    }
}

__global__ void reduce(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 8; k++) {
        sum += in[(blockIdx.x * 8 + k) * 256 + t];
    }
    s[t] = sum;
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1024;
    float *a, *b, *c;
    cudaMalloc(&a, n * n * 4);
    cudaMalloc(&b, n * n * 4);
    cudaMalloc(&c, n * n * 4);
    cudaMemset(a, 0, n * n * 4);
    cudaMemset(b, 0, n * n * 4);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(c, a, n);
    multiply<<<dim3(n / 4 / T, n / 4 / T), dim3(T, T)>>>(c, a, b, n / 4);
    strided<<<n / 4, 256>>>(c, a, n * n);
    reduce<<<n * n / 2048, 256>>>(c, a);
    cudaDeviceSynchronize();
    return 0;
}
