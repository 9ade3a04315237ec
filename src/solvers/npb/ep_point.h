/* EP's arithmetic, the same bits on every device: only sums, products, conversions and fma(), which
 * IEEE 754 rounds in one way; nothing is fused that does not say so.
 *
 * A pair (x, y), uniform in the square [-1, 1]^2, is accepted if t = x^2 + y^2 <= 1. Then
 * X = x g(t) and Y = y g(t), g(t) = sqrt(-2 ln t / t), are independent Gaussian deviates
 * (G. Marsaglia's polar method). g is within 3 units in the last place. */
#ifndef TSL_EP_POINT_H
#define TSL_EP_POINT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "blocks/random/random_point.h"
#include "core/point.h"

/* Pairs of a batch, as the benchmark has it, and the square annuli it counts. */
enum { TSL_EP_BATCH_BITS = 16, TSL_EP_BATCH = 1 << TSL_EP_BATCH_BITS, TSL_EP_ANNULI = 10 };

/* The benchmark's seed. */
#define TSL_EP_SEED UINT64_C(271828183)

/* The state before pair `pair` of the stream. */
TSL_FN uint64_t tsl_ep_state(uint64_t pair)
{
    return tsl_random_step(tsl_random_state(TSL_EP_SEED),
                           tsl_random_power(TSL_RANDOM_MULTIPLIER, 2 * pair));
}

TSL_FN uint64_t tsl_ep_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

TSL_FN double tsl_ep_real(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* 1 / d for d in [-9.66, -6.82], within 3e-6: a polynomial and a Newton step, in single precision.
 */
TSL_FN double tsl_ep_inverse(double d)
{
    const float s = (float)d;
    const float c = fmaf(s, fmaf(s, -0.00182598267F, -0.0451527571F), -0.369438978F);
    return (double)fmaf(c, fmaf(-s, c, 1.0F), c);
}

/* 1 / sqrt(2 w) within 8e-7, 0 <= w; finite for 0. Half of the exponent, then two Newton steps
 * whose constants even out their error. */
TSL_FN double tsl_ep_inverse_root(double w)
{
    const float s = (float)w;
    uint32_t bits;
    float y;
    memcpy(&bits, &s, sizeof bits);
    bits = UINT32_C(0x5ef75686) - (bits >> 1);
    memcpy(&y, &bits, sizeof y);
    y = y * fmaf(-s * y, y, 1.50089991F);
    y = y * fmaf(-s * y, y, 1.5000006F);
    return (double)y;
}

/* What does not fit into a GPU's instructions; in a kernel's arguments it costs nothing. */
typedef struct tsl_ep_constants {
    double terms[7]; /* 4 R / z: 8/3 + 8/5 z + …, interpolated at Chebyshev's nodes */
    double ln2;      /* -4 ln 2 2^-20 */
    double large;    /* 2^52 + 1023 2^20 */
} tsl_ep_constants;

#define TSL_EP_CONSTANTS                                                                           \
    {                                                                                              \
        {0x1.5555555555558p+1, 0x1.99999999952e2p+0, 0x1.2492492df148dp+0, 0x1.c71c62e5800a1p-1,   \
         0x1.7462b4ab2ef6bp-1, 0x1.39fe606542ddep-1, 0x1.2b584aae78a57p-1},                        \
            -0x1.62e42fefa39efp-19, 0x1p52 + 0x1.ff8p29                                            \
    }

/* -4 ln t for 0 < t <= 1, within 2 units in the last place.
 *
 * t = 2^e m with m = 1 + f in [sqrt(1/2), sqrt(2)), s = f / (2 + f), z = s^2:
 * ln m = f - s (f - R). With F = -4 f and D = F - 8, s = F / D and -4 ln m = F - s (F + 4 R). */
TSL_FN double tsl_ep_minus_four_log(double t, const tsl_ep_constants *c)
{
    /* the upper half of a number has its exponent */
    const uint32_t upper = (uint32_t)(tsl_ep_bits(t) >> 32);
    const uint32_t exponent = /* (e + 1023) 2^20 */
        (upper + UINT32_C(0x3ff00000) - UINT32_C(0x3fe6a09e)) & UINT32_C(0xfff00000);
    const uint32_t upper4 = upper - exponent + UINT32_C(0x40100000);                  /* of 4 m */
    const double e = tsl_ep_real(UINT64_C(0x4330000000000000) | exponent) - c->large; /* e 2^20 */
    const double f = 4 - tsl_ep_real((uint64_t)upper4 << 32 | (uint32_t)tsl_ep_bits(t));
    const double d = f - 8;
    const double about = tsl_ep_inverse(d);
    const double off = fma(-d, about, 1.0);
    const double s0 = f * about;
    const double s = fma(s0, fma(off, off, off), s0);
    const double z = s * s;
    double p = fma(z, c->terms[6], c->terms[5]);
    p = fma(z, p, c->terms[4]);
    p = fma(z, p, c->terms[3]);
    p = fma(z, p, c->terms[2]);
    p = fma(z, p, c->terms[1]);
    p = fma(z, p, c->terms[0]);
    return fma(e, c->ln2, fma(-s, fma(z, p, f), f));
}

/* g(t): with v = -4 ln t, sqrt(v / 2 t) = v / sqrt(2 v t). 0 for t = 1. */
TSL_FN double tsl_ep_factor(double t, const tsl_ep_constants *c)
{
    const double v = tsl_ep_minus_four_log(t, c);
    const double w = v * t;
    const double y = tsl_ep_inverse_root(w);
    const double off = fma(-w, y * y, 0.5); /* what y lacks, relative */
    return v * fma(y, fma(1.5, off * off, off), y);
}

/* Sums are integers, in units of 2^-43: their order does not matter. Deviates are below 11.2, so a
 * batch's sums stay below 2^63. A sum of `fixed` holds TSL_EP_FIXED_ZERO for each term, modulo
 * 2^64. */
#define TSL_EP_FIXED_BITS 43
#define TSL_EP_FIXED_ZERO UINT64_C(0x4088000000000000) /* 768, whose last place is 2^-43 */

TSL_FN uint64_t tsl_ep_fixed(double value)
{
    return tsl_ep_bits(value + 768);
}

/* Counts of annuli as fields of a word, each good for up to 63 deviates. */
enum { TSL_EP_FIELD_BITS = 6, TSL_EP_FIELD_MOST = 63 };

/* One in the field of l = floor(max(|X|, |Y|)). No pair of the classes is beyond the last annulus;
 * it would count there. */
TSL_FN uint64_t tsl_ep_field(double x, double y)
{
    /* the upper halves alone tell the integer parts; without signs they are in the numbers' order
     */
    const uint32_t ax = (uint32_t)(tsl_ep_bits(x) >> 32) & UINT32_C(0x7fffffff);
    const uint32_t ay = (uint32_t)(tsl_ep_bits(y) >> 32) & UINT32_C(0x7fffffff);
    const int l = (int)tsl_ep_real((uint64_t)(ax > ay ? ax : ay) << 32);
    const uint64_t field = (uint64_t)(l < TSL_EP_ANNULI ? l : TSL_EP_ANNULI - 1);
    return UINT64_C(1) << (field * TSL_EP_FIELD_BITS);
}

TSL_FN int64_t tsl_ep_count_of(uint64_t fields, int annulus)
{
    return (int64_t)(fields >> (TSL_EP_FIELD_BITS * annulus)) & TSL_EP_FIELD_MOST;
}

#endif
