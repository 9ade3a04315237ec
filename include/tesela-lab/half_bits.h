/* Numbers of half precision (IEEE 754 binary16) as their bits: plain C, for the headers and for the
 * runtime. Compilers of today have no such type for every processor. */
#ifndef TESELA_LAB_HALF_BITS_H
#define TESELA_LAB_HALF_BITS_H

#include <stdint.h>

#include "tesela_lab.h"

#ifdef __cplusplus
#define TSL_LAB_BITS TSL_LAB_BOTH inline
#else
#define TSL_LAB_BITS static inline
#endif

/* Bits of the half nearest to x, ties to even; 0x7fff where x is not a number. */
TSL_LAB_BITS uint16_t tsl_lab_half_of(double x)
{
    uint64_t bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 48 & 0x8000);
    const double size = __builtin_fabs(x);
    if (x != x) {
        return 0x7fff;
    }
    if (size >= 65520) { /* half-way from the largest, 65504, to the next power of two */
        return (uint16_t)(sign | 0x7c00);
    }
    if (size < 0x1p-14) { /* multiples of 2^-24 */
        return (uint16_t)(sign | (uint16_t)__builtin_rint(size * 0x1p24));
    }
    bits &= INT64_MAX;
    bits += (((uint64_t)1 << 41) - 1) + (bits >> 42 & 1); /* 10 of 52 bits are kept */
    return (uint16_t)(sign | (uint16_t)((bits >> 42) - ((uint64_t)(1023 - 15) << 10)));
}

/* The value of a half, which every float holds; of what is not a number the float 0x7fffffff. */
TSL_LAB_BITS float tsl_lab_half_value(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16;
    const uint32_t exponent = half >> 10 & 31;
    const uint32_t fraction = half & 1023;
    float value;
    uint32_t bits;
    if (exponent == 0) {
        value = (float)fraction * 0x1p-24f;
        __builtin_memcpy(&bits, &value, sizeof bits);
    } else {
        bits = (exponent == 31 ? 255 : exponent + 127 - 15) << 23 | fraction << 13;
    }
    bits = exponent == 31 && fraction != 0 ? 0x7fffffff : bits | sign;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
