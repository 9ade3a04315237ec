/* What the clean kernels' hosts share: memory, and a check that counts what is wrong. */
#ifndef EXPECT_H
#define EXPECT_H

#include <cstdio>
#include <cstdlib>
#include <vector>

static int wrong;

template <class T> T *device(const std::vector<T> &from)
{
    T *to;
    cudaMalloc(&to, from.size() * sizeof(T));
    cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

template <class T> std::vector<T> host(const T *from, size_t n)
{
    std::vector<T> to(n);
    cudaMemcpy(to.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
    return to;
}

static void expect(const char *what, bool right)
{
    if (!right) {
        printf("wrong: %s\n", what);
        wrong++;
    }
}

static int finish()
{
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("wrong: %s\n", cudaGetErrorString(error));
        wrong++;
    }
    return wrong > 0;
}

#endif
