/* Dense matrices on sim and on GPUs against the loops of a build without libraries. */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/dense/dense.h"
#include "blocks/dense/plain.h"

enum { N = 70 };

static void fill(double *a, int64_t count, uint64_t seed)
{
    for (int64_t i = 0; i < count; i++) {
        a[i] = test_uniform(&seed);
    }
}

/* R R^T + 1. */
static void make_positive(double *a, const double *r)
{
    for (int64_t i = 0; i < N * N; i++) {
        a[i] = i % (N + 1) == 0;
        for (int64_t k = 0; k < N; k++) {
            a[i] += r[i / N * N + k] * r[i % N * N + k];
        }
    }
}

static void check_near(const double *a, const double *b, int64_t count, double bound)
{
    for (int64_t i = 0; i < count; i++) {
        assert_true(fabs(a[i] - b[i]) < bound); /* also of not-a-numbers */
    }
}

static void check_product(tsl_context *context, int kind, const double *a, const double *b)
{
    double c[N * N], wanted[N * N];
    fill(c, N * N, 3);
    memcpy(wanted, c, sizeof c);
    tsl_product p = {.transpose_a = kind & 1,
                     .transpose_b = (kind >> 1) & 1,
                     .m = 33,
                     .n = 47,
                     .k = kind & 8 ? 1 : 59,
                     .alpha = -0.7,
                     .a = a,
                     .lda = N,
                     .b = b,
                     .ldb = N,
                     .beta = kind & 4 ? 1.5 : 0,
                     .c = wanted,
                     .ldc = N};
    tsl_plain_multiply(&p);
    double *const pa = test_upload(context, a, 8 * N * N);
    double *const pb = test_upload(context, b, 8 * N * N);
    p.a = pa;
    p.b = pb;
    p.c = test_upload(context, c, 8 * N * N);
    assert_int_equal(context->ops->dense->multiply(context, &p), TSL_OK);
    test_download(context, c, p.c, 8 * N * N);
    check_near(c, wanted, N * N, 1e-12);
    test_release(context, pa);
    test_release(context, pb);
    test_release(context, p.c);
}

static void products_are_right(void **state)
{
    double a[N * N], b[N * N];
    (void)state;
    fill(a, N * N, 1);
    fill(b, N * N, 2);
    for (int d = 1; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (int kind = 0; kind < 16; kind++) {
            check_product(context, kind, a, b);
        }
        tsl_context_destroy(context);
    }
}

/* Values are those of the plain loops; rows are orthonormal eigenvectors. The larger matrix comes
 * second, for which the libraries need more memory. */
static void check_eigen(tsl_context *context, const double *a, int64_t n)
{
    double v[N * N], values[N], own[N * N], wanted[N], work[N * N];
    memcpy(own, a, sizeof own);
    assert_true(tsl_plain_eigen(n, own, wanted, work));
    double *const pv = test_upload(context, a, 8 * n * n);
    double *const pw = test_upload(context, values, 8 * n);
    assert_int_equal(context->ops->dense->eigen(context, n, pv, pw), TSL_OK);
    test_download(context, v, pv, 8 * n * n);
    test_download(context, values, pw, 8 * n);
    check_near(values, wanted, n, 1e-12 * N);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, image = 0;
            for (int64_t k = 0; k < n; k++) {
                dot += v[i * n + k] * v[j * n + k];
                image += a[j * n + k] * v[i * n + k];
            }
            assert_true(fabs(dot - (i == j)) < 1e-12);
            assert_true(fabs(image - values[i] * v[i * n + j]) < 1e-11);
        }
    }
    test_release(context, pv);
    test_release(context, pw);
}

static void eigenvectors_are_right(void **state)
{
    double a[N * N];
    (void)state;
    for (int d = 1; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        for (int64_t n = 20; n <= N; n += N - 20) {
            fill(a, N * N, 7);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = 0; j < i; j++) {
                    a[j * n + i] = a[i * n + j];
                }
            }
            check_eigen(context, a, n);
        }
        tsl_context_destroy(context);
    }
}

static void factors_solve(void **state)
{
    double r[N * N], a[N * N], x[N], b[N];
    (void)state;
    fill(r, N * N, 5);
    fill(b, N, 8);
    for (int d = 1; d < test_device_count(); d++) {
        tsl_context *context = test_context(test_devices[d], 2);
        bool positive = false;
        make_positive(a, r);
        double *const pa = test_upload(context, a, sizeof a);
        double *const px = test_upload(context, b, sizeof b);
        assert_int_equal(context->ops->dense->cholesky(context, N, pa, &positive), TSL_OK);
        assert_true(positive);
        assert_int_equal(context->ops->dense->solve(context, N, pa, px), TSL_OK);
        test_download(context, x, px, sizeof x);
        for (int64_t i = 0; i < N; i++) {
            double sum = -b[i];
            for (int64_t k = 0; k < N; k++) {
                sum += a[i * N + k] * x[k];
            }
            assert_true(fabs(sum) < 1e-11);
        }
        a[N * N - 1] = -1;
        double *const pn = test_upload(context, a, sizeof a);
        assert_int_equal(context->ops->dense->cholesky(context, N, pn, &positive), TSL_OK);
        assert_false(positive);
        test_release(context, pa);
        test_release(context, px);
        test_release(context, pn);
        tsl_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_are_right),
                                       cmocka_unit_test(eigenvectors_are_right),
                                       cmocka_unit_test(factors_solve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
