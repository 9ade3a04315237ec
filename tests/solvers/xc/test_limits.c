/* What functionals are known to fulfil exactly: the uniform gas where there is no gradient, scaling
 * of exchange and kinetic energy by spin and by coordinates, bounds, and one electron. */
#include <math.h>
#include <string.h>

#include "solvers/xc/points.h"
#include "support/devices.h"

enum { COUNT = 2000 };

static const double pi = 3.14159265358979323846;
static const points_range wide = {{1e-5, 1e3}, {1e-3, 30}, 1e-3, {1e-3, 30}};

/* exc of a functional at points of all inputs of a meta-GGA, those that it does not need left out.
 */
static void evaluate(double *exc, tsl_context *context, const char *name, const double *in,
                     int polarised)
{
    const int all = tsl_xc_inputs(TSL_XC_MGGA, polarised);
    tsl_xc_options options = TSL_XC_OPTIONS_INIT;
    tsl_xc_description about = {.size = sizeof about};
    tsl_xc_plan *plan = NULL;
    double rows[COUNT * TSL_XC_INPUTS];
    options.polarised = polarised;
    options.order = 0;
    options.layout = TSL_XC_BY_POINT;
    if (tsl_xc_plan_create(&plan, context, name, &options) != TSL_OK) {
        fail_msg("%s", tsl_last_error(context));
    }
    assert_int_equal(tsl_xc_plan_describe(plan, &about), TSL_OK);
    const int inputs = tsl_xc_inputs(about.family, polarised);
    for (int i = 0; i < COUNT; i++) {
        memcpy(rows + i * inputs, in + i * all, sizeof *in * (size_t)inputs);
    }
    assert_int_equal(points_evaluate(exc, plan, context, rows, COUNT, about.family, polarised, 0),
                     TSL_OK);
    tsl_xc_plan_destroy(plan);
}

/* Is a functional of this build? */
static bool is_there(const char *name)
{
    const char *one;
    for (int i = 0; (one = tsl_xc_name(i, NULL)) != NULL; i++) {
        if (strcmp(one, name) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_in(const char *name, const char *const *list)
{
    for (; *list != NULL; list++) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

static bool begins(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

static double uniform_exchange(double n)
{
    return -0.75 * cbrt(3 * n / pi);
}

static double uniform_kinetic(double n)
{
    return 0.3 * pow(3 * pi * pi, 2.0 / 3) * pow(n, 2.0 / 3);
}

/* Per electron, of two spins by the closed shell's. */
static double by_spin(double (*closed)(double), const double *rho)
{
    return (rho[0] * closed(2 * rho[0]) + rho[1] * closed(2 * rho[1])) / (rho[0] + rho[1]);
}

/* ---- the uniform gas ------------------------------------------------------------------------ */

/* Those of another gas: fitted; of short range; whose tau of the gas is raised; of one orbital. */
static const char *const other_gas[] = {"gga_x_optx",   "gga_x_ityh", "gga_x_wpbeh",
                                        "mgga_x_rscan", "gga_k_vw",   NULL};

typedef struct limit {
    const char *name, *gas;
} limit;

static const limit correlation[] = {
    {"gga_c_pbe", "lda_c_pw_mod"},    {"gga_c_pbe_sol", "lda_c_pw_mod"},
    {"gga_c_am05", "lda_c_pw_mod"},   {"gga_c_pw91", "lda_c_pw"},
    {"gga_c_p86", "lda_c_pz"},        {"mgga_c_tpss", "lda_c_pw_mod"},
    {"mgga_c_scan", "lda_c_pw_mod"},  {"mgga_c_revtpss", "lda_c_pw_mod"},
    {"mgga_c_r2scan", "lda_c_pw_mod"}};

/* Densities with no gradient and the kinetic energy density of the uniform gas. */
static void make_gas(double *in)
{
    points_make(in, COUNT, TSL_XC_MGGA, 1, &wide, 3);
    for (int i = 0; i < COUNT; i++) {
        double *const x = in + 7 * i;
        x[2] = x[3] = x[4] = 0;
        for (int s = 0; s < 2; s++) {
            x[5 + s] = x[s] * uniform_kinetic(2 * x[s]);
        }
    }
}

static void check_gas(tsl_context *context, const char *name, const double *wanted,
                      const double *in)
{
    double got[COUNT];
    evaluate(got, context, name, in, 1);
    for (int i = 0; i < COUNT; i++) {
        const double size =
            fmax(fabs(wanted[i]), fabs(uniform_exchange(in[7 * i] + in[7 * i + 1])));
        if (!(fabs(got[i] - wanted[i]) <= 1e-11 * size)) {
            fail_msg("%s at rho %g %g: %.17g, of the uniform gas %.17g", name, in[7 * i],
                     in[7 * i + 1], got[i], wanted[i]);
        }
    }
}

static void without_a_gradient_they_are_the_uniform_gas(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double in[COUNT * 7];
    double exchange[COUNT], kinetic[COUNT], gas[COUNT];
    const char *name;
    int checked = 0;
    make_gas(in);
    for (int i = 0; i < COUNT; i++) {
        exchange[i] = by_spin(uniform_exchange, in + 7 * i);
        kinetic[i] = by_spin(uniform_kinetic, in + 7 * i);
    }
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        const bool is_exchange =
            begins(name, "lda_x") || begins(name, "gga_x_") || begins(name, "mgga_x_");
        if ((is_exchange || begins(name, "gga_k_") || begins(name, "lda_k_")) &&
            !is_in(name, other_gas)) {
            check_gas(context, name, is_exchange ? exchange : kinetic, in);
            checked++;
        }
    }
    for (size_t i = 0; i < sizeof correlation / sizeof *correlation; i++) {
        if (is_there(correlation[i].name) && is_there(correlation[i].gas)) {
            evaluate(gas, context, correlation[i].gas, in, 1);
            check_gas(context, correlation[i].name, gas, in);
            checked++;
        }
    }
    print_message("%d functionals\n", checked);
    tsl_context_destroy(context);
}

/* ---- scaling -------------------------------------------------------------------------------- */

/* Of two spins e(a, b) n = (e(2 a, 0) 2 n_a + e(2 b, 0) 2 n_b) / 2, e that of closed shells. */
static void check_spins(tsl_context *context, const char *name)
{
    double in[COUNT * 7], closed[COUNT * 3];
    double got[COUNT], wanted[2][COUNT];
    points_make(in, COUNT, TSL_XC_MGGA, 1, &wide, 4);
    evaluate(got, context, name, in, 1);
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < COUNT; i++) {
            closed[3 * i] = 2 * in[7 * i + s];
            closed[3 * i + 1] = 4 * in[7 * i + 2 + 2 * s];
            closed[3 * i + 2] = 2 * in[7 * i + 5 + s];
        }
        evaluate(wanted[s], context, name, closed, 0);
    }
    for (int i = 0; i < COUNT; i++) {
        const double *const n = in + 7 * i;
        const double sum = (n[0] * wanted[0][i] + n[1] * wanted[1][i]) / (n[0] + n[1]);
        if (!(fabs(got[i] - sum) <= 1e-12 * fabs(sum))) {
            fail_msg("%s at rho %g %g: %.17g of two spins, %.17g of closed shells", name, n[0],
                     n[1], got[i], sum);
        }
    }
}

/* Of closed shells e(g^3 n, g^8 sigma, g^5 tau) = g^power e(n, sigma, tau). */
static void check_coordinates(tsl_context *context, const char *name, double power)
{
    const double g = 3;
    double in[COUNT * 3], got[COUNT], wanted[COUNT];
    points_make(in, COUNT, TSL_XC_MGGA, 0, &wide, 5);
    evaluate(wanted, context, name, in, 0);
    for (int i = 0; i < COUNT; i++) {
        in[3 * i] *= pow(g, 3);
        in[3 * i + 1] *= pow(g, 8);
        in[3 * i + 2] *= pow(g, 5);
    }
    evaluate(got, context, name, in, 0);
    for (int i = 0; i < COUNT; i++) {
        const double scaled = pow(g, power) * wanted[i];
        if (!(fabs(got[i] - scaled) <= 1e-10 * fabs(scaled))) {
            fail_msg("%s at rho %g: %.17g, scaled %.17g", name, in[3 * i], got[i], scaled);
        }
    }
}

/* A length of their own: of attenuated exchange, and of rSCAN, whose tau of the gas is raised. */
static const char *const lengths[] = {"gga_x_ityh", "gga_x_wpbeh", "mgga_x_rscan", NULL};

static void exchange_and_kinetic_energies_scale(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    const char *name;
    for (int i = 0; (name = tsl_xc_name(i, NULL)) != NULL; i++) {
        const bool is_kinetic = begins(name, "gga_k_") || begins(name, "lda_k_");
        if (!is_kinetic && !begins(name, "lda_x") && !begins(name, "gga_x_") &&
            !begins(name, "mgga_x_")) {
            continue;
        }
        check_spins(context, name);
        if (!is_in(name, lengths)) {
            check_coordinates(context, name, is_kinetic ? 2 : 1);
        }
    }
    tsl_context_destroy(context);
}

/* ---- bounds, and one electron --------------------------------------------------------------- */

/* Exchange made to keep Lieb and Oxford's bound, at most 1.804 times that of the uniform gas. */
static const char *const bounded[] = {
    "gga_x_pbe",      "gga_x_pbe_sol", "gga_x_rpbe",  "gga_x_pw91",    "gga_x_wc", "mgga_x_tpss",
    "mgga_x_revtpss", "mgga_x_ms2",    "mgga_x_scan", "mgga_x_r2scan", NULL};

/* Correlation that is never above 0. */
static const char *const negative[] = {"lda_c_pw",      "lda_c_vwn",     "gga_c_pbe",
                                       "gga_c_pbe_sol", "mgga_c_tpss",   "mgga_c_revtpss",
                                       "mgga_c_scan",   "mgga_c_r2scan", NULL};

static void bounds_are_kept(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    double closed[COUNT * 3], spins[COUNT * 7], exc[COUNT];
    points_make(closed, COUNT, TSL_XC_MGGA, 0, &wide, 6);
    points_make(spins, COUNT, TSL_XC_MGGA, 1, &wide, 6);
    for (int k = 0; bounded[k] != NULL; k++) {
        if (is_there(bounded[k])) {
            evaluate(exc, context, bounded[k], closed, 0);
            for (int i = 0; i < COUNT; i++) {
                const double factor = exc[i] / uniform_exchange(closed[3 * i]);
                assert_true(factor >= 0 && factor <= 1.804 * (1 + 1e-14));
            }
        }
    }
    for (int k = 0; negative[k] != NULL; k++) {
        if (is_there(negative[k])) {
            evaluate(exc, context, negative[k], spins, 1);
            for (int i = 0; i < COUNT; i++) {
                assert_true(exc[i] <= 0);
            }
        }
    }
    tsl_context_destroy(context);
}

/* Correlation that one electron has none of: all of one spin, and tau that of one orbital. The
 * other spin's density is at its threshold. */
static const char *const single[] = {
    "gga_c_lyp",   "mgga_c_bc95",   "mgga_c_tpss", "mgga_c_revtpss",
    "mgga_c_scan", "mgga_c_r2scan", NULL};

static void one_electron_has_no_correlation(void **state)
{
    (void)state;
    const points_range dense = {{1e-2, 10}, {1e-2, 3}, 1, {1, 10}};
    tsl_context *context = test_context("cpu", 1);
    double in[COUNT * 7], exc[COUNT];
    points_make(in, COUNT, TSL_XC_MGGA, 1, &dense, 7);
    for (int i = 0; i < COUNT; i++) {
        double *const x = in + 7 * i;
        x[1] = x[3] = x[4] = x[6] = 0;
        x[5] = x[2] / (8 * x[0]);
    }
    for (int k = 0; single[k] != NULL; k++) {
        if (is_there(single[k])) {
            evaluate(exc, context, single[k], in, 1);
            for (int i = 0; i < COUNT; i++) {
                if (!(fabs(exc[i]) <= 1e-8 * fabs(uniform_exchange(in[7 * i])))) {
                    fail_msg("%s at rho %g: %g", single[k], in[7 * i], exc[i]);
                }
            }
        }
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_gradient_they_are_the_uniform_gas),
        cmocka_unit_test(exchange_and_kinetic_energies_scale),
        cmocka_unit_test(bounds_are_kept),
        cmocka_unit_test(one_electron_has_no_correlation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
