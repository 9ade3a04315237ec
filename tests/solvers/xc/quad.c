/* GCC's __float128 is no part of ISO C, which -Wpedantic says of every line: see CMakeLists.txt. */
#include "solvers/xc/quad.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__SIZEOF_FLOAT128__)

#include <quadmath.h>

typedef __float128 quad;

#define XC_V quad
#define XC_REAL quad
#define XC_K(value) value##Q
#define XC_NAME(name) name
#define XC_BODY static
#define XC_END(body, inputs, outputs, resident)

static quad x_k(quad a)
{
    return a;
}

static quad x_add(quad a, quad b)
{
    return a + b;
}

static quad x_sub(quad a, quad b)
{
    return a - b;
}

static quad x_mul(quad a, quad b)
{
    return a * b;
}

static quad x_neg(quad a)
{
    return -a;
}

static quad x_fma(quad a, quad b, quad c)
{
    return a * b + c;
}

static quad x_fms(quad a, quad b, quad c)
{
    return a * b - c;
}

static quad x_fnma(quad a, quad b, quad c)
{
    return c - a * b;
}

static quad x_rcp(quad a)
{
    return 1 / a;
}

static quad x_rcbrt(quad a)
{
    return 1 / cbrtq(a);
}

static quad x_max(quad a, quad b)
{
    return a > b ? a : b;
}

static quad x_min(quad a, quad b)
{
    return a < b ? a : b;
}

static quad x_step_ge(quad a, quad b)
{
    return a >= b ? 1 : 0;
}

static quad x_step_gt(quad a, quad b)
{
    return a > b ? 1 : 0;
}

static quad x_keep_ge(quad a, quad b, quad c)
{
    return a >= b ? c : 0;
}

static quad x_keep_gt(quad a, quad b, quad c)
{
    return a > b ? c : 0;
}

static quad x_select(quad a, quad b, quad yes, quad no)
{
    return a > b ? yes : no;
}

#define x_c x_k
#define x_sqrt sqrtq
#define x_exp expq
#define x_expm1 expm1q
#define x_log logq
#define x_log1p log1pq
#define x_atan atanq
#define s_pow powq
#define s_sqrt sqrtq
#define s_rcbrt x_rcbrt
#define s_exp expq
#define s_log logq
#define s_atan atanq
#define s_max fmaxq
#define s_min fminq

#include "solvers/xc/generated/bodies.inc"

typedef struct quad_unit {
    void (*prepare)(const quad *p, quad *c);
    void (*body[2][TSL_XC_ORDERS])(const quad *c, const quad *in, quad *out);
} quad_unit;

static const quad_unit units[] = {XC_TABLE};

bool quad_is_there(void)
{
    (void)x_select; /* no unit may need one of these */
    (void)x_min;
    (void)x_step_ge;
    return true;
}

static void evaluate(quad *out, int unit, int polarised, int order, const double *values,
                     const double *in)
{
    quad p[TSL_XC_CONSTANTS];
    quad c[TSL_XC_CONSTANTS];
    quad x[TSL_XC_INPUTS];
    for (int i = 0; i < TSL_XC_CONSTANTS; i++) {
        p[i] = values[i];
    }
    for (int i = 0; i < tsl_xc_inputs(tsl_xc_units[unit]->family, polarised); i++) {
        x[i] = in[i];
    }
    units[unit].prepare(p, c);
    units[unit].body[polarised][order](c, x, out);
}

static int outputs_of(int unit, int polarised, int order)
{
    return tsl_xc_outputs(tsl_xc_inputs(tsl_xc_units[unit]->family, polarised), order);
}

void quad_evaluate(double *out, int unit, int polarised, int order, const double *values,
                   const double *in)
{
    quad y[TSL_XC_OUTPUTS];
    evaluate(y, unit, polarised, order, values, in);
    for (int i = 0; i < outputs_of(unit, polarised, order); i++) {
        out[i] = (double)y[i];
    }
}

void quad_errors(double *errors, const double *got, const double *scale, int unit, int polarised,
                 int order, const double *values, const double *in)
{
    quad y[TSL_XC_OUTPUTS];
    evaluate(y, unit, polarised, order, values, in);
    for (int i = 0; i < outputs_of(unit, polarised, order); i++) {
        const quad size = fabsq(y[i]) > scale[i] ? fabsq(y[i]) : (quad)scale[i];
        errors[i] = (double)(fabsq(got[i] - y[i]) / size);
    }
}

#else

bool quad_is_there(void)
{
    return false;
}

void quad_evaluate(double *out, int unit, int polarised, int order, const double *values,
                   const double *in)
{
    (void)out, (void)unit, (void)polarised, (void)order, (void)values, (void)in;
}

void quad_errors(double *errors, const double *got, const double *scale, int unit, int polarised,
                 int order, const double *values, const double *in)
{
    (void)errors, (void)got, (void)scale;
    (void)unit, (void)polarised, (void)order, (void)values, (void)in;
}

#endif
