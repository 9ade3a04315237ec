/* GCC's __float128 is no part of ISO C, which -Wpedantic says of every line: see CMakeLists.txt. */
#include "solvers/xc/quad.h"

#include "solvers/xc/xc_third.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__SIZEOF_FLOAT128__)

#include <quadmath.h>

typedef __float128 quad;

/* ---- functions that quadmath has not --------------------------------------------------------- */

/* W exp W = a > 0, by Newton from above. */
static inline quad lambertw(quad a)
{
    quad w = log1pq(a);
    for (int step = 0; step < 60; step++) {
        const quad e = expq(w);
        const quad change = (w * e - a) / (e * (w + 1));
        w -= change;
        if (fabsq(change) <= 1e-33Q * w) {
            break;
        }
    }
    return w;
}

/* exp(a) E_n(a), n > 1 or n = 1: the continued fraction from a = 2 on, below a series, by which n
 * is 1. */
static inline quad expint(quad n, quad a)
{
    if (a < 2) {
        quad term = 1;
        quad sum = -logq(a) - 0.57721566490153286060651209008240243104215933593992Q;
        for (int k = 1; k < 80; k++) {
            term *= -a / k;
            sum -= term / k;
        }
        return expq(a) * sum;
    }
    quad fraction = a + n + 2 * 400;
    for (int k = 400; k > 0; k--) {
        fraction = a + n + 2 * (k - 1) - k * (n + k - 1) / fraction;
    }
    return 1 / fraction;
}

/* exp(a^2) erfc a, a >= 0 */
static inline quad erfcx(quad a)
{
    if (a < 8) {
        return expq(a * a) * erfcq(a);
    }
    quad fraction = a;
    for (int k = 200; k > 0; k--) {
        fraction = a + k / (2 * fraction);
    }
    return 1 / (fraction * sqrtq(M_PIq));
}

/* ---- numbers, and numbers that carry a derivative -------------------------------------------- */

#define XC_REAL quad
#define XC_K(value) value##Q
#define XC_BODY static
#define XC_END(body, inputs, outputs, resident)
#define s_pow powq
#define s_sqrt sqrtq
#define s_rcbrt(a) (1 / cbrtq(a))
#define s_exp expq
#define s_log logq
#define s_atan atanq
#define s_max fmaxq
#define s_min fminq

typedef struct dual {
    quad v, d;
} dual;

/* Constants are numbers; a body is compiled once, for pairs. */
#define XC_V dual
#define XC_NAME(name) name

static dual of(quad v, quad d)
{
    const dual r = {v, d};
    return r;
}

#define x_c x_k
static inline dual x_k(quad a)
{
    return of(a, 0);
}

static inline dual x_add(dual a, dual b)
{
    return of(a.v + b.v, a.d + b.d);
}

static inline dual x_sub(dual a, dual b)
{
    return of(a.v - b.v, a.d - b.d);
}

static inline dual x_neg(dual a)
{
    return of(-a.v, -a.d);
}

static inline dual x_mul(dual a, dual b)
{
    const quad product = a.v * b.v;
    return of(product, a.d != 0 || b.d != 0 ? a.v * b.d + a.d * b.v : 0);
}

static inline dual x_fma(dual a, dual b, dual c)
{
    return x_add(x_mul(a, b), c);
}

static inline dual x_fms(dual a, dual b, dual c)
{
    return x_sub(x_mul(a, b), c);
}

static inline dual x_fnma(dual a, dual b, dual c)
{
    return x_sub(c, x_mul(a, b));
}

static inline dual x_max(dual a, dual b)
{
    return a.v > b.v ? a : b;
}

static inline dual x_min(dual a, dual b)
{
    return a.v < b.v ? a : b;
}

static inline dual x_step_ge(dual a, dual b)
{
    return of(a.v >= b.v ? 1 : 0, 0);
}

static inline dual x_step_gt(dual a, dual b)
{
    return of(a.v > b.v ? 1 : 0, 0);
}

static inline dual x_keep_ge(dual a, dual b, dual c)
{
    return a.v >= b.v ? c : of(0, 0);
}

static inline dual x_keep_gt(dual a, dual b, dual c)
{
    return a.v > b.v ? c : of(0, 0);
}

static inline dual x_select(dual a, dual b, dual yes, dual no)
{
    return a.v > b.v ? yes : no;
}

/* A function and its derivative. */
#define FUNCTION(name, value, slope)                                                               \
    static inline dual x_##name(dual a)                                                            \
    {                                                                                              \
        const quad r = value;                                                                      \
        return of(r, a.d == 0 ? 0 : a.d * (slope));                                                \
    }
FUNCTION(rcp, 1 / a.v, -r *r)
FUNCTION(sqrt, sqrtq(a.v), 1 / (2 * r))
FUNCTION(rcbrt, 1 / cbrtq(a.v), -r / (3 * a.v))
FUNCTION(exp, expq(a.v), r)
FUNCTION(expm1, expm1q(a.v), r + 1)
FUNCTION(log, logq(a.v), 1 / a.v)
FUNCTION(log1p, log1pq(a.v), 1 / (1 + a.v))
FUNCTION(atan, atanq(a.v), 1 / (1 + a.v * a.v))
FUNCTION(lambertw, lambertw(a.v), r / (a.v * (1 + r)))
FUNCTION(erfcx, erfcx(a.v), 2 * a.v * r - 2 / sqrtq(M_PIq))
FUNCTION(expint, expint(1, a.v), r - 1 / a.v)
FUNCTION(expint4, expint(4, a.v), r - (1 - 3 * r) / a.v)
FUNCTION(expint72, expint(3.5Q, a.v), r - (1 - 2.5Q * r) / a.v)

#include "solvers/xc/generated/bodies.inc"

typedef struct quad_unit {
    void (*prepare)(const quad *p, quad *c);
    void (*body[2])(const quad *c, const dual *in, dual *out); /* of second order */
} quad_unit;

static const quad_unit units[] = {XC_TABLE};

bool quad_is_there(void)
{
    return true;
}

/* Third derivatives: run the body of second order once for each input. */
static void evaluate_third(double *out, int unit, int polarised, const quad *c, dual *x, int inputs)
{
    tsl_xc_triple triples[TSL_XC_TRIPLES];
    dual y[TSL_XC_OUTPUTS];
    const int count = tsl_xc_list_triples(triples, inputs);
    const int lower = tsl_xc_outputs(inputs, 2);
    for (int by = 0; by < inputs; by++) {
        x[by].d = 1;
        units[unit].body[polarised](c, x, y);
        x[by].d = 0;
        for (int t = 0; t < count; t++) {
            if (triples[t].input == by) {
                out[lower + t] = (double)y[1 + inputs + triples[t].pair].d;
            }
        }
    }
}

void quad_evaluate(double *out, int unit, int polarised, int order, const double *values,
                   const double *in)
{
    quad p[TSL_XC_CONSTANTS];
    quad c[TSL_XC_CONSTANTS];
    dual x[TSL_XC_INPUTS];
    dual y[TSL_XC_OUTPUTS];
    const int inputs = tsl_xc_inputs(tsl_xc_units[unit]->family, polarised);
    for (int i = 0; i < TSL_XC_CONSTANTS; i++) {
        p[i] = values[i];
    }
    for (int i = 0; i < inputs; i++) {
        x[i] = of(in[i], 0);
    }
    units[unit].prepare(p, c);
    units[unit].body[polarised](c, x, y);
    for (int i = 0; i < tsl_xc_outputs(inputs, order < 2 ? order : 2); i++) {
        out[i] = (double)y[i].v;
    }
    if (order > 2) {
        evaluate_third(out, unit, polarised, c, x, inputs);
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

#endif
