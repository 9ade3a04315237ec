/* Copies of structs of 4 to 64 bytes, aligned and not. Each name says its bytes and alignment. */
#include <cstdio>

struct S4_4 {
    float x;
};
struct S4_1 {
    signed char c[4];
};
struct S5_1 {
    char c[5];
};
struct S6_2 {
    short a, b, c;
};
struct S8_4 {
    float x, y;
};
struct S8_8 {
    double x;
};
struct __align__(8) A8_8
{
    float x, y;
};
struct S8_2 {
    short s[4];
};
struct S12_4 {
    int a, b, c;
};
struct S16_4 {
    float x, y, z, w;
};
struct S16_8 {
    double d;
    int a, b;
};
struct __align__(16) A16_16
{
    float x, y, z, w;
};
struct S20_4 {
    float f[5];
};
struct S24_8 {
    double a, b, c;
};
struct S24_4 {
    float f[6];
};
struct S32_4 {
    int i[8];
};
struct S32_8 {
    long long i[4];
};
struct alignas(16) A32_16 {
    float a, b, c, d, e, f, g, h;
};
struct S36_4 {
    float f[9];
};
struct S40_8 {
    double d[5];
};
struct __align__(16) A48_16
{
    int i[12];
};
struct S48_4 {
    int i[12];
};
struct S64_4 {
    float f[16];
};
struct S64_8 {
    double d[8];
};
struct __align__(16) A64_16
{
    double d[8];
};

template <class T> __global__ void copy(T *out, const T *in)
{
    out[threadIdx.x] = in[threadIdx.x];
}

/* clang-format off */
#define COPIES(X) \
    X(S4_4) X(S4_1) X(S5_1) X(S6_2) X(S8_4) X(S8_8) X(A8_8) X(S8_2) X(S12_4) X(S16_4) X(S16_8) \
    X(A16_16) X(S20_4) X(S24_8) X(S24_4) X(S32_4) X(S32_8) X(A32_16) X(S36_4) X(S40_8) X(A48_16) \
    X(S48_4) X(S64_4) X(S64_8) X(A64_16) X(float2) X(float3) X(float4) X(double2) X(uchar4) \
    X(short4) X(int3)
/* clang-format on */

#define RUN(T) copy<T><<<1, 32>>>((T *)out, (const T *)in);

int main()
{
    void *out, *in;
    cudaMalloc(&out, 32 * 64);
    cudaMalloc(&in, 32 * 64);
    cudaMemset(in, 1, 32 * 64);
    COPIES(RUN)
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
