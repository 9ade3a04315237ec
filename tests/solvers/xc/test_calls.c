/* tesela/xc_libxc.h beside Libxc itself in one program: the same calls, the same values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/xc/points.h"
#include "support/devices.h"
#include "tesela/xc_libxc.h"

#ifdef TSL_HAVE_LIBXC

#include <xc.h>

enum { COUNT = 100, WIDEST = 12 };

static const points_range range = {{1e-4, 10}, {1e-2, 2}, 1e-2, {1e-1, 5}};

/* Inputs of one kind, a point after the other. */
typedef struct inputs {
    double rho[COUNT * 2], sigma[COUNT * 3], lapl[COUNT * 2], tau[COUNT * 2];
} inputs;

static void make(inputs *in, int polarised)
{
    double rows[COUNT * TSL_XC_INPUTS];
    const int width = tsl_xc_inputs(TSL_XC_MGGA, polarised);
    const int densities = polarised ? 2 : 1;
    const int gradients = polarised ? 3 : 1;
    memset(in, 0, sizeof *in);
    points_make(rows, COUNT, TSL_XC_MGGA, polarised, &range, 9);
    for (int i = 0; i < COUNT; i++) {
        const double *x = rows + i * width;
        memcpy(in->rho + i * densities, x, sizeof *x * (size_t)densities);
        memcpy(in->sigma + i * gradients, x + densities, sizeof *x * (size_t)gradients);
        memcpy(in->tau + i * densities, x + densities + gradients, sizeof *x * (size_t)densities);
    }
}

/* To digits that tell one value from another: test_libxc.c has the bounds. */
static void assert_near(const double *a, const double *b, int count, double bound)
{
    double size = 0;
    for (int i = 0; i < count; i++) {
        size = fmax(size, fabs(b[i]));
    }
    for (int i = 0; i < count; i++) {
        assert_true(fabs(a[i] - b[i]) <= bound * size);
    }
}

static void check(const char *name, int nspin)
{
    static inputs in;
    double a[5][COUNT * WIDEST] = {{0}};
    double b[5][COUNT * WIDEST] = {{0}};
    tsl_libxc_func_type *f = tsl_libxc_func_alloc();
    xc_func_type g;
    const int number = tsl_libxc_functional_get_number(name);
    const int polarised = nspin == XC_POLARIZED;
    assert_int_equal(number, xc_functional_get_number(name));
    assert_int_equal(tsl_libxc_func_init(f, number, nspin), 0);
    assert_int_equal(xc_func_init(&g, number, nspin), 0);
    make(&in, polarised);
    switch (g.info->family) {
    case XC_FAMILY_LDA:
        tsl_libxc_lda_exc_vxc_fxc(f, COUNT, in.rho, a[0], a[1], a[2]);
        xc_lda_exc_vxc_fxc(&g, COUNT, in.rho, b[0], b[1], b[2]);
        break;
    case XC_FAMILY_MGGA:
    case XC_FAMILY_HYB_MGGA:
        tsl_libxc_mgga_exc_vxc(f, COUNT, in.rho, in.sigma, in.lapl, in.tau, a[0], a[1], a[2], a[3],
                               a[4]);
        xc_mgga_exc_vxc(&g, COUNT, in.rho, in.sigma, in.lapl, in.tau, b[0], b[1], b[2], b[3], b[4]);
        break;
    default:
        tsl_libxc_gga_exc_vxc(f, COUNT, in.rho, in.sigma, a[0], a[1], a[2]);
        xc_gga_exc_vxc(&g, COUNT, in.rho, in.sigma, b[0], b[1], b[2]);
        tsl_libxc_gga_fxc(f, COUNT, in.rho, in.sigma, a[3], a[4], NULL);
        xc_gga_fxc(&g, COUNT, in.rho, in.sigma, b[3], b[4], a[0]);
        tsl_libxc_gga_exc(f, COUNT, in.rho, in.sigma, a[0]);
        break;
    }
    assert_int_equal(tsl_libxc_status(f), TSL_OK);
    assert_near(a[0], b[0], COUNT, 1e-10);
    assert_near(a[1], b[1], COUNT * (polarised ? 2 : 1), 1e-9);
    assert_near(a[2], b[2], COUNT * (polarised ? 3 : 1), 1e-7);
    assert_near(a[3], b[3], COUNT * (polarised ? 3 : 1), 1e-6);
    assert_near(a[4], b[4], COUNT * (polarised ? 2 : 1), 1e-6);
    tsl_libxc_func_end(f);
    tsl_libxc_func_free(f);
    xc_func_end(&g);
}

static void values_are_libxcs(void **state)
{
    (void)state;
    static const char *const names[] = {
        "lda_x",       "lda_c_vwn", "gga_x_pbe",        "GGA_C_PBE",        "XC_GGA_X_B88",
        "mgga_x_scan", "gga_k_vw",  "hyb_gga_xc_b3lyp", "hyb_gga_xc_wb97x", "mgga_c_bc95"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check(names[i], XC_UNPOLARIZED);
        check(names[i], XC_POLARIZED);
    }
}

static void hybrids_tell_their_exchange(void **state)
{
    (void)state;
    static const char *const names[] = {"hyb_gga_xc_hse06", "hyb_gga_xc_cam_b3lyp",
                                        "hyb_gga_xc_wb97x_v", "hyb_gga_xc_b3lyp"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double a[3];
        double b[3];
        double n[2];
        double m[2] = {0, 0};
        tsl_libxc_func_type f;
        xc_func_type g;
        const int number = xc_functional_get_number(names[i]);
        assert_int_equal(tsl_libxc_func_init(&f, number, XC_UNPOLARIZED), 0);
        assert_int_equal(xc_func_init(&g, number, XC_UNPOLARIZED), 0);
        tsl_libxc_hyb_cam_coef(&f, &a[0], &a[1], &a[2]);
        xc_hyb_cam_coef(&g, &b[0], &b[1], &b[2]);
        tsl_libxc_nlc_coef(&f, &n[0], &n[1]);
        xc_nlc_coef(&g, &m[0], &m[1]);
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(a[k] - b[k]) < 1e-14);
        }
        assert_true(n[0] == m[0] && n[1] == m[1]);
        tsl_libxc_func_end(&f);
        xc_func_end(&g);
    }
}

/* What Libxc ends the program for is an error that can be asked for. */
static void errors_are_kept(void **state)
{
    (void)state;
    double rho[1] = {1};
    double out[1];
    tsl_libxc_func_type f;
    assert_int_equal(tsl_libxc_func_init(&f, 99999, XC_UNPOLARIZED), -1);
    assert_int_equal(tsl_libxc_status(&f), TSL_E_ARG);
    assert_non_null(strstr(tsl_libxc_error(&f), "99999"));
    tsl_libxc_func_end(&f);
    assert_int_equal(tsl_libxc_func_init(&f, 101, XC_UNPOLARIZED), 0);
    tsl_libxc_lda_exc(&f, 1, rho, out); /* of a GGA, whose gradient is missing */
    assert_int_equal(tsl_libxc_status(&f), TSL_E_ARG);
    assert_non_null(strstr(tsl_libxc_error(&f), "sigma"));
    tsl_libxc_func_end(&f);
    assert_int_equal(tsl_libxc_functional_get_number("gga_x_nothing"), -1);
    char *name = tsl_libxc_functional_get_name(402);
    assert_string_equal(name, "hyb_gga_xc_b3lyp");
    free(name);
}

/* Third derivatives, which Debian's Libxc has not: by differences of its second ones. */
static void third_derivatives_are_there(void **state)
{
    (void)state;
    const double rho[1] = {0.7};
    const double step = 1e-5;
    double third[1];
    double second[2];
    tsl_libxc_func_type f;
    xc_func_type g;
    assert_int_equal(tsl_libxc_func_init(&f, 7, XC_UNPOLARIZED), 0);
    assert_int_equal(xc_func_init(&g, 7, XC_UNPOLARIZED), 0);
    tsl_libxc_lda_kxc(&f, 1, rho, third);
    for (int s = 0; s < 2; s++) {
        const double moved[1] = {rho[0] + (s ? step : -step)};
        xc_lda_fxc(&g, 1, moved, &second[s]);
    }
    assert_true(fabs(third[0] - (second[1] - second[0]) / (2 * step)) < 1e-6 * fabs(third[0]));
    tsl_libxc_func_end(&f);
    xc_func_end(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_libxcs),
        cmocka_unit_test(hybrids_tell_their_exchange),
        cmocka_unit_test(errors_are_kept),
        cmocka_unit_test(third_derivatives_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "solvers/xc/without_libxc.inc"
#endif
