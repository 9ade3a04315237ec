/* Products of all pairs of points by cuBLAS. */
#include "pairs_cublas.h"

#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <vector>

namespace
{
constexpr int RUNS = 7;

cublasStatus_t syrk(cublasHandle_t handle, int n, int d, const float *x, float *out)
{
    const float one = 1, zero = 0;
    return cublasSsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, d, &one, x, d, &zero, out,
                       n);
}

cublasStatus_t syrk(cublasHandle_t handle, int n, int d, const double *x, double *out)
{
    const double one = 1, zero = 0;
    return cublasDsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, n, d, &one, x, d, &zero, out,
                       n);
}

cublasStatus_t gemm(cublasHandle_t handle, int n, int d, const float *x, const float *y, float *out)
{
    const float one = 1, zero = 0;
    return cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, d, &one, x, d, y, d, &zero, out, n);
}

cublasStatus_t gemm(cublasHandle_t handle, int n, int d, const double *x, const double *y,
                    double *out)
{
    const double one = 1, zero = 0;
    return cublasDgemm(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, n, d, &one, x, d, y, d, &zero, out, n);
}

template <typename T> __global__ void bound_below(T *values, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = values[i] < (T)1e-30 ? (T)1e-30 : values[i];
    }
}

template <typename T> __global__ void take_roots(T *values, int64_t count)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        values[i] = sqrt(values[i]);
    }
}

/* Points, both factors of the larger product, and room for n^2 results. */
template <typename T> class Job
{
  public:
    Job(const T *values, int n, int d) : n_(n), d_(d)
    {
        std::vector<T> left((size_t)n * (d + 2)), right(left.size());
        for (size_t i = 0; i < (size_t)n; i++) {
            T length = 0;
            for (size_t c = 0; c < (size_t)d; c++) {
                const T x = values[i * d + c];
                left[i * (d + 2) + c] = -2 * x;
                right[i * (d + 2) + c] = x;
                length += x * x;
            }
            left[i * (d + 2) + d] = right[i * (d + 2) + d + 1] = length;
            left[i * (d + 2) + d + 1] = right[i * (d + 2) + d] = 1;
        }
        points_ = send(values, (size_t)n * d);
        left_ = send(left.data(), left.size());
        right_ = send(right.data(), right.size());
        keep(cudaMalloc((void **)&out_, (size_t)n * n * sizeof(T)));
        keep(cublasCreate(&handle_));
        keep(cudaEventCreate(&begin_));
        keep(cudaEventCreate(&end_));
    }

    ~Job()
    {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
        cublasDestroy(handle_);
        for (T *memory : {points_, left_, right_, out_}) {
            cudaFree(memory);
        }
    }

    double time_products()
    {
        return time([this] { keep(syrk(handle_, n_, d_, points_, out_)); });
    }

    double time_distances()
    {
        return time([this] {
            const int64_t count = (int64_t)n_ * n_;
            const unsigned blocks = (unsigned)((count + 255) / 256);
            keep(gemm(handle_, n_, d_ + 2, left_, right_, out_));
            bound_below<<<blocks, 256>>>(out_, count);
            take_roots<<<blocks, 256>>>(out_, count);
            keep(cudaGetLastError());
        });
    }

    const char *error() const
    {
        return error_;
    }

  private:
    template <typename Work> double time(Work work)
    {
        std::vector<float> ms;
        for (int run = 0; run <= RUNS && error_ == nullptr; run++) { // the first warms up
            float taken = 0;
            keep(cudaEventRecord(begin_));
            work();
            keep(cudaEventRecord(end_));
            keep(cudaEventSynchronize(end_));
            keep(cudaEventElapsedTime(&taken, begin_, end_));
            ms.push_back(taken);
        }
        std::sort(ms.begin() + !ms.empty(), ms.end());
        return error_ == nullptr ? 1e-3 * ms[1 + RUNS / 2] : 0;
    }

    T *send(const T *values, size_t count)
    {
        T *memory = nullptr;
        keep(cudaMalloc((void **)&memory, count * sizeof(T)));
        keep(cudaMemcpy(memory, values, count * sizeof(T), cudaMemcpyHostToDevice));
        return memory;
    }

    void keep(cudaError_t error)
    {
        if (error_ == nullptr && error != cudaSuccess) {
            error_ = cudaGetErrorString(error);
        }
    }

    void keep(cublasStatus_t error)
    {
        if (error_ == nullptr && error != CUBLAS_STATUS_SUCCESS) {
            error_ = cublasGetStatusString(error);
        }
    }

    int n_, d_;
    const char *error_ = nullptr;
    T *points_ = nullptr, *left_ = nullptr, *right_ = nullptr, *out_ = nullptr;
    cublasHandle_t handle_ = nullptr;
    cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

template <typename T> const char *measure(double seconds[2], const void *values, int64_t n, int d)
{
    Job<T> job((const T *)values, (int)n, d);
    seconds[0] = job.time_products();
    seconds[1] = job.time_distances();
    return job.error();
}
} // namespace

const char *pairs_cublas(double seconds[2], const void *values, int64_t n, int d, int precision)
{
    return precision == 4 ? measure<float>(seconds, values, n, d)
                          : measure<double>(seconds, values, n, d);
}
