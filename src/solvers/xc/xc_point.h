/* Arithmetic of the generated functionals, one point at a time: for `sim` and CUDA. Every operation
 * is written out, fused or not, because the compiler may not fuse.
 *
 * Errors are bounded by tests/solvers/xc/test_math.c; arguments are normal numbers. On a GPU
 * reciprocals are Newton's, which has no branch. */
#ifndef TSL_XC_POINT_H
#define TSL_XC_POINT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/point.h"

#define XC_V double
#define XC_K(value) (value)
#define XC_BODY TSL_FN
#define XC_NAME(name) name

TSL_FN uint64_t tsl_xc_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TSL_FN double tsl_xc_real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TSL_FN double x_k(double a)
{
    return a;
}

TSL_FN double x_c(double a)
{
    return a;
}

TSL_FN double x_add(double a, double b)
{
    return a + b;
}

TSL_FN double x_sub(double a, double b)
{
    return a - b;
}

TSL_FN double x_mul(double a, double b)
{
    return a * b;
}

TSL_FN double x_neg(double a)
{
    return -a;
}

TSL_FN double x_fma(double a, double b, double c)
{
    return fma(a, b, c);
}

TSL_FN double x_fms(double a, double b, double c)
{
    return fma(a, b, -c);
}

TSL_FN double x_fnma(double a, double b, double c)
{
    return fma(-a, b, c);
}

TSL_FN double x_max(double a, double b)
{
    return a > b ? a : b;
}

TSL_FN double x_min(double a, double b)
{
    return a < b ? a : b;
}

TSL_FN double x_step_ge(double a, double b)
{
    return a >= b ? 1.0 : 0.0;
}

TSL_FN double x_step_gt(double a, double b)
{
    return a > b ? 1.0 : 0.0;
}

TSL_FN double x_keep_ge(double a, double b, double c)
{
    return a >= b ? c : 0.0;
}

TSL_FN double x_keep_gt(double a, double b, double c)
{
    return a > b ? c : 0.0;
}

TSL_FN double x_select(double a, double b, double yes, double no)
{
    return a > b ? yes : no;
}

/* 1 / a; on a GPU 0 for |a| >= 2^1022. */
TSL_FN double x_rcp(double a)
{
#ifdef __CUDA_ARCH__
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(a));
    const double e = fma(-a, r, 1.0);
    return fma(r, fma(e, e, e), r);
#else
    return 1.0 / a;
#endif
}

TSL_FN double x_sqrt(double a)
{
    return sqrt(a);
}

/* About a^(-1/3). */
TSL_FN double x_third(double a)
{
#ifdef __CUDA_ARCH__
    const uint32_t high = (uint32_t)(tsl_xc_bits(a) >> 32);
    return tsl_xc_real((uint64_t)(UINT32_C(0x553ef0ff) - high / 3) << 32);
#else /* as vectors do it, to the bit */
    const double high = tsl_xc_real((tsl_xc_bits(a) >> 32) | UINT64_C(0x4330000000000000));
    const double third = (high - 0x1p52) * (1.0 / 3);
    return tsl_xc_real(tsl_xc_bits((1430188287.0 - third) + 0x1p52) << 32);
#endif
}

/* 2^n, n the integer in the last places of 1.5 2^52 + n. */
TSL_FN double x_power_of_two(double shifted)
{
    return tsl_xc_real((tsl_xc_bits(shifted) + 1023) << 52);
}

/* a = m 2^k, m in [sqrt(1/2), sqrt(2)); *inverse = 2^-k. */
TSL_FN double x_mantissa(double a, double *k, double *inverse)
{
    const uint64_t bits = tsl_xc_bits(a);
    const int32_t exponent = ((int32_t)(bits >> 32) - 0x3fe6a09e) >> 20;
    *k = (double)exponent;
    *inverse = tsl_xc_real((uint64_t)(1023 - exponent) << 52);
    return tsl_xc_real(bits - ((uint64_t)(uint32_t)exponent << 52));
}

#define XC_FN TSL_FN
#include "solvers/xc/xc_functions.inc"

#endif
