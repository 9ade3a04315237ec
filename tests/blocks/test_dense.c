/* Dense matrices against plain loops, by the build's library and by the loops that stand in for it.
 */
#include "support/devices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks/dense/dense.h"
#include "blocks/dense/plain.h"
#include "core/context.h"

enum { MOST = 300 };

static double *random_matrix(int64_t count, uint64_t seed)
{
    double *a = malloc((size_t)(count + 1) * sizeof *a);
    assert_non_null(a);
    for (int64_t i = 0; i < count; i++) {
        a[i] = test_uniform(&seed);
    }
    return a;
}

/* A symmetric matrix whose eigenvalues are of all sizes between -1 and 1, two of them equal. */
static double *symmetric(int64_t n, uint64_t seed)
{
    double *a = random_matrix(n * n, seed);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < i; j++) {
            a[j * n + i] = a[i * n + j];
        }
    }
    return a;
}

static double element(const double *a, int64_t ld, bool transpose, int64_t i, int64_t j)
{
    return transpose ? a[j * ld + i] : a[i * ld + j];
}

static const struct {
    int64_t m, n, k;
} shapes[] = {{1, 1, 1},   {3, 17, 5}, {64, 64, 64}, {65, 16, 257}, {130, 33, 300},
              {4, 300, 1}, {0, 5, 3},  {5, 0, 3},    {7, 9, 0}};

static void check_product(tsl_context *context, const tsl_product *wanted, int which)
{
    const tsl_product *p = wanted;
    double *c = random_matrix(MOST * MOST, 3), *before = random_matrix(MOST * MOST, 3);
    tsl_product own = *p;
    own.c = c;
    if (p->beta == 0) {
        for (int64_t i = 0; i < p->m; i++) {
            for (int64_t j = 0; j < p->n; j++) {
                c[i * p->ldc + j] = NAN; /* is not read */
            }
        }
    }
    if (which == 0) {
        assert_int_equal(context->ops->dense->multiply(context, &own), TSL_OK);
    } else if (which == 1) {
        tsl_dense_multiply(&own);
    } else {
        tsl_plain_multiply(&own);
    }
    for (int64_t i = 0; i < MOST; i++) {
        for (int64_t j = 0; j < p->ldc && i * p->ldc + j < MOST * MOST; j++) {
            double sum = before[i * p->ldc + j];
            if (i < p->m && j < p->n) {
                sum = p->beta == 0 ? 0 : p->beta * sum;
                for (int64_t k = 0; k < p->k; k++) {
                    sum += p->alpha * element(p->a, p->lda, p->transpose_a, i, k) *
                           element(p->b, p->ldb, p->transpose_b, k, j);
                }
            }
            assert_true(fabs(c[i * p->ldc + j] - sum) < 1e-12); /* others are not written */
        }
    }
    free(c);
    free(before);
}

static void products_are_right(void **state)
{
    double *a = random_matrix(MOST * MOST, 1), *b = random_matrix(MOST * MOST, 2);
    (void)state;
    tsl_context *context = test_context("cpu", 3);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (int kind = 0; kind < 24; kind++) {
            const tsl_product p = {.transpose_a = kind & 1,
                                   .transpose_b = (kind >> 1) & 1,
                                   .m = shapes[s].m,
                                   .n = shapes[s].n,
                                   .k = shapes[s].k,
                                   .alpha = -0.7,
                                   .a = a,
                                   .lda = MOST,
                                   .b = b,
                                   .ldb = MOST,
                                   .beta = (kind >> 2) & 1 ? 1.5 : 0,
                                   .ldc = MOST};
            check_product(context, &p, kind / 8);
        }
    }
    tsl_context_destroy(context);
    free(a);
    free(b);
}

static void threads_give_the_same_bits(void **state)
{
    const int64_t n = 200;
    double *a = random_matrix(n * n, 1), *b = random_matrix(n * n, 2), *c[2];
    (void)state;
    for (int t = 0; t < 2; t++) {
        tsl_context *context = test_context("cpu", 1 + 2 * t);
        c[t] = random_matrix(n * n, 3);
        const tsl_product p = {.m = n,
                               .n = n,
                               .k = n,
                               .alpha = 1,
                               .a = a,
                               .lda = n,
                               .b = b,
                               .ldb = n,
                               .c = c[t],
                               .ldc = n};
        assert_int_equal(context->ops->dense->multiply(context, &p), TSL_OK);
        tsl_context_destroy(context);
    }
    assert_memory_equal(c[0], c[1], (size_t)(n * n) * sizeof(double));
    free(a);
    free(b);
    free(c[0]);
    free(c[1]);
}

/* Rows of v are orthonormal, and A v = lambda v. */
static void check_eigen(const double *a, const double *v, const double *values, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        assert_true(i == 0 || values[i - 1] <= values[i]);
        for (int64_t j = 0; j < n; j++) {
            double dot = 0, image = 0;
            for (int64_t k = 0; k < n; k++) {
                dot += v[i * n + k] * v[j * n + k];
                image += a[j * n + k] * v[i * n + k];
            }
            assert_true(fabs(dot - (i == j)) < 1e-12);
            assert_true(fabs(image - values[i] * v[i * n + j]) < 1e-12 * (double)(n + 1));
        }
    }
}

static void eigenvectors_are_right(void **state)
{
    static const int64_t sizes[] = {1, 2, 5, 33, 100};
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int kind = 0; kind < 4; kind++) {
            const int64_t n = sizes[s];
            double *a = symmetric(n, 11 + s), *v = malloc((size_t)(n * n) * sizeof *v);
            double *values = malloc((size_t)n * sizeof *values), *work = random_matrix(n * n, 1);
            for (int64_t i = 0; i < n * n && kind > 1; i++) {
                a[i] = i % (n + 1) == 0 ? 2 : 0; /* of one value n times */
            }
            memcpy(v, a, (size_t)(n * n) * sizeof *v);
            for (int64_t i = 0; i < n; i++) {
                for (int64_t j = i + 1; j < n; j++) {
                    v[i * n + j] = NAN; /* is not read */
                }
            }
            if (kind % 2 == 0) {
                assert_int_equal(context->ops->dense->eigen(context, n, v, values), TSL_OK);
            } else {
                assert_true(tsl_plain_eigen(n, v, values, work));
            }
            check_eigen(a, v, values, n);
            free(a);
            free(v);
            free(values);
            free(work);
        }
    }
    tsl_context_destroy(context);
}

static void factors_solve(void **state)
{
    static const int64_t sizes[] = {1, 2, 31, 150};
    (void)state;
    tsl_context *context = test_context("cpu", 2);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (int plain = 0; plain < 2; plain++) {
            const int64_t n = sizes[s];
            double *r = random_matrix(n * n, 5), *a = random_matrix(n * n, 6),
                   *l = random_matrix(n * n, 7);
            double *x = random_matrix(n, 8), *b = random_matrix(n, 8);
            bool positive = false;
            for (int64_t i = 0; i < n * n; i++) { /* R R^T + 1 */
                a[i] = i % (n + 1) == 0;
                for (int64_t k = 0; k < n; k++) {
                    a[i] += r[i / n * n + k] * r[i % n * n + k];
                }
                l[i] = a[i];
            }
            if (plain) {
                positive = tsl_plain_cholesky(n, l);
                tsl_plain_solve(n, l, x);
            } else {
                assert_int_equal(context->ops->dense->cholesky(context, n, l, &positive), TSL_OK);
                assert_int_equal(context->ops->dense->solve(context, n, l, x), TSL_OK);
            }
            assert_true(positive);
            for (int64_t i = 0; i < n; i++) {
                double sum = -b[i];
                for (int64_t k = 0; k < n; k++) {
                    sum += a[i * n + k] * x[k];
                }
                assert_true(fabs(sum) < 1e-10);
            }
            a[n * n - 1] = -1;
            if (plain) {
                positive = tsl_plain_cholesky(n, a);
            } else {
                assert_int_equal(context->ops->dense->cholesky(context, n, a, &positive), TSL_OK);
            }
            assert_false(positive);
            free(r);
            free(a);
            free(l);
            free(x);
            free(b);
        }
    }
    tsl_context_destroy(context);
}

static tsl_status find_eigenvectors(tsl_context *context, void *user)
{
    double a[4] = {2, 1, 1, 2}, values[2];
    (void)user;
    return context->ops->dense->eigen(context, 2, a, values);
}

static void failing_allocations_are_survived(void **state)
{
    (void)state;
    tsl_context *context = test_context("cpu", 1);
    test_survives_no_memory(context, find_eigenvectors, NULL);
    tsl_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_right), cmocka_unit_test(threads_give_the_same_bits),
        cmocka_unit_test(eigenvectors_are_right), cmocka_unit_test(factors_solve),
        cmocka_unit_test(failing_allocations_are_survived)};
    print_message("dense matrices by %s\n",
                  tsl_dense_library() != NULL ? tsl_dense_library() : "tesela");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
