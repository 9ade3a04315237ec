/* Energies of two points. */
#ifndef TSL_ENERGY_POINT_H
#define TSL_ENERGY_POINT_H

#include <math.h>
#include <stdalign.h>
#include <stdint.h>

#include "core/point.h"
#include "solvers/pairs/energy/energy.h"
#include "solvers/pairs/neighbors_point.h"

#ifdef __CUDA_ARCH__
TSL_FN float tsl_fused_single(float a, float b, float c)
{
    return fmaf(a, b, c);
}
TSL_FN double tsl_fused_double(double a, double b, double c)
{
    return fma(a, b, c);
}
TSL_FN float tsl_reciprocal_single(float x)
{
    return __fdividef(1.0F, x);
}
TSL_FN float tsl_reciprocal_root_single(float x)
{
    return rsqrtf(x);
}
TSL_FN double tsl_reciprocal_root_double(double x)
{
    return rsqrt(x);
}
#else
TSL_FN float tsl_fused_single(float a, float b, float c)
{
    return a * b + c;
}
TSL_FN double tsl_fused_double(double a, double b, double c)
{
    return a * b + c;
}
TSL_FN float tsl_reciprocal_single(float x)
{
    return 1.0F / x;
}
TSL_FN float tsl_reciprocal_root_single(float x)
{
    return 1.0F / sqrtf(x);
}
TSL_FN double tsl_reciprocal_root_double(double x)
{
    return 1.0 / sqrt(x);
}
#endif
TSL_FN double tsl_reciprocal_double(double x)
{
    return 1.0 / x;
}
TSL_FN int64_t tsl_whole_single(float x)
{
    return (int64_t)llrintf(x);
}
TSL_FN int64_t tsl_whole_double(double x)
{
    return (int64_t)llrint(x);
}

/* Is the pair i < j left out? */
TSL_FN int tsl_is_excluded(const int64_t *first, const int32_t *excluded, int64_t i, int64_t j)
{
    for (int64_t k = first[i]; k < first[i + 1]; k++) {
        if (excluded[k] == j) {
            return 1;
        }
    }
    return 0;
}

#define TSL_TEMPLATE "solvers/pairs/energy/energy_point.inc"
#include "core/both_precisions.inc"

#endif
