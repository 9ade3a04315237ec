/* Half precision: prints operands and results as bits, which test_precision.py computes anew. */
#include <cstdio>
#include <cuda_fp16.h>

#define COUNT 1024
#define RESULTS 22

__device__ unsigned short bits(half h)
{
    return __half_as_ushort(h);
}

__global__ void compute(unsigned *out, const half *a, const half *b, const half *c, const float *f)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    half x = a[i], y = b[i], z = c[i], less = x;
    unsigned *to = out + i * RESULTS;
    less -= y;
    *to++ = bits(__hadd_rn(x, y));
    *to++ = bits(less);
    *to++ = bits(__hmul_rn(x, y));
    *to++ = bits(x / y);
    *to++ = bits(__hfma(x, y, z));
    *to++ = bits(hsqrt(x));
    *to++ = bits(__float2half(f[i]));
    *to++ = bits(__float2half_rz(f[i]));
    *to++ = bits(__float2half_rd(f[i]));
    *to++ = bits(__float2half_ru(f[i]));
    *to++ = __float_as_uint(__half2float(x));
    *to++ = __half2int_rn(x);
    *to++ = __half2int_rz(x);
    *to++ = __half2int_rd(x);
    *to++ = __half2int_ru(x);
    *to++ = bits(__int2half_rn(i * 7919 - 4000000));
    *to++ = bits(hrint(x));
    *to++ = bits(__hmax(x, y)) == bits(__hmax(y, x)) ? bits(__hmax(x, y)) : 0x1234;
    *to++ = bits(__hmin(x, y));
    *to++ = (x == y) | (x != y) << 1 | (x < y) << 2 | (x <= y) << 3 | (x > y) << 4 | (x >= y) << 5 |
            __hne(x, y) << 6 | __hltu(x, y) << 7;
    *to++ = bits(__hadd_sat(x, y));
    *to++ = bits(-x);
}

/* Pairs are read and written whole. */
__global__ void pairs(half2 *out, const half2 *in, half *sum, half2 *sums)
{
    int i = threadIdx.x;
    half2 v = in[i];
    out[i] = __hfma2(v, __float2half2_rn(2.0f), __floats2half2_rn(0.5f, -0.5f));
    atomicAdd(&sum[i % 3], __low2half(v));
    atomicAdd(sums, half2(1, 2));
}

static unsigned next()
{
    static unsigned state = 12345;
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

int main()
{
    static unsigned short host[3][COUNT];
    static float floats[COUNT];
    static unsigned results[COUNT * RESULTS];
    const unsigned short special[] = {0,      0x8000, 1,      0x8001, 0x03ff, 0x0400,
                                      0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x3c00,
                                      0xbc00, 0x3555, 0x0200, 0x7bfe};
    half *a[3];
    float *f;
    unsigned *out;
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < 3; k++) {
            host[k][i] =
                (unsigned short)(i < 256 && k < 2 ? special[k == 0 ? i / 16 : i % 16] : next());
        }
        if (i % 2 == 1 && i >= 256) { /* like exponents, so that sums cancel and products round */
            host[1][i] = host[0][i] & 0xfc00 | next() & 0x83ff;
            host[2][i] = host[0][i] ^ 0x8000 ^ (unsigned short)(next() & 0x7ff);
        }
        floats[i] = (float)((int)next() - (1 << 23)) / (float)(1 << next() % 32) / 64;
    }
    for (int k = 0; k < 3; k++) {
        cudaMalloc(&a[k], sizeof host[k]);
        cudaMemcpy(a[k], host[k], sizeof host[k], cudaMemcpyHostToDevice);
    }
    cudaMalloc(&f, sizeof floats);
    cudaMalloc(&out, sizeof results);
    cudaMemcpy(f, floats, sizeof floats, cudaMemcpyHostToDevice);
    compute<<<COUNT / 128, 128>>>(out, a[0], a[1], a[2], f);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
    for (int i = 0; i < COUNT; i++) {
        printf("%x %x %x %a", host[0][i], host[1][i], host[2][i], floats[i]);
        for (int k = 0; k < RESULTS; k++) {
            printf(" %x", results[i * RESULTS + k]);
        }
        printf("\n");
    }

    half2 in[64], *pair;
    half sums[6], *sum;
    for (int i = 0; i < 64; i++) {
        in[i] = __floats2half2_rn((float)i, (float)-i);
    }
    cudaMalloc(&pair, 2 * sizeof in);
    cudaMalloc(&sum, sizeof sums);
    cudaMemset(sum, 0, sizeof sums);
    cudaMemcpy(pair, in, sizeof in, cudaMemcpyHostToDevice);
    pairs<<<1, 64>>>(pair + 64, pair, sum, (half2 *)(sum + 4));
    cudaMemcpy(in, pair + 64, sizeof in, cudaMemcpyDeviceToHost);
    cudaMemcpy(sums, sum, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++) {
        printf("pair %g %g\n", __low2float(in[i]), __high2float(in[i]));
    }
    printf("sums %g %g %g %g %g\n", (float)sums[0], (float)sums[1], (float)sums[2], (float)sums[4],
           (float)sums[5]);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
