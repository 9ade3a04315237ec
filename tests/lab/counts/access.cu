/* Accesses whose sectors, wavefronts and requests have closed forms: see test_counts.py. */
#include <cstdio>
#include <cstdlib>

__global__ void strided(float *out, const float *in, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

__global__ void offset(float *out, const float *in, int by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i + by];
}

__global__ void banks(float *out, int stride)
{
    __shared__ float s[32 * 33];
    s[threadIdx.x * stride] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x * stride];
}

__global__ void vectors(float4 *out, const float4 *in)
{
    __shared__ float4 s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float4 v = s[t];
    v.x += 1;
    out[t] = v;
}

__global__ void doubles(double *out, const double *in)
{
    __shared__ double s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[255 - t];
}

/* Lane i makes i % 4 trips of 1 + (i & 1) reads each. */
__global__ void diverge(float *out, const float *in, const int *trips)
{
    int i = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < trips[i]; k++) {
        for (int j = 0; j <= (i & 1); j++) {
            sum += in[i * 8 + j];
        }
    }
    out[i * 8] = sum;
}

__global__ void reduce(float *out, const float *in, int n)
{
    extern __shared__ float s[];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    s[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

/* Threads 2·k·t add: half of them idle, in ever more conflict. */
__global__ void reduceInterleaved(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 1; k < 256; k *= 2) {
        if (2 * k * t < 256) {
            s[2 * k * t] += s[2 * k * t + k];
        }
        __syncthreads();
    }
    if (t == 0) {
        out[blockIdx.x] = s[0];
    }
}

__global__ void broadcast(float *out, const float *in)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[0];
    __syncthreads();
    out[threadIdx.x] = s[7];
}

__global__ void atomics(int *bins)
{
    atomicAdd(&bins[threadIdx.x % 4], 1);
}

#define TILE 32
#define ROWS 8

__global__ void transposeNaive(float *out, const float *in, int w, int h)
{
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        out[y + i + h * x] = in[x + w * (y + i)];
    }
}

template <int PAD> __global__ void transposeTile(float *out, const float *in, int w, int h)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        tile[threadIdx.y + i][threadIdx.x] = in[x + w * (y + i)];
    }
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS) {
        out[x + h * (y + i)] = tile[threadIdx.x][threadIdx.y + i];
    }
}

int main(int argc, char **argv)
{
    int w = argc > 1 ? atoi(argv[1]) : 256;
    float *a, *b;
    int *trips, host[32];
    cudaMalloc(&a, 1024 * 1024 * 4);
    cudaMalloc(&b, 1024 * 1024 * 4);
    cudaMalloc(&trips, 4096);
    cudaMemset(b, 0, 1024 * 1024 * 4);
    for (int s = 1; s <= 32; s++) {
        strided<<<4, 256>>>(a, b, s);
    }
    for (int s = 0; s <= 32; s++) {
        offset<<<1, 256>>>(a, b, s);
    }
    for (int s = 1; s <= 32; s++) {
        banks<<<1, 32>>>(a, s);
    }
    vectors<<<1, 256>>>((float4 *)a, (const float4 *)b);
    doubles<<<1, 256>>>((double *)a, (const double *)b);
    for (int i = 0; i < 32; i++) {
        host[i] = i % 4;
    }
    cudaMemcpy(trips, host, sizeof host, cudaMemcpyHostToDevice);
    diverge<<<1, 32>>>(a, b, trips);
    reduce<<<10, 256, 1024>>>(a, b, 2500);
    reduceInterleaved<<<1, 256>>>(a, b);
    broadcast<<<1, 32>>>(a, b);
    cudaMemset(trips, 0, 16);
    atomics<<<1, 64>>>(trips);
    dim3 grid(w / TILE, w / TILE), block(TILE, ROWS);
    transposeNaive<<<grid, block>>>(a, b, w, w);
    transposeTile<0><<<grid, block>>>(a, b, w, w);
    transposeTile<1><<<grid, block>>>(a, b, w, w);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
