/* Loops of known bytes and operations, timed on a card: bench/lab/advice.py compares their times
 * with what `tesela lab advise` says. A line each: name, bytes, operations, double, active lanes,
 * bytes to the card, bytes from it, launches, threads, reads of a thread of which each waits for
 * the one before, milliseconds. */
#include <algorithm>
#include <cstdio>
#include <vector>

static const long n = 1l << 25;

__global__ void scale(long n, float a, const float *x, float *y)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i];
    }
}

__global__ void saxpy(long n, float a, const float *x, float *y)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}

__global__ void triad(long n, double a, const double *x, const double *y, double *z)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        z[i] = a * x[i] + y[i];
    }
}

__global__ void sum(long n, const float *x, float *out)
{
    __shared__ float s[256];
    const int t = threadIdx.x;
    float own = 0;
    for (long i = (long)blockIdx.x * 2048 + t; i < n && i < (blockIdx.x + 1l) * 2048; i += 256) {
        own += x[i];
    }
    s[t] = own;
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

/* Every fourth float: all sectors of x are read. */
__global__ void strided(long n, const float *x, float *y)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 4) {
        y[i] = x[4 * i];
    }
}

__global__ void transpose(const float *in, float *out, int width)
{
    __shared__ float tile[32][33];
    const int bx = blockIdx.x * 32, by = blockIdx.y * 32;
    for (int k = threadIdx.y; k < 32; k += 8) {
        tile[k][threadIdx.x] = in[(long)(by + k) * width + bx + threadIdx.x];
    }
    __syncthreads();
    for (int k = threadIdx.y; k < 32; k += 8) {
        out[(long)(bx + k) * width + by + threadIdx.x] = tile[threadIdx.x][k];
    }
}

/* Horner's rule, of the same coefficient at each step: 2 steps operations for an element. */
template <class T> __global__ void polynomial(long n, int steps, T a, const T *x, T *y)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const T at = x[i];
        T p = a;
        for (int k = 0; k < steps; k++) {
            p = p * at + a;
        }
        y[i] = p;
    }
}

/* Lane l of a warp does 64 (l + 1) steps: of 32 lanes 16.5 are at work on average. */
__global__ void uneven(long n, float a, const float *x, float *y)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    const int steps = 64 * ((int)(i % 32) + 1);
    float p = a;
    for (int k = 0; k < steps; k++) {
        p = p * x[i] + a;
    }
    y[i] = p;
}

/* Seven points of a cube; caches keep the neighbours' planes. */
__global__ void stencil(int side, const float *x, float *y)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y,
              k = blockIdx.z;
    const long at = ((long)k * side + j) * side + i, plane = (long)side * side;
    if (i > 0 && j > 0 && k > 0 && i < side - 1 && j < side - 1 && k < side - 1) {
        y[at] = 6 * x[at] - x[at - 1] - x[at + 1] - x[at - side] - x[at + side] - x[at - plane] -
                x[at + plane];
    }
}

/* Milliseconds: the median of seven, after one that is not counted. */
template <class Work> static double measure(Work work)
{
    cudaEvent_t begin, end;
    std::vector<float> times(7);
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    work();
    for (float &time : times) {
        cudaEventRecord(begin);
        work();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&time, begin, end);
    }
    std::sort(times.begin(), times.end());
    return times[3];
}

static void tell(const char *name, double bytes, double operations, int of_double, double active,
                 double to_card, double from_card, double threads, int chain, double ms)
{
    printf("%s %.0f %.0f %d %.4f %.0f %.0f 1 %.0f %d %.5f\n", name, bytes, operations, of_double,
           active, to_card, from_card, threads, chain, ms);
}

int main()
{
    float *x, *y;
    float *host;
    const unsigned blocks = (unsigned)(n / 256);
    const double m = (double)n;
    cudaMalloc(&x, 3 * n * sizeof(double));
    cudaMalloc(&y, 3 * n * sizeof(double));
    cudaMallocHost(&host, n * sizeof(float));
    cudaMemset(x, 0, 3 * n * sizeof(double));
    cudaMemset(y, 0, 3 * n * sizeof(double));
    double *dx = (double *)x, *dy = (double *)y;
    tell("scale", 8 * m, m, 0, 1, 0, 0, m, 1, measure([&] { scale<<<blocks, 256>>>(n, 3, x, y); }));
    tell("saxpy", 12 * m, 2 * m, 0, 1, 0, 0, m, 1,
         measure([&] { saxpy<<<blocks, 256>>>(n, 3, x, y); }));
    tell("triad", 24 * m, 2 * m, 1, 1, 0, 0, m, 1,
         measure([&] { triad<<<blocks, 256>>>(n, 3, dx, dx + n, dy); }));
    tell("sum", 4 * m, m, 0, 1, 0, 0, m / 8, 8, measure([&] { sum<<<n / 2048, 256>>>(n, x, y); }));
    tell("strided", 5 * m, 0, 0, 1, 0, 0, m / 4, 1,
         measure([&] { strided<<<blocks / 4, 256>>>(n, x, y); }));
    tell("transpose", 8 * m, 0, 0, 1, 0, 0, m / 4, 1,
         measure([&] { transpose<<<dim3(4096 / 32, 8192 / 32), dim3(32, 8)>>>(x, y, 4096); }));
    tell("polynomial-16", 8 * m, 2 * 16 * m, 0, 1, 0, 0, m, 1,
         measure([&] { polynomial<float><<<blocks, 256>>>(n, 16, 0.5f, x, y); }));
    tell("polynomial-1024", 8 * m, 2 * 1024 * m, 0, 1, 0, 0, m, 1,
         measure([&] { polynomial<float><<<blocks, 256>>>(n, 1024, 0.5f, x, y); }));
    tell("polynomial-1024-double", 16 * m, 2 * 1024 * m, 1, 1, 0, 0, m, 1,
         measure([&] { polynomial<double><<<blocks, 256>>>(n, 1024, 0.5, dx, dy); }));
    tell("uneven", 8 * m, 2 * 64 * 16.5 * m, 0, 16.5 / 32, 0, 0, m, 1,
         measure([&] { uneven<<<blocks, 256>>>(n, 0.5f, x, y); }));
    tell("stencil", 8.0 * 512 * 512 * 512, 7.0 * 512 * 512 * 512, 0, 1, 0, 0, 512.0 * 512 * 512, 1,
         measure([&] { stencil<<<dim3(512 / 32, 512 / 8, 512), dim3(32, 8)>>>(512, x, y); }));
    tell("saxpy-copied", 12 * m, 2 * m, 0, 1, 8 * m, 4 * m, m, 1, measure([&] {
             cudaMemcpy(x, host, n * sizeof(float), cudaMemcpyHostToDevice);
             cudaMemcpy(y, host, n * sizeof(float), cudaMemcpyHostToDevice);
             saxpy<<<blocks, 256>>>(n, 3, x, y);
             cudaMemcpy(host, y, n * sizeof(float), cudaMemcpyDeviceToHost);
         }));
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
