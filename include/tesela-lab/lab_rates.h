/* What a card can do, measured on it: bytes and operations a second, and latency. For nvcc, not for
 * the lab's own run: `tesela lab bench` prints these rates, and checks on a card compare kernels
 * with them.
 *
 * Each is the median of several runs, timed by events around one launch or copy after the level-2
 * cache was filled with something else. */
#ifndef TESELA_LAB_RATES_H
#define TESELA_LAB_RATES_H

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace lab_rates
{
constexpr int RATE_RUNS = 9;

__global__ void copy_kernel(float4 *to, const float4 *from, long count)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        to[i] = from[i];
    }
}

__global__ void triad_kernel(float4 *a, const float4 *b, const float4 *c, float s, long count)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const float4 x = b[i], y = c[i];
        a[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}

/* The sum is stored where it is not a number, which it never is: so no read can be left out. */
__global__ void read_kernel(float *to, const float4 *from, long count)
{
    float sum = 0;
    const long stride = (long)gridDim.x * blockDim.x;
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * stride < count; i += 4 * stride) {
        const float4 a = from[i], b = from[i + stride], c = from[i + 2 * stride],
                     d = from[i + 3 * stride];
        sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w) + (c.x + c.y + c.z + c.w) +
               (d.x + d.y + d.z + d.w);
    }
    for (; i < count; i += stride) {
        sum += from[i].x + from[i].y + from[i].z + from[i].w;
    }
    if (sum != sum) {
        *to = sum;
    }
}

constexpr int FMA_STEPS = 2048, FMA_CHAINS = 8;

/* FMA_CHAINS independent chains of fused multiplications and additions. */
template <class T> __global__ void fma_kernel(T *to, T a, T b)
{
    T x[FMA_CHAINS];
    for (int k = 0; k < FMA_CHAINS; k++) {
        x[k] = (T)(threadIdx.x + k);
    }
    for (int step = 0; step < FMA_STEPS; step++) {
        for (int k = 0; k < FMA_CHAINS; k++) {
            x[k] = x[k] * a + b;
        }
    }
    T sum = 0;
    for (int k = 0; k < FMA_CHAINS; k++) {
        sum += x[k];
    }
    if (sum == (T)-1) { /* never */
        *to = sum;
    }
}

/* `reads` reads of a thread, each of which waits for the one before: the words are 0. */
__global__ void chain_kernel(int *to, const int *from, long stride, int reads)
{
    const long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    long at = i;
    for (int k = 1; k < reads; k++) {
        at += stride + from[at];
    }
    to[i] = from[at];
}

__global__ void empty_kernel()
{
}

inline double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const size_t half = values.size() / 2;
    return values.empty()          ? 0
           : values.size() % 2 > 0 ? values[half]
                                   : (values[half - 1] + values[half]) / 2;
}

/* Fills the level-2 cache with something else. */
struct Flush {
    void *memory = nullptr;
    size_t bytes = 256u << 20;
    Flush()
    {
        if (cudaMalloc(&memory, bytes) != cudaSuccess) {
            memory = nullptr;
        }
    }
    ~Flush()
    {
        cudaFree(memory);
    }
    void operator()(cudaStream_t stream = nullptr) const
    {
        if (memory != nullptr) {
            cudaMemsetAsync(memory, 1, bytes, stream);
        }
    }
};

/* Milliseconds of what `work` starts on the default stream: the median; -1 after an error. */
template <class Work> double milliseconds(const Flush &flush, int runs, Work work)
{
    cudaEvent_t begin, end;
    std::vector<double> times;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    work();
    for (int i = 0; i < runs; i++) {
        float ms = 0;
        flush();
        cudaEventRecord(begin);
        work();
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        times.push_back(ms);
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    return cudaDeviceSynchronize() == cudaSuccess ? median(times) : -1;
}

/* Arrays of the measurements. */
struct Arrays {
    float *a = nullptr, *b = nullptr, *c = nullptr;
    long n; /* floats of each: many more than the caches have */
    explicit Arrays(long count) : n(count)
    {
        const size_t bytes = (size_t)n * sizeof(float);
        cudaMalloc(&a, bytes);
        cudaMalloc(&b, bytes);
        cudaMalloc(&c, bytes);
        cudaMemset(a, 0, bytes);
        cudaMemset(b, 0, bytes);
        cudaMemset(c, 0, bytes);
    }
    ~Arrays()
    {
        cudaFree(a);
        cudaFree(b);
        cudaFree(c);
    }
};

inline int multiprocessors()
{
    int device = 0, count = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return count;
}

/* Bytes a second, read and written. */
inline double copy_rate(const Flush &flush, const Arrays &m)
{
    const long count = m.n / 4;
    const double ms = milliseconds(flush, RATE_RUNS, [&] {
        copy_kernel<<<(unsigned)((count + 255) / 256), 256>>>((float4 *)m.a, (const float4 *)m.b,
                                                              count);
    });
    return 8e3 * (double)m.n / ms;
}

inline double triad_rate(const Flush &flush, const Arrays &m)
{
    const long count = m.n / 4;
    const double ms = milliseconds(flush, RATE_RUNS, [&] {
        triad_kernel<<<(unsigned)((count + 255) / 256), 256>>>((float4 *)m.a, (const float4 *)m.b,
                                                               (const float4 *)m.c, 3.f, count);
    });
    return 12e3 * (double)m.n / ms;
}

inline double read_rate(const Flush &flush, const Arrays &m)
{
    const unsigned blocks = (unsigned)multiprocessors() * 8;
    const double ms = milliseconds(
        flush, RATE_RUNS, [&] { read_kernel<<<blocks, 256>>>(m.a, (const float4 *)m.b, m.n / 4); });
    return 4e3 * (double)m.n / ms;
}

/* Operations a second, two of each fused multiplication and addition. */
template <class T> double fma_rate(const Flush &flush, const Arrays &m)
{
    const unsigned blocks = (unsigned)multiprocessors() * 16, threads = 256;
    const double ms = milliseconds(
        flush, RATE_RUNS, [&] { fma_kernel<T><<<blocks, threads>>>((T *)m.a, (T)0.5, (T)0.25); });
    return 2e3 * FMA_STEPS * FMA_CHAINS * (double)blocks * threads / ms;
}

/* Bytes a second of copies between the host, pinned or not, and the card. */
inline double link_rate(const Flush &flush, const Arrays &m, bool pinned, cudaMemcpyKind kind)
{
    void *host = nullptr;
    const size_t bytes = (size_t)m.n * sizeof(float);
    if (pinned) {
        cudaMallocHost(&host, bytes);
    } else {
        host = malloc(bytes);
    }
    if (host == nullptr) {
        return 0;
    }
    memset(host, 1, bytes);
    const double ms = milliseconds(flush, 3, [&] {
        cudaMemcpy(kind == cudaMemcpyHostToDevice ? (void *)m.a : host,
                   kind == cudaMemcpyHostToDevice ? host : (void *)m.a, bytes, kind);
    });
    if (pinned) {
        cudaFreeHost(host);
    } else {
        free(host);
    }
    return 1e3 * (double)bytes / ms;
}

/* Seconds of one launch in a row of launches. */
inline double launch_seconds()
{
    const int launches = 1000;
    empty_kernel<<<1, 32>>>();
    cudaDeviceSynchronize();
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; i++) {
        empty_kernel<<<1, 32>>>();
    }
    cudaDeviceSynchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count() /
           launches;
}

/* Threads that the card runs at a time. */
inline double resident_threads()
{
    int device = 0, of_one = 1;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&of_one, cudaDevAttrMaxThreadsPerMultiProcessor, device);
    return (double)multiprocessors() * of_one;
}

/* Seconds of `threads` threads, of `reads` reads each, of words that no other thread reads. */
inline double chain_seconds(const Flush &flush, const Arrays &m, long threads, int reads)
{
    return 1e-3 * milliseconds(flush, RATE_RUNS, [&] {
               chain_kernel<<<(unsigned)(threads / 256), 256>>>((int *)m.a, (const int *)m.b,
                                                                threads, reads);
           });
}

/* A card full of threads takes start + reads * latency until each has been replaced by the next.
 * Both come from differences of times, so that neither has the time of a launch itself. False, with
 * a line that says why, where the differences make no sense because other programs use the card. */
inline bool print_latency(const Flush &flush, const Arrays &m)
{
    const int reads = 8;
    const long threads = m.n / reads;
    const double resident = resident_threads(), full = (double)threads / resident;
    const double one = chain_seconds(flush, m, threads, 1);
    const double twice = chain_seconds(flush, m, 2 * threads, 1);
    const double chain = chain_seconds(flush, m, threads, reads);
    const double latency = (chain - one) / (reads - 1) / full;
    if (!(latency > 0)) {
        printf("error more reads took less time: other programs use the card\n");
        return false;
    }
    printf("resident %.4e\n", resident);
    printf("start %.4e\n", std::max((twice - one) / full - latency, 1e-9));
    printf("latency %.4e\n", latency);
    return true;
}

/* All rates, a line each: a name and a number. Returns an exit status. */
inline int print_rates(int card)
{
    cudaDeviceProp about;
    if (cudaSetDevice(card) != cudaSuccess ||
        cudaGetDeviceProperties(&about, card) != cudaSuccess) {
        printf("error %s\n", cudaGetErrorString(cudaGetLastError()));
        return 1;
    }
    const Flush flush;
    const Arrays m(1l << 27);
    printf("card %s\n", about.name);
    printf("copy %.4e\n", copy_rate(flush, m));
    printf("read %.4e\n", read_rate(flush, m));
    printf("triad %.4e\n", triad_rate(flush, m));
    printf("single %.4e\n", fma_rate<float>(flush, m));
    printf("double %.4e\n", fma_rate<double>(flush, m));
    printf("to_card %.4e\n", link_rate(flush, m, false, cudaMemcpyHostToDevice));
    printf("from_card %.4e\n", link_rate(flush, m, false, cudaMemcpyDeviceToHost));
    printf("to_card_pinned %.4e\n", link_rate(flush, m, true, cudaMemcpyHostToDevice));
    printf("from_card_pinned %.4e\n", link_rate(flush, m, true, cudaMemcpyDeviceToHost));
    printf("launch %.4e\n", launch_seconds());
    if (!print_latency(flush, m)) {
        return 1;
    }
    const cudaError_t error = cudaGetLastError();
    if (error != cudaSuccess) {
        printf("error %s\n", cudaGetErrorString(error));
        return 1;
    }
    return 0;
}
} // namespace lab_rates

#endif
