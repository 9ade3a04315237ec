/* Elementary functions of the generated code, for one point and on vectors of each instruction set,
 * against the C library's in long double: errors in units of the last place of the result. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "solvers/xc/xc_cpu.h"
#include "support/devices.h"

enum { COUNT = 20000, FUNCTIONS = 13 };

typedef double real_function(double);

/* ---- one point ------------------------------------------------------------------------------ */

/* Each function has a C function of its own here, since the headers for vectors redefine the
 * names. */
#define XC_ONE(name) static double one_##name(double a)
#include "solvers/xc/xc_point.h"

XC_ONE(rcp)
{
    return x_rcp(a);
}

XC_ONE(rcbrt)
{
    return x_rcbrt(a);
}

XC_ONE(exp)
{
    return x_exp(a);
}

XC_ONE(expm1)
{
    return x_expm1(a);
}

XC_ONE(log)
{
    return x_log(a);
}

XC_ONE(log1p)
{
    return x_log1p(a);
}

XC_ONE(atan)
{
    return x_atan(a);
}

XC_ONE(sqrt)
{
    return x_sqrt(a);
}

XC_ONE(lambertw)
{
    return x_lambertw(a);
}

XC_ONE(erfcx)
{
    return x_erfcx(a);
}

XC_ONE(expint)
{
    return x_expint(a);
}

XC_ONE(expint4)
{
    return x_expint4(a);
}

XC_ONE(expint72)
{
    return x_expint72(a);
}

static real_function *const points[FUNCTIONS] = {
    one_rcp,  one_rcbrt,    one_exp,   one_expm1,  one_log,     one_log1p,   one_atan,
    one_sqrt, one_lambertw, one_erfcx, one_expint, one_expint4, one_expint72};

/* ---- vectors -------------------------------------------------------------------------------- */

#undef XC_V
#undef XC_K
#undef XC_BODY
#undef XC_NAME
#undef XC_FN

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define XC_HAS_LEVELS 1
#include <immintrin.h>
#endif

#define XC_PASTE_(a, b) a##b
#define XC_PASTE(a, b) XC_PASTE_(a, b)
#define XC_W 2
#define XC_LEVEL 0
#define XC_NAME(name) XC_PASTE(name, _base)
#include "solvers/xc/xc_vector.inc"

#include "solvers/xc/math_level.inc"

#include "solvers/xc/xc_vector_end.inc"
#undef XC_LEVEL

#ifdef XC_HAS_LEVELS
#pragma GCC push_options
#pragma GCC target("arch=x86-64-v3")
#define XC_W 2
#define XC_LEVEL 3
#define XC_NAME(name) XC_PASTE(name, _v3)
#include "solvers/xc/xc_vector.inc"

#include "solvers/xc/math_level.inc"

#include "solvers/xc/xc_vector_end.inc"
#undef XC_LEVEL
#pragma GCC pop_options

#pragma GCC push_options
#pragma GCC target("arch=x86-64-v4")
#define XC_W 2
#define XC_LEVEL 4
#define XC_NAME(name) XC_PASTE(name, _v4)
#include "solvers/xc/xc_vector.inc"

#include "solvers/xc/math_level.inc"

#include "solvers/xc/xc_vector_end.inc"
#undef XC_LEVEL
#pragma GCC pop_options
#endif

typedef void vector_function(double *out, const double *in, int count, int function);

static vector_function *const levels[TSL_XC_LEVELS] = {apply_base,
#ifdef XC_HAS_LEVELS
                                                       apply_v3, apply_v4
#endif
};

/* ---- what they should be -------------------------------------------------------------------- */

static long double exact_rcp(long double a)
{
    return 1 / a;
}

static long double exact_rcbrt(long double a)
{
    return 1 / cbrtl(a);
}

/* W exp W = a > 0, by Newton from above. */
static long double exact_lambertw(long double a)
{
    long double w = log1pl(a);
    for (int step = 0; step < 60; step++) {
        const long double e = expl(w);
        w -= (w * e - a) / (e * (w + 1));
    }
    return w;
}

/* exp(a) E_n(a) by its continued fraction, a >= 1. */
static long double fraction_of(long double n, long double a)
{
    long double fraction = a + n + 800;
    for (int k = 400; k > 0; k--) {
        fraction = a + n + 2 * (k - 1) - (long double)k * (n + k - 1) / fraction;
    }
    return 1 / fraction;
}

static long double exact_expint(long double a)
{
    if (a >= 1) {
        return fraction_of(1, a);
    }
    long double term = 1;
    long double sum = -logl(a) - 0.57721566490153286060651209L;
    for (int k = 1; k < 40; k++) {
        term *= -a / k;
        sum -= term / k;
    }
    return expl(a) * sum;
}

static long double exact_expint4(long double a)
{
    return fraction_of(4, a);
}

static long double exact_expint72(long double a)
{
    return fraction_of(3.5L, a);
}

/* exp(a^2) erfc a. Below 5 it is computed as the product, whose exponent is rounded by 2^-59 there,
 * and from 5 on by its continued fraction. */
static long double exact_erfcx(long double a)
{
    if (a < 5) {
        return expl(a * a) * erfcl(a);
    }
    long double fraction = a;
    for (int k = 100; k > 0; k--) {
        fraction = a + k / (2 * fraction);
    }
    return 1 / (fraction * 1.77245385090551602729816748L);
}

typedef struct function_row {
    const char *name;
    long double (*exact)(long double);
    double low, high; /* of |argument|, log-uniform */
    bool negative;    /* arguments of both signs, those of log1p above -1 */
    double bound;     /* units in the last place */
} function_row;

static const function_row rows[FUNCTIONS] = {
    {"rcp", exact_rcp, 1e-300, 1e300, true, 1},
    {"rcbrt", exact_rcbrt, 1e-300, 1e300, false, 2},
    {"exp", expl, 1e-10, 700, true, 2},
    {"expm1", expm1l, 1e-300, 700, true, 2.5},
    {"log", logl, 1e-300, 1e300, false, 2},
    {"log1p", log1pl, 1e-300, 1e300, true, 2},
    {"atan", atanl, 1e-300, 1e300, false, 3},
    {"sqrt", sqrtl, 1e-300, 1e300, false, 1},
    {"lambertw", exact_lambertw, 1e-100, 1e100, false, 8},
    {"erfcx", exact_erfcx, 1e-300, 1e100, false, 6},
    {"expint", exact_expint, 1e-100, 1e100, false, 8},
    {"expint4", exact_expint4, 4, 1e100, false, 4},
    {"expint72", exact_expint72, 4, 1e100, false, 4},
};

static double argument(const function_row *row, uint64_t *seed)
{
    const double part = 0.5 * (test_uniform(seed) + 1);
    double a = exp(log(row->low) + part * (log(row->high) - log(row->low)));
    if (test_uniform(seed) < 0) { /* half of them of ordinary size */
        a = fmin(fmax(5 * part, row->low), row->high);
    }
    if (row->negative && test_uniform(seed) < 0) {
        a = strcmp(row->name, "log1p") != 0 ? -a : a < 1 ? -a : -part;
    }
    return a;
}

static double ulps(double got, long double wanted)
{
    const double size = fabs((double)wanted);
    const double ulp = fmax(nextafter(size, INFINITY) - size, DBL_MIN);
    return (double)(fabsl((long double)got - wanted) / (long double)ulp);
}

static void check(const char *where, int f, const double *in, const double *out)
{
    double worst = 0;
    for (int i = 0; i < COUNT; i++) {
        const double error = ulps(out[i], rows[f].exact((long double)in[i]));
        worst = error <= worst ? worst : error;
        if (!(error <= rows[f].bound)) {
            fail_msg("%s, %s of %.17g: %.17g, off by %.2f", where, rows[f].name, in[i], out[i],
                     error);
        }
    }
    print_message("%s %s: %.2f ulp\n", where, rows[f].name, worst);
}

static void functions_are_within_their_bounds(void **state)
{
    (void)state;
    static const char *const names[TSL_XC_LEVELS] = {"baseline", "x86-64-v3", "x86-64-v4"};
    static double in[COUNT];
    static double out[COUNT];
    for (int f = 0; f < FUNCTIONS; f++) {
        uint64_t seed = 17;
        for (int i = 0; i < COUNT; i++) {
            in[i] = argument(&rows[f], &seed);
            out[i] = points[f](in[i]);
        }
        check("a point", f, in, out);
        for (int l = 0; l <= (int)tsl_xc_level_now() && levels[l] != NULL; l++) {
            levels[l](out, in, COUNT, f);
            check(names[l], f, in, out);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
