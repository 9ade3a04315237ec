/* Clean: shared memory with the barriers it needs. */
#include "expect.h"

__global__ void reverse(int *a)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    a[t] = s[63 - t];
}

__global__ void reduce(float *out, const float *in, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned k = blockDim.x / 2; k > 0; k >>= 1) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

/* Two arrays in one dynamic piece. */
__global__ void twoArrays(double *out, int n)
{
    extern __shared__ double both[];
    double *a = both;
    int *b = (int *)(both + n);
    int t = threadIdx.x;
    a[t] = 0.5 * t;
    b[t] = 2 * t;
    __syncthreads();
    out[t] = a[n - 1 - t] + b[n - 1 - t];
}

template <int TILE> __global__ void transpose(float *out, const float *in, int w, int h)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    if (x < w && y < h) {
        tile[threadIdx.y][threadIdx.x] = in[y * w + x];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    if (x < h && y < w) {
        out[y * h + x] = tile[threadIdx.x][threadIdx.y];
    }
}

template <int T> __global__ void multiply(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[T][T], bs[T][T];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * T + ty, column = blockIdx.x * T + tx;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        as[ty][tx] = a[row * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        __syncthreads();
        for (int i = 0; i < T; i++) {
            sum += as[ty][i] * bs[i][tx];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void scanTwoBuffers(int *a)
{
    __shared__ int s[2][128];
    int t = threadIdx.x, from = 0;
    s[0][t] = a[t];
    __syncthreads();
    for (int d = 1; d < 128; d *= 2) {
        s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
        from = 1 - from;
        __syncthreads();
    }
    a[t] = s[from][t];
}

__global__ void scanTree(int *a)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = a[2 * t];
    s[2 * t + 1] = a[2 * t + 1];
    int stride = 1;
    for (int d = 64; d > 0; d /= 2, stride *= 2) {
        __syncthreads();
        if (t < d) {
            s[stride * (2 * t + 2) - 1] += s[stride * (2 * t + 1) - 1];
        }
    }
    if (t == 0) {
        s[127] = 0;
    }
    for (int d = 1; d < 128; d *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < d) {
            int x = s[stride * (2 * t + 1) - 1];
            s[stride * (2 * t + 1) - 1] = s[stride * (2 * t + 2) - 1];
            s[stride * (2 * t + 2) - 1] += x;
        }
    }
    __syncthreads();
    a[2 * t] = s[2 * t];
    a[2 * t + 1] = s[2 * t + 1];
}

__global__ void stencil(float *out, const float *in, int n)
{
    __shared__ float s[64 + 2];
    int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 1;
    s[t] = in[i];
    if (threadIdx.x == 0) {
        s[0] = i > 0 ? in[i - 1] : 0;
        s[65] = i + 64 < n ? in[i + 64] : 0;
    }
    __syncthreads();
    out[i] = s[t - 1] + s[t] + s[t + 1];
}

__global__ void histogram(int *out, const unsigned char *in, int n)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) {
        bins[t] = 0;
    }
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&bins[in[i] & 15], 1);
    }
    __syncthreads();
    if (t < 16) {
        atomicAdd(&out[t], bins[t]);
    }
}

/* Threads that have nothing to do leave before any barrier. */
__global__ void earlyReturn(float *a, int n)
{
    __shared__ float s[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    s[threadIdx.x] = a[i];
    __syncthreads();
    a[i] = s[threadIdx.x] + s[0];
}

/* Rows rotated instead of padded. */
__global__ void swizzled(int *out, const int *in)
{
    __shared__ int s[32 * 32];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = y; k < 32; k += 8) {
        s[32 * k + (x ^ k)] = in[32 * k + x];
    }
    __syncthreads();
    for (int k = y; k < 32; k += 8) {
        out[32 * k + x] = s[32 * x + (k ^ x)];
    }
}

int main()
{
    std::vector<int> a(128);
    std::vector<float> f(1000, 1), m(64 * 64);
    for (int i = 0; i < 128; i++) {
        a[i] = i;
    }
    int *da = device(a), *bins, *big, *turned;
    float *df = device(f), *out, *dm;
    cudaMalloc(&out, 4096 * sizeof(float));
    reverse<<<1, 64>>>(da);
    expect("reverse", host(da, 64)[0] == 63);
    reduce<<<4, 256, 256 * sizeof(float)>>>(out, df, 1000);
    expect("reduction", host(out, 4)[3] == 232);
    double *dd;
    cudaMalloc(&dd, 32 * sizeof(double));
    twoArrays<<<1, 32, 32 * 12>>>(dd, 32);
    expect("two arrays", host(dd, 32)[0] == 77.5);
    for (int i = 0; i < 64 * 64; i++) {
        m[i] = i % 7;
    }
    dm = device(m);
    transpose<16><<<dim3(4, 3), dim3(16, 16)>>>(out, dm, 50, 40);
    expect("transpose", host(out, 2000)[1] == m[50]);
    multiply<16><<<dim3(4, 4), dim3(16, 16)>>>(out, dm, dm, 64);
    float sum = 0;
    for (int k = 0; k < 64; k++) {
        sum += m[3 * 64 + k] * m[k * 64 + 5];
    }
    expect("product", host(out, 4096)[3 * 64 + 5] == sum);
    da = device(a);
    scanTwoBuffers<<<1, 128>>>(da);
    expect("scan with two buffers", host(da, 128)[127] == 8128);
    da = device(a);
    scanTree<<<1, 64>>>(da);
    expect("scan as a tree", host(da, 128)[127] == 8001);
    stencil<<<4, 64>>>(out, dm, 256);
    expect("stencil", host(out, 256)[64] == m[63] + m[64] + m[65]);
    std::vector<unsigned char> c(1000, 3);
    unsigned char *dc = device(c);
    cudaMalloc(&bins, 64);
    cudaMemset(bins, 0, 64);
    histogram<<<3, 64>>>(bins, dc, 1000);
    expect("histogram", host(bins, 16)[3] == 1000);
    earlyReturn<<<2, 64>>>(df, 100);
    expect("early return", host(df, 100)[99] == 2);
    std::vector<int> square(1024);
    for (int i = 0; i < 1024; i++) {
        square[i] = i;
    }
    big = device(square);
    cudaMalloc(&turned, 4096);
    swizzled<<<1, dim3(32, 8)>>>(turned, big);
    expect("swizzle", host(turned, 1024)[1] == 32);
    return finish();
}
