/* Planted bugs of shared memory. BUG marks where each must be told, and by which kind; ALSO where
 * it may be told, too. */
#include <cstdio>

__global__ void missingBarrier(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];        /* ALSO race */
    out[t] = s[255 - t]; /* BUG race; ALSO unwritten */
}

__global__ void scanInPlace(float *a)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int d = 1; d < 64; d *= 2) {
        if (t >= d) {
            s[t] += s[t - d]; /* BUG race */
        }
        __syncthreads();
    }
    a[t] = s[t];
}

__global__ void reduceWithoutBarrier(float *out, const float *in)
{
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    for (int k = 128; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k]; /* BUG race */
        }
    }
    if (t == 0) {
        out[0] = s[0];
    }
}

/* Right on cards of 2010, whose warps went in step. */
__global__ void reduceWarpSynchronous(float *out, const float *in)
{
    __shared__ volatile float s[64];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 32) {
        s[t] += s[t + 32]; /* ALSO race */
        s[t] += s[t + 16]; /* BUG race */
        s[t] += s[t + 8];  /* ALSO race */
        s[t] += s[t + 4];  /* ALSO race */
        s[t] += s[t + 2];  /* ALSO race */
        s[t] += s[t + 1];  /* ALSO race */
    }
    if (t == 0) {
        out[0] = s[0];
    }
}

__global__ void tileOverwritten(float *out, const float *in)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        tile[t] = in[64 * k + t]; /* BUG race: no barrier after the reads */
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            sum += tile[j]; /* ALSO race */
        }
    }
    out[t] = sum;
}

__global__ void histogramWithoutAtomics(int *out, const int *in)
{
    __shared__ int bins[16];
    int t = threadIdx.x;
    if (t < 16) {
        bins[t] = 0;
    }
    __syncthreads();
    bins[in[t] & 15]++; /* BUG race */
    __syncthreads();
    if (t < 16) {
        out[t] = bins[t];
    }
}

__global__ void firstThreadSetsUp(int *out)
{
    __shared__ int scale;
    if (threadIdx.x == 0) {
        scale = 3; /* ALSO race */
    }
    out[threadIdx.x] = scale * threadIdx.x; /* BUG race; ALSO unwritten */
}

__global__ void atomicsBeforeSetUp(int *out)
{
    __shared__ int count;
    if (threadIdx.x == 0) {
        count = 0; /* ALSO race */
    }
    atomicAdd(&count, 1); /* BUG race; ALSO unwritten */
    __syncthreads();
    out[threadIdx.x] = count;
}

__global__ void partlyWritten(float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    if (t < 50) {
        s[t] = t;
    }
    __syncthreads();
    out[t] = s[t]; /* BUG unwritten */
}

int main()
{
    float *a, *b;
    int *c;
    cudaMalloc(&a, 1024);
    cudaMalloc(&b, 1024);
    cudaMalloc(&c, 1024);
    cudaMemset(a, 0, 1024);
    cudaMemset(b, 0, 1024);
    cudaMemset(c, 1, 1024);
    missingBarrier<<<1, 256>>>(a, b);
    scanInPlace<<<1, 64>>>(a);
    reduceWithoutBarrier<<<1, 256>>>(a, b);
    reduceWarpSynchronous<<<1, 64>>>(a, b);
    tileOverwritten<<<1, 64>>>(a, b);
    histogramWithoutAtomics<<<1, 64>>>(c, c + 64);
    firstThreadSetsUp<<<1, 64>>>(c);
    atomicsBeforeSetUp<<<1, 64>>>(c);
    partlyWritten<<<1, 64>>>(a);
    cudaDeviceSynchronize();
    return 0;
}
