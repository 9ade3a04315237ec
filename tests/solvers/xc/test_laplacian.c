/* Functionals of the Laplacian, which are Libxc's alone: the values of direct calls, bit by bit. */
#include <string.h>

#include "solvers/xc/libxc.h"
#include "solvers/xc/points.h"
#include "support/devices.h"

#ifdef TSL_HAVE_LIBXC

#include <xc.h>

enum { COUNT = 201, INPUTS = 9, OUTPUTS = 55, ARRAYS = 15 };

static const points_range range = {{1e-3, 10}, {1e-2, 2}, 1e-2, {1e-1, 5}};

/* Components of rho, sigma, lapl and tau, and of the outputs to second order. */
static const int inputs[2][4] = {{1, 1, 1, 1}, {2, 3, 2, 2}};
static const int outputs[2][ARRAYS] = {{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
                                       {1, 2, 3, 2, 2, 3, 6, 4, 4, 6, 6, 6, 3, 4, 3}};

/* Points, each component's together, with Laplacians of both signs; returns how many components. */
static int make_points(double *in, int polarised)
{
    double rows[COUNT * TSL_XC_INPUTS];
    const int *const widths = inputs[polarised];
    const int width = tsl_xc_inputs(TSL_XC_MGGA, polarised);
    const int before = widths[0] + widths[1];
    const int all = width + widths[2];
    uint64_t seed = 8;
    points_make(rows, COUNT, TSL_XC_MGGA, polarised, &range, 9);
    for (int i = 0; i < COUNT; i++) {
        for (int k = 0; k < all; k++) {
            const int source = k < before ? k : k - widths[2];
            const bool is_laplacian = k >= before && k < before + widths[2];
            const double density = rows[i * width + (is_laplacian ? k - before : 0)];
            in[k * COUNT + i] =
                is_laplacian ? test_uniform(&seed) * 10 * density : rows[i * width + source];
        }
    }
    return all;
}

/* Libxc's outputs at a point, one array after the other. */
static int call(double *out, const xc_func_type *f, const double *in, int point, int polarised)
{
    double x[4][3] = {{0}};
    double y[ARRAYS][6] = {{0}};
    int at = 0, count = 0;
    for (int v = 0; v < 4; v++) {
        for (int k = 0; k < inputs[polarised][v]; k++, at++) {
            x[v][k] = in[at * COUNT + point];
        }
    }
    xc_mgga_exc_vxc_fxc(f, 1, x[0], x[1], x[2], x[3], y[0], y[1], y[2], y[3], y[4], y[5], y[6],
                        y[7], y[8], y[9], y[10], y[11], y[12], y[13], y[14]);
    for (int a = 0; a < ARRAYS; a++) {
        for (int k = 0; k < outputs[polarised][a]; k++) {
            out[count++] = y[a][k];
        }
    }
    return count;
}

static void check(tsl_context *context, const char *name, int polarised)
{
    const tsl_xc_family family = (tsl_xc_family)TSL_XC_LAPLACIAN;
    double in[INPUTS * COUNT];
    double got[OUTPUTS * COUNT] = {0};
    double wanted[OUTPUTS];
    tsl_libxc *libxc = NULL;
    tsl_xc_sum sum;
    xc_func_type f;
    bool is_used = false; /* does the Laplacian change the energy? */
    assert_int_equal(tsl_xc_parse_foreign(&sum, context, name), TSL_OK);
    assert_int_equal(sum.foreign[0].family, family);
    assert_int_equal(tsl_libxc_create(&libxc, context, &sum, polarised, 2), TSL_OK);
    assert_int_equal(xc_func_init(&f, sum.foreign[0].number, 1 + polarised), 0);
    const int width = make_points(in, polarised);
    assert_int_equal(width, tsl_xc_inputs(family, polarised));
    tsl_libxc_add(got, libxc, in, COUNT, family);
    for (int i = 0; i < COUNT; i++) {
        const int count = call(wanted, &f, in, i, polarised);
        assert_int_equal(count, tsl_xc_outputs(width, 2));
        for (int k = 0; k < count; k++) {
            if (got[k * COUNT + i] != wanted[k]) {
                fail_msg("%s, spin %d: output %d of point %d is %.17g, not %.17g", name, polarised,
                         k, i, got[k * COUNT + i], wanted[k]);
            }
        }
        is_used = is_used || wanted[polarised ? 6 : 3] != 0;
    }
    assert_true(is_used);
    xc_func_end(&f);
    tsl_libxc_destroy(libxc);
}

static void values_are_libxcs(void **state)
{
    (void)state;
    static const char *const names[] = {"mgga_x_br89", "mgga_k_pc07"};
    tsl_context *context = test_context("cpu", 2);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        check(context, names[i], 0);
        check(context, names[i], 1);
    }
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_libxcs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else
#include "solvers/xc/without_libxc.inc"
#endif
